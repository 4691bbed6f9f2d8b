"""The write operator: modes, folders of columns, compression, fields in paths, rotation; every format; kills."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import firesteel as fs

ROWS = [
    {"c": "de", "d": 1, "n": 1, "r": 0, "m": 1},
    {"c": "fr/a", "d": 2, "n": 2, "r": 1, "m": "x"},
    {"c": "de", "d": 2, "n": 3, "r": 0, "m": None},
    {"c": None, "d": 1, "n": 4, "r": 7, "m": [1]},
]
FORMATS = ("parquet", "orc", "csv", "jsonl", "ion", "10n")
PLAIN = "SELECT t.c, t.d, t.n, t.r FROM t AS t ORDER BY t.n"


@pytest.fixture(params=["reference", pytest.param("spark", marks=pytest.mark.spark)])
def session(request: pytest.FixtureRequest) -> Iterator[fs.Session]:
    if request.param == "spark":
        made = fs.connect(spark=request.getfixturevalue("spark"), in_process=False)
    else:
        made = fs.connect(engine="reference")
    made.register("t", ROWS)
    with made:
        yield made


def formats(session: fs.Session) -> tuple[str, ...]:
    """All formats, or of Spark's a native one and one that is written by this process: a write on Spark takes long."""
    return FORMATS if session._engines.main.name == "reference" else ("parquet", "ion")


def read(path: Path) -> list[Any]:
    session = fs.connect(engine="reference")
    session.register("u", path)
    return sorted(session.query("SELECT VALUE u.n FROM u AS u").to_python())


def tree(folder: Path) -> list[str]:
    found = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith((".", "_"))]
    return sorted(str(path.relative_to(folder)) for path in found)


def test_modes(session: fs.Session, tmp_path: Path) -> None:
    answer = session.query(PLAIN)
    for suffix in formats(session):
        path = tmp_path / f"a.{suffix}"
        answer.write(path, mode="error")
        with pytest.raises(fs.PlanError, match="is there already"):
            answer.write(path, mode="error")
        answer.write(path, mode="ignore")
        assert read(path) == [1, 2, 3, 4]
        answer.write(path, mode="append")
        assert read(path) == [1, 1, 2, 2, 3, 3, 4, 4], suffix
        answer.write(path)
        assert read(path) == [1, 2, 3, 4]
    assert sorted(os.listdir(tmp_path)) == sorted(f"a.{suffix}" for suffix in formats(session))
    with pytest.raises(fs.UnsupportedError, match="no mode 'replace'"):
        answer.write(tmp_path / "a.parquet", mode="replace")  # type: ignore[arg-type]
    with pytest.raises(fs.AnalysisError, match="the answer has a column 'm', which the schema has not"):
        session.query("SELECT t.n AS d, t.m FROM t AS t").write(tmp_path / "a.parquet", mode="append")
    swapped = session.query("SELECT t.n AS c, t.d, t.c AS n, t.r FROM t AS t ORDER BY t.n")
    with pytest.raises(fs.EvaluationError, match="column 'c': 1 does not fit string"):
        swapped.write(tmp_path / "a.parquet", mode="append")
    assert read(tmp_path / "a.parquet") == [1, 2, 3, 4]  # a write that fails keeps what is there


def test_folders_of_columns(session: fs.Session, tmp_path: Path) -> None:
    answer = session.query(PLAIN)
    for suffix in formats(session):
        path = tmp_path / f"p.{suffix}"
        for mode in ("overwrite", "append"):
            answer.write(path, mode=mode, partition_by=["c", "d"])  # type: ignore[arg-type]
        assert read(path) == [1, 1, 2, 2, 3, 3, 4, 4], suffix
        folders = {os.path.dirname(name) for name in tree(path)}
        assert folders == {"c=de/d=1", "c=de/d=2", "c=fr%2Fa/d=2", "c=__HIVE_DEFAULT_PARTITION__/d=1"}
    again = fs.connect(engine="reference")
    again.register("u", tmp_path / f"p.{formats(session)[0]}")
    found = again.query("SELECT u.c, u.d FROM u AS u WHERE u.n = 2").to_python()
    assert found == [{"c": "fr/a", "d": 2}] * 2
    with pytest.raises(fs.PlanError, match="the answer has no column 'z'"):
        answer.write(tmp_path / "x.parquet", partition_by="z")


def test_fields_in_paths_and_rotation(session: fs.Session, tmp_path: Path) -> None:
    answer = session.query(PLAIN)
    for suffix in formats(session):
        answer.write(tmp_path / suffix / "{c}" / f"{{d}}.{suffix}")
        one_each = [f"{c}/{d}.{suffix}" for c, d in (("%5F_HIVE_DEFAULT_PARTITION__", 1), ("de", 1), ("de", 2))]
        assert tree(tmp_path / suffix) == [*one_each, f"fr%2Fa/2.{suffix}"]
        answer.write(tmp_path / f"r.{suffix}", rotate_by="r", columns=["n", "c"])
        rotated = tmp_path / f"r.{suffix}"
        assert [read(rotated / name) for name in tree(rotated)] == [[1], [2, 3], [4]]
        answer.write(tmp_path / f"f{suffix}" / f"day {{c}}.{suffix}", rotate_by="r")
        named = {name: read(tmp_path / f"f{suffix}" / name) for name in tree(tmp_path / f"f{suffix}")}
        assert list(named.values()) == [[4], [1], [2, 3]]
    assert pq.read_table(tmp_path / "r.parquet" / "part-00001.parquet").to_pydict() == {
        "n": [2, 3],
        "c": ["fr/a", "de"],
    }
    with pytest.raises(fs.PlanError, match="is replaced as a whole"):
        answer.write(tmp_path / "parquet" / "{c}.parquet")
    with pytest.raises(fs.EvaluationError, match="a rotation indicator is an integer"):
        answer.write(tmp_path / "x.jsonl", rotate_by="c")
    assert not (tmp_path / "x.jsonl").exists()


def test_arrow_compression_and_what_is_left(session: fs.Session, tmp_path: Path) -> None:
    mixed = session.query("SELECT t.n, t.m FROM t AS t ORDER BY t.n")
    mixed.write(tmp_path / "m.feather", compression="zstd")
    texts = ["1", "x", None, "[1]"]
    assert feather.read_table(tmp_path / "m.feather").to_pydict() == {"n": [1, 2, 3, 4], "m": texts}
    mixed.write(tmp_path / "m.orc")
    again = fs.connect(engine="reference")
    again.register("u", tmp_path / "m.orc")
    assert [row["m"] for row in again.query("SELECT u.m FROM u AS u ORDER BY u.n").to_python()] == texts
    answer = session.query(PLAIN)
    answer.write(tmp_path / "z.parquet", compression="zstd", schema="c string, d smallint, n double, r int")
    file = next(iter(sorted((tmp_path / "z.parquet").glob("*.parquet"))), tmp_path / "z.parquet")
    assert pq.ParquetFile(file).metadata.row_group(0).column(0).compression == "ZSTD"
    assert pq.read_schema(file).field("n").type == pa.float64()
    with pytest.raises(fs.UnsupportedError, match="parquet compressed by 'bzip2'"):
        answer.write(tmp_path / "y.parquet", compression="bzip2")
    with pytest.raises(fs.PlanError, match="its name does not say so"):
        answer.write(tmp_path / "y.jsonl", compression="gzip")


@pytest.mark.parametrize("name", [*(f"a.{suffix}" for suffix in FORMATS), "a.arrow", "a.jsonl.gz"])
@pytest.mark.parametrize("options", [{}, {"mode": "append"}, {"partition_by": ["d"]}], ids=["one", "append", "folder"])
def test_a_disk_that_is_full(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    """Files may have 20,000 bytes here. What was there stays, and nothing else is left."""
    session = fs.connect(engine="reference")
    session.register("t", ROWS)
    session.register("large", [{"c": f"{i * 7919 % 10007:050}", "d": 1, "n": i, "r": 0} for i in range(4_000)])
    path = tmp_path / name
    session.query(PLAIN).write(path, **{key: value for key, value in options.items() if key != "mode"})
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, most[1]))
    try:
        with pytest.raises(fs.EvaluationError, match=rf"'{path}' cannot be written: File too large"):
            session.query("SELECT t.c, t.d, t.n, t.r FROM large AS t").write(path, **options)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
    assert os.listdir(tmp_path) == [name]
    assert read(path) == [1, 2, 3, 4]


def test_rows_per_file(session: fs.Session, tmp_path: Path) -> None:
    answer = session.query(PLAIN)
    spark = session._engines.main.name == "spark"
    for suffix in formats(session):
        path = tmp_path / f"n.{suffix}"
        for mode, all_rows in (("overwrite", [1, 2, 3, 4]), ("append", [1, 1, 2, 2, 3, 3, 4, 4])):
            answer.write(path, rows_per_file=1, mode=mode)  # type: ignore[arg-type]
            sizes = [len(read(path / name)) for name in tree(path)]
            # An empty partition of Spark's is a file with the schema and no rows.
            assert [size for size in sizes if size] == [1] * len(all_rows)
            assert read(path) == all_rows
        answer.write(path, rows_per_file=3, partition_by=["d"])
        assert read(path) == [1, 2, 3, 4]
        answer.write(path, rows_per_file=1, partition_by=["d"])
        assert [os.path.dirname(name) for name in tree(path)] == ["d=1", "d=1", "d=2", "d=2"], suffix
        session.query("SELECT t.c, t.n FROM t AS t WHERE t.n > 9").write(path, rows_per_file=2)
        assert read(path) == [], suffix
    answer.write(tmp_path / "f" / "{c}.jsonl", rows_per_file=1)
    assert tree(tmp_path / "f") == ["%5F_HIVE_DEFAULT_PARTITION__.jsonl", "de-1.jsonl", "de.jsonl", "fr%2Fa.jsonl"]
    assert read(tmp_path / "f") == [1, 2, 3, 4]
    answer.write(tmp_path / "r.jsonl", rows_per_file=1, rotate_by="r")
    assert [read(tmp_path / "r.jsonl" / name) for name in tree(tmp_path / "r.jsonl")] == [[1], [2], [3], [4]]
    if not spark:
        answer.write(tmp_path / "g.jsonl", rows_per_file=3, compression="gzip")
        assert tree(tmp_path / "g.jsonl") == ["part-00000.jsonl.gz", "part-00001.jsonl.gz"]
    for wrong in (0, -1, 1.5, True, "many"):
        with pytest.raises(fs.UnsupportedError, match="rows_per_file="):
            answer.write(tmp_path / "x.jsonl", rows_per_file=wrong)  # type: ignore[arg-type]


def test_lines_that_are_compressed(tmp_path: Path) -> None:
    session = fs.connect(engine="reference")
    session.register("t", ROWS)
    for name in ("a.jsonl.gz", "a.ion.bz2", "a.csv.gz"):
        for mode in ("overwrite", "append"):
            session.query(PLAIN).write(tmp_path / name, mode=mode)  # type: ignore[arg-type]
    assert read(tmp_path / "a.jsonl.gz") == read(tmp_path / "a.ion.bz2") == [1, 1, 2, 2, 3, 3, 4, 4]
    session.query(PLAIN).write(tmp_path / "p.csv", partition_by="d", compression="gzip")
    assert tree(tmp_path / "p.csv") == ["d=1/part-00000.csv.gz", "d=2/part-00000.csv.gz"]


# ---------------------------------------------------------------------------------------------------------------------
# Killed anywhere

#: A child for every kill: it is killed at its nth step, which is a file that is opened, renamed, linked or removed.
KILLS = r"""
import json, os, signal, sys
import firesteel as fs

STEPS = ("open", "os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir")
s = fs.connect(engine="reference")
s.register("t", [{"k": i % 6, "n": 100 + i, "r": i % 5} for i in range(30)])
answer = s.query("SELECT t.k, t.n, t.r FROM t AS t")

def write(path, how, nth):
    left = [nth]
    def step(event, args):
        if event in STEPS:
            left[0] -= 1
            if left[0] < 0 and nth >= 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(step)
    answer.write(path, **how)
    return nth - left[0]

def child(path, how, nth):
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        os.write(writer, str(write(path, how, nth)).encode())
        os._exit(0)
    os.close(writer)
    said = os.read(reader, 20)
    os.close(reader)
    os.waitpid(pid, 0)
    return int(said) if said else None

cases = json.loads(sys.argv[1])
counts = {}
for path, how, place, of in cases:
    kind = json.dumps(how)
    if kind not in counts:
        counts[kind] = child(path + " dry.jsonl" if "{" not in path else path.replace("/{", "dry/{"), how, -1)
    print(child(path, how, int(counts[kind] * place / of)))
"""
HOW: dict[str, tuple[str, dict[str, Any]]] = {
    "file": ("t.jsonl", {"mode": "append"}),
    "folder": ("t.jsonl", {"partition_by": ["k"]}),
    "added": ("t.jsonl", {"partition_by": ["k"], "mode": "append"}),
    "rotated": ("t.jsonl", {"rotate_by": "r"}),
    "fields": ("t/{k}.jsonl", {}),
}


@pytest.mark.parametrize("kills", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_kills_spread_over_writes(tmp_path: Path, kills: int) -> None:
    session = fs.connect(engine="reference")
    session.register("t", [{"k": i % 6, "n": i, "r": i % 5} for i in range(30)])
    old = session.query("SELECT t.k, t.n, t.r FROM t AS t")
    new, both = list(range(100, 130)), [*range(30), *range(100, 130)]
    cases = []
    for kind, (name, how) in HOW.items():
        for nth in range(kills):
            folder = tmp_path / f"{kind} {nth}"
            folder.mkdir()
            before = {key: value for key, value in how.items() if key != "mode"}
            old.write(folder / name, **before)
            cases.append((kind, folder, name, how, nth))
    asked = json.dumps([(str(folder / name), how, nth, kills) for _, folder, name, how, nth in cases])
    done = subprocess.run([sys.executable, "-c", KILLS, asked], capture_output=True, text=True, check=True)
    assert done.stdout.split().count("None") == len(cases), done.stderr  # all of them were killed
    outcomes = set()
    for kind, folder, name, how, _ in cases:
        target = folder / name.partition("/")[0]
        found = read(target)
        assert found in (list(range(30)), both if how.get("mode") == "append" else new), (kind, folder)
        outcomes.add(len(found) == 30 and found[0] == 0)
        before = {key: value for key, value in how.items() if key != "mode"}
        old.write(folder / name, **before)  # the next write removes what was left over
        assert [entry for entry in os.listdir(folder) if entry.startswith(".")] == []
    assert True in outcomes
