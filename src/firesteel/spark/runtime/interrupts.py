"""Ctrl-C while Spark runs a query of ours."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruptible(stop: Callable[[], None]) -> Iterator[None]:
    """While this is open, Ctrl-C calls `stop` in another thread and raises `KeyboardInterrupt`.

    PySpark's own handler would cancel everybody's jobs. An exception that a signal handler raises is lost while C code
    runs (Arrow reading Spark's answer), and the body ends with the error of a cancelled job, or without any: so
    `KeyboardInterrupt` is raised once more at the end.
    """
    before: Any = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    given = signal.default_int_handler if getattr(before, "__module__", "").startswith("pyspark") else before
    hits: list[int] = []

    def interrupted(number: int, frame: Any) -> None:
        if not hits:
            threading.Thread(target=stop, daemon=True).start()
        hits.append(number)
        given(number, frame)

    signal.signal(signal.SIGINT, interrupted)
    try:
        yield
    except Exception as error:
        if hits:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)
    if hits:
        raise KeyboardInterrupt


def interrupt_again() -> None:
    """Interrupt the main thread once more, by a real signal, which also ends a blocking call."""
    ident = threading.main_thread().ident
    if ident is not None and hasattr(signal, "pthread_kill"):
        signal.pthread_kill(ident, signal.SIGINT)
