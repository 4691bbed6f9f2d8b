"""Where the columns of an answer come from: the tables and paths, and how each of them takes part.

`trace.py` goes through a plan, with a handler for every expression (`expressions.py`) and relation (`relations.py`).
`flow.py` is what a handler gives: where a value, or the rows of a relation, come from. `model.py` is the answer.
"""

from firesteel.lineage.model import Column, Input, Lineage, Source, TablePaths, Use
from firesteel.lineage.trace import column_inputs, trace

__all__ = ["Column", "Input", "Lineage", "Source", "TablePaths", "Use", "column_inputs", "trace"]
