"""Comparing two plans: are they the same, and where not?

`normal_form.py` brings both into one form, so that what is written differently and means the same is equal.
`differences.py` goes through both forms and lists where they differ; `sides.py` shows both side by side, `page.py` on
a page; `diff.py` is the answer.
"""

from firesteel.compare.diff import Diff, compare
from firesteel.compare.differences import Difference

__all__ = ["Diff", "Difference", "compare"]
