"""Files as tables on Spark: what is read of them, and that it is what the reference reads."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel import values
from firesteel.passes.analysis.paths import WHOLE, Name, PathTree
from firesteel.spark.sources import ion_files
from firesteel.tables import SkippedLines

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("codegen")]


@pytest.fixture(scope="module")
def ours(spark: Any) -> Iterator[fs.Session]:
    with fs.connect(spark=spark, in_process=False) as session:
        yield session


@pytest.fixture
def reference() -> fs.Session:
    return fs.connect(engine="reference")


def agree(ours: fs.Session, reference: fs.Session, path: Path, queries: list[str], **more: Any) -> None:
    """Both engines answer alike. The queries have a `t` to read the file by."""
    for session in (ours, reference):
        session.register("t", path, replace=True, **more)
    for query in queries:
        expected, got = reference.query(query).value(), ours.query(query).value()
        assert values.equal(got, expected), f"{query}\n{got}\n{expected}"


def plan_text(session: fs.Session, query: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Spark's physical plan."""
    session.query(query).to_spark().explain()
    return capsys.readouterr().out


# ---------------------------------------------------------------------------------------------------------------------
# JSON lines

#: Lines of every kind: what is NULL, absent, of another type, another case, there twice, escaped, out of range.
LINES = [
    '{"id":1,"who":{"name":"a","at":{"city":"Bern"}},"items":[{"qty":1,"price":2.50},{"qty":"3"}]}',
    '{"id":null,"who":null,"items":null}',
    "{}",
    '{"id":2,"who":{"name":null,"at":null},"items":[{"qty":null},{"price":1},null,5,"x",{},[{"qty":9}]]}',
    '{"id":3,"who":"nobody","items":"none"}',
    '{"id":4,"who":{"at":"here"},"items":{"qty":7,"price":1.5}}',
    '{"id":5,"who":{"at":{}},"items":[]}',
    '{"id":6,"who":[1],"items":[[{"qty":1}]]}',
    '{"id":7,"items":[null]}',
    '{"id":8,"items":[{"qty":1},null]}',
    '{"Id":9,"WHO":{"Name":"b","AT":{"City":"Chur"}},"ITEMS":[{"Qty":1,"PRICE":2}]}',
    '{"ID":10,"id":11,"items":[{"QTY":1,"qty":2},{"qTy":5}]}',
    '{"id":12,"id":13,"who":{"name":"x","name":"y"},"items":[{"qty":1,"qty":2}]}',
    '{"\\u0069d":14,"items":[{"\\u0051ty":3}]}',
    '{"\\u0049D":15}',
    '{"id":123456789012345678901234567890,"items":[{"qty":1e3,"price":-0.000}]}',
    '{"id":12345678901234567890123456789012345678901234567890}',
    '{"id":1.0000000000000000000000000000000000000000000001}',
    '{"id":9223372036854775807,"items":[{"qty":-9223372036854775808}]}',
    '{"id":9223372036854775808}',
    '{"id":"2024-01-01","items":[{"qty":"2024-01-01T00:00:00Z"}]}',
    '{"id":"\\u00e9\\ud83d\\ude00 é","who":{"name":"Zürich"}}',
    '{"id":true,"items":false}',
    "5",
    '"id"',
    "null",
    '[{"id":16,"items":[{"qty":1}]}]',
    "  ",
    '  {"id":17 , "items" : [ ] }  ',
    '{"id":{"qty":18},"qty":19,"items":[{"id":20}]}',
    '{"id":[1,[2,null]],"items":[{"qty":{"a":null}}]}',
]
QUERIES = [
    "SELECT VALUE o FROM t AS o",
    "SELECT COUNT(*) AS n FROM t AS o",
    "SELECT VALUE o.id FROM t AS o",
    'SELECT VALUE o."id" FROM t AS o',
    'SELECT o.Id AS a, o."ID" AS b FROM t AS o',
    "SELECT o.id IS MISSING AS m, o.id IS NULL AS n FROM t AS o",
    "SELECT o.who.name AS name, o.who.at.city AS city FROM t AS o",
    "SELECT o.who.at.city IS MISSING AS m, o.who.at.city IS NULL AS n FROM t AS o",
    'SELECT VALUE o."who"."at"."city" FROM t AS o',
    "SELECT o.id AS id, i.qty AS qty, i.price AS price FROM t AS o, o.items AS i",
    "SELECT VALUE i.qty FROM t AS o, o.items AS i",
    'SELECT VALUE i."qty" FROM t AS o, o."items" AS i WHERE o.id IS NOT NULL',
    "SELECT i.qty IS MISSING AS m, i.qty IS NULL AS n, o.who.name AS name FROM t AS o, o.items AS i",
    "SELECT VALUE i FROM t AS o, o.items AS i",
    "SELECT COUNT(*) AS n FROM t AS o, o.items AS i",
    "SELECT i.qty AS qty, n AS n FROM t AS o, o.items AS i AT n",
    "SELECT VALUE o.items[0].qty FROM t AS o",
    "SELECT o.id AS id, (SELECT VALUE i.qty FROM o.items AS i WHERE i.qty > 0) AS q FROM t AS o",
    "SELECT VALUE i.qty FROM t AS o LEFT JOIN o.items AS i ON TRUE",
    "SELECT VALUE EXISTS(o.items) FROM t AS o, o.items AS i",
    "SELECT VALUE j.qty FROM t AS o, o.items AS i, i AS j",
]


def test_json_lines_as_the_reference(ours: fs.Session, reference: fs.Session, tmp_path: Path) -> None:
    path = tmp_path / "mixed lines ü.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(LINES).encode() + b"\n\n")
    agree(ours, reference, path, QUERIES)


def test_strict_json_lines(ours: fs.Session, reference: fs.Session, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"id":1,"items":[{"q":1}]}\n{"id":null,"items":[]}\n', encoding="utf-8")
    for session in (ours, reference):
        session.register("t", path, replace=True)
    good = "SELECT o.id AS id, i.q AS q FROM t AS o, o.items AS i"
    assert ours.query(good, mode="strict").to_python() == reference.query(good, mode="strict").to_python()
    for session in (ours, reference):
        with pytest.raises(fs.EvaluationError, match="no attribute 'nope'"):
            session.query("SELECT VALUE t.nope FROM t AS t", mode="strict").value()


def test_only_what_is_touched_is_read(spark: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.jsonl"
    line = '{"id":1,"who":{"at":{"city":"Bern"},"name":"a"},"items":[{"qty":1,"price":2}]}'
    path.write_text(f"{line}\n", encoding="utf-8")
    query = "SELECT o.id AS id, o.who.at.city AS c, i.qty AS q FROM t AS o, o.items AS i"
    with fs.connect(spark=spark, in_process=False) as session:
        session.register("t", path)
        text = plan_text(session, query, capsys)
    (_, _, columns) = text.partition("ReadSchema: ")
    assert "items:array<struct<qty:bigint>>" in columns
    assert "who:struct<at:struct<city:string>>" in columns
    with fs.connect(spark=spark, in_process=False, shapes=False) as session:
        session.register("t", path)
        text = plan_text(session, query, capsys)
    assert text.count("from_json") == 1
    for part in ("StructField(id,VariantType", "StructField(city,VariantType", "StructField(qty,VariantType"):
        assert part in text
    assert "StructField(name" not in text


BAD = ["{'id':1}", '{"id":1} more', '{"id":1}{"id":2}', '{"id":1},{"id":2}', '{"id":1}}', '{"id":01}', '{"id":NaN}']
BAD += ['{"id":1,}', "nope", '{"id":', '{"id":"a\tb"}', '{"id":1 /* c */}', '{"id":"\\x"}', "[1,2", '1,"id":2', "]"]


def test_a_malformed_line_is_an_error_or_skipped(ours: fs.Session, reference: fs.Session, tmp_path: Path) -> None:
    queries = ["SELECT VALUE t.id FROM t AS t", "SELECT VALUE t FROM t AS t"]
    path = tmp_path / "bad.jsonl"
    for bad in BAD[:3]:
        path.write_text(f'{{"id":1}}\n{bad}\n{{"id":2}}\n', encoding="utf-8")
        for session in (ours, reference):
            session.register("t", path, replace=True)
            for query in queries:
                with pytest.raises(fs.EvaluationError, match=r"not (a )?JSON.*bad\.jsonl|bad\.jsonl:2: not JSON"):
                    session.query(query).value()
    path.write_text("\n".join(['{"id":1}', *BAD, '{"id":2}']) + "\n", encoding="utf-8")
    for session in (ours, reference):
        session.register("t", path, replace=True, malformed="skip")
        for query in (*queries, "SELECT VALUE COUNT(*) FROM t AS t"):
            answer = session.query(query) if session is ours else None
            with pytest.warns(SkippedLines, match=f"{len(BAD)} lines left out"):
                found = (answer or session.query(query)).to_python()
            assert found in ([1, 2], [2, 1], [{"id": 1}, {"id": 2}], [2]), (session, query)
            assert answer is None or answer.malformed == len(BAD)


def test_files_of_many_kinds(ours: fs.Session, reference: fs.Session, tmp_path: Path) -> None:
    folder = tmp_path / "many [of] them {1}"
    (folder / "k 1").mkdir(parents=True)
    (folder / "a b.jsonl").write_text('{"a":1}\n', encoding="utf-8")
    with gzip.open(folder / "k 1" / "c.json.gz", "wt") as out:
        out.write('{"a":2}\n')
    (folder / "readme.txt").write_text("no data", encoding="utf-8")
    (folder / "empty.ndjson").write_text("", encoding="utf-8")
    query = ["SELECT t.a AS a FROM t AS t", "SELECT VALUE t FROM t AS t"]
    agree(ours, reference, folder, query)
    agree(ours, reference, folder / "k 1" / "c.json.gz", query)
    assert len(reference.query(query[0]).to_python()) == 1
    (tmp_path / "p1.jsonl").write_text('{"a":1}\n', encoding="utf-8")
    (tmp_path / "p2.jsonl").write_text('{"a":2}\n', encoding="utf-8")
    agree(ours, reference, tmp_path / "p*.jsonl", query)
    assert len(reference.query(query[0]).to_python()) == 2
    with pytest.raises(fs.PlanError, match="no file"):
        ours.register("t", tmp_path / "q*.jsonl", replace=True)
    gone = tmp_path / "gone.jsonl"
    gone.write_text("{}\n", encoding="utf-8")
    ours.register("t", gone, replace=True)
    gone.unlink()
    with pytest.raises(fs.FiresteelError, match=r"gone\.jsonl"):
        ours.query("SELECT VALUE t.a FROM t AS t").value()


# ---------------------------------------------------------------------------------------------------------------------
# Files with a schema


def typed(folder: Path) -> Path:
    """Parquet in folders, with columns of many types."""
    import datetime
    from decimal import Decimal

    import pyarrow as pa
    import pyarrow.parquet as pq

    when = datetime.datetime(2024, 2, 29, 12, 30, 1, 500000)
    rows = [
        {
            "x": i if i % 4 else None,
            "small": i % 100,
            "f": i / 4,
            "d": Decimal(i).scaleb(-2),
            "s": f"s{i}",
            "day": datetime.date(2024, 1, 1 + i),
            "at": when,
            "utc": when.replace(tzinfo=datetime.UTC),
            "raw": bytes([i]),
            "in": {"a": i, "b": {"c": f"c{i}", "e": None}},
            "list": [{"q": i, "r": None}, None] if i % 3 else [],
            "map": [("k", i)],
            "u": i,
        }
        for i in range(8)
    ]
    pair = pa.struct([("c", pa.string()), ("e", pa.int32())])
    schema = pa.schema(
        [
            ("x", pa.int64()),
            ("small", pa.int8()),
            ("f", pa.float64()),
            ("d", pa.decimal128(12, 2)),
            ("s", pa.string()),
            ("day", pa.date32()),
            ("at", pa.timestamp("us")),
            ("utc", pa.timestamp("us", tz="UTC")),
            ("raw", pa.binary()),
            ("in", pa.struct([("a", pa.int64()), ("b", pair)])),
            ("list", pa.list_(pa.struct([("q", pa.int32()), ("r", pa.string())]))),
            ("map", pa.map_(pa.string(), pa.int64())),
            ("u", pa.uint32()),
        ]
    )
    for k in (1, 2):
        part = folder / f"k={k}"
        part.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows[k - 1 :: 2], schema), part / "part.parquet")
    return folder


def test_parquet_types_as_the_reference(ours: fs.Session, reference: fs.Session, tmp_path: Path) -> None:
    columns = ("x", "small", "f", "d", "s", "day", "at", "utc", "raw", "u", "k")
    picked = ", ".join(f't."{name}" AS "{name}"' for name in columns)
    queries = [
        f"SELECT {picked} FROM t AS t",
        'SELECT t."in".b AS b, t."list" AS l, t."map" AS m FROM t AS t',
        "SELECT o.x AS x, e.q AS q, e.r IS MISSING AS m FROM t AS o, o.list AS e",
    ]
    agree(ours, reference, typed(tmp_path / "a table.parquet"), queries)


def test_filters_and_paths_reach_the_scan(ours: fs.Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ours.register("t", typed(tmp_path / "t.parquet"), replace=True)
    query = 'SELECT t.s AS s, t."in".b.c AS c FROM t AS t WHERE t.x > 2 AND t.s = \'s3\' AND t."in".a < 9 AND t.k = 2'
    text = plan_text(ours, query, capsys)
    pushed = text[text.index("PushedFilters:") : text.index("ReadSchema:")]
    for part in ("GreaterThan(x,2)", "EqualTo(s,s3)", "LessThan(in.a,9)"):
        assert part in pushed, text
    partitions = text[text.index("PartitionFilters:") : text.index("PushedFilters:")]
    assert "k#" in partitions, text
    read = text[text.index("ReadSchema:") :].splitlines()[0]
    assert "struct<x:bigint,s:string,in:struct<a:bigint,b:struct<c:string>>>" in read, text
    assert ours.query(query).to_python() == [{"s": "s3", "c": "c3"}]


def test_orc_and_csv(ours: fs.Session, reference: fs.Session, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.orc as orc

    orc.write_table(pa.table({"a": [1, None, 3], "b": ["x", "y", None]}), tmp_path / "t.orc")
    queries = ["SELECT t.a AS a, t.b AS b FROM t AS t WHERE t.a > 1", "SELECT VALUE t.b FROM t AS t"]
    agree(ours, reference, tmp_path / "t.orc", queries)
    (tmp_path / "t.csv").write_text('a,b,"c d"\n1,x,1.5\n,"a ""b"", c",\n3,"",2\n', encoding="utf-8")
    agree(ours, reference, tmp_path / "t.csv", [*queries, 'SELECT t."c d" AS c, t.A IS NULL AS n FROM t AS t'])


def test_variants_inside_columns(ours: fs.Session, spark: Any) -> None:
    from pyspark.sql import functions as F

    one = F.parse_json(F.lit('{"a":[1,null]}'))
    frame = spark.range(2).select(
        F.array(F.struct(one.alias("v"), F.lit(None).cast("variant").alias("w"))).alias("s"),
        F.when(F.col("id") == 1, F.array(one)).alias("l"),
    )
    ours.register("t", frame, replace=True)
    found = ours.query("SELECT VALUE {'v': t.s[0].v.a[0], 'w': t.s[0].w, 'l': t.l} FROM t AS t").to_python()
    assert sorted(found, key=json.dumps) == [
        {"v": 1, "w": None, "l": [{"a": [1, None]}]},
        {"v": 1, "w": None, "l": None},
    ]


# ---------------------------------------------------------------------------------------------------------------------
# Ion

ION = {
    "a.ion": """{id: 1, x: {a: 1, b: [{c: 1, d: 2}, {c: 2.5}]}, Y: "u", y: "low"} {id: 2, x: null} {id: 3.0, x: 5}
        7 [1, {c: 3}] 2020-01-01T00:00:00+02:00 null {id: 1, x: $bag::[1], x: {a: twice}}""",
    "b.ion": "{id: 4, x: {a: null, b: (1 {c: 4})}} {x: {b: [{c: 9}], B: [{c: 10}]}} {id: name, x: {b: {c: 7}}}",
}


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of Ion files that count as large."""
    monkeypatch.setattr(ion_files, "LARGE", 0)
    monkeypatch.setattr(ion_files, "_BATCH", 3)
    for name, text in ION.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_large_ion_files(ours: fs.Session, reference: fs.Session, large: Path) -> None:
    queries = [
        "SELECT VALUE r FROM t AS r",
        "SELECT COUNT(*) AS n FROM t AS r",
        "SELECT r.id AS id, r.x.a AS a FROM t AS r",
        "SELECT i.c AS c FROM t AS r, r.x.b AS i",
        "SELECT r.id, (SELECT VALUE i.c FROM r.x.b AS i) AS cs FROM t AS r",
        'SELECT VALUE [r.y, r.Y, r."y", r.x.b[0].c, r.x.B[*].c] FROM t AS r',
        "SELECT VALUE [k, v] FROM t AS r, UNPIVOT r.x AS v AT k",
        "SELECT a.id FROM t AS a, t AS b WHERE a.id = b.id AND a.x.a = 1",
    ]
    agree(ours, reference, large, queries)
    (place,) = ours.query(queries[2]).plan_report().fallbacks
    assert place.reason == ion_files.REASON


def test_large_ion_files_that_are_broken(ours: fs.Session, large: Path) -> None:
    (large / "c.ion").write_text("{id: 5}\n{id:", encoding="utf-8")
    ours.register("t", large, replace=True)
    for query in ("SELECT COUNT(*) AS n FROM t AS r", "SELECT r.id FROM t AS r"):
        with pytest.raises(fs.EvaluationError, match=r"c\.ion:2:1: unclosed"):
            ours.query(query).value()


def test_large_ion_files_without_python(spark: Any, reference: fs.Session, large: Path) -> None:
    with fs.connect(spark=spark, in_process=False, fallback="refuse") as session:
        agree(session, reference, large, ["SELECT r.id AS id FROM t AS r"])


def test_what_is_touched_of_ion() -> None:
    tree = PathTree(fields={Name("a", exact=False): PathTree(elements=PathTree(fields={Name("b", exact=True): WHOLE}))})
    value = fs.ion("{A: [{b: 1, c: 2}, 3, {c: 4}], d: 5}")
    assert values.equal(ion_files.pruned(value, tree), fs.ion("{A: [{b: 1}, 3, {}]}"))
