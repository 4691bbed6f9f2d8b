"""A float stands for the decimal of its shortest text, whatever Java writes; typed columns, and what scans are told."""

from __future__ import annotations

import math
import random
import re
import struct
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel.spark.encoding import columns as F
from firesteel.spark.numbers.float_text import shortest
from firesteel.values import decimal_of
from tests.spark.both import differences, sessions

pytestmark = pytest.mark.spark


def _random_float(rng: random.Random, exponent: int | None = None) -> float:
    """One of all the floats that are not negative."""
    bits = (rng.randrange(2047) if exponent is None else exponent) << 52 | rng.getrandbits(52)
    found: float = struct.unpack(">d", bits.to_bytes(8, "big"))[0]
    return found


def _floats(rng: random.Random, count: int) -> list[float]:
    """Of all exponents, more of those for which Java 17 writes wrong digits, powers of two, those with fewer bits."""
    found = [_random_float(rng) for _ in range(count)]
    found += [_random_float(rng, exponent) for exponent in (1082, 1085, 1107) for _ in range(count)]
    found += [2.0**exponent for exponent in range(-1074, 1024, 5)] + [5e-324 * n for n in range(1, 200)]
    found += [rng.random() * 10.0 ** rng.randint(-9, 9) for _ in range(count)]
    return [*found, 2e23, 8.41e21, 0.1 + 0.2, 1e23, 9007199254740993.0, 2.0**63]


@pytest.mark.parametrize("count", [500, pytest.param(30_000, marks=pytest.mark.slow)])
def test_the_shortest_text(spark: Any, count: int) -> None:
    floats = _floats(random.Random(count), count)
    frame = spark.createDataFrame(pa.table({"d": floats}))
    found = frame.select("d", shortest(F.col("d")).alias("text")).collect()
    assert [row for row in found if Decimal(row.text) != decimal_of(row.d)] == []


_WIDE = Context(prec=60)


def _number(rng: random.Random) -> float:
    digits = rng.randint(1, 17)
    return rng.choice([1, -1]) * rng.randrange(10**digits) / 10.0 ** rng.randint(0, digits)


def _table(path: Path, seed: int, count: int) -> None:
    """Floats beside the decimals that they stand for, what they are exactly, and what is next to those."""
    rng = random.Random(seed)
    rows: list[tuple[float | None, Decimal, int, Decimal, float]] = []
    for _ in range(count):
        number = _number(rng)
        near = rng.choice([number, math.nextafter(number, math.inf)])
        step = Decimal(rng.choice([0, 0, 1, -1])).scaleb(-18)
        exact = _WIDE.quantize(rng.choice([decimal_of(number), Decimal(number)]), Decimal(1).scaleb(-18)) + step
        whole = rng.choice([int(number), 2**53 + rng.randint(0, 9), 10**18, 2**62 + rng.randint(0, 900)])
        short = Decimal(rng.randrange(10**6)).scaleb(-2)
        rows.append((rng.choice([near, near, float(whole), float(short)]), exact, whole, short, float(short)))
    for odd in (math.nan, math.inf, -math.inf, -0.0, 5e-324, 1e300, None):
        rows.append((odd, Decimal(0), 2**63 - 1, Decimal("0.10"), 0.1))
    types = [pa.float64(), pa.decimal128(38, 18), pa.int64(), pa.decimal128(15, 2), pa.float32()]
    columns = [pa.array(column, type_) for column, type_ in zip(zip(*rows, strict=True), types, strict=True)]
    pq.write_table(pa.table([pa.array(range(len(rows))), *columns], names=["i", "x", "e", "b", "s", "f"]), path)


#: Values without a type, beside typed floats.
_UNTYPED = (
    "$bag::[1d300, 1e300, 1.0000000000000000001d300, 0, 0.0, 5d-324, 4d-324, 1d-400, 1d400, nan, +inf, 2, x, null]"
)
_LONG = ("t.e", "t.b")
_SHORT = ("t.s", "t.f", "99.88", "0.10000000000000001", "123456789012345678901.5", "2e0", "-1")


def _queries() -> list[str]:
    tests = [f"t.x {sign} {side}" for side in _SHORT for sign in ("=", "<", "<=", ">", ">=")]
    tests += [f"t.x {sign} {side}" for side in _LONG for sign in ("=", "<")] + ["t.b <= t.x", "99.88 < t.x"]
    tests += ["t.x IN (t.s, 99.88)", "t.x BETWEEN t.s AND 99.88", "t.x BETWEEN 0.1 AND 99.88", "t.f = 0.1", "t.f < t.s"]
    return [
        f"SELECT VALUE [t.i, {', '.join(tests)}] FROM t",
        *(f"SELECT COUNT(*) AS n FROM t AS a, t AS b WHERE a.x = b.{name}" for name in ("e", "b", "s", "f", "x")),
        *(f"SELECT t.x AS n FROM t UNION DISTINCT SELECT t.{name} AS n FROM t" for name in ("e", "b")),
        "SELECT COUNT(DISTINCT CASE WHEN t.i < 20 THEN t.x ELSE t.e END) AS n FROM t",
        "SELECT MIN(CASE WHEN t.i < 20 THEN t.x ELSE t.e END) AS low, MAX(COALESCE(t.x, t.e)) AS high FROM t",
        "SELECT COUNT(*) AS n FROM t GROUP BY CASE WHEN t.i < 20 THEN t.x ELSE t.e END",
        "SELECT COUNT(*) AS n FROM t WHERE t.x > 0.1 AND NOT t.x <= 99.88",
        "SELECT VALUE [t.i, t.x = r, t.x < r, r <= t.x] FROM t, v AS r WHERE t.x > 1e299 OR t.x < 1 OR t.i < 5",
    ]


@pytest.mark.parametrize("count", [40, pytest.param(2_000, marks=pytest.mark.slow)])
def test_typed_columns(spark: Any, tmp_path: Path, count: int) -> None:
    _table(tmp_path / "t.parquet", count, count)
    pair = (fs.connect(engine="reference"), fs.connect(spark=spark, in_process=False, fallback="refuse"))
    for session in pair:
        session.register("t", tmp_path / "t.parquet")
        session.register("v", fs.ion(_UNTYPED))
    assert differences(pair, _queries()) == []


_PUSHED = {
    "t.x = 99.88": r"EqualTo\(x,99.88\)",
    "99.88 < t.x": r"GreaterThan\(x,99.88\)",
    "t.x >= 1": r"GreaterThanOrEqual\(x,1.0\)",
    "t.x BETWEEN 0.5 AND 99.88": r"GreaterThanOrEqual\(x,0.5\), LessThanOrEqual\(x,99.88\)",
    "t.x IN (0.1, 99.88)": r"Or\(EqualTo\(x,0.1\),EqualTo\(x,99.88\)\)|In\(x, \[0.1,99.88\]\)",
    "t.x = 0.1e0": r"EqualTo\(x,0.1\)",
}


def test_an_integer_beside_the_last_exact_float(spark: Any) -> None:
    """2**53 is the float of itself and of the next integer."""
    pair = sessions(spark, {"t": "$bag::[{y: 9007199254740992e0, f: 1}, {y: -9007199254740992e0, f: 2}]"})
    for session in pair:
        session.register("n", pa.table({"x": [s * (2**53 + i) for s in (1, -1) for i in (-1, 0, 1, 2)]}))
    queries = [f"SELECT n.x, t.f FROM n AS n, t AS t WHERE n.x {sign} t.y" for sign in ("=", "<", ">=")]
    queries.append("SELECT VALUE n.x FROM n AS n WHERE n.x = `9007199254740992e0`")
    assert differences(pair, queries) == []


def test_what_a_scan_is_told(spark: Any, tmp_path: Path) -> None:
    """NaN is less than any number to us, and not to Spark: so `<` alone is not for a scan."""
    pq.write_table(pa.table({"x": [99.88, 0.1, 100.0, math.nan, 99.0]}), tmp_path / "t.parquet")
    session = fs.connect(spark=spark)
    session.register("t", tmp_path / "t.parquet")
    found = {}
    for condition in _PUSHED:
        frame = session.query(f"SELECT VALUE t.x FROM t WHERE {condition}").to_spark()
        plan = str(frame._jdf.queryExecution().executedPlan().toString())
        found[condition] = plan[plan.index("PushedFilters:") : plan.index("ReadSchema:")]
    assert [(one, found[one]) for one, wanted in _PUSHED.items() if not re.search(wanted, found[one])] == []
    assert session.query("SELECT VALUE t.x FROM t WHERE t.x = 99.88").to_python() == [99.88]
