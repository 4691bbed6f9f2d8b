"""Where Spark finds a file: its paths are Hadoop's, which are patterns, have no escape for a colon, and hide names."""

from __future__ import annotations

import re
from pathlib import Path

from firesteel.tables.links import nameable

#: What a pattern of Hadoop's is made of.
_SIGNS = re.compile(r"([*?\[\]{}\\])")


def place(path: Path) -> str:
    """Where Spark reads a file or a folder.

    A colon in a step that is no pattern ends the scheme of a URI, so in a pattern it is a class of one character.
    """
    found = str(nameable(path.absolute(), hidden=path.is_file() and hidden(path)))
    escaped = _SIGNS.sub(r"\\\1", found)
    return "file://" + (escaped if escaped == found else escaped.replace(":", "[:]"))


def target(path: Path) -> str:
    """Where Spark writes a folder: no pattern, so nothing is escaped."""
    return "file://" + str(nameable(path.parent.absolute()) / path.name)


def hidden(path: Path) -> bool:
    """A name that Spark takes for no data, even when it is asked for it."""
    return path.name.startswith((".", "_"))
