"""Room on the stack for what recurses by design.

A call of a Python function by a Python function takes no C stack (since CPython 3.11), only heap; what stops it is the
interpreter's recursion limit, which is one for all threads. So whoever is about to go deep asks for as many frames as
that can take, *before* going, and gives them back after. Nobody may live on the frames that another thread asked for:
when those are taken back, CPython 3.11 ends the whole process ("Cannot recover from stack overflow").
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()


@contextmanager
def room(frames: int) -> Iterator[None]:
    """So many frames more, for as long as the block runs."""
    _grant(frames)
    try:
        yield
    finally:
        _grant(-frames)


def _grant(frames: int) -> None:
    with _lock:
        sys.setrecursionlimit(sys.getrecursionlimit() + frames)
