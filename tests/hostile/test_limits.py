"""Bombs: small inputs that ask for endless work. Each is refused soon, with the flag that would allow it, or runs
within its limits. And what an answer may have: rows, and time."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import firesteel as fs
from firesteel.cli.main import _run

MILLION = pa.table({"a": pa.array(range(1_000_000), pa.int64())})
#: Seconds of the processor: far more than a refusal takes (a tenth), far less than the work that is refused.
SOON = 20
Case = tuple[dict[str, Any], Callable[[], str], str]

#: The policy, the query, and the limit that refuses it.
BOMBS: dict[str, Case] = {
    "five tables": ({}, lambda: "SELECT COUNT(*) AS n FROM t a, t b, t c, t d, t e", "max_cross_rows"),
    "inequalities": ({}, lambda: "SELECT a.a FROM t a JOIN t b ON a.a < b.a JOIN t c ON c.a < b.a", "max_cross_rows"),
    "pairs": ({"max_cross_rows": 100}, lambda: "SELECT 1 FROM <<1,2,3>> a, t b", "max_cross_rows"),
    "a subquery": (
        {"max_cross_rows": 100},
        lambda: "SELECT VALUE (SELECT COUNT(*) AS n FROM t a, t b) FROM <<1>> x",
        "max_cross_rows",
    ),
    "a query of 100 MB": ({}, lambda: "CHAR_LENGTH('" + "x" * 100_000_000 + "')", "max_plan"),
    "a literal of 20 MB": ({}, lambda: "CHAR_LENGTH('" + "x" * 20_000_000 + "')", "max_literal"),
    "octets": ({"max_literal": 10}, lambda: "`{{" + "QUJD" * 8 + "}}`", "max_literal"),
    "values": ({"max_virtual_rows": 100}, lambda: f"SELECT x FROM <<{','.join('1' * 101)}>> x", "max_virtual_rows"),
    "rows of Ion": (
        {"max_virtual_rows": 100},
        lambda: f"SELECT x FROM `[{','.join('1' * 101)}]` x",
        "max_virtual_rows",
    ),
    "depth": ({"max_depth": 50}, lambda: "UPPER(" * 60 + "'a'" + ")" * 60, "max_depth"),
    "a long OR": (
        {"max_plan": 100_000},
        lambda: "SELECT 1 FROM t WHERE " + " OR ".join(f"t.a + {i} = 7" for i in range(10_000)),
        "max_plan",
    ),
    "many nodes": (
        {"max_nodes": 5_000},
        lambda: "SELECT 1 FROM t WHERE " + " OR ".join(f"t.a + {i} = 7" for i in range(1_000)),
        "max_nodes",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused(name: str) -> None:
    limits, query, limit = BOMBS[name]
    session = fs.connect(policy=fs.Policy(**limits))  # Spark, which is not started
    session.register("t", MILLION)
    text = query()
    begun = time.process_time()
    with pytest.raises(fs.PolicyError, match=rf"fs.Policy\({limit}=N\)"):
        session.query(text).to_python()
    assert time.process_time() - begun < SOON
    assert session._engines._started is None


@pytest.mark.parametrize("pattern", ["(.*a){25}$", "(a+)+$", "(a|aa)+$", "(a*)*b", "(.*)*x"])
def test_patterns_that_explode_take_no_time(pattern: str) -> None:
    begun = time.process_time()
    session = fs.connect(engine="reference")
    for function in ("regexp_like", "regexp_substr", "regexp_count"):
        session.query(f"{function}('{'a' * 60}!', '{pattern}')").to_python()
    session.query(f"regexp_replace('{'a' * 60}!', '{pattern}', '')").to_python()
    assert time.process_time() - begun < SOON


def test_what_is_allowed_runs() -> None:
    session = fs.connect(engine="reference", policy=fs.Policy(max_cross_rows=None, max_rows=3, max_seconds=60))
    session.register("t", [1, 2, 3])
    assert session.query("SELECT COUNT(*) AS n FROM t a, t b, t c").to_python() == [{"n": 27}]
    assert session.query("SELECT VALUE a FROM t a").to_python() == [1, 2, 3]
    asked = " OR ".join(f"x = {i}" for i in range(2_000))
    assert session.query(f"SELECT VALUE x FROM t AS x WHERE {asked}").to_python() == [1, 2, 3]


def test_rows_of_an_answer(tmp_path: Path) -> None:
    session = fs.connect(engine="reference", policy=fs.Policy(max_rows=2))
    session.register("t", [1, 2, 3])
    for use in (lambda r: r.to_python(), lambda r: r.to_arrow(), lambda r: r.write(tmp_path / "x.jsonl")):
        with pytest.raises(fs.PolicyError, match="3 rows or more, and 2 are allowed"):
            use(session.query("SELECT a FROM t a"))
    assert not (tmp_path / "x.jsonl").exists()
    session.query("SELECT a FROM t a WHERE a < 3").write(tmp_path / "x.jsonl")
    assert (tmp_path / "x.jsonl").exists()


def test_time_of_an_answer() -> None:
    session = fs.connect(engine="reference", policy=fs.Policy(max_seconds=0.3))
    session.register("t", list(range(3_000)))
    begun = time.monotonic()
    with pytest.raises(fs.PolicyError, match=r"no answer within 0.3 seconds"):
        session.query("SELECT COUNT(*) AS n FROM t a, t b WHERE a < b").to_python()
    assert time.monotonic() - begun < 10
    assert session.query("1 + 1").to_python() == 2


PROFILED = """
import sys
import firesteel as fs

session = fs.connect(engine="reference", policy=fs.Policy(max_seconds=0.1))
session.register("t", list(range(3_000)))
try:
    session.query("SELECT COUNT(*) AS n FROM t a, t b WHERE a < b").to_python()
except fs.PolicyError as error:
    print(error.message)
sys.setprofile(lambda frame, event, argument: None)
print((lambda: 1)())
"""


def test_a_profiler_works_after_a_time_limit() -> None:
    done = subprocess.run([sys.executable, "-c", PROFILED], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.splitlines() == ["no answer within 0.1 seconds", "1"]


@pytest.mark.parametrize("limits", [{"max_row": 1}, {"max_rows": -1}, {"max_rows": "many"}, {"max_rows": True}])
def test_what_is_no_limit(limits: dict[str, Any]) -> None:
    with pytest.raises(fs.PolicyError, match="limit"):
        fs.Policy(**limits)


def test_the_flags_of_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    query = ["query", "SELECT x FROM <<1, 2, 3>> AS x", "--engine", "reference"]
    assert _run([*query, "--max-rows", "2"]) == 3
    assert "--max-rows N" in capsys.readouterr().err
    assert _run([*query, "--max-rows", "3"]) == 0
    assert _run([*query, "--max-virtual-rows", "2"]) == 3
