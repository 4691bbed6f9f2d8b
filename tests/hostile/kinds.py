"""The kinds of inputs: what is damaged, how, and what is then done with it."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

import firesteel as fs
from firesteel import partiql_plan, substrait
from firesteel.cli import main
from tests.hostile import mutate
from tests.substrait import made
from tests.substrait.mutate import mutated as mutated_message

GOLDEN = Path(__file__).parents[1] / "golden"

ROWS: list[Any] = [
    {"a": 1, "b": "x", "c": [1, 2, {"d": None}], "e": 1.5, "f": {"g": True}},
    {"a": 2, "b": "it's", "c": [], "e": -0.0, "f": {"g": False, "h": "y"}},
    {"a": None, "b": "", "c": [[3]], "e": 1e300},
]
QUERIES = [
    "SELECT t.a AS a, t.b AS b FROM t AS t WHERE t.a IN (1, 2) AND NOT t.b LIKE 'c%' ESCAPE '#' ORDER BY t.a DESC",
    "SELECT VALUE {'a': [1, <<2.5>>], 'b': `{c: 1}`} FROM t LET t.a + 1 AS z WHERE z > 1 OR t.f.g",
    "SELECT k, COUNT(*) AS n, SUM(t.e) AS s FROM t GROUP BY t.a AS k GROUP AS g HAVING COUNT(DISTINCT t.b) >= 1",
    "SELECT x.a, y.b FROM t AS x LEFT JOIN t AS y ON x.a = y.a, x.c AS i AT p WHERE i = ANY (SELECT VALUE 1 FROM t)",
    "WITH w AS (SELECT t.a FROM t) SELECT DISTINCT w.a FROM w UNION ALL (SELECT 1 AS a) LIMIT 3 OFFSET 1",
    "SELECT VALUE CASE t.a WHEN 1 THEN CAST(t.e AS DECIMAL(5, 2)) ELSE CHAR_LENGTH(TRIM(BOTH 'x' FROM t.b)) END FROM t",
    "SELECT SUM(t.a) OVER (PARTITION BY t.b ORDER BY t.a ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) AS w FROM t",
    "PIVOT v AT n FROM UNPIVOT {'a': 1, 'b': 2} AS v AT n WHERE v BETWEEN -1 AND +2",
    "SELECT DATE '2020-02-29' + INTERVAL '1-2' YEAR TO MONTH AS d, EXTRACT(YEAR FROM DATE '2020-01-01') AS y FROM t",
    "SELECT * EXCLUDE t.c[*].d, t.f.g FROM t WHERE EXISTS (SELECT 1 FROM t AS u WHERE u.a = t.a AND u.b || 'z' < 'y')",
    "CAST('1.25' AS DECIMAL(10, 3)) + 1e0 / 3 - `2d0` * POSITION('a' IN 'ba') || SUBSTRING('abc' FROM 2 FOR 1)",
    "COALESCE(NULL, MISSING, 1) IS NOT MISSING AND [1, [2]][1][0] = 2 AND t.a IS INT FROM t",
]


@cache
def session() -> fs.Session:
    opened = fs.connect(engine="reference")
    opened.register("t", ROWS)
    for name, rows in made.TABLES.items():
        opened.register(name, rows, replace=True)
    opened.register("t", ROWS, replace=True)
    return opened


@dataclass(frozen=True)
class Kind:
    """Inputs of one kind: those that are right, how they are damaged, and what is done with one."""

    seeds: Callable[[], list[Any]]
    damage: Callable[[Any, random.Random], Any]
    use: Callable[[Any, Path], None]


# Queries and plans ---------------------------------------------------------------------------------------------------


def _query(text: str, _: Path) -> None:
    fs.parse(text)
    _planned(session().plan(text))


def _planned(plan: fs.Plan) -> None:
    """A plan is judged, printed and written, right or wrong; and run, if it may be right."""
    problems = plan.check()
    str(problems)
    assert plan.explain()
    if plan.message is None:
        written = plan.to_ion()
        fs.read_plan(written if isinstance(written, bytes) else written.encode())
    if not problems:
        for answer in session().run_all(plan):
            answer.to_ion()


def _plan(data: bytes, _: Path) -> None:
    _planned(fs.read_plan(data))


def _ion() -> list[bytes]:
    return [str(session().plan(query).to_ion()).encode() for query in QUERIES[:11]]


def _ion_binary() -> list[bytes]:
    return [partiql_plan.write(session().plan(query).node, binary=True) for query in QUERIES[:11]]


def _algebra() -> list[bytes]:
    texts = [path.read_text().split("--- ")[0] for path in sorted((GOLDEN / "algebra").glob("*.golden"))]
    calls = "(map_values (call 'string:concat' (path (id r) (lit b)) (lit \"x\")) (scan (id t) r))"
    return [re.sub(r"\b(Foo|Bar)\b", "t", text).encode() for text in [*texts, calls]]


def _messages() -> list[bytes]:
    return [substrait.encode(made.message(make())) for make in made.PLANS.values()]


def _json() -> list[bytes]:
    return [substrait.to_json(made.message(make())).encode() for make in made.PLANS.values()]


def _damaged_message(data: bytes, chance: random.Random) -> bytes:
    return mutated_message(data, chance)


# Files ---------------------------------------------------------------------------------------------------------------


def _file(suffix: str) -> Callable[[bytes, Path], None]:
    def use(data: bytes, folder: Path) -> None:
        path = folder / f"data{suffix}"
        path.write_bytes(data)
        opened = fs.connect(engine="reference")
        opened.register("f", str(path))
        for query in ("SELECT * FROM f AS r", "SELECT COUNT(*) AS n, MAX(r.a) AS m FROM f AS r WHERE r.b = 'x'"):
            opened.query(query).to_ion()

    return use


def _written(suffix: str) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        if suffix == ".parquet":
            sink = pyarrow.BufferOutputStream()
            rows = [{"a": i, "b": str(i), "c": [i], "f": {"g": True}} for i in range(3)]
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), sink)
            return [sink.getvalue().to_pybytes()]
        return [_TEXTS[suffix.removesuffix(".gz")]]

    def zipped() -> list[bytes]:
        return [gzip.compress(data, mtime=0) for data in seeds()]

    return zipped if suffix.endswith(".gz") else seeds


_TEXTS = {
    ".jsonl": b'{"a": 1, "b": "x", "c": [1, {"d": null}]}\n{"a": 2.5e3, "b": "\\u00e9\\n", "f": {"g": true}}\n{}\n',
    ".ion": b'{a: 1, b: "x", c: [1, $bag::[2.50]], d: 2026-01-01T00:00Z}\n{a: null.int, b: sy, c: {{aGk=}}, e: nan}\n',
    ".csv": b'a,b,c\n1,x,2.5\n2,"it""s, so",\n,"two\nlines",true\n',
}


# Command lines -------------------------------------------------------------------------------------------------------

COMMANDS = [
    ["query", "--engine", "reference", "--table", "t={data}", "SELECT VALUE r.a FROM t AS r", "--limit", "2"],
    ["query", "--engine", "reference", "1 + 1", "--format", "ion", "--timeout", "5"],
    ["plan", "SELECT r.a FROM t AS r", "--table", "t={data}", "--as", "tree", "--typing", "static"],
    ["run", "--engine", "reference", "{plan}", "--table", "t={data}", "--param", "1=2"],
    ["explain", "{plan}", "--as", "algebra"],
    ["check", "{plan}", "--format", "json"],
    ["--help"],
]


def _command(words: list[str], folder: Path) -> None:
    """An exit code and no traceback; options that would start Spark, or write somewhere, are left out."""
    data, plan = folder / "data.jsonl", folder / "plan.ion"
    data.write_bytes(_TEXTS[".jsonl"])
    plan.write_bytes(_ion()[0])
    words = [word.replace("{data}", str(data)).replace("{plan}", str(plan)) for word in words]
    reference = "reference" in words or words[:1] in (["plan"], ["check"], ["explain"])
    if not reference or "spark" in words or any(word.startswith(("-o", "--out")) for word in words):
        return
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code in (0, 1, 2, 3, 124), end.value.code


KINDS: dict[str, Kind] = {
    "partiql": Kind(lambda: QUERIES, mutate.text, _query),
    "ion": Kind(_ion, mutate.mixed, _plan),
    "ion-binary": Kind(_ion_binary, mutate.octets, _plan),
    "algebra": Kind(_algebra, mutate.mixed, _plan),
    "substrait": Kind(_messages, _damaged_message, _plan),
    "substrait-json": Kind(_json, mutate.mixed, _plan),
    **{
        f"file{suffix}": Kind(
            _written(suffix), mutate.octets if suffix in (".parquet", ".gz") else mutate.mixed, _file(suffix)
        )
        for suffix in (".jsonl", ".ion", ".csv", ".parquet", ".jsonl.gz")
    },
    "command": Kind(lambda: COMMANDS, mutate.arguments, _command),
}
