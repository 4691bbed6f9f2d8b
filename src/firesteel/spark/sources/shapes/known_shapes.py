"""What is known of the shapes of files: learned once, and used as long as a file is the same.

A shape belongs to a file in one state (size, times, inode). Each file of a folder has its own, so that a new file is
learned alone. Shapes are kept in this process, and in a folder if the session has one (`fs.connect(shapes=DIR)`).

Of a large file a first query needs little: what it touches is claimed from a sample of the lines, and proven for all
of them (`tables/shapes/prove_json.py`). If a claim is not proven, or there were several, Spark learns the whole shape.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from weakref import WeakKeyDictionary

from firesteel.errors import FiresteelError
from firesteel.lru import Recent
from firesteel.spark.encoding.hadoop_paths import read_uri
from firesteel.spark.sources.shapes.learn_lines import shapes_of_lines
from firesteel.tables.json_files import split_lines
from firesteel.tables.opening import compression_of, open_unpacked, reading
from firesteel.tables.shapes.learn_json import keys_of_open_objects, shape_of_lines
from firesteel.tables.shapes.prove_json import Claim, prove
from firesteel.tables.shapes.value_shapes import (
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
#: The sample of a file is taken at so many places.
_PIECES = 4
#: Of files of at least so many bytes claims are proven before the whole shape is learned; and so many of them.
LARGE = 4 << 20
MOST_CLAIMS = 3
#: Of a shape that Spark learned something may be lacking: so many claims are proven then.
MOST_BESIDE = 12
#: A file that changed so many nanoseconds ago may change again without another time of change.
_TICK = 20_000_000
_VERSION = 2
_MISREAD = "a line does not fit what was learned"

#: A shape, or why there is none.
Known = ValueShape | str
ClaimOf = Callable[[ValueShape], Claim | None]


@dataclass
class KnownShapes:
    """The shapes of a session. With `on` false, none is learned."""

    folder: Path | None = None
    on: bool = True
    _known: Recent[Known] = field(default_factory=lambda: Recent(4096))
    _samples: Recent[Known] = field(default_factory=lambda: Recent(4096))
    _proven: Recent[frozenset[str]] = field(default_factory=lambda: Recent(4096))
    _unproven: Recent[frozenset[str]] = field(default_factory=lambda: Recent(4096))
    _checked: Recent[bool] = field(default_factory=lambda: Recent(4096))

    def shape_of(
        self,
        spark: SparkSession,
        files: Sequence[Path],
        claim_of: ClaimOf,
        is_enough: Callable[[ValueShape], bool] = lambda _: True,
    ) -> Learned | None:
        """The shape of the lines of these files, learned now if it is not known; None if they have none. `claim_of`
        says what the plan relies on, given a sample; `is_enough` whether a shape says all that the plan touches."""
        if not self.on or not files:
            return None
        states = {file: _settled(file) for file in files}
        found: dict[Path, Known | None] = {}
        for file, state in states.items():
            known = self._find(file, state)
            lacks = known is None or (isinstance(known, ValueShape) and not is_enough(known))
            most = MOST_CLAIMS if known is None else MOST_BESIDE
            found[file] = (self._prove(file, state, claim_of, most) if lacks else None) or known
        unknown = [file for file, known in found.items() if known is None]
        found.update(_learn(spark, {file: states[file].size for file in unknown}))
        for file in unknown:
            known = found[file]
            if known is not None and file_state(file) == states[file]:
                self._keep(file, states[file], known)
        shapes = [known for known in found.values() if isinstance(known, ValueShape)]
        return Learned(merge_all(shapes), states) if len(shapes) == len(files) else None

    def knowledge(self, files: Sequence[Path]) -> str:
        """What is known of all these files as they are now, in words."""
        states = {file: file_state(file) for file in files}
        if files and all(isinstance(self._find(file, state), ValueShape) for file, state in states.items()):
            return "learned"
        if any(self._proven.find((file, state)) for file, state in states.items()):
            return "sampled, and proven where queries needed it"
        return "unknown"

    def distrust(self, misread: Sequence[Learned]) -> None:
        """Take back shapes that lines of their files do not fit."""
        for learned in misread:
            for file, state in learned.states.items():
                self._known.keep((file, state), _MISREAD)

    def is_misread(self, learned: Learned) -> bool:
        """Has one of the files, as it is, a line that does not fit what Spark's reader was told?"""
        return any(self._known.find(item) == _MISREAD for item in learned.states.items())

    def ensure_checked(self, what: Hashable, check: Callable[[], None]) -> None:
        """Check files in some state, unless that was done before. `check` raises the error."""
        if not self._checked.find(what):
            check()
            self._checked.keep(what, True)

    def fact(self, files: Sequence[Path], what: str, find: Callable[[], Any]) -> Any:
        """What `find` says of these files, as long as they are the same: a value for `json.dumps`. In this process
        frames are cached with what it said; the folder keeps it for others."""
        if self.folder is None:
            return find()
        states = [[str(file), *file_state(file)] for file in files]
        name = hashlib.sha256(json.dumps([what, *map(str, files)]).encode("utf-8", "surrogateescape")).hexdigest()
        place = self.folder / f"{name}.json"
        with suppress(OSError, ValueError, TypeError, KeyError):
            kept = json.loads(place.read_text(encoding="utf-8"))
            if kept["version"] == _VERSION and kept["states"] == states:
                return kept["fact"]
        found = find()
        if states == [[str(file), *_settled(file)] for file in files]:
            self._replace(place, {"version": _VERSION, "states": states, "fact": found})
        return found

    def _find(self, file: Path, state: FileState) -> Known | None:
        known = self._known.find((file, state))
        return known if known is not None or self.folder is None else self._read(file, state)

    def _prove(self, file: Path, state: FileState, claim_of: ClaimOf, most: int) -> ValueShape | None:
        """What the plan relies on of the file, if it is proven: before, or now, if there are not yet so many claims."""
        if state.size < LARGE or compression_of(file):
            return None
        sample = self._samples.find((file, state))
        if sample is None:
            sample = _learn_sample(file, state.size)
            self._samples.keep((file, state), sample)
        claim = claim_of(sample) if isinstance(sample, ValueShape) else None
        if claim is None:
            return None
        proven = self._proven.find((file, state)) or frozenset(self._kept_claims(file, state))
        unproven = self._unproven.find((file, state)) or frozenset()
        text = _claim_text(claim)
        if text in proven:
            return claim.shape
        try:
            proves = len(proven) < most and text not in unproven and prove(file, claim)
            if not proves or file_state(file) != state:
                self._unproven.keep((file, state), unproven | {text})
                return None
        except OSError:
            return None  # the reader of the query will say what is wrong with the file
        self._proven.keep((file, state), proven | {text})
        self._write(file, state, {**self._kept(file, state), "claims": sorted(proven | {text})})
        return claim.shape

    def _kept_claims(self, file: Path, state: FileState) -> Iterable[str]:
        claims = self._kept(file, state).get("claims")
        return map(str, claims) if isinstance(claims, list) else ()

    def _keep(self, file: Path, state: FileState, known: Known) -> None:
        self._known.keep((file, state), known)
        if isinstance(known, ValueShape):
            self._write(file, state, {**self._kept(file, state), "shape": to_json(known)})

    def _write(self, file: Path, state: FileState, what: Mapping[str, Any]) -> None:
        """Keep what is known of a file in the folder, if there is one."""
        if self.folder is None:
            return
        kept = {**what, "version": _VERSION, "path": str(file), "state": list(state)}
        self._replace(self._place(file), kept)

    def _replace(self, place: Path, kept: Mapping[str, Any]) -> None:
        with suppress(OSError):  # without the folder the file is learned again, which is slower and no more
            place.parent.mkdir(parents=True, exist_ok=True)
            handle, made = tempfile.mkstemp(dir=place.parent, prefix=".shape-")
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                json.dump(kept, out)
            os.replace(made, place)

    def _read(self, file: Path, state: FileState) -> ValueShape | None:
        """The shape that was kept for the file in this state."""
        try:
            found = from_json(self._kept(file, state)["shape"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None
        self._known.keep((file, state), found)
        return found

    def _kept(self, file: Path, state: FileState) -> dict[str, Any]:
        """What was kept of the file in this state. What is damaged counts as not kept."""
        if self.folder is None:
            return {}
        try:
            kept = json.loads(self._place(file).read_text(encoding="utf-8"))
            same = kept["version"] == _VERSION and kept["path"] == str(file) and tuple(kept["state"]) == state
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}
        return kept if same else {}

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
        by_uri = shapes_of_lines(_learner(spark).read.text([read_uri(Path(place)) for place in large]), keys)
        by_place = {unquote(urlsplit(uri).path): known for uri, known in by_uri.items()}
        found.update({file: by_place.get(place, "it has no lines") for place, file in large.items()})
    return found


_learners: WeakKeyDictionary[Any, SparkSession] = WeakKeyDictionary()


def _learner(spark: SparkSession) -> SparkSession:
    """A session of its own, in which an object that repeats a key is not JSON: such a line would make the reader fail
    if the values differ in type. Spark Connect before 4.3 has no such session; there the query runs again then."""
    if spark not in _learners:
        try:
            made = spark.newSession()
            made.conf.set("spark.sql.variant.allowDuplicateKeys", "false")
        except (AttributeError, NotImplementedError):
            return spark
        _learners[spark] = made
    return _learners[spark]


def _claim_text(claim: Claim) -> str:
    """A short text that is the same for equal claims only."""
    parts = [to_json(claim.shape), sorted(claim.absent), sorted(claim.any_case)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _learn_sample(file: Path, size: int) -> Known:
    """The shape of some lines of a file: at its beginning, its end, and between."""
    lines: list[bytes] = []
    try:
        with reading(file), open(file, "rb") as whole:
            for i in range(_PIECES):
                whole.seek(i * max(size - SAMPLE // _PIECES, 0) // (_PIECES - 1))
                piece = whole.read(SAMPLE // _PIECES).split(b"\n")
                lines += piece[i > 0 : -1]
        return shape_of_lines(lines, keys_of_open_objects(lines))
    except (FiresteelError, Unknown) as error:
        return str(error)


def _open_keys(file: Path) -> frozenset[str]:
    """The keys of objects whose keys are data, as far as the first lines of the file show it."""
    try:
        with reading(file), open_unpacked(file) as lines:
            return keys_of_open_objects(lines.read(SAMPLE).split(b"\n")[:-1])
    except FiresteelError:
        return frozenset()


def _is_small(file: Path, size: int) -> bool:
    return size <= (SMALL // 16 if compression_of(file) else SMALL)


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
