"""What Substrait's functions give, on the reference evaluator: where the specification has no cases, or too few."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import pytest

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate import expression
from firesteel.evaluate import substrait as reference
from firesteel.functions import Kind
from firesteel.functions import substrait as standard
from firesteel.plan import build
from firesteel.values import Interval, Struct, Time, Timestamp, Value, equal

Given = tuple[t.Type, Any] | str

I8, I16, I32, I64, F32, F64 = t.INT8, t.INT16, t.INT32, t.INT64, t.FLOAT32, t.FLOAT64
S, D = t.STRING, t.DATE
NAN, INF = math.nan, math.inf


def fn(kind: Kind, name: str, args: list[Given], options: dict[str, str]) -> p.Fn:
    stem, _, function = name.partition(":")
    urn = standard.STANDARD + ("" if stem.startswith("unsigned") else "functions_") + stem
    given = [standard.EnumValue(one) if isinstance(one, str) else standard.Constant(*one) for one in args]
    found = standard.resolve(urn, function, None, kind, given, [(key, [value]) for key, value in options.items()])
    assert found.row.name == name
    params = tuple(p.ValueParam(one[0]) for one in args if not isinstance(one, str))
    choices = tuple(p.Choice(*one) for one in found.choices)
    return p.Fn(name, p.FnOption.NONE, params, found.returns, choices=choices)


def value(name: str, *args: Given, **options: str) -> Value:
    """The value of a call of literals."""
    made = fn(Kind.SCALAR, name, list(args), options)
    call = p.Call(made, tuple(p.Lit(*one) for one in args if not isinstance(one, str)))
    return expression(call, p.Mode.STRICT)([()])


def aggregate(name: str, rows: list[tuple[Any, ...]], *types: Given, **options: str) -> Value:
    """An aggregate of rows; `types` are those of their columns, with names before them."""
    args: list[Given] = [one if isinstance(one, str) else (one[0], None) for one in types]
    return reference.aggregate_of(fn(Kind.AGGREGATE, name, args, options), None)(rows)


def same(found: Value, wanted: Value) -> bool:
    if isinstance(wanted, float) and isinstance(found, float):
        return math.isclose(found, wanted, rel_tol=1e-12) or (math.isnan(found) and math.isnan(wanted))
    return type(found) is type(wanted) and equal(found, wanted)


def stamp(text: str, offset: int | None = None) -> Timestamp:
    at = datetime.datetime.fromisoformat(text)
    second = Decimal(at.second) + Decimal(at.microsecond).scaleb(-6)
    return Timestamp(at.year, at.month, at.day, at.hour, at.minute, second, offset)


TS, TZ = t.Timestamp(6), t.Timestamp(6, zone=True)
DAYS, MONTHS = t.Interval("day_time", 6), t.Interval("year_month")
BERLIN = (S, "Europe/Berlin")
NOON = (TZ, stamp("2020-07-01T12:00:00", 0))


def month(count: int) -> Given:
    return (MONTHS, Interval("year_month", count))


def days(nanos: int) -> Given:
    return (DAYS, Interval("day_time", nanos=nanos))


def date(text: str) -> Given:
    return (D, datetime.date.fromisoformat(text))


def dec(text: str) -> Given:
    number = Decimal(text)
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    return (t.Decimal(max(len(digits), -exponent), -exponent), number)


@pytest.mark.parametrize(
    ("name", "args", "options", "wanted"),
    [
        # Integers: what is too large is an error unless it is asked otherwise.
        ("arithmetic:add", [(I8, 100), (I8, 100)], {"overflow": "SILENT"}, -56),
        ("arithmetic:negate", [(I8, -128)], {"overflow": "SATURATE"}, 127),
        ("arithmetic:divide", [(I32, -7), (I32, 2)], {}, -3),
        ("arithmetic:divide", [(I32, 1), (I32, 0)], {}, None),
        ("arithmetic:modulus", [(I32, -7), (I32, 3)], {"division_type": "FLOOR"}, 2),
        ("arithmetic:power", [(I64, 2), (I64, -1)], {}, 0),
        ("arithmetic:sign", [(I16, -7)], {}, -1),
        ("arithmetic:factorial", [(I32, 12)], {}, 479_001_600),
        ("arithmetic:bitwise_not", [(I8, 5)], {}, -6),
        ("arithmetic:shift_left", [(I32, 1), (I32, 31)], {}, -(2**31)),
        ("arithmetic:shift_left", [(I32, 1), (I32, 33)], {}, 2),
        # Floats: as IEEE 754 has it.
        ("arithmetic:divide", [(F64, 1.0), (F64, -0.0)], {}, -INF),
        ("arithmetic:divide", [(F64, 0.0), (F64, 0.0)], {}, NAN),
        ("arithmetic:divide", [(F64, 1.0), (F64, 0.0)], {"on_division_by_zero": "NULL"}, None),
        ("arithmetic:add", [(F32, 3e38), (F32, 3e38)], {}, INF),
        ("arithmetic:sqrt", [(F64, -1.0)], {}, NAN),
        ("arithmetic:power", [(F64, -8.0), (F64, 1 / 3)], {}, NAN),
        ("arithmetic:power", [(F64, 0.0), (F64, -1.0)], {}, INF),
        ("arithmetic:sinh", [(F64, -1000.0)], {}, -INF),
        ("arithmetic:sin", [(F64, INF)], {}, NAN),
        ("arithmetic:atanh", [(F64, 1.0)], {}, INF),
        ("arithmetic:degrees", [(F64, math.pi)], {}, 180.0),
        ("arithmetic:sign", [(F64, -0.0)], {}, -0.0),
        ("logarithmic:ln", [(F64, 0.0)], {}, -INF),
        ("logarithmic:log1p", [(F64, -1.0)], {"on_log_zero": "MINUS_INFINITY"}, -INF),
        ("logarithmic:logb", [(F64, 2.0), (F64, 8.0)], {}, 3.0),
        ("logarithmic:log10", [(t.Decimal(4, 0), Decimal(1000))], {}, 3.0),
        ("logarithmic:ln", [(F64, -1.0)], {"on_domain_error": "NULL"}, None),
        # Decimals.
        ("arithmetic_decimal:add", [dec("1.25"), dec("0.1")], {}, Decimal("1.35")),
        ("arithmetic_decimal:divide", [dec("2"), dec("3")], {}, Decimal("0.666667")),
        ("arithmetic_decimal:modulus", [dec("-7.5"), dec("2")], {}, Decimal("-1.5")),
        ("arithmetic_decimal:abs", [(t.Decimal(38, 0), Decimal(-(10**37)))], {}, Decimal(10**37)),
        # Rounding, by every rule.
        ("rounding:round", [(F64, 2.5), (I32, 0)], {}, 3.0),
        ("rounding:round", [(F64, 2.5), (I32, 0)], {"rounding": "TIE_TO_EVEN"}, 2.0),
        ("rounding:round", [(F64, -2.5), (I32, 0)], {"rounding": "TIE_TOWARDS_ZERO"}, -2.0),
        ("rounding:round", [(F64, -2.5), (I32, 0)], {"rounding": "TIE_UP"}, -2.0),
        ("rounding:round", [(F64, -2.5), (I32, 0)], {"rounding": "TIE_DOWN"}, -3.0),
        ("rounding:round", [(F64, 2.5), (I32, 0)], {"rounding": "TIE_TO_ODD"}, 3.0),
        ("rounding:round", [(F64, 2.1), (I32, 0)], {"rounding": "AWAY_FROM_ZERO"}, 3.0),
        ("rounding:round", [(F64, -2.1), (I32, 0)], {"rounding": "CEILING"}, -2.0),
        ("rounding:round", [(F64, 2.675), (I32, 2)], {}, 2.68),
        ("rounding:round", [(I32, 1250), (I32, -2)], {"rounding": "FLOOR"}, 1200),
        ("rounding_decimal:round", [(t.Decimal(3, 2), Decimal("9.99")), (I32, 1)], {}, Decimal("10.00")),
        # Comparison.
        ("comparison:least", [(I32, 3), (I32, 1), (I32, 2)], {}, 1),
        ("comparison:least", [(I32, 3), (t.Int32(nullable=True), None)], {}, None),
        ("comparison:greatest_skip_null", [(I32, 3), (t.Int32(nullable=True), None)], {}, 3),
        ("comparison:is_distinct_from", [(I32, 3), (t.Int32(nullable=True), None)], {}, True),
        ("comparison:equal", [(t.Array(I32), [1, 2]), (t.Array(I32), [1, 2])], {}, True),
        ("comparison:lt", [days(1), days(2)], {}, True),
        ("set:index_in", [(I32, 2), (t.Array(I32), [1, 2, 2])], {}, 1),
        ("set:index_in", [(I32, 9), (t.Array(I32), [1, 2])], {}, None),
        ("set:index_in", [(F64, NAN), (t.Array(F64), [NAN])], {"nan_equality": "NAN_IS_NOT_NAN"}, None),
        # Text.
        ("string:concat", [(S, "a"), (t.String(nullable=True), None)], {}, None),
        ("string:like", [(S, "a.c%"), (S, "a.c%")], {}, True),
        ("string:like", [(S, "aXc"), (S, "A_C")], {"case_sensitivity": "CASE_INSENSITIVE"}, True),
        ("string:like", [(S, "Ä"), (S, "ä")], {"case_sensitivity": "CASE_INSENSITIVE_ASCII"}, False),
        ("string:strpos", [(S, "abcabc"), (S, "ca")], {}, 3),
        ("string:count_substring", [(S, "aaaa"), (S, "aa")], {}, 2),
        ("string:replace", [(S, "aAa"), (S, "A"), (S, "\\1")], {"case_sensitivity": "CASE_INSENSITIVE"}, "\\1\\1\\1"),
        ("string:substring", [(S, "abc"), (I32, 0), (I32, 2)], {}, "a"),
        ("string:substring", [(S, "abc"), (I32, -5), (I32, 3)], {}, "a"),
        ("string:substring", [(S, "abc"), (I32, 2)], {}, "bc"),
        ("string:replace_slice", [(S, "abcd"), (I64, 2), (I64, 2), (S, "X")], {}, "aXd"),
        ("string:replace_slice", [(S, "abcd"), (I64, 9), (I64, 2), (S, "X")], {}, None),
        ("string:swapcase", [(S, "aBä")], {"char_set": "ASCII_ONLY"}, "Abä"),
        ("string:capitalize", [(S, "abc dEf")], {}, "Abc dEf"),
        ("string:title", [(S, "the end of a day")], {}, "the End Of a Day"),
        ("string:initcap", [(S, "the eND")], {}, "The End"),
        ("string:center", [(S, "ab"), (I32, 5), (S, "*")], {}, "*ab**"),
        ("string:center", [(S, "ab"), (I32, 5), (S, "*")], {"padding": "LEFT"}, "**ab*"),
        ("string:lpad", [(S, "ab"), (I32, 5), (S, "")], {}, "ab"),
        ("string:right", [(S, "abc"), (I32, 0)], {}, ""),
        # Regular expressions.
        (
            "string:regexp_match_substring",
            [(S, "k1=v1,k2=v2"), (S, r"(\w+)=(\w+)"), (I64, 1), (I64, 2), (I64, 2)],
            {},
            "v2",
        ),
        ("string:regexp_match_substring", [(S, "abc"), (S, "x")], {}, None),
        ("string:regexp_match_substring_all", [(S, "a1b22"), (S, r"\d+"), (I64, 1), (I64, 0)], {}, ["1", "22"]),
        ("string:regexp_strpos", [(S, "abcabc"), (S, "c"), (I64, 4), (I64, 1)], {}, 6),
        ("string:regexp_replace", [(S, "aXbX"), (S, "X"), (S, "-"), (I64, 1), (I64, 2)], {}, "aXb-"),
        ("string:regexp_replace", [(S, "abc"), (S, "(?<first>a)(b)"), (S, r"\2\1")], {}, "bac"),
        ("string:regexp_count_substring", [(S, "a\nb"), (S, "^.$")], {"multiline": "MULTILINE_ENABLED"}, 2),
        ("string:regexp_count_substring", [(S, "a\nb"), (S, "a.b")], {"dotall": "DOTALL_ENABLED"}, 1),
        ("string:regexp_string_split", [(S, "abc"), (S, "")], {}, ["a", "b", "c"]),
        # Time.
        ("datetime:extract", ["US_WEEK", "ONE", date("2017-01-01")], {}, 1),
        ("datetime:extract", ["US_YEAR", date("1969-12-31")], {}, 1969),
        ("datetime:extract", ["US_WEEK", "ONE", date("1969-12-31")], {}, 53),
        ("datetime:extract", ["UNIX_TIME", (TS, stamp("1969-12-31T23:59:59.999999"))], {}, -1),
        ("datetime:extract", ["MONDAY_WEEK", "ONE", date("2023-01-01")], {}, 0),
        ("datetime:extract", ["SUNDAY_DAY_OF_WEEK", "ZERO", date("2023-01-01")], {}, 0),
        ("datetime:extract", ["HOUR", NOON, BERLIN], {}, 14),
        ("datetime:extract", ["TIMEZONE_OFFSET", (TZ, stamp("2020-01-01T12:00:00", 0)), BERLIN], {}, 3600),
        ("datetime:extract", ["SUBSECOND", (TS, stamp("2020-01-01T00:00:01.25"))], {}, 250_000),
        ("datetime:extract_boolean", ["IS_LEAP_YEAR", date("2000-01-01")], {}, True),
        ("datetime:extract_boolean", ["IS_DST", NOON, BERLIN], {}, True),
        ("datetime:add", [date("2024-01-31"), month(1)], {}, datetime.date(2024, 2, 29)),
        (
            "datetime:add",
            [(TZ, stamp("2020-03-28T11:00:00", 0)), month(1), BERLIN],
            {},
            stamp("2020-04-28T10:00:00", 0),
        ),
        ("datetime:multiply", [(I8, 3), days(5)], {}, Interval("day_time", nanos=15)),
        ("datetime:assume_timezone", [(TS, stamp("2020-07-01T14:00:00")), BERLIN], {}, stamp("2020-07-01T12:00:00", 0)),
        ("datetime:local_timestamp", [NOON, BERLIN], {}, stamp("2020-07-01T14:00:00")),
        ("datetime:strptime_date", [(S, "01/02/2020"), (S, "%d/%m/%Y")], {}, datetime.date(2020, 2, 1)),
        ("datetime:strptime_time", [(S, "01:02"), (S, "%H:%M"), (I8, 0)], {}, Time(1, 2, Decimal(0))),
        (
            "datetime:strptime_timestamp",
            [(S, "2020-07-01 14"), (S, "%Y-%m-%d %H"), BERLIN, (I8, 6)],
            {},
            stamp("2020-07-01T12:00:00", 0),
        ),
        ("datetime:strftime", [date("2020-02-01"), (S, "%d.%m.%y")], {}, "01.02.20"),
        (
            "datetime:round_temporal",
            [(TS, stamp("2020-01-01T10:37:00")), "FLOOR", "MINUTE", (I64, 15), (TS, stamp("2020-01-01T00:00:00"))],
            {},
            stamp("2020-01-01T10:30:00"),
        ),
        (
            "datetime:round_temporal",
            [date("2020-05-20"), "CEIL", "MONTH", (I64, 3), date("2020-01-01")],
            {},
            datetime.date(2020, 7, 1),
        ),
        (
            "datetime:round_calendar",
            [(TS, stamp("2020-05-20T12:00:00")), "ROUND_TIE_UP", "DAY", "MONTH", (I64, 1)],
            {},
            stamp("2020-05-21T00:00:00"),
        ),
        (
            "datetime:round_calendar",
            [date("2020-05-20"), "FLOOR", "WEEK", "SUNDAY_WEEK", (I64, 1)],
            {},
            datetime.date(2020, 5, 17),
        ),
    ],
)
def test_scalars(name: str, args: list[Given], options: dict[str, str], wanted: Value) -> None:
    assert same(value(name, *args, **options), wanted)


@pytest.mark.parametrize(
    ("name", "args", "options", "says"),
    [
        ("arithmetic:add", [(I8, 100), (I8, 100)], {}, "overflow"),
        ("arithmetic:divide", [(I8, -128), (I8, -1)], {}, "overflow"),
        ("arithmetic:factorial", [(I32, -1)], {}, "negative"),
        ("arithmetic_decimal:divide", [(t.Decimal(1, 0), Decimal(1)), (t.Decimal(1, 0), Decimal(0))], {}, "by zero"),
        ("arithmetic_decimal:add", [(t.Decimal(38, 0), Decimal("9" * 38)), (t.Decimal(38, 0), Decimal(1))], {}, "over"),
        ("rounding:round", [(I8, 127), (I32, -1)], {}, "overflow"),
        ("string:substring", [(S, "abc"), (I32, -1), (I32, 2)], {"negative_start": "ERROR"}, "position -1"),
        ("string:regexp_count_substring", [(S, "a"), (S, "(")], {}, "no regular expression"),
        ("string:regexp_match_substring", [(S, "a"), (S, "a"), (I64, 1), (I64, 1), (I64, 7)], {}, "group 7"),
        ("string:repeat", [(S, "abc"), (I64, 10**12)], {}, "characters"),
        ("datetime:extract", ["HOUR", NOON, (S, "Nowhere/None")], {}, "no time zone"),
        ("datetime:strptime_date", [(S, "x"), (S, "%d")], {}, "not written as"),
    ],
)
def test_errors(name: str, args: list[Given], options: dict[str, str], says: str) -> None:
    with pytest.raises(EvaluationError, match=says):
        value(name, *args, **options)


def test_patterns_that_python_cannot_read_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="classes"):
        value("string:regexp_count_substring", (S, "a"), (S, r"\p{L}"))


# ---------------------------------------------------------------------------------------------------------------------
# Aggregates


@pytest.mark.parametrize(
    ("name", "rows", "types", "options", "wanted"),
    [
        ("arithmetic:avg", [(1,), (2,), (-4,), (None,)], [(I32, 0)], {}, 0),
        ("arithmetic:avg", [(1.0,), (2.0,)], [(F32, 0)], {}, 1.5),
        ("arithmetic:sum0", [], [(I32, 0)], {}, 0),
        ("arithmetic:sum", [(2**63 - 1,), (1,)], [(I64, 0)], {"overflow": "SATURATE"}, 2**63 - 1),
        ("arithmetic:sum", [(1e308,), (1e308,), (-1e308,)], [(F64, 0)], {}, 1e308),
        ("arithmetic:product", [], [(I32, 0)], {}, 1),
        ("arithmetic:product", [(3,), (None,), (4,)], [(I32, 0)], {}, 12),
        ("arithmetic:corr", [(1.0, 2.0), (2.0, 4.0), (3.0, 6.0), (None, 1.0)], [(F64, 0), (F64, 0)], {}, 1.0),
        ("arithmetic:corr", [], [(F64, 0), (F64, 0)], {}, None),
        ("arithmetic:mode", [(3,), (1,), (3,), (1,), (2,)], [(I32, 0)], {}, 1),
        ("arithmetic:median", [(1,), (4,)], ["EXACT", (I32, 0)], {}, 2),
        ("arithmetic:median", [(1,), (4,)], ["EXACT", (I32, 0)], {"rounding": "CEILING"}, 3),
        ("arithmetic:median", [(1.0,), (4.0,), (None,)], ["EXACT", (F64, 0)], {}, 2.5),
        (
            "arithmetic:quantile",
            [(2, 1.0), (2, 2.0), (2, 4.0)],
            ["BOTH", "EXACT", (I64, 0), (F64, 0)],
            {},
            [1.0, 2.0, 4.0],
        ),
        ("arithmetic:quantile", [(1, 1.0)], ["NEITHER", "EXACT", (I64, 0), (F64, 0)], {}, []),
        ("arithmetic:quantile", [(2, 1.0), (2, None)], ["BOTH", "EXACT", (I64, 0), (F64, 0)], {}, None),
        ("arithmetic_decimal:avg", [(Decimal(1),), (Decimal(2),)], [(t.Decimal(1, 0), 0)], {}, Decimal(2)),
        ("aggregate_generic:any_value", [(None,), (2,)], [(I32, 0)], {}, 2),
        ("aggregate_generic:any_value", [(None,), (2,)], [(I32, 0)], {"ignore_nulls": "FALSE"}, None),
        ("aggregate_decimal_output:count", [(1,), (None,)], [(I32, 0)], {}, Decimal(1)),
        ("string:string_agg", [("a", ","), (None, ","), ("b", ",")], [(S, 0), (S, 0)], {}, "a,b"),
        ("datetime:max", [(datetime.date(2020, 1, 1),), (None,)], [(D, 0)], {}, datetime.date(2020, 1, 1)),
        (
            "unsigned_integers:sum",
            [(255,), (1,)],
            [(t.UserDefined(standard.STANDARD + "unsigned_integers", "u8"), 0)],
            {},
            256,
        ),
    ],
)
def test_aggregates(
    name: str, rows: list[tuple[Any, ...]], types: list[Given], options: dict[str, str], wanted: Value
) -> None:
    assert same(aggregate(name, rows, *types, **options), wanted)


# ---------------------------------------------------------------------------------------------------------------------
# Casts


def cast(source: t.Type, given: Value, target: t.Type, failure: str = "THROW") -> Value:
    return expression(build.substrait_cast(p.Lit(source, given), target, failure=failure), p.Mode.STRICT)([()])


@pytest.mark.parametrize(
    ("source", "given", "target", "wanted"),
    [
        (S, " 12 ", I32, 12),
        (S, "-1.5e2", F64, -150.0),
        (S, "Infinity", F64, INF),
        (S, "1.005", t.Decimal(5, 2), Decimal("1.01")),
        (S, "yes", t.BOOL, True),
        (S, "2020-02-01", D, datetime.date(2020, 2, 1)),
        (S, "2020-02-01 03:04:05.5", TS, stamp("2020-02-01T03:04:05.500")),
        (S, "2020-02-01T03:04:05+02:00", TZ, stamp("2020-02-01T01:04:05", 0)),
        (S, "03:04", t.Time(0), Time(3, 4, Decimal(0))),
        (S, "abcdef", t.String(3), "abc"),
        (S, "ab", t.Char(4), "ab  "),
        (S, "ab", t.BLOB, b"ab"),
        (I32, 1, S, "1"),
        (I64, 200, I16, 200),
        (F64, -1.9, I32, -1),
        (F64, 1e10, S, "1.0E10"),
        (F64, 0.001, S, "0.001"),
        (F64, 123456.0, S, "123456.0"),
        (F32, 0.1, S, "0.1"),
        (F64, 0.1, t.Decimal(3, 2), Decimal("0.10")),
        (t.Decimal(3, 1), Decimal("-2.5"), I32, -2),
        (t.Decimal(4, 3), Decimal("1.005"), t.Decimal(3, 2), Decimal("1.01")),
        (t.Decimal(3, 2), Decimal("1.50"), S, "1.50"),
        (t.Decimal(10, 2), Decimal(0), S, "0.00"),
        (t.BOOL, True, I8, 1),
        (I8, 0, t.BOOL, False),
        (t.BOOL, False, S, "false"),
        (D, datetime.date(2020, 2, 1), TS, stamp("2020-02-01T00:00:00")),
        (TS, stamp("2020-02-01T23:59:59"), D, datetime.date(2020, 2, 1)),
        (TS, stamp("2020-02-01T03:04:05.120"), S, "2020-02-01 03:04:05.12"),
        (t.Array(I32), [1, None], t.Array(t.String(nullable=True)), ["1", None]),
        (t.Uuid(), "00000000-0000-0000-0000-000000000001", S, "00000000-0000-0000-0000-000000000001"),
    ],
)
def test_casts(source: t.Type, given: Value, target: t.Type, wanted: Value) -> None:
    assert same(cast(source, given, target), wanted)


@pytest.mark.parametrize(
    ("source", "given", "target"),
    [
        (S, "1.5", I32),
        (S, "x", F64),
        (S, "2020-02-30", D),
        (S, "25:00", t.Time(0)),
        (S, "maybe", t.BOOL),
        (I32, 300, I8),
        (F64, NAN, I32),
        (F64, 1e20, I64),
        (F64, INF, t.Decimal(5, 2)),
        (t.Decimal(5, 2), Decimal("999.99"), t.Decimal(4, 2)),
        (t.BLOB, b"\xff", S),
    ],
)
def test_what_cannot_be_cast(source: t.Type, given: Value, target: t.Type) -> None:
    with pytest.raises(EvaluationError):
        cast(source, given, target)
    assert cast(source, given, target, "NULL") is None


def test_casts_that_are_not_known_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="a cast from"):
        cast(D, datetime.date(2020, 1, 1), I32)


def test_lists_and_maps() -> None:
    def call(name: str, returns: t.Type, *args: p.Rex) -> Value:
        return expression(build.substrait_expression(name, args, returns), p.Mode.STRICT)([()])

    items = p.Lit(t.Array(I32), [1, 2, 3])
    assert call("list_element", I32, items, p.Lit(I32, 0)) == 1
    assert call("list_element", I32, items, p.Lit(I32, -1)) == 3
    assert call("list_element", I32, items, p.Lit(I32, 3)) is None
    made = call("map", t.Map(S, I32), p.Lit(S, "a"), p.Lit(I32, 1), p.Lit(S, "b"), p.Lit(I32, 2))
    assert equal(made, Struct([("a", 1), ("b", 2)]))
    assert call("map_value", I32, p.Lit(t.Map(S, I32), made), p.Lit(S, "b")) == 2
    assert call("map_value", I32, p.Lit(t.Map(S, I32), made), p.Lit(S, "c")) is None
    assert call("any_true", t.Bool(nullable=True), p.Lit(t.Array(t.Bool(nullable=True)), [False, None])) is None
    assert call("all_true", t.Bool(nullable=True), p.Lit(t.Array(t.Bool(nullable=True)), [False, None])) is False
