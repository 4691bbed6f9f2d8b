"""Frames over files, kept: opening a file costs Spark a job (the schema) and a listing, whatever the query.

A frame is used again as long as the files are the same to the file system, by name, size and time of change.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: A folder of more files than this is listed by Spark alone.
MOST_FILES = 1_000

_Key = tuple[Path, object]
_kept: WeakKeyDictionary[Any, dict[_Key, tuple[object, DataFrame]]] = WeakKeyDictionary()
_lock = threading.Lock()


def opened(spark: SparkSession, path: Path, how: object, load: Callable[[], DataFrame]) -> DataFrame:
    """The frame that `load` makes of a path, or the one it made before; `how` is whatever else it depends on."""
    now = state(path)
    with _lock:
        kept = _kept.setdefault(spark, {})
        known = kept.get((path, how))
    if known is not None and now is not None and known[0] == now:
        return known[1]
    frame = load()
    if now is not None:
        with _lock:
            kept[path, how] = (now, frame)
    return frame


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
