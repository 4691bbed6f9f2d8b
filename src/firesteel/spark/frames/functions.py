"""Spark's scalar functions by name: each builds the expression that means the same.

Where Substrait's standard has the function with the options that make it Spark's, the call is the standard's, so that
other consumers read it. Overflow and division by zero are errors, as in Spark's ANSI mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.plan.fit import attribute
from firesteel.spark.frames.base import refuse
from firesteel.spark.frames.coercion import (
    alike,
    as_decimal,
    bounded,
    cast,
    common_type,
    datafusion_call,
    digits,
    operands,
    standard_call,
)

Build = Callable[..., p.Rex]

# ---------------------------------------------------------------------------------------------------------------------
# Numbers


def _arithmetic(name: str) -> Build:
    def made(a: p.Rex, b: p.Rex) -> p.Rex:
        _ensure_numbers(name, a, b)
        one, other = operands(a, b)
        options = {} if _is_float(one) or _is_float(other) else {"overflow": "ERROR"}
        return standard_call(name, one, other, **options)

    return made


def _ensure_numbers(name: str, *args: p.Rex) -> None:
    wrong = next((one.type for one in args if not isinstance(one.type, t.Number | t.Text | t.Null)), None)
    if wrong is not None:
        raise refuse(f"'{name}' of a {t.proper(wrong)}", "date_add, date_sub and datediff move dates")


def _is_float(rex: p.Rex) -> bool:
    return isinstance(rex.type, t.Float32 | t.Float64)


def _divide(a: p.Rex, b: p.Rex) -> p.Rex:
    """Integers are divided as doubles, decimals to a type of their own."""
    _ensure_numbers("divide", a, b)
    decimals = [isinstance(one.type, t.Decimal) for one in (a, b)]
    if any(decimals) and not (_is_float(a) or _is_float(b)):
        one, other = as_decimal(a), as_decimal(b)
        if isinstance(one.type, t.Decimal) and isinstance(other.type, t.Decimal):
            return _divide_decimals(one, other, one.type, other.type)
    return standard_call("divide", cast(a, t.FLOAT64), cast(b, t.FLOAT64), on_division_by_zero="ERROR")


def _divide_decimals(a: p.Rex, b: p.Rex, dividend: t.Decimal, divisor: t.Decimal) -> p.Rex:
    (p1, s1), (p2, s2) = digits(dividend), digits(divisor)
    scale = max(6, s1 + p2 + 1)
    wanted = bounded(p1 - s1 + s2 + scale, scale)
    made = standard_call("divide", a, b, overflow="ERROR")
    kept = digits(wanted)[1]
    if isinstance(made.type, t.Decimal) and digits(made.type)[1] < kept:  # with one digit more, cut, it can be rounded
        made = datafusion_call("divide", t.Decimal(38, kept + 1), a, b)
    return cast(made, wanted)


def _remainder(a: p.Rex, b: p.Rex) -> p.Rex:
    one, other = operands(a, b)
    if not (isinstance(one.type, t.Integer) and isinstance(other.type, t.Integer)):
        raise refuse(f"a remainder of {t.proper(one.type)}", "cast the numbers to integers")
    return standard_call("modulus", one, other, division_type="TRUNCATE", on_domain_error="ERROR")


def _quotient(a: p.Rex, b: p.Rex) -> p.Rex:
    """`div`: the whole part of a quotient of integers, as a bigint."""
    if not (isinstance(a.type, t.Integer) and isinstance(b.type, t.Integer)):
        raise refuse(f"'div' of {t.proper(a.type)}", "cast the numbers to integers")
    return standard_call(
        "divide", cast(a, t.INT64), cast(b, t.INT64), overflow="ERROR", on_division_by_zero="ERROR", rounding="TRUNCATE"
    )


def _checked(name: str) -> Build:
    return lambda a: standard_call(name, a, **({"overflow": "ERROR"} if isinstance(a.type, t.Integer) else {}))


def _of_double(name: str) -> Build:
    return lambda *args: standard_call(name, *(cast(one, t.FLOAT64) for one in args))


def _positive_only(name: str) -> Build:
    """A logarithm: NULL of zero and of less."""

    def made(a: p.Rex) -> p.Rex:
        number = cast(a, t.FLOAT64)
        found = standard_call(name, number, on_domain_error="NAN", on_log_zero="NAN")
        least = build.present("lte", number, p.Lit(t.FLOAT64, 0.0))
        return _case([(least, _null(t.FLOAT64))], found)

    return made


def _whole(name: str) -> Build:
    """`floor` and `ceil`: a bigint of an integer or a float, a decimal without digits behind the point of a decimal."""

    def made(a: p.Rex) -> p.Rex:
        if isinstance(a.type, t.Integer):
            return cast(a, t.INT64)
        if isinstance(a.type, t.Decimal):
            precision, scale = digits(a.type)
            return cast(standard_call(name, a), bounded(precision - scale + 1, 0)) if scale else a
        return cast(standard_call(name, cast(a, t.FLOAT64)), t.INT64)

    return made


def _round(a: p.Rex, count: p.Rex | None = None) -> p.Rex:
    places = 0 if count is None else _constant(count, "round")
    if isinstance(a.type, t.Integer):
        if places >= 0:
            return a
        raise refuse("'round' of an integer before its point")
    if not isinstance(a.type, t.Decimal):
        return datafusion_call("round", t.proper(a.type), a, p.Lit(t.INT32, places))
    precision, scale = digits(a.type)
    if places < 0:
        raise refuse("'round' of a decimal before its point")
    kept = min(places, scale)
    rounded = build.present("round", a, p.Lit(t.INT32, kept))
    return cast(rounded, t.Decimal(min(38, precision - scale + 1 + kept), kept))


def _constant(rex: p.Rex, name: str) -> int:
    if not isinstance(rex, p.Lit) or not isinstance(rex.value, int):
        raise refuse(f"'{name}' with a number that is not a constant")
    return rex.value


# ---------------------------------------------------------------------------------------------------------------------
# Comparisons, conditions


def _null(type_: t.Type) -> p.Lit:
    return p.Lit(t.absent(type_, nullable=True), None)


def _compare(name: str) -> Build:
    def made(a: p.Rex, b: p.Rex) -> p.Rex:
        one, other = alike([a, b])
        if name in _SAME_FOR_NAN or not (_is_float(one) or _is_float(other)):
            return build.present(name, one, other)
        number = other if name in ("lt", "lte") else one  # NaN is greater than all numbers: not less than this one
        if isinstance(number, p.Lit) and number.value is not None and number.value == number.value:
            return build.present(name, one, other)
        return datafusion_call(name, t.BOOL, one, other)

    return made


#: `=` and `<>` take NaN for one value, as Spark does.
_SAME_FOR_NAN = ("eq", "ne")


def _null_safe(a: p.Rex, b: p.Rex) -> p.Rex:
    one, other = alike([a, b])
    return standard_call("is_not_distinct_from", one, other)


def _among(value: p.Rex, *options: p.Rex) -> p.Rex:
    one, *others = alike([value, *options])
    return build.present("in_collection", one, build.collection(t.Array, others))


def _case(branches: Sequence[tuple[p.Rex, p.Rex]], default: p.Rex | None) -> p.Case:
    results = [then for _, then in branches] + ([] if default is None else [default])
    type_ = reduce(common_type, (one.type for one in results))
    nullable = default is None or any(one.type.nullable for one in results)
    made = tuple(p.Branch(when, cast(then, type_)) for when, then in branches)
    last = _null(type_) if default is None else cast(default, type_)
    return p.Case(t.absent(type_, nullable=nullable), None, made, default=last)


def _when(*args: p.Rex) -> p.Rex:
    pairs = [(args[i], args[i + 1]) for i in range(0, len(args) - 1, 2)]
    return _case(pairs, args[-1] if len(args) % 2 else None)


def coalesce(*args: p.Rex) -> p.Rex:
    """The first value that is not NULL."""
    made = alike(args)
    type_ = t.absent(made[0].type, nullable=all(one.type.nullable for one in made))
    return build.exactly(build.call("coalesce", *made), type_) if len(made) > 1 else made[0]


def is_nan(rex: p.Rex) -> p.Rex:
    """Is the value NaN? False of NULL."""
    return coalesce(standard_call("is_nan", rex), p.Lit(t.BOOL, False)) if _is_float(rex) else p.Lit(t.BOOL, False)


def _is_null(rex: p.Rex) -> p.Rex:
    return build.present("is_null", rex)


def _not(rex: p.Rex) -> p.Rex:
    return build.present("not", rex)


def _null_if(a: p.Rex, b: p.Rex) -> p.Rex:
    return _case([(_compare("eq")(a, b), _null(a.type))], a)


def _logic(name: str) -> Build:
    return lambda a, b: build.present(name, a, b)


def _extreme(name: str) -> Build:
    def made(*args: p.Rex) -> p.Rex:
        values = alike(args)
        return datafusion_call(name, values[0].type, *values, nullable=all(one.type.nullable for one in values))

    return made


# ---------------------------------------------------------------------------------------------------------------------
# Text


def _text(rex: p.Rex) -> p.Rex:
    return rex if isinstance(rex.type, t.Text) else cast(rex, t.STRING)


def _of_text(name: str, **options: str) -> Build:
    return lambda *args: standard_call(name, *map(_text, args), **options)


def _length(name: str) -> Build:
    return lambda a: cast(standard_call(name, _text(a)), t.INT32)


def _trim(name: str) -> Build:
    """Spark trims spaces only. With two arguments the first is what is trimmed."""
    return lambda a, b=None: standard_call(name, _text(a), p.Lit(t.STRING, " ") if b is None else _text(b))


def _like(negated: bool = False) -> Build:
    def made(a: p.Rex, pattern: p.Rex, escape: p.Rex | None = None) -> p.Rex:
        plain = escape is None and isinstance(pattern, p.Lit) and "\\" not in str(pattern.value)
        sign = escape or p.Lit(t.STRING, "\\")
        return build.present("like", _text(a), pattern, *([] if plain else [sign]))

    return made


def _substring(a: p.Rex, start: p.Rex, count: p.Rex | None = None) -> p.Rex:
    """Places count from 1, and 0 means 1."""
    first = _constant(start, "substring")
    if first < 0:
        raise refuse("'substring' from the end", "right(text, n) gives the end of a text")
    place = p.Lit(t.INT32, max(first, 1))
    return standard_call("substring", _text(a), place, *([] if count is None else [cast(count, t.INT32)]))


def _place(part_first: bool) -> Build:
    return lambda a, b: datafusion_call("strpos", t.INT32, *map(_text, (b, a) if part_first else (a, b)))


def _datafusion(name: str, returns: t.Type) -> Build:
    return lambda *args: datafusion_call(name, returns, *args)


# ---------------------------------------------------------------------------------------------------------------------
# Dates


def _part(component: str, indexed: bool = True) -> Build:
    def made(a: p.Rex) -> p.Rex:
        if isinstance(a.type, t.Text):
            a = cast(a, t.DATE)
        if isinstance(a.type, t.Timestamp) and a.type.zone:
            raise refuse(
                f"'{component.lower()}' of a timestamp",
                "it depends on the zone of the session: cast it to timestamp_ntz",
            )
        return cast(standard_call("extract", component, *(["ONE"] if indexed else []), a), t.INT32)

    return made


def _day(rex: p.Rex) -> p.Rex:
    if isinstance(rex.type, t.Timestamp) and rex.type.zone:
        raise refuse("the day of a timestamp", "it depends on the zone of the session: cast it to timestamp_ntz")
    return cast(rex, t.DATE)


def _moved(name: str) -> Build:
    return lambda day, count: datafusion_call(name, t.DATE, _day(day), cast(count, t.INT32))


def _trunc(day: p.Rex, unit: p.Rex) -> p.Rex:
    units = {"year": "year", "yyyy": "year", "yy": "year", "quarter": "quarter", "month": "month", "mon": "month"}
    units |= {"mm": "month", "week": "week"}
    given = str(unit.value).lower() if isinstance(unit, p.Lit) else ""
    if given not in units:
        raise refuse(f"'trunc' to '{given}'")
    return datafusion_call("date_trunc", t.DATE, p.Lit(t.STRING, units[given]), _day(day))


def _make_date(*parts: p.Rex) -> p.Rex:
    return datafusion_call("make_date", t.DATE, *(cast(one, t.INT32) for one in parts))


# ---------------------------------------------------------------------------------------------------------------------
# Arrays and structs


def _array(*args: p.Rex) -> p.Rex:
    if not args:
        raise refuse("an empty 'array'")
    return build.collection(t.Array, alike(args))


def _size(a: p.Rex) -> p.Rex:
    return datafusion_call("array_length", t.INT32, a)


def _contains_element(a: p.Rex, value: p.Rex) -> p.Rex:
    element = a.type.element if isinstance(a.type, t.Array) else t.ANY
    return datafusion_call("array_contains", t.BOOL, a, cast(value, t.proper(element)), nullable=True)


def _same_array(name: str) -> Build:
    return lambda a, *others: datafusion_call(name, a.type, a, *others)


def field_of(rex: p.Rex, key: p.Rex) -> p.Rex:
    """`column.field`, `column["field"]`, `column[0]`."""
    if isinstance(rex.type, t.Struct) and isinstance(key, p.Lit):
        known = [one.name for one in rex.type.fields if (one.name or "").lower() == str(key.value).lower()]
        if len(known) == 1 and known[0] is not None:
            found = attribute(rex, known[0])
            return build.exactly(found, found.type)
        raise refuse(f"the field '{key.value}', which the column does not have")
    raise refuse(f"an element of a {t.proper(rex.type)}", "explode the array, or ask for a field of a struct")


def struct_of(names: Sequence[str], args: Sequence[p.Rex]) -> p.Rex:
    return build.struct(zip(names, args, strict=True))


def _named_struct(*args: p.Rex) -> p.Rex:
    names = [str(one.value) for one in args[::2] if isinstance(one, p.Lit)]
    return struct_of(names, args[1::2])


FUNCTIONS: dict[str, Build] = {
    **{sign: _arithmetic(name) for sign, name in (("+", "add"), ("-", "subtract"), ("*", "multiply"))},
    "/": _divide,
    "%": _remainder,
    "mod": _remainder,
    "div": _quotient,
    "negative": _checked("negate"),
    "positive": lambda a: a,
    "abs": _checked("abs"),
    **dict.fromkeys(("sign", "signum"), _of_double("sign")),
    **{name: _of_double(name) for name in ("exp", "sin", "cos", "tan", "atan", "atan2", "sinh", "cosh", "tanh")},
    **{name: _of_double(name) for name in ("degrees", "radians")},
    "sqrt": lambda a: standard_call("sqrt", cast(a, t.FLOAT64), on_domain_error="NAN"),
    **{name: lambda a, b: _of_double("power")(a, b) for name in ("power", "pow")},
    **{name: _positive_only(standard) for name, standard in (("ln", "ln"), ("log10", "log10"), ("log2", "log2"))},
    "floor": _whole("floor"),
    **{name: _whole("ceil") for name in ("ceil", "ceiling")},
    "round": _round,
    **{sign: _compare(name) for sign, name in (("==", "eq"), ("=", "eq"), ("!=", "ne"), ("<", "lt"), ("<=", "lte"))},
    **{sign: _compare(name) for sign, name in ((">", "gt"), (">=", "gte"))},
    **dict.fromkeys(("<=>", "equal_null"), _null_safe),
    "in": _among,
    "and": _logic("and"),
    "or": _logic("or"),
    **dict.fromkeys(("not", "!"), _not),
    "isnull": _is_null,
    "isnotnull": lambda a: _not(_is_null(a)),
    "isnan": is_nan,
    "when": _when,
    "if": _when,
    **dict.fromkeys(("coalesce", "ifnull", "nvl"), coalesce),
    "nvl2": lambda a, b, c: _case([(_not(_is_null(a)), b)], c),
    "nullif": _null_if,
    "nanvl": lambda a, b: _case([(is_nan(a), b)], a),
    "greatest": _extreme("greatest"),
    "least": _extreme("least"),
    **dict.fromkeys(("upper", "ucase"), _of_text("upper")),
    **dict.fromkeys(("lower", "lcase"), _of_text("lower")),
    **dict.fromkeys(("length", "char_length", "character_length", "len"), _length("char_length")),
    "octet_length": _length("octet_length"),
    "concat": _of_text("concat", null_handling="ACCEPT_NULLS"),
    "concat_ws": lambda *args: datafusion_call(
        "concat_ws", t.STRING, *map(_text, args), nullable=args[0].type.nullable
    ),
    **{name: _trim(name) for name in ("ltrim", "rtrim", "trim")},
    "like": _like(),
    "startswith": _of_text("starts_with"),
    "endswith": _of_text("ends_with"),
    "contains": _of_text("contains"),
    **dict.fromkeys(("substring", "substr"), _substring),
    "replace": lambda a, b, c=None: standard_call(
        "replace", _text(a), _text(b), p.Lit(t.STRING, "") if c is None else c
    ),
    "repeat": lambda a, count: standard_call("repeat", _text(a), cast(count, t.INT64)),
    "reverse": lambda a: _of_text("reverse")(a),
    "instr": _place(False),
    "position": _place(True),
    "lpad": _datafusion("lpad", t.STRING),
    "rpad": _datafusion("rpad", t.STRING),
    "translate": _datafusion("translate", t.STRING),
    "levenshtein": _datafusion("levenshtein", t.INT32),
    "ascii": _datafusion("ascii", t.INT32),
    "soundex": _datafusion("soundex", t.STRING),
    "year": _part("YEAR", False),
    "month": _part("MONTH"),
    **dict.fromkeys(("day", "dayofmonth"), _part("DAY")),
    "quarter": _part("QUARTER"),
    "dayofyear": _part("DAY_OF_YEAR"),
    "weekofyear": _part("ISO_WEEK"),
    **dict.fromkeys(("date_add", "dateadd"), _moved("date_add")),
    "date_sub": _moved("date_sub"),
    "add_months": _moved("add_months"),
    **dict.fromkeys(("datediff", "date_diff"), lambda a, b: datafusion_call("date_diff", t.INT32, _day(a), _day(b))),
    "last_day": lambda a: datafusion_call("last_day", t.DATE, _day(a)),
    "to_date": lambda a: _day(a),
    "trunc": _trunc,
    "make_date": _make_date,
    "unix_date": lambda a: datafusion_call("unix_date", t.INT32, _day(a)),
    "array": _array,
    **dict.fromkeys(("size", "cardinality", "array_size"), _size),
    "array_contains": _contains_element,
    "array_distinct": _same_array("array_distinct"),
    "named_struct": _named_struct,
}
