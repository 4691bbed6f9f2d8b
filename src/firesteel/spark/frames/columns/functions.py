"""Spark's scalar functions by name: each builds the expression that means the same.

Where Substrait's standard has the function with the options that make it Spark's, the call is the standard's, so that
other consumers read it. Overflow and division by zero are errors, as in Spark's ANSI mode.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.plan.fit import attribute
from firesteel.spark.frames.base import refuse
from firesteel.spark.frames.columns.choices import (
    among,
    choice,
    coalesce,
    comparison,
    extreme,
    is_nan,
    is_null,
    junction,
    negation,
    null_if,
    null_safe,
    when,
)
from firesteel.spark.frames.columns.coercion import (
    alike,
    cast,
    datafusion_call,
    standard_call,
)
from firesteel.spark.frames.columns.numbers import (
    arithmetic,
    checked,
    constant,
    divide,
    of_double,
    positive_only,
    quotient,
    remainder,
    round,
    whole,
)

Build = Callable[..., p.Rex]

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
    first = constant(start, "substring")
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
    **{sign: arithmetic(name) for sign, name in (("+", "add"), ("-", "subtract"), ("*", "multiply"))},
    "/": divide,
    "%": remainder,
    "mod": remainder,
    "div": quotient,
    "negative": checked("negate"),
    "positive": lambda a: a,
    "abs": checked("abs"),
    **dict.fromkeys(("sign", "signum"), of_double("sign")),
    **{name: of_double(name) for name in ("exp", "sin", "cos", "tan", "atan", "atan2", "sinh", "cosh", "tanh")},
    **{name: of_double(name) for name in ("degrees", "radians")},
    "sqrt": lambda a: standard_call("sqrt", cast(a, t.FLOAT64), on_domain_error="NAN"),
    **{name: lambda a, b: of_double("power")(a, b) for name in ("power", "pow")},
    **{name: positive_only(standard) for name, standard in (("ln", "ln"), ("log10", "log10"), ("log2", "log2"))},
    "floor": whole("floor"),
    **{name: whole("ceil") for name in ("ceil", "ceiling")},
    "round": round,
    **{sign: comparison(name) for sign, name in (("==", "eq"), ("=", "eq"), ("!=", "ne"), ("<", "lt"), ("<=", "lte"))},
    **{sign: comparison(name) for sign, name in ((">", "gt"), (">=", "gte"))},
    **dict.fromkeys(("<=>", "equal_null"), null_safe),
    "in": among,
    "and": junction("and"),
    "or": junction("or"),
    **dict.fromkeys(("not", "!"), negation),
    "isnull": is_null,
    "isnotnull": lambda a: negation(is_null(a)),
    "isnan": is_nan,
    "when": when,
    "if": when,
    **dict.fromkeys(("coalesce", "ifnull", "nvl"), coalesce),
    "nvl2": lambda a, b, c: choice([(negation(is_null(a)), b)], c),
    "nullif": null_if,
    "nanvl": lambda a, b: choice([(is_nan(a), b)], a),
    "greatest": extreme("greatest"),
    "least": extreme("least"),
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
