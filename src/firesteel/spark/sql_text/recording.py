"""Whether expressions are recorded as text in this thread, or are PySpark's columns."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _State(threading.local):
    on = False


_state = _State()


def is_on() -> bool:
    """Are expressions text?"""
    return _state.on


@contextmanager
def recording(on: bool = True) -> Iterator[None]:
    """While this is open, functions of `encoding.columns` make text (or, with False, columns)."""
    before = _state.on
    _state.on = on
    try:
        yield
    finally:
        _state.on = before
