"""Folders whose names are columns, JSON that is no lines, and odd paths: read and written alike on both engines."""

from __future__ import annotations

import datetime
import json
import os
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel import values
from firesteel.tables import SkippedLines, host
from tests.tables import file_plans
from tests.tables.file_plans import plan, virtual

ROWS = [{"id": 1, "K": "own"}, {"id": 2, "K": None}]


def write(path: Path, rows: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    match path.suffix.lower():
        case ".parquet":
            pq.write_table(pa.Table.from_pylist(rows), path)
        case ".orc":
            orc.write_table(pa.Table.from_pylist(rows), path)
        case ".csv":
            path.write_text("id,K\n" + "".join(f"{row['id']},{row['K'] or ''}\n" for row in rows))
        case ".ion":
            path.write_text("".join(f"{{id: {row['id']}, K: {json.dumps(row['K'])}}}\n" for row in rows))
        case _:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def either(session: fs.Session, query: str) -> Any:
    try:
        return session.query(query).value()
    except fs.FiresteelError as error:
        return error


def differ(session: fs.Session, path: Path, queries: dict[str, Any], **how: Any) -> list[str]:
    """The queries that give something else than is wanted."""
    found = []
    try:
        session.register("t", path, replace=True, **how)
    except fs.FiresteelError as error:
        return [str(error)]
    for query, wanted in queries.items():
        got = either(session, query)
        if isinstance(got, fs.FiresteelError) or not values.equal(got, values.from_python(wanted)):
            found.append(f"{path}: {query}\n  {got!r}")
    return found


def bag(*items: Any) -> values.Bag:
    return values.Bag([values.from_python(item) for item in items])


DAY = datetime.date(2026, 1, 1)
#: What is asked of a table in folders `dt=.../k=...`. The data have a `K` too: the folder counts.
COLUMNS = {
    "SELECT t.id, t.dt, t.k FROM t AS t": bag(
        {"id": 1, "dt": DAY, "k": 1},
        {"id": 2, "dt": DAY, "k": 1},
        {"id": 1, "dt": DAY, "k": None},
        {"id": 2, "dt": DAY, "k": None},
    ),
    "SELECT VALUE t.dt FROM t AS t WHERE t.k = 1": bag(DAY, DAY),
    "SELECT t.k, COUNT(*) AS n FROM t AS t GROUP BY t.k": bag({"k": 1, "n": 2}, {"k": None, "n": 2}),
    "SELECT VALUE COUNT(*) FROM t AS t": bag(4),
    "SELECT VALUE t FROM t AS t WHERE t.id = 1": bag({"id": 1, "dt": DAY, "k": 1}, {"id": 1, "dt": DAY, "k": None}),
    'SELECT VALUE t."K" IS MISSING FROM t AS t': bag(True, True, True, True),
}


def partitioned(folder: Path, suffix: str) -> Path:
    write(folder / "dt=2026-01-01" / "k=1" / f"a{suffix}", ROWS)
    write(folder / "dt=2026-01-01" / "k=__HIVE_DEFAULT_PARTITION__" / "more" / f"b{suffix.upper()}", ROWS)
    write(folder / "dt=2026-01-01" / "_temporary" / "k=3" / f"c{suffix}", ROWS)
    (folder / "readme.txt").write_text("no data")
    return folder


def text_columns(folder: Path) -> dict[str, Any]:
    """Values that are text: a number among others, zeros in front, what is escaped."""
    for name in ("value=007", "value=8", "value=x%2Fy z"):
        write(folder / name / "1.jsonl", [{"id": 1}])
    return {'SELECT VALUE t."value" FROM t AS t': bag("007", "8", "x/y z")}


def refused(folder: Path) -> list[Path]:
    """Folders that are no table."""
    for name in ("mixed/x.jsonl", "mixed/k=1/x.jsonl", "other/k=1/x.jsonl", "other/j=1/x.jsonl", "deep/s/k=1/x.jsonl"):
        write(folder / name, [{"id": 1}])
    for name in ("empty/k=/x.jsonl", "formats/x.jsonl", "formats/y.csv", "twice/k=1/K=2/x.jsonl"):
        write(folder / name, ROWS)
    return sorted(one for one in folder.iterdir() if one.is_dir())


def test_folders_in_process(tmp_path: Path) -> None:
    session = fs.connect(engine="reference")
    for suffix in (".parquet", ".orc", ".csv", ".jsonl", ".ion"):
        assert differ(session, partitioned(tmp_path / suffix[1:], suffix), COLUMNS) == []
    assert differ(session, tmp_path / "text", text_columns(tmp_path / "text")) == []
    for folder in refused(tmp_path / "refused"):
        said = differ(session, folder, {"SELECT VALUE t.id FROM t AS t": None})
        assert said, folder
        assert "FS300" in said[0] or "PlanError" in said[0], said
    session.register("t", tmp_path / "refused" / "mixed" / "**" / "*.jsonl", replace=True)
    assert len(session.query("SELECT VALUE t.id FROM t AS t").to_python()) == 2


@pytest.mark.spark
def test_folders_on_spark(tmp_path: Path, spark: Any) -> None:
    with fs.connect(spark=spark, in_process=False) as session:
        found = []
        for suffix in (".parquet", ".csv", ".jsonl", ".ion"):
            found += differ(session, partitioned(tmp_path / suffix[1:], suffix), COLUMNS)
        found += differ(session, tmp_path / "text", text_columns(tmp_path / "text"))
        assert not "\n".join(found)
        for folder in refused(tmp_path / "refused"):
            assert differ(session, folder, {"SELECT VALUE t.id FROM t AS t": None}), folder


# ---------------------------------------------------------------------------------------------------------------------
# JSON

PRETTY = json.dumps({"id": 1, "x": [1, {"y": None}]}, indent=2)
DOCUMENTS = {
    "one array": ('[{"id": 1}, {"id": 2}]', [1, 2]),
    "one array over lines": (json.dumps([{"id": 1}, {"id": 2}], indent=1), [1, 2]),
    "an empty array": (" [ ]\n", []),
    "one object": (PRETTY, [1]),
    "objects": (f"\ufeff\n{PRETTY}\r\n{PRETTY}{PRETTY}\n", [1, 1, 1]),
    "lines": ('{"id": 1}\n\n{"id": 2}\n', [1, 2]),
    "lines of arrays": ('[{"id": 1}]\n[{"id": 2}]\n', [fs.MISSING, fs.MISSING]),
    "a broken document": ('{"id": 1,\n "x": oops}\n', None),
    "two arrays over lines": ("[1,\n2]\n[3,\n4]", [fs.MISSING, fs.MISSING]),
}
COUNTED = '{"id": 1}\nnope\n{"id": 2}\n'


def documents(session: fs.Session, folder: Path) -> list[str]:
    found = []
    for name, (text, wanted) in DOCUMENTS.items():
        path = folder / f"{name}.json"
        path.write_text(text)
        if wanted is None:
            session.register("t", path, replace=True)
            got = either(session, "SELECT VALUE t.id FROM t AS t")
            if not (isinstance(got, fs.EvaluationError) and "a broken document.json:2: not JSON" in str(got)):
                found.append(f"{name}: {got!r}")
            continue
        asked = {"SELECT VALUE t.id FROM t AS t": bag(*wanted), "SELECT VALUE COUNT(*) FROM t AS t": bag(len(wanted))}
        found += differ(session, path, asked)
    return found


def counted(session: fs.Session, folder: Path) -> list[str]:
    """Lines that are no JSON count as errors, whatever is asked of them."""
    found = []
    path = folder / "counted.jsonl"
    path.write_text(COUNTED)
    session.register("t", path, replace=True)
    for query in ("SELECT VALUE COUNT(*) FROM t AS t", "SELECT VALUE 1 FROM t AS t", "SELECT VALUE t.id FROM t AS t"):
        got = either(session, query)
        if not isinstance(got, fs.EvaluationError):
            found.append(f"{query}: {got!r}")
    session.register("t", path, replace=True, malformed="skip")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = session.query("SELECT VALUE COUNT(*) FROM t AS t")
        if answer.to_python() != [2] or answer.malformed != 1:
            found.append(f"{answer.to_python()}, {answer.malformed} left out")
    if [one.category for one in caught] != [SkippedLines]:
        found.append(f"warnings: {[str(one.message) for one in caught]}")
    return found


def test_documents_in_process(tmp_path: Path) -> None:
    session = fs.connect(engine="reference")
    assert documents(session, tmp_path) == []
    assert counted(session, tmp_path) == []


@pytest.mark.spark
def test_documents_on_spark(tmp_path: Path, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from firesteel.spark.sources import ion_files

    with fs.connect(spark=spark, in_process=False) as session:
        assert documents(session, tmp_path) == []
        assert counted(session, tmp_path) == []
        monkeypatch.setattr(ion_files, "LARGE", 0)  # by the workers
        path = tmp_path / "one array.json"
        assert differ(session, path, {"SELECT VALUE t.id FROM t AS t": bag(1, 2)}) == []


# ---------------------------------------------------------------------------------------------------------------------
# CSV that is not UTF-8


def encodings(session: fs.Session, folder: Path) -> None:
    path = folder / "cafe.csv"
    path.write_bytes("id,b\n1,café\n".encode("latin-1"))
    query = "SELECT VALUE t.b FROM t AS t"
    session.register("t", path, replace=True)
    with pytest.raises(fs.PlanError, match=r"encoding='latin-1'"):
        session.query(query).value()
    assert differ(session, path, {query: bag("café")}, encoding="latin-1") == []
    with pytest.raises(fs.UnsupportedError, match="latin-1"):
        session.register("t", path, replace=True, encoding="ebcdic")


def test_encodings_in_process(tmp_path: Path) -> None:
    encodings(fs.connect(engine="reference"), tmp_path)


@pytest.mark.spark
def test_encodings_on_spark(tmp_path: Path, spark: Any) -> None:
    with fs.connect(spark=spark, in_process=False) as session:
        encodings(session, tmp_path)


# ---------------------------------------------------------------------------------------------------------------------
# Paths

NAMES = ["a b", "a,b", "k=v", "a:b", "*", "{a}", "{", "[x]", "a%20b", "100%", "a?b", "#", "a\\b", "Zürich €", "a\nb"]
NAMES += ["${user.home}", "a:*", "'\"", " ", "~", "_low", ".hidden", "\udce9", "x" * 240]


def odd_paths(session: fs.Session, folder: Path, names: list[str], suffix: str) -> list[str]:
    """Written and read back under every name, as the name of a folder and of what is in it."""
    found = []
    session.register("some", [{"id": 1}, {"id": 2}], replace=True)
    for name in names:
        path = folder / name / f"{name}{suffix}"
        try:
            session.query("SELECT s.id FROM some AS s").write(path)
            left = os.listdir(path.parent)
            if left != [path.name]:
                found.append(f"{name!r}: {left}")
            found += differ(session, path, {"SELECT VALUE t.id FROM t AS t": bag(1, 2)})
        except (fs.FiresteelError, OSError) as error:
            found.append(f"{name!r}: {error}")
    return found


def test_odd_paths_in_process(tmp_path: Path) -> None:
    session = fs.connect(engine="reference")
    for suffix in (".parquet", ".csv", ".jsonl", ".10n"):
        assert odd_paths(session, tmp_path / suffix[1:], NAMES, suffix) == []


#: Names that Spark would read as something else, several at once.
TELLING = ["a b,k=v", "{a} [x]*?", "100%25", "Zürich €\n", "a:*", "a:b", "${user.home}", "_low", "\udce9", "x" * 240]


@pytest.mark.spark
@pytest.mark.parametrize("names", [TELLING, pytest.param(NAMES, marks=pytest.mark.slow)])
def test_odd_paths_on_spark(tmp_path: Path, spark: Any, names: list[str]) -> None:
    with fs.connect(spark=spark, in_process=False) as session:
        found = odd_paths(session, tmp_path / "parquet", names, ".parquet")
        assert not "\n".join(found)
        reference = fs.connect(engine="reference")
        reference.register("some", [{"id": 1}, {"id": 2}])
        for name in ("a:*", "_low", ".hidden", "\udce9", "{a}", "100%"):  # single files
            path = tmp_path / f"{name}.jsonl"
            reference.query("SELECT s.id FROM some AS s").write(path)
            found += differ(session, path, {"SELECT VALUE t.id FROM t AS t": bag(1, 2)})
        assert not "\n".join(found)


@pytest.mark.spark
def test_an_odd_warehouse(tmp_path: Path, spark: Any) -> None:
    place = tmp_path / "a:*b {ü} 100%,k=v"
    with fs.connect(spark=spark, warehouse=place) as session:
        left_over = place / f"firesteel-tables-{host()}-killed"
        left_over.mkdir(parents=True)
        session.run(plan(file_plans.write("kept", virtual((1, "x")), "CTAS")))
        assert session.query("SELECT VALUE k.b FROM kept AS k").to_python() == ["x"]
        assert not left_over.exists()
    assert os.listdir(place) == []
