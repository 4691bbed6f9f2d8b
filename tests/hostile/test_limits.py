"""Bombs: small inputs that ask for endless work. Each is refused soon, with the flag that would allow it, or runs
within its limits. And what an answer may have: rows, and time."""

from __future__ import annotations

import bz2
import gzip
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import firesteel as fs
from firesteel.cli.entry import _run
from firesteel.policy import Unpacking
from tests.hostile.timing import SOON, processor_seconds
from tests.tables.file_plans import STRING, files, item, plan, root, schema

MILLION = pa.table({"a": pa.array(range(1_000_000), pa.int64())})

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
    "10,000 conditions": (
        {},
        lambda: "SELECT 1 FROM t WHERE " + " OR ".join(f"t.a + {i} = 7" for i in range(10_000)),
        "max_operands",
    ),
    "10,000 branches": (
        {},
        lambda: f"SELECT VALUE CASE {' '.join(f'WHEN t.a > {i} THEN {i}' for i in range(10_000))} END FROM t",
        "max_operands",
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
    text = query()

    def refused() -> None:
        session = fs.connect(policy=fs.Policy(**limits))  # Spark, which is not started
        session.register("t", MILLION)
        with pytest.raises(fs.PolicyError, match=rf"fs.Policy\({limit}=N\)"):
            session.query(text).to_python()
        assert session._engines._started is None

    assert processor_seconds(refused) < SOON


def test_a_chain_is_counted_whatever_its_brackets_are() -> None:
    def chain_of(terms: list[str]) -> str:
        found = terms[-1]
        for term in reversed(terms[:-1]):
            found = f"({term} OR {found})"
        return found

    session = fs.connect(engine="reference", policy=fs.Policy(max_operands=50))
    session.register("t", [{"a": 3}])
    different = [f"t.a + {i} = 7" for i in range(60)]
    for text in (" OR ".join(different), chain_of(different)):
        with pytest.raises(fs.PolicyError, match="an expression of 60 operands, and 50 are allowed"):
            session.query(f"SELECT VALUE t.a FROM t WHERE {text}").to_python()
    same = [f"t.a = {i}" for i in range(60)]  # one lookup in a list
    for text in (" OR ".join(same), chain_of(same)):
        assert session.query(f"SELECT VALUE t.a FROM t WHERE {text}").to_python() == [3]


def _zst(data: bytes) -> bytes:
    compressed: bytes = pa.compress(data, "zstd", asbytes=True)
    return compressed


PACKED: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "zst": _zst}
#: What is in a bomb of each format: many bytes that are nearly all the same.
FILLED = {
    "json": b'{"a": "' + b"x" * 400_000 + b'"}',
    "jsonl": b'{"a": 1}\n' * 40_000,
    "ion": b"{a: 1}\n" * 50_000,
    "csv": b"a\n" + b"1\n" * 200_000,
    "txt": b"x" * 400_000,
}


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("suffix", FILLED)
def test_compressed_bombs(suffix: str, packing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"t.{suffix}.{packing}"
    path.write_bytes(PACKED[packing](FILLED[suffix]))
    query = f"SELECT COUNT(*) AS n FROM '{path}' AS t"
    monkeypatch.setattr(Unpacking, "FREE", 1 << 17)
    with pytest.raises(fs.PolicyError, match=rf"'{path}' is compressed.*") as caught:
        fs.connect(engine="reference").query(query).to_python()
    assert "--max-ratio N, or fs.Policy(max_ratio=N)" in str(caught.value)
    with pytest.raises(fs.PolicyError, match=r"more than 200,000 bytes") as caught:
        fs.connect(engine="reference", policy=fs.Policy(max_unpacked=200_000, max_ratio=None)).query(query).value()
    assert "--max-unpacked N" in str(caught.value)


def test_a_bomb_that_a_plan_names(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(gzip.compress(b"1\n" * 100_000))
    named = plan(
        root(files(item(str(tmp_path / "t.txt"), text={"fieldDelimiter": "|"}), columns=schema(a=STRING)), "a")
    )
    session = fs.connect(engine="reference", policy=fs.Policy(allow_read=tmp_path, max_unpacked=100_000))
    with pytest.raises(fs.PolicyError, match="becomes more than 100,000 bytes"):
        session.run(named).to_python()


def test_what_is_compressed_well_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress(b'{"a": 1}\n' * 20_000))  # 300 times as large, and small
    asked = f"SELECT COUNT(*) AS n FROM '{tmp_path}/t.jsonl.gz' AS t"
    assert fs.connect(engine="reference").query(asked).to_python() == [{"n": 20_000}]


def _documents(text: str) -> dict[str, str | bytes]:
    """Plan documents of every notation with this text as a literal."""
    session = fs.connect(engine="reference")
    made = session.plan("SELECT VALUE x || ? FROM <<'a'>> AS x", params=[text])
    nothing = {"namedStruct": {"names": ["a"], "struct": {"types": [{"string": {}}]}}}
    row = {"fields": [{"literal": {"string": text}}]}
    read = {"baseSchema": nothing["namedStruct"], "virtualTable": {"expressions": [row]}}
    message = json.dumps({"relations": [{"root": {"names": ["a"], "input": {"read": read}}}]})
    binary = fs.read_plan(message, max_size=None).to_substrait()
    return {
        "Ion": made.to_ion(),
        "binary Ion": made.to_ion(binary=True),
        "algebra": made.to_algebra(),
        "JSON": message,
        "protobuf": binary,
    }


@pytest.mark.parametrize("notation", ["Ion", "binary Ion", "algebra", "JSON", "protobuf"])
def test_literals_of_plan_documents(notation: str, tmp_path: Path) -> None:
    document = _documents("x" * 3_000_000)[notation]
    (tmp_path / "plan").write_bytes(document if isinstance(document, bytes) else document.encode())
    small = fs.connect(engine="reference", policy=fs.Policy(max_plan=2_000_000))
    for source in (document, tmp_path / "plan"):
        for use in (small.run, small.check, lambda source: fs.read_plan(source, max_size=2_000_000)):
            with pytest.raises(fs.PolicyError, match=r"fs.Policy\(max_plan=N\)"):
                use(source)
        with pytest.raises(fs.PolicyError, match=r"a literal of 3,000,000 characters, and 2,000,000 are allowed"):
            fs.connect(engine="reference", policy=fs.Policy(max_literal=2_000_000)).run(source)


@pytest.mark.parametrize("pattern", ["(.*a){25}$", "(a+)+$", "(a|aa)+$", "(a*)*b", "(.*)*x"])
def test_patterns_that_explode_take_no_time(pattern: str) -> None:
    def matched() -> None:
        session = fs.connect(engine="reference")
        for function in ("regexp_like", "regexp_substr", "regexp_count"):
            session.query(f"{function}('{'a' * 60}!', '{pattern}')").to_python()
        session.query(f"regexp_replace('{'a' * 60}!', '{pattern}', '')").to_python()

    assert processor_seconds(matched) < SOON


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
