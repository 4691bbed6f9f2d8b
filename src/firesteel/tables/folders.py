"""Folders as tables: which files are in them, and what the names of the folders on the way say.

The files of a folder are found at any depth, but for names that start with a dot or a low line. Folders named
`name=value` are columns, as Hive, Spark and many others write them: all files have to lie below the same ones, and
these come first below the folder that is the table. A value is a whole number or a day if all values of its column are,
else text; `__HIVE_DEFAULT_PARTITION__` is NULL. Both engines read columns by what is said here.
"""

from __future__ import annotations

import datetime
import glob
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesteel import types as t
from firesteel import values
from firesteel.errors import EvaluationError, PlanError
from firesteel.tables.opening import COMPRESSED, reading

NULL = "__HIVE_DEFAULT_PARTITION__"
_OTHERWISE = "register the folder that the columns are in, or a pattern of files, for which folders are no columns"


def files_below(folder: Path) -> Iterator[Path]:
    """The files in a folder, in the order of their paths; a folder that a link leads to again is not read twice."""
    known: set[tuple[int, int]] = set()
    waiting = [folder]
    found: list[Path] = []
    while waiting:
        here = waiting.pop()
        with reading(here):
            one = here.stat()
            if (one.st_dev, one.st_ino) in known:
                continue
            known.add((one.st_dev, one.st_ino))
            for entry in os.scandir(here):
                if not entry.name.startswith((".", "_")):
                    if entry.is_dir():
                        waiting.append(Path(entry.path))
                    elif entry.is_file():
                        found.append(Path(entry.path))
    return iter(sorted(found))


def matches(path: Path) -> list[Path]:
    """The files that a path with `*`, `?` or `[...]` in it stands for."""
    return sorted(Path(found) for found in glob.glob(str(path), recursive=True))


def suffix_of(path: Path) -> str:
    """The suffix that says the format: of `a.json.gz` it is `.json`."""
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


# ---------------------------------------------------------------------------------------------------------------------
# Columns


@dataclass(frozen=True)
class Partitions:
    """The columns that folders are, and the values of each file."""

    columns: tuple[tuple[str, t.Type], ...] = ()
    of_files: tuple[tuple[values.Value, ...], ...] = ()

    @property
    def fields(self) -> tuple[t.Field, ...]:
        return tuple(t.Field(name, type_) for name, type_ in self.columns)

    def pairs(self, nth: int) -> list[tuple[str, values.Value]]:
        """The attributes that the rows of a file have besides their own."""
        return [(name, value) for (name, _), value in zip(self.columns, self.of_files[nth], strict=True)]


def partitions(folder: Path, files: Sequence[Path]) -> Partitions:
    """What the names of the folders between a folder and the files in it say."""
    found = [_named(file.relative_to(folder).parts[:-1]) for file in files]
    if all(one == () for one in found):
        return Partitions((), tuple(() for _ in files))
    names = [tuple(name for name, _ in one or ()) for one in found]
    odd = next((i for i, one in enumerate(found) if one is None or names[i] != names[0]), None)
    if odd is not None:
        said = ", ".join(names[odd]) or "none"
        raise PlanError(
            f"the files of '{folder}' lie in folders of different columns: {', '.join(names[0]) or 'none'} for "
            f"{files[0].relative_to(folder)}, and {said} for {files[odd].relative_to(folder)}",
            help=_OTHERWISE,
        )
    if len({name.lower() for name in names[0]}) < len(names[0]):
        raise PlanError(f"a column of '{folder}' is named twice: {', '.join(names[0])}", help=_OTHERWISE)
    columns = []
    made = []
    for i, name in enumerate(names[0]):
        texts = [None if one[i][1] == NULL else one[i][1] for one in found if one is not None]
        type_, of = next(
            (type_, of) for type_, looks, of in _TYPES if all(looks(text) for text in texts if text is not None)
        )
        columns.append((name, t.absent(type_, nullable=True)))
        made.append([None if text is None else of(text) for text in texts])
    return Partitions(tuple(columns), tuple(zip(*made, strict=True)))


def _named(folders: Sequence[str]) -> tuple[tuple[str, str], ...] | None:
    """The columns that folders are; None if there are such behind another folder."""
    pairs = [_pair(folder) for folder in folders]
    first = next((i for i, pair in enumerate(pairs) if pair is None), len(pairs))
    return None if any(pairs[first:]) else tuple(pair for pair in pairs[:first] if pair is not None)


def _pair(folder: str) -> tuple[str, str] | None:
    """The column that a folder is, and its value, in which `%2F` stands for a slash, as Spark writes it."""
    name, equals, value = (_ESCAPED.sub(lambda sign: chr(int(sign[1], 16)), part) for part in folder.partition("="))
    if equals and not (name and value):
        raise PlanError(f"the folder '{folder}' is a column without a name, or without a value", help=_OTHERWISE)
    return (name, value) if equals else None


_ESCAPED = re.compile("%([0-9A-Fa-f]{2})")


_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _is_day(text: str) -> bool:
    try:
        return _DAY.fullmatch(text) is not None and bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False


_TYPES: tuple[tuple[t.Type, Callable[[str], bool], Callable[[str], Any]], ...] = (
    (t.INT64, lambda text: _NUMBER.fullmatch(text) is not None, int),
    (t.DATE, _is_day, datetime.date.fromisoformat),
    (t.STRING, lambda _: True, str),
)


def with_columns(row: values.Value, pairs: Sequence[tuple[str, values.Value]], file: Path) -> values.Value:
    """A row with the columns of its folders, in place of attributes of these names, in whatever case; or an error, if
    it is nothing that has attributes."""
    if not pairs or isinstance(row, EvaluationError):
        return row
    if not isinstance(row, values.Struct):
        return EvaluationError(f"'{file}' has a record that is no object, and its folders are columns", help=_OTHERWISE)
    names = {name.lower() for name, _ in pairs}
    return values.Struct([*(pair for pair in row.pairs if pair[0].lower() not in names), *pairs])
