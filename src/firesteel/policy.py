"""The files that a plan may read and write: folders that the user allows; none by default.

A plan is untrusted input. A location inside of it is made canonical (links resolved, `..` gone) and has to lie under a
folder that is allowed for reading; only then is anything opened or listed. What a glob or a folder leads to is made
canonical and judged once more, match by match. Errors do not reveal whether something exists outside these folders.

Tables that the user registered are trusted and not checked here, except for writing to their files.
"""

from __future__ import annotations

import errno
import fnmatch
import math
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar, Literal
from urllib.parse import unquote

from firesteel.errors import FiresteelError, PlanError, PolicyError
from firesteel.source import Place, Span

#: What a plan calls a location: one file, one folder, either of them, or a pattern of paths.
Kind = Literal["file", "folder", "path", "path_glob"]
Folder = str | os.PathLike[str]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_READ, _WRITE = "--allow-read", "--allow-write"
_ARGUMENTS = {_READ: "fs.Policy(allow_read=[...])", _WRITE: "fs.Policy(allow_write=[...])"}

#: More folders below one location than this are not walked: a plan names data, not a file system.
MOST_FOLDERS = 100_000


@dataclass(frozen=True, init=False)
class Policy:
    """The folders whose files a plan may read, and those that it may write to (a file's path allows that one file); and
    the limits of plans and answers. None is no limit."""

    allow_read: tuple[Path, ...]
    allow_write: tuple[Path, ...]
    #: The characters or bytes of a query or a plan document.
    max_plan: int | None = 1 << 26
    #: The levels that a plan nests.
    max_depth: int | None = 100_000
    #: The relations and expressions of a plan.
    max_nodes: int | None = 5_000_000
    #: The operands of one expression: the terms of an AND or an OR, the branches of a CASE.
    max_operands: int | None = 5_000
    #: The characters or bytes of one literal.
    max_literal: int | None = 1 << 24
    #: The values of a table that is written out in a plan.
    max_virtual_rows: int | None = 1_000_000
    #: The pairs of rows of a join without a key, by the sizes of the tables.
    max_cross_rows: int | None = 10**12
    #: The rows of an answer.
    max_rows: int | None = None
    #: How long an answer may take to compute.
    max_seconds: float | None = None
    #: The bytes that a compressed file may have when it is decompressed.
    max_unpacked: int | None = 1 << 34
    #: How many times as large as the file that may be, once it is large (see `Unpacking`).
    max_ratio: float | None = 100

    def __init__(
        self,
        *,
        allow_read: Folder | Iterable[Folder] = (),
        allow_write: Folder | Iterable[Folder] = (),
        **limits: float | None,
    ) -> None:
        object.__setattr__(self, "allow_read", _folders(allow_read))
        object.__setattr__(self, "allow_write", _folders(allow_write))
        for name, most in limits.items():
            if name not in LIMITS:
                raise PolicyError(f"a policy has no limit '{name}'", help=f"the limits are {', '.join(LIMITS)}")
            if most is not None and (type(most) not in (int, float) or most < 0):
                raise PolicyError(f"{name}={most!r} is no limit", help="it is a number that is not negative, or None")
            object.__setattr__(self, name, most)

    @property
    def unpacking(self) -> Unpacking:
        """The limits of compressed files."""
        return Unpacking(self.max_unpacked, self.max_ratio)

    def refuse(self, limit: str, found: float, what: str, where: Span | Place | None = None) -> None:
        """PolicyError if the plan has more of something than the limit allows."""
        most = getattr(self, limit)
        if most is not None and found > most:
            raise over(limit, f"the plan has {what.format(f'{found:,.0f}')}, and {most:,} are allowed", where)

    def files(self, location: str, kind: Kind) -> list[Path]:
        """The files that a plan's location stands for, canonical, if all of them may be read."""
        return _Finder(location, self.allow_read).files(kind)

    def target(self, location: str) -> Path:
        """The canonical path of a location that a plan writes to, if files there may be written."""
        return _Finder(location, self.allow_write, _WRITE).target()

    def ensure_writable(self, path: Path) -> Path:
        """The canonical path, if files there may be written."""
        judge = _Finder(str(path), self.allow_write, _WRITE)
        return Path(judge.judged(os.path.abspath(path)))


@dataclass(frozen=True)
class Unpacking:
    """How much a compressed file may become. Small files may have any ratio: a few zeros are packed a thousandfold."""

    most: int | None = Policy.max_unpacked
    ratio: float | None = Policy.max_ratio

    #: The ratio counts from so many bytes on.
    FREE: ClassVar[int] = 1 << 26

    def bound(self, size: int) -> tuple[float, str]:
        """The bytes that a file of this size may become, and the limit that says so."""
        by_ratio = math.inf if self.ratio is None else max(self.FREE, self.ratio * size)
        return min((by_ratio, "max_ratio"), (math.inf if self.most is None else self.most, "max_unpacked"))


def over(limit: str, message: str, where: Span | Place | None = None) -> PolicyError:
    """The error for what is over a limit, with the flag and the argument that would allow it."""
    allow = f"allow more with --{limit.replace('_', '-')} N, or fs.Policy({limit}=N)"
    return PolicyError(message, where=where, help=allow)


#: The names of the limits.
LIMITS = tuple(field.name for field in fields(Policy) if field.name.startswith("max_"))


def _folders(given: Folder | Iterable[Folder]) -> tuple[Path, ...]:
    one = isinstance(given, str | os.PathLike)
    found = []
    for folder in [given] if one else given:  # type: ignore[union-attr]
        text = os.fspath(folder)  # type: ignore[arg-type]
        if not text or "\0" in text:
            raise PolicyError("an empty path allows nothing", help="name a folder; '.' is the one you are in")
        try:
            found.append(Path(_canonical(text)))
        except (OSError, ValueError):
            raise PolicyError(f"{text!r} cannot be resolved", help="name a folder that is there") from None
    return tuple(found)


def _canonical(path: str, *, strict: bool = False) -> str:
    """Links resolved, `..` gone, one slash at the start: POSIX lets two stand there."""
    found = os.path.realpath(path, strict=strict)
    return "/" + found.lstrip("/") if found.startswith("//") else found


class _Finder:
    """One location of a plan, and the folders that are allowed. Errors quote the location as the plan has it."""

    def __init__(self, location: str, allowed: tuple[Path, ...], flag: str = _READ) -> None:
        self.location = location
        self.allowed = allowed
        self.flag = flag

    # Judging ---------------------------------------------------------------------------------------------------------

    def refused(self, why: str, help: str | None = None) -> PolicyError:
        doing = "read" if self.flag == _READ else "write"
        return PolicyError(f"the plan may not {doing} {self.location!r}: {why}", help=help)

    def judged(self, path: str) -> str:
        """The canonical path, if it is under a folder that is allowed."""
        try:
            found = _canonical(path)
        except (OSError, ValueError):
            raise self.refused("it cannot be resolved") from None
        if not any(Path(found).is_relative_to(folder) for folder in self.allowed):
            raise self.refused(
                "it is in no folder that is allowed" if self.allowed else "no folder is allowed",
                help=f"allow its folder with {self.flag} DIR, or {_ARGUMENTS[self.flag]}",
            )
        return found

    def _there(self, path: str) -> tuple[str, int] | None:
        """The canonical path of something that is allowed, and its mode; None where there is nothing."""
        found = self.judged(path)
        try:
            strict = self.judged(_canonical(found, strict=True))
            return strict, os.lstat(strict).st_mode
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            loops = isinstance(error, OSError) and error.errno == errno.ELOOP
            raise self.refused("its links go in circles" if loops else "it cannot be resolved") from None

    def _regular(self, path: str, mode: int) -> Path:
        if not stat.S_ISREG(mode):
            raise self.refused(f"it {'leads to' if path != self.location else 'is'} {kind_of(mode)}, not a file")
        return Path(path)

    # Finding ---------------------------------------------------------------------------------------------------------

    def files(self, kind: Kind) -> list[Path]:
        path = self._path()
        found = list(dict.fromkeys(self._matching(path) if kind == "path_glob" else self._single(path, kind)))
        if not found:
            raise self._missing("no file matches" if kind == "path_glob" else "no file in")
        return found

    def target(self) -> Path:
        return Path(self.judged(os.path.abspath(self._path())))

    def _missing(self, what: str) -> FiresteelError:
        return PlanError(f"{what} {self.location!r}")

    def _path(self) -> str:
        """The location as a path of this machine: a plain one, or what a `file:` URI says."""
        text = self.location
        if not text:
            raise self.refused("it is empty")
        scheme = _SCHEME.match(text)
        if text.startswith("\\\\") or (scheme is not None and len(scheme[1]) == 1):
            raise self.refused("it is a path of Windows")
        if scheme is not None:
            if scheme[1].lower() != "file":
                if self.flag == _WRITE:
                    raise self.refused(f"'{scheme[1]}:' locations are not written", help="write the result instead")
                raise self.refused(f"'{scheme[1]}:' locations are not read", help="register the table instead")
            text = self._of_uri(text[scheme.end() :])
        if "\0" in text:
            raise self.refused("a path has no NUL in it")
        return text

    def _of_uri(self, rest: str) -> str:
        """The path of a `file:` URI, percent signs decoded, once."""
        if rest.startswith("//"):
            host, slash, path = rest[2:].partition("/")
            if host.lower() not in ("", "localhost"):
                raise self.refused(f"it is on another machine, '{host}'")
            rest = slash + path
        if not rest.startswith("/"):
            raise self.refused("a 'file:' location has an absolute path")
        try:
            return unquote(rest, errors="strict")
        except UnicodeDecodeError:
            raise self.refused("what its percent signs stand for is not UTF-8") from None

    def _single(self, path: str, kind: Kind) -> Iterator[Path]:
        there = self._there(path)
        if there is None:
            raise self._missing("no file" if kind != "folder" else "no folder")
        if kind == "file" or (kind == "path" and not stat.S_ISDIR(there[1])):
            if stat.S_ISDIR(there[1]):
                raise PlanError(f"{self.location!r} is a folder, and the plan says that it is a file")
            yield self._regular(*there)
        elif kind == "folder" and stat.S_ISREG(there[1]):
            raise PlanError(f"{self.location!r} is a file, and the plan says that it is a folder")
        else:
            yield from self._below(*there)

    def _below(self, path: str, mode: int) -> Iterator[Path]:
        """A file itself; of a folder what is in it, at any depth, but for names that start with a dot or a low line."""
        if not stat.S_ISDIR(mode):
            yield self._regular(path, mode)
            return
        for folder in self._folders(path):
            for name in self._names(folder):
                inner = None if name.startswith((".", "_")) else self._there(os.path.join(folder, name))
                if inner is not None and not stat.S_ISDIR(inner[1]):
                    yield self._regular(*inner)

    def _folders(self, path: str) -> Iterator[str]:
        """A folder and those below it, each once, whatever links there are."""
        known, waiting = {path}, [path]
        while waiting:
            folder = waiting.pop()
            yield folder
            for name in self._names(folder):
                inner = None if name.startswith((".", "_")) else self._there(os.path.join(folder, name))
                if inner is not None and stat.S_ISDIR(inner[1]) and inner[0] not in known:
                    known.add(inner[0])
                    waiting.append(inner[0])
            if len(known) > MOST_FOLDERS:
                raise self.refused(f"there are more than {MOST_FOLDERS} folders in it")

    def _names(self, folder: str) -> list[str]:
        """What is in a folder, which is canonical and allowed."""
        try:
            with os.scandir(folder) as entries:
                return sorted(entry.name for entry in entries)
        except OSError as error:
            raise PlanError(f"cannot list what {self.location!r} leads to: {error.strerror}") from None

    # Patterns --------------------------------------------------------------------------------------------------------

    def _matching(self, pattern: str) -> Iterator[Path]:
        """The files that match; a folder that does stands for what is in it.

        The part before the first wildcard is judged before anything is listed, and a pattern may not climb behind it.
        """
        steps = pattern.split("/")
        first = next((i for i, step in enumerate(steps) if _is_pattern(step)), len(steps))
        if ".." in steps[first:]:
            raise self.refused("a pattern may not climb behind its first wildcard")
        fixed = "/".join(_plain(step) for step in steps[:first])
        start = fixed if first else "."
        paths = [self.judged(start or "/")]
        for step in steps[first:]:
            if step not in ("", "."):
                paths = list(dict.fromkeys(found for path in paths for found in self._step(path, step)))
        for path in paths:
            there = self._there(path)
            if there is not None:
                yield from self._below(*there)

    def _step(self, path: str, step: str) -> Iterator[str]:
        there = self._there(path)
        if there is None or not stat.S_ISDIR(there[1]):
            return
        folder = there[0]
        if step == "**":
            yield from self._folders(folder)
        elif not _is_pattern(step):
            yield self.judged(os.path.join(folder, _plain(step)))
        else:
            matches = _matcher(step)
            for name in self._names(folder):
                hidden = name.startswith((".", "_")) and name[0] != step[0]
                if matches.match(name) and not hidden:
                    yield self.judged(os.path.join(folder, name))


def open_canonical(path: Path) -> int:
    """A descriptor of the file at a canonical path, opened from folder to folder without following a link.

    A path that was checked may change right afterwards: somebody may put a link into an allowed folder. This opens the
    file at exactly that path, or fails.
    """
    *folders, name = path.parts[1:]
    held = os.open("/", _FOLDER)
    try:
        for folder in folders:
            inner = os.open(folder, _FOLDER, dir_fd=held)
            os.close(held)
            held = inner
        return os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=held)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
            raise moved(path) from None
        raise
    finally:
        os.close(held)


#: A folder on the way: on Linux it need not be readable.
_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)


def ensure_unmoved(path: Path) -> None:
    """A canonical path still is: for an engine that opens by name, after it did."""
    try:
        if _canonical(str(path), strict=True) == str(path):
            return
    except OSError:
        pass
    raise moved(path)


def moved(path: Path) -> PolicyError:
    return PolicyError(f"'{path}' was replaced, or a folder on its way, after it was judged", help="run the plan again")


def kind_of(mode: int) -> str:
    """What a thing that is no regular file is."""
    for test, name in (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    ):
        if test(mode):
            return name
    return "a device"


_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def _is_pattern(step: str) -> bool:
    return any(char in "*?[" for char in _ESCAPED.sub("", step))


def _plain(step: str) -> str:
    """A step without wildcards: what a backslash is before stands for itself."""
    return _ESCAPED.sub(r"\1", step)


def _matcher(step: str) -> re.Pattern[str]:
    """POSIX's notation in Python's."""
    escaped = _ESCAPED.sub(lambda found: f"[{found[1]}]" if found[1] in "*?[" else found[1], step)
    return re.compile(fnmatch.translate(escaped.replace("[^", "[!")))


__all__ = ["Kind", "Policy", "Unpacking", "ensure_unmoved", "kind_of", "open_canonical", "over"]
