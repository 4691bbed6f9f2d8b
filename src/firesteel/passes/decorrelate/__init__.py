"""Queries over tables inside expressions become joins: a lowering, for an engine that has tables only in relations.

Afterwards no expression of the plan holds a table, or a relation over one; what is left of queries inside expressions
ranges over collections of the row. The ways, the first that is right for a query is taken:

- *once* (`hoist.py`): a query that does not look at the row is one row beside every row;
- *matched* (`matched.py`): EXISTS and IN where a condition is wanted are semi and anti joins, elsewhere mark joins; an
  aggregate of rows that equalities tie to the row is grouped by what ties them, and joined;
- *bucketed* (`buckets.py`): the rows that may concern a row are collected by what ties them, and the query, as it is,
  ranges over the collection beside the row;
- *domain* (`domain.py`): the query is asked of every combination of values that it looks at, once;
- *whole* (`whole.py`): the whole table is a collection beside every row, under the name `WHOLE`. It is always right,
  and no good for a table that is large.

A query is not evaluated for rows that it was not evaluated for before if it may raise an error (`risk.py`).
"""

from firesteel.passes.decorrelate.lower import decorrelate
from firesteel.passes.decorrelate.whole import WHOLE

__all__ = ["WHOLE", "decorrelate"]
