"""Paths for Spark: Hadoop reads a path as a glob pattern, and ignores files whose names begin with `.` or `_`."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firesteel.spark.encoding.substitution import is_replaced
from firesteel.tables.links import nameable

#: The characters that are special in a Hadoop pattern.
_SIGNS = re.compile(r"([*?\[\]{}\\])")


def read_uri(path: Path) -> str:
    """The URI at which Spark reads a file or a folder.

    A backslash escapes the special characters. Two kinds of paths are read through a link instead: a hidden file, which
    Spark ignores, and a pattern with a colon, which Hadoop refuses even in a name that the pattern matches.
    """
    text = str(path.absolute())
    linked = (path.is_file() and hidden(path)) or (":" in text and _SIGNS.search(text) is not None)
    return "file://" + _SIGNS.sub(r"\\\1", str(nameable(Path(text), hidden=linked)))


@contextmanager
def write_uri(path: Path) -> Iterator[str]:
    """The URI at which Spark writes the folder `path`. No character is special on writing. If Java cannot encode the
    name, or Hadoop would replace a part of it, Spark writes a temporary folder, which is then moved."""
    if not _can_be_written(path):
        with tempfile.TemporaryDirectory(prefix="firesteel-") as plain:
            yield f"file://{plain}/new"
            shutil.move(f"{plain}/new", path)
        return
    yield f"file://{path.absolute()}"


def _can_be_written(path: Path) -> bool:
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        return False
    return not is_replaced(str(path.absolute()))


def hidden(path: Path) -> bool:
    """Does Spark ignore a file of this name, even when asked for it?"""
    return path.name.startswith((".", "_"))
