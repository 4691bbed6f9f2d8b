"""Expand: duplicates of every row, which differ in their switching fields."""

from __future__ import annotations

from dataclasses import replace

from firesteel import plan as p
from firesteel import types as t
from firesteel.spark.core.conversions import choose
from firesteel.spark.core.expr import Expr, derive, null_expr, reference
from firesteel.spark.core.handlers import Compiling, expr_of, handles, rows_of
from firesteel.spark.core.rows import Order, Rows, apply_stages, project
from firesteel.spark.core.scope import Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.relations.physical.exchanges import copied


@handles(p.Expand)
def _expand(node: p.Expand, outer: Scope) -> Compiling[Rows]:
    rows = yield from rows_of(node.input, outer)
    scope = rows.scope(outer)
    fields: list[list[Expr]] = []
    for field in node.fields:
        values: list[Expr] = []
        for rex in field.duplicates if isinstance(field, p.Switching) else _values(field):
            values.append(scope.bind((yield from expr_of(rex, scope))))
        if isinstance(field, p.Switching) and len(values) < node.count:
            values.append(null_expr())
        fields.append(values)
    rows = apply_stages(rows, scope, node.where)
    name = outer.run.name()
    copies = copied(rows, F.sequence(F.lit(0), F.lit(node.count - 1)), name, outer.run)
    number = reference(t.INT32, name)
    if copies.ordered is not False:
        copies = replace(copies, order=(*copies.order, Order(number)))
    copies = replace(copies, operators=copies.stacked(outer.run, 2, node.where))
    columns = [_switched(values, number) for values in fields]
    return project(copies, copies.scope(outer), [*columns, number], node.where)


def _values(field: p.ExpandField) -> tuple[p.Rex, ...]:
    assert isinstance(field, p.Consistent)
    return (field.value,)


def _switched(values: list[Expr], number: Expr) -> Expr:
    """The value for the duplicate of that number; the last one stands for all further numbers."""
    tests: list[Expr] = [derive(t.BOOL, number.plain == i, number) for i in range(len(values) - 1)]
    return choose(tests, values)
