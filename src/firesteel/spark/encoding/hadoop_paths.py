"""Where Spark finds a file: its paths are Hadoop's, which are patterns, and it takes some names for no data."""

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

#: What a pattern of Hadoop's is made of.
_SIGNS = re.compile(r"([*?\[\]{}\\])")


def place(path: Path) -> str:
    """Where Spark reads a file or a folder.

    A backslash escapes what would make a pattern. A pattern may have no colon in it, not even in a name that it leads
    to; and a file that is hidden is no data: these are read through a link.
    """
    text = str(path.absolute())
    linked = (path.is_file() and hidden(path)) or (":" in text and _SIGNS.search(text) is not None)
    return "file://" + _SIGNS.sub(r"\\\1", str(nameable(Path(text), hidden=linked)))


@contextmanager
def target(path: Path) -> Iterator[str]:
    """Where Spark writes a folder that is to be at the path: there, where no sign makes a pattern, unless Java cannot
    say its name, or would replace a part of it."""
    if not _sayable(path):
        with tempfile.TemporaryDirectory(prefix="firesteel-") as plain:
            yield f"file://{plain}/new"
            shutil.move(f"{plain}/new", path)
        return
    yield f"file://{path.absolute()}"


def _sayable(path: Path) -> bool:
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        return False
    return not is_replaced(str(path.absolute()))


def hidden(path: Path) -> bool:
    """A name that Spark takes for no data, even when it is asked for it."""
    return path.name.startswith((".", "_"))
