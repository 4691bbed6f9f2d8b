"""Every way in which reading a file can fail: an error of ours that names the file, or the same rows; both engines."""

from __future__ import annotations

import bz2
import gzip
import os
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

import firesteel as fs
from firesteel import values
from firesteel.cli.entry import _run

ROWS = pa.table({"a": list(range(500)), "b": [f"text {i}" for i in range(500)]})
QUERY = "SELECT VALUE t.a FROM t AS t"


def _parquet(path: Path) -> None:
    pq.write_table(ROWS, path)


def _orc(path: Path) -> None:
    orc.write_table(ROWS, path)


def _text(line: Callable[[int], str], head: str = "", pack: Callable[[bytes], bytes] = bytes) -> Callable[[Path], None]:
    text = head + "".join(line(i) + "\n" for i in range(500))
    return lambda path: (path.write_bytes(pack(text.encode())), None)[1]


def _json(i: int) -> str:
    return f'{{"a": {i}, "b": "text {i}"}}'


#: The formats, and a file of each.
FORMATS: dict[str, Callable[[Path], None]] = {
    "parquet": _parquet,
    "orc": _orc,
    "csv": _text(lambda i: f"{i},text {i}", "a,b\n"),
    "csv.gz": _text(lambda i: f"{i},text {i}", "a,b\n", gzip.compress),
    "jsonl": _text(_json),
    "json.gz": _text(_json, pack=gzip.compress),
    "jsonl.bz2": _text(_json, pack=bz2.compress),
    "ion": _text(lambda i: f"{{a: {i}}}"),
    "ion.gz": _text(lambda i: f"{{a: {i}}}", pack=gzip.compress),
    "10n": lambda path: fs.connect(engine="reference").query("[{'a': 1}, {'a': 2}]").write(path),
}


def _cut(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) - 7])


def _not_utf8(path: Path) -> None:
    pack = {".gz": gzip.compress, ".bz2": bz2.compress}.get(path.suffix, bytes)
    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress}.get(path.suffix, bytes)
    path.write_bytes(
        pack(unpack(path.read_bytes()).replace(b"text 7", b"caf\xe9 7").replace(b"{a: 7}", b"{a: '\xe9'}"))
    )


def _replaced(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def break_(path: Path) -> None:
        path.unlink()
        make(path)

    return break_


#: What may be wrong with a file.
FAULTS: dict[str, Callable[[Path], None]] = {
    "missing": Path.unlink,
    "an empty folder": _replaced(Path.mkdir),
    "empty": lambda path: (path.write_bytes(b""), None)[1],
    "cut short": _cut,
    "something else": lambda path: (path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4), None)[1],
    "unreadable": lambda path: path.chmod(0),
    "a pipe": _replaced(os.mkfifo),
    "a device": _replaced(lambda path: path.symlink_to("/dev/zero")),
    "a loop": _replaced(lambda path: path.symlink_to(path.name)),
    "not UTF-8": _not_utf8,
}
#: Faults that are none: so many rows come out.
FINE = {
    ("an empty folder", None): 0,
    ("empty", "csv"): 0,
    ("empty", "csv.gz"): 0,
    ("empty", "jsonl"): 0,
    ("empty", "json.gz"): 0,
    ("empty", "jsonl.bz2"): 0,
    ("empty", "ion"): 0,
    ("empty", "ion.gz"): 0,
    ("empty", "10n"): 0,
    ("cut short", "csv"): 500,  # a shorter last line is a line
}


def fails(session: fs.Session, path: Path, query: str = QUERY) -> str | int:
    """The error's text, or how many rows there are."""
    try:
        session.register("t", path, replace=True)
        return len(values.items(session.query(query).value()) or [])
    except fs.FiresteelError as error:
        return str(error)


def wrong(session: fs.Session, folder: Path, faults: Iterable[str] = FAULTS) -> list[str]:
    """What is not as it should be."""
    found = []
    for format_, make in FORMATS.items():
        for fault in faults:
            break_ = FAULTS[fault]
            if fault == "unreadable" and os.geteuid() == 0:
                continue  # root reads everything
            if fault == "not UTF-8" and format_ in ("parquet", "orc", "10n"):
                continue  # these are no text
            path = folder / f"{'-'.join(fault.split())}.{format_}"
            make(path)
            break_(path)
            said = fails(session, path)
            fine = (fault, None) in FINE or (fault, format_) in FINE
            wanted = FINE.get((fault, format_), FINE.get((fault, None)))
            if fine and said == wanted:
                continue
            if fault == "an empty folder" and isinstance(said, str):  # a file with a schema has to be there for one
                fine = format_ not in ("parquet", "orc")
            named = isinstance(said, str) and path.name in said
            if fine or not named or "interrupt" in str(said):
                found.append(f"{format_}, {fault}: {said}")
    return found


def test_faults_in_process(tmp_path: Path) -> None:
    assert not "\n".join(wrong(fs.connect(engine="reference"), tmp_path))


#: Those that Spark meets itself: the others are found before it is asked.
MET = ("an empty folder", "empty", "cut short", "something else", "not UTF-8")


def test_bz2_that_is_cut_short_is_told_without_reading_it(tmp_path: Path) -> None:
    from firesteel.spark.sources.utf8 import ensure_whole as whole

    path = tmp_path / "t.bz2"
    for size in range(0, 3_000, 97):
        data = bz2.compress(random.Random(size).randbytes(size))
        path.write_bytes(data)
        whole([path])
        for cut in (1, 4, 10):
            path.write_bytes(data[:-cut])
            with pytest.raises(fs.PlanError, match="decompressed"):
                whole([path])


@pytest.mark.spark
@pytest.mark.parametrize("faults", [MET, pytest.param(tuple(FAULTS), marks=pytest.mark.slow)])
def test_faults_on_spark(tmp_path: Path, spark: Any, faults: tuple[str, ...]) -> None:
    with fs.connect(spark=spark, in_process=False) as session:
        assert not "\n".join(wrong(session, tmp_path, faults))


def test_a_file_that_changes_after_it_was_registered(tmp_path: Path) -> None:
    session = fs.connect(engine="reference")
    for format_, make in FORMATS.items():
        for fault in ("missing", "a pipe", "something else"):
            path = tmp_path / f"{fault}.{format_}"
            make(path)
            session.register("t", path, replace=True)
            FAULTS[fault](path)
            with pytest.raises(fs.FiresteelError) as error:
                session.query(QUERY).value()
            assert path.name in str(error.value)


@pytest.mark.parametrize("source", ["a\0b.parquet", "\ud800.csv", "x" * 5_000 + ".jsonl", ""])
def test_paths_that_are_none(source: str) -> None:
    with pytest.raises(fs.FiresteelError):
        fs.connect(engine="reference").register("t", source)
    with pytest.raises(fs.FiresteelError):
        fs.read_plan(source)
    with pytest.raises(fs.FiresteelError):
        fs.connect(engine="reference").query("[1]").write(source or "x\0.ion")
    with pytest.raises(fs.FiresteelError):
        fs.connect(engine="reference").query("[1]").write(source + "\ud800.ion")
    with pytest.raises(fs.FiresteelError):
        fs.connect(engine="reference").query("[1]").write(None)  # type: ignore[arg-type]


def test_values_that_are_none() -> None:
    session = fs.connect(engine="reference")
    cyclic: list[Any] = [1]
    cyclic.append({"a": cyclic})
    for data in (cyclic, object(), [{1: 2}], {"a": iter([])}, 1j, [lambda: 1]):
        with pytest.raises(fs.FiresteelError):
            session.register("t", data)
        with pytest.raises(fs.FiresteelError):
            session.query("?", params=[data])
    for text in (None, 1, [], b"1", "'\ud800'"):
        with pytest.raises(fs.FiresteelError):
            session.query(text)  # type: ignore[arg-type]
        with pytest.raises(fs.FiresteelError):
            session.plan(text)  # type: ignore[arg-type]
        with pytest.raises(fs.FiresteelError):
            session.register(text if not isinstance(text, str) else None, [1])  # type: ignore[arg-type]
    with pytest.raises(fs.PolicyError):
        fs.Policy(allow_read=["\ud800"])
    shared = {"b": 1}
    session.register("t", [shared, [shared, shared]])  # what comes twice is no cycle


def test_targets_that_cannot_be_written(tmp_path: Path) -> None:
    answer = fs.connect(engine="reference").query("SELECT VALUE x FROM <<{'a': 1}, {'a': 'x'}>> AS x")
    (tmp_path / "file").write_text("")
    os.mkfifo(tmp_path / "pipe.ion")
    for target in ("file/out.ion", "pipe.ion", f"{'x' * 300}.ion"):
        with pytest.raises(fs.FiresteelError, match=r"cannot be written|not a file|no path"):
            answer.write(tmp_path / target)
    halves = fs.connect(engine="reference")
    halves.register("t", ["\ud800"])
    for suffix in ("ion", "10n", "csv", "parquet"):
        with pytest.raises(fs.FiresteelError):
            halves.query("SELECT t AS a FROM t AS t").write(tmp_path / f"t.{suffix}")
    assert sorted(os.listdir(tmp_path)) == ["file", "pipe.ion"]


def test_the_command_line_says_what_is_wrong_with_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gz = tmp_path / "t.jsonl.gz"
    FORMATS["json.gz"](gz)
    _cut(gz)
    assert _run(["query", QUERY, "--table", f"t={gz}", "--engine", "reference"]) == 1
    said = capsys.readouterr().err
    assert str(gz) in said
    assert "decompressed" in said
    assert "interrupted" not in said
