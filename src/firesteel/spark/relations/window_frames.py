"""A window call while it is compiled, and its frame.

Spark has no GROUPS frames: they are RANGE frames over the numbers of the groups of peers (`dense_rank`). If the input
is a list, its order breaks ties among peers in frames that count rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from pyspark.sql import Column
from pyspark.sql.window import WindowSpec

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.spark.core.conversions import fit
from firesteel.spark.core.expr import UNKNOWN, Depth, Expr, Variant, column_expr, null_expr, reference
from firesteel.spark.core.rows import Order
from firesteel.spark.core.scope import Run, Scope
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import common_type

FIRST, LAST = F.Window.unboundedPreceding, F.Window.unboundedFollowing
#: PySpark takes an offset this large for UNBOUNDED.
_MOST = 2**63 - 1
_ROWS = 2**31 - 1


@dataclass
class WindowColumns:
    """Columns over windows, selected after all arguments are bound: first `groups`, then `columns`."""

    run: Run
    #: Values and their keys, by expression and by whether the key is for ordering: calls share them.
    keys: dict[tuple[p.Rex, bool], tuple[Expr, Expr]] = field(default_factory=dict)
    #: The numbers of the groups of peers, which GROUPS frames are ordered by.
    groups: list[Column] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)

    def add(self, column: Column, spec: WindowSpec) -> str:
        name = self.run.name()
        self.columns.append(column.over(spec).alias(name))
        return name


@dataclass(frozen=True)
class Call:
    """One window call while it is compiled."""

    node: p.WindowCall
    scope: Scope
    args: tuple[Expr, ...]
    partition: tuple[Column, ...]
    order: tuple[Order, ...]
    #: The order of an input that is a list: it breaks ties.
    below: tuple[Order, ...]
    later: WindowColumns

    @property
    def row(self) -> functions.Function:
        """What the catalogue says of the function."""
        return functions.called(self.node.fn.name, functions.Kind.WINDOW, len(self.node.args), self.node.where)

    def error(self, message: str) -> Column:
        return self.scope.run.error(message, self.node.where)

    @property
    def whole(self) -> WindowSpec:
        """The partition, without an order."""
        return F.Window.partitionBy(*self.partition)

    def ordered(self, *, ties: bool) -> WindowSpec:
        """The partition with its ORDER BY. Spark requires one, so it is a constant if there are no keys."""
        columns = [one.column() for one in (*self.order, *(self.below if ties else ()))]
        return self.whole.orderBy(*(columns or [F.lit(1)]))

    def number(self, column: Column, *, ties: bool = False) -> Column:
        """The result of one of Spark's ranking functions, as a column that `later` adds."""
        return F.col(self.later.add(column, self.ordered(ties=ties)))

    def there(self, value: Expr, name: str) -> Expr:
        """The value in a struct that came from another row; NULL where there is no such row."""
        return self.or_else(value, name, null_expr())

    def or_else(self, value: Expr, name: str, default: Expr) -> Expr:
        type_ = common_type((value.type, default.type))
        found = column_expr(value.type, F.col(name)["v"])
        column = F.when(F.col(name).isNull(), fit(default, type_)).otherwise(fit(found, type_))
        return column_expr(type_, column, height=Depth.SMALL + default.place.height, throws=default.place.throws)


#: Makes the frame, if the function uses one; and compiles a call to its value.
Framing = Callable[[], WindowSpec | Column | None]
Build = Callable[[Call, Framing], Expr]


def window_with_frame(call: Call, keys: Sequence[Expr], offsets: Sequence[Expr | None]) -> WindowSpec | Column | None:
    """The window with its frame; None if the frame is always empty; a column that raises an error if it is wrong."""
    frame = call.node.frame
    if frame is None:
        return call.ordered(ties=False).rangeBetween(FIRST, 0) if call.order else call.whole
    edges: list[int] = []
    for bound, offset in zip((frame.start, frame.end), offsets, strict=True):
        edge = _edge(call, frame.unit, bound, offset)
        if F.is_column(edge):
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
        return FIRST if back else LAST
    count = offset.constant
    if count is UNKNOWN:
        raise UnsupportedError(
            "a frame whose bound is not a constant has no native form on Spark", where=bound.where or call.node.where
        )
    whole = type(count) is int
    if unit is p.FrameUnit.RANGE and (not whole or abs(count) >= _MOST):
        raise UnsupportedError("RANGE by anything but a whole number on Spark", where=bound.where or call.node.where)
    if not whole or (count < 0 and unit is not p.FrameUnit.RANGE):
        error = f"a frame's bound is a number of rows, not {count!r}"
        return call.scope.run.error(error, bound.where or call.node.where)
    if unit is not p.FrameUnit.RANGE:
        count = min(count, _ROWS)  # no partition has more rows
    return -count if back else count


def _by_value(call: Call, keys: Sequence[Expr]) -> WindowSpec:
    """RANGE counts in values of the one sort key: a number, of a known type."""
    if len(keys) != 1:
        raise PlanError("RANGE with an offset takes one sort key", where=call.node.where)
    (value,) = keys
    if isinstance(value, Variant) or not isinstance(value.type, t.Number):
        raise UnsupportedError(
            f"RANGE with an offset over values of type {value.type} has no native form on Spark",
            where=call.node.where,
            help="CAST the sort key to a number",
        )
    column = value.plain
    if isinstance(value.type, t.Integer):
        column = column.cast("decimal(38,0)")  # so that adding the offset cannot overflow 64 bits
    elif isinstance(value.type, t.Float32 | t.Float64):
        error = call.scope.run.error("RANGE with an offset over NaN on Spark", call.node.where, cls=UnsupportedError)
        column = F.when(F.isnan(column), error).otherwise(column)
    wide = reference(t.absent(t.INT, nullable=True), "")
    return call.whole.orderBy(Order(replace(wide, value=column), call.order[0].order).column())
