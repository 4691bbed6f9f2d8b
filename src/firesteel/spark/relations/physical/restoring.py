"""What is derived of a plan's partitions, made true.

Spark moves rows between partitions as it likes; for the answer of a query that makes no difference. Who takes a
DataFrame or files sees the partitions, and there the distribution and the order that follow from the plan have to hold:
they are restored, unless no operator since the last exchange, or since the source, has moved rows.
"""

from __future__ import annotations

from firesteel import plan as p
from firesteel.errors import UnsupportedError
from firesteel.node import has
from firesteel.plan.properties import Partitioned, Properties, Singleton
from firesteel.spark.core.rows import Layout, Rows, apply_stages
from firesteel.spark.core.scope import Scope
from firesteel.spark.relations.physical.fields import distribution_keys, field_order


def with_properties(rows: Rows, rel: p.Rel, outer: Scope) -> Rows | None:
    """The rows of a relation in partitions of which its properties are true, each in order. None if they are so
    already, or if the plan says nothing of partitions: then a list is sorted as for any answer."""
    if not has(rel, p.Exchange, p.Promised):
        return None
    known = p.relation_properties(rel)
    moved = _distributed(rows, known, rel, outer)
    return _ordered(rows if moved is None else moved, known, rel, outer) or moved


def _distributed(rows: Rows, known: Properties, rel: p.Rel, outer: Scope) -> Rows | None:
    """The rows in the partitions that the distribution asks for; None if they are there already."""
    if known.distribution is None or rows.layout is not Layout.UNKNOWN:
        return None
    operators = rows.stacked(outer.run, 1, rel.where)
    if isinstance(known.distribution, Singleton):
        return rows.over(rows.materialize().repartition(1), layout=Layout.ONE, sorted=False, operators=operators)
    assert isinstance(known.distribution, Partitioned)
    scope = rows.scope(outer)
    keys = distribution_keys(known.distribution.fields, rel, scope)
    rows = apply_stages(rows, scope, rel.where)
    if not keys:  # the fields are NULL in every row, so all rows are in one partition
        return rows.over(rows.materialize().repartition(1), layout=Layout.ONE, sorted=False, operators=operators)
    frame = rows.materialize().repartition(*(expr.column for expr in keys))
    return rows.over(frame, layout=Layout.EXCHANGED, sorted=False, operators=operators)


def _ordered(rows: Rows, known: Properties, rel: p.Rel, outer: Scope) -> Rows | None:
    """The rows of each partition in order; None if they are in order already, or if there is none."""
    if rows.order and rows.sorted:
        return None
    if rows.order:
        # Rows that are somewhere on purpose stay there. Any others are sorted across all partitions.
        columns = [one.column() for one in rows.order]
        frame = rows.materialize()
        frame = frame.orderBy(*columns) if rows.layout is Layout.UNKNOWN else frame.sortWithinPartitions(*columns)
        return rows.over(frame, layout=rows.layout, sorted=True, operators=rows.stacked(outer.run, 1, rel.where))
    if not known.order or rows.layout is Layout.SOURCE:
        return None
    for one in known.order:
        if one.comparator is not None:
            raise UnsupportedError(
                f"a DataFrame in the order of the comparison function '{one.comparator}' cannot be made on Spark",
                where=rel.where,
                help="take the answer as values, or order by an expression",
            )
    scope = rows.scope(outer)
    order = field_order(known.order, rel, scope)
    rows = apply_stages(rows, scope, rel.where)
    frame = rows.materialize().sortWithinPartitions(*(one.column() for one in order))
    return rows.row_by_row(frame, operators=rows.stacked(outer.run, 1, rel.where))
