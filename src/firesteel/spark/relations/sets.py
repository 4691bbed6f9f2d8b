"""Union, intersect, except, distinct: rows are the same by deep equality, NULL with NULL.

All are done alike: both sides go into one frame, are grouped by their keys and counted by side; then each row is
repeated as often as the operator says. Only UNION ALL needs no grouping.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.spark.core.conversions import fit
from firesteel.spark.core.expr import Expr, Placement, StructParts, reference
from firesteel.spark.core.handlers import Compiling, handles, rows_of
from firesteel.spark.core.rows import Rows, apply_stages
from firesteel.spark.core.scope import Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import Form, JsonWords, common_type, form, words_type
from firesteel.spark.keys.comparison import is_own_key, row_key

#: How often a row is in the result, given how often it is on either side.
Times = Callable[[Column, Column], Column]

_ALL: dict[type[p.SetRel], Times] = {
    p.Intersect: F.least,
    p.Except: lambda left, right: F.greatest(left - right, F.lit(0)),
}
_DISTINCT: dict[type[p.SetRel], Times] = {
    p.Union: lambda left, right: F.lit(1),
    p.Intersect: lambda left, right: F.when((left > 0) & (right > 0), 1).otherwise(0),
    p.Except: lambda left, right: F.when((left > 0) & (right == 0), 1).otherwise(0),
}


@handles(p.Union, p.Intersect, p.Except)
def _set_operator(node: p.SetRel, outer: Scope) -> Compiling[Rows]:
    left = yield from rows_of(node.left, outer)
    right = yield from rows_of(node.right, outer)
    if len(left.columns) != len(right.columns):
        widths = f"{len(left.columns)} and of {len(right.columns)} columns"
        raise PlanError(f"'{node.tag}' of {widths}", where=node.where)
    side = outer.run.name()
    rows = _union_all(node, left, right, side, outer)
    if isinstance(node, p.Union) and node.quantifier is p.Quantifier.ALL:
        return rows
    times = (_DISTINCT if node.quantifier is p.Quantifier.DISTINCT else _ALL)[type(node)]
    return _repeat_by_counts(node, rows, times, side, outer)


@handles(p.Distinct)
def _distinct(node: p.Distinct, outer: Scope) -> Compiling[Rows]:
    """DISTINCT is the union of the rows with an empty relation."""
    rows = yield from rows_of(node.input, outer)
    side = outer.run.name()
    frame = rows.materialize().withColumn(side, F.lit(0))
    marked = Rows(frame, rows.columns, operators=rows.stacked(outer.run, 1, node.where))
    return _repeat_by_counts(node, marked, _DISTINCT[p.Union], side, outer)


def _union_all(node: p.SetRel, left: Rows, right: Rows, side: str, outer: Scope) -> Rows:
    """The rows of both sides, with common types, and a column that says which side a row comes from."""
    run = outer.run
    types = [_set_type(a.type, b.type) for a, b in zip(left.columns, right.columns, strict=True)]
    names = [run.name() for _ in types]
    frames = []
    for rows, mark in ((left, 0), (right, 1)):
        columns = [fit(e, type_).alias(name) for e, type_, name in zip(rows.columns, types, names, strict=True)]
        frames.append(rows.materialize().select(*columns, F.lit(mark).alias(side)))
    columns_ = tuple(reference(type_, name) for type_, name in zip(types, names, strict=True))
    deeper = left if left.operators > right.operators else right
    operators = deeper.stacked(run, 2, node.where)
    return Rows(frames[0].union(frames[1]), columns_, operators=operators)


def _set_type(left: t.Type, right: t.Type) -> t.Type:
    """The type of a column of both sides. Words of several types are grouped by their JSON text."""
    found = common_type((left, right))
    words = words_type((left, right)) if form(found) is Form.VARIANT else None
    return found if words is None else words


def _repeat_by_counts(node: p.SetRel | p.Distinct, rows: Rows, times: Times, side: str, outer: Scope) -> Rows:
    """Group equal rows, count them by side, and repeat each as `times` says."""
    scope = rows.scope(outer)
    by: list[Column] = []
    firsts: list[Column] = []
    texts: list[str] = []

    def grouped(expr: Expr) -> Expr:
        """The expression over the columns of the groups. A struct is equal if its attributes are, unless one repeats:
        `{a: 1, a: 2}` is `{a: 2, a: 1}`. The type of such a struct is encoded as a VARIANT."""
        if isinstance(expr, StructParts) and expr.present is None and form(expr.type) is not Form.VARIANT:
            fields = tuple(map(grouped, expr.fields))
            names = tuple(name for inner in fields for name in inner.place.names)
            return replace(expr, fields=fields, place=Placement(atomic=True, names=names))
        name = outer.run.name()
        if is_own_key(expr.type):
            by.append(expr.column.alias(name))
        elif isinstance(expr.type, JsonWords):
            by.append(F.to_json(expr.column).alias(name))
            texts.append(name)
        else:
            by.append(scope.bind(row_key(scope, expr)).column.alias(outer.run.name()))
            firsts.append(F.first(expr.column).alias(name))
        return reference(expr.type, name)

    columns = tuple(map(grouped, rows.columns))
    if rows.columns and not by:  # structs without attributes: Spark's groupBy() would give one group even of no rows
        by.append(F.lit("").alias(outer.run.name()))
    left, right = outer.run.name(), outer.run.name()
    counts = [F.count(F.when(F.col(side) == 0, 1)).alias(left), F.count(F.when(F.col(side) == 1, 1)).alias(right)]
    frame = apply_stages(rows, scope, node.where).materialize().groupBy(*by).agg(*counts, *firsts)
    again = F.explode(F.array_repeat(F.lit(0), times(F.col(left), F.col(right)).cast("int")))
    frame = frame.select("*", again.alias(outer.run.name()))
    if texts:
        frame = frame.select(*(F.parse_json(name).alias(name) if name in texts else name for name in frame.columns))
    return Rows(frame, columns, operators=rows.stacked(outer.run, 3, node.where))
