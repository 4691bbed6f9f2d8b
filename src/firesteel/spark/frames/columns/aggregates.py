"""Spark's aggregate functions by name: the call of the algebra, and what is done with its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firesteel import plan as p
from firesteel import types as t
from firesteel.functions import Kind
from firesteel.functions import substrait as standard
from firesteel.plan import build
from firesteel.spark.frames.base import refuse
from firesteel.spark.frames.columns.coercion import bounded, cast, digits

_FLOATS = (t.Float32, t.Float64)


@dataclass(frozen=True)
class Call:
    """A function over rows, its arguments, and the type that Spark gives the result."""

    fn: p.Fn
    args: tuple[p.Rex, ...]
    returns: t.Type | None = None

    def result(self, rex: p.Rex) -> p.Rex:
        return rex if self.returns is None else cast(rex, self.returns)


def over_rows(kind: Kind, name: str, *args: p.Rex, returns: t.Type | None = None, **options: str) -> Call:
    """A call of a standard aggregate or window function."""
    given = [standard.Constant(one.type, one.value) if isinstance(one, p.Lit) else one.type for one in args]
    found = standard.resolve(None, name, None, kind, given, [(key, (value,)) for key, value in options.items()])
    fitted = tuple(
        one if target is None else build.substrait_cast(one, target)
        for one, target in zip(args, found.casts, strict=True)
    )
    return Call(build.typed_fn(found.row.name, fitted, found.returns, found.choices), fitted, returns)


def _ours(name: str, returns: t.Type, *args: p.Rex) -> Call:
    return Call(build.typed_fn(name, args, returns), args)


def _sum(a: p.Rex) -> Call:
    if isinstance(a.type, t.Decimal):
        precision, scale = digits(a.type)
        returns = bounded(precision + 10, scale)
        return over_rows(Kind.AGGREGATE, "sum", a, returns=returns, overflow="ERROR")
    if isinstance(a.type, t.Integer):
        return over_rows(Kind.AGGREGATE, "sum", cast(a, t.INT64), overflow="ERROR")
    return over_rows(Kind.AGGREGATE, "sum", cast(a, t.FLOAT64))


def _avg(a: p.Rex) -> Call:
    if isinstance(a.type, t.Decimal):
        precision, scale = digits(a.type)
        if precision > 34:
            raise refuse(f"a mean of {t.proper(a.type)}", "cast it to double")
        return _ours("datafusion:avg", t.Decimal(precision + 4, scale + 4, nullable=True), a)
    return over_rows(Kind.AGGREGATE, "avg", cast(a, t.FLOAT64))


def _extreme(name: str) -> Callable[[p.Rex], Call]:
    def made(a: p.Rex) -> Call:
        row = f"datafusion:{name}" if isinstance(a.type, _FLOATS) else name
        return _ours(row, t.absent(a.type, nullable=True), a)

    return made


def _count(*args: p.Rex) -> Call:
    if len(args) == 1:
        return _ours(
            "count_star" if isinstance(args[0], p.Lit) and args[0].value is not None else "count",
            t.INT64,
            *(() if isinstance(args[0], p.Lit) and args[0].value is not None else args),
        )
    return _ours("datafusion:count", t.INT64, *args)


def _first(name: str) -> Callable[..., Call]:
    def made(a: p.Rex, ignores: p.Rex | None = None) -> Call:
        if isinstance(ignores, p.Lit) and ignores.value:
            raise refuse(f"'{name}' that ignores NULL")
        return _ours(f"datafusion:{name}_value", t.absent(a.type, nullable=True), a)

    return made


def _spread(name: str, distribution: str) -> Callable[[p.Rex], Call]:
    return lambda a: over_rows(Kind.AGGREGATE, name, cast(a, t.FLOAT64), distribution=distribution)


def _logic(name: str) -> Callable[[p.Rex], Call]:
    return lambda a: _ours(name, t.absent(t.BOOL, nullable=True), a)


def _pairs(row: str) -> Callable[[p.Rex, p.Rex], Call]:
    return lambda a, b: _ours(row, t.Float64(nullable=True), cast(a, t.FLOAT64), cast(b, t.FLOAT64))


def _median(a: p.Rex) -> Call:
    if isinstance(a.type, t.Decimal):
        raise refuse("a median of decimals", "cast them to double")
    return _ours("datafusion:median", t.Float64(nullable=True), cast(a, t.FLOAT64))


def _listed(name: str) -> Callable[[p.Rex], Call]:
    return lambda a: _ours(f"datafusion:{name}", t.Array(t.absent(a.type, nullable=False)), a)


def _bits(name: str) -> Callable[[p.Rex], Call]:
    return lambda a: _ours(f"datafusion:{name}", t.absent(a.type, nullable=True), a)


AGGREGATES: dict[str, Callable[..., Call]] = {
    "count": _count,
    "sum": _sum,
    **dict.fromkeys(("avg", "mean"), _avg),
    "min": _extreme("min"),
    "max": _extreme("max"),
    **dict.fromkeys(("first", "first_value", "any_value"), _first("first")),
    **dict.fromkeys(("last", "last_value"), _first("last")),
    **dict.fromkeys(("stddev", "stddev_samp", "std"), _spread("std_dev", "SAMPLE")),
    "stddev_pop": _spread("std_dev", "POPULATION"),
    **dict.fromkeys(("variance", "var_samp"), _spread("variance", "SAMPLE")),
    "var_pop": _spread("variance", "POPULATION"),
    **dict.fromkeys(("bool_and", "every"), _logic("every")),
    **dict.fromkeys(("bool_or", "some", "any"), _logic("any")),
    "covar_pop": _pairs("datafusion:covar_pop"),
    "covar_samp": _pairs("datafusion:covar_samp"),
    "median": _median,
    **{name: _listed(name) for name in ("collect_list", "collect_set")},
    "array_agg": _listed("collect_list"),
    **{name: _bits(name) for name in ("bit_and", "bit_or", "bit_xor")},
}


def aggregate(name: str, args: Sequence[p.Rex], *, distinct: bool) -> tuple[p.Agg, Call]:
    """An aggregate, and what makes Spark's result of it."""
    made = AGGREGATES[name](*args)
    return p.Agg(made.fn, made.args, distinct=distinct and bool(made.args)), made
