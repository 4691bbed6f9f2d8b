"""A plan cannot read the environment: names with `${...}` stay as they are, or are refused, in every format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet
import pytest

import firesteel as fs

pytestmark = pytest.mark.spark

#: What Hadoop would replace: a variable of the environment, a property of the JVM, a setting of Spark's.
NAMES = ("${env.PATH}", "${user.home}", "${spark.app.id}")


@pytest.fixture(scope="module")
def session(spark: Any) -> fs.Session:
    made = fs.connect(spark=spark, in_process=False)
    made.register("t", [{"x": 1}, {"x": 2}])
    return made


def said(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("part-*"))


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "orc", "parquet"])
def test_columns_that_are_written(session: fs.Session, spark: Any, tmp_path: Path, suffix: str) -> None:
    secrets = [os.environ["PATH"].encode(), str(Path.home()).encode(), spark.sparkContext.applicationId.encode()]
    target = tmp_path / f"out.{suffix}"
    columns = ", ".join(f't.x AS "{name}"' for name in NAMES)
    query = session.query(f"SELECT {columns} FROM t AS t")
    if suffix == "parquet":
        with pytest.raises(fs.UnsupportedError, match=r"env\.PATH"):
            query.write(target)
        assert not target.exists()
        return
    query.write(target)
    written = said(target)
    assert all(name.encode() in written for name in NAMES)
    assert not any(secret in written for secret in secrets)


def test_names_inside_values(session: fs.Session, tmp_path: Path) -> None:
    with pytest.raises(fs.UnsupportedError, match=r"user\.home"):
        session.query("SELECT VALUE {'a': [{'${user.home}': t.x}]} FROM t AS t").write(tmp_path / "out.parquet")


def test_columns_that_are_read(session: fs.Session, tmp_path: Path) -> None:
    """Spark looks for them under what they are replaced by, and would give NULL."""
    table = pa.table({"${user.home}": [1, 2], "x": [3, 4]})
    pyarrow.parquet.write_table(table, tmp_path / "in.parquet")
    pyarrow.orc.write_table(table, tmp_path / "in.orc")
    for suffix in ("parquet", "orc"):
        session.register("f", tmp_path / f"in.{suffix}", replace=True)
        assert sorted(session.query("SELECT VALUE f.x FROM f").to_python()) == [3, 4]
        with pytest.raises(fs.UnsupportedError, match=r"user\.home"):
            session.query('SELECT VALUE f."${user.home}" FROM f').value()


def test_paths(session: fs.Session, tmp_path: Path) -> None:
    folder = tmp_path / "a${env.PATH}"
    folder.mkdir()
    (folder / "in.jsonl").write_text('{"x": 5}\n')
    session.register("p", folder / "in.jsonl", replace=True)
    assert session.query("SELECT VALUE p.x FROM p").to_python() == [5]
    for suffix in ("parquet", "jsonl"):
        session.query("SELECT t.x AS x FROM t AS t").write(folder / f"out.{suffix}")
        session.register("back", folder / f"out.{suffix}", replace=True)
        assert sorted(session.query("SELECT VALUE b.x FROM back AS b").to_python()) == [1, 2]
    assert [path.name for path in tmp_path.iterdir()] == ["a${env.PATH}"]
