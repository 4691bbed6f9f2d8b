"""Which Spark sessions are in use, and by how many engines.

A process has one Spark. Engines that start one share it: the last to leave stops it. A session that was there before
(the user's own) is used and never stopped. Where the JVM has ended, the next engine that asks gets a new Spark.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from subprocess import TimeoutExpired
from typing import TYPE_CHECKING, Any

from firesteel.errors import EvaluationError, FiresteelError, UnsupportedError
from firesteel.spark.core.worker_package import is_connect
from firesteel.spark.encoding.failures import Failures, translated, unreachable
from firesteel.spark.runtime.plan_cache import PlanCache
from firesteel.spark.runtime.start import start

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(eq=False)
class Running:
    """A session, who started it, and how many use it."""

    session: SparkSession
    ours: bool
    #: The master or the remote that it is on, as far as that is known.
    place: str | None = None
    users: int = 0
    #: It was found to have ended: the JVM died, or somebody stopped it.
    lost: bool = False

    @property
    def ended(self) -> bool:
        """Was it stopped, or is its JVM gone? The state of a remote server is not known."""
        remote: Any = self.session
        stopped = remote.is_stopped if is_connect(self.session) else self.session.sparkContext._jsc is None
        return stopped or _jvm_is_gone()


@dataclass(eq=False)
class Lease:
    """One engine's use of a session, until the engine is closed."""

    running: Running
    closed: bool = False
    #: What the engine is computing: anything that has `cancel`.
    busy: set[Any] = field(default_factory=set)
    #: The plans that the engine has compiled on this session.
    known: PlanCache = field(default_factory=PlanCache)

    @property
    def spark(self) -> SparkSession:
        return self.running.session

    @contextmanager
    def using(self, failures: Failures) -> Iterator[None]:
        """Translate Spark's errors while this is open. If Spark itself has ended, the error says so, whatever PySpark
        has raised."""
        try:
            with translated(failures):
                yield
        except Exception as error:
            session_error = self._session_error(error)
            if session_error is None or (isinstance(error, FiresteelError) and not isinstance(error, EvaluationError)):
                raise
            raise session_error from error

    def _session_error(self, error: Exception) -> FiresteelError | None:
        if self.closed and not self.running.lost:
            return EvaluationError("the session was closed", help="ask for the answer before closing it")
        if self.running.ended or (unreachable(error) and _jvm_is_gone(_PATIENCE)):
            next_ = "the next query starts another" if self.running.ours else "connect with a new Spark session"
            return EvaluationError("Spark has ended", help=f"its JVM stopped or was killed; {next_}")
        return None


#: Seconds to wait for the JVM's exit code: a killed process closes its connections a little before its parent is told.
_PATIENCE = 5.0
_lock = threading.RLock()
_started: Running | None = None


def lease_given(session: SparkSession) -> Lease:
    """A lease on a session that somebody else started and will stop."""
    return Lease(Running(session, ours=False))


def lease(master: str | None, remote: str | None, conf: Mapping[str, str] | None = None) -> Lease:
    """A lease on this process's Spark, which is started with the configuration if there is none or it has ended."""
    global _started
    with _lock:
        if _started is not None and _started.ended:
            _forget(_started)
            _started = None
        if _started is None:
            existing = _existing()
            session = start(master, remote, conf) if existing is None else existing
            place = remote if is_connect(session) else session.sparkContext.master
            _started = Running(session, ours=existing is None, place=place)
        _ensure_same(_started.place, master or remote)
        _started.users += 1
        return Lease(_started)


def release(lease: Lease) -> None:
    """End a lease and cancel what its engine is computing. The last lease stops a Spark that we started."""
    global _started
    with _lock:
        if lease.closed:
            return
        lease.closed = True
    for outcome in list(lease.busy):
        with suppress(Exception):
            outcome.cancel()
    running = lease.running
    with _lock:
        running.users -= 1
        if running.users > 0:
            return
        if running is _started:
            _started = None
        if running.ours:
            _stop(running)


def _ensure_same(place: str | None, asked: str | None) -> None:
    """Refuse another master or remote: a process has one Spark, and PySpark would silently hand out that one."""
    if place is not None and asked is not None and place != asked:
        raise UnsupportedError(
            f"this process has a Spark on '{place}' already, and one on '{asked}' is asked for",
            help="close the sessions that use it, or use another process",
        )


def _stop(running: Running) -> None:
    if running.ended:
        _forget(running)
    else:
        with suppress(Exception):
            running.session.stop()


# ---------------------------------------------------------------------------------------------------------------------
# PySpark's record of the process's session. There is no public API to read or clear it.


def _existing() -> SparkSession | None:
    """The session that PySpark would hand out again."""
    from pyspark.sql import SparkSession, is_remote

    if is_remote():
        from pyspark.sql.connect.session import SparkSession as RemoteSession

        return RemoteSession._get_default_session()  # type: ignore[return-value]
    found = SparkSession._instantiatedSession
    if found is None or found.sparkContext._jsc is None:
        return None
    running = Running(found, ours=False)
    if running.ended:
        _forget(running)
        return None
    return found


def _jvm_is_gone(patience: float = 0) -> bool:
    """Has the JVM that PySpark started in this process ended? Wait up to `patience` seconds for that."""
    from pyspark import SparkContext

    process = getattr(SparkContext._gateway, "proc", None)
    if process is None:
        return False
    with suppress(TimeoutExpired):
        process.wait(patience)
    return process.returncode is not None


def _forget(running: Running) -> None:
    """Make PySpark forget a session that has ended, or it would go on talking to the dead JVM."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    running.lost = True
    gone = _jvm_is_gone()
    if is_connect(running.session):
        remote: Any = running.session
        remote.release_session_on_close = False  # do not call the server
        with suppress(Exception):
            remote.stop()
    context = SparkContext._active_spark_context
    if gone and context is not None:
        context._jsc = None  # so that `stop` does not call the JVM
        with suppress(Exception):
            context.stop()
    if gone:
        SparkSession._instantiatedSession = SparkSession._activeSession = None
        SparkContext._active_spark_context = None
        gateway: Any = SparkContext._gateway
        SparkContext._gateway = SparkContext._jvm = None
        with suppress(Exception):
            gateway.proc.stdin.close()
        with suppress(Exception):
            gateway.close()
