"""Functions of a row's place in its window: ranks, and values of other rows.

A value that is taken from another row travels in a struct, so that "no such row" and "MISSING there" stay apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import Column

from firesteel import functions
from firesteel import types as t
from firesteel.spark.core.conversions import fit
from firesteel.spark.core.expr import Depth, Expr, column_expr, derive, null_expr
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import common_type
from firesteel.spark.relations.window_frames import FIRST, LAST, Build, Call, Framing
from firesteel.spark.scalar.arguments import view


def _ranking(function: Callable[[], Column], *, ties: bool = False) -> Build:
    def build(call: Call, framing: Framing) -> Expr:
        return column_expr(t.INT64, call.number(function(), ties=ties).cast("bigint"), height=1)

    return build


def _fraction(function: Callable[[], Column]) -> Build:
    return lambda call, framing: column_expr(t.FLOAT64, call.number(function()))


def _count(call: Call, value: Expr, least: int, message: str) -> tuple[Column, Sequence[Expr]]:
    """An argument that is a number, at least `least`; anything else is an error in both modes."""
    if isinstance(value.constant, int) and not isinstance(value.constant, bool) and value.constant >= least:
        return F.literal(value.constant, "bigint"), ()
    seen = view(call.scope, value, "int")
    return F.when(seen.value >= least, seen.value).otherwise(call.error(message)), seen.parts


def _is_substrait(call: Call) -> bool:
    return functions.origin(call.node.fn.name) is not functions.Origin.PARTIQL


def _ntile(call: Call, framing: Framing) -> Expr:
    """The larger buckets come first."""
    buckets, parts = _count(call, call.args[0], 1, "ntile takes a number of buckets")
    bound = call.scope.bind(derive(t.INT64, buckets, *parts, throws=True)).column
    place = call.number(F.row_number(), ties=True).cast("bigint") - 1
    rows = F.col(call.later.add(F.count(F.lit(1)), call.whole))
    more = rows % bound
    size = F.floor(rows / bound)
    large = more * (size + 1)
    column = F.when(place < large, F.floor(place / (size + 1)) + 1).otherwise(
        more + F.floor((place - large) / F.greatest(size, F.lit(1))) + 1
    )
    return column_expr(t.INT64, column.cast("bigint"), height=Depth.LARGE)


def _box(value: Expr) -> Column:
    return F.struct(value.column.alias("v"))


def _lag_or_lead(function: Callable[..., Column], direction: int) -> Build:
    def build(call: Call, framing: Framing) -> Expr:
        value, *rest = call.args
        default = rest[1] if len(rest) > 1 else null_expr()
        by = rest[0].constant if rest else 1
        if type(by) is int and -(2**31) < by < 0 and _is_substrait(call):
            name = call.later.add((F.lead if direction < 0 else F.lag)(_box(value), -by), call.ordered(ties=True))
            return call.or_else(value, name, default)
        if type(by) is int and 0 <= by < 2**31:
            name = call.later.add(function(_box(value), by), call.ordered(ties=True))
            return call.or_else(value, name, default)
        least = -(2**63) if _is_substrait(call) else 0  # a negative count goes the other way
        count, parts = _count(call, rest[0], least, "a number of rows is wanted")
        bound = call.scope.bind(derive(t.INT64, count, *parts, throws=True)).column
        place = call.number(F.row_number(), ties=True).cast("bigint") + bound * direction
        every = call.later.add(F.collect_list(_box(value)), call.ordered(ties=True).rowsBetween(FIRST, LAST))
        return _pick(value, every, place, default)

    return build


def _pick(value: Expr, array: str, place: Column, default: Expr) -> Expr:
    """The value at a place (from 1) of an array of boxed values; the default beyond its ends."""
    there = (place >= 1) & (place <= F.array_size(F.col(array)))
    type_ = common_type((value.type, default.type))
    item = F.get(F.col(array), F.when(there, place - 1).cast("int"))
    found = column_expr(value.type, item["v"])
    column = F.when(there, fit(found, type_)).otherwise(fit(default, type_))
    return column_expr(type_, column, height=Depth.LARGE + default.place.height, throws=default.place.throws)


def _first_or_last(function: Callable[[Column], Column]) -> Build:
    def build(call: Call, framing: Framing) -> Expr:
        spec = framing()
        if F.is_column(spec):
            return column_expr(t.ANY, spec.cast("variant"), throws=True)
        if spec is None:
            return null_expr()
        return call.there(call.args[0], call.later.add(function(_box(call.args[0])), spec))

    return build


def _nth(call: Call, framing: Framing) -> Expr:
    value, place = call.args
    count, parts = _count(call, place, 1, "nth_value takes a place from 1")
    if _is_substrait(call) and call.node.fn.choice("on_domain_error") != "ERROR":  # NULL where there is no such place
        seen = view(call.scope, place, "int")
        count, parts = seen.value, seen.parts
    bound = call.scope.bind(derive(t.INT64, count, *parts, throws=True)).column
    spec = framing()
    if F.is_column(spec):
        return column_expr(t.ANY, spec.cast("variant"), throws=True)
    if spec is None:
        return null_expr()
    if type(place.constant) is int and 0 < place.constant < 2**31:
        return call.there(value, call.later.add(F.nth_value(_box(value), place.constant), spec))
    return _pick(value, call.later.add(F.collect_list(_box(value)), spec), bound, null_expr())


WINDOWS: dict[str, Build] = {
    "row_number": _ranking(F.row_number, ties=True),
    "rank": _ranking(F.rank),
    "dense_rank": _ranking(F.dense_rank),
    "percent_rank": _fraction(F.percent_rank),
    "cume_dist": _fraction(F.cume_dist),
    "ntile": _ntile,
    "lag": _lag_or_lead(F.lag, -1),
    "lead": _lag_or_lead(F.lead, 1),
    "first_value": _first_or_last(F.first),
    "last_value": _first_or_last(F.last),
    "nth_value": _nth,
}
