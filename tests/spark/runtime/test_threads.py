"""How many threads Spark's JVM has after many queries: no more than its pools hold (docs/decisions/0037)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.slow]

#: Three pools of 16, two of 100, and what a JVM and Spark have besides.
BOUND = 360

SCRIPT = """
import os
import firesteel as fs

session = fs.connect(in_process=False)
session.register("t", [{"a": i, "k": i % 3} for i in range(20)])
for i in range(150):
    group, sort = "SELECT t.k, SUM(t.a + {}) AS s FROM t GROUP BY t.k", "SELECT t.a FROM t WHERE t.a > {} ORDER BY t.a"
    session.query((group if i % 2 else sort).format(i)).to_python()
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        with open(f"/proc/{pid}/status") as file:
            status = {name: value.strip() for name, _, value in (line.partition(":") for line in file)}
    except OSError:
        continue
    if status["Name"] == "java" and int(status["PPid"]) == os.getpid():
        print("threads", status["Threads"])
session.close()
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the kernel tells of threads in /proc on Linux only")
def test_threads_are_bounded() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=600, env=os.environ)
    assert done.returncode == 0, done.stderr
    counts = [int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("threads")]
    assert counts, "the JVM was not found"
    assert max(counts) < BOUND
