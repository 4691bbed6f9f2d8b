"""The time limit of a command."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from firesteel.cli.failure import TimeOut

#: Seconds until the exception is raised again: one that a signal raises inside a callback of C code is lost.
_AGAIN = 3.0


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `TimeOut` in the main thread when the time is over, which interrupts it like Ctrl-C."""
    if seconds is None:
        yield
        return
    over: list[int] = []

    def interrupt(number: int, frame: Any) -> None:
        over.append(number)
        handler = signal.getsignal(signal.SIGINT)
        (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
    try:
        yield
    except KeyboardInterrupt:
        if over:
            raise TimeOut(f"no answer within {seconds:g} seconds") from None
        raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
