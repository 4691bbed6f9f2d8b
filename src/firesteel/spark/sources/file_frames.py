"""Frames over files, kept: opening a file costs Spark a job (the schema) and a listing, whatever the query.

A frame is used again as long as the files are the same to the file system, by name, size and time of change. So are its
columns under new names, because Spark analyzes every select when it is made.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from firesteel import types as t

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: A folder of more files than this is listed by Spark alone.
MOST_FILES = 1_000


@dataclass(eq=False)
class Copy:
    """A frame under names that no other column has, and what became of its columns, by their places."""

    frame: DataFrame
    names: list[str]
    columns: dict[int, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Opened:
    """A frame, and the copies of it that stand beside one another in a query: the next query has the same ones."""

    frame: DataFrame
    state: object = None
    #: The types of columns that are encoded as ours are, by their places. The others are as Spark has them.
    types: Mapping[int, t.Type] = field(default_factory=dict)
    _copies: list[Copy] = field(default_factory=list)

    def copy(self, nth: int) -> Copy:
        with _lock:
            while len(self._copies) <= nth:
                names = [f"t{next(_numbers)}" for _ in self.frame.schema.fields]
                self._copies.append(Copy(self.frame.toDF(*names), names))
            return self._copies[nth]


_Key = tuple[Path, object]
_kept: WeakKeyDictionary[Any, dict[_Key, Opened]] = WeakKeyDictionary()
_numbers = itertools.count(1)
_lock = threading.Lock()


def opened(spark: SparkSession, path: Path, how: object, load: Callable[[], Opened]) -> Opened:
    """What `load` makes of a path, or has made of it before; `how` is whatever else it depends on."""
    now = state(path)
    with _lock:
        kept = _kept.setdefault(spark, {})
        known = kept.get((path, how))
    if known is not None and now is not None and known.state == now:
        return known
    found = replace(load(), state=now)
    if now is not None:
        with _lock:
            kept[path, how] = found
    return found


def state(path: Path) -> tuple[tuple[object, ...], ...] | None:
    """What changes when a file, or one in a folder, does; None where that is too much to look at."""
    found: list[tuple[object, ...]] = []
    for name, entry in _files(path):
        if len(found) >= MOST_FILES:
            return None
        found.append((name, entry.st_size, entry.st_mtime_ns, entry.st_ino))
    return tuple(found) or None


def _files(path: Path) -> Iterator[tuple[str, os.stat_result]]:
    folders = [path]
    while folders:
        folder = folders.pop()
        if not folder.is_dir():
            if folder.exists():
                yield str(folder), folder.stat()
            continue
        for entry in sorted(os.scandir(folder), key=lambda one: one.name):
            if entry.is_dir():
                folders.append(Path(entry.path))
            else:
                yield entry.path, entry.stat()
