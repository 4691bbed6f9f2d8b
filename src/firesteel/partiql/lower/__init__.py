"""Lowers the syntax tree to a plan: names become ordinals, syntactic sugar becomes relations and calls.

scope.py         which names are visible, and what they refer to
names.py         name resolution: globals before locals in FROM, the reverse elsewhere; implicit attributes
queries.py       SELECT blocks, WITH
ordering.py      ORDER BY, LIMIT, OFFSET, DISTINCT
sets.py          set operators
grouping.py      GROUP BY, aggregates, windows
expressions.py   everything else
types.py         types as written
warnings.py      what a query says and hardly means: the warnings
"""

from firesteel.partiql.lower.statement import lower
from firesteel.partiql.lower.static import ensure_static

__all__ = ["ensure_static", "lower"]
