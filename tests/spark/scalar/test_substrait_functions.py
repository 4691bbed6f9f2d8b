"""Substrait's functions on Spark give what the reference evaluator gives: over columns with NULLs and odd values, and
with literals, which are compiled another way."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import pytest

from firesteel.errors import EvaluationError
from firesteel.evaluate import evaluate
from firesteel.functions import Kind
from firesteel.functions import substrait as standard
from firesteel.spark import SparkEngine
from firesteel.spark.core.expr import Expr, reference
from firesteel.spark.core.limits import CONNECT
from firesteel.spark.core.literals import literal, typed_literal
from firesteel.spark.core.scope import Run, Scope, Stages
from firesteel.spark.encoding.failures import Failures
from firesteel.spark.relations.window_functions import WINDOWS
from firesteel.spark.scalar.functions import UNSUPPORTED
from firesteel.spark.scalar.substrait import SCALARS
from firesteel.spark.scalar.substrait.aggregates import AGGREGATES
from firesteel.values import Interval
from tests.spark.helpers import p, t
from tests.spark.standard import (
    COLUMNS,
    NULLABLE,
    Word,
    column,
    compare,
    i32,
    i64,
    made,
    native,
    of,
    plan,
    rex,
    scan,
    stamp,
    text,
    unsigned,
)

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def engine(spark: Any) -> Iterator[SparkEngine]:
    with native(spark) as found:
        yield found


ROUNDINGS = (
    *("TIE_TO_EVEN", "TIE_AWAY_FROM_ZERO", "TRUNCATE", "CEILING", "FLOOR", "AWAY_FROM_ZERO", "TIE_DOWN", "TIE_UP"),
    *("TIE_TOWARDS_ZERO", "TIE_TO_ODD"),
)

NUMBERS = [
    *(
        of(f"arithmetic:{name}", "i8", "j8", overflow=how)
        for name in ("add", "subtract", "multiply")
        for how in ("SATURATE", "SILENT")
    ),
    *(of(f"arithmetic:{name}", "i64", "j64", overflow="SATURATE") for name in ("add", "subtract", "multiply")),
    *(of(f"arithmetic:{name}", "i32", "n") for name in ("add", "subtract", "multiply", "divide", "modulus")),
    of("arithmetic:divide", "i8", "j8", overflow="SATURATE"),
    of("arithmetic:modulus", "i8", "j8", division_type="FLOOR"),
    *(of(f"arithmetic:{name}", "i8", overflow="SATURATE") for name in ("negate", "abs")),
    *(of(f"arithmetic:{name}", "f", "g") for name in ("add", "subtract", "multiply", "divide")),
    of("arithmetic:divide", "f", "g", on_division_by_zero="LIMIT"),
    of("arithmetic:divide", "f", "g", on_division_by_zero="NULL"),
    of("arithmetic:divide", "f", "g", on_domain_error="NULL"),
    *(
        of(f"arithmetic:{name}", "f")
        for name in ("negate", "abs", "sign", "exp", "sin", "atan", "tanh", "asinh", "degrees")
    ),
    *(of(f"arithmetic:{name}", "f", on_domain_error="NAN") for name in ("sqrt", "acos", "asin", "acosh", "atanh")),
    *(of(f"arithmetic:{name}", "h") for name in ("acos", "asin", "atanh", "cosh", "radians")),
    of("arithmetic:sqrt", "i64", on_domain_error="NAN"),
    of("arithmetic:atan2", "g", "h"),
    of("arithmetic:sign", "i64"),
    of("arithmetic:power", "j64", "k64"),
    of("arithmetic:power", "i64", "j64", overflow="SATURATE"),
    of("arithmetic:power", "g", "h"),
    of("arithmetic:factorial", "k64"),
    *(of(f"arithmetic:bitwise_{name}", "i8", "j8") for name in ("and", "or", "xor")),
    of("arithmetic:bitwise_not", "i64"),
    *(of(f"arithmetic:{name}", "i64", "n") for name in ("shift_left", "shift_right", "shift_right_unsigned")),
    *(of(f"logarithmic:{name}", "f", on_log_zero="MINUS_INFINITY") for name in ("ln", "log10", "log2", "log1p")),
    of("logarithmic:ln", "g"),
    of("logarithmic:ln", "i64", on_domain_error="NULL"),
    of("logarithmic:logb", "h", "f"),
    of("logarithmic:logb", "d", "e"),
    *(of(f"rounding:{name}", "f") for name in ("ceil", "floor")),
    *(of("rounding:round", "j8", i32(-1), rounding=how) for how in ROUNDINGS),
    of("rounding:round", "j64", "n"),
    of("rounding:round", "r", i32(2)),
    of("rounding:round", "f", i32(1), rounding="TIE_TO_EVEN"),
    *(of("rounding_decimal:round", "e", i32(2), rounding=how) for how in ROUNDINGS),
    of("rounding_decimal:round", "e", "n"),
    *(of(f"rounding_decimal:{name}", "d") for name in ("ceil", "floor")),
    *(of(f"arithmetic_decimal:{name}", "d", "e") for name in ("add", "subtract", "multiply", "divide", "modulus")),
    *(of(f"arithmetic_decimal:{name}", "w", "d", overflow="SATURATE") for name in ("add", "multiply")),
    *(of(f"arithmetic_decimal:{name}", "w") for name in ("negate", "abs")),
    of("arithmetic_decimal:negate", "d"),
    *(of(f"arithmetic_decimal:bitwise_{name}", "w", "w") for name in ("and", "or", "xor")),
    of("arithmetic_decimal:power", "d", "e"),
    *(
        of(f"unsigned_integers:{name}", "u8", "v8", overflow=how)
        for name in ("add", "subtract", "multiply")
        for how in ("SATURATE", "SILENT")
    ),
    *(of(f"unsigned_integers:{name}", "u64", "v64", overflow="SATURATE") for name in ("add", "subtract", "multiply")),
    of("unsigned_integers:divide", "u64", "v64"),
    of("unsigned_integers:divide", "u8", "v8"),
]


def test_numbers(engine: SparkEngine) -> None:
    compare(engine, [p.Call(*made(call)) for call in NUMBERS], NUMBERS)


LOGIC = [
    *(
        of(f"comparison:{name}", a, b)
        for name in ("equal", "not_equal", "lt", "lte", "gt", "gte")
        for a, b in (("i8", "j8"), ("f", "g"), ("u8", "v8"), ("u64", "v64"), ("id", "id"), ("day", "day"))
    ),
    *(
        of(f"comparison:{name}", "i8", "j8")
        for name in (
            "is_distinct_from",
            "is_not_distinct_from",
            "nullif",
            "coalesce",
            "least",
            "greatest",
            "least_skip_null",
            "greatest_skip_null",
        )
    ),
    *(
        of(f"comparison:{name}", "f", "g")
        for name in ("is_not_distinct_from", "nullif", "coalesce", "least", "greatest", "greatest_skip_null")
    ),
    of("comparison:is_not_distinct_from", "span", "span"),
    of("comparison:between", "i8", "j8", "i8"),
    *(
        of(f"comparison:{name}", "b")
        for name in ("is_true", "is_not_true", "is_false", "is_not_false", "is_null", "is_not_null")
    ),
    *(of(f"comparison:{name}", "f") for name in ("is_nan", "is_finite", "is_infinite")),
    *(of(f"boolean:{name}", "b", "c") for name in ("and", "or", "xor", "and_not")),
    of("boolean:and"),
    of("boolean:or", "b"),
    of("boolean:not", "b"),
    *(of(f"datetime:{name}", a, a) for name in ("lt", "gte") for a in ("ts", "tz", "day", "span", "months")),
    *(
        of("list:sort", name, direction=how)
        for name in ("ints", "floats")
        for how in ("ASC_NULLS_FIRST", "ASC_NULLS_LAST", "DESC_NULLS_FIRST", "DESC_NULLS_LAST")
    ),
    of("list:cardinality", "ints"),
    of("set:index_in", "i32", "ints"),
    of("set:index_in", "g", "floats", nan_equality="NAN_IS_NOT_NAN"),
]


def test_logic(engine: SparkEngine) -> None:
    compare(engine, [p.Call(*made(call)) for call in LOGIC], LOGIC)


TEXT = [
    *(
        of(f"string:{name}", "s")
        for name in (
            "lower",
            "upper",
            "swapcase",
            "capitalize",
            "title",
            "initcap",
            "reverse",
            "char_length",
            "octet_length",
            "bit_length",
        )
    ),
    *(of(f"string:{name}", "s", char_set="ASCII_ONLY") for name in ("lower", "upper", "swapcase")),
    *(
        of(f"string:{name}", "s", "u", case_sensitivity=how)
        for name in ("starts_with", "ends_with", "contains", "strpos", "count_substring", "like")
        for how in ("CASE_SENSITIVE", "CASE_INSENSITIVE", "CASE_INSENSITIVE_ASCII")
    ),
    of("string:count_substring", "s", text("")),
    of("string:like", "s", text("%o_\\%")),
    of("string:like", "s", text("%X_X%")),
    *(of("string:concat", "s", "u", null_handling=how) for how in ("IGNORE_NULLS", "ACCEPT_NULLS")),
    of("string:concat", "s", "u"),
    of("string:concat_ws", "u", "s", "u"),
    *(
        of("string:substring", "s", start, length, negative_start=how)
        for start in ("n", i32(-3), i32(0), i32(2))
        for length in (i32(2), i32(100))
        for how in ("WRAP_FROM_END", "LEFT_OF_BEGINNING")
    ),
    of("string:substring", "s", "n"),
    *(of(f"string:{name}", "s", count) for name in ("left", "right") for count in ("n", i32(2))),
    *(of(f"string:{name}", "s", "n", "u") for name in ("lpad", "rpad", "center")),
    of("string:center", "s", i32(16), text("*"), padding="LEFT"),
    *(of(f"string:{name}", "s", "u") for name in ("trim", "ltrim", "rtrim")),
    of("string:replace", "s", "u", text("$1\\")),
    of("string:replace", "s", "u", text("$1\\"), case_sensitivity="CASE_INSENSITIVE"),
    of("string:replace", "s", text("o"), text(None)),
    of("string:replace_slice", "s", "j64", "k64", text("--")),
    of("string:repeat", "s", "j64"),
    of("string:string_split", "s", "u"),
    of("string:string_split", "s", text("X")),
    of("string:string_split", "s", text("")),
    of("string:regexp_match_substring", "s", text(r"[aeiou]\w")),
    of("string:regexp_match_substring", "s", text(r"([a-z])(.)"), i64(2), i64(2), i64(1)),
    of(
        "string:regexp_match_substring", "s", text(r"(O)(.)"), "k64", "k64", i64(2), case_sensitivity="CASE_INSENSITIVE"
    ),
    of("string:regexp_match_substring_all", "s", text(r"\w+"), i64(1), i64(0)),
    of("string:regexp_count_substring", "s", text(r"\W")),
    of("string:regexp_strpos", "s", text("[oX]"), i64(1), i64(1)),
    of("string:regexp_strpos", "s", text("[oX]"), i64(3), i64(2)),
    of("string:regexp_replace", "s", text(r"(\w)(\w)"), text(r"<\2$1\1>")),
    of("string:regexp_replace", "s", text(r"[a-z]"), text("-"), i64(3), i64(1)),
    of("string:regexp_string_split", "s", text(r"\s+|X")),
]


def test_text(engine: SparkEngine) -> None:
    compare(engine, [p.Call(*made(call)) for call in TEXT], TEXT)


PARTS = ("YEAR", "ISO_YEAR", "US_YEAR")
COUNTED = (
    *("QUARTER", "MONTH", "DAY", "DAY_OF_YEAR", "MONDAY_DAY_OF_WEEK", "SUNDAY_DAY_OF_WEEK", "MONDAY_WEEK"),
    *("SUNDAY_WEEK", "ISO_WEEK", "US_WEEK"),
)
CLOCK = ("HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "SUBSECOND")
ZONE = text("America/New_York")
ORIGIN = stamp("2000-01-31T12:00:00")

TIME = [
    *(of("datetime:extract", Word(part), name) for part in (*PARTS, "UNIX_TIME") for name in ("ts", "day")),
    *(
        of("datetime:extract", Word(part), "tz", ZONE)
        for part in (*PARTS, *CLOCK, "UNIX_TIME", "TIMEZONE_OFFSET", "NANOSECOND")
    ),
    *(of("datetime:extract", Word(part), "ts") for part in CLOCK),
    *(of("datetime:extract", Word(part), "clock") for part in CLOCK),
    *(of("datetime:extract", Word(part), Word(how), "day") for part in COUNTED for how in ("ONE", "ZERO")),
    *(of("datetime:extract", Word(part), Word("ONE"), "tz", ZONE) for part in COUNTED[:4]),
    of("datetime:extract_boolean", Word("IS_LEAP_YEAR"), "ts"),
    of("datetime:extract_boolean", Word("IS_LEAP_YEAR"), "tz", ZONE),
    *(
        of(f"datetime:{name}", moment, by)
        for name in ("add", "subtract")
        for moment in ("ts", "tz")
        for by in ("span", (t.Interval("day_time", 6), Interval("day_time", nanos=90_061_000_001_000)))
    ),
    *(
        of(f"datetime:{name}", "ts", by)
        for name in ("add", "subtract")
        for by in ("months", (t.Interval("year_month"), Interval("year_month", 13)))
    ),
    *(of("datetime:add", moment, (t.Interval("year_month"), Interval("year_month", 1))) for moment in ("day", "ts")),
    of("datetime:add", "day", (t.Interval("day_time", 6), Interval("day_time", nanos=10**9))),
    of("datetime:add", "tz", "months", ZONE),
    of("datetime:add_intervals", "span", "span"),
    of("datetime:add_intervals", "months", "months"),
    of("datetime:multiply", "n", "span"),
    of("datetime:multiply", "n", "months"),
    of("datetime:local_timestamp", "tz", ZONE),
    of("datetime:assume_timezone", "ts", ZONE),
]


ROUNDING = [
    *(
        of("datetime:round_temporal", "ts", Word(how), Word(unit), i64(multiple), (t.Timestamp(6), ORIGIN))
        for how in ("FLOOR", "CEIL", "ROUND_TIE_DOWN", "ROUND_TIE_UP")
        for unit, multiple in (("YEAR", 1), ("MONTH", 5), ("WEEK", 2), ("HOUR", 7), ("MILLISECOND", 3))
    ),
    of("datetime:round_temporal", "day", Word("CEIL"), Word("MONTH"), "k64", (t.DATE, datetime.date(2000, 1, 31))),
    of("datetime:round_temporal", "tz", Word("FLOOR"), Word("DAY"), i64(1), ZONE, "tz"),
    *(
        of("datetime:round_calendar", "ts", Word("FLOOR"), Word(unit), Word(origin), i64(multiple))
        for unit, origin, multiple in (
            *(("MONTH", "YEAR", 5), ("DAY", "MONTH", 7), ("HOUR", "ISO_WEEK", 30), ("HOUR", "SUNDAY_WEEK", 30)),
            *(("SECOND", "HOUR", 400), ("MICROSECOND", "MILLISECOND", 300)),
        )
    ),
    of("datetime:round_calendar", "day", Word("CEIL"), Word("WEEK"), Word("YEAR"), i64(2)),
    of("datetime:round_calendar", "tz", Word("ROUND_TIE_UP"), Word("DAY"), Word("MONTH"), i64(3), ZONE),
    of("datetime:strftime", "ts", text("%Y-%m-%dT%H:%M:%S.%f|%j %y %I%p %a %A %b %B %u %w 100%% %D")),
    of("datetime:strftime", "day", text("%d/%m/%Y %H")),
    of("datetime:strftime", "tz", text("%F %T"), ZONE),
    of("datetime:strptime_date", text(" 3.2.2020".strip()), text("%d.%m.%Y")),
    of("datetime:strptime_timestamp", text("2020-02-03 4:05:06.7"), text("%Y-%m-%d %H:%M:%S.%f"), (t.INT8, 6)),
    of("datetime:strptime_timestamp", text("2020-07-03 04"), text("%Y-%m-%d %H"), ZONE, (t.INT8, 0)),
    of("datetime:strptime_timestamp", text(None), text("%Y"), (t.INT8, 3)),
]


def test_time(engine: SparkEngine) -> None:
    compare(engine, [p.Call(*made(call)) for call in (*TIME, *ROUNDING)], (*TIME, *ROUNDING))


# ---------------------------------------------------------------------------------------------------------------------
# What Substrait has as expressions


def cast(arg: Any, type_: t.Type, failure: str = "NULL") -> p.Call:
    value = rex(arg)
    params = (p.ValueParam(value.type), p.TypeParam(type_))
    fn = p.Fn(
        "expression:cast",
        p.FnOption.NONE,
        params,
        t.absent(type_, nullable=True),
        choices=(p.Choice("failure", failure),),
    )
    return p.Call(fn, (value, type_))


def expression(name: str, returns: t.Type, *args: Any) -> p.Call:
    given = tuple(rex(arg) for arg in args)
    fn = p.Fn(f"expression:{name}", p.FnOption.NONE, tuple(p.ValueParam(arg.type) for arg in given), returns)
    return p.Call(fn, given)


WRITTEN = (
    "1",
    " 12 ",
    "1.5",
    "-3e2",
    "x",
    "true",
    "2020-02-30",
    "2020-2-3",
    "2020-02-03 04:05:06.789Z",
    "300",
    "NaN",
    "",
)
CASTS: list[tuple[Any, t.Type]] = [
    *(
        (name, type_)
        for name in ("i8", "i64", "f", "d", "w", "b")
        for type_ in (t.INT8, t.INT32, t.FLOAT32, t.FLOAT64, t.Decimal(5, 1), t.BOOL, unsigned("u8"))
    ),
    *((name, t.STRING) for name in ("i8", "d", "w", "b", "s", "day", "ts", "tz", "id", "u64", "f")),
    *(
        (text(one), type_)
        for one in WRITTEN
        for type_ in (
            t.INT32,
            t.FLOAT64,
            t.Decimal(10, 2),
            t.BOOL,
            t.DATE,
            t.Timestamp(6),
            t.Timestamp(0),
            t.Timestamp(3, zone=True),
            unsigned("u8"),
        )
    ),
    ("s", t.String(4)),
    ("s", t.Char(8)),
    ("v", t.Char(3)),
    ("s", t.BLOB),
    ("day", t.Timestamp(6)),
    ("ts", t.DATE),
    ("ts", t.Timestamp(3)),
    ("ts", t.Timestamp(6, zone=True)),
    ("tz", t.Timestamp(6)),
    ("tz", t.DATE),
    ("ts", t.INT64),
    ("u64", t.INT64),
    ("r", t.Decimal(5, 2)),
    ("ints", t.Array(t.Int64(**NULLABLE))),
    ("id", t.STRING),
    (text("{123E4567E89B12D3A456426614174000}"), t.Uuid()),
]


def test_expressions(engine: SparkEngine) -> None:
    exprs: list[p.Rex] = [cast(arg, type_) for arg, type_ in CASTS]
    said: list[object] = [f"cast {arg} to {type_}" for arg, type_ in CASTS]
    more = [
        *(expression("list_element", t.Int32(**NULLABLE), "ints", at) for at in ("n", i32(0), i32(-1), i32(7))),
        expression("map_value", t.Int64(**NULLABLE), "entries", text("a")),
        expression("map_value", t.Int64(**NULLABLE), "entries", "u"),
        expression("map", t.Map(t.STRING, t.Int64(**NULLABLE)), "u", "i64"),
        *(column(name) for name in COLUMNS),
    ]
    compare(engine, [*exprs, *more], [*said, *(f"expression {i}" for i in range(len(more)))])


# ---------------------------------------------------------------------------------------------------------------------
# Errors


ERRORS = [
    of("arithmetic:add", "i8", "j8"),
    of("arithmetic:negate", "i8"),
    of("arithmetic:divide", "i8", "j8", on_division_by_zero="ERROR", overflow="SILENT"),
    of("arithmetic:sqrt", "f", on_domain_error="ERROR"),
    of("arithmetic_decimal:divide", "d", "d"),
    of("logarithmic:ln", "g", on_log_zero="ERROR"),
    of("unsigned_integers:subtract", "v8", "u8"),
    of("string:substring", "s", i32(1), "n"),
]


def test_errors(engine: SparkEngine) -> None:
    """Each names its function; the reference evaluator raises it as well."""
    for call in ERRORS:
        both = plan(p.Project((p.Call(*made(call)),), scan()), 1)
        with pytest.raises(EvaluationError):
            evaluate(both)
        with pytest.raises(EvaluationError, match=call.name):
            engine.run(both).value()
    both = plan(p.Project((cast("s", t.INT32, "THROW"),), scan()), 1)
    for run in (lambda: evaluate(both), lambda: engine.run(both).value()):
        with pytest.raises(EvaluationError, match="cannot cast"):
            run()


def test_spark_connect_has_all_that_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its columns are built without a JVM, so that this is done in no time."""
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    run = Run(None, (), True, CONNECT, Failures())  # type: ignore[arg-type]

    def compiled(arg: p.Rex | t.Type) -> Expr | t.Type:
        if isinstance(arg, p.Lit):
            return typed_literal(arg.value, arg.type) or literal(arg.value)
        return reference(arg.type, arg.steps[0].key.value) if isinstance(arg, p.Path) else arg  # type: ignore

    calls = [p.Call(*made(call)) for call in (*NUMBERS, *LOGIC, *TEXT, *TIME, *ROUNDING)]
    for call in (*calls, *(cast(arg, type_) for arg, type_ in CASTS)):
        scope = Scope(run, stages=Stages())
        found = SCALARS[call.fn.name](scope, call.fn, [compiled(arg) for arg in call.args], None)
        assert "connect" in type(found.column).__module__


def test_every_function_has_a_row_or_a_reason() -> None:
    """A time of day is read in Python. Lambdas become queries over lists."""
    python = {"datetime:strptime_time"}
    queries = {"list:transform", "list:filter"}
    for one in standard.all_declarations():
        bare = one.name.partition(":")[2]
        known: Any = {Kind.SCALAR: SCALARS, Kind.AGGREGATE: AGGREGATES}.get(one.kind, WINDOWS)
        native = (bare if one.kind is Kind.WINDOW else one.name) in known
        assert native + (one.name in standard.UNSUPPORTED) + (one.name in python | queries) == 1, one.name
    assert standard.EXPRESSIONS.keys() <= SCALARS.keys() | UNSUPPORTED.keys()
