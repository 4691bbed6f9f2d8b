"""Sessions that share a Spark, that are closed while a query runs, and whose JVM dies. Each of these ends a Spark, so
they run in a child."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CHILD = """
import json, os, signal, threading, time, warnings
warnings.simplefilter("error")
warnings.simplefilter("ignore", ResourceWarning)  # PySpark before 4.2 leaves sockets behind
import firesteel as fs
from firesteel.spark.runtime import sessions

SHORT = "SELECT VALUE t.x FROM t WHERE t.x < 2 ORDER BY t.x"
LONG = "SELECT COUNT(*) AS n FROM t AS a, t AS b, t AS c WHERE a.x + b.x + c.x = -1"

def outcome(f):
    try:
        return f()
    except fs.FiresteelError as error:
        return [type(error).__name__, error.message]

def connect():
    made = fs.connect(master="local[2]", in_process=False)
    made.register("t", [{"x": i} for i in range(2000)])
    return made

def ask(session, text=SHORT):
    return outcome(lambda: session.query(text).to_python())

def computing():
    tracker = sessions._started.session.sparkContext.statusTracker()
    while not tracker.getActiveJobsIds():
        time.sleep(0.05)

def during(session, text, wait, act):
    answer = []
    thread = threading.Thread(target=lambda: answer.append(ask(session, text)))
    thread.start()
    wait()
    act()
    thread.join(60)
    return answer

def kill():
    os.kill(sessions._started.session.sparkContext._gateway.proc.pid, signal.SIGKILL)

found = {}
one, two = connect(), connect()
found["both"] = [ask(one), ask(two)]
found["elsewhere"] = outcome(lambda: fs.connect(master="local[1]", in_process=False).query("1 + 1").to_python())
found["closed during a query"] = during(one, LONG, computing, one.close)
found["the other goes on"] = ask(two)
found["at any moment"] = []
for moment in range(12):
    session = connect()
    found["at any moment"] += during(session, SHORT, lambda: time.sleep(0.03 * moment), session.close)
found["opened again"] = ask(one)
one.close()

late = two.query(SHORT)
found["killed during a query"] = during(two, LONG, computing, kill)
found["asked of a dead one"] = outcome(late.to_python)
found["after the kill"] = ask(two)
found["still asked of it"] = outcome(late.to_python)
found["closed during its last"] = during(two, LONG, computing, two.close)
last = connect()
found["a new session"] = ask(last)
kill()
last.close()
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
    at_any_moment = found.pop("at any moment")
    assert len(at_any_moment) == 12
    assert all(answer in ([0, 1], closed) for answer in at_any_moment)
    assert found == {
        "both": [[0, 1], [0, 1]],
        "closed during a query": [closed],
        "the other goes on": [0, 1],
        "opened again": [0, 1],
        "killed during a query": [ended],
        "asked of a dead one": ended,
        "after the kill": [0, 1],
        "still asked of it": ended,
        "closed during its last": [closed],
        "a new session": [0, 1],
    }
    assert not done.stderr, "what went wrong is told by the errors, and by nothing else"
