"""A cache of frames over files: opening a file costs Spark a job (for the schema) and a listing, whatever the query.

A frame is used again as long as its files have the same names, sizes and times of change. So are its copies under other
column names, because Spark analyzes every select when it is made.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from firesteel import types as t
from firesteel.lru import Recent
from firesteel.tables import File
from firesteel.tables.shapes.value_shapes import FileState

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: The frame of a folder of more files than this is not cached.
MOST_FILES = 1_000


@dataclass(eq=False)
class Copy:
    """A frame under column names that no other frame has, and its compiled columns, by position."""

    frame: DataFrame
    names: list[str]
    columns: dict[int, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Opened:
    """A frame, and its copies: a query that scans it twice uses two, and the next query uses the same ones."""

    frame: DataFrame
    state: object = None
    #: The types of the columns that are encoded by our types, by position. The others have types of Spark's.
    types: Mapping[int, t.Type] = field(default_factory=dict)
    _copies: list[Copy] = field(default_factory=list)

    def copy(self, nth: int) -> Copy:
        with _lock:
            while len(self._copies) <= nth:
                names = [f"t{next(_numbers)}" for _ in self.frame.schema.fields]
                self._copies.append(Copy(self.frame.toDF(*names), names))
            return self._copies[nth]


_cache: WeakKeyDictionary[Any, Recent[Opened]] = WeakKeyDictionary()
_numbers = itertools.count(1)
_lock = threading.Lock()


def cached_frame(spark: SparkSession, source: File, how: Hashable, load: Callable[[], Opened]) -> Opened:
    """The result of `load`, cached by source and `how` (all else that it depends on) while the files do not change."""
    now = state(source)
    with _lock:
        frames = _cache.setdefault(spark, Recent())
    cached = frames.find((source, how))
    if cached is not None and now is not None and cached.state == now:
        return cached
    loaded = replace(load(), state=now)
    if now is not None:
        frames.keep((source, how), loaded)
    return loaded


def state(source: File) -> tuple[tuple[object, ...], ...] | None:
    """A fingerprint of a file, or of the files in a folder; None if there are none, or too many."""
    stats: list[tuple[object, ...]] = []
    for name, entry in (one for path in source.paths for one in _files(path)):
        if len(stats) >= MOST_FILES:
            return None
        stats.append((name, FileState.of(entry)))
    return tuple(stats) or None


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
