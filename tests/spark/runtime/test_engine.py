"""The Spark engine through the public interface: files in and out, errors, depth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel.plan import build as b

pytestmark = pytest.mark.spark

ROWS = [{"id": 1, "v": "a", "l": [1, 2]}, {"id": 2, "v": None, "l": []}, {"id": 3, "l": [3]}]


@pytest.fixture(scope="module")
def session(spark: Any) -> fs.Session:
    made = fs.connect(spark=spark, in_process=False)
    made.register("t", ROWS)
    return made


def test_files_of_every_format(session: fs.Session, spark: Any, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1, "v": "a", "x": {"y": 1.5}}\n{"id": 2, "v": null}\n{"id": "3"}\n')
    spark.createDataFrame([(1, "a"), (2, None)], "id bigint, v string").write.parquet(str(tmp_path / "b.parquet"))
    (tmp_path / "c.csv").write_text("id,v\n1,a\n2,\n")
    session.register("a", tmp_path / "a.jsonl", replace=True)
    session.register("b", tmp_path / "b.parquet", replace=True)
    session.register("c", tmp_path / "c.csv", replace=True)
    ids = session.query("SELECT VALUE [r.id, r.v, r.x.y] FROM a AS r").to_python()
    assert sorted(map(str, ids)) == sorted(
        ["[1, 'a', Decimal('1.5')]", "[2, None, MISSING]", "['3', MISSING, MISSING]"]
    )
    assert sorted(session.query("SELECT VALUE r.id FROM b AS r WHERE r.v IS NULL").to_python()) == [2]
    assert len(session.query("SELECT VALUE r FROM c AS r").to_python()) == 2


def test_frames_pandas_and_arrow(session: fs.Session, spark: Any) -> None:
    frame = spark.createDataFrame([(1, [1, 2]), (2, [])], "k int, l array<int>")
    session.register("f", frame, replace=True)
    session.register("d", frame.toPandas()[["k"]], replace=True)
    assert sorted(session.query("SELECT VALUE e FROM f AS r, r.l AS e").to_python()) == [1, 2]
    assert sorted(session.query("SELECT VALUE r.k FROM d AS r").to_python()) == [1, 2]


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "orc"])
def test_writing_and_reading_back(session: fs.Session, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / f"out.{suffix}"
    for _ in range(2):  # the second time it replaces what is there
        session.query("SELECT r.id, r.id * 2 AS d FROM t AS r").write(target)
    session.register("back", target, replace=True)
    assert sorted(session.query("SELECT VALUE r.id FROM back AS r").to_python()) == [1, 2, 3]


def test_a_frame_for_those_who_go_on_in_spark(session: fs.Session) -> None:
    frame = session.query("SELECT r.id FROM t AS r").to_spark()
    assert frame.columns == ["id"]
    assert frame.count() == 3


def test_a_strict_error_says_what_and_where(session: fs.Session) -> None:
    with pytest.raises(fs.EvaluationError) as error:
        session.query("SELECT VALUE r.id + r.l FROM t AS r", mode="strict").value()
    assert "<query>:1:14" in str(error.value)
    assert "org.apache" not in str(error.value)


def test_an_overflow_is_an_error_in_both_modes(session: fs.Session) -> None:
    for mode in ("permissive", "strict"):
        with pytest.raises(fs.EvaluationError):
            session.query("SELECT VALUE r.id + 9223372036854775807 FROM t AS r", mode=mode).value()


def nested_calls(levels: int) -> p.Plan:
    scan = p.Scan(b.lit([1]))
    rex: p.Rex = b.column(scan, 0)
    for _ in range(levels):
        rex = b.call("neg", rex)
    return p.Plan(p.Query(b.select(rex, scan)))


def nested_lists(levels: int) -> p.Plan:
    scan = p.Scan(b.lit([1]))
    rex: p.Rex = b.column(scan, 0)
    for _ in range(levels):
        rex = b.collection(b.t.Array, [rex])
    return p.Plan(p.Query(b.select(rex, scan)))


def chained_projects(levels: int) -> p.Plan:
    rel: p.Rel = p.Scan(b.lit([1]))
    for _ in range(levels):
        rel = p.Project((b.call("neg", b.column(rel, 0)),), rel)
    return p.Plan(p.Query(b.select(b.column(rel, 0), rel)))


def chained_filters(levels: int) -> p.Plan:
    rel: p.Rel = p.Scan(b.lit([1]))
    for i in range(levels):
        rel = p.Filter(b.call("gt", b.column(rel, 0), b.lit(-i)), rel)
    return p.Plan(p.Query(b.select(b.column(rel, 0), rel)))


@pytest.mark.parametrize("levels", [10, 100, *(pytest.param(n, marks=pytest.mark.slow) for n in (1_000, 10_000))])
@pytest.mark.parametrize("shape", [nested_calls, nested_lists, chained_projects, chained_filters])
def test_depth_runs_or_is_refused_by_name(session: fs.Session, shape: Any, levels: int) -> None:
    refused = ""
    try:
        value = session.run(shape(levels)).to_python()
    except fs.UnsupportedError as error:
        refused = error.message
    if refused:
        assert levels > 10
        assert any(word in refused for word in ("deep", "operators"))
    else:
        assert len(value) == 1


def test_what_is_no_container_is_an_error_in_strict_mode(spark: Any) -> None:
    session = fs.connect(spark=spark, in_process=False)
    session.register("t", [{"x": "foo"}])
    for text, said in (
        ("SELECT VALUE CARDINALITY(t.x) FROM t", "cardinality takes collections and structs"),
        ("SELECT VALUE CAST(t.x AS STRUCT) FROM t", "cannot cast"),
    ):
        with pytest.raises(fs.EvaluationError, match=said):
            session.query(text, mode="strict").value()
        assert session.query(text).to_python() == [fs.MISSING]
