"""Sessions that share a Spark, that are closed while a query runs, and whose JVM dies. Each of these ends a Spark, so
they run in a child."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CHILD = """
import json, os, signal, sys, threading, time, warnings
warnings.simplefilter("error")
import firesteel as fs
from firesteel.spark import sessions

def outcome(f):
    try:
        return f()
    except fs.FiresteelError as error:
        return [type(error).__name__, error.message]

def connect(**more):
    made = fs.connect(master="local[2]", in_process=False)
    made.register("t", [{"x": i} for i in range(2000)])
    return made

def count(session):
    return outcome(lambda: session.query("SELECT VALUE t.x FROM t WHERE t.x < 2 ORDER BY t.x").to_python())

LONG = "SELECT COUNT(*) AS n FROM t AS a, t AS b, t AS c WHERE a.x + b.x + c.x = -1"
found = {}

def closed_during(session):
    answer = []
    thread = threading.Thread(target=lambda: answer.append(outcome(lambda: session.query(LONG).to_python())))
    thread.start()
    time.sleep(6)
    session.close()
    thread.join(60)
    return answer

one, two = connect(), connect()
found["both"] = [count(one), count(two)]
found["elsewhere"] = outcome(lambda: fs.connect(master="local[1]", in_process=False).query("1 + 1").to_python())
late = one.query("SELECT VALUE t.x FROM t")
found["closed during a query"] = closed_during(one)
found["the other goes on"] = count(two)
found["opened again"] = count(one)
one.close()

jvm = sessions._started.session.sparkContext._gateway.proc.pid
threading.Timer(4, os.kill, (jvm, signal.SIGKILL)).start()
found["killed during a query"] = outcome(lambda: two.query(LONG).to_python())
late = two.query("SELECT VALUE t.x FROM t")
found["after the kill"] = count(two)
jvm = sessions._started.session.sparkContext._gateway.proc.pid
os.kill(jvm, signal.SIGKILL)
time.sleep(1)
found["asked of a dead one"] = outcome(late.to_python)
two.close()
found["a new session"] = count(connect())
last = connect()
found["closed during its last"] = closed_during(last)
print("FOUND" + json.dumps(found, default=str))
"""


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_closing_sharing_and_dying() -> None:
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, timeout=880)
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    assert lines, done.stderr[-2000:]
    closed, ended = ["EvaluationError", "the session was closed"], ["EvaluationError", "Spark has ended"]
    found = json.loads(lines[0].removeprefix("FOUND"))
    assert found.pop("elsewhere")[0] == "UnsupportedError"
    assert found == {
        "both": [[0, 1], [0, 1]],
        "closed during a query": [closed],
        "the other goes on": [0, 1],
        "opened again": [0, 1],
        "killed during a query": ended,
        "after the kill": [0, 1],
        "asked of a dead one": ended,
        "a new session": [0, 1],
        "closed during its last": [closed],
    }
