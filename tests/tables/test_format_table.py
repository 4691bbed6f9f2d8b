"""Every cell of docs/formats.md: files that another tool made are read, and what we write is read by that tool."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.feather as feather
import pyarrow.orc as orc
import pytest

import firesteel as fs
from firesteel.tables import FORMAT_TABLE
from firesteel.tables.formats import POSITION
from firesteel.tables.output.target import CODECS

Rows = list[dict[str, Any]]
ROWS: Rows = [{"i": 1, "f": 1.5, "s": "x"}, {"i": 2, "f": 2.25, "s": None}, {"i": 3, "f": -1.0, "s": 'é, "y"'}]
QUERY = "SELECT t.i, t.f, t.s FROM t AS t ORDER BY t.i"


def by_duckdb(how: str) -> Callable[[Path], Any]:
    values = "(1, 1.5::DOUBLE, 'x'), (2, 2.25, NULL), (3, -1, 'é, \"y\"')"
    copy = f"COPY (SELECT * FROM (VALUES {values}) AS v(i, f, s)) TO '{{}}' ({how})"
    return lambda path: _duckdb().sql(copy.format(path))


def duckdb_reads(path: Path) -> Rows:
    found = _duckdb().sql(f"SELECT i, f, s FROM '{path}' ORDER BY i")
    return [dict(zip(("i", "f", "s"), row, strict=True)) for row in found.fetchall()]


def _duckdb() -> Any:
    import duckdb

    return duckdb


def by_arrow(write: Callable[..., Any]) -> Callable[[Path], Any]:
    import pyarrow as pa

    return lambda path: write(pa.Table.from_pylist(ROWS), path)


def by_ion(path: Path) -> Any:
    from amazon.ion import simpleion

    return path.write_bytes(simpleion.dumps(ROWS, binary=True, sequence_as_stream=True))


def ion_reads(path: Path) -> Rows:
    from amazon.ion import simpleion

    rows = simpleion.loads(path.read_bytes(), single_value=False)
    present = [{key: value for key, value in row.items() if value} for row in rows]  # a null of Ion's is an object
    return [{key: kind(row[key]) if key in row else None for key, kind in _KINDS.items()} for row in present]


def csv_reads(path: Path) -> Rows:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [{key: kind(row[key]) if row[key] else None for key, kind in _KINDS.items()} for row in rows]


_KINDS: dict[str, Callable[[Any], Any]] = {"i": int, "f": float, "s": str}
XML = "<l>" + "".join(f"<r><i>{row['i']}</i><f>{row['f']}</f></r>" for row in ROWS) + "</l>"

#: What makes a file of a format, and what reads one.
MAKERS: dict[str, Callable[[Path], Any]] = {
    "parquet": by_duckdb("FORMAT parquet"),
    "orc": by_arrow(orc.write_table),
    "csv": by_duckdb("FORMAT csv, HEADER"),
    "tsv": by_duckdb("FORMAT csv, HEADER, DELIMITER '\t'"),
    "json": by_duckdb("FORMAT json"),
    "ion": by_ion,
    "arrow": by_arrow(feather.write_feather),
    "text": lambda path: path.write_text("one\ntwo é\n", encoding="utf-8"),
    "avro": lambda path: path.write_bytes(b"Obj\x01"),
    "xml": lambda path: path.write_text(XML, encoding="utf-8"),
}
READERS: dict[str, Callable[[Path], Rows]] = {
    "parquet": duckdb_reads,
    "orc": lambda path: orc.read_table(path).to_pylist(),
    "csv": csv_reads,
    "json": duckdb_reads,
    "ion": ion_reads,
    "arrow": lambda path: feather.read_table(path).to_pylist(),
}
#: What is asked of files that have not the three columns.
OTHERS: dict[str, tuple[str, list[Any]]] = {
    "text": ("SELECT VALUE t FROM t AS t", ["one", "two é"]),
    "xml": ("SELECT t.i, t.f FROM t AS t ORDER BY t.i", [{"i": row["i"], "f": row["f"]} for row in ROWS]),
}
OPTIONS: dict[str, dict[str, Any]] = {"xml": {"row_tag": "r"}}


def made(name: str, folder: Path) -> Path:
    row = FORMAT_TABLE[name]
    path = folder / f"made{(row.suffixes or row.alone)[0]}"
    MAKERS[name](path)
    return path


def reads(session: fs.Session, name: str, path: Path) -> None:
    """The cell *reads*: the rows, or a refusal that says who can."""
    session.register("t", path, replace=True, options=OPTIONS.get(name))
    engines = FORMAT_TABLE[name].engines
    spark = session._engines.main.name == "spark"
    if engines == "both" or (engines == "Spark" and spark):
        wanted: Any = {"text": ["one", "two é"], "xml": [{"i": row["i"], "f": row["f"]} for row in ROWS]}.get(
            name, ROWS
        )
        asked = {"text": "SELECT VALUE t FROM t AS t", "xml": "SELECT t.i, t.f FROM t AS t ORDER BY t.i"}
        assert session.query(asked.get(name, QUERY)).to_python() == wanted, name
    else:
        with pytest.raises(fs.UnsupportedError, match="Spark"):
            session.query("SELECT VALUE t FROM t AS t").value()


def writes(session: fs.Session, name: str, folder: Path) -> None:
    """The cell *writes*: another tool reads what was written."""
    suffix = (FORMAT_TABLE[name].suffixes or FORMAT_TABLE[name].alone)[0]
    target = folder / f"written{suffix}"
    session.register("rows", ROWS, replace=True)
    answer = session.query("SELECT r.i, r.f, r.s FROM rows AS r ORDER BY r.i")
    if name not in CODECS:
        with pytest.raises(fs.UnsupportedError, match="cannot tell the format"):
            answer.write(target)
        return
    answer.write(target, schema="i bigint, f double, s string")
    files = [target] if target.is_file() else sorted(target.glob("part-*"))
    found = [row for file in files for row in READERS[name](file)]
    assert [{key: row.get(key) for key in ("i", "f", "s")} for row in found] == ROWS, name


def test_every_format_has_its_tool() -> None:
    assert set(MAKERS) == set(FORMAT_TABLE)
    assert set(READERS) == set(CODECS)


@pytest.mark.parametrize("name", FORMAT_TABLE)
def test_in_process(name: str, tmp_path: Path) -> None:
    session = fs.connect(engine="reference")
    path = made(name, tmp_path)
    reads(session, name, path)
    writes(session, name, tmp_path)
    _compressed(session, name, path)
    _schema(session, name, path)
    _identifiers(session, name, path)


def _compressed(session: fs.Session, name: str, path: Path) -> None:
    row = FORMAT_TABLE[name]
    if row.engines != "both":
        return
    packed = path.with_name("packed" + path.suffix)
    packed.write_bytes(gzip.compress(path.read_bytes()))
    if row.compressed:
        reads(session, name, packed)
    else:
        with pytest.raises(fs.FiresteelError):
            reads(session, name, packed)


def _schema(session: fs.Session, name: str, path: Path) -> None:
    """Columns are known before a query reads the rows, or not."""
    if FORMAT_TABLE[name].engines != "both":
        return
    session.register("t", path, replace=True)
    columns = session.describe("t").columns  # before anything of the rows is read
    assert (columns is not None and ("f", "float64?") in columns) is (FORMAT_TABLE[name].schema == "in the file")
    if FORMAT_TABLE[name].schema.startswith("names from the header"):
        typed = session.query("SELECT * FROM t").to_arrow().schema
        assert [(field.name, str(field.type)) for field in typed] == [("i", "int64"), ("f", "double"), ("s", "string")]


def _identifiers(session: fs.Session, name: str, path: Path) -> None:
    if FORMAT_TABLE[name].engines != "both":
        return
    asked = "SELECT VALUE r FROM t AS t BY r"
    session.register("t", path, replace=True)
    if FORMAT_TABLE[name].record_id == POSITION:
        rows = session.query(asked).to_python()
        assert rows == [{"file": str(path.resolve()), "row": i} for i in range(len(ROWS))]
    else:
        assert set(session.query(asked).to_python()) == {fs.MISSING}
    if name != "text":
        session.register("t", path, replace=True, record_id="i")
        assert sorted(session.query(asked).to_python()) == [1, 2, 3]


@pytest.mark.spark
@pytest.mark.parametrize(
    "names", [("parquet", "csv", "ion"), pytest.param(tuple(FORMAT_TABLE), marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_on_spark(names: tuple[str, ...], tmp_path: Path, spark: Any) -> None:
    with fs.connect(spark=spark, in_process=False) as session:
        for name in names:
            reads(session, name, made(name, tmp_path))
            writes(session, name, tmp_path)


def test_the_page_says_what_the_tables_say() -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    rows = {cells[1].strip(): cells for line in page.splitlines() if (cells := line.split("|"))[2:]}
    for name, row in FORMAT_TABLE.items():
        cells = [cell.strip() for cell in rows[name]]
        assert cells[3:5] == [row.engines, "both" if name in CODECS else "no"]
        assert cells[5:10] == ["yes" if row.compressed else "", row.schema, row.pruning, row.pushdown, row.record_id]


def test_json_keeps_what_ion_and_csv_do_not(tmp_path: Path) -> None:
    """A line of JSON that we write is what Python's own module reads."""
    session = fs.connect(engine="reference")
    session.register("rows", [{"a": [1, {"b": None}], "c": '\u2028\\"\x07'}])
    session.query("SELECT VALUE r FROM rows AS r").write(tmp_path / "t.jsonl")
    assert json.loads((tmp_path / "t.jsonl").read_text()) == {"a": [1, {"b": None}], "c": '\u2028\\"\x07'}
