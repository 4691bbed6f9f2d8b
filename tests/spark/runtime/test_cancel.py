"""A long query that is interrupted stops, soon, and the session goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs

pytestmark = pytest.mark.spark

#: Work for minutes: a join of everything with everything.
LONG = "SELECT COUNT(*) AS n FROM t AS a, t AS b, t AS c WHERE a.x + b.x + c.x = -1"
#: Two seconds, where nobody else wants the processors.
SOON = 2.0 * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


@pytest.fixture(scope="module")
def session(spark: Any) -> Iterator[fs.Session]:
    with fs.connect(spark=spark, in_process=False) as made:
        made.register("t", [{"x": i} for i in range(2000)])
        yield made


def jobs(spark: Any) -> list[int]:
    return list(spark.sparkContext.statusTracker().getActiveJobsIds())


def waiting(test: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not test():
        assert time.monotonic() < end
        time.sleep(0.02)


def answers(session: fs.Session) -> bool:
    return session.query("SELECT VALUE a.x FROM t AS a WHERE a.x = 3").to_python() == [3]


def asking(result: fs.Result) -> tuple[threading.Thread, list[fs.FiresteelError]]:
    """A thread that asks for the answer, and what it gets instead."""
    failed: list[fs.FiresteelError] = []

    def run() -> None:
        try:
            result.value()
        except fs.FiresteelError as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, failed


def test_cancel_from_another_thread(session: fs.Session, spark: Any) -> None:
    """Before, it tells a thread that asks how far it is."""
    result = session.query(LONG)
    with closing(session.watch()) as watch:
        assert watch.now().engine is None
        thread, failed = asking(result)
        waiting(lambda: watch.now().tasks)
        assert jobs(spark)
        told = watch.now()
    assert (told.engine, told.stages > 0, told.tasks >= told.stages) == ("spark", True, True)
    assert 0 <= told.done < told.tasks
    assert told.seconds > 0
    started = time.monotonic()
    result.cancel()
    thread.join(20)
    took = time.monotonic() - started
    assert [error.message for error in failed] == ["cancelled"]
    assert took < SOON
    waiting(lambda: not jobs(spark), SOON)
    assert answers(session)
    with pytest.raises(fs.EvaluationError, match="cancelled"):
        result.value()


def test_cancel_while_it_is_planned(session: fs.Session) -> None:
    """There is no job yet that could be stopped."""
    result = session.query(LONG)
    thread, failed = asking(result)
    result.cancel()
    thread.join(30)
    assert [error.message for error in failed] == ["cancelled"]
    assert answers(session)


def test_interrupt_of_the_main_thread(session: fs.Session, spark: Any) -> None:
    """Ctrl-C: the job is stopped, the interrupt goes on."""
    result = session.query(LONG)
    sent: list[float] = []

    def interrupt() -> None:
        waiting(lambda: jobs(spark))
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            result.value()
    finally:
        signal.signal(signal.SIGINT, before)
        thread.join()
    assert time.monotonic() - sent[0] < SOON
    waiting(lambda: not jobs(spark), SOON)
    assert answers(session)


def cli(path: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "firesteel", "query", LONG, "--table", f"t={path}", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


@pytest.mark.slow
def test_interrupt_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f'{{"x":{i}}}\n' for i in range(2000)), encoding="utf-8")
    child = cli(path)
    time.sleep(30)
    assert child.poll() is None
    os.killpg(child.pid, signal.SIGINT)
    started = time.monotonic()
    _, said = child.communicate(timeout=900)
    assert child.returncode == 130, said
    assert said.strip().splitlines()[-1] == "interrupted"
    assert time.monotonic() - started < 10  # the JVM's end is in it
    child = cli(path, "--timeout", "20")
    _, said = child.communicate(timeout=900)
    assert child.returncode == 124, said
