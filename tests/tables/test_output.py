"""What is written to files: numbers as numbers, binary where the suffix says so, permissions as the user has them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import firesteel as fs
from firesteel import values
from firesteel.policy import Policy
from firesteel.tables import Part, Parts, parts_rows
from firesteel.tables.json_files import json_text
from tests.tables.file_plans import files, item, plan, root

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 63) - 1)
    | st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**20), max_value=10**20)
    | st.text()
    | st.text(st.characters(categories=["Cs"]), max_size=1)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)


@given(VALUES)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_json_is_read_back_as_it_was(tmp_path: Path, value: Any) -> None:
    session = fs.connect(engine="reference")
    session.register("t", [{"v": value}], replace=True)
    session.query("SELECT t.v FROM t AS t").write(tmp_path / "t.jsonl")
    session.register("u", tmp_path / "t.jsonl", replace=True)
    (found,) = values.items(session.query("SELECT VALUE u.v FROM u AS u").value()) or []
    assert values.equal(found, values.from_python(value))


def test_numbers_in_json() -> None:
    big = Decimal("12345678901234567890.123456789")
    value = values.from_python([Decimal("1.50"), big, Decimal("1E+3"), Decimal("1E-7"), Decimal("1E+400"), -0.0, 1e300])
    text = json_text(value)
    assert text == "[1.50, 12345678901234567890.123456789, 1000, 0.0000001, 1E+400, -0.0, 1e+300]"
    infinite = [float("nan"), float("inf"), float("-inf"), Decimal("NaN"), Decimal("-Infinity")]
    assert json.loads(json_text(infinite)) == ["NaN", "Infinity", "-Infinity", "NaN", "-Infinity"]
    assert json_text(values.Struct([("a", fs.MISSING), ("b", [fs.MISSING])])) == '{"b": [null]}'
    with pytest.raises(fs.UnsupportedError):
        json_text(values.Struct([("a", 1), ("a", 2)]))


def test_binary_ion(tmp_path: Path) -> None:
    session = fs.connect(engine="reference")
    answer = session.query("<<{'a': 1, 'b': [1.5, 'x']}, {'a': 2}, 3>>")
    for suffix, binary in ((".10n", True), (".ion", False)):
        answer.write(tmp_path / f"t{suffix}")
        assert (tmp_path / f"t{suffix}").read_bytes().startswith(b"\xe0\x01\x00\xea") is binary
        session.register("t", tmp_path / f"t{suffix}", replace=True)
        assert values.equal(session.query("SELECT VALUE t FROM t AS t").value(), answer.value())


def test_permissions_are_the_users(tmp_path: Path) -> None:
    code = (
        "import os, sys, firesteel as fs; os.umask(0o027)\n"
        "fs.connect(engine='reference').query('[1]').write(sys.argv[1])"
    )
    target = tmp_path / "t.jsonl"
    subprocess.run([sys.executable, "-c", code, str(target)], check=True)
    assert target.stat().st_mode & 0o777 == 0o640
    target.chmod(0o600)
    fs.connect(engine="reference").query("[2]").write(target)
    assert target.stat().st_mode & 0o777 == 0o600  # what replaces a file has its permissions


@pytest.mark.spark
def test_permissions_of_what_spark_writes(tmp_path: Path, spark: Any) -> None:
    with fs.connect(spark=spark, in_process=False) as session:
        session.register("t", [{"a": 1.5, "b": Decimal("1.50")}, {"a": float("nan"), "b": None}])
        session.query("SELECT t.a, t.b FROM t AS t").write(tmp_path / "t.json")
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "t.json").stat().st_mode & 0o777 == 0o777 & ~umask
    parts = list((tmp_path / "t.json").glob("*.json"))
    assert {part.stat().st_mode & 0o777 for part in parts} == {0o666 & ~umask}
    rows = [json.loads(line) for part in parts for line in part.read_text().splitlines()]
    assert sorted(rows, key=str) == [{"a": "NaN", "b": None}, {"a": 1.5, "b": 1.5}]


# ---------------------------------------------------------------------------------------------------------------------
# What was judged is what is opened


def swapped(top: Path, *, folder: bool) -> Path:
    """A file that was judged, and then was replaced by a link to a secret: itself, or a folder on its way."""
    for name in ("allowed/sub", "secret/sub"):
        (top / name).mkdir(parents=True)
        pq.write_table(pa.table({"a": [name]}), top / name / "t.parquet")
        (top / name / "t.csv").write_text(name)
    (path,) = Policy(allow_read=top / "allowed").files(f"{top}/allowed/sub/t.parquet", "file")
    moved = path.parent if folder else path
    moved.rename(moved.with_name("away"))
    moved.symlink_to(top / "secret" / "sub" / ("" if folder else "t.parquet"))
    return path


@pytest.mark.parametrize("folder", [True, False])
def test_a_link_that_comes_after_the_judgement_is_not_followed(tmp_path: Path, folder: bool) -> None:
    path = swapped(tmp_path, folder=folder)
    with pytest.raises(fs.PolicyError, match="replaced"):
        list(parts_rows(Parts("parquet", (Part(path),))))
    path.unlink() if not folder else path.parent.unlink()
    with pytest.raises(fs.PlanError, match="no file"):
        list(parts_rows(Parts("parquet", (Part(path),))))


def flip(path: Path, secret: Path, stop: threading.Event) -> None:
    """Put a link to the secret in the place of the file, and the file back, again and again."""
    link, own = path.with_name("link"), path.with_name("own")
    os.link(path, own)
    while not stop.is_set():
        link.symlink_to(secret)
        os.replace(link, path)
        os.link(own, link)
        os.replace(link, path)


@pytest.mark.parametrize("tries", [100, pytest.param(1_000, marks=pytest.mark.slow)])
def test_a_link_that_comes_and_goes_leaks_nothing(tmp_path: Path, tries: int) -> None:
    for name in ("allowed", "secret"):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table({"a": [1], "b": [name]}), tmp_path / name / "t.parquet")
    session = fs.connect(engine="reference", policy=Policy(allow_read=tmp_path / "allowed"))
    asked = plan(root(files(item(f"{tmp_path}/allowed/t.parquet")), "a", "b"))
    stop = threading.Event()
    path, secret = tmp_path / "allowed" / "t.parquet", tmp_path / "secret" / "t.parquet"
    swapping = threading.Thread(target=flip, args=(path, secret, stop))
    swapping.start()
    found: Counter[str] = Counter()
    try:
        for _ in range(tries):
            try:
                (row,) = session.run(asked).to_python()
                found[row["b"]] += 1
            except (fs.PolicyError, fs.PlanError):
                found["refused"] += 1
    finally:
        stop.set()
        swapping.join()
    assert found["secret"] == 0
    assert sum(found.values()) == tries


@pytest.mark.spark
def test_spark_gives_out_nothing_that_was_not_judged(tmp_path: Path, spark: Any) -> None:
    for name in ("allowed", "secret"):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table({"a": [1], "b": [name]}), tmp_path / name / "t.parquet")
    with fs.connect(spark=spark, in_process=False, policy=Policy(allow_read=tmp_path / "allowed")) as session:
        path = tmp_path / "allowed" / "t.parquet"
        answer = session.run(plan(root(files(item(str(path))), "a", "b")))
        path.unlink()
        path.symlink_to(tmp_path / "secret" / "t.parquet")
        with pytest.raises(fs.PolicyError, match="replaced"):
            answer.value()
        with pytest.raises(fs.PolicyError, match="replaced"):
            answer.write(tmp_path / "out.parquet")
        assert not (tmp_path / "out.parquet").exists()
