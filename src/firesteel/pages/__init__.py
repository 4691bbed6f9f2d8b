"""Pages of plans: what one sees of a plan, with its texts in every notation. This room knows all notations; what is
seen, and how it is drawn, is in `explain/page`.

`statements.py` makes the page of a plan's statements, `texts.py` their texts, `show.py` opens a page.
"""

from firesteel.explain.page import Facts, PlanPage
from firesteel.pages.show import show
from firesteel.pages.statements import Statement, page_of

__all__ = ["Facts", "PlanPage", "Statement", "page_of", "show"]
