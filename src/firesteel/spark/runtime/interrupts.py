"""Ctrl-C while Spark works for us."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruptible(stop: Callable[[], None]) -> Iterator[None]:
    """An interrupt of the main thread meanwhile calls `stop`, in a thread of its own, and is a `KeyboardInterrupt`.

    PySpark's own handler stops the jobs of everybody. And the exception that a handler raises is lost if C code is at
    work (Arrow reads what Spark sends): what comes out then is the error of a job that was stopped, or nothing.
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


def again() -> None:
    """Interrupt the main thread once more: by a real signal, which ends what it waits for."""
    ident = threading.main_thread().ident
    if ident is not None and hasattr(signal, "pthread_kill"):
        signal.pthread_kill(ident, signal.SIGINT)
