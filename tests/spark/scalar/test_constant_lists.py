"""IN with many constants over operands of every kind: what the reference evaluator says, in both modes."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import firesteel as fs
from firesteel.passes.analysis.conditions import MANY
from tests.spark.both import answer, differences, sessions

pytestmark = pytest.mark.spark

#: What operands without a static type are, and what they are looked for among.
_ION = (
    "1|-1|0|1.|1.0|1.50|-1.5|0.10|-0.0|100.|1d2|0d0|1e0|1.5e0|1e2|0e0|-0e0|0.1e0|1e300|2e23|nan|+inf|-inf"
    "|9007199254740993|9007199254740993.|9007199254740992e0|9223372036854775807|9223372036854775808"
    "|-9223372036854775809|9.223372036854775808e18|1d50|1d-50|1.0000000000000000000000000000000000000000000000"
    "|123456789012345678901234567890.1234567890|0.00000000000000000000000000000000000000000001"
    """|true|false|"1"|"true"|"a"|""|"Ä😀\\n"|"s1"|a|'1'|{{YQ==}}|{{"a"}}|2020-01-02|2020-01-02T00:00:00Z"""
    "|2020-01-02T00:00Z|2020-01-02T00:00:00.0000001Z|[]|[1]|[1.0, null]|{}|{a: 1}|{a: 1.0, b: [2]}|(1 2)"
)
WORDS = _ION.split("|")
#: Those that a query has no literal for.
BEYOND = ("9223372036854775808", "-9223372036854775809", "1d50")
#: So many that a long list is no short one.
FILL = [str(1000 + i) for i in range(MANY)] + [f"'fill{i}'" for i in range(MANY)]


def quoted(words: list[str]) -> list[str]:
    return [f"`{word}`" for word in words if word not in BEYOND]


@pytest.mark.parametrize("mode", ["permissive", pytest.param("strict", marks=pytest.mark.slow)])
def test_operands_without_a_type(spark: Any, mode: str) -> None:
    rows = [f"{{i: {i}, x: {word}}}" for i, word in enumerate(["null", *WORDS])]
    extra = ["{i: -1}"] if mode == "permissive" else []
    pair = sessions(spark, {"t": f"$bag::[{', '.join([*rows, *extra])}]"})
    some = quoted(WORDS)
    scalar = [word for word in some if word[1] not in "[({2"]
    lists = [some, [*scalar[::2], *FILL], [*some[1::2], *FILL], [*scalar[1::2], "NULL"], [*scalar[::2], "MISSING"]]
    queries = [f"SELECT t.i, t.x IN ({', '.join(each)}) AS y FROM t AS t" for each in lists]
    queries.append(f"SELECT VALUE t.i FROM t AS t WHERE t.x NOT IN ({', '.join(scalar[::2] + FILL)})")
    queries.append(f"SELECT VALUE t.i FROM t AS t WHERE {' OR '.join(f't.x = {word}' for word in scalar)}")
    assert not any(answer(pair[0], query, mode) is fs.FiresteelError for query in queries)
    assert differences(pair, queries, mode) == []


NUMBERS = ["1", "2", "-1", "1.0", "1.5", "1e0", "1.5e0", "0.1", "0.1e0", "-0e0", "300", "3000000000", "1e300"]
NUMBERS += ["9007199254740993", "9007199254740992e0", "9223372036854775808.", "nan", "+inf", "0.12345", "1.50000000"]
NUMBERS += ["0.00000001", "0"]
OTHERS = ["2020-01-02T00:00:00Z", "1969-12-31T00:00:01Z", "true", '"1"', '"a"', "a", "2020-01-02", '"Ä😀"', "[1]"]


@pytest.mark.parametrize("mode", ["permissive", pytest.param("strict", marks=pytest.mark.slow)])
def test_operands_with_a_type(spark: Any, mode: str) -> None:
    floats = [1.0, 1.5, 0.1, -0.0, 1e300, 9007199254740992.0, float("nan"), float("inf"), None]
    dates = [datetime.date(2020, 1, 2), datetime.date(1, 1, 1), None, datetime.date(1969, 12, 31)]
    columns = {
        **{f"a_{type_}": pa.array([1, 2, -1, 100, None], type_) for type_ in (pa.int8(), pa.int16(), pa.int32())},
        "a_int64": pa.array([1, -1, 3000000000, 9007199254740993, None], pa.int64()),
        "a_double": pa.array(floats, pa.float64()),
        "a_float": pa.array([1.5, 0.1, -0.0, None], pa.float32()),
        "a_text": pa.array(["1", "a", "Ä😀", "", None]),
        "a_decimal": pa.array([Decimal("1.00"), Decimal("1.50"), Decimal("0.12"), Decimal("300.00"), None]),
        "a_small": pa.array([Decimal("0.00000001"), Decimal("0.00000010"), Decimal("0E-8"), None]),
        "a_wide": pa.array([Decimal("9007199254740993.00000"), Decimal("0.12345"), None], pa.decimal128(38, 5)),
        "a_date": pa.array(dates, pa.date32()),
    }
    pair = (fs.connect(engine="reference"), fs.connect(spark=spark, in_process=False, fallback="refuse"))
    for name, column in columns.items():
        for session in pair:
            session.register(name, pa.table({"x": column}))
    long = [*(f"DATE '1970-{1 + i // 28:02}-{1 + i % 28:02}'" for i in range(60)), "DATE '0001-01-01'", *FILL]
    words = quoted([*NUMBERS, *OTHERS])
    lists = [[*words, *long], [*words[::2], *long, "NULL"], [*words[1::2], *long, "MISSING"]]
    # Each list says something of each column in one query: one job for all that it asks.
    said = ", ".join(f"t.x IN ({', '.join(each)}) AS y{i}" for i, each in enumerate(lists))
    queries = [f"SELECT {said} FROM {name} AS t" for name in columns]
    equalities = " OR ".join(f"t.x = {word}" for word in [*words, *FILL])
    queries += [f"SELECT VALUE {equalities} FROM {name} AS t" for name in columns]
    assert not any(answer(pair[0], query, mode) is fs.FiresteelError for query in queries)
    assert differences(pair, queries, mode) == []
