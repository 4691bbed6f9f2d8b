"""Queries inside a row over JSON lines, whose values are all that JSON can say: as the reference has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from tests.spark.both import differences

pytestmark = pytest.mark.spark

_TAME = (
    *("0", "1", "-7", "2.5", "-0.10", "100.00", "0.00000000000001", "1e3", "-2.5E-3", '"x"', '"2"', '""'),
    *('"NaN"', '"a\\"b\\u00e9"', "true", "false", "null", "", "[1]", '{"a":1}', "[]"),
)
#: Numbers with which arithmetic fails; it is not done with these.
_WILD = ("9223372036854775807", "-9223372036854775808", "12345678901234567890", "123456789012345678.123456", "1e400")
_ODD = ("null", "5", '[1,"x",null,{"a":1,"b":2}]', '[{"A":1,"b":2}]', "")

_COMPARISONS = (
    *("i.a > 2", "i.a <= 2.5", "i.a = 'x'", "i.a >= 'b'", "i.a < i.b", "i.a = i.b", "i.a = 1"),
    *("i.a IN (1, 2.5, 'x')", "i.a BETWEEN 1 AND i.b", "i.a > 1 AND i.b < 5", "i.a > 1 OR i.b = 'x'", "NOT (i.a > 1)"),
)
_VALUES = (
    *("i.a || 'z'", "i.a || i.b", "CASE WHEN i.a > 1 THEN i.b ELSE i.a END", "COALESCE(i.a, i.b)", "i.a[0]", "i.a.a"),
    *("i.a IS INTEGER", "i.a IS NULL", "char_length(i.a)", "i.a"),
)
_ARITHMETIC = ("i.a + 1", "i.a - i.b", "i.a * i.b", "i.a * 2.5", "-i.a", "abs(i.a)", "i.a + i.b > 2", "i.a * i.b * 0.5")
_TOTALS = ("SUM(i.a)", "SUM(i.b)", "SUM(i.a * i.b)", "SUM(i.a + i.b)", "AVG(i.b)", "MIN(i.a)", "MAX(i.b)", "COUNT(i.a)")


def _item(a: str, b: str) -> str:
    return "{" + ",".join(f'"{name}":{text}' for name, text in (("a", a), ("b", b)) if text) + "}"


def _lines(values: tuple[str, ...]) -> list[str]:
    rows = [f"[{','.join(_item(a, b) for b in values)}]" for a in values]
    items = [f',"items":{row}' if row else "" for row in (*rows, *_ODD)]
    return [f'{{"id":{i}{item}}}\n' for i, item in enumerate(items)]


@pytest.fixture(scope="module")
def pair(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[fs.Session, fs.Session]:
    folder: Path = tmp_path_factory.mktemp("lines")
    sessions = (fs.connect(engine="reference"), fs.connect(spark=spark, in_process=False, fallback="refuse"))
    for name, values in (("tame", _TAME), ("wild", (*_TAME, *_WILD))):
        (folder / f"{name}.jsonl").write_text("".join(_lines(values)), encoding="utf-8")
        for session in sessions:
            session.register(name, folder / f"{name}.jsonl")
    return sessions


def _each(table: str, expressions: tuple[str, ...]) -> str:
    listed = ", ".join(f"'{n}': {expression}" for n, expression in enumerate(expressions))
    return f"SELECT t.id, (SELECT VALUE {{{listed}}} FROM t.items AS i) AS found FROM {table} AS t"


def _where(table: str, conditions: tuple[str, ...]) -> str:
    listed = [
        f"(SELECT COUNT(*) FROM t.items AS i WHERE {condition}) AS n{n}" for n, condition in enumerate(conditions)
    ]
    return f"SELECT t.id, {', '.join(listed)} FROM {table} AS t"


def test_permissive(pair: tuple[fs.Session, fs.Session]) -> None:
    totals = [f"(SELECT {total} FROM t.items AS i WHERE i.b > 0) AS n{n}" for n, total in enumerate(_TOTALS)]
    queries = [
        _each("wild", (*_COMPARISONS, *_VALUES)),
        _where("wild", ("i.a > 2", "i.a = 'x'", "i.a > 1 AND i.b < 5", "NOT (i.a > 1)")),
        f"SELECT t.id, {', '.join(totals)} FROM tame AS t",
    ]
    assert not differences(pair, queries)


@pytest.mark.slow
def test_arithmetic(pair: tuple[fs.Session, fs.Session]) -> None:
    assert not differences(pair, [_each("tame", _ARITHMETIC), _where("tame", ("i.a", *_ARITHMETIC))])


_STRICT_NUMBERS = "SELECT VALUE i FROM t.items AS i WHERE i.a IS INTEGER AND i.b IS DECIMAL"


@pytest.mark.parametrize(
    "queries",
    [
        [
            "SELECT t.id, (SELECT VALUE i.a < 2 FROM t.items AS i) AS found FROM wild AS t",
            f"SELECT t.id, (SELECT COUNT(*) FROM ({_STRICT_NUMBERS}) AS j WHERE j.a < j.b) AS found FROM tame AS t",
        ],
        pytest.param(
            [
                "SELECT t.id, (SELECT VALUE i.a + 1 FROM t.items AS i) AS found FROM wild AS t",
                "SELECT t.id, (SELECT VALUE [j.a < j.b, j.a + j.b, j.a * 2] "
                f"FROM ({_STRICT_NUMBERS}) AS j) AS found FROM tame AS t",
            ],
            marks=pytest.mark.slow,
        ),
    ],
    ids=["comparisons", "sums"],
)
def test_strict(queries: list[str], pair: tuple[fs.Session, fs.Session]) -> None:
    assert not differences(pair, queries, "strict")
