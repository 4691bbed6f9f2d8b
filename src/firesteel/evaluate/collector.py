"""Runs without Python's cyclic garbage collector.

A query makes many objects and no cycles, so reference counts free all of them. The collector would look at every live
object again and again while a table is read: more than half of the time that reading takes.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_runs = 0
_was_enabled = False


@contextmanager
def paused() -> Iterator[None]:
    """No collections while the block runs. Blocks may overlap, also in several threads: the last one ends the pause."""
    global _runs, _was_enabled
    with _lock:
        if _runs == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _runs += 1
    try:
        yield
    finally:
        with _lock:
            _runs -= 1
            if _runs == 0 and _was_enabled:
                gc.enable()
