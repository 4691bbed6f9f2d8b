"""Files whose shape is learned are read typed: answers are the reference's, also after a file has changed."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel import values
from firesteel.spark.sources.shapes import known_shapes
from firesteel.spark.sources.shapes.learn_lines import shapes_of_lines
from firesteel.tables.shapes.learn_json import shape_of_lines
from firesteel.tables.shapes.prove_json import prove
from firesteel.tables.shapes.value_shapes import ValueShape
from tests.spark.sources import documents
from tests.spark.sources.drifting import lines

pytestmark = pytest.mark.spark

COUNTED = "SELECT COUNT(*) AS n FROM t"
QUERIES = [
    "SELECT VALUE r FROM t AS r",
    "SELECT r.k, r.x, r.o.a, r.l[0].q FROM t AS r",
    "SELECT VALUE [r.x + 1, r.x * r.y, r.x - r.o.a, -r.y] FROM t AS r",
    "SELECT r.k FROM t AS r WHERE r.x > 3 OR r.o.b = 'low' OR r.x = r.y",
    'SELECT VALUE [r.x IS MISSING, r.x IS NULL, r.o.a IS MISSING, r.X IS NULL, r."X" IS MISSING] FROM t AS r',
    "SELECT k, COUNT(*) AS n, COUNT(r.x) AS c, MAX(r.y) AS m FROM t AS r GROUP BY r.k AS k",
    "SELECT x, COUNT(*) AS n FROM t AS r GROUP BY r.x AS x",
    "SELECT r.k, i.q, i.p FROM t AS r, r.l AS i WHERE i.q IS NOT NULL",
    "SELECT r.k, (SELECT COUNT(*) AS n, MIN(i.p) AS m FROM r.l AS i) AS w FROM t AS r",
    "SELECT r.k, (SELECT SUM(i.q * i.p) AS w, SUM(i.p) AS p, SUM(i.q - 1) AS q FROM r.l AS i) AS w FROM t AS r",
    "SELECT r.k, (SELECT g, SUM(i.p) AS p FROM r.l AS i GROUP BY i.q AS g) AS w FROM t AS r",
    "SELECT DISTINCT VALUE r.o FROM t AS r",
    "SELECT VALUE e FROM t AS r, r.s AS e ORDER BY e, r.k",
    "SELECT VALUE CAST(r.x AS STRING) || 'x' FROM t AS r",
    "SELECT a.k, b.y FROM t AS a JOIN t AS b ON a.x = b.o.a WHERE a.k < b.k",
    "SELECT VALUE COALESCE(r.x, r.o.b, 0) FROM t AS r",
    "SELECT VALUE CASE WHEN r.k = 1 THEN r.x ELSE 0 END FROM t AS r",
    COUNTED,
]


@pytest.fixture(scope="module")
def ours(spark: Any) -> Iterator[fs.Session]:
    with fs.connect(spark=spark, in_process=False) as session:
        yield session


def differences(ours: fs.Session, path: Path, queries: list[str]) -> list[str]:
    reference = fs.connect(engine="reference")
    found = []
    for session in (ours, reference):
        session.register("t", path, replace=True)
    for query in queries:
        expected, got = (_answer(session, query) for session in (reference, ours))
        if not values.equal(got, expected):
            found.append(f"{path.name}: {query}\n  Spark:     {got!r}\n  reference: {expected!r}")
    return found


def _answer(session: fs.Session, query: str) -> values.Value:
    try:
        return session.query(query).value()
    except fs.EvaluationError as error:
        return f"an error: {error.message.split(':')[0]}"


def check(ours: fs.Session, folder: Path, seeds: range, queries: list[str]) -> None:
    found: list[str] = []
    for seed in seeds:
        path = folder / f"t{seed}.jsonl"
        path.write_text("\n".join(lines(seed)), encoding="utf-8")
        found += differences(ours, path, queries)
    assert not found, "\n".join(found)


def test_answers_are_those_of_the_reference(ours: fs.Session, tmp_path: Path) -> None:
    check(ours, tmp_path, range(1), QUERIES)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1, 60, 10))
def test_more_answers(first: int, ours: fs.Session, tmp_path: Path) -> None:
    check(ours, tmp_path, range(first, first + 10), QUERIES)


@pytest.mark.parametrize("seeds", [range(60, 61), pytest.param(range(61, 80), marks=pytest.mark.slow)])
def test_answers_with_proven_claims(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seeds: range) -> None:
    """What a query touches is claimed from a few lines, and proven for all; or else Spark learns the shape. Each
    query has its own file, because what is learned of a file whole is not claimed any more."""
    monkeypatch.setattr(known_shapes, "SMALL", -1)
    monkeypatch.setattr(known_shapes, "LARGE", 0)
    monkeypatch.setattr(known_shapes, "SAMPLE", 4 * 600)
    proven: list[bool] = []
    monkeypatch.setattr(known_shapes, "prove", lambda *given: proven.append(prove(*given)) or proven[-1])
    found: list[str] = []
    with fs.connect(spark=spark, in_process=False) as session:
        for seed in seeds:
            for i, query in enumerate(QUERIES):
                path = tmp_path / f"t{seed}-{i}.jsonl"
                path.write_text("\n".join(lines(seed)), encoding="utf-8")
                found += differences(session, path, [query])
        session.register("claimed", tmp_path / f"t{seeds[0]}-{QUERIES.index(COUNTED)}.jsonl")
        shape = "sampled, and proven where queries needed it"
        assert session.describe("claimed").shape == shape
        assert f"its shape is {shape}" in session.explain(COUNTED.replace("FROM t", "FROM claimed"))
    assert not found, "\n".join(found)
    assert proven.count(True) > len(seeds)


@pytest.mark.parametrize("seeds", [range(1), pytest.param(range(1, 20), marks=pytest.mark.slow)])
@pytest.mark.parametrize("way", ["learned", "sampled", "off"])
def test_documents(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, seeds: range) -> None:
    """Other data, with shapes learned, claimed and proven, and without."""
    if way == "sampled":
        monkeypatch.setattr(known_shapes, "SMALL", -1)
        monkeypatch.setattr(known_shapes, "LARGE", 0)
        monkeypatch.setattr(known_shapes, "SAMPLE", 4 * 6000)
    found: list[str] = []
    with fs.connect(spark=spark, in_process=False, shapes=way != "off") as session:
        for seed in seeds:
            path = tmp_path / f"d{seed}.jsonl"
            path.write_text("\n".join(documents.lines(seed)), encoding="utf-8")
            step = 1 if len(seeds) > 1 else 2 if way == "learned" else 6
            found += differences(session, path, documents.QUERIES[::step])
    assert not found, "\n".join(found)


@pytest.mark.slow
def test_answers_with_shapes_that_spark_learned(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_shapes, "SMALL", -1)
    with fs.connect(spark=spark, in_process=False) as session:
        check(session, tmp_path, range(100, 110), QUERIES)


# ---------------------------------------------------------------------------------------------------------------------
# The two ways to learn


def covers(more: ValueShape, less: ValueShape) -> bool:
    """Does the one shape allow all that the other does?"""
    if not more.kinds >= less.kinds or more.null < less.null or more.zeros < less.zeros:
        return False
    if len(more.kinds) > 6:  # Spark says of an array of unlike values only that they are unlike
        return True
    if more.whole < less.whole or more.places < less.places or not more.optional >= less.optional:
        return False
    if more.fields.keys() != less.fields.keys():
        return False
    inner = all(covers(more.fields[name], less.fields[name]) for name in less.fields)
    return inner and (less.element is None or (more.element is not None and covers(more.element, less.element)))


def test_spark_learns_what_this_process_learns(spark: Any, tmp_path: Path) -> None:
    expected = {}
    for seed in range(200, 212):
        text = "\n".join(["", *lines(seed)])
        path = tmp_path / f"l{seed}.jsonl"
        path.write_text(text, encoding="utf-8")
        expected[path.name] = shape_of_lines(text.encode().split(b"\n"))
    found = shapes_of_lines(spark.read.text(str(tmp_path)))
    assert len(found) == len(expected)
    for uri, shape in found.items():
        assert isinstance(shape, ValueShape), shape
        assert covers(shape, expected[uri.rpartition("/")[2]]), f"{uri}\n{shape}\n{expected[uri.rpartition('/')[2]]}"


def without_values(shape: ValueShape) -> ValueShape:
    """The shape as Spark learns it: what is below keys that are data is cut out of the lines."""
    fields = {key: without_values(one) for key, one in shape.fields.items()}
    return replace(shape, fields=fields, values=None)


def test_spark_learns_of_keys_that_are_data(spark: Any, tmp_path: Path) -> None:
    rows = [
        {"id": i, "o": {"votes": {f"u{i}": i / 4, "x {": {"}": "\\"}}}, "s": 'say "votes": {1}'} for i in range(300)
    ]
    text = "\n".join(map(json.dumps, rows))
    (tmp_path / "t.jsonl").write_text(text, encoding="utf-8")
    (found,) = shapes_of_lines(spark.read.text(str(tmp_path)), frozenset(("votes",))).values()
    assert found == without_values(shape_of_lines(text.encode().split(b"\n"), frozenset(("votes",))))


BAD = ['{"a": 1} and more', '{"a": 1}{"a": 2}', '{"a": 1},"b":{"a": 2}', '{"a": 1', "[1]", "7", "x"]


def test_lines_that_spark_learns_nothing_of(spark: Any, tmp_path: Path) -> None:
    for i, bad in enumerate(BAD):
        (tmp_path / f"b{i}.jsonl").write_text(f'{{"a": 1}}\n{bad}\n', encoding="utf-8")
    (tmp_path / "utf.jsonl").write_bytes(b'{"a": "\xff"}\n')
    found = shapes_of_lines(spark.read.text(str(tmp_path)))
    assert [type(shape) for shape in found.values()] == [str] * (len(BAD) + 1), found


def test_a_line_that_does_not_fit(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark's parser keeps the last value of a key that repeats, so the pass that learns sees no string here."""
    monkeypatch.setattr(known_shapes, "SMALL", -1)
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n{"a": "x", "a": 2}\n', encoding="utf-8")
    with fs.connect(spark=spark, in_process=False) as session:
        assert not differences(session, path, ["SELECT VALUE t.a + 1 FROM t AS t"])
        assert session.query("SELECT VALUE t.a + 1 FROM t AS t").to_spark().count() == 2


HASHED = [
    "SELECT v, COUNT(*) AS n, SUM(r.k) AS k FROM t AS r GROUP BY r.v AS v",
    "SELECT DISTINCT VALUE r.v FROM t AS r",
    "SELECT VALUE r.v FROM t AS r UNION SELECT VALUE r.k FROM t AS r",
    "SELECT VALUE r.v FROM t AS r INTERSECT ALL SELECT VALUE r.w FROM t AS r",
    "SELECT VALUE r.k FROM t AS r EXCEPT SELECT VALUE r.s FROM t AS r",
]


def test_values_that_drift_are_grouped_by_hash(ours: fs.Session, tmp_path: Path, capsys: Any) -> None:
    drift = [1, "1", True, "true", 2.5, "2.5", None, -0.125, "ä", 10**17]
    rows = [{"k": i % 3, "v": drift[i % 10], "w": drift[i % 5], "s": str(i)} for i in range(40)] + [{"k": 7}]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert not differences(ours, path, HASHED)
    for query in HASHED:
        ours.query(query).to_spark().explain()
        plan = capsys.readouterr().out
        assert "HashAggregate" in plan, plan
        assert "SortAggregate" not in plan, plan


# ---------------------------------------------------------------------------------------------------------------------
# Files that change

FIRST = '{"a": 1, "s": "x", "d": 1.5, "o": {"b": 1}}\n{"a": 2, "s": "y", "d": 2.25, "o": {"b": 2}}\n'
#: What becomes of the file, each time after its shape was learned and used.
CHANGES = {
    "a number is a string on the last line": FIRST + '{"a": "3", "s": "z", "d": 1.5}\n',
    "a string is a number on the last line": FIRST + '{"a": 3, "s": 3, "d": 1.5}\n',
    "a key in another case": FIRST + '{"A": 3, "s": "z", "d": 1.5}\n',
    "a null": FIRST + '{"a": null, "s": null, "d": 1.5}\n',
    "a wider decimal": FIRST + '{"a": 3, "s": "z", "d": 1234567.123456789}\n',
    "a wider integer": FIRST + '{"a": 12345678901234, "s": "z", "d": 1.5}\n',
    "an object is an array": FIRST + '{"a": 3, "s": "z", "o": [{"b": 1}]}\n',
    "a decimal is an integer": FIRST + '{"a": 3, "s": "z", "d": 7}\n',
    "fewer lines": FIRST.splitlines()[0] + "\n",
    "other values of the same size": FIRST.replace('"x"', "123"),
    "a key that repeats": FIRST + '{"a": 3, "a": 4, "s": "z"}\n',
    "no lines": "",
}
CHANGED = [
    "SELECT VALUE t FROM t AS t",
    "SELECT t.a + 1 AS a, t.s || '!' AS s, t.d * 2 AS d, t.o.b AS b FROM t AS t",
    "SELECT COUNT(*) AS n, SUM(t.d) AS d FROM t AS t",
]


def test_a_changed_file_is_learned_again(ours: fs.Session, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    found: list[str] = []
    for name, text in CHANGES.items():
        path.write_text(FIRST, encoding="utf-8")
        found += differences(ours, path, CHANGED[1:2])
        times = path.stat()
        path.write_text(text, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # a program may set the time of change back
        found += [f"{name}: {one}" for one in differences(ours, path, CHANGED)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("bad", ['{"a": 3, "s"', '{"a": 3} and more'])
def test_a_line_that_is_cut(ours: fs.Session, tmp_path: Path, bad: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(FIRST, encoding="utf-8")
    assert not differences(ours, path, CHANGED)
    path.write_text(FIRST + bad, encoding="utf-8")
    with pytest.raises(fs.EvaluationError, match="not a JSON value"):
        ours.query("SELECT VALUE t.a FROM t AS t").value()


def test_a_query_that_was_planned_before_the_change(ours: fs.Session, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(FIRST, encoding="utf-8")
    ours.register("t", path, replace=True)
    result, frame = (ours.query("SELECT VALUE t.s FROM t AS t") for _ in range(2))
    path.write_text(FIRST + '{"a": 3, "s": 4}\n', encoding="utf-8")
    assert sorted(map(str, result.to_python())) == ["4", "x", "y"]
    assert frame.to_spark().count() == 3


def test_a_new_file_in_the_folder(ours: fs.Session, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    (folder / "a.jsonl").write_text(FIRST, encoding="utf-8")
    assert not differences(ours, folder, CHANGED)
    (folder / "b.jsonl").write_text('{"a": "3", "s": null, "d": 7, "new": [1]}\n', encoding="utf-8")
    assert not differences(ours, folder, CHANGED)


def test_a_folder_in_which_a_packed_file_changes(ours: fs.Session, tmp_path: Path) -> None:
    """Also between planning and reading, and for a frame that is made before the change and read after it."""
    folder = tmp_path / "packed"
    folder.mkdir()
    (folder / "a.jsonl").write_text(FIRST, encoding="utf-8")
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(FIRST.encode()))
    assert not differences(ours, folder, CHANGED[1:])
    planned = ours.query("SELECT VALUE t.a FROM t AS t")
    frame = ours.query("SELECT VALUE t.a FROM t AS t").to_spark()
    assert frame.count() == 4
    for nth in (5, 11):
        (folder / "b.jsonl.gz").write_bytes(gzip.compress(list(CHANGES.values())[nth].encode()))
        assert not differences(ours, folder, CHANGED[1:])
    assert sorted(map(str, planned.to_python())) == ["1", "2"]
    (folder / "a.jsonl").write_text('{"a": "x"}\n', encoding="utf-8")
    with pytest.raises(Exception, match=r"(?i)malformed|changed|exist"):  # it is the caller's, and does not lie
        frame.collect()


# ---------------------------------------------------------------------------------------------------------------------
# Shapes that are kept


def test_shapes_are_kept_in_a_folder(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, kept = tmp_path / "t.jsonl", tmp_path / "shapes"
    path.write_text(FIRST, encoding="utf-8")
    with fs.connect(spark=spark, in_process=False, shapes=kept) as first:
        assert not differences(first, path, CHANGED)
    (written,) = kept.iterdir()
    monkeypatch.setattr(known_shapes, "_learn", lambda _, files: {} if not files else pytest.fail("learned again"))
    with fs.connect(spark=spark, in_process=False, shapes=kept) as second:
        assert not differences(second, path, CHANGED)
    monkeypatch.undo()
    damages = ("", "{", "[]", json.dumps({"version": 1}), written.read_text(encoding="utf-8").replace('"int"', '"xxx"'))
    for damaged in damages:
        written.write_text(damaged, encoding="utf-8")
        with fs.connect(spark=spark, in_process=False, shapes=kept) as third:
            assert not differences(third, path, CHANGED)


def test_shapes_can_be_switched_off(spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(FIRST, encoding="utf-8")
    texts = []
    for shapes in (True, False):
        with fs.connect(spark=spark, in_process=False, shapes=shapes) as session:
            assert not differences(session, path, CHANGED)
            session.query("SELECT t.a AS a FROM t AS t").to_spark().explain()
            texts.append(capsys.readouterr().out)
            known = "learned" if shapes else "unknown"
            assert f"-- t: its shape is {known}" in session.explain("SELECT VALUE t.a FROM t")
    assert "FileScan json" in texts[0]
    assert "from_json" in texts[1]
