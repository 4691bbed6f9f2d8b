"""Who uses a Spark session, with sessions that are none."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel.plan import build as b
from firesteel.spark.encoding.failures import Failures
from firesteel.spark.runtime import engine, sessions
from firesteel.spark.runtime.engine import SparkEngine


class Fake:
    """As much of a session as is asked for."""

    def __init__(self, master: str) -> None:
        self.sparkContext = SimpleNamespace(_jsc=object(), master=master)
        self.stops = 0

    def stop(self) -> None:
        self.stops += 1
        self.sparkContext._jsc = None


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The sessions that were started."""
    found: list[Any] = []

    def start(master: str | None, remote: str | None, conf: Any = None) -> Any:
        found.append(Fake(master or "local[*]"))
        return found[-1]

    monkeypatch.setattr(sessions, "start", start)
    monkeypatch.setattr(sessions, "_existing", lambda: None)
    monkeypatch.setattr(sessions, "_jvm_is_gone", lambda patience=0: False)
    monkeypatch.setattr(sessions, "_started", None)
    return found


def test_the_last_one_stops_it(started: list[Any]) -> None:
    one, two = sessions.lease("local[2]", None), sessions.lease(None, None)
    assert one.spark is two.spark
    sessions.release(one)
    sessions.release(one)
    assert started[0].stops == 0
    sessions.release(two)
    assert started[0].stops == 1
    sessions.release(sessions.lease(None, None))
    assert [fake.stops for fake in started] == [1, 1]


def test_another_master_is_refused(started: list[Any]) -> None:
    sessions.lease("local[2]", None)
    with pytest.raises(fs.UnsupportedError, match=r"local\[2\].*local\[4\]"):
        sessions.lease("local[4]", None)
    assert len(started) == 1


def test_one_that_was_there_is_never_stopped(started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    own: Any = Fake("local[1]")
    monkeypatch.setattr(sessions, "_existing", lambda: own)
    found = sessions.lease(None, None)
    assert found.spark is own
    sessions.release(found)
    assert not started
    assert own.stops == 0


def test_one_that_has_ended_is_replaced_and_told_of(started: list[Any]) -> None:
    first = sessions.lease(None, None)
    first.spark.stop()
    with pytest.raises(fs.EvaluationError, match="Spark has ended"), first.using(Failures()):
        raise AttributeError("'NoneType' object has no attribute 'sc'")
    assert sessions.lease(None, None).spark is started[1]


def test_a_jvm_that_is_just_dying_is_waited_for(started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    found = sessions.lease(None, None)
    monkeypatch.setattr(sessions, "_jvm_is_gone", lambda patience=0: patience > 0)
    with pytest.raises(fs.EvaluationError, match="Spark has ended"), found.using(Failures()):
        raise OSError("whatever comes of it") from ConnectionResetError()
    with pytest.raises(fs.EvaluationError, match="another reason"), found.using(Failures()):
        raise OSError("another reason")


def test_the_end_of_spark_is_told_after_another_was_started(started: list[Any]) -> None:
    first = sessions.lease(None, None)
    first.spark.stop()
    sessions.release(first)
    sessions.lease(None, None)
    with pytest.raises(fs.EvaluationError, match="Spark has ended"), first.using(Failures()):
        raise ConnectionRefusedError


def test_a_query_that_loses_its_session_starts_no_other(started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    closed = SparkEngine()

    def compile_plan(*given: Any) -> None:
        raise AttributeError("'NoneType' object has no attribute 'sc'")

    def get(name: str, default: str | None) -> str | None:
        closed.close()
        return default

    monkeypatch.setattr(Fake, "conf", SimpleNamespace(get=get, set=lambda *given: None, unset=get), raising=False)
    monkeypatch.setattr(engine, "compile_plan", compile_plan)
    with pytest.raises(fs.EvaluationError, match="the session was closed"):
        closed.run(p.Plan(p.Query(b.lit(1))))
    assert [fake.stops for fake in started] == [1]


def test_closing_cancels_what_runs(started: list[Any]) -> None:
    cancelled: list[int] = []
    found = sessions.lease(None, None)
    found.busy.add(_Busy(cancelled))
    sessions.release(found)
    assert cancelled == [1]
    with pytest.raises(fs.EvaluationError, match="the session was closed"), found.using(Failures()):
        raise ConnectionRefusedError
    with pytest.raises(fs.PlanError), found.using(Failures()):
        raise fs.PlanError("an error of the plan stays what it is")


class _Busy:
    def __init__(self, cancelled: list[int]) -> None:
        self._cancelled = cancelled

    def cancel(self) -> None:
        self._cancelled.append(1)
