"""What a name means: registered tables, files named in FROM, folders as databases, environments, Spark's own tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import firesteel as fs


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text("id,name\n1,Ada\n2,Alan\n")
    (tmp_path / "orders.jsonl").write_text('{"id": 1, "n": 3}\n{"id": 2}\n')
    (tmp_path / "events").mkdir()
    pq.write_table(pa.table({"id": [1]}), tmp_path / "events" / "1.parquet")
    pq.write_table(pa.table({"id": [2]}), tmp_path / "events" / "2.parquet")
    (tmp_path / "readme.md").write_text("no data")
    return tmp_path


def test_files_in_from(data: Path) -> None:
    session = fs.connect(engine="reference")
    assert session.query(f"SELECT VALUE p.name FROM '{data}/people.csv' AS p").to_python() == ["Ada", "Alan"]
    both = f"SELECT p.name, o.n FROM '{data}/people.csv' AS p, \"{data}/orders.jsonl\" AS o WHERE o.id = p.id"
    assert session.query(both).to_python() == [{"name": "Ada", "n": 3}, {"name": "Alan"}]
    assert sorted(session.query(f"SELECT VALUE e.id FROM '{data}/ev*/*.parquet' AS e").to_python()) == [1, 2]
    assert session.query("SELECT VALUE v FROM 'no file' AS v").to_python() == ["no file"]
    with pytest.raises(fs.PlanError, match=r"no file 'nothing.csv'"):
        session.query("SELECT * FROM 'nothing.csv' AS v")


def test_a_plan_cannot_name_files_in_from(data: Path) -> None:
    """A plan is somebody else's: what it calls by a path is the name of a table, and there is none."""
    planned = fs.connect(engine="reference").plan(f"SELECT VALUE p FROM '{data}/people.csv' AS p")
    for written in (planned.to_ion(), planned.to_substrait()):
        with pytest.raises(fs.AnalysisError, match="no table"):
            fs.connect(engine="reference").run(fs.read_plan(written)).value()
    view = f"(map_values (path (id p) (lit name)) (scan (id '{data}/people.csv') p))"
    with pytest.raises(fs.AnalysisError, match="no table"):
        fs.connect(engine="reference").run(view).value()


def test_a_file_that_changes_between_queries(data: Path) -> None:
    session = fs.connect(engine="reference")
    query = f"SELECT * FROM '{data}/events/1.parquet' AS e"
    assert session.query(query).to_python() == [{"id": 1}]
    pq.write_table(pa.table({"x": ["new"]}), data / "events" / "1.parquet")
    assert session.query(query).to_python() == [{"x": "new"}]


def test_a_folder_is_a_database(data: Path) -> None:
    session = fs.connect(engine="reference")
    assert session.register_folder(data, "db") == ["db.events", "db.orders", "db.people"]
    assert sorted(session.query("SELECT VALUE e.id FROM db.events AS e").to_python()) == [1, 2]
    with pytest.raises(fs.AnalysisError, match="registered already"):
        session.register_folder(data, "db")
    assert session.register_folder(data, "db", replace=True)
    (data / "people.parquet").write_bytes((data / "events" / "1.parquet").read_bytes())
    with pytest.raises(fs.AnalysisError, match="would both be the table 'people'"):
        session.register_folder(data)
    with pytest.raises(fs.PlanError, match="no folder"):
        session.register_folder(data / "people.csv")


def test_an_environment(tmp_path: Path) -> None:
    session = fs.connect(engine="reference")
    (tmp_path / "env.ion").write_text("{hr: {people: $bag::[{id: 1, born: 1815-12-10}]}, n: 7}")
    (tmp_path / "env.json").write_text(json.dumps({"sizes": [1, 2]}, indent=2))
    assert session.register_environment(tmp_path / "env.ion") == ["hr", "n"]
    assert session.register_environment(tmp_path / "env.json") == ["sizes"]
    assert session.query("SELECT VALUE p.id + n FROM hr.people AS p").to_python() == [8]
    assert session.query("SELECT VALUE s FROM sizes AS s").to_python() == [1, 2]
    (tmp_path / "list.ion").write_text("[1]")
    with pytest.raises(fs.PlanError, match="no environment"):
        session.register_environment(tmp_path / "list.ion")


def test_descriptions(data: Path) -> None:
    session = fs.connect(engine="reference")
    session.register("hr.people", data / "people.csv", options={"types": "id int"}, ordered_by=["id desc"])
    session.register("orders", data / "orders.jsonl", record_id="id", partitioned_by="singleton")
    session.register("events", data / "events")
    session.query("CREATE VIEW ids AS SELECT e.id FROM events AS e")
    assert session.tables() == ["events", "hr.people", "ids", "orders"]
    people = session.describe("HR.people")
    assert (people.name, people.format, people.ordered_by) == ("hr.people", "csv", ("id desc",))
    assert people.columns == (("id", "int32?"), ("name", "string?"))
    assert (people.files, people.size) == ((data / "people.csv",), 21)
    assert "files: " in repr(people)
    orders = session.describe("orders")
    assert (orders.columns, orders.shape, orders.record_id) == (None, "not learned yet", "id")
    assert "no schema" in repr(orders)
    assert "partitioned by: singleton" in repr(orders)
    assert len(session.describe("events").files) == 2
    assert (session.describe("ids").kind, session.describe("ids").columns) == ("a view", (("id", "int64?"),))
    with pytest.raises(fs.AnalysisError, match="did you mean 'orders'"):
        session.describe("order")


def test_options_on_the_command_line(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from firesteel.cli.entry import _run

    odd = data / "a,b=c.csv"
    odd.write_text("x;y\n1;2\n")
    query = ["query", "SELECT * FROM t", "--engine", "reference", "--format", "ion", "--table"]
    assert _run([*query, f"t={data}/a\\,b=c.csv,delimiter=;,types=x int, y text"]) == 0
    assert _run([*query, f"t={odd}"]) == 0
    assert _run([*query, f"t={data}/people.csv,header=false,delimiter=,"]) == 0
    assert _run([*query, f"t={data}/people.csv,heade=false"]) == 1
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        '$bag::[{x: 1, y: "2"}]',
        "$bag::[{'x;y': \"1;2\"}]",
        '$bag::[{_1: "id", _2: "name"}, {_1: "1", _2: "Ada"}, {_1: "2", _2: "Alan"}]',
    ]
    assert "did you mean 'header'?" in said.err


def test_a_schema(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of JSON, Ion and delimited text, in Python and on the command line."""
    from firesteel.cli.entry import _run

    lines = tmp_path / "t.jsonl"
    lines.write_text('{"id": 1, "p": {"a": 2, "b": 3}, "more": 1}\n{"p": null}\n')
    (tmp_path / "t.ion").write_text("{id: 1., p: {a: 2e0, b: x}} {}")
    session = fs.connect(engine="reference")
    for place in (lines, tmp_path / "t.ion"):
        session.register("t", place, schema="id int, p struct<a:double>", replace=True)
        expected = [{"id": 1, "p": {"a": 2.0}}, {"id": None, "p": None}]
        assert session.query("SELECT VALUE t FROM t AS t").to_python() == expected
        assert session.describe("t").columns == (("id", "int32?"), ("p", "struct(a float64?)?"))
    session.register("people", data / "people.csv", schema="id bigint, name string")
    assert session.describe("people").columns == (("id", "int64?"), ("name", "string?"))
    for wrong in ("infer", "a binary", "a int, A int", "m map<int,int>", "a"):
        with pytest.raises(fs.AnalysisError):
            session.register("u", lines, schema=wrong)
    with pytest.raises(fs.AnalysisError):
        session.register("u", lines, check=True)
    for source in ([1], data / "events"):
        with pytest.raises(fs.UnsupportedError, match="schema"):
            session.register("u", source, schema="id int")
    query = ["query", "SELECT t.p.a FROM t", "--engine", "reference", "--format", "ion", "--table"]
    assert _run([*query, f"t={lines},schema=id int, p struct<a:int, b:string>,check=true"]) == 1
    assert f"{lines}: column 'p.b': 3 does not fit string (row 1)" in capsys.readouterr().err
    assert _run([*query, f"t={lines},schema=p struct<a:int>, id int"]) == 0
    assert capsys.readouterr().out == "$bag::[{a: 2}, {a: null}]\n"


@pytest.mark.spark
def test_tables_of_the_spark_session(spark: Any, tmp_path: Path, data: Path) -> None:
    spark.createDataFrame([(1, "a"), (2, "b")], "id int, s string").createOrReplaceTempView("Seen")
    spark.sql(f"CREATE DATABASE IF NOT EXISTS fs_test LOCATION '{tmp_path}/fs_test'")
    place = tmp_path / "kept"
    spark.range(3).write.option("path", str(place)).saveAsTable("fs_test.kept")
    try:
        with fs.connect(spark=spark, in_process=False) as session:
            query = "SELECT s.s, k.id FROM seen AS s, fs_test.kept AS k, spark_catalog.fs_test.KEPT AS m "
            query += "WHERE s.id = k.id AND k.id = m.id"
            found = session.query(query)
            assert sorted(map(str, found.to_python())) == ["{'s': 'a', 'id': 1}", "{'s': 'b', 'id': 2}"]
            assert {"Seen", "seen"} & set(session.tables())
            assert session.describe("fs_test.kept").columns == (("id", "int64?"),)
            # A view that is replaced is another table, and what is registered comes first.
            spark.range(7, 8).createOrReplaceTempView("Seen")
            assert session.query("SELECT VALUE s.id FROM seen AS s").to_python() == [7]
            session.register("seen", [{"id": 9}])
            assert session.query("SELECT VALUE s.id FROM seen AS s").to_python() == [9]
            # A name is never the path of a file.
            with pytest.raises(fs.AnalysisError):
                session.query(f'SELECT * FROM parquet."{data}/events/1.parquet" AS x')
            session.register("lines", data / "orders.jsonl")
            session.query("SELECT VALUE l.n FROM lines AS l").value()
            assert session.describe("lines").shape == "learned"
        with fs.connect(spark=spark, spark_catalog=False) as blind, pytest.raises(fs.AnalysisError):
            blind.query("SELECT VALUE k FROM fs_test.kept AS k")
    finally:
        spark.sql("DROP TABLE fs_test.kept")
        spark.sql("DROP DATABASE fs_test CASCADE")
        spark.catalog.dropTempView("Seen")


@pytest.mark.spark
def test_streams_and_positions(spark: Any, data: Path) -> None:
    (data / "in").mkdir()
    source = spark.readStream.schema("id int, n int").json(str(data / "in"))
    with fs.connect(spark=spark, in_process=False) as session:
        session.register("s", source)
        (data / "in" / "1.json").write_text('{"id": 1, "n": 3}\n{"id": 2, "n": 4}\n')
        answer = session.query("SELECT s.id + 1 AS next FROM s WHERE s.n > 3")
        streaming = answer.to_spark()
        assert streaming.isStreaming
        with pytest.raises(fs.UnsupportedError, match="has no end"):
            answer.value()
        with pytest.raises(fs.UnsupportedError, match="over a stream"):
            session.query("SELECT VALUE COUNT(*) FROM s").to_spark()
        done = streaming.writeStream.format("memory").queryName("seen_by_stream").trigger(availableNow=True).start()
        done.awaitTermination(60)
        assert [row[0] for row in spark.table("seen_by_stream").collect()] == [3]
        spark.catalog.dropTempView("seen_by_stream")

        queries = ["SELECT r.file, r.row, e.id FROM e AS e BY r", "SELECT VALUE r.row FROM e AS e BY r WHERE e.id = 2"]
        reference = fs.connect(engine="reference")
        for one in (session, reference):
            one.register("e", data / "events")
        for query in queries:
            found, wanted = (one.query(query).to_python() for one in (session, reference))
            assert sorted(map(str, found)) == sorted(map(str, wanted))
        assert reference.query(queries[0]).to_python()[1] == {
            "file": str((data / "events" / "2.parquet").resolve()),
            "row": 0,
            "id": 2,
        }
