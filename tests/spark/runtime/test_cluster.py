"""On a real cluster: a standalone master and two workers on loopback, each a process of its own, with executors whose
Python does not have this package."""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from firesteel.doctor import find_java

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(600)]

CHILD = """
import json, os, signal, sys, threading
from pathlib import Path
import firesteel as fs

def outcome(f):
    try:
        return f()
    except fs.FiresteelError as error:
        return [type(error).__name__, error.message]

with fs.connect(master=sys.argv[1], in_process=False) as s:
    s.register("t", [{"id": 1, "l": [1, 2]}, {"id": 2, "l": []}, {"id": "x"}])
    s.register("lines", Path(sys.argv[2]))
    query = lambda text: outcome(lambda: s.query(text).to_python())
    def answers():
        return {
            "native": query("SELECT VALUE e FROM t AS r, r.l AS e WHERE e > 0 ORDER BY e"),
            "fallback": query("SELECT VALUE EXP(r.id - 1) FROM t AS r WHERE r.id = 1"),
            "lines": query("SELECT r.k AS k, SUM(r.v) AS v FROM lines AS r GROUP BY r.k ORDER BY r.k"),
            "lines in Python": query("SELECT VALUE EXP(r.v - r.v) FROM lines AS r WHERE r.v < 3"),
        }
    found = {"before": answers()}
    os.kill(int(sys.argv[3]), signal.SIGKILL)
    found["after"] = answers()
with fs.connect(master=sys.argv[1], in_process=False) as s:
    s.register("t", [{"id": 1}])
    found["another session"] = outcome(lambda: s.query("SELECT VALUE EXP(r.id - 1) FROM t AS r").to_python())
print("FOUND" + json.dumps(found, default=str))
"""


@dataclass
class Cluster:
    master: str
    workers: list[int]
    environment: dict[str, str]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    java, spec = find_java(), importlib.util.find_spec("pyspark")
    assert java is not None
    assert spec is not None
    assert spec.origin is not None
    home = Path(spec.origin).parent
    environment = {
        **os.environ,
        "JAVA_HOME": str(java.home),
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": str(_python_without_us(tmp_path)),
    }
    started: list[subprocess.Popen[bytes]] = []

    def daemon(name: str, *arguments: str) -> int:
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments]
        with open(tmp_path / f"{len(started)}.log", "wb") as log:
            started.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
        return started[-1].pid

    try:
        port = _free_port()
        daemon("master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        _wait_for(port)
        master = f"spark://127.0.0.1:{port}"
        size = ("--host", "127.0.0.1", "--webui-port", "0", "--cores", "1", "--memory", "1g")
        workers = [daemon("worker.Worker", *size, "--work-dir", str(tmp_path / f"work{i}"), master) for i in range(2)]
        yield Cluster(master, workers, environment)
    finally:
        for process in reversed(started):
            process.terminate()
        for process in started:
            with suppress(subprocess.TimeoutExpired):
                process.wait(30)
            process.kill()
            process.wait()


def _python_without_us(folder: Path) -> Path:
    """This Python with its packages, but not with those that a `.pth` file adds: as this one is, installed to edit."""
    script = folder / "python"
    packages = sysconfig.get_path("purelib")
    script.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{packages}" exec "{sys.executable}" -S "$@"\n')
    script.chmod(0o755)
    return script


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _wait_for(port: int) -> None:
    for _ in range(600):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    pytest.fail("the master did not start")


def test_a_standalone_cluster(cluster: Cluster, tmp_path: Path) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text("".join(json.dumps({"k": i % 2, "v": i}) + "\n" for i in range(100)))
    command = [sys.executable, "-c", CHILD, cluster.master, str(lines), str(cluster.workers[0])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=580, env=cluster.environment)
    said = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    assert said, done.stderr[-2000:]
    found = json.loads(said[0].removeprefix("FOUND"))
    expected = {
        "native": [1, 2],
        "fallback": [1.0],
        "lines": [{"k": 0, "v": 2450}, {"k": 1, "v": 2500}],
        "lines in Python": [1.0, 1.0, 1.0],
    }
    assert found["before"] == expected
    assert found["after"] == expected, "a worker was killed in between"
    assert found["another session"] == [1.0]
