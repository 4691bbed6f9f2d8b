"""Window expressions: functions over the rows of a partition, with Spark's frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.functions import Kind
from firesteel.plan import build
from firesteel.spark.frames.base import Reading, Scope, refuse
from firesteel.spark.frames.columns.aggregates import AGGREGATES, Call, over_rows
from firesteel.spark.frames.columns.coercion import cast
from firesteel.spark.frames.columns.ordering import sort_specs


def _place(name: str) -> Callable[..., Call]:
    """A function of places: Spark's are integers of 32 bits."""
    return lambda *args: over_rows(Kind.WINDOW, name, *args, returns=t.INT32)


def _shift(name: str) -> Callable[..., Call]:
    def made(a: p.Rex, offset: p.Rex | None = None, default: p.Rex | None = None, *more: p.Rex) -> Call:
        if more and isinstance(more[0], p.Lit) and more[0].value:
            raise refuse(f"'{name}' that ignores NULL")
        given = [a, p.Lit(t.INT32, 1) if offset is None else offset]
        if isinstance(default, p.Lit) and default.value is None:
            default = None
        given += [] if default is None else [cast(default, t.proper(a.type))]
        returns = t.absent(a.type, nullable=True)
        return Call(build.typed_fn(name, given, returns), tuple(given))

    return made


def _nth(a: p.Rex, place: p.Rex, *more: p.Rex) -> Call:
    if more and isinstance(more[0], p.Lit) and more[0].value:
        raise refuse("'nth_value' that ignores NULL")
    return Call(build.typed_fn("nth_value", (a, place), t.absent(a.type, nullable=True)), (a, place))


def _edge(name: str) -> Callable[..., Call]:
    def made(a: p.Rex, ignores: p.Rex | None = None) -> Call:
        if isinstance(ignores, p.Lit) and ignores.value:
            raise refuse(f"'{name}' that ignores NULL")
        return Call(build.typed_fn(name, (a,), t.absent(a.type, nullable=True)), (a,))

    return made


WINDOWS: dict[str, Callable[..., Call]] = {
    **{name: _place(name) for name in ("row_number", "rank", "dense_rank", "ntile")},
    **{name: lambda name=name: over_rows(Kind.WINDOW, name) for name in ("percent_rank", "cume_dist")},
    "lag": _shift("lag"),
    "lead": _shift("lead"),
    "nth_value": _nth,
    **dict.fromkeys(("first", "first_value"), _edge("first_value")),
    **dict.fromkeys(("last", "last_value"), _edge("last_value")),
}
#: Functions that look at the whole partition, whatever their frame is.
_FRAMELESS = ("row_number", "rank", "dense_rank", "ntile", "percent_rank", "cume_dist", "lag", "lead")


def window(message: Any, scope: Scope) -> Reading:
    """A window expression: the column that its call stands for."""
    if scope.calls is None:
        raise refuse("a window expression there", "compute it in a column of its own first")
    inner = scope.plain()
    function = message.window_function
    if function.WhichOneof("expr_type") != "unresolved_function":
        raise refuse("a window over something that is no function")
    call = function.unresolved_function
    name = call.function_name.lower()
    known = WINDOWS.get(name) or AGGREGATES.get(name)
    if known is None:
        raise refuse(f"the window function '{name}'")
    args: list[p.Rex] = []
    for one in call.arguments:
        is_star = one.WhichOneof("expr_type") == "unresolved_star"  # count(*)
        args.append(p.Lit(t.INT32, 1) if is_star else (yield one, inner))
    partition: list[p.Rex] = []
    for one in message.partition_spec:
        partition.append((yield one, inner))
    order = yield from sort_specs(message.order_spec, inner)
    frame = None
    if message.HasField("frame_spec") and name not in _FRAMELESS:
        frame = yield from _frame(message.frame_spec, inner)
    made = known(*args)
    over = p.WindowCall(made.fn, made.args, tuple(partition), order, frame=frame, distinct=call.is_distinct)
    return made.result(scope.behind(scope.calls, over))


_ROW, _RANGE = 1, 2


def _frame(message: Any, scope: Scope) -> Reading:
    unit = p.FrameUnit.ROWS if message.frame_type == _ROW else p.FrameUnit.RANGE
    lower = yield from _bound(message.lower, scope, p.BoundSide.PRECEDING, unit)
    upper = yield from _bound(message.upper, scope, p.BoundSide.FOLLOWING, unit)
    return p.Frame(unit, lower, upper)


def _bound(message: Any, scope: Scope, outwards: p.BoundSide, unit: p.FrameUnit) -> Reading:
    kind = message.WhichOneof("boundary")
    if kind == "current_row":
        return p.Bound(p.BoundSide.CURRENT, None)
    if kind == "unbounded":
        return p.Bound(outwards, None)
    value = yield message.value, scope
    if not isinstance(value, p.Lit) or not isinstance(value.value, int | float):
        raise refuse("a bound of a window that is not a number")
    if value.value == 0:
        return p.Bound(p.BoundSide.CURRENT, None)
    side = p.BoundSide.PRECEDING if value.value < 0 else p.BoundSide.FOLLOWING
    type_ = t.INT64 if unit is p.FrameUnit.ROWS else value.type
    return p.Bound(side, p.Lit(type_, abs(value.value)))
