"""Decorrelation: turn subqueries over tables into joins, for engines that can read tables only in relations.

Afterwards no expression of the plan contains a table, or a relation over one. Subqueries that remain range over
collections inside the row. For each subquery the first of these ways that gives the right answer is taken:

- *hoist* (`hoist.py`): a subquery that does not read the outer row is computed once and cross joined;
- *match* (`matched.py`): EXISTS and IN become semi or anti joins in a condition, and mark joins elsewhere; an aggregate
  over rows that equalities tie to the outer row is grouped by those keys and joined;
- *bucket* (`buckets.py`): the inner rows are collected by the keys that tie them to the outer row, and the subquery
  ranges over the collection that was joined to the row;
- *domain* (`domain.py`): the subquery is computed once for every distinct combination of the outer values that it
reads; - *whole* (`whole.py`): the whole table, as one collection in the column `WHOLE`, is cross joined. This is always
right, and too slow for a large table.

A subquery that may raise an error is not evaluated for more rows than before (`risk.py`).
"""

from firesteel.passes.decorrelate.lower import decorrelate
from firesteel.passes.decorrelate.whole import WHOLE

__all__ = ["WHOLE", "decorrelate"]
