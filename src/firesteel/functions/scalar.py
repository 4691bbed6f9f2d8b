"""The rows of operators and similar functions: arithmetic, comparison, logic, NULL and MISSING, types."""

from __future__ import annotations

from typing import Any

from firesteel.functions.catalog import Function, fn, own
from firesteel.functions.properties import Fails, Lazy

#: What `<`, `<=`, `>` and `>=` compare: two values of the same family.
_ORDERED = (
    "(number, number) -> bool",
    "(text, text) -> bool",
    "(bool, bool) -> bool",
    "(date, date) -> bool",
    "(time, time) -> bool",
    "(timestamp, timestamp) -> bool",
    "(any, any) -> bool~",
)

#: An interval can be added to a date, a time or a timestamp. An interval of months cannot be added to a time, nor to an
#: interval of seconds.
_MOVED = (
    "(interval, interval) -> interval~",
    "(date, interval) -> date",
    "(time, interval) -> time~",
    "(timestamp, interval) -> timestamp",
)
_MOVED_FROM_THE_RIGHT = (
    "(interval, date) -> date",
    "(interval, time) -> time~",
    "(interval, timestamp) -> timestamp",
)
_APART = (
    "(date, date) -> day_time",
    "(time, time) -> day_time",
    "(timestamp, timestamp) -> day_time",
    "(date, timestamp) -> day_time",
    "(timestamp, date) -> day_time",
)
_AMONG = "(any, collection) -> bool"
#: The operands of `between`: the value and both bounds are of the same family.
_BETWEEN = (
    "(number, number, number) -> bool",
    "(text, text, text) -> bool",
    "(bool, bool, bool) -> bool",
    "(date, date, date) -> bool",
    "(time, time, time) -> bool",
    "(timestamp, timestamp, timestamp) -> bool",
)
_NUMBERS = "(number, number) -> numeric"
_SCALED = "(interval, number) -> interval"
_PLACES = ("(number) -> numeric", "(number, int) -> numeric")
#: A row of a function that fails only for arguments of other types.
_FIT: dict[str, Any] = {"fails": Fails.WRONG_TYPES}
_NUMBER_OR_INTERVAL = ("(number) -> numeric", "(interval) -> interval")

#: Functions of one float.
_REAL = {
    "sin": "The sine of an angle in radians.",
    "cos": "The cosine of an angle in radians.",
    "tan": "The tangent of an angle in radians.",
    "asin": "The angle in radians that has this sine.",
    "acos": "The angle in radians that has this cosine.",
    "atan": "The angle in radians that has this tangent.",
    "degrees": "An angle in radians, in degrees.",
    "radians": "An angle in degrees, in radians.",
    "cbrt": "The cube root.",
}

ARITHMETIC: tuple[Function, ...] = (  # overflow and division by zero are errors in both modes
    fn("plus", (_NUMBERS, *_MOVED, *_MOVED_FROM_THE_RIGHT), "The sum.", partiql=("+",), fails=Fails.OVERFLOW),
    fn("minus", (_NUMBERS, *_MOVED, *_APART), "The difference.", partiql=("-",), fails=Fails.OVERFLOW),
    fn(
        "times",
        (_NUMBERS, _SCALED, "(number, interval) -> interval"),
        "The product.",
        partiql=("*",),
        fails=Fails.OVERFLOW,
    ),
    fn("divide", (_NUMBERS, _SCALED), "The quotient; of integers, truncated.", partiql=("/",), fails=Fails.DIVISION),
    fn("modulo", _NUMBERS, "The remainder, with the sign of the dividend.", partiql=("%", "mod"), fails=Fails.DIVISION),
    fn("neg", _NUMBER_OR_INTERVAL, "The number with the other sign.", fails=Fails.OVERFLOW),
    fn("pos", ("(number) -> same", "(interval) -> same"), "The number.", fails=Fails.OVERFLOW),
    fn("abs", _NUMBER_OR_INTERVAL, "The absolute value.", partiql=("abs",), fails=Fails.OVERFLOW),
    fn("ceiling", "(number) -> numeric", "The least integer that is not below.", partiql=("ceiling", "ceil")),
    fn("floor", "(number) -> numeric", "The greatest integer that is not above.", partiql=("floor",)),
    fn("sqrt", "(number) -> float", "The square root.", partiql=("sqrt",)),
    fn("exp", "(number) -> float", "Euler's number to that power.", partiql=("exp",)),
    fn("ln", "(number) -> float", "The natural logarithm.", partiql=("ln",)),
    fn("power", "(number, number) -> float", "The first to the power of the second.", partiql=("power", "pow")),
    fn("log10", "(number) -> float", "The logarithm to base 10.", partiql=("log10",)),
    fn("log2", "(number) -> float", "The logarithm to base 2.", partiql=("log2",)),
    *(fn(name, "(number) -> float", doc, partiql=(name,)) for name, doc in _REAL.items()),
    fn("atan2", "(number, number) -> float", "The angle of the point (second, first), in radians.", partiql=("atan2",)),
    fn("sign", "(number) -> numeric", "-1, 0 or 1, of the number's own type; NaN of NaN.", partiql=("sign",), **_FIT),
    fn(
        "round",
        _PLACES,
        "To so many digits behind the point (0), or with a negative number before it. Half goes away from zero.",
        partiql=("round",),
        fails=Fails.OVERFLOW,
    ),
    fn(
        "trunc",
        _PLACES,
        "Cut to so many digits behind the point (0), or with a negative number before it.",
        partiql=("trunc", "truncate"),
        **_FIT,
    ),
)

COMPARISON: tuple[Function, ...] = (
    own(
        "eq",
        "(any, any) -> bool",
        "Deep equality; NULL if either is NULL or MISSING.",
        partiql=("=",),
        fails=Fails.NEVER,
        by_value=True,
    ),
    own("ne", "(any, any) -> bool", "Not `eq`.", partiql=("<>", "!="), fails=Fails.NEVER, by_value=True),
    fn(
        "lt",
        _ORDERED,
        "Less; MISSING for types that do not compare.",
        partiql=("<",),
        fails=Fails.WRONG_TYPES,
        by_value=True,
    ),
    fn("lte", _ORDERED, "Less or equal.", partiql=("<=",), fails=Fails.WRONG_TYPES, by_value=True),
    fn("gt", _ORDERED, "Greater.", partiql=(">",), fails=Fails.WRONG_TYPES, by_value=True),
    fn("gte", _ORDERED, "Greater or equal.", partiql=(">=",), fails=Fails.WRONG_TYPES, by_value=True),
    fn(
        "between",
        "(any, any, any) -> bool~",
        "At least the second and at most the third.",
        fails=Fails.WRONG_TYPES,
        sure=_BETWEEN,
        by_value=True,
    ),
    own(
        "in_collection",
        "(any, any) -> bool",
        "Is the first among the second?",
        "null missing",
        partiql=("in",),
        fails=Fails.WRONG_TYPES,
        sure=_AMONG,
        by_value=True,
        compares=("eq", "any"),
    ),
    *(
        own(
            f"{name}_{quantifier}",
            "(any, any) -> bool",
            f"Does `{name}` hold for {which} element?",
            "null missing",
            fails=Fails.WRONG_TYPES if name in ("eq", "ne") else Fails.FORGIVEN,
            sure=_AMONG,
            compares=(name, quantifier),
        )
        for name in ("eq", "ne", "lt", "lte", "gt", "gte")
        for quantifier, which in (("any", "an"), ("all", "every"))
    ),
)


def _logic(name: str, signature: str, doc: str, absent: str = "null missing", **more: object) -> Function:
    """A row that takes any arguments, of which only booleans are never a type error."""
    return own(name, signature, doc, absent, fails=Fails.WRONG_TYPES, sure="(bool...) -> bool", **more)


LOGIC: tuple[Function, ...] = (  # SQL's three-valued logic; MISSING counts as NULL
    _logic("and", "(any...) -> bool", "All are true.", partiql=("and",), lazy=Lazy.UNTIL_FALSE),
    _logic("or", "(any...) -> bool", "One is true.", partiql=("or",), lazy=Lazy.UNTIL_TRUE),
    _logic("not", "(any) -> bool", "The other truth.", partiql=("not",)),
    _logic("is_true", "(any) -> bool", "True, and not false or absent.", "missing"),
    _logic("is_false", "(any) -> bool", "False, and not true or absent.", "missing"),
)

ABSENCE: tuple[Function, ...] = (
    own("is_null", "(any) -> bool", "NULL or MISSING.", "", fails=Fails.NEVER, by_value=True, asks_for_presence=True),
    own("is_missing", "(any) -> bool", "MISSING.", "", fails=Fails.NEVER, by_value=True, asks_for_presence=True),
    own(
        "coalesce",
        "(any...) -> either",
        "The first that is neither NULL nor MISSING.",
        "null missing",
        partiql=("coalesce",),
        fails=Fails.NEVER,
        lazy=Lazy.UNTIL_PRESENT,
    ),
    *(
        own(
            name,
            "(any, any...) -> either",
            f"The {name} of values that compare; NULL or MISSING if one is.",
            "args missing",
            partiql=(name,),
            fails=Fails.FORGIVEN,
        )
        for name in ("greatest", "least")
    ),
    own(
        "nullif",
        "(any, any) -> same",
        "The first, NULL if both are equal.",
        "null missing",
        partiql=("nullif",),
        fails=Fails.NEVER,
    ),
)

TYPES: tuple[Function, ...] = (
    own("is_type", "(any, type) -> bool", "Is the value of the type?", "", fails=Fails.NEVER),
    fn("cast", "(any, type) -> target~", "The value as the type.", partiql=("cast",)),
    own("can_cast", "(any, type) -> bool", "Is there such a value of the type?", "", fails=Fails.NEVER),
    own(
        "can_lossless_cast",
        "(any, type) -> bool",
        "Is there such a value of the type, and a way back?",
        "",
        fails=Fails.NEVER,
    ),
    fn("to_index", "(int) -> int~", "The value as the index of a path, which is an integer.", fails=Fails.FORGIVEN),
)

SCALARS: tuple[Function, ...] = (*ARITHMETIC, *COMPARISON, *LOGIC, *ABSENCE, *TYPES)
