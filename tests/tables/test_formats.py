"""Every format, from files that another tool wrote: options, compression, lists and patterns, on both engines."""

from __future__ import annotations

import bz2
import csv
import dataclasses
import enum
import gzip
import uuid
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel import values
from firesteel.tables import FORMAT_TABLE

#: The name of a file, what makes it, how it is registered, and what is in it: rows, or the error or a part of it.
Case = tuple[str, Callable[[Path], Any], dict[str, Any], Any]


def zstd(data: bytes) -> bytes:
    return pa.Codec("zstd").compress(data, asbytes=True)


def text(data: str, encoding: str = "utf-8") -> Callable[[Path], None]:
    return lambda path: (path.write_bytes(data.encode(encoding)), None)[1]


def rows_by_csv(path: Path, rows: list[list[Any]], **how: Any) -> None:
    """Written by Python's own module."""
    with path.open("w", newline="", encoding="utf-8") as out:
        csv.writer(out, **how).writerows(rows)


def by_csv(rows: list[list[Any]], **how: Any) -> Callable[[Path], None]:
    return lambda path: rows_by_csv(path, rows, **how)


ROWS: list[list[Any]] = [["id", "name", "v"], [1, 'a, "b"\nc', 1.5], [2, "", 2], [3, "é", ""]]
TYPED = [
    {"id": 1, "name": 'a, "b"\nc', "v": 1.5},
    {"id": 2, "name": None, "v": 2.0},
    {"id": 3, "name": "é", "v": None},
]
KINDS = "b,i,f,d,ts,z,big,mixed\nTRUE,0,1,2024-02-29,2024-01-01 10:00:00,007,12345678901234567890,1\n"
KINDS += "false,-7,2.5e3,2023-01-31,2024-01-01T10:00:00.25,008,1,x\n"

KINDS_READ = [
    dict(
        b=True,
        i=0,
        f=1.0,
        d=date(2024, 2, 29),
        ts=datetime(2024, 1, 1, 10),
        z="007",
        big="12345678901234567890",
        mixed="1",
    ),
    dict(
        b=False,
        i=-7,
        f=2500.0,
        d=date(2023, 1, 31),
        ts=datetime(2024, 1, 1, 10, 0, 0, 250000),
        z="008",
        big="1",
        mixed="x",
    ),
]

CSV: dict[str, Case] = {
    "as it is": ("a.csv", by_csv(ROWS), {}, TYPED),
    "tabs": ("a.tsv", by_csv(ROWS, delimiter="\t"), {}, TYPED),
    "semicolons, single quotes": (
        "b.csv",
        by_csv(ROWS, delimiter=";", quotechar="'"),
        {"delimiter": ";", "quote": "'"},
        TYPED,
    ),
    "escaped": (
        "c.csv",
        by_csv(ROWS, escapechar="\\", doublequote=False),
        {"escape": "\\"},
        TYPED,
    ),
    "no header": (
        "d.csv",
        by_csv(ROWS[1:3]),
        {"header": False},
        [{"_1": 1, "_2": 'a, "b"\nc', "_3": 1.5}, {"_1": 2, "_2": None, "_3": 2.0}],
    ),
    "names": ("e.csv", by_csv(ROWS[1:2]), {"header": "false", "names": "x, y, z"}, [dict(x=1, y='a, "b"\nc', z=1.5)]),
    "null": (
        "f.csv",
        text("a,b\nNA,1\n,2\nx,NA\n"),
        {"null": "NA"},
        [{"a": None, "b": 1}, {"a": "", "b": 2}, {"a": "x", "b": None}],
    ),
    "two nulls": ("g.csv", text("a\n-\nNA\n3\n"), {"null": ["-", "NA"]}, [{"a": None}, {"a": None}, {"a": 3}]),
    "text": ("h.csv", text("a,b\n1,true\n"), {"types": "text"}, [{"a": "1", "b": "true"}]),
    "types": (
        "i.csv",
        text("a,b,c,d\n+1,1,2.50,2024-01-01\n-2,0.25,-1,\n"),
        {"types": "a int, b double, c decimal(5, 2), d date"},
        [
            dict(a=1, b=1.0, c=Decimal("2.50"), d=date(2024, 1, 1)),
            dict(a=-2, b=0.25, c=Decimal("-1.00"), d=None),
        ],
    ),
    "kinds": ("j.csv", text(KINDS), {}, KINDS_READ),
    "a cell that does not fit": ("k.csv", text("a,b\n1,x\nfoo,y\n"), {"types": "a int"}, "the column 'a' has 'foo'"),
    "a number too large": ("l.csv", text("a\n2147483648\n"), {"types": "a int"}, "'2147483648', which is no int32"),
    "no day": ("m.csv", text("d\n2023-02-30\n"), {}, [{"d": "2023-02-30"}]),
    "a short row": ("n.csv", text("a,b\n1,2\n3\n"), {}, fs.EvaluationError),
    "behind a quote": ("o.csv", text('a,b\n"1"x,2\n'), {}, fs.EvaluationError),
    "a mark at the start": ("p.csv", text("\ufeffa,b\r\n1,x\r\n\r\n2,y\r\n"), {}, [dict(a=1, b="x"), dict(a=2, b="y")]),
    "latin-1": (
        "q.csv",
        text("a;b\n1;café\n", "latin-1"),
        {"delimiter": ";", "encoding": "latin-1"},
        [dict(a=1, b="café")],
    ),
    "another suffix": ("r.data", by_csv(ROWS), {"format": "csv"}, TYPED),
    "gzip, not by name": ("s.csv", lambda path: path.write_bytes(gzip.compress(b"a,b\n1,2\n")), {}, [dict(a=1, b=2)]),
    "bzip2, not by name": ("t.csv.gz", lambda path: path.write_bytes(bz2.compress(b"a\n1\n")), {}, [dict(a=1)]),
    "zstd": ("u.csv.zst", lambda path: path.write_bytes(zstd(b"a,b\n1,2\n")), {}, [dict(a=1, b=2)]),
    "not compressed": ("v.csv.gz", text("a,b\n1,2\n"), {}, [dict(a=1, b=2)]),
}


def registered(session: fs.Session, folder: Path, case: Case) -> None:
    name, make, options, _ = case
    path = folder / name
    if not path.exists():
        make(path)
    how = {key: value for key, value in options.items() if key in ("format", "paths")}
    given: Any = [folder / one for one in how.pop("paths")] if "paths" in how else path
    more = {key: value for key, value in options.items() if key not in ("format", "paths")}
    session.register("t", given, replace=True, options=more, **how)


def wrong(session: fs.Session, folder: Path, cases: Mapping[str, Case]) -> list[str]:
    """The cases that give something else than they should."""
    found = []
    for what, case in cases.items():
        wanted = case[3]
        try:
            registered(session, folder, case)
            got: Any = session.query("SELECT VALUE t FROM t AS t").value()
        except fs.FiresteelError as error:
            got = error
        if isinstance(wanted, list):
            right = not isinstance(got, fs.FiresteelError) and values.equal(
                got, values.Bag(map(values.from_python, wanted))
            )
        elif isinstance(wanted, str):
            right = isinstance(got, fs.FiresteelError) and wanted in str(got)
        else:
            right = isinstance(got, wanted)
        if not right:
            found.append(f"{what}: {got}")
    return found


def test_csv_in_process(tmp_path: Path) -> None:
    assert not "\n".join(wrong(fs.connect(engine="reference"), tmp_path, CSV))


#: Those that tell the engines apart: each costs Spark some jobs. The others run there with the slow tests.
TELLING = ("escaped", "null", "types", "kinds", "a short row", "a mark at the start", "latin-1", "bzip2, not by name")


@pytest.mark.spark
@pytest.mark.parametrize("some", [TELLING, pytest.param(tuple(CSV), marks=pytest.mark.slow)])
def test_csv_on_spark(tmp_path: Path, spark: Any, some: tuple[str, ...]) -> None:
    with fs.connect(spark=spark, in_process=False) as session:
        assert not "\n".join(wrong(session, tmp_path, {what: CSV[what] for what in some}))


# ---------------------------------------------------------------------------------------------------------------------
# Other formats

TABLE = pa.table({"a": [1, 2], "b": ["x", None], "c": [{"d": 1.5}, None]})
TABLE_ROWS = [dict(a=1, b="x", c={"d": 1.5}), dict(a=2, b=None, c=None)]


def folder_of(**files: Callable[[Path], Any]) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        folder.mkdir()
        for name, one in files.items():
            one(folder / name.replace("_", "."))

    return make


def parquet(**columns: Any) -> Callable[[Path], None]:
    return lambda path: pq.write_table(pa.table(columns), path)


def by_orc(table: pa.Table) -> Callable[[Path], None]:
    return lambda path: orc.write_table(table, path)


def stream(path: Path) -> None:
    with pa.ipc.new_stream(str(path), TABLE.schema) as out:
        out.write_table(TABLE)


def by_duckdb(path: Path) -> None:
    import duckdb

    how = "(FORMAT json)" if path.suffix == ".jsonl" else "(HEADER, DELIMITER '|')" if path.suffix == ".csv" else ""
    duckdb.sql(f"COPY (SELECT 1 AS a, 'x' AS b, DATE '2024-01-01' AS d) TO '{path}' {how}")


def by_ion(path: Path) -> None:
    from amazon.ion import simpleion

    rows = [{"a": 1, "b": Decimal("2.50")}, {"a": [True, None]}]
    data = simpleion.dumps(rows, binary=path.suffix == ".10n", sequence_as_stream=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


ION_ROWS = [dict(a=1, b=Decimal("2.50")), dict(a=[True, None])]
LINES = text("one\n\ntwo é\r\nthree")
DUCK = dict(a=1, b="x", d=date(2024, 1, 1))
DRIFT = {"1_parquet": parquet(a=[1, 2], b=["x", None]), "2_parquet": parquet(b=["y"], a=["one"], c=[1.5])}
DRIFTED = [dict(a=1, b="x"), dict(a=2, b=None), dict(a="one", b="y", c=1.5)]

OTHERS: dict[str, Case] = {
    "feather": ("a.feather", lambda path: feather.write_feather(TABLE, path, compression="zstd"), {}, TABLE_ROWS),
    "arrow stream": ("b.arrows", stream, {}, TABLE_ROWS),
    "arrow by its content": ("c.bin", stream, {}, TABLE_ROWS),
    "text": ("d.txt", LINES, {}, ["one", "", "two é", "three"]),
    "text, named": ("e.csv", LINES, {"format": "text"}, ["one", "", "two é", "three"]),
    "duckdb's parquet": ("f.parquet", by_duckdb, {}, [DUCK]),
    "duckdb's csv": ("g.csv", by_duckdb, {"delimiter": "|"}, [DUCK]),
    "duckdb's json": ("h.jsonl", by_duckdb, {}, [{**DUCK, "d": "2024-01-01"}]),
    "ion": ("i.ion", by_ion, {}, ION_ROWS),
    "binary ion": ("j.10n", by_ion, {}, ION_ROWS),
    "json lines, gzip by content": (
        "k.jsonl",
        lambda path: path.write_bytes(gzip.compress(b'{"a": 1}\n{"a": "x"}\n')),
        {},
        [dict(a=1), dict(a="x")],
    ),
    "json lines, zstd": ("l.jsonl.zst", lambda path: path.write_bytes(zstd(b'{"a": 1}\n')), {}, [dict(a=1)]),
    "pretty json under another name": ("m.dat", text('{\n "a": [1,\n 2]\n}\n'), {"format": "json"}, [dict(a=[1, 2])]),
    "parquet that drifts": ("n", folder_of(**DRIFT), {}, DRIFTED),
    "csv that drifts": (
        "o",
        folder_of(**{"1_csv": text("a,b\n1,x\n"), "2_csv": text("b,c,a\ny,1.5,one\n")}),
        {},
        [dict(a="1", b="x"), dict(b="y", c=1.5, a="one")],
    ),
    "orc that drifts": (
        "p",
        folder_of(**{"1_orc": by_orc(pa.table({"a": [1]})), "2_orc": by_orc(TABLE)}),
        {},
        [dict(a=1), *TABLE_ROWS],
    ),
    "a list of files": ("q", folder_of(**DRIFT), {"paths": ["q/2.parquet", "q/1.parquet", "q/*.parquet"]}, DRIFTED),
    "no such option": ("r.parquet", parquet(a=[1]), {"header": "true"}, "have no options"),
    "no such format": ("s.parquet", parquet(a=[1]), {"format": "parket"}, "did you mean 'parquet'?"),
    "another format": ("u.parquet", parquet(a=[1]), {"format": "orc"}, "is not orc"),
    "a format of Spark's": ("t.xml", text("<l><r><n>1</n></r></l>"), {}, "row_tag"),
}


def test_other_formats_in_process(tmp_path: Path) -> None:
    session = fs.connect(engine="reference")
    assert not "\n".join(wrong(session, tmp_path, OTHERS))
    session.register("x", tmp_path / "t.xml", options={"row_tag": "r"})
    with pytest.raises(fs.UnsupportedError, match="by Spark only"):
        session.query("SELECT VALUE x FROM x").value()


SOME_OTHERS = ("feather", "text", "ion", "json lines, gzip by content", "parquet that drifts", "csv that drifts")


@pytest.mark.spark
@pytest.mark.parametrize("some", [SOME_OTHERS, pytest.param(tuple(OTHERS), marks=pytest.mark.slow)])
def test_other_formats_on_spark(tmp_path: Path, spark: Any, some: tuple[str, ...]) -> None:
    with fs.connect(spark=spark, in_process=False) as session:
        assert not "\n".join(wrong(session, tmp_path, {what: OTHERS[what] for what in some}))
        query = "SELECT t.a, t.b FROM t WHERE t.a = 'one' OR t.a > 1"
        registered(session, tmp_path, OTHERS["parquet that drifts"])
        assert len(session.query(query).to_python()) == 2
        (tmp_path / "x.xml").write_text("<l><r><n>1</n></r><r><n>2</n></r></l>")
        session.register("x", tmp_path / "x.xml", options={"row_tag": "r"})
        assert session.query("SELECT VALUE x.n FROM x").to_python() == [1, 2]
        (tmp_path / "x.avro").write_bytes(b"Obj\x01")
        session.register("y", tmp_path / "x.avro")
        with pytest.raises(fs.UnsupportedError, match="spark-avro"):
            session.query("SELECT VALUE y FROM y").value()


@pytest.mark.spark
def test_what_spark_reads_of_a_file(tmp_path: Path, spark: Any) -> None:
    """What docs/formats.md says of pruning and pushdown."""
    from firesteel.spark.runtime.inspect import physical_plan

    with fs.connect(spark=spark, in_process=False) as session:
        for name, row in FORMAT_TABLE.items():
            if row.pushdown == "no":
                continue
            write = pq.write_table if name == "parquet" else orc.write_table
            write(pa.table({"a": [1, 2], "b": [1.5, 2.5], "c": ["x", "y"], "d": [1, 1]}), tmp_path / f"t.{name}")
            session.register("t", tmp_path / f"t.{name}", replace=True)
            query = "SELECT t.a FROM t WHERE t.a > 1 AND t.c = 'y'"
            seen = physical_plan(session.query(query).to_spark())
            assert "GreaterThan(a,1)" in seen, seen
            assert "EqualTo(c,y)" in seen, seen
            assert "ReadSchema: struct<a:bigint,c:string>" in seen, seen


# ---------------------------------------------------------------------------------------------------------------------
# Values of Python


class Colour(enum.Enum):
    RED = "r"


@dataclasses.dataclass
class Point:
    x: int
    near: list[Any]


def test_python_values() -> None:
    np = pytest.importorskip("numpy")
    row = {
        "uuid": uuid.UUID(int=5),
        "enum": Colour.RED,
        "point": Point(1, [Point(2, [])]),
        "int": np.int32(4),
        "float": np.float32(1.5),
        "bool": np.bool_(True),
        "array": np.array([1, 2]),
        "day": np.datetime64("2024-01-01"),
        "moment": np.datetime64("2024-01-01T10:00:00.5"),
        "length": timedelta(days=1),
        "bytes": b"x",
    }
    session = fs.connect(engine="reference")
    session.register("t", [row])
    (found,) = session.query("SELECT VALUE t FROM t").to_python()
    assert found["uuid"] == "00000000-0000-0000-0000-000000000005"
    assert found["point"] == {"x": 1, "near": [{"x": 2, "near": []}]}
    scalars = ("enum", "int", "float", "bool", "array", "day")
    assert [found[name] for name in scalars] == ["r", 4, 1.5, True, [1, 2], date(2024, 1, 1)]
    assert values.from_python(row["moment"]) == values.from_python(datetime(2024, 1, 1, 10, 0, 0, 500000))
    with pytest.raises(fs.UnsupportedError, match="nanoseconds"):
        values.from_python(np.datetime64(1, "ns"))
