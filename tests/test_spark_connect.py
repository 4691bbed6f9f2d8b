"""Spark Connect: the same code against a Connect server on loopback, in a process of its own.

A process has either classic Spark or Connect, so the server and its client live in a child.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CHILD = """
import json, sys
import firesteel as fs
from firesteel import plan as p
from firesteel.plan import build as b

def outcome(f):
    try:
        return f()
    except fs.FiresteelError as error:
        return [type(error).__name__, error.message]

def nested(levels):
    scan = p.Scan(b.lit([1]))
    rex = b.column(scan, 0)
    for _ in range(levels):
        rex = b.call("neg", rex)
    return p.Plan(p.Query(b.select(rex, scan)))

def chained(levels):
    rel = p.Scan(b.lit([1]))
    for _ in range(levels):
        rel = p.Project((b.call("neg", b.column(rel, 0)),), rel)
    return p.Plan(p.Query(b.select(b.column(rel, 0), rel)))

with fs.connect(remote="local[2]", in_process=False) as s:
    s.register("t", [{"id": 1, "l": [1, 2]}, {"id": 2, "l": []}, {"id": "x"}])
    query = lambda text, **more: outcome(lambda: s.query(text, **more).to_python())
    found = {
        "filter": query("SELECT VALUE r.id FROM t AS r WHERE r.id > 1"),
        "unnest": query("SELECT VALUE e FROM t AS r, r.l AS e WHERE e > 0"),
        "group": query("SELECT r.id IS NULL AS k, COUNT(*) AS n FROM t AS r GROUP BY r.id IS NULL"),
        "order": query("SELECT VALUE r.id FROM t AS r ORDER BY r.id DESC"),
        "strict": query("SELECT VALUE r.id + 1 FROM t AS r", mode="strict"),
        "nested": {n: outcome(lambda: s.run(nested(n)).to_python()) for n in (10, 100, 1000, 10000)},
        "chained": {n: outcome(lambda: s.run(chained(n)).to_python()) for n in (10, 100, 1000, 10000)},
    }
print("FOUND" + json.dumps(found, default=str))
"""


@pytest.mark.spark
@pytest.mark.timeout(400)
def test_connect() -> None:
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=390)
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    assert lines, done.stderr[-2000:]
    found = json.loads(lines[0].removeprefix("FOUND"))
    assert found["filter"] == [2]
    assert sorted(found["unnest"]) == [1, 2]
    assert found["group"] == [{"k": False, "n": 3}]
    assert found["order"] == ["x", 2, 1]
    assert found["strict"][0] == "EvaluationError"
    for shape in ("nested", "chained"):
        assert found[shape]["10"] == [1]
        for outcome in found[shape].values():
            refused = outcome[0] == "UnsupportedError"
            assert outcome == [1] or (refused and ("deep" in outcome[1] or "operators" in outcome[1])), outcome
