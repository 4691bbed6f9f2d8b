"""Files whose owner gave a schema: plain columns on Spark, and the answers of the reference evaluator."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel import values
from firesteel.spark.sources import csv_frames, file_frames, ion_files
from firesteel.spark.sources.shapes import declared_lines

pytestmark = pytest.mark.spark

SCHEMA = (
    "id bigint, n int, v double, d decimal(8,3), s string, b boolean, day date, at timestamp_ntz, "
    "p struct<a:bigint,q:struct<c:string>>, l array<struct<q:int,day:date>>, m map<string,bigint>, `Über` string"
)
ROWS = [
    {"id": 1, "n": 2, "v": 1, "d": 1.25, "s": "x", "b": True, "day": "2024-02-29", "at": "2024-01-01 10:00:00"},
    {"id": 2, "p": {"a": 1, "q": {"c": "y", "z": 1}, "more": [1]}, "l": [{"q": 1, "x": 2}, {"day": "2024-01-01"}]},
    {"id": 3, "p": {"q": None}, "l": [], "m": {"u1": 5, "ü2": None}, "Über": "ä", "ID": 9, "unknown": {"a": 1}},
    {"id": 4, "n": None, "v": 1e300, "d": 12345, "l": [None, {"q": 3}], "m": {"u1": 7}},
    {},
]
QUERIES = [
    "SELECT VALUE r FROM t AS r",
    "SELECT r.id, r.p.q.c, r.p.a, r.l[0].q AS q FROM t AS r",
    "SELECT r.id, i.q, i.day FROM t AS r, r.l AS i",
    "SELECT w AS who, SUM(n) AS n FROM t AS r, UNPIVOT r.m AS n AT who GROUP BY who AS w",
    "SELECT COUNT(*) AS n, SUM(r.d) AS d, MAX(r.day) AS day FROM t AS r WHERE r.id IS NOT NULL",
    "SELECT r.id, r.day, r.at, r.v / 2 AS v, r.unknown AS u FROM t AS r WHERE r.day > DATE '2024-01-01'",
    'SELECT VALUE r."Über" FROM t AS r WHERE r.n IS NULL',
]


@pytest.fixture(scope="module")
def both(spark: Any) -> Iterator[tuple[fs.Session, fs.Session]]:
    with fs.connect(spark=spark, in_process=False) as ours:
        yield ours, fs.connect(engine="reference")


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def answers(sessions: tuple[fs.Session, ...], path: Path, query: str, **how: Any) -> list[Any]:
    found: list[Any] = []
    for session in sessions:
        session.register("t", path, replace=True, **{"schema": SCHEMA, **how})
        try:
            found.append(session.query(query).value())
        except fs.EvaluationError as error:
            found.append(error.message)
    return found


def test_answers_are_those_of_the_reference(both: tuple[fs.Session, ...], tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", ROWS)
    for query in QUERIES:
        got, expected = answers(both, path, query)
        assert values.equal(got, expected), f"{query}\n{got!r}\n{expected!r}"


def test_columns_are_read_plain(both: tuple[fs.Session, ...], tmp_path: Path, capsys: Any) -> None:
    both[0].register("t", write(tmp_path / "t.jsonl", ROWS), schema=SCHEMA, replace=True)
    both[0].query("SELECT t.p.a AS a FROM t AS t WHERE t.v > 1").to_spark().explain()
    plan = capsys.readouterr().out
    assert "ReadSchema: struct<v:double,p:struct<a:bigint>>" in plan, plan
    assert both[0].describe("t").shape == "given"
    assert "its shape is given" in both[0].explain("SELECT t.p.a AS a FROM t AS t")


@pytest.mark.parametrize("size", [1 << 20, -1])
def test_what_does_not_fit(
    both: tuple[fs.Session, ...], tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `check` both engines give the first value that does not fit, also where no query asks for it."""
    monkeypatch.setattr(declared_lines, "SMALL", size)
    wrongs = [
        {"s": 1},
        {"id": "x"},
        {"id": 1.5},
        {"n": 1 << 40},
        {"day": "2024-02-30"},
        {"l": [{"q": []}]},
        {"d": 0.1234},
    ]
    for i, wrong in enumerate(wrongs[:: 1 if size > 0 else 3]):
        path = write(tmp_path / f"t{i}.jsonl", [*ROWS, wrong, {"b": "too"}])
        got, expected = answers(both, path, "SELECT VALUE t.v FROM t AS t", check=True)
        assert f"{path}: column '" in expected
        assert "(row 6)" in expected
        assert got == expected
    path.write_text(path.read_text().replace('"too"', "true").replace(json.dumps(wrong), "{}"), encoding="utf-8")
    got, expected = answers(both, path, "SELECT VALUE t.v FROM t AS t", check=True)
    assert values.equal(got, expected)


def test_facts_about_delimited_text_are_kept(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\n1,"x\ny"\n', encoding="utf-8")
    looked: list[str] = []
    for name in ("_types", "_spans_lines"):
        found = getattr(csv_frames, name)
        monkeypatch.setattr(csv_frames, name, lambda *given, n=name, f=found: looked.append(n) or f(*given))
    answered = []
    for text in (None, None, 'a,b\nx,"x\ny"\n'):
        if text is not None:
            path.write_text(text, encoding="utf-8")
        file_frames._cache.clear()
        with fs.connect(spark=spark, in_process=False, shapes=tmp_path / "shapes") as session:
            session.register("t", path)
            answered.append(session.query("SELECT VALUE t FROM t AS t").to_python())
    assert answered == [[{"a": 1, "b": "x\ny"}]] * 2 + [[{"a": "x", "b": "x\ny"}]]
    assert looked == ["_spans_lines", "_types"] * 2


def test_a_reader_that_fails(both: tuple[fs.Session, ...], tmp_path: Path) -> None:
    """Without `check` too what Spark's reader refuses is read again: it fits, or is an error that shows it."""
    path = write(tmp_path / "t.jsonl", [*ROWS, {"id": 5.0, "n": 12.0}])
    got, expected = answers(both, path, "SELECT t.id, t.n FROM t AS t")
    assert values.equal(got, expected), (got, expected)
    path = write(tmp_path / "u.jsonl", [*ROWS, {"id": "five"}])
    got, expected = answers(both, path, "SELECT t.id, t.n FROM t AS t")
    assert [one.partition("column ")[2].partition(" (")[0] for one in (got, expected)] == [
        "'id': \"five\" does not fit bigint"
    ] * 2


def test_other_files(both: tuple[fs.Session, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders with partition columns, packed files, types that only variants have, documents and Ion."""
    monkeypatch.setattr(ion_files, "LARGE", -1)
    for year in (2023, 2024):
        (tmp_path / "y" / f"year={year}").mkdir(parents=True)
        write(tmp_path / "y" / f"year={year}" / "t.jsonl", ROWS)
    (tmp_path / "packed.jsonl").write_bytes(gzip.compress(write(tmp_path / "t.jsonl", ROWS).read_bytes()))
    (tmp_path / "document.json").write_text(json.dumps(ROWS, indent=1), encoding="utf-8")
    (tmp_path / "t.ion").write_text(
        "{id: 1, s: a, d: 1.5, p: {a: 2, b: 3}} {id: null} {l: [{q: 1}], day: $date::{year: 2024, month: 1, day: 1}}"
    )
    loose = "id bigint not null, p variant, l array<variant>"
    cases = [
        ("y", "SELECT r.year, COUNT(r.p) AS n FROM t AS r GROUP BY r.year", {}),
        ("packed.jsonl", "SELECT r.id, r.p FROM t AS r", {}),
        (
            "t.jsonl",
            "SELECT r.id, r.p.a, i FROM t AS r, r.l AS i WHERE r.id > 0",
            {"schema": loose.replace("not null", "")},
        ),
        ("document.json", "SELECT r.id, r.p, r.day FROM t AS r", {}),
        ("t.ion", "SELECT r.id, r.s, r.d, r.p, r.l, r.day FROM t AS r", {}),
    ]
    for name, query, how in cases:
        got, expected = answers(both, tmp_path / name, query, **how)
        assert values.equal(got, expected), f"{name}: {query}\n{got!r}\n{expected!r}"
        assert isinstance(expected, values.Bag), expected
    got, expected = answers(both, tmp_path / "t.jsonl", "SELECT VALUE t.id FROM t AS t", schema=loose)
    assert "'id': NULL does not fit bigint" in got
    assert "'id': NULL does not fit bigint" in expected
