"""OVERLAPS: whether two periods have a moment in common."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column

from firesteel import types as t
from firesteel.spark.core.expr import Depth, Expr, column_expr, derive
from firesteel.spark.core.scope import Scope, Where
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.variants import any_of, let
from firesteel.spark.scalar.structs import elements_of, misfit
from firesteel.spark.time import calendar, moments
from firesteel.spark.time.moments import TIME, Interval, Moment


def overlaps(scope: Scope, args: Sequence[Expr], where: Where) -> Expr:
    """SQL's OVERLAPS. A period is a pair of moments, in any order, or a moment and an interval. If an end is absent,
    the result is NULL wherever that end could change it. Periods that only touch do not overlap."""
    said = "overlaps takes collections of two"

    def apply(*given: Expr) -> Expr:
        wrongs = [misfit(scope, arg, "collection") for arg in given]
        periods = [_period(scope, arg, where) for arg in given]
        return scope.let(periods, lambda a, b: finish(given, wrongs, a, b))

    def finish(given: Sequence[Expr], wrongs: Sequence[Column | None], a: Expr, b: Expr) -> Expr:
        x, y = a.column, b.column
        right = F.coalesce(x["ok"] & y["ok"] & _alike(x["start"], x["end"], y["start"], y["end"]), F.lit(False))
        value = F.when(right, _overlap(x["start"], x["end"], y["start"], y["end"]))
        wrong = any_of([*(test for test in wrongs if test is not None), ~right & _there(given)])
        assert wrong is not None
        error = scope.wrong(said, where)
        column = value if error is None else F.when(wrong, error).otherwise(value)
        gone = any_of(test for test in (arg.is_missing() for arg in given) if test is not None)
        if error is None:
            gone = wrong if gone is None else gone | wrong
        full = t.absent(t.BOOL, nullable=True, missable=gone is not None)
        return derive(full, column, *given, a, b, missing=gone, throws=error is not None, cost=Depth.VERY_DEEP)

    return scope.let(args, apply)


def _there(given: Sequence[Expr]) -> Column:
    absent = any_of(test for test in (arg.is_absent() for arg in given) if test is not None)
    return F.lit(True) if absent is None else ~absent


def _period(scope: Scope, arg: Expr, where: Where) -> Expr:
    """A struct of start and end in order (SQL NULL if absent), and `ok`: is it a period at all?"""
    array, element = elements_of(scope, arg)
    inner = [column_expr(element, F.get(array.column, F.lit(i)), stage=array.place.stage) for i in range(2)]
    ranks = frozenset({moments.DATE, TIME, moments.TIMESTAMP})

    def build(start: Expr, end: Expr) -> Expr:
        m1, m2 = (moments.moment(scope, e, where) for e in (start, end))
        span = moments.interval(scope, end)
        return scope.let([m1, m2, span], lambda a, b, c: ends(start, end, a, b, c))

    def ends(start: Expr, end: Expr, a: Expr, b: Expr, span: Expr) -> Expr:
        moved = F.when(a.column.isNotNull() & span.column.isNotNull(), _later(a.column, Interval(span.column), ranks))
        last = F.when(span.column.isNotNull(), moved).otherwise(b.column)
        none = [_is_absent(e) for e in (start, end)]
        fits = (F.array_size(array.column) == 2) & (none[0] | a.column.isNotNull())
        fits = fits & (
            none[1] | b.column.isNotNull() | (span.column.isNotNull() & (a.column.isNull() | moved.isNotNull()))
        )
        pair = F.struct(
            _point(a.column, ranks).alias("a"), let(last, lambda m: _point(m, ranks)).alias("b"), fits.alias("ok")
        )
        return derive(t.ANY, let(pair, ordered), array, start, end, a, b, span, cost=Depth.HUGE)

    def ordered(pair: Column) -> Column:
        known = pair["a"].isNotNull() & pair["b"].isNotNull()
        alike = F.coalesce(pair["a"]["c"] == pair["b"]["c"], F.lit(True))
        swap = pair["a"].isNull() | (known & (pair["a"] > pair["b"]))
        return F.struct(
            F.when(swap, pair["b"]).otherwise(pair["a"]).alias("start"),
            F.when(swap, pair["a"]).otherwise(pair["b"]).alias("end"),
            (pair["ok"] & alike).alias("ok"),
        )

    return scope.let(inner, build)


def _is_absent(expr: Expr) -> Column:
    absent = expr.is_absent()
    return F.lit(False) if absent is None else absent


def _later(moment: Column, span: Interval, ranks: frozenset[int]) -> Column:
    seconds, rest = calendar.split(span.nanos)
    moved = calendar.later(Moment(moment, ranks), span.months, seconds, rest, F.lit(0))
    return F.when(~((moment["r"] == TIME) & ~span.is_unit("day_time")), moved)


def _point(moment: Column, ranks: frozenset[int]) -> Column:
    """A sort key of a moment. `c` tells times of day from dates and timestamps: they cannot be compared."""
    point = Moment(moment, ranks)
    struct = F.struct(point.is_rank(TIME).alias("c"), point.instant.alias("s"), point.nanos.alias("n"))
    return F.when(moment.isNotNull(), struct)


def _alike(*points: Column) -> Column:
    """Are all points that are not NULL comparable?"""
    classes = F.array_compact(F.array(*(point["c"] for point in points)))
    return F.array_size(F.array_distinct(classes)) <= 1


def _overlap(start: Column, end: Column, other: Column, other_end: Column) -> Column:
    begins_inside = (start > other) & ~((start >= other_end) & (end >= other_end))
    is_begun_inside = (other > start) & ~((other >= end) & (other_end >= end))
    known = F.when(end.isNotNull() & other_end.isNotNull(), F.lit(True))
    begin_together = (start >= other) & (other >= start) & known
    return begins_inside | is_begun_inside | begin_together
