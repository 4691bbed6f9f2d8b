"""Joins inside a row: for every left item, filter the right array for the items that match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pyspark.sql import Column

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.spark.core.expr import Depth, Expr, column_expr, derive, null_expr
from firesteel.spark.core.handlers import Compiling, compile_expr, compile_items, handles_nested, items_of
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import common_type
from firesteel.spark.encoding.variants import let
from firesteel.spark.keys.comparison import row_key
from firesteel.spark.relations.expressions import truth
from firesteel.spark.relations.joins.sides import NO_BOOLEAN, SECOND_MATCH
from firesteel.spark.relations.nested.items import ROWS, Items, both_listed, derived_array, pack_row, unpacker
from firesteel.spark.relations.nested.relations import kept_items
from firesteel.spark.scalar.compare import equal

Row = tuple[Expr, ...]


def has_no_condition(kind: p.JoinType) -> bool:
    """Does every pair of rows match, because there is no condition?"""
    return not isinstance(kind, p.Theta) and not (isinstance(kind, p.Equi) and (kind.keys or kind.residual is not None))


def condition_holds(scope: Scope, node: p.Join, left: Row, right: Row) -> Expr | None:
    """Do two rows match? None if there is no condition. To be called inside a lambda."""
    kind = node.type
    where = node.where
    if isinstance(kind, p.Theta):
        return _predicate(scope, kind.condition, left + right, kind.condition.where or where)
    if not isinstance(kind, p.Equi):
        return None
    tests = [_keys_equal(scope, pair, left, right, where) for pair in kind.keys]
    if kind.residual is not None:
        tests.append(_predicate(scope, kind.residual, left + right, kind.residual.where or where))
    if not tests:
        return None
    column = tests[0].plain
    for test in tests[1:]:
        column = F.when(column, test.plain)
    return derive(t.absent(t.BOOL, nullable=True), column, *tests, cost=len(tests))


def _predicate(scope: Scope, rex: p.Rex, row: Row, where: Where) -> Expr:
    inner = scope.inner(row, where)
    return truth(inner, inner.lowered(compile_expr(rex, inner)), NO_BOOLEAN, where)


def _keys_equal(scope: Scope, pair: p.JoinKey, left: Row, right: Row, where: Where) -> Expr:
    """Two keys: `=`, or deep equality, absent values included."""
    sides = []
    for rex, row in ((pair.left, left), (pair.right, right)):
        inner = scope.inner(row, where)
        sides.append(inner.lowered(compile_expr(rex, inner)))
    here = scope.inner((), where)
    if not pair.same:
        return equal(here, sides[0], sides[1], where)
    wide = [derive(t.ANY, here.variant(side)[0].column, side, cost=Depth.SMALL) for side in sides]
    keys = [row_key(here, side) for side in wide]
    return derive(t.BOOL, keys[0].column.eqNullSafe(keys[1].column), *keys)


@handles_nested(p.Join)
def _join(node: p.Join, scope: Scope) -> Compiling[Items]:
    left = yield from items_of(node.left, scope)
    if node.lateral:
        if node.capture.pads_left:
            raise PlanError(
                "a lateral join cannot keep right rows: there are none without a left row", where=node.where
            )

        def right_of(item: Column) -> Items:
            return compile_items(node.right, scope.inner(left.unpack(item), node.where))

        return _join_items(node, scope, left, right_of)
    right = yield from items_of(node.right, scope)
    results: list[Items] = []

    def joined(left_array: Expr, right_array: Expr) -> Expr:
        here, there = replace(left, array=left_array), replace(right, array=right_array)
        results.append(_join_items(node, scope, here, lambda _: there))
        return results[-1].array

    array = scope.let([left.array, right.array], joined)
    return replace(results[-1], array=array)


def _join_items(node: p.Join, scope: Scope, left: Items, right_of: Callable[[Column], Items]) -> Items:
    """The join; `right_of` gives the right items for a left item."""
    rights: list[Items] = []

    def matching(item: Column) -> Items:
        right = right_of(item)
        rights.append(right)
        row = left.unpack(item)
        if has_no_condition(node.type):
            return right

        def holds(other: Column) -> Expr:
            test = condition_holds(scope, node, row, right.unpack(other))
            assert test is not None
            return test

        return kept_items(right, holds)

    if node.capture.tests:
        return _semi_anti_or_mark(node, left, matching)
    types: list[t.Type] = []
    inner: list[Expr] = []
    single = node.capture is p.Capture.LEFT_SINGLE

    def pairs(item: Column) -> Column:
        matches = matching(item)
        row = left.unpack(item)
        types[:] = _types(node, row, matches)
        inner[:] = [matches.array]

        def both(other: Column) -> Column:
            return pack_row([*row, *matches.unpack(other)], types)

        paired = F.transform(matches.array.column, both)
        if not node.capture.pads_right:
            return paired
        if single:
            wrong = scope.run.error(SECOND_MATCH, node.where)
            paired = let(paired, lambda rows: F.when(F.array_size(rows) > 1, wrong).otherwise(rows))
        alone = pack_row([*row, *(null_expr() for _ in types[len(row) :])], types)
        return F.coalesce(_unless_empty(paired), F.array(alone))

    column = F.flatten(F.transform(left.array.column, pairs))
    right = rights[-1]
    if node.capture.pads_left:
        column = F.concat(column, _unmatched(node, scope, left, right, types))
    ordered, listed = both_listed(scope, left, right)
    if node.capture.pads_left:
        ordered, listed = False, None
    if node.lateral and ordered is None and right.listed is not None:
        listed = _all_listed(left, right_of)
    array = derived_array(left, column, inner, ROWS)
    return Items(array.with_place(throws=array.place.throws or single), unpacker(types), ordered, listed)


def _unless_empty(array: Column) -> Column:
    """The array, or SQL NULL if it is empty. The array, which may be a long expression, is mentioned once."""
    return F.get(F.filter(F.array(array), lambda one: F.array_size(one) > 0), F.lit(0))


def _types(node: p.Join, row: Row, right: Items) -> list[t.Type]:
    """The types of the columns: padded ones may be NULL."""
    sides: tuple[tuple[Sequence[Expr], bool], ...] = (
        (row, node.capture.pads_left),
        (right.unpack(F.lit(None)), node.capture.pads_right),
    )
    return [common_type((expr.type, t.NULL)) if pads else expr.type for side, pads in sides for expr in side]


def _unmatched(node: p.Join, scope: Scope, left: Items, right: Items, types: Sequence[t.Type]) -> Column:
    """The right items that match no left item, padded."""

    def alone(other: Column) -> Column:
        def matches(item: Column) -> Column:
            test = condition_holds(scope, node, left.unpack(item), right.unpack(other))
            return F.lit(True) if test is None else F.coalesce(test.plain, F.lit(False))

        return ~F.exists(left.array.column, matches)

    width = len(types) - len(right.unpack(F.lit(None)))
    nothing = [null_expr() for _ in range(width)]
    kept = F.filter(right.array.column, alone)
    return F.transform(kept, lambda other: pack_row([*nothing, *right.unpack(other)], types))


def _semi_anti_or_mark(node: p.Join, left: Items, matching: Callable[[Column], Items]) -> Items:
    """A semi, anti or mark join: the left items with a match, those without, or all with a flag."""
    inner: list[Expr] = []

    def has(item: Column) -> Column:
        inner[:] = [matching(item).array]
        return F.array_size(inner[0].column) > 0

    if node.capture is p.Capture.LEFT_MARK:
        row: list[Expr] = []

        def marked(item: Column) -> Column:
            row[:] = [*left.unpack(item), column_expr(t.BOOL, has(item))]
            return pack_row(row)

        column = F.transform(left.array.column, marked)
        types = [expr.type for expr in row]
        return Items(derived_array(left, column, inner, ROWS), unpacker(types), left.ordered, left.listed)
    wanted = node.capture is p.Capture.LEFT_SEMI
    column = F.filter(left.array.column, lambda item: has(item) if wanted else ~has(item))
    return replace(left, array=derived_array(left, column, inner))


def _all_listed(left: Items, right_of: Callable[[Column], Items]) -> Expr:
    """Is the left a list, and the right of every left item too?"""
    inner: list[Expr] = []

    def test(item: Column) -> Column:
        listed = right_of(item).listed
        assert listed is not None
        inner.append(listed)
        return listed.plain

    column = F.forall(left.array.column, test)
    if left.listed is not None:
        column = left.listed.plain & column
        inner.append(left.listed)
    return derive(t.BOOL, column, left.array, *inner, cost=Depth.TINY)


__all__ = ["SECOND_MATCH", "condition_holds", "has_no_condition"]
