"""Results by a schema: what fits, what does not, what is inferred; the same on both engines."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import firesteel as fs
from firesteel.tables.typed.ddl import read_ddl, spelled

ROWS: list[dict[str, Any]] = [
    {"id": 1, "v": 1.5, "tags": ["a"], "p": {"a": 1}, "day": "2024-02-29", "m": 1, "at": "2024-02-29T12:00:00Z"},
    {"id": 2, "v": 2, "tags": [], "day": None, "m": "x"},
    {"id": 3, "v": None, "p": {"a": None}, "m": [1, {"b": 2, "a": "q"}], "at": "2024-02-29T12:00:00.25+01:00"},
]
ALL = "SELECT t.id, t.v, t.tags, t.p, t.day, t.m, t.at FROM t AS t"
SCHEMA = "id int, v double, tags array<string>, p struct<a:int>, day date, m json, at timestamp"
UTC = datetime.UTC
TYPED = [
    {
        "id": 1,
        "v": 1.5,
        "tags": ["a"],
        "p": {"a": 1},
        "day": datetime.date(2024, 2, 29),
        "m": "1",
        "at": datetime.datetime(2024, 2, 29, 12, tzinfo=UTC),
    },
    {"id": 2, "v": 2.0, "tags": [], "p": None, "day": None, "m": "x", "at": None},
    {
        "id": 3,
        "v": None,
        "tags": None,
        "p": {"a": None},
        "day": None,
        "m": '[1,{"a":"q","b":2}]',
        "at": datetime.datetime(2024, 2, 29, 11, 0, 0, 250_000, tzinfo=UTC),
    },
]
#: A schema for one column, and the start of the error.
WRONG = (
    ("id string", "column 'id': 1 does not fit string ("),
    ("v int", "column 'v': 1.5 does not fit int ("),
    ("v double not null", "column 'v': NULL does not fit double ("),
    ("tags array<int>", "column 'tags[]': \"a\" does not fit int ("),
    ("p struct<b:int>", "column 'p': {\"a\":1} does not fit struct<b:int> ("),
    ("p struct<a:string>", "column 'p.a': 1 does not fit string ("),
    ("day timestamp", "column 'day': \"2024-02-29\" does not fit timestamp ("),
    ("m int", "column 'm': \"x\" does not fit int ("),
    ("at timestamp_ntz", "column 'at': \"2024-02-29T12:00:00Z\" does not fit timestamp_ntz ("),
)


@pytest.fixture(params=["reference", pytest.param("spark", marks=pytest.mark.spark)])
def session(request: pytest.FixtureRequest, tmp_path: Path) -> fs.Session:
    if request.param == "spark":
        made = fs.connect(spark=request.getfixturevalue("spark"), in_process=False)
    else:
        made = fs.connect(engine="reference")
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    made.register("t", tmp_path / "t.jsonl")
    made.register("n", [{"x": 1, "y": Decimal("1.5")}, {"x": 300, "y": 2.5}, {"x": 5.0, "y": 7}])
    return made


def test_a_schema_gives_every_column_its_type(session: fs.Session) -> None:
    typed = session.query(ALL).to_arrow(schema=SCHEMA)
    assert typed.to_pylist() == TYPED
    assert [str(type_) for type_ in typed.schema.types][:3] == ["int32", "double", "list<item: string>"]
    exact = pa.schema([("id", pa.int16()), ("v", pa.float32()), ("m", pa.large_string())])
    asked = session.query("SELECT t.id, t.v, t.id AS m FROM t AS t WHERE false", schema=exact).to_arrow()
    assert asked.schema == exact
    with pytest.raises(fs.EvaluationError, match=r"column 'm': 1 does not fit string"):
        session.query("SELECT t.id, t.v, t.id AS m FROM t AS t", schema=exact).to_arrow()
    assert session.query("SELECT * FROM t AS t", schema=SCHEMA).to_pandas()["id"].tolist() == [1, 2, 3]
    wide = session.query("SELECT n.x, n.y FROM n AS n", schema="y decimal(4,2), x smallint").to_arrow()
    assert wide.to_pylist() == [
        {"y": Decimal("1.50"), "x": 1},
        {"y": Decimal("2.50"), "x": 300},
        {"y": Decimal("7.00"), "x": 5},
    ]


def test_the_first_value_that_does_not_fit_is_named(session: fs.Session) -> None:
    on_spark = session._engines.main.name == "spark"
    for schema, said in WRONG[1:6] if on_spark else WRONG:  # each is a job of its own
        with pytest.raises(fs.EvaluationError) as caught:
            session.query(f"SELECT t.{schema.split()[0]} FROM t AS t").to_arrow(schema=schema)
        assert caught.value.message.startswith(said), schema
    with pytest.raises(fs.EvaluationError, match="300 does not fit tinyint"):
        session.query("SELECT n.x FROM n AS n", schema="x tinyint").to_arrow()
    with pytest.raises(fs.AnalysisError, match="the schema has a column 'x', which the answer has not"):
        session.query("SELECT t.id FROM t AS t", schema="id int, x int").to_arrow()
    with pytest.raises(fs.AnalysisError, match="the answer has a column 'v', which the schema has not"):
        session.query("SELECT t.id, t.v FROM t AS t", schema="id int").to_arrow()
    with pytest.raises(fs.EvaluationError):
        session.query("SELECT * FROM t AS t", schema="id int").to_arrow()


def test_what_is_inferred(session: fs.Session) -> None:
    found = session.query(ALL).to_arrow(schema="infer")
    assert {field.name: str(field.type) for field in found.schema} == {
        "id": "int64",
        "v": "decimal128(38, 1)",
        "tags": "list<item: string>",
        "p": "struct<a: int64>",
        "day": "string",
        "m": "string",
        "at": "string",
    }
    assert found.column("m").to_pylist() == ["1", "x", '[1,{"a":"q","b":2}]']
    assert session.query("SELECT * FROM t AS t", schema="infer").to_arrow().schema.names == sorted(ROWS[0])
    floats = session.query("SELECT n.x, n.y FROM n AS n").batches()
    assert pa.Table.from_batches(floats).to_pydict() == {"x": [1, 300, 5], "y": [1.5, 2.5, 7.0]}
    assert sum(batch.num_rows for batch in session.query("SELECT t.id + 1 AS i FROM t AS t").batches()) == 3


def test_schemas_that_are_none(session: fs.Session) -> None:
    for wrong in ("", "id", "id nothing", "id int v int", "a int, a int", "x struct<a>", "x array<int", "d decimal(x)"):
        with pytest.raises(fs.AnalysisError):
            session.query("SELECT t.id FROM t AS t", schema=wrong).to_arrow()
    with pytest.raises(fs.AnalysisError, match="a int is no schema"):
        session.query("SELECT t.id FROM t AS t").to_arrow(schema=3)


def test_types_as_they_are_written() -> None:
    text = "a boolean, `b c` tinyint, d decimal(5,2), e map<string,array<double>>, f struct<g:timestamp_ntz,h:variant>"
    columns = read_ddl(text + ", i varchar(3) not null, j dec")
    assert [spelled(field.type) for field in columns.fields] == [
        *("boolean", "tinyint", "decimal(5,2)", "map<string,array<double>>"),
        *("struct<g:timestamp_ntz,h:variant>", "string", "decimal(10,0)"),
    ]
    assert [field.name for field in columns.fields][:2] == ["a", "b c"]
    assert [field.type.nullable for field in columns.fields] == [True] * 5 + [False, True]


def test_columns_are_shown_in_the_order_of_the_select_list(
    session: fs.Session, capsys: pytest.CaptureFixture[str]
) -> None:
    session.query("SELECT t.p, t.id FROM t AS t WHERE t.id > 1").show(1)
    head, _, _, count, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["p", "|", "id"]
    assert count == "(the first 1 rows; there are more)"


@pytest.mark.spark
def test_certain_columns_are_plain_on_spark(tmp_path: Path, spark: Any) -> None:
    from firesteel.spark import variant_columns as V

    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    with fs.connect(spark=spark, in_process=False, shapes=False) as session:
        session.register("t", tmp_path / "t.jsonl")
        r = session.query("SELECT CAST(t.id AS INT4) AS i, CAST(t.day AS DATE) AS d, t.v > 1 AS b, t.m FROM t AS t")
        frame = r.to_spark()
        assert frame.schema.simpleString() == "struct<i:int,d:date,b:boolean,m:variant>"
        assert [row["d"] for row in frame.orderBy("i").collect()] == [datetime.date(2024, 2, 29), None, None]
        kinds = frame.orderBy("i").select(
            V.kind("m"), V.as_long("m"), V.as_string("m"), V.items("m")[0], V.to_text("m")
        )
        found = [[str(item) if item is not None else None for item in row] for row in kinds.collect()]
        assert found == [
            ["BIGINT", "1", None, None, "1"],
            ["STRING", None, "x", None, "x"],
            ["ARRAY", None, None, "1", '[1,{"a":"q","b":2}]'],
        ]
        absent = frame.select(V.is_missing("m"), V.is_null("m"), V.as_double("m"), V.attribute("m", "a"))
        first = absent.orderBy(V.as_double("m").desc()).collect()[0]
        assert tuple(first) == (False, False, 1.0, None)
        typed = session.query(ALL).to_spark(schema="infer")
        assert typed.schema.simpleString() == (
            "struct<id:bigint,v:decimal(38,1),tags:array<string>,p:struct<a:bigint>,day:string,m:variant,at:string>"
        )
        asked = session.query(ALL).to_spark(schema=typed.schema)
        assert asked.schema == typed.schema
        assert asked.count() == 3
