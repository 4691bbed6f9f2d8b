"""What is known of the shapes of files: learned once, and used as long as a file is the same.

A shape belongs to a file in one state (size, times, inode). Each file of a folder has its own, so that a new file is
learned alone. Shapes are kept in this process, and in a folder if the session has one (`fs.connect(shapes=DIR)`).
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from firesteel.errors import FiresteelError
from firesteel.lru import Recent
from firesteel.spark.encoding.hadoop_paths import read_uri
from firesteel.spark.sources.learn_lines import shapes_of_lines
from firesteel.tables.json_files import split_lines
from firesteel.tables.learn_json import keys_of_open_objects, shape_of_lines
from firesteel.tables.opening import COMPRESSED, open_unpacked, reading
from firesteel.tables.value_shapes import (
    FileState,
    Unknown,
    ValueShape,
    file_state,
    from_json,
    merge_all,
    to_json,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Files of up to so many bytes are learned by this process, larger ones by Spark.
SMALL = 1 << 20
#: So many bytes of a large file are looked at first.
SAMPLE = 1 << 19
#: A file that changed so many nanoseconds ago may change again without another time of change.
_TICK = 20_000_000
_VERSION = 1

#: A shape, or why there is none.
Known = ValueShape | str


@dataclass
class KnownShapes:
    """The shapes of a session. With `on` false, none is learned."""

    folder: Path | None = None
    on: bool = True
    _known: Recent[Known] = field(default_factory=lambda: Recent(4096))

    def shape_of(self, spark: SparkSession, files: Sequence[Path]) -> Learned | None:
        """The shape of the lines of these files, learned now if it is not known; None if they have none."""
        if not self.on or not files:
            return None
        states = {file: _settled(file) for file in files}
        found = {file: self._find(file, state) for file, state in states.items()}
        unknown = [file for file, known in found.items() if known is None]
        found.update(_learn(spark, {file: states[file].size for file in unknown}))
        for file in unknown:
            known = found[file]
            if known is not None and file_state(file) == states[file]:
                self._keep(file, states[file], known)
        shapes = [known for known in found.values() if isinstance(known, ValueShape)]
        return Learned(merge_all(shapes), states) if len(shapes) == len(files) else None

    def distrust(self, misread: Sequence[Learned]) -> None:
        """Take back shapes that lines of their files do not fit."""
        for learned in misread:
            for file, state in learned.states.items():
                self._known.keep((file, state), "a line does not fit what was learned")

    def _find(self, file: Path, state: FileState) -> Known | None:
        known = self._known.find((file, state))
        return known if known is not None or self.folder is None else self._read(file, state)

    def _keep(self, file: Path, state: FileState, known: Known) -> None:
        self._known.keep((file, state), known)
        if self.folder is None or not isinstance(known, ValueShape):
            return
        kept = {"version": _VERSION, "path": str(file), "state": list(state), "shape": to_json(known)}
        with suppress(OSError):  # without the folder the file is learned again, which is slower and no more
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, made = tempfile.mkstemp(dir=self.folder, prefix=".shape-")
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                json.dump(kept, out)
            os.replace(made, self._place(file))

    def _read(self, file: Path, state: FileState) -> ValueShape | None:
        """The shape that was kept for the file in this state. What is damaged counts as not kept."""
        try:
            kept = json.loads(self._place(file).read_text(encoding="utf-8"))
            if kept["version"] != _VERSION or kept["path"] != str(file) or tuple(kept["state"]) != state:
                return None
            found = from_json(kept["shape"])
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None
        self._known.keep((file, state), found)
        return found

    def _place(self, file: Path) -> Path:
        assert self.folder is not None
        return self.folder / f"{hashlib.sha256(str(file).encode('utf-8', 'surrogateescape')).hexdigest()}.json"


@dataclass(frozen=True)
class Learned:
    """The shape of the lines of some files, and the states of these files that it is true for."""

    shape: ValueShape
    states: dict[Path, FileState]

    def holds(self) -> bool:
        """Are the files still in these states?"""
        with suppress(OSError):
            return all(file_state(file) == state for file, state in self.states.items())
        return False


def _settled(file: Path) -> FileState:
    """The state of a file that did not change a moment ago."""
    while True:
        state = file_state(file)
        age = time.time_ns() - max(state.mtime, state.ctime)
        if not 0 <= age < _TICK:
            return state
        time.sleep((_TICK - age) / 1e9)


def _learn(spark: SparkSession, sizes: Mapping[Path, int]) -> dict[Path, Known]:
    found: dict[Path, Known] = {file: _learn_small(file) for file, size in sizes.items() if _is_small(file, size)}
    large = {os.path.realpath(file): file for file in sizes if file not in found}
    if large:
        keys = frozenset[str]().union(*map(_open_keys, large.values()))
        by_uri = shapes_of_lines(spark.read.text([read_uri(Path(place)) for place in large]), keys)
        by_place = {unquote(urlsplit(uri).path): known for uri, known in by_uri.items()}
        found.update({file: by_place.get(place, "it has no lines") for place, file in large.items()})
    return found


def _open_keys(file: Path) -> frozenset[str]:
    """The keys of objects whose keys are data, as far as the first lines of the file show it."""
    try:
        with reading(file), open_unpacked(file) as lines:
            return keys_of_open_objects(lines.read(SAMPLE).split(b"\n")[:-1])
    except FiresteelError:
        return frozenset()


def _is_small(file: Path, size: int) -> bool:
    return size <= (SMALL if file.suffix.lower() not in COMPRESSED else SMALL // 16)


def _learn_small(file: Path) -> Known:
    """The shape of a small file. If it cannot be read, the reader of the query will say so."""
    try:
        with reading(file), open_unpacked(file) as lines:
            text = lines.read(16 * SMALL + 1)
        if len(text) > 16 * SMALL:
            return "it is small only as long as it is compressed"
        found = list(split_lines(io.BytesIO(text)))
        return shape_of_lines(found, keys_of_open_objects(found))
    except (FiresteelError, Unknown) as error:
        return str(error)


__all__ = ["KnownShapes", "Learned"]
