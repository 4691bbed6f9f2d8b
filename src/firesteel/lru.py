"""What was made not long ago, by what it was made of."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")

#: How many things are kept.
MOST = 256


class Recent(Generic[T]):
    """Things by their keys; the one that was not asked for the longest is forgotten first. Threads may share it."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, key: Hashable) -> T | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def keep(self, key: Hashable, made: T) -> T:
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """What is kept under the key, or else what is made and kept now. Two threads may both make it."""
        found = self.find(key)
        return self.keep(key, make()) if found is None else found

    def forget(self) -> None:
        with self._lock:
            self._kept.clear()
