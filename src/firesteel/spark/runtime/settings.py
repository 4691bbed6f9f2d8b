"""The settings that our plans need: set on a session while something of ours is built or runs, then restored."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from firesteel.spark.runtime.start import needed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass
class _SessionState:
    """A session's JVM options, how many uses are open, and the settings to restore."""

    java_options: str
    open_uses: int = 0
    before: dict[str, str | None] = field(default_factory=dict)


_states: WeakKeyDictionary[SparkSession, _SessionState] = WeakKeyDictionary()
_lock = threading.RLock()


def java_options(spark: SparkSession) -> str:
    """What the session's JVM was started with."""
    return _state_of(spark).java_options


@contextmanager
def settings(spark: SparkSession) -> Iterator[None]:
    """Set what our plans need while this is open. If uses overlap, the last one restores the old values."""
    state = _state_of(spark)
    with _lock:
        state.open_uses += 1
        try:
            _set_needed(spark, state)
        except BaseException:
            _restore_after_last(spark, state)
            raise
    try:
        yield
    finally:
        with _lock:
            _restore_after_last(spark, state)


def _state_of(spark: SparkSession) -> _SessionState:
    with _lock:
        if spark not in _states:
            _states[spark] = _SessionState(spark.conf.get("spark.driver.extraJavaOptions", "") or "")
        return _states[spark]


def _set_needed(spark: SparkSession, state: _SessionState) -> None:
    """Set the settings that differ. They are read each time: the session's owner may have changed them meanwhile."""
    for name, value in needed(state.java_options).items():
        before = spark.conf.get(name, None)
        if before != value:
            state.before.setdefault(name, before)
            spark.conf.set(name, value)


def _restore_after_last(spark: SparkSession, state: _SessionState) -> None:
    state.open_uses -= 1
    if state.open_uses:
        return
    for name, old in state.before.items():
        if old is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, old)
    state.before.clear()
