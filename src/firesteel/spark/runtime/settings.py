"""A session's settings while something of ours is built on it or runs: as our plans need them, then as they were."""

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
class _Known:
    """What is known of a session: how its JVM was started, how much of ours goes on, and what was set before that."""

    java_options: str
    going_on: int = 0
    before: dict[str, str | None] = field(default_factory=dict)


_known: WeakKeyDictionary[SparkSession, _Known] = WeakKeyDictionary()
_lock = threading.RLock()


def java_options(spark: SparkSession) -> str:
    """What the session's JVM was started with."""
    return _of(spark).java_options


@contextmanager
def settings(spark: SparkSession) -> Iterator[None]:
    """The settings that our plans need, for as long as this lasts. Of what overlaps, the last one puts them back."""
    known = _of(spark)
    with _lock:
        known.going_on += 1
        try:
            _change(spark, known)
        except BaseException:
            _done(spark, known)
            raise
    try:
        yield
    finally:
        with _lock:
            _done(spark, known)


def _of(spark: SparkSession) -> _Known:
    with _lock:
        if spark not in _known:
            _known[spark] = _Known(spark.conf.get("spark.driver.extraJavaOptions", "") or "")
        return _known[spark]


def _change(spark: SparkSession, known: _Known) -> None:
    """Set what is not as it should be. It is looked at each time: the session's owner may have set it meanwhile."""
    for name, value in needed(known.java_options).items():
        before = spark.conf.get(name, None)
        if before != value:
            known.before.setdefault(name, before)
            spark.conf.set(name, value)


def _done(spark: SparkSession, known: _Known) -> None:
    known.going_on -= 1
    if known.going_on:
        return
    for name, old in known.before.items():
        if old is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, old)
    known.before.clear()
