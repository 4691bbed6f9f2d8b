"""Writers on Spark that are killed, and disks that are full: the target has what was there, or all that is new.

One process starts Spark, and makes a child for every kill. The child writes through the same JVM and is killed: after
some time, or at its nth step. So Spark goes on writing for a driver that is dead, as a cluster would.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from tests.spark.runtime.test_elsewhere import _for_a_short_life

CHILD = r"""
import json, os, signal, sys, threading, time
from pathlib import Path
import firesteel as fs

STEPS = ("open", "os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir")

def reconnect(spark):
    # Connections to the JVM are the parent's: the child makes its own.
    client = spark._jvm._gateway_client
    client.deque.clear()
    client.thread_connection = threading.local()

def write(answer, path, how, nth):
    left = [nth]
    def step(event, args):
        if event in STEPS and str(args[0]).startswith(str(Path(path).parent)):
            left[0] -= 1
            if left[0] < 0 and nth >= 0:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(step)
    answer.write(path, **how)
    return nth - left[0]

def child(spark, answer, path, how, nth=-1, after=None):
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            reconnect(spark)
            os.write(writer, str(write(answer, path, how, nth)).encode())
        except BaseException as error:
            os.write(writer, repr(error)[:400].encode())
        os._exit(0)
    os.close(writer)
    if after is not None:
        time.sleep(after)
        os.kill(pid, signal.SIGKILL)
    said = os.read(reader, 500).decode()
    os.close(reader)
    os.waitpid(pid, 0)
    return said

folder, kills = Path(sys.argv[1]), int(sys.argv[2])
with fs.connect(master="local[2]", in_process=False) as s:
    s.register("t", [{"k": i % 3, "n": 1_000 + i} for i in range(3_000)])
    answer = s.query("SELECT t.k, t.n FROM t AS t")
    spark = answer.to_spark().sparkSession
    HOW = {"plain": {}, "folders": {"partition_by": ["k"]}, "added": {"mode": "append"}}
    for kind, how in HOW.items():
        s.query("SELECT t.k, t.n - 1000 AS n FROM t AS t").write(folder / f"{kind} old.parquet")
        answer.write(folder / f"{kind} dry.parquet", **how)  # what is done once is done
        begun = time.monotonic()
        steps = child(spark, answer, str(folder / f"{kind} dry.parquet"), how)
        took = time.monotonic() - begun
        print("DRY", kind, steps, round(took, 2))
        mine = range(list(HOW).index(kind), kills, len(HOW))
        for i in mine:
            target = folder / f"{i}" / "t.parquet"
            target.parent.mkdir()
            os.system(f"cp -r '{folder}/{kind} old.parquet' '{target}'")
            share = (mine.index(i) // 2 + 0.5) / ((len(mine) + 1) // 2)
            if mine.index(i) % 2:
                said = child(spark, answer, str(target), how, nth=int(int(steps) * share))
            else:
                said = child(spark, answer, str(target), how, after=took * share)
            print("KILL", i, kind, said)
    while spark.sparkContext.statusTracker().getActiveJobsIds():
        time.sleep(0.1)
"""
OLD, NEW = list(range(3_000)), list(range(1_000, 4_000))


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("kills", [102])
def test_kills_spread_over_writes(tmp_path: Path, kills: int) -> None:
    environment = os.environ | _for_a_short_life(tmp_path)
    command = [sys.executable, "-c", CHILD, str(tmp_path), str(kills)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1700, env=environment)
    said = [line.split(maxsplit=3) for line in done.stdout.splitlines() if line.startswith("KILL")]
    assert len(said) == kills, done.stderr[-2000:]
    killed = [line for line in said if len(line) == 3]
    assert len(killed) >= kills * 0.6, said  # the last ones may be done before
    session = fs.connect(engine="reference")
    outcomes = set()
    for _, number, kind, *more in said:
        target = tmp_path / number / "t.parquet"
        session.register("t", target, replace=True)
        rows = sorted(session.query("SELECT VALUE t.n FROM t AS t").to_python())
        new = sorted(OLD + NEW) if kind == "added" else NEW
        assert rows in (OLD, new), (number, kind, len(rows))
        assert not more or rows == new, more
        outcomes.add(rows == OLD)
        session.query("SELECT VALUE {'n': 1}").write(target, rows_per_file=1)
        assert os.listdir(target.parent) == ["t.parquet"]  # the next write removes what was left over
    assert True in outcomes


@pytest.mark.spark
def test_a_disk_that_is_full(tmp_path: Path, spark: Any) -> None:
    """Files of this process and of the JVM may have 20,000 bytes. What was there stays, and nothing else is left."""
    pids = [os.getpid(), spark.sparkContext._gateway.proc.pid]
    rows = [{"c": f"{i * 7919 % 10007:050}", "d": i % 2} for i in range(4_000)]
    with fs.connect(spark=spark, in_process=False) as session:
        session.register("t", rows)
        small, large = (
            session.query(f"SELECT t.c, t.d FROM t AS t WHERE t.c < '{end}'") for end in ("0" * 49 + "3", "1")
        )
        for name, how in (("a.parquet", {}), ("b.jsonl", {"mode": "append"}), ("c.ion", {})):
            path = tmp_path / name
            small.write(path)
            before = sorted(file.read_bytes() for file in path.rglob("*") if file.is_file())
            _limited(pids, 20_000)
            try:
                with pytest.raises(fs.FiresteelError):
                    large.write(path, **how)  # type: ignore[arg-type]
            finally:
                _limited(pids, resource.RLIM_INFINITY)
            assert sorted(file.read_bytes() for file in path.rglob("*") if file.is_file()) == before, name
        assert sorted(os.listdir(tmp_path)) == ["a.parquet", "b.jsonl", "c.ion"]
        large.write(tmp_path / "a.parquet")  # Spark lives on


def _limited(pids: list[int], size: int) -> None:
    for pid in pids:
        _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(
            pid, resource.RLIMIT_FSIZE, (size if most == resource.RLIM_INFINITY else min(size, most), most)
        )
