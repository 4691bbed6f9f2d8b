"""The logical relations, except reads, joins and aggregates: each to a node of the algebra, or to a few."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.plan import build
from firesteel.plan.fit import rename_fields
from firesteel.plan.type_fit import lossless
from firesteel.repair import RepairKind
from firesteel.rules import PlanRule, ReferenceRule, RelationRule
from firesteel.source import Place
from firesteel.substrait import calls
from firesteel.substrait.dialects.base import Shape
from firesteel.substrait.lower.base import (
    FieldScope,
    Lowerer,
    Lowering,
    relation,
    require_boolean,
    require_field,
    scope_over,
)
from firesteel.substrait.lower.open_trees import inline_open_tree
from firesteel.substrait.message import Message


@relation("filter")
def _filter(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    source = require_field(message, "input")
    rel = yield source, scope
    predicate = yield require_field(message, "condition"), scope_over(scope, (rel, source))
    return p.Filter(require_boolean(predicate, message.condition), rel)


@relation("project")
def _project(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    """The columns of the input, and then the expressions; window functions among them see the whole input."""
    source = require_field(message, "input")
    rel = yield source, scope
    inner = scope_over(scope, (rel, source)).with_windows()
    exprs: list[p.Rex] = []
    for one in message.expressions:
        exprs.append((yield one, inner))
    kept = [] if _replaces(lowerer, message) else list(range(len(p.schema(rel))))
    if inner.windows:
        rel = p.Window(tuple(inner.windows), rel).at(message.where)
    return p.Project((*(build.column(rel, i) for i in kept), *exprs), rel)


def _replaces(lowerer: Lowerer, message: Message) -> bool:
    if message.has("common") or not lowerer.extensions.dialect.writes(Shape.PROJECT_REPLACES):
        return False
    lowerer.repair(RepairKind.REPLACING, message.where)
    return True


# ---------------------------------------------------------------------------------------------------------------------
# Order


ORDERS = {
    "SORT_DIRECTION_ASC_NULLS_FIRST": p.SortOrder.ASC_NULLS_FIRST,
    "SORT_DIRECTION_ASC_NULLS_LAST": p.SortOrder.ASC_NULLS_LAST,
    "SORT_DIRECTION_DESC_NULLS_FIRST": p.SortOrder.DESC_NULLS_FIRST,
    "SORT_DIRECTION_DESC_NULLS_LAST": p.SortOrder.DESC_NULLS_LAST,
    "SORT_DIRECTION_CLUSTERED": p.SortOrder.CLUSTERED,
}


def sort_specs(lowerer: Lowerer, messages: list[Message], scope: FieldScope, *, compares: str = "") -> Lowering:
    """Sort fields over the rows of a scope. `compares` says where an order by a comparison function is not possible."""
    specs: list[p.SortSpec] = []
    for one in messages:
        compared = one.which("sort_kind") == "comparison_function_reference"
        order = p.SortOrder.ASC_NULLS_FIRST if compared else ORDERS.get(one.label("direction"))
        if order is None:
            raise RelationRule.SORT.broken("a sort field without a direction", where=one.where)
        key = yield require_field(one, "expr"), scope
        comparator = calls.comparator(one, key.type, lowerer.extensions) if compared else None
        if comparator is not None and compares:
            raise UnsupportedError(f"{compares} by the comparison function '{comparator.name}'", where=one.where)
        if not compares and comparator is None and _sorts_nan_last(lowerer, key):
            is_nan = build.typed_fn("comparison:is_nan", (key,), t.Bool(nullable=key.type.nullable))
            specs.append(p.SortSpec(p.Call(is_nan, (key,)), order).at(one.where))
        specs.append(p.SortSpec(key, order, comparator=comparator).at(one.where))
    return tuple(specs)


def _sorts_nan_last(lowerer: Lowerer, key: p.Rex) -> bool:
    """Is NaN the greatest value for the plan's producer? In our order it is the least."""
    return isinstance(key.type, t.Float32 | t.Float64) and lowerer.extensions.dialect.writes(Shape.NAN_LAST)


@relation("sort")
def _sort(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    source = require_field(message, "input")
    rel = yield source, scope
    if not message.sorts:
        raise PlanRule.EMPTY.broken("a sort without fields to sort by", where=message.where)
    specs = yield from sort_specs(lowerer, message.sorts, scope_over(scope, (rel, source)))
    return p.Sort(specs, rel)


@relation("fetch")
def _fetch(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    rel = yield require_field(message, "input"), scope
    offset: p.Rex | None = None
    count: p.Rex | None = None
    outside = FieldScope(outer=scope)
    if message.has("offset_expr"):
        offset = yield message.offset_expr, outside
    elif message.has("offset"):
        offset = p.Lit(t.INT64, message.offset).at(message.where)
    if message.has("count_expr"):
        count = yield message.count_expr, outside
    elif message.has("count") and message.count != -1:  # -1 used to mean all rows
        count = p.Lit(t.INT64, message.count).at(message.where)
    return fetch(rel, offset, count, message)


def fetch(rel: p.Rel, offset: p.Rex | None, count: p.Rex | None, message: Message) -> p.Rel:
    """OFFSET and LIMIT. A NULL offset is 0, a NULL count means all rows."""
    check_counts(offset, count, message)
    if offset is not None and not (isinstance(offset, p.Lit) and not offset.value):
        rel = p.Offset(_or_else(offset, 0), rel).at(message.where)
    if count is not None and not (isinstance(count, p.Lit) and count.value is None):
        rel = p.Limit(_or_else(count, 2**31 - 1), rel).at(message.where)
    return rel


def check_counts(offset: p.Rex | None, count: p.Rex | None, message: Message) -> None:
    """Numbers of rows are integers, and not negative."""
    for rex in (offset, count):
        if rex is not None and not isinstance(rex.type, t.Integer | t.Null | t.Any):
            raise RelationRule.FETCH.broken(f"a number of rows is an integer, not a {rex.type}", where=message.where)
        if isinstance(rex, p.Lit) and rex.value is not None and rex.value < 0:
            raise RelationRule.FETCH.broken(f"a number of rows cannot be {rex.value}", where=message.where)


def _or_else(count: p.Rex, default: int) -> p.Rex:
    return build.call("coalesce", count, p.Lit(count.type, default)) if count.type.nullable else count


# ---------------------------------------------------------------------------------------------------------------------
# Sets


def _pairs(kind: type[p.SetRel], quantifier: p.Quantifier) -> Callable[[p.Rel, p.Rel], p.Rel]:
    return lambda left, right: kind(left, right, quantifier=quantifier)


_UNION_ALL = _pairs(p.Union, p.Quantifier.ALL)
_EXCEPT = _pairs(p.Except, p.Quantifier.DISTINCT)
_INTERSECT = _pairs(p.Intersect, p.Quantifier.DISTINCT)

#: The operations, of a primary input and the secondary ones.
SETS: dict[str, Callable[[p.Rel, list[p.Rel]], p.Rel]] = {
    "SET_OP_UNION_ALL": lambda first, rest: reduce(_UNION_ALL, rest, first),
    "SET_OP_UNION_DISTINCT": lambda first, rest: p.Distinct(reduce(_UNION_ALL, rest, first)),
    "SET_OP_MINUS_PRIMARY": lambda first, rest: _EXCEPT(first, reduce(_UNION_ALL, rest)),
    "SET_OP_MINUS_PRIMARY_ALL": lambda first, rest: reduce(_pairs(p.Except, p.Quantifier.ALL), rest, first),
    "SET_OP_MINUS_MULTISET": lambda first, rest: _EXCEPT(first, reduce(_INTERSECT, rest)),
    "SET_OP_INTERSECTION_PRIMARY": lambda first, rest: _INTERSECT(first, reduce(_UNION_ALL, rest)),
    "SET_OP_INTERSECTION_MULTISET": lambda first, rest: reduce(_INTERSECT, rest, first),
    "SET_OP_INTERSECTION_MULTISET_ALL": lambda first, rest: reduce(_pairs(p.Intersect, p.Quantifier.ALL), rest, first),
}


@relation("set")
def _set(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    combine = SETS.get(message.label("op"))
    if combine is None:
        raise PlanRule.NOT_SAID.broken("a set relation that does not say which", where=message.where)
    if len(message.inputs) < 2:
        raise RelationRule.SET_INPUTS.broken("a set relation takes two inputs or more", where=message.where)
    rels: list[p.Rel] = []
    for one in message.inputs:
        rels.append((yield one, scope))
    first, *rest = rels
    return combine(first, [_matched(rel, first, one.where) for rel, one in zip(rest, message.inputs[1:], strict=True)])


def _matched(rel: p.Rel, first: p.Rel, where: Place) -> p.Rel:
    """An input with the columns of the first one: as many, of the same types, the same names inside."""
    given, wanted = p.schema(rel), p.schema(first)
    if len(given) != len(wanted):
        raise RelationRule.SET_COLUMNS.broken(
            f"{len(given)} columns beside {len(wanted)}: inputs of a set have the same", where=where
        )
    exprs: list[p.Rex] = []
    for i, (mine, theirs) in enumerate(zip(given, wanted, strict=True)):
        null = isinstance(mine.type, t.Null) or isinstance(theirs.type, t.Null)
        if not null and not lossless(mine.type, theirs.type) and not lossless(theirs.type, mine.type):
            raise RelationRule.SET_COLUMNS.broken(f"column {i} is a {mine.type} beside a {theirs.type}", where=where)
        exprs.append(rename_fields(build.column(rel, i), theirs.type))
    return rel if all(isinstance(expr, p.Var) for expr in exprs) else p.Project(tuple(exprs), rel).at(where)


# ---------------------------------------------------------------------------------------------------------------------
# Others


@relation("reference")
def _reference(lowerer: Lowerer, message: Message, scope: FieldScope) -> p.Rel | Lowering:
    ordinal = message.subtree_ordinal
    if ordinal in lowerer.open_trees:
        return inline_open_tree(lowerer, ordinal, message, scope)
    if not 0 <= ordinal < len(lowerer.trees):
        raise ReferenceRule.SUBTREE.broken(
            f"no relation {ordinal} before this one: a reference is to an earlier relation of the plan",
            where=message.where,
        )
    return p.Shared(str(ordinal), lowerer.trees[ordinal])
