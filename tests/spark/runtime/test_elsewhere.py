"""The same code elsewhere: against a Connect server on loopback, and on a cluster of two executors on this machine.

A process has either classic Spark or Connect, and one session, so each lives in a child.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.spark_batch import FAST

DATA = Path(__file__).parents[3] / "examples" / "data"
CHILD = """
import json, sys, threading, time
from contextlib import closing
from pathlib import Path
import firesteel as fs
from firesteel import plan as p
from firesteel.plan import build as b
from firesteel.spark.sources import ion_files

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

place, levels = map(json.loads, sys.argv[3:])
with fs.connect(**place, in_process=False) as s:
    s.register("t", [{"id": 1, "l": [1, 2]}, {"id": 2, "l": []}, {"id": "x"}])
    query = lambda text, **more: outcome(lambda: s.query(text, **more).to_python())
    found = {
        "filter": query("SELECT VALUE r.id FROM t AS r WHERE r.id > 1"),
        "unnest": query("SELECT VALUE e FROM t AS r, r.l AS e WHERE e > 0"),
        "group": query("SELECT r.id IS NULL AS k, COUNT(*) AS n FROM t AS r GROUP BY r.id IS NULL"),
        "order": query("SELECT VALUE r.id FROM t AS r ORDER BY r.id DESC"),
        "strict": query("SELECT VALUE r.id + 1 FROM t AS r", mode="strict"),
        "fallback": query("SELECT VALUE EXP(r.id - 1) FROM t AS r WHERE r.id = 1"),
        "python": len(s.query("SELECT VALUE EXP(r.id) FROM t AS r").plan_report().fallbacks),
        "nested": {n: outcome(lambda: s.run(nested(n)).to_python()) for n in levels},
        "chained": {n: outcome(lambda: s.run(chained(n)).to_python()) for n in levels if n < 1000},
        "join": query("SELECT a.id AS a, b.id AS b FROM t AS a JOIN t AS b ON a.id = b.id WHERE a.id = 2"),
        "union": query("SELECT VALUE r.id FROM t AS r WHERE r.id = 1 UNION ALL SELECT VALUE r.l FROM t AS r"),
        "subquery": query("SELECT r.id AS id, (SELECT VALUE e + 1 FROM r.l AS e) AS l FROM t AS r WHERE r.id = 1"),
        "correlated": query("SELECT VALUE r.id FROM t AS r WHERE EXISTS (SELECT 1 FROM t AS q WHERE q.id > r.id)"),
        "pivot": query("PIVOT r.id AT r.id FROM t AS r WHERE r.id = 'x'"),
        "window": query("SELECT r.id AS id, ROW_NUMBER() OVER (ORDER BY r.id) AS n FROM t AS r WHERE r.id < 3"),
    }
    folder = Path(sys.argv[1])
    s.register("orders", folder / "orders.jsonl")
    result = s.run(fs.read_plan(folder.parent / "revenue.ion"))
    found["demo"] = result.to_python()
    target = Path(sys.argv[2]) / "revenue.parquet"
    result.write(target)
    s.register("revenue", target)
    found["read back"] = query("SELECT r.sku AS sku, r.revenue AS revenue FROM revenue AS r")
    ion_files.LARGE = 0
    ion = Path(sys.argv[2]) / "t.ion"
    ion.write_text("{id: 1, l: [1, 2]} {id: 2, l: name}")
    s.register("ion", ion)
    found["ion"] = query("SELECT VALUE e FROM ion AS r, r.l AS e WHERE r.id = 1")
    s.register("many", [{"x": i} for i in range(2000)])
    long = s.query("SELECT COUNT(*) AS n FROM many AS a, many AS b, many AS c WHERE a.x + b.x + c.x = -1")
    def stop():
        with closing(s.watch()) as watch:
            end = time.monotonic() + 120
            while not watch.now().tasks and time.monotonic() < end:
                time.sleep(0.1)
            told = watch.now()
        found["progress"] = [told.engine, told.stages > 0, told.tasks > told.done]
        long.cancel()
    thread = threading.Thread(target=stop)
    thread.start()
    found["cancelled"] = outcome(long.to_python)
    thread.join()
    found["goes on"] = query("SELECT VALUE r.id FROM t AS r WHERE r.id = 2")
print("FOUND" + json.dumps(found, default=str))
"""


def _for_a_short_life(folder: Path) -> dict[str, str]:
    """The environment of a Spark that ends after a few queries: it interprets them, and its JVM compiles quickly."""
    (folder / "conf").mkdir()
    settings = "".join(f"{name} {value}\n" for name, value in FAST.items())
    (folder / "conf" / "spark-defaults.conf").write_text(settings, encoding="utf-8")
    return {"SPARK_CONF_DIR": str(folder / "conf"), "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}


@pytest.mark.spark
@pytest.mark.parametrize(
    ("place", "levels"),
    [
        pytest.param({"remote": "local[2]"}, [10], id="connect"),
        pytest.param({"remote": "local[2]"}, [10, 100, 300, 10_000], id="connect, deep", marks=pytest.mark.slow),
        pytest.param(
            {"master": "local-cluster[2,1,1024]"}, [10, 100, 300, 10_000], id="cluster", marks=pytest.mark.slow
        ),
    ],
)
def test_elsewhere(tmp_path: Path, place: dict[str, str], levels: list[int], request: pytest.FixtureRequest) -> None:
    command = [sys.executable, "-c", CHILD, str(DATA), str(tmp_path), json.dumps(place), json.dumps(levels)]
    environment = dict(os.environ)
    if not request.config.getoption("--codegen"):
        environment |= _for_a_short_life(tmp_path)
    done = subprocess.run(command, capture_output=True, text=True, timeout=1700, env=environment)
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    assert lines, done.stderr[-2000:]
    found = json.loads(lines[0].removeprefix("FOUND"))
    assert found["filter"] == [2]
    assert sorted(found["unnest"]) == [1, 2]
    assert found["group"] == [{"k": False, "n": 3}]
    assert found["order"] == ["x", 2, 1]
    assert found["strict"][0] == "EvaluationError"
    assert found["fallback"] == [1.0]
    assert found["python"] == 1
    assert found["join"] == [{"a": 2, "b": 2}]
    assert len(found["union"]) == 4
    assert found["subquery"] == [{"id": 1, "l": [2, 3]}]
    assert found["correlated"] == [1]
    assert found["pivot"] == {"x": "x"}
    assert sorted(row["n"] for row in found["window"]) == [1, 2]
    assert found["demo"]
    assert sorted(found["read back"], key=str) == sorted(found["demo"], key=str)
    assert sorted(found["ion"]) == [1, 2]
    assert found["cancelled"] == ["EvaluationError", "cancelled"]
    assert found["progress"] == ["spark", True, True]
    assert found["goes on"] == [2]
    for shape in ("nested", "chained"):
        assert found[shape]["10"] == [1]
        for outcome in found[shape].values():
            refused = outcome[0] == "UnsupportedError"
            assert outcome == [1] or (refused and ("deep" in outcome[1] or "operators" in outcome[1])), outcome
