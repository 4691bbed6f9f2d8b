"""Computed decimals have the same digits on both engines, zeros at their end included: the texts are compared."""

from __future__ import annotations

import random
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel import values
from firesteel.ion import dumps

pytestmark = pytest.mark.spark

_LITERALS = ("2", "0.5", "1.50", "10", "-0.25", "100.00", "3")


def _chain(rng: random.Random, depth: int, signs: str) -> str:
    """Sums and products over the columns of a row, and what else there is of a chain's operators."""
    if depth == 0:
        return rng.choice(["t.a", "t.b", "t.c", rng.choice(_LITERALS)])
    left, right = _chain(rng, depth - 1, signs), _chain(rng, rng.randint(0, depth - 1), signs)
    sign = rng.choice(signs)
    return {"/": f"({left} / 8)", "%": f"({left} % 7)", "n": f"(- {left})"}.get(sign, f"({left} {sign} {right})")


def _texts(session: fs.Session, query: str) -> list[str]:
    return sorted(dumps(row) for row in session.query(query).value())


def _differences(pair: tuple[fs.Session, fs.Session], queries: list[str]) -> list[tuple[str, str, str]]:
    found = []
    for query in queries:
        expected, actual = (_texts(session, query) for session in pair)
        found += [(query, a, b) for a, b in zip(expected, actual, strict=True) if a != b][:2]
    return found


def _queries(chains: list[str], sums: list[str]) -> list[str]:
    totals = ", ".join(f"SUM({chain}) AS s{i}" for i, chain in enumerate(sums))
    return [
        f"SELECT t.i AS i, [{', '.join(chains)}] AS l FROM t",
        f"SELECT {totals}, AVG(t.a) AS m, SUM(t.b) / 4 AS q FROM t",
        "SELECT t.g AS g, SUM(t.a * t.b) AS p, SUM(t.a) AS s FROM t GROUP BY t.g",
        "SELECT u.i AS i, u.x AS x, u.y AS y FROM (SELECT t.i AS i, t.a * t.b AS x, t.c + 1 AS y FROM t) AS u",
        "SELECT VALUE [t.i, CAST(t.g AS DECIMAL), CAST(t.a AS DECIMAL(10,4)), t.a * t.b] FROM t",
    ]


def _rows(seed: int, count: int) -> list[dict[str, Any]]:
    rng = random.Random(seed)

    def number() -> Decimal:
        digits = rng.randint(1, 2)
        found = Decimal(rng.randrange(-(10**3), 10**3) * 10 + rng.randint(1, 9)).scaleb(-digits)
        return rng.choice([found, found, found.to_integral_value().quantize(Decimal("0.1"))])

    return [{"i": i, "g": i % 3, "a": number(), "b": number(), "c": number()} for i in range(count)]


def _pair(spark: Any, path: Path, shapes: bool = True) -> tuple[fs.Session, fs.Session]:
    ours = fs.connect(spark=spark, in_process=False, fallback="refuse", shapes=shapes)
    pair = (fs.connect(engine="reference"), ours)
    for session in pair:
        session.register("t", path)
    return pair


@pytest.mark.parametrize("count", [2, pytest.param(40, marks=pytest.mark.slow)])
def test_of_json(spark: Any, tmp_path: Path, count: int) -> None:
    """Spark's variants do not tell the zeros at the end of a decimal, but for that of `19.0`: none are in the data, and
    those of a result count in a chain of sums and products only. If the shape of the file is known, a result has the
    digits of its type, without zeros at the end: it is the same number."""
    path = tmp_path / "t.jsonl"
    rows = ["{" + ", ".join(f'"{name}": {value}' for name, value in row.items()) + "}" for row in _rows(1, 25)]
    path.write_text("\n".join(rows), encoding="utf-8")
    rng = random.Random(4)
    chains = [_chain(rng, 2, "+-*") for _ in range(count)]
    alone = ["- t.a", "t.a / 8", "t.b % 7", "t.a / t.b", "abs(t.c)"]
    queries = _queries([*chains, *alone], chains[:2])
    assert _differences(_pair(spark, path, shapes=False), queries) == []
    reference, typed = _pair(spark, path)
    for query in queries:
        assert values.equal(typed.query(query).value(), reference.query(query).value()), query


@pytest.mark.parametrize("count", [12, pytest.param(150, marks=pytest.mark.slow)])
def test_of_typed_columns(spark: Any, tmp_path: Path, count: int) -> None:
    types = {"a": pa.decimal128(12, 4), "b": pa.decimal128(14, 6), "c": pa.decimal128(10, 1)}
    rows = [{**row, "c": row["c"].quantize(Decimal("0.1"))} for row in _rows(1, 25)]
    schema = pa.schema({"i": pa.int32(), "g": pa.int32(), **types})
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "t.parquet")
    rng = random.Random(12)
    chains = [_chain(rng, rng.randint(1, 2), "+-**/%n") for _ in range(count)]
    typed = [chain for chain in chains if "/" not in chain]  # a quotient is a variant, and so is what is made of it
    assert _differences(_pair(spark, tmp_path / "t.parquet"), _queries(chains, typed[:6])) == []


def test_a_product_of_json(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"items": [{"qty": 3, "price": 4.5}, {"qty": 4, "price": 2.5}, {"qty": 1, "price": 0.125}]}\n')
    for session in _pair(spark, path):
        found = session.query("SELECT VALUE i.qty * i.price FROM t AS r, r.items AS i").to_python()
        assert sorted(map(str, found)) == ["0.125", "10.0", "13.5"]
