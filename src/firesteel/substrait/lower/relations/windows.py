"""Window functions: as expressions of a projection, and as a relation whose functions share one partitioning."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.rules import PlanRule, RelationRule
from firesteel.substrait import calls, own_messages
from firesteel.substrait.lower import own_nodes
from firesteel.substrait.lower.base import (
    FieldScope,
    Lowerer,
    Lowering,
    expression,
    relation,
    require_field,
    scope_over,
)
from firesteel.substrait.lower.expressions.arguments import arguments
from firesteel.substrait.lower.relations.logical import sort_specs
from firesteel.substrait.message import Message


@expression("window_function")
def _window_function(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    """A window function becomes one more column of the row, computed before the projection."""
    if scope.windows is None:
        raise UnsupportedError("a window function outside of a project relation", where=message.where)
    partition: list[p.Rex] = []
    for one in message.partitions:
        partition.append((yield one, scope))
    order = yield from sort_specs(lowerer, message.sorts, scope, compares="the order of a window")
    call = yield from _call(lowerer, message, scope, tuple(partition), order)
    if call not in scope.windows:
        scope.windows.append(call)
    return p.Var(call.type, len(scope.columns) + scope.windows.index(call)).at(message.where)


@relation("window")
def _window(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    source = require_field(message, "input")
    rel = yield source, scope
    inner = scope_over(scope, (rel, source))
    said = own_messages.find(message, own_messages.NODE)
    if said is not None:
        return (yield from own_nodes.window(lowerer, said, inner, rel))
    partition: list[p.Rex] = []
    for one in message.partition_expressions:
        partition.append((yield one, inner))
    order = yield from sort_specs(lowerer, message.sorts, inner, compares="the order of a window")
    made: list[p.WindowCall] = []
    for one in message.window_functions:
        made.append((yield from _call(lowerer, one, inner, tuple(partition), order)))
    if not made:
        raise PlanRule.EMPTY.broken("a window relation without functions", where=message.where)
    return p.Window(tuple(made), rel, method=_method(message))


_METHODS = {
    "METHOD_HASHING": p.WindowMethod.HASHING,
    "METHOD_STREAMING": p.WindowMethod.STREAMING,
    "METHOD_ANY": None,
}


def _method(message: Message) -> p.WindowMethod | None:
    found = own_messages.find(message, own_messages.WINDOW_STRATEGY)
    return (
        p.WindowMethod.CONSISTENT if found is None else _METHODS.get(found.label("method"), p.WindowMethod.CONSISTENT)
    )


def _call(
    lowerer: Lowerer, message: Message, scope: FieldScope, partition: tuple[p.Rex, ...], order: tuple[p.SortSpec, ...]
) -> Lowering:
    args = yield from arguments(lowerer, message, scope)
    frame = yield from _frame(message)
    around = frame.unit is p.FrameUnit.RANGE and (frame.start.offset is not None or frame.end.offset is not None)
    measured = len(order) == 1 and isinstance(order[0].key.type, t.Number | t.Temporal | t.Null)
    if around and not measured:
        raise RelationRule.FRAME.broken(
            "a range of values around one goes by one number or time to sort by", where=message.where
        )
    call: p.WindowCall = calls.window(message, args, lowerer.extensions, partition, order, frame)
    return call


_UNITS = {"BOUNDS_TYPE_ROWS": p.FrameUnit.ROWS, "BOUNDS_TYPE_RANGE": p.FrameUnit.RANGE}


def _frame(message: Message) -> Lowering:
    """The frame; a bound of which nothing is said is the end of the partition."""
    unit = _UNITS.get(message.label("bounds_type"), p.FrameUnit.ROWS)
    lower = yield from _bound(message.lower_bound, p.BoundSide.PRECEDING)
    upper = yield from _bound(message.upper_bound, p.BoundSide.FOLLOWING)
    return p.Frame(unit, lower, upper)


def _bound(message: Message, outwards: p.BoundSide) -> Lowering:
    kind = message.which("kind")
    if kind == "current_row":
        return p.Bound(p.BoundSide.CURRENT, None)
    if kind in ("unbounded", None):
        return p.Bound(outwards, None)
    inner = getattr(message, kind)
    side = p.BoundSide.PRECEDING if kind == "preceding" else p.BoundSide.FOLLOWING
    if inner.has("offset_expr"):
        return p.Bound(side, (yield inner.offset_expr, FieldScope(is_leaf=True)))
    return p.Bound(side, p.Lit(t.INT64, inner.offset))
