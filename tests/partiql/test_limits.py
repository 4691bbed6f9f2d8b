"""Arity, range and precision: every function of the catalogue with the fewest and the most arguments that it takes, and
every form of literal and of type at the edge of what it has room for. The results are those of the language reference:
the conformance suite first, then RFC 0047 (datetime) and SQL."""

from __future__ import annotations

import pytest

import firesteel as fs
from firesteel import functions, values
from firesteel.functions import Function, Kind

#: A call with the fewest arguments, and one with the most: each with its result. None: so many as one likes.
FUNCTIONS: dict[str, tuple[int, int | None, dict[str, str]]] = {
    "plus": (2, 2, {"1 + 2": "3"}),
    "minus": (2, 2, {"1 - 2": "-1"}),
    "times": (2, 2, {"2 * 3": "6"}),
    "divide": (2, 2, {"7 / 2": "3"}),
    "modulo": (2, 2, {"MOD(7, 4)": "3"}),
    "neg": (1, 1, {"-(1)": "-1"}),
    "pos": (1, 1, {"+(1)": "1"}),
    "abs": (1, 1, {"ABS(-1)": "1"}),
    "ceiling": (1, 1, {"CEIL(1.5)": "2", "CEILING(1.5)": "2"}),
    "floor": (1, 1, {"FLOOR(1.5)": "1"}),
    "sqrt": (1, 1, {"SQRT(4)": "2e0"}),
    "exp": (1, 1, {"EXP(0)": "1e0"}),
    "ln": (1, 1, {"LN(1)": "0e0"}),
    "power": (2, 2, {"POWER(2, 3)": "8e0"}),
    "eq": (2, 2, {"1 = 1": "true"}),
    "ne": (2, 2, {"1 <> 1": "false"}),
    "lt": (2, 2, {"1 < 2": "true"}),
    "lte": (2, 2, {"1 <= 2": "true"}),
    "gt": (2, 2, {"1 > 2": "false"}),
    "gte": (2, 2, {"1 >= 2": "false"}),
    "between": (3, 3, {"1 BETWEEN 0 AND 2": "true"}),
    "in_collection": (2, 2, {"1 IN (1, 2)": "true", "1 IN (1)": "true"}),
    **{
        f"{name}_{how}": (2, 2, {f"1 {sign} {how.upper()} (SELECT VALUE v FROM [1] AS v)": result})
        for name, sign, result in (
            *(("eq", "=", "true"), ("ne", "<>", "false"), ("lt", "<", "false")),
            *(("lte", "<=", "true"), ("gt", ">", "false"), ("gte", ">=", "true")),
        )
        for how in ("any", "all")
    },
    "and": (1, None, {"true AND false": "false", "true AND true AND true": "true"}),
    "or": (1, None, {"true OR false": "true", "false OR false OR false": "false"}),
    "not": (1, 1, {"NOT true": "false"}),
    "is_true": (1, 1, {"true IS TRUE": "true"}),
    "is_false": (1, 1, {"true IS FALSE": "false"}),
    "is_null": (1, 1, {"NULL IS NULL": "true"}),
    "is_missing": (1, 1, {"NULL IS MISSING": "false"}),
    "coalesce": (1, None, {"COALESCE(1)": "1", "COALESCE(NULL)": "null", "COALESCE(NULL, MISSING, 3, 4)": "3"}),
    "nullif": (2, 2, {"NULLIF(1, 1)": "null"}),
    "is_type": (2, 2, {"1 IS INT": "true"}),
    "cast": (2, 2, {"CAST('1' AS INT)": "1"}),
    "can_cast": (2, 2, {"CAN_CAST('a' AS INT)": "false"}),
    "can_lossless_cast": (2, 2, {"CAN_LOSSLESS_CAST(1.5 AS INT)": "false"}),
    "to_index": (1, 1, {"[1, 2][0 + 1]": "2"}),
    "log10": (1, 1, {"log10(100)": "2e0"}),
    "log2": (1, 1, {"log2(8)": "3e0"}),
    **{name: (1, 1, {f"{name}(0)": "0e0"}) for name in ("sin", "tan", "asin", "atan", "degrees", "radians", "cbrt")},
    "cos": (1, 1, {"cos(0)": "1e0"}),
    "acos": (1, 1, {"acos(1)": "0e0"}),
    "atan2": (2, 2, {"atan2(0, 1)": "0e0"}),
    **{f"coll_{name}_samp": (1, 1, {f"coll_{name}_samp([1])": "null"}) for name in ("var", "stddev")},
    **{f"coll_{name}_pop": (1, 1, {f"coll_{name}_pop([1])": "0e0"}) for name in ("var", "stddev")},
    "coll_median": (1, 1, {"coll_median([3, 1, 2])": "2e0"}),
    "sign": (1, 1, {"sign(-2)": "-1"}),
    "round": (1, 2, {"round(2.5)": "3.", "round(2.345, 2)": "2.35"}),
    "trunc": (1, 2, {"trunc(2.7)": "2.", "truncate(2.79, 1)": "2.7"}),
    "greatest": (2, None, {"greatest(1, 3, 2)": "3"}),
    "least": (2, None, {"least(2, 1)": "1"}),
    "ilike": (2, 3, {"'A' ILIKE 'a'": "true", "'A%' ILIKE 'a!%' ESCAPE '!'": "true"}),
    "starts_with": (2, 2, {"starts_with('ab', 'a')": "true"}),
    "ends_with": (2, 2, {"ends_with('ab', 'a')": "false"}),
    "contains": (2, 2, {"contains('ab', 'b')": "true"}),
    "left": (2, 2, {"left('abc', 2)": '"ab"'}),
    "right": (2, 2, {"right('abc', 2)": '"bc"'}),
    "lpad": (2, 3, {"lpad('a', 2)": '" a"', "lpad('a', 2, '-')": '"-a"'}),
    "rpad": (2, 3, {"rpad('a', 2)": '"a "', "rpad('a', 2, '-')": '"a-"'}),
    "repeat": (2, 2, {"repeat('a', 2)": '"aa"'}),
    "split": (2, 2, {"split('a,b', ',')": '["a", "b"]'}),
    "regexp_like": (2, 3, {"regexp_like('ab', 'B')": "false", "regexp_like('ab', 'B', 'i')": "true"}),
    "regexp_count": (2, 3, {"regexp_count('aA', 'a')": "1", "regexp_count('aA', 'a', 'i')": "2"}),
    "regexp_substr": (2, 3, {"regexp_substr('ab', 'b')": '"b"', "regexp_extract('ab', '(a)(b)', 1)": '"a"'}),
    "regexp_extract_all": (2, 3, {"regexp_extract_all('aA', 'a', 'i')": '["a", "A"]'}),
    "regexp_replace": (3, 4, {"regexp_replace('aA', 'a', 'x')": '"xA"', "regexp_replace('aA', 'a', 'x', 'i')": '"xx"'}),
    "regexp_split": (2, 3, {"regexp_split('a1b', '[0-9]')": '["a", "b"]'}),
    "date_trunc": (2, 2, {"date_trunc('month', DATE '2020-05-17') = DATE '2020-05-01'": "true"}),
    "array_contains": (2, 2, {"array_contains([1], 1)": "true"}),
    "array_position": (2, 2, {"array_position([2, 1], 1)": "2"}),
    "array_concat": (2, None, {"array_concat([1], [2], [3])": "[1, 2, 3]"}),
    "array_flatten": (1, 1, {"flatten([[1], [2]])": "[1, 2]"}),
    "array_sort": (1, 1, {"array_sort([2, 1])": "[1, 2]"}),
    "array_slice": (3, 3, {"slice([1, 2, 3], 2, 1)": "[2]"}),
    "map_keys": (1, 1, {"map_keys({'a': 1})": '["a"]'}),
    "map_values": (1, 1, {"map_values({'a': 1})": "[1]"}),
    "map_entries": (1, 1, {"map_entries({'a': 1})": '[{key: "a", value: 1}]'}),
    "array_agg": (1, 1, {"SELECT VALUE array_agg(x) FROM [1] AS x": "$bag::[[1]]"}),
    "string_agg": (1, 2, {"SELECT VALUE string_agg(x, '-') FROM ['a', 'b'] AS x": '$bag::["a-b"]'}),
    "concat": (2, None, {"'a' || 'b'": '"ab"'}),
    "char_length": (1, 1, {"CHAR_LENGTH('ab')": "2", "CHARACTER_LENGTH('ab')": "2"}),
    "octet_length": (1, 1, {"OCTET_LENGTH('é')": "2"}),
    "bit_length": (1, 1, {"BIT_LENGTH('é')": "16"}),
    "upper": (1, 1, {"UPPER('a')": '"A"'}),
    "lower": (1, 1, {"LOWER('A')": '"a"'}),
    "reverse": (1, 1, {"REVERSE('abc')": '"cba"'}),
    "trim": (1, 2, {"TRIM(' a ')": '"a"', "TRIM(BOTH 'x' FROM 'xax')": '"a"'}),
    "ltrim": (1, 2, {"TRIM(LEADING FROM ' a ')": '"a "', "TRIM(LEADING 'x' FROM 'xax')": '"ax"'}),
    "rtrim": (1, 2, {"TRIM(TRAILING FROM ' a ')": '" a"', "TRIM(TRAILING 'x' FROM 'xax')": '"xa"'}),
    "substring": (2, 3, {"SUBSTRING('abc', 2)": '"bc"', "SUBSTRING('abc' FROM 2 FOR 1)": '"b"'}),
    "overlay": (
        *(3, 4),
        {"OVERLAY('abc' PLACING 'x' FROM 2)": '"axc"', "OVERLAY('abc' PLACING 'x' FROM 2 FOR 2)": '"ax"'},
    ),
    "text_replace": (3, 3, {"TEXT_REPLACE('abc', 'b', 'x')": '"axc"'}),
    "position": (2, 2, {"POSITION('b' IN 'abc')": "2"}),
    "like": (2, 3, {"'ab' LIKE 'a%'": "true", "'a%' LIKE 'a!%' ESCAPE '!'": "true"}),
    "date_add": (3, 3, {"DATE_ADD(DAY, 1, DATE '2020-02-28')": "$date::{year: 2020, month: 2, day: 29}"}),
    "date_diff": (3, 3, {"DATE_DIFF(DAY, DATE '2020-01-01', DATE '2020-01-03')": "2"}),
    "extract": (2, 2, {"EXTRACT(DAY FROM DATE '2020-01-03')": "3"}),
    "extract_second": (1, 1, {"EXTRACT(SECOND FROM TIME '10:00:01.50')": "1.50"}),
    "fit_interval": (5, 5, {"CAST(INTERVAL '13' MONTH AS INTERVAL YEAR) = INTERVAL '1' YEAR": "true"}),
    "overlaps": (2, 2, {"(DATE '2020-01-01', DATE '2020-01-03') OVERLAPS (DATE '2020-01-02', NULL)": "true"}),
    "to_string": (2, 2, {"TO_STRING(`2020-01-02T`, 'y-M')": '"2020-1"'}),
    "to_timestamp": (1, 2, {"TO_TIMESTAMP('2020T')": "2020T", "TO_TIMESTAMP('2020', 'y')": "2020T"}),
    "from_unixtime": (1, 1, {"FROM_UNIXTIME(0) = TIMESTAMP '1970-01-01 00:00:00'": "true"}),
    "unix_timestamp": (1, 1, {"UNIX_TIMESTAMP(`1970-01-01T00:00:01Z`)": "1"}),
    "make_date": (3, 3, {"MAKE_DATE(2020, 1, 2)": "$date::{year: 2020, month: 1, day: 2}"}),
    "make_time": (
        *(3, 4),
        {
            "MAKE_TIME(1, 2, 3.)": "$time::{hour: 1, minute: 2, second: 3., offset: null}",
            "MAKE_TIME(1, 2, 3., 60)": "$time::{hour: 1, minute: 2, second: 3., offset: 60}",
        },
    ),
    "current_date": (0, 0, {"CURRENT_DATE = CURRENT_DATE": "true"}),
    "current_time": (0, 0, {"CURRENT_TIME IS NULL": "false"}),
    "current_timestamp": (0, 0, {"CURRENT_TIMESTAMP IS NULL": "false", "UTCNOW() IS NULL": "false"}),
    "struct_concat": (1, None, {"TUPLEUNION({'a': 1})": "{a: 1}", "TUPLEUNION({'a': 1}, {'a': 2})": "{a: 1, a: 2}"}),
    "cardinality": (1, 1, {"CARDINALITY([1])": "1", "SIZE({'a': 1})": "1"}),
    "exists": (1, 1, {"EXISTS([])": "false"}),
    "filter_distinct": (1, 1, {"FILTER_DISTINCT([1, 1])": "[1]"}),
    "to_bag": (1, 1, {}),
    "as_bag": (1, 1, {"1 OUTER UNION ALL [2]": "$bag::[1, 2]"}),
    **{
        f"coll_{name}": (1, 1, {f"COLL_{name.upper()}([{given}])": result})
        for name, given, result in (
            *(("count", "1, NULL", "1"), ("sum", "1, 2", "3"), ("avg", "1, 2", "1.5"), ("min", "1, 2", "1")),
            *(("max", "1, 2", "2"), ("every", "true, false", "false"), ("any", "true, false", "true")),
        )
    },
    "count_star": (0, 0, {"SELECT VALUE COUNT(*) FROM [1, NULL] AS v": "$bag::[2]"}),
    "count": (1, 1, {"SELECT VALUE COUNT(v) FROM [1, NULL] AS v": "$bag::[1]"}),
    "sum": (1, 1, {"SELECT VALUE SUM(v) FROM [1, 2] AS v": "$bag::[3]"}),
    "avg": (1, 1, {"SELECT VALUE AVG(v) FROM [1, 2] AS v": "$bag::[1.5]"}),
    "min": (1, 1, {"SELECT VALUE MIN(v) FROM [1, 2] AS v": "$bag::[1]"}),
    "max": (1, 1, {"SELECT VALUE MAX(v) FROM [1, 2] AS v": "$bag::[2]"}),
    "every": (1, 1, {"SELECT VALUE EVERY(v) FROM [true, false] AS v": "$bag::[false]"}),
    "any": (1, 1, {"SELECT VALUE SOME(v) FROM [true, false] AS v": "$bag::[true]"}),
    "collect": (1, 1, {"SELECT VALUE COLLECT(v) FROM [1, NULL] AS v": "$bag::[$bag::[1, null]]"}),
    **{
        name: (
            fewest,
            most,
            {f"SELECT VALUE {call} OVER (ORDER BY v) FROM [1, 2] AS v": result for call, result in calls},
        )
        for name, fewest, most, *calls in (
            ("row_number", 0, 0, ("ROW_NUMBER()", "$bag::[1, 2]")),
            ("rank", 0, 0, ("RANK()", "$bag::[1, 2]")),
            ("dense_rank", 0, 0, ("DENSE_RANK()", "$bag::[1, 2]")),
            ("percent_rank", 0, 0, ("PERCENT_RANK()", "$bag::[0e0, 1e0]")),
            ("cume_dist", 0, 0, ("CUME_DIST()", "$bag::[0.5e0, 1e0]")),
            ("ntile", 1, 1, ("NTILE(2)", "$bag::[1, 2]")),
            ("lag", 1, 3, ("LAG(v)", "$bag::[null, 1]"), ("LAG(v, 1, 0)", "$bag::[0, 1]")),
            ("lead", 1, 3, ("LEAD(v)", "$bag::[2, null]"), ("LEAD(v, 1, 0)", "$bag::[2, 0]")),
            ("first_value", 1, 1, ("FIRST_VALUE(v)", "$bag::[1, 1]")),
            ("last_value", 1, 1, ("LAST_VALUE(v)", "$bag::[1, 2]")),
            ("nth_value", 2, 2, ("NTH_VALUE(v, 1)", "$bag::[1, 1]")),
        )
    },
}

ROWS = functions.all_functions()


@pytest.fixture(scope="module")
def session() -> fs.Session:
    return fs.connect(engine="reference")


def test_every_function_is_here() -> None:
    assert set(FUNCTIONS) == {row.name for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_so_many_arguments(row: Function, session: fs.Session) -> None:
    fewest, most, calls = FUNCTIONS[row.name]
    assert min(len(form.params) for form in row.signatures) == fewest
    unbounded = any(form.variadic for form in row.signatures)
    assert (None if unbounded else max(len(form.params) for form in row.signatures)) == most
    for call, result in calls.items():
        found = session.query(call).value()
        assert values.equal(found, fs.ion(result)), f"{call}: {found!r}"


#: What the parser has a form of its own for.
_FORMS = {"cast", "trim", "substring", "overlay", "position", "date_add", "date_diff", "in", "and", "or", "not"}
CALLED = [(name, row) for row in ROWS for name in row.partiql if name.isidentifier() and name not in _FORMS]


@pytest.mark.parametrize(("name", "row"), CALLED, ids=lambda one: one if isinstance(one, str) else "")
def test_one_argument_more_or_less_is_an_error_with_its_place(name: str, row: Function, session: fs.Session) -> None:
    fewest, most, _ = FUNCTIONS[row.name]
    over = " OVER (ORDER BY v)" if row.kind is Kind.WINDOW else ""
    for count in {fewest - 1, fewest if most is None else most + 1} - {-1}:
        if (most is None and count >= fewest) or (name, count) == ("unix_timestamp", 0):  # which is that of now
            continue
        call = f"{name}({', '.join(['v'] * count)})"
        with pytest.raises(fs.AnalysisError) as error:
            session.query(f"SELECT VALUE {call}{over} FROM [1] AS v")
        assert f"does not take {count} arguments" in error.value.message
        assert error.value.span is not None
        assert error.value.span.text.startswith(call)


# ---------------------------------------------------------------------------------------------------------------------
# Literals, and types to cast to


def _time(second: str, offset: str = "null", hour: int = 10, minute: int = 0) -> str:
    return f"$time::{{hour: {hour}, minute: {minute}, second: {second}, offset: {offset}}}"


def _stamp(second: str, offset: str = "null", *, year: int = 2020, month: int = 1, hour: int = 10) -> str:
    date = f"year: {year}, month: {month}, day: 1"
    return f"$timestamp::{{{date}, hour: {hour}, minute: 0, second: {second}, offset: {offset}}}"


def _days(days: int, hours: int = 0, seconds: int = 0, nanos: int = 0, sign: str = "+") -> str:
    rest = f"hours: {hours}, minutes: 0, seconds: {seconds}, nanos: {nanos}"
    return f'$interval_dt::{{sign: "{sign}", days: {days}, {rest}}}'


NINES = "9" * 38

#: A literal or a cast, and its value, or a part of the error.
FORMS: dict[str, str] = {
    # Numbers: 64 bits; 38 digits, those behind the point rounded; binary64
    "9223372036854775807": "9223372036854775807",
    "-9223372036854775808": "-9223372036854775808",
    "9223372036854775808": "! more than 64 bits",
    "-9223372036854775809": "! more than 64 bits",
    "`9223372036854775808`": "! more than 64 bits",
    f"{NINES}.": f"{NINES}.",
    f"1{NINES}.": "! more than 38 digits before the point",
    f"`1{NINES}.`": "! more than 38 digits before the point",
    f"0.{NINES}1": f"0.{NINES}",
    f"1.{NINES}": "2.",
    "1.5e308": "1.5e308",
    "1e309": "! too large for a float",
    "1e-400": "0e0",
    # Text, booleans, absence
    "'it''s'": '"it\'s"',
    "TRUE": "true",
    "NULL": "null",
    "MISSING": "$missing::null",
    # Dates: years 0001 to 9999, days that there are
    "DATE '0001-01-01'": "$date::{year: 1, month: 1, day: 1}",
    "DATE '9999-12-31'": "$date::{year: 9999, month: 12, day: 31}",
    "DATE '0000-01-01'": "! is no date",
    "DATE '10000-01-01'": "! is no date",
    "DATE '2021-02-29'": "! is no date",
    "DATE '2020-1-1'": "! is no date",
    # Times: an offset where WITH TIME ZONE asks for one, none where WITHOUT does; nine digits of a second
    "TIME '10:00:00'": _time("0."),
    "TIME '10:00:00.25'": _time("0.25"),
    "TIME '10:00:00+01:00'": _time("0.", "60"),
    "TIME '10:00:00Z'": _time("0.", "0"),
    "TIME WITH TIME ZONE '10:00:00-23:59'": _time("0.", "-1439"),
    "TIME WITHOUT TIME ZONE '10:00:00'": _time("0."),
    "TIME WITH TIME ZONE '10:00:00'": "! has no offset",
    "TIME (2) WITH TIME ZONE '10:00:00'": _time("0.00", "0"),
    "TIME WITHOUT TIME ZONE '10:00:00Z'": "! has an offset",
    "TIME '10:00:00+24:00'": "! is no time",
    "TIME '10:00:00+10:60'": "! is no time",
    "TIME '24:00:00'": "! is no time",
    "TIME '10:60:00'": "! is no time",
    "TIME '10:00:60'": "! is no time",
    "TIME '10:00'": "! is no time",
    "TIME (2) '10:00:00.126'": _time("0.13"),
    "TIME (0) '10:59:59.9'": _time("0.", hour=11),
    "TIME (2) '23:59:59.999'": _time("0.00", hour=0),
    "TIME '10:00:00.123456789123'": _time("0.123456789"),
    "TIME (10) '10:00:00'": "! up to 9 digits",
    # Timestamps likewise
    "TIMESTAMP '2020-01-01 10:00:00'": _stamp("0."),
    "TIMESTAMP '2020-01-01T10:00:00.5'": _stamp("0.5"),
    "TIMESTAMP WITH TIME ZONE '2020-01-01 10:00:00+01:00'": _stamp("0.", "60"),
    "TIMESTAMP WITH TIME ZONE '2020-01-01 10:00:00'": "! has no offset",
    "TIMESTAMP WITHOUT TIME ZONE '2020-01-01 10:00:00Z'": "! has an offset",
    "TIMESTAMP '2020-01-01'": "! is no timestamp",
    "TIMESTAMP '2020-01-01 10:00'": "! is no timestamp",
    "TIMESTAMP (0) '2019-12-31 23:59:59.9'": _stamp("0.", hour=0),
    "TIMESTAMP (0) '9999-12-31 23:59:59.9'": "! too late to be rounded",
    "TIMESTAMP '2020-01-01 10:00:00.123456789123'": _stamp("0.123456789"),
    "TIMESTAMP (10) '2020-01-01 10:00:00'": "! up to 9 digits",
    # Intervals: two digits of the first field and six of a second, unless they say otherwise; up to nine
    "INTERVAL '99' DAY": _days(99),
    "INTERVAL '100' DAY": "! too much for the day",
    "INTERVAL '100' DAY (3)": _days(100),
    "INTERVAL '1' DAY (0)": "! 1 to 9 digits",
    "INTERVAL '1' DAY (10)": "! 1 to 9 digits",
    "INTERVAL '1 23' DAY TO HOUR": _days(1, 23),
    "INTERVAL '1 24' DAY TO HOUR": "! too much for the hour",
    "INTERVAL '1-12' YEAR TO MONTH": "! too much for the month",
    "INTERVAL '1' YEAR TO DAY": "! does not go from year to day",
    "INTERVAL '1.1234567' SECOND": _days(0, seconds=1, nanos=123456000),
    "INTERVAL '1.1234567' SECOND (2, 3)": _days(0, seconds=1, nanos=123000000),
    "INTERVAL '1' SECOND (2, 10)": "! up to 9 digits",
    "INTERVAL '-1' DAY": _days(1, sign="-"),
    # Casts hold the value to the type
    "CAST(INTERVAL '100' DAY (3) AS INTERVAL DAY (3))": _days(100),
    "CAST(INTERVAL '100' DAY (3) AS INTERVAL DAY)": "! interval overflow",
    "CAST(INTERVAL '100' DAY (3) AS INTERVAL DAY (2))": "! interval overflow",
    "CAST(INTERVAL '5' DAY AS INTERVAL HOUR)": "! interval overflow",
    "CAST(INTERVAL '5' DAY AS INTERVAL HOUR (3))": _days(5),
    "CAST(INTERVAL '-90' MINUTE AS INTERVAL HOUR)": _days(0, 1, sign="-"),
    "CAST(INTERVAL '13' MONTH AS INTERVAL YEAR TO MONTH)": '$interval_ym::{sign: "+", years: 1, months: 1}',
    "CAST(INTERVAL '13' MONTH AS INTERVAL YEAR)": '$interval_ym::{sign: "+", years: 1, months: 0}',
    "CAST(INTERVAL '1.123456' SECOND AS INTERVAL SECOND (2, 3))": _days(0, seconds=1, nanos=123000000),
    "CAST(INTERVAL '1' DAY AS INTERVAL YEAR)": "$missing::null",
    "CAST(INTERVAL '1' DAY AS INTERVAL DAY (10))": "! 1 to 9 digits",
    "CAST('10:00:00.126' AS TIME (2))": _time("0.12"),
    "CAST('10:00:00' AS TIME (10))": "! up to 9 digits",
    "CAST('2020-01-01 10:00:00' AS TIMESTAMP (10))": "! up to 9 digits",
    "CAST(123.456 AS DECIMAL(5, 2))": "123.46",
    "CAST(123.456 AS DECIMAL(4, 2))": "! decimal overflow",
    "CAST(1 AS DECIMAL(39))": "! 1 to 38 digits",
    "CAST(1 AS DECIMAL(0))": "! 1 to 38 digits",
    "CAST(1 AS DECIMAL(5, 6))": "! no scale of 6",
    "CAST('abc' AS VARCHAR(2))": '"ab"',
    "CAST('abc' AS CHAR(5))": '"abc  "',
    "CAST('abc' AS CHAR(0))": "! a length of 0",
    "CAST(127 AS TINYINT)": "127",
    "CAST(128 AS TINYINT)": "! integer overflow",
    "CAST(1 AS INT(3))": "! INT has no length",
    "CAST('a' AS STRING(3))": "! STRING has no length",
}


@pytest.mark.parametrize("text", FORMS)
def test_literals_and_casts(text: str, session: fs.Session) -> None:
    result = FORMS[text]
    if not result.startswith("! "):
        found = session.query(text).value()
        assert values.equal(found, fs.ion(result)), f"{found!r}"
        return
    with pytest.raises(fs.FiresteelError) as error:
        session.query(text).value()
    assert result[2:] in error.value.message


# ---------------------------------------------------------------------------------------------------------------------
# Numbers of rows: a negative one that is written is an error; of those that are computed OFFSET's is forgiven

COUNTS = {
    "OFFSET -1": ("AnalysisError", "AnalysisError"),
    "LIMIT -1": ("AnalysisError", "AnalysisError"),
    "OFFSET 1 - 2": (2, "EvaluationError"),
    "LIMIT 1 - 2": ("EvaluationError", "EvaluationError"),
    "OFFSET less": (2, "EvaluationError"),
    "LIMIT less": ("EvaluationError", "EvaluationError"),
    "OFFSET 1.5": (2, "EvaluationError"),
    "LIMIT 1.5": ("EvaluationError", "EvaluationError"),
    "OFFSET 9223372036854775808": (0, 0),
    "LIMIT 9223372036854775808": (2, 2),
    "LIMIT 0": (0, 0),
}


@pytest.mark.parametrize("clause", COUNTS)
def test_numbers_of_rows(clause: str, session: fs.Session) -> None:
    session.register("less", -1, replace=True)
    for mode, expected in zip(("permissive", "strict"), COUNTS[clause], strict=True):
        try:
            found: object = len(session.query(f"SELECT VALUE v FROM [1, 2] AS v {clause}", mode=mode).to_python())
        except fs.FiresteelError as error:
            found = type(error).__name__
        assert found == expected, mode
