"""From the syntax tree to the plan: names become ordinals, sugar becomes the algebra.

scope.py         what names are in sight, and where they point
names.py         globals before locals in FROM, the reverse elsewhere; attributes of what is in sight
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
