"""Windows: every row with what a function makes of the rows around it, by Spark's own windows.

Rows are partitioned and ordered by comparison keys. A value that a function takes from another row travels in a struct,
so that "no such row" and "MISSING there" stay apart. GROUPS counts the numbers of the groups of peers (`dense_rank`) as
RANGE would. Where the input is a list, its order breaks ties among peers, if the frame counts rows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pyspark.sql import Column
from pyspark.sql.window import Window, WindowSpec

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.spark import columns as F
from firesteel.spark.aggregates import Group
from firesteel.spark.arguments import view
from firesteel.spark.encoding import common, to_spark
from firesteel.spark.expr import UNKNOWN, Expr, fit, made, null_expr, opened, reference
from firesteel.spark.functions import AGGREGATES, UNSUPPORTED
from firesteel.spark.group import collected_distinct
from firesteel.spark.handlers import handles
from firesteel.spark.keys import key
from firesteel.spark.rows import Order, Rows, projected, staged
from firesteel.spark.scope import Run, Scope
from firesteel.spark.substrait import aggregates as substrait
from firesteel.spark.substrait.base import null_of

_FIRST, _LAST = Window.unboundedPreceding, Window.unboundedFollowing


@dataclass
class Later:
    """Columns over windows: each a select over what was bound before, in order of need."""

    run: Run
    #: Keys by the expressions that they are of, and by whether they are to be ordered: calls share them.
    keys: dict[tuple[p.Rex, bool], tuple[Expr, Expr]] = field(default_factory=dict)
    #: The numbers of the groups of peers, of which frames may be made.
    groups: list[Column] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)

    def add(self, column: Column, spec: WindowSpec) -> str:
        name = self.run.name()
        self.columns.append(column.over(spec).alias(name))
        return name


@dataclass(frozen=True)
class Call:
    """One window call under way."""

    node: p.WindowCall
    scope: Scope
    args: tuple[Expr, ...]
    partition: tuple[Column, ...]
    order: tuple[Order, ...]
    #: What breaks ties: the order of a list.
    below: tuple[Order, ...]
    later: Later

    def error(self, message: str) -> Column:
        return self.scope.run.error(message, self.node.where)

    @property
    def whole(self) -> WindowSpec:
        """The partition, without an order."""
        return Window.partitionBy(*self.partition)

    def ordered(self, *, ties: bool) -> WindowSpec:
        """The partition in order; Spark wants one even where there is none."""
        columns = [one.column() for one in (*self.order, *(self.below if ties else ()))]
        return self.whole.orderBy(*(columns or [F.lit(1)]))

    def number(self, column: Column, *, ties: bool = False) -> Column:
        """What one of Spark's ranking functions gives, as a column for later."""
        return F.col(self.later.add(column, self.ordered(ties=ties)))

    def there(self, value: Expr, name: str) -> Expr:
        """The value in a struct that came from another row; NULL where there is no such row."""
        return self.or_else(value, name, null_expr())

    def or_else(self, value: Expr, name: str, default: Expr) -> Expr:
        type_ = common((value.type, default.type))
        found = Expr(value.type, F.col(name)["v"])
        column = F.when(F.col(name).isNull(), fit(default, type_)).otherwise(fit(found, type_))
        return Expr(type_, column, height=4 + default.height, throws=default.throws)


@handles(p.Window)
def _window(node: p.Window, outer: Scope) -> Generator[Any, Any, Rows]:
    rows: Rows = yield node.input, outer
    scope = rows.scope(outer)
    later = Later(outer.run)
    results: list[Expr] = []
    for call in node.calls:
        results.append((yield call, (scope, rows, later)))
    rows = staged(rows, scope, node.where)
    frame = rows.frame
    for columns in (later.groups, later.columns):
        frame = frame.select("*", *columns) if columns else frame
    made_ = Rows(frame, rows.columns, operators=rows.stacked(outer.run, 2, node.where))
    return projected(made_, made_.scope(outer), [*rows.columns, *results], node.where)


@handles(p.WindowCall)
def _window_call(node: p.WindowCall, parts: tuple[Scope, Rows, Later]) -> Generator[Any, Any, Expr]:
    scope, rows, later = parts
    build = _building(node)
    args: list[Expr] = []
    for arg in node.args:
        if isinstance(arg, p.Rex):
            args.append(scope.bind(opened((yield arg, scope))))
    partition: list[Column] = []
    for expr in node.partition:
        value, found = yield from _keyed(expr, scope, later, ordering=False)
        if not isinstance(value.type, t.Null | t.Missing):
            partition.append(found.column)
    order: list[Order] = []
    raw: list[Expr] = []
    for spec in node.order:
        value, found = yield from _keyed(spec.key, scope, later, ordering=True)
        raw.append(value)
        order.append(Order(found, spec.order))
    offsets: list[Expr | None] = []
    for bound in (node.frame.start, node.frame.end) if node.frame else ():
        offsets.append((yield bound.offset, scope) if bound.offset is not None else None)
    call = Call(node, scope, tuple(args), tuple(partition), tuple(order), rows.order, later)
    return build(call, lambda: _frame(call, raw, offsets))


def _keyed(rex: p.Rex, scope: Scope, later: Later, *, ordering: bool) -> Generator[Any, Any, tuple[Expr, Expr]]:
    """An expression and its key, bound once for all calls."""
    if (rex, ordering) not in later.keys:
        value = scope.bind(opened((yield rex, scope)))
        found = scope.bind(key(scope, value, ordering=ordering))
        later.keys[rex, ordering] = (value, found)
    return later.keys[rex, ordering]


Framing = Callable[[], WindowSpec | Column | None]
Build = Callable[[Call, Framing], Expr]


def _building(node: p.WindowCall) -> Build:
    name = node.fn.name
    row = functions.called(name, functions.Kind.WINDOW, len(node.args), node.where)
    if row.kind is functions.Kind.WINDOW:
        return _declared(WINDOWS[name.rpartition(":")[2]]) if ":" in name else WINDOWS[name]
    if name not in AGGREGATES and name not in substrait.AGGREGATES:
        raise UnsupportedError(f"function '{name}' on Spark: {UNSUPPORTED.get(name)}", where=node.where)
    return _aggregate


def _declared(build: Build) -> Build:
    """The function with a result of the type that the call declares."""

    def retyped(call: Call, framing: Framing) -> Expr:
        found, returns = build(call, framing), call.node.fn.returns
        column = null_of(returns) if isinstance(found.type, t.Null) else fit(found, returns)
        return replace(found, type=returns, value=column, atomic=False, own=False, names=())

    return retyped


# ---------------------------------------------------------------------------------------------------------------------
# Frames


def _frame(call: Call, keys: Sequence[Expr], offsets: Sequence[Expr | None]) -> WindowSpec | Column | None:
    """The window with its frame; None for one that is always empty, a column that raises an error for a wrong one."""
    frame = call.node.frame
    if frame is None:
        return call.ordered(ties=False).rangeBetween(_FIRST, 0) if call.order else call.whole
    edges: list[int] = []
    for bound, offset in zip((frame.start, frame.end), offsets, strict=True):
        edge = _edge(call, frame.unit, bound, offset)
        if isinstance(edge, Column):
            return edge
        edges.append(edge)
    start, end = edges
    if start > end:
        return None
    if frame.unit is p.FrameUnit.ROWS:
        return call.ordered(ties=True).rowsBetween(start, end)
    counted = any(bound.offset is not None for bound in (frame.start, frame.end))
    if frame.unit is p.FrameUnit.GROUPS and counted:
        group = call.scope.run.name()
        call.later.groups.append(F.dense_rank().over(call.ordered(ties=False)).cast("bigint").alias(group))
        return call.whole.orderBy(F.col(group)).rangeBetween(start, end)
    if frame.unit is p.FrameUnit.RANGE and counted:
        return _by_value(call, keys).rangeBetween(start, end)
    return call.ordered(ties=False).rangeBetween(start, end)


def _edge(call: Call, unit: p.FrameUnit, bound: p.Bound, offset: Expr | None) -> int | Column:
    if bound.side is p.BoundSide.CURRENT:
        return 0
    back = bound.side is p.BoundSide.PRECEDING
    if offset is None:
        return _FIRST if back else _LAST
    count = offset.constant
    if count is UNKNOWN:
        raise UnsupportedError(
            "a frame whose bound is not a constant has no native form on Spark", where=bound.where or call.node.where
        )
    whole = type(count) is int and abs(count) < 2**31
    if unit is p.FrameUnit.RANGE and not whole:
        raise UnsupportedError("RANGE by anything but a whole number on Spark", where=bound.where or call.node.where)
    if not whole or (count < 0 and unit is not p.FrameUnit.RANGE):
        error = f"a frame's bound is a number of rows, not {count!r}"
        return call.scope.run.error(error, bound.where or call.node.where)
    return -count if back else count


def _by_value(call: Call, keys: Sequence[Expr]) -> WindowSpec:
    """RANGE counts in values of the one sort key: a number, of a known type."""
    if len(keys) != 1:
        raise PlanError("RANGE with an offset takes one sort key", where=call.node.where)
    (value,) = keys
    if value.dynamic or not isinstance(value.type, t.Number):
        raise UnsupportedError(
            f"RANGE with an offset over values of type {value.type} has no native form on Spark",
            where=call.node.where,
            help="CAST the sort key to a number",
        )
    column = value.plain
    if isinstance(value.type, t.Integer):
        column = column.cast("decimal(38,0)")  # what is counted from the ends of 64 bits stays within
    elif isinstance(value.type, t.Float32 | t.Float64):
        error = call.scope.run.error("RANGE with an offset over NaN on Spark", call.node.where, cls=UnsupportedError)
        column = F.when(F.isnan(column), error).otherwise(column)
    wide = reference(t.absent(t.INT, nullable=True), "")
    return call.whole.orderBy(Order(replace(wide, value=column), call.order[0].order).column())


# ---------------------------------------------------------------------------------------------------------------------
# Aggregates

#: Those of which DISTINCT changes nothing.
_SAME = frozenset({"min", "max", "every", "any"})


def _aggregate(call: Call, framing: Framing) -> Expr:
    """An aggregate as it is of a group, its parts each over the window."""
    spec = framing()
    node = call.node
    if isinstance(spec, Column):
        return Expr(t.ANY, spec.cast("variant"), throws=True)
    if spec is None:
        return _of_nothing(call)
    if node.fn.name in substrait.AGGREGATES:
        if node.distinct and node.fn.name.rpartition(":")[2] not in _SAME:
            said = f"'{node.fn.name}' with DISTINCT over a window is not native on Spark"
            raise UnsupportedError(said, where=node.where)
        group = Group(call.scope, node.fn.name, False, node.where, lambda column: call.later.add(column, spec))
        return substrait.aggregating(group, node.fn, call.args)
    distinct = node.distinct and bool(call.args) and node.fn.name not in _SAME
    if distinct:
        return _distinct(call, spec)
    group = Group(call.scope, node.fn.name, False, node.where, lambda column: call.later.add(column, spec))
    return AGGREGATES[node.fn.name](group, *call.args)


def _of_nothing(call: Call) -> Expr:
    name, returns = call.node.fn.name.rpartition(":")[2], call.node.fn.returns
    if name in ("count", "count_star", "approx_count_distinct"):
        zero = returns if isinstance(returns, t.Decimal) else t.INT64
        return Expr(zero, F.lit(0).cast(to_spark(zero)))
    if name in ("sum0", "product"):
        return Expr(returns, F.lit(name == "product").cast("int").cast(to_spark(returns)))
    if call.node.fn.name == "collect":
        return Expr(t.Bag(t.ANY), F.array().cast("array<variant>"))
    return null_expr()


def _distinct(call: Call, spec: WindowSpec) -> Expr:
    """Spark has no DISTINCT over windows: the keys are collected as a set, or the values as an array."""
    (value,) = call.args
    if call.node.fn.name != "count":
        node = call.node
        group = Group(call.scope, node.fn.name, True, node.where, lambda column: call.later.add(column, spec))
        return collected_distinct(group, value)
    found = call.scope.bind(key(call.scope, value))
    keys = call.later.add(F.collect_set(found.column), spec)
    return Expr(t.INT64, F.array_size(F.col(keys)).cast("bigint"), height=2)


# ---------------------------------------------------------------------------------------------------------------------
# Functions of a place


def _numbered(function: Callable[[], Column], *, ties: bool = False) -> Build:
    def build(call: Call, framing: Framing) -> Expr:
        return Expr(t.INT64, call.number(function(), ties=ties).cast("bigint"), height=1)

    return build


def _share(function: Callable[[], Column]) -> Build:
    return lambda call, framing: Expr(t.FLOAT64, call.number(function()))


def _count(call: Call, value: Expr, least: int, message: str) -> tuple[Column, Sequence[Expr]]:
    """An argument that counts; anything else is an error, in both modes."""
    if isinstance(value.constant, int) and not isinstance(value.constant, bool) and value.constant >= least:
        return F.lit(value.constant).cast("bigint"), ()
    seen = view(call.scope, value, "int")
    return F.when(seen.value >= least, seen.value).otherwise(call.error(message)), seen.parts


def _ntile(call: Call, framing: Framing) -> Expr:
    """The larger buckets come first."""
    buckets, parts = _count(call, call.args[0], 1, "ntile takes a number of buckets")
    bound = call.scope.bind(made(t.INT64, buckets, *parts, throws=True)).column
    place = call.number(F.row_number(), ties=True).cast("bigint") - 1
    rows = F.col(call.later.add(F.count(F.lit(1)), call.whole))
    more = rows % bound
    size = F.floor(rows / bound)
    large = more * (size + 1)
    column = F.when(place < large, F.floor(place / (size + 1)) + 1).otherwise(
        more + F.floor((place - large) / F.greatest(size, F.lit(1))) + 1
    )
    return Expr(t.INT64, column.cast("bigint"), height=8)


def _boxed(value: Expr) -> Column:
    return F.struct(value.column.alias("v"))


def _shifted(function: Callable[..., Column], direction: int) -> Build:
    def build(call: Call, framing: Framing) -> Expr:
        value, *rest = call.args
        default = rest[1] if len(rest) > 1 else null_expr()
        by = rest[0].constant if rest else 1
        if type(by) is int and -(2**31) < by < 0 and ":" in call.node.fn.name:
            name = call.later.add((F.lead if direction < 0 else F.lag)(_boxed(value), -by), call.ordered(ties=True))
            return call.or_else(value, name, default)
        if type(by) is int and 0 <= by < 2**31:
            name = call.later.add(function(_boxed(value), by), call.ordered(ties=True))
            return call.or_else(value, name, default)
        count, parts = _count(call, rest[0], 0, "a number of rows is wanted")
        bound = call.scope.bind(made(t.INT64, count, *parts, throws=True)).column
        place = call.number(F.row_number(), ties=True).cast("bigint") + bound * direction
        every = call.later.add(F.collect_list(_boxed(value)), call.ordered(ties=True).rowsBetween(_FIRST, _LAST))
        return _picked(value, every, place, default)

    return build


def _picked(value: Expr, array: str, place: Column, default: Expr) -> Expr:
    """What is at a place, from 1, of an array of boxed values."""
    there = (place >= 1) & (place <= F.array_size(F.col(array)))
    type_ = common((value.type, default.type))
    item = F.get(F.col(array), F.when(there, place - 1).cast("int"))
    found = Expr(value.type, item["v"])
    column = F.when(there, fit(found, type_)).otherwise(fit(default, type_))
    return Expr(type_, column, height=8 + default.height, throws=default.throws)


def _end(function: Callable[[Column], Column]) -> Build:
    def build(call: Call, framing: Framing) -> Expr:
        spec = framing()
        if isinstance(spec, Column):
            return Expr(t.ANY, spec.cast("variant"), throws=True)
        if spec is None:
            return null_expr()
        return call.there(call.args[0], call.later.add(function(_boxed(call.args[0])), spec))

    return build


def _nth(call: Call, framing: Framing) -> Expr:
    value, place = call.args
    count, parts = _count(call, place, 1, "nth_value takes a place from 1")
    bound = call.scope.bind(made(t.INT64, count, *parts, throws=True)).column
    spec = framing()
    if isinstance(spec, Column):
        return Expr(t.ANY, spec.cast("variant"), throws=True)
    if spec is None:
        return null_expr()
    if type(place.constant) is int and 0 < place.constant < 2**31:
        return call.there(value, call.later.add(F.nth_value(_boxed(value), place.constant), spec))
    return _picked(value, call.later.add(F.collect_list(_boxed(value)), spec), bound, null_expr())


WINDOWS: dict[str, Build] = {
    "row_number": _numbered(F.row_number, ties=True),
    "rank": _numbered(F.rank),
    "dense_rank": _numbered(F.dense_rank),
    "percent_rank": _share(F.percent_rank),
    "cume_dist": _share(F.cume_dist),
    "ntile": _ntile,
    "lag": _shifted(F.lag, -1),
    "lead": _shifted(F.lead, 1),
    "first_value": _end(F.first),
    "last_value": _end(F.last),
    "nth_value": _nth,
}
