"""Quotients of typed decimals: 38 digits, half to even, as the reference has them, whatever the types."""

from __future__ import annotations

import random
from decimal import Context, Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate.scalar.arithmetic import DECIMALS

pytestmark = pytest.mark.spark

_EXACT = Context(prec=100)
#: Precision and scale of dividend and divisor.
_TYPES = [
    ((15, 2), (15, 2)),
    ((38, 4), (38, 4)),
    ((38, 0), (1, 0)),
    ((38, 38), (38, 38)),
    ((38, 0), (38, 38)),
    ((38, 38), (38, 0)),
    ((38, 10), (24, 6)),
    ((5, 2), (30, 20)),
]


def _number(rnd: random.Random, digits: int) -> int:
    """Long and short ones, powers of ten and their neighbours, those whose quotients end, and those whose repeat."""
    size = rnd.randint(1, digits)
    few = rnd.choice([2, 3, 4, 7, 9, 11, 97]) * 10 ** rnd.randint(0, digits)
    near = 10**size - rnd.choice([0, 1, 2])
    found = rnd.choice([rnd.randint(1, 10**size), near, few, 2 ** rnd.randint(0, 100), 10 ** (digits - 1) * 3 + 1])
    return rnd.choice([1, -1]) * max(found % 10**digits, 1)


def _rows(rnd: random.Random, a: tuple[int, int], b: tuple[int, int]) -> list[tuple[Decimal, Decimal]]:
    """Those whose divisor has at most 37 digits, and the quotient at most 38 before the point."""
    rows = []
    while len(rows) < 150:
        dividend = rnd.choice([_number(rnd, a[0]), 10 ** a[0] - 1, 0 if rnd.random() < 0.1 else 1])
        divisor = rnd.choice([_number(rnd, min(b[0], 37)), rnd.choice([2, 4, 8])])
        x, y = _EXACT.scaleb(Decimal(dividend), -a[1]), _EXACT.scaleb(Decimal(divisor), -b[1])
        if not x or DECIMALS.divide(x, y).adjusted() < 38:
            rows.append((x, y))
    return rows


def _session(spark: Any, path: Path, rows: list[tuple[Any, Any]], a: tuple[int, int], b: tuple[int, int]) -> fs.Session:
    x, y = zip(*rows, strict=True)
    columns = {"i": range(len(rows)), "a": pa.array(x, pa.decimal128(*a)), "b": pa.array(y, pa.decimal128(*b))}
    pq.write_table(pa.table(columns), path)
    session = fs.connect(spark=spark, fallback="refuse")
    session.register("t", path)
    return session


@pytest.mark.parametrize(("a", "b"), _TYPES, ids=str)
def test_quotients(spark: Any, tmp_path: Path, a: tuple[int, int], b: tuple[int, int]) -> None:
    rows = _rows(random.Random(f"{a} {b}"), a, b)
    session = _session(spark, tmp_path / "t.parquet", rows, a, b)
    found = session.query("SELECT t.i AS i, t.a / t.b AS q FROM t").to_python()
    assert len(found) == len(rows)
    assert [(rows[row["i"]], row["q"]) for row in found if row["q"] != DECIMALS.divide(*rows[row["i"]])] == []


def test_what_is_no_quotient(spark: Any, tmp_path: Path) -> None:
    huge, tiny = Decimal(10) ** 37, Decimal("0.001")
    rows = [(None, tiny), (huge, None), (None, Decimal(0)), (huge, Decimal(0)), (huge, tiny)]
    session = _session(spark, tmp_path / "t.parquet", rows, (38, 0), (38, 3))
    assert session.query("SELECT VALUE t.a / t.b FROM t WHERE t.i < 3").to_python() == [None, None, None]
    assert session.query("SELECT VALUE MISSING / t.b FROM t WHERE t.i = 3").to_python() == [fs.MISSING]
    for mode in ("permissive", "strict"):
        with pytest.raises(EvaluationError, match="division by zero"):
            session.query("SELECT VALUE t.a / t.b FROM t WHERE t.i = 3", mode=mode).to_python()
        with pytest.raises(UnsupportedError, match="more than 38 digits"):
            session.query("SELECT VALUE t.a / t.b FROM t WHERE t.i = 4", mode=mode).to_python()
        with pytest.raises(UnsupportedError, match="more than 38 digits"):
            session.query("SELECT VALUE 1.5 / t.a FROM t WHERE t.i = 4", mode=mode).to_python()
