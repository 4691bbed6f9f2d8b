"""Window functions: a value for every row, computed from the rows of its partition or frame."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from firesteel import functions
from firesteel import plan as p
from firesteel.errors import EvaluationError
from firesteel.evaluate.base import CompileContext, Env, Fail, Forgivable, RelClosure, RexClosure, Rows, handles
from firesteel.evaluate.kinds import show
from firesteel.evaluate.relations.group import combiner
from firesteel.evaluate.relations.rel import sorted_order
from firesteel.evaluate.scalar.functions import SCALARS
from firesteel.values import MISSING, Interval, Key, Time, Timestamp, Value, absent, key


@dataclass
class Partition:
    """The rows of a partition in order, each as its scope, and the groups of peers among them."""

    rows: list[Env]
    #: The sort keys: a column each, in the order of the rows.
    keys: list[list[Value]]
    #: For every row: the first of its peers, the first after them, and the number of groups before theirs.
    first: list[int]
    after: list[int]
    group: list[int]


WindowClosure = Callable[[list[Env]], list[Value]]
#: What a function gives for the row at a place, with its arguments for every row, and the frame.
Compute = Callable[[Partition, int, list[list[Value]], range], Value]


@handles(p.Window)
def _window(node: p.Window, context: CompileContext) -> Generator[Any, Any, RelClosure]:
    source: RelClosure = yield node.input, context
    calls: list[WindowClosure] = []
    for call in node.calls:
        calls.append((yield call, context))

    def run(env: Env) -> Rows:
        rows, ordered = source(env)
        scopes = [Env(row, env) for row in rows]
        columns = [call(scopes) for call in calls]
        made = [(*row, *[column[i] for column in columns]) for i, row in enumerate(rows)]
        return Rows(made, ordered and node.keeps_order)

    return run


@handles(p.WindowCall)
def _window_call(node: p.WindowCall, context: CompileContext) -> Generator[Any, Any, WindowClosure]:
    compute = _computing(node, context.failing(node.where))
    args: list[RexClosure] = []
    for arg in node.args:
        if isinstance(arg, p.Rex):
            args.append((yield arg, context))
    partition: list[RexClosure] = []
    for expr in node.partition:
        partition.append((yield expr, context))
    keys: list[RexClosure] = []
    for spec in node.order:
        keys.append((yield spec.key, context))
    offsets: list[RexClosure | None] = []
    for bound in (node.frame.start, node.frame.end) if node.frame else ():
        offsets.append((yield bound.offset, context) if bound.offset else None)

    def run(scopes: list[Env]) -> list[Value]:
        groups: dict[tuple[Key, ...], list[int]] = {}
        for i, scope in enumerate(scopes):
            values = [expr(scope) for expr in partition]
            groups.setdefault(tuple([key(None if v is MISSING else v) for v in values]), []).append(i)
        results: list[Value] = [None] * len(scopes)
        for places in groups.values():
            columns = [[expr(scopes[i]) for i in places] for expr in keys]
            order = sorted_order(len(places), columns, node.order)
            rows = [scopes[places[i]] for i in order]
            part = _partition(rows, [[column[i] for i in order] for column in columns])
            given = [[arg(row) for row in rows] for arg in args]
            for at, i in enumerate(order):
                counts = [offset(rows[at]) if offset else None for offset in offsets]
                results[places[i]] = compute(part, at, given, _frame(node, part, at, counts))
        return results

    return run


def _partition(rows: list[Env], keys: list[list[Value]]) -> Partition:
    count = len(rows)
    made = Partition(rows, keys, [0] * count, [count] * count, [0] * count)
    written = [tuple([key(None if c[i] is MISSING else c[i]) for c in keys]) for i in range(count)]
    for i in range(1, count):
        peer = written[i] == written[i - 1]
        made.first[i] = made.first[i - 1] if peer else i
        made.group[i] = made.group[i - 1] + (not peer)
    for i in range(count - 2, -1, -1):
        made.after[i] = made.after[i + 1] if written[i] == written[i + 1] else i + 1
    return made


# ---------------------------------------------------------------------------------------------------------------------
# Frames


def _frame(node: p.WindowCall, part: Partition, at: int, counts: Sequence[Value]) -> range:
    """The places of the rows in the frame of the row at a place."""
    if node.frame is None:
        return range(part.after[at] if node.order else len(part.rows))
    start = _edge(node.frame.unit, node.frame.start, counts[0], node, part, at, end=False)
    end = _edge(node.frame.unit, node.frame.end, counts[1], node, part, at, end=True)
    return range(max(0, start), min(len(part.rows), end))


def _edge(
    unit: p.FrameUnit, bound: p.Bound, count: Value, node: p.WindowCall, part: Partition, at: int, *, end: bool
) -> int:
    """The place of the first row of the frame, or of the first row after it."""
    if bound.side is p.BoundSide.CURRENT:
        if unit is p.FrameUnit.ROWS:
            return at + end
        return part.after[at] if end else part.first[at]
    back = bound.side is p.BoundSide.PRECEDING
    if bound.offset is None:
        return 0 if back else len(part.rows)
    if unit is p.FrameUnit.RANGE:
        return _range_edge(node, part, at, count, back, end)
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise EvaluationError(f"a frame's bound is a number of rows, not {show(count)}", where=bound.where)
    if unit is p.FrameUnit.ROWS:
        return at + (-count if back else count) + end
    group = part.group[at] + (-count if back else count) + end
    return next((i for i, g in enumerate(part.group) if g >= group), len(part.rows))


def _moved(value: Value, by: Value, *, down: bool) -> Key | None:
    """The key of a value so much further down, or up. An integer may be beyond the bits that it has, and what is beyond
    the calendar has no key: all values are on this side of it."""
    if type(value) is int and type(by) is int:
        return key(value - by if down else value + by)
    temporal = type(by) is Interval and type(value) in _MOMENTS
    if not temporal and not (type(value) in _NUMBERS and type(by) in _NUMBERS):
        raise EvaluationError(f"RANGE counts in values of the sort key: {show(by)} from {show(value)} on leads nowhere")
    try:
        return key(SCALARS["minus" if down else "plus"](value, by))
    except (Forgivable, EvaluationError):
        if temporal:
            return None
        raise


_NUMBERS = (int, float, Decimal)
_MOMENTS = (datetime.date, Time, Timestamp)


def _range_edge(node: p.WindowCall, part: Partition, at: int, count: Value, back: bool, end: bool) -> int:
    """RANGE counts in values of the one sort key."""
    if len(part.keys) != 1:
        raise EvaluationError("RANGE with an offset takes one sort key", where=node.where)
    column = part.keys[0]
    if absent(column[at]):
        return part.after[at] if end else part.first[at]
    descending = node.order[0].order.descending
    limit = _moved(column[at], count, down=back is not descending)
    for i, value in enumerate(column):
        if absent(value):
            continue
        here = key(value)
        past = back if limit is None else here < limit if descending else here > limit
        if past or (not end and here == limit):
            return i
    present = [i for i, value in enumerate(column) if not absent(value)]
    return present[-1] + 1


# ---------------------------------------------------------------------------------------------------------------------
# Functions


def _computing(node: p.WindowCall, fail: Fail) -> Compute:
    name = node.fn.name
    row = functions.called(name, functions.Kind.WINDOW, len(node.args), node.where)
    if row.kind is functions.Kind.WINDOW:
        if name == "arithmetic:nth_value" and node.fn.choice("on_domain_error") == "ERROR":
            return _nth
        return WINDOWS.get(name) or WINDOWS[name.removeprefix("arithmetic:")]  # most of Substrait's mean the same
    combine = combiner(node, row, fail)
    return lambda part, at, args, frame: combine([tuple([column[i] for column in args]) for i in frame])


def _ntile(part: Partition, at: int, args: list[list[Value]], _: range) -> Value:
    count = args[0][at]
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise EvaluationError(f"ntile takes a number of buckets, not {show(count)}")
    size, more = divmod(len(part.rows), count)
    large = more * (size + 1)
    return at // (size + 1) + 1 if at < large else more + (at - large) // max(size, 1) + 1


def _shifted(direction: int, *, back: bool = False) -> Compute:
    """A value of another row; `back`: a negative count goes the other way."""

    def compute(part: Partition, at: int, args: list[list[Value]], _: range) -> Value:
        by = args[1][at] if len(args) > 1 else 1
        if isinstance(by, bool) or not isinstance(by, int) or (by < 0 and not back):
            raise EvaluationError(f"a number of rows is wanted, not {show(by)}")
        there = at + direction * by
        if 0 <= there < len(part.rows):
            return args[0][there]
        return args[2][at] if len(args) > 2 else None

    return compute


def _nth(part: Partition, at: int, args: list[list[Value]], frame: range) -> Value:
    place = args[1][at]
    if isinstance(place, bool) or not isinstance(place, int) or place < 1:
        raise EvaluationError(f"nth_value takes a place from 1, not {show(place)}")
    return args[0][frame[place - 1]] if place <= len(frame) else None


def _nth_if_any(part: Partition, at: int, args: list[list[Value]], frame: range) -> Value:
    """NULL where there is no such place."""
    place = args[1][at]
    return _nth(part, at, args, frame) if isinstance(place, int) and place > 0 else None


WINDOWS: dict[str, Compute] = {
    "row_number": lambda part, at, args, frame: at + 1,
    "rank": lambda part, at, args, frame: part.first[at] + 1,
    "dense_rank": lambda part, at, args, frame: part.group[at] + 1,
    "percent_rank": lambda part, at, args, frame: part.first[at] / max(1, len(part.rows) - 1),
    "cume_dist": lambda part, at, args, frame: part.after[at] / len(part.rows),
    "ntile": _ntile,
    "lag": _shifted(-1),
    "lead": _shifted(1),
    "first_value": lambda part, at, args, frame: args[0][frame[0]] if frame else None,
    "last_value": lambda part, at, args, frame: args[0][frame[-1]] if frame else None,
    "nth_value": _nth,
    # Substrait's, where they differ.
    "arithmetic:lag": _shifted(-1, back=True),
    "arithmetic:lead": _shifted(1, back=True),
    "arithmetic:nth_value": _nth_if_any,
}
