"""Spark's comparisons and conditions: NaN is one value and greater than all numbers, NULL is unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.spark.frames.columns.coercion import alike, cast, common_type, datafusion_call, standard_call

Build = Callable[..., p.Rex]


def null(type_: t.Type) -> p.Lit:
    return p.Lit(t.absent(type_, nullable=True), None)


def comparison(name: str) -> Build:
    def made(a: p.Rex, b: p.Rex) -> p.Rex:
        one, other = alike([a, b])
        if name in _SAME_FOR_NAN or not (is_float(one) or is_float(other)):
            return build.present(name, one, other)
        return datafusion_call(name, t.BOOL, one, other)  # there NaN is greater than all numbers, as in Spark

    return made


#: `=` and `<>` take NaN for one value, as Spark does.
_SAME_FOR_NAN = ("eq", "ne")


def null_safe(a: p.Rex, b: p.Rex) -> p.Rex:
    one, other = alike([a, b])
    return standard_call("is_not_distinct_from", one, other)


def among(value: p.Rex, *options: p.Rex) -> p.Rex:
    one, *others = alike([value, *options])
    return build.present("in_collection", one, build.collection(t.Array, others))


def choice(branches: Sequence[tuple[p.Rex, p.Rex]], default: p.Rex | None) -> p.Case:
    results = [then for _, then in branches] + ([] if default is None else [default])
    type_ = reduce(common_type, (one.type for one in results))
    nullable = default is None or any(one.type.nullable for one in results)
    made = tuple(p.Branch(when, cast(then, type_)) for when, then in branches)
    last = null(type_) if default is None else cast(default, type_)
    return p.Case(t.absent(type_, nullable=nullable), None, made, default=last)


def when(*args: p.Rex) -> p.Rex:
    pairs = [(args[i], args[i + 1]) for i in range(0, len(args) - 1, 2)]
    return choice(pairs, args[-1] if len(args) % 2 else None)


def coalesce(*args: p.Rex) -> p.Rex:
    """The first value that is not NULL."""
    made = alike(args)
    type_ = t.absent(made[0].type, nullable=all(one.type.nullable for one in made))
    return build.exactly(build.call("coalesce", *made), type_) if len(made) > 1 else made[0]


def is_nan(rex: p.Rex) -> p.Rex:
    """Is the value NaN? False of NULL."""
    return coalesce(standard_call("is_nan", rex), p.Lit(t.BOOL, False)) if is_float(rex) else p.Lit(t.BOOL, False)


def is_null(rex: p.Rex) -> p.Rex:
    return build.present("is_null", rex)


def negation(rex: p.Rex) -> p.Rex:
    return build.present("not", rex)


def null_if(a: p.Rex, b: p.Rex) -> p.Rex:
    return choice([(comparison("eq")(a, b), null(a.type))], a)


def junction(name: str) -> Build:
    return lambda a, b: build.present(name, a, b)


def extreme(name: str) -> Build:
    def made(*args: p.Rex) -> p.Rex:
        values = alike(args)
        return datafusion_call(name, values[0].type, *values, nullable=all(one.type.nullable for one in values))

    return made


def is_float(rex: p.Rex) -> bool:
    return isinstance(rex.type, t.Float32 | t.Float64)
