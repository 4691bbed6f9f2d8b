"""Decimals that have no common type in Spark compare as what they are, not rounded to fit."""

from __future__ import annotations

import operator
from decimal import Context, Decimal
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs

pytestmark = pytest.mark.spark

_OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
_COARSE = [Decimal(f"{sign}{digits}") for sign in ("", "-") for digits in ("0", "0.01", "1.23", "9" * 36 + ".99")]
_FINE = [
    Decimal(f"{sign}{digits}")
    for sign in ("", "-")
    for digits in (
        "0",
        "0.01",
        "0.005",
        "0." + "0" * 17 + "1",
        "1.23",
        "1.230000000000000001",
        "9" * 20 + "." + "9" * 18,
    )
]


@pytest.mark.parametrize("scale", [2, 0], ids=["decimals", "integers"])
def test_wide_decimals_compare_exactly(spark: Any, tmp_path: Path, scale: int) -> None:
    coarse = [value.quantize(Decimal(1).scaleb(-scale), context=Context(prec=40)) for value in _COARSE]
    pairs = [*product([*coarse, None], [*_FINE, None])]
    a, b = zip(*pairs, strict=True)
    columns = {
        "i": range(len(pairs)),
        "a": pa.array(a, pa.decimal128(38, scale)),
        "b": pa.array(b, pa.decimal128(38, 18)),
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    session = fs.connect(spark=spark, fallback="refuse")
    session.register("t", tmp_path / "t.parquet")
    items = ", ".join(f't.a {sign} t.b AS "a {sign} b", t.b {sign} t.a AS "b {sign} a"' for sign in _OPERATORS)
    wrong = []
    for row in session.query(f"SELECT t.i AS i, {items} FROM t").to_python():
        x, y = pairs[row["i"]]
        for sign, compare in _OPERATORS.items():
            for name, one, other in ((f"a {sign} b", x, y), (f"b {sign} a", y, x)):
                expected = None if one is None or other is None else compare(one, other)
                wrong += [(name, one, other)] if row[name] is not expected else []
    assert wrong == []
