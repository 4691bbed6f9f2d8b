"""Substrait's functions on Spark give what the reference evaluator gives: over columns with NULLs and odd values, and
with literals, which are compiled another way."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError
from firesteel.evaluate import evaluate
from firesteel.functions import Kind
from firesteel.functions import substrait as standard
from firesteel.functions.substrait import Constant, EnumValue, resolve
from firesteel.spark import SparkEngine
from firesteel.spark.substrait import SCALARS
from firesteel.spark.substrait.aggregates import AGGREGATES
from firesteel.spark.windows import WINDOWS
from firesteel.values import Bag, Interval, Struct, Time, Timestamp

from .helpers import p

pytestmark = pytest.mark.spark

URN = "extension:io.substrait:functions_{}".format
UNSIGNED = "extension:io.substrait:unsigned_integers"
NULLABLE = {"nullable": True}


def unsigned(name: str) -> t.Type:
    return t.UserDefined(UNSIGNED, name, nullable=True)


def stamp(text: str, zone: bool = False) -> Timestamp:
    found = datetime.datetime.fromisoformat(text)
    second = (Decimal(found.second) + Decimal(found.microsecond).scaleb(-6)).quantize(Decimal("0.000001"))
    offset = 0 if zone else None
    return Timestamp(found.year, found.month, found.day, found.hour, found.minute, second, offset)


#: The columns of the table: each the type and a value for every row.
COLUMNS: dict[str, tuple[t.Type, list[Any]]] = {
    "i8": (t.Int8(**NULLABLE), [100, -128, 7, None, 0]),
    "j8": (t.Int8(**NULLABLE), [100, -1, -3, 5, 0]),
    "i32": (t.Int32(**NULLABLE), [2, -7, 12, None, 0]),
    "n": (t.Int32(), [3, 0, -2, 1, 10]),
    "i64": (t.Int64(**NULLABLE), [9_223_372_036_854_775_807, -45, 3, None, 0]),
    "j64": (t.Int64(), [2, -2, 5, 1, 7]),
    "k64": (t.Int64(), [1, 2, 1, 3, 1]),
    "f": (t.Float64(**NULLABLE), [1.5, -0.25, math.nan, None, -math.inf]),
    "g": (t.Float64(), [0.0, 2.0, -1.0, 1.0, -0.0]),
    "h": (t.Float64(), [0.5, 0.1, 1.0, 0.9, 0.0]),
    "r": (t.Float32(**NULLABLE), [2.675, 0.1, -3.5, None, 0.0]),
    "d": (
        t.Decimal(10, 2, **NULLABLE),
        [Decimal("12.34"), Decimal("-0.05"), Decimal("99999999.99"), None, Decimal("0.00")],
    ),
    "e": (t.Decimal(8, 3), [Decimal("2.500"), Decimal("-7.125"), Decimal("0.001"), Decimal("1.000"), Decimal("3.000")]),
    "w": (t.Decimal(38, 0, **NULLABLE), [Decimal("9" * 38), Decimal("-" + "9" * 38), Decimal(3), None, Decimal(-1)]),
    "s": (t.String(**NULLABLE), ["Hello World", "", "aXbXc äé", None, "the cat\tand a dog"]),
    "u": (t.String(), ["l", "x", "X", "a", " "]),
    "v": (t.String(20), ["abc", "  pad ", "x", "😄y", ""]),
    "day": (
        t.Date(**NULLABLE),
        [
            datetime.date(2016, 2, 29),
            datetime.date(1999, 12, 31),
            datetime.date(2021, 1, 3),
            None,
            datetime.date(1, 1, 1),
        ],
    ),
    "ts": (
        t.Timestamp(6, **NULLABLE),
        [
            stamp("2016-02-29T13:30:15.220001"),
            stamp("1969-12-31T23:59:59.999999"),
            stamp("2024-01-31T00:00:00"),
            None,
            stamp("2000-03-26T02:30:00"),
        ],
    ),
    "tz": (
        t.Timestamp(6, zone=True, **NULLABLE),
        [
            stamp("2016-02-29T23:30:15.220001", True),
            stamp("1969-12-31T23:59:59", True),
            stamp("2024-07-01T00:00:00", True),
            None,
            stamp("2000-03-26T01:30:00", True),
        ],
    ),
    "clock": (
        t.Time(6, **NULLABLE),
        [
            Time(1, 2, Decimal("3.155000")),
            Time(23, 59, Decimal("59.999999")),
            Time(0, 0, Decimal("0.000000")),
            None,
            Time(12, 0, Decimal("1.000001")),
        ],
    ),
    "span": (
        t.Interval("day_time", 6, **NULLABLE),
        [
            Interval("day_time", nanos=86_400 * 10**9),
            Interval("day_time", nanos=-1_000),
            Interval("day_time", nanos=3_600 * 10**9),
            None,
            Interval("day_time"),
        ],
    ),
    "months": (
        t.Interval("year_month", **NULLABLE),
        [
            Interval("year_month", 1),
            Interval("year_month", -13),
            Interval("year_month", 24),
            None,
            Interval("year_month"),
        ],
    ),
    "b": (t.Bool(**NULLABLE), [True, False, None, True, None]),
    "c": (t.Bool(), [True, True, False, False, True]),
    "ints": (t.Array(t.Int32(**NULLABLE), **NULLABLE), [[3, None, 1], [], [2, 2], None, [None]]),
    "floats": (t.Array(t.Float64(**NULLABLE)), [[1.0, math.nan, None, -1.0], [], [0.0], [2.0], [None]]),
    "u8": (unsigned("u8"), [200, 0, 255, None, 7]),
    "v8": (t.UserDefined(UNSIGNED, "u8"), [100, 3, 2, 1, 0]),
    "u64": (unsigned("u64"), [2**64 - 1, 10, 3, None, 0]),
    "v64": (t.UserDefined(UNSIGNED, "u64"), [2**63, 3, 2**40, 1, 7]),
    "id": (
        t.Uuid(**NULLABLE),
        [
            "123e4567-e89b-12d3-a456-426614174000",
            "00000000-0000-0000-0000-000000000000",
            None,
            None,
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
        ],
    ),
    "entries": (
        t.Map(t.STRING, t.Int64(**NULLABLE), **NULLABLE),
        [Struct({"a": 1, "b": None}), Struct(), Struct({"x": 2}), None, Struct({"a": 3})],
    ),
}
ROW = t.Struct(tuple(t.Field(name, type_) for name, (type_, _) in COLUMNS.items()), open=False)
ROWS = [Struct([(name, items[i]) for name, (_, items) in COLUMNS.items()]) for i in range(5)]


class Word(NamedTuple):
    """An argument that is a name."""

    name: str


class Of(NamedTuple):
    """A call: arguments are names of columns, literals, or words; a literal is of the type that stands with it."""

    extension: str
    name: str
    args: tuple[Any, ...]
    options: dict[str, str]
    kind: Kind = Kind.SCALAR

    def __str__(self) -> str:
        return f"{self.extension}:{self.name}{self.args} {self.options}"


def of(name: str, *args: Any, **options: str) -> Of:
    extension, _, function = name.partition(":")
    return Of(extension, function, args, options)


def column(name: str) -> p.Rex:
    return p.Path(ROW.field(name) or t.ANY, p.Var(ROW, 0), (p.Key(p.Lit(t.STRING, name)),))


def rex(arg: Any) -> p.Rex:
    if isinstance(arg, str):
        return column(arg)
    type_, value = arg
    return p.Lit(t.absent(type_, nullable=value is None), value)


def made(call: Of) -> tuple[p.Fn, tuple[p.Rex, ...]]:
    urn = UNSIGNED if call.extension == "unsigned_integers" else URN(call.extension)
    given = [arg if isinstance(arg, Word) else rex(arg) for arg in call.args]
    asked = [
        EnumValue(arg.name)
        if isinstance(arg, Word)
        else Constant(arg.type, arg.value)
        if isinstance(arg, p.Lit)
        else arg.type
        for arg in given
    ]
    found = resolve(urn, call.name, None, call.kind, asked, [(name, (value,)) for name, value in call.options.items()])
    assert not any(found.casts), call
    rexes = tuple(arg for arg in given if isinstance(arg, p.Rex))
    params = tuple(p.ValueParam(arg.type) for arg in rexes)
    choices = tuple(p.Choice(name, value) for name, value in found.choices)
    return p.Fn(found.row.name, p.FnOption.NONE, params, found.returns, choices=choices), rexes


def scan() -> p.Rel:
    return p.Scan(p.Lit(t.Bag(ROW), Bag(ROWS)))


def plan(rel: p.Rel, width: int) -> p.Plan:
    return p.Plan(p.Root(tuple(f"c{i}" for i in range(width)), rel, mode=p.Mode.STRICT), globals=())


def alike(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-6)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(alike, a, b))
    return type(a) is type(b) and values.equal(a, b)


def compare(engine: SparkEngine, exprs: Sequence[p.Rex], said: Sequence[object]) -> None:
    """All in one job."""
    rel = p.Project((*exprs, column("n")), scan())
    both = plan(rel, len(exprs) + 1)
    answers = [sorted(found, key=lambda row: row.pairs[-1][1]) for found in (engine.run(both).value(), evaluate(both))]
    wrong = []
    for actual, expected in zip(*answers, strict=True):
        pairs = zip(said, actual.pairs, expected.pairs, strict=False)
        wrong += [f"{what}: {a!r}, not {b!r}" for what, (_, a), (_, b) in pairs if not alike(a, b)]
    assert not wrong, "\n".join(wrong)


@pytest.fixture(scope="module")
def engine(spark: Any) -> SparkEngine:
    return SparkEngine(spark, fallback="refuse")


I32, I64, STR = t.INT32, t.INT64, t.STRING


def text(value: str | None) -> tuple[t.Type, str | None]:
    return STR, value


def i32(value: int | None) -> tuple[t.Type, int | None]:
    return I32, value


def i64(value: int | None) -> tuple[t.Type, int | None]:
    return I64, value


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
    of("string:regexp_count_substring", "s", "u", "k64"),
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
# Aggregates and windows


def aggregate(
    name: str, *args: Any, distinct: bool = False, filtered: bool = False, by: str = "", **options: str
) -> p.Agg:
    call = of(name, *args, **options)._replace(kind=Kind.AGGREGATE)
    fn, given = made(call)
    order = (p.SortSpec(column(by), p.SortOrder.DESC_NULLS_LAST),) if by else ()
    return p.Agg(fn, given, distinct=distinct, filter=column("c") if filtered else None, order=order)


TOTALS = [
    *(
        aggregate(f"arithmetic:{name}", one)
        for name in ("sum", "sum0", "avg", "min", "max", "product")
        for one in ("i8", "n", "j64", "h")
        if (name, one) != ("product", "i8")
    ),
    *(
        aggregate(f"arithmetic:{name}", one, filtered=True)
        for name in ("sum", "avg", "min", "max")
        for one in ("i8", "f", "r")
    ),
    *(
        aggregate(f"arithmetic_decimal:{name}", one)
        for name in ("sum", "sum0", "avg", "min", "max")
        for one in ("d", "e")
    ),
    aggregate("arithmetic_decimal:sum", "w", overflow="SATURATE", filtered=True),
    *(aggregate(f"unsigned_integers:{name}", one) for name in ("sum", "min", "max") for one in ("u8", "v8")),
    aggregate("unsigned_integers:sum", "u64", overflow="SATURATE"),
    aggregate("arithmetic:sum", "k64", distinct=True),
    aggregate("arithmetic:avg", "h", distinct=True),
    *(
        aggregate(f"arithmetic:{name}", Word(how), "h")
        for name in ("std_dev", "variance")
        for how in ("SAMPLE", "POPULATION")
    ),
    aggregate("arithmetic:corr", "g", "h"),
    aggregate("arithmetic:mode", "k64"),
    *(aggregate("arithmetic:median", Word("EXACT"), one) for one in ("n", "j64", "h", "i8")),
    *(
        aggregate("arithmetic:quantile", Word(ends), Word("EXACT"), i64(4), "n", by="n")
        for ends in ("NEITHER", "BOTH", "MINIMUM")
    ),
    aggregate("arithmetic:quantile", Word("BOTH"), Word("EXACT"), i64(2), "i8", by="i8"),
    aggregate("aggregate_generic:count"),
    aggregate("aggregate_generic:count", filtered=True),
    aggregate("aggregate_generic:count", "i8"),
    aggregate("aggregate_generic:count", "ints"),
    aggregate("aggregate_generic:count", "k64", distinct=True, filtered=True),
    aggregate("aggregate_decimal_output:count", "i8"),
    aggregate("aggregate_decimal_output:count"),
    aggregate("aggregate_approx:approx_count_distinct", "k64"),
    *(aggregate(f"boolean:{name}", one) for name in ("bool_and", "bool_or") for one in ("b", "c")),
    *(
        aggregate(f"datetime:{name}", one)
        for name in ("min", "max")
        for one in ("day", "ts", "tz", "clock", "span", "months")
    ),
    aggregate("string:string_agg", "s", text(", "), by="n"),
    aggregate("string:string_agg", "u", text("/"), by="n", filtered=True),
]


def test_aggregates(engine: SparkEngine) -> None:
    """Of all rows, of none, and by groups."""
    totals = tuple(TOTALS)
    nothing = p.Filter(p.Call(*made(of("comparison:lt", "n", i32(-100)))), scan())
    wrong = []
    for rel, keys in ((scan(), ()), (nothing, ()), (scan(), (column("c"),))):
        both = plan(p.Aggregate(p.Strategy.FULL, totals, keys, rel), len(totals) + len(keys))
        actual, expected = (
            sorted(found, key=lambda row: str(row.pairs[0][1]) if keys else "")
            for found in (engine.run(both).value(), evaluate(both))
        )
        for a, b in zip(actual, expected, strict=True):
            pairs = zip(totals, a.pairs[len(keys) :], b.pairs[len(keys) :], strict=True)
            wrong += [
                f"{one.fn.name}{[str(x) for x in one.args]}: {x!r}, not {y!r}"
                for one, (_, x), (_, y) in pairs
                if not alike(x, y)
            ]
    assert not wrong, "\n".join(wrong)


def over(name: str, *args: Any, frame: p.Frame | None = None) -> p.WindowCall:
    fn, given = made(of(name, *args)._replace(kind=Kind.WINDOW))
    order = (p.SortSpec(column("n"), p.SortOrder.ASC_NULLS_LAST),)
    return p.WindowCall(fn, given, (column("c"),), order, frame=frame)


def test_windows(engine: SparkEngine) -> None:
    rows = p.Frame(p.FrameUnit.ROWS, p.Bound(p.BoundSide.PRECEDING, p.Lit(I64, 1)), p.Bound(p.BoundSide.CURRENT, None))
    calls = (
        *(over(f"arithmetic:{name}") for name in ("row_number", "rank", "dense_rank", "percent_rank", "cume_dist")),
        over("arithmetic:ntile", i32(2)),
        *(
            over(f"arithmetic:{name}", *args)
            for name in ("lag", "lead")
            for args in (("s",), ("i8", i32(2)), ("i8", i32(-1)), ("day", i32(1), (t.DATE, datetime.date(2000, 1, 1))))
        ),
        over("arithmetic:first_value", "s"),
        over("arithmetic:last_value", "d", frame=rows),
        over("arithmetic:nth_value", "i64", i32(2)),
        over("arithmetic:sum", "i8", frame=rows),
        over("arithmetic_decimal:avg", "e"),
        over("arithmetic:max", "f"),
        over("aggregate_generic:count", "s"),
        over("boolean:bool_or", "b"),
    )
    kept = p.Project((column("n"), p.Var(ROW, 0)), p.Window(calls, scan()))
    rel = p.Window(calls, scan())
    exprs = [p.Var(call.fn.returns, i + 1) for i, call in enumerate(calls)]
    both = plan(p.Project((*exprs, column("n")), rel), len(exprs) + 1)
    assert kept.input == rel
    actual, expected = (
        sorted(found, key=lambda row: row.pairs[-1][1]) for found in (engine.run(both).value(), evaluate(both))
    )
    wrong = [
        f"{call.fn.name}: {x!r}, not {y!r}"
        for a, b in zip(actual, expected, strict=True)
        for call, (_, x), (_, y) in zip(calls, a.pairs, b.pairs, strict=False)
        if not alike(x, y)
    ]
    assert not wrong, "\n".join(wrong)


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


def test_every_function_has_a_row_or_a_reason() -> None:
    """A time of day is read in Python. Lambdas become queries over lists."""
    python = {"datetime:strptime_time"}
    queries = {"list:transform", "list:filter"}
    for one in standard.all_declarations():
        bare = one.name.partition(":")[2]
        known: Any = {Kind.SCALAR: SCALARS, Kind.AGGREGATE: AGGREGATES}.get(one.kind, WINDOWS)
        native = (bare if one.kind is Kind.WINDOW else one.name) in known
        assert native + (one.name in standard.UNSUPPORTED) + (one.name in python | queries) == 1, one.name
    assert standard.EXPRESSIONS.keys() <= SCALARS.keys()
