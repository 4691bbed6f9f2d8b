"""Symbolic links with plain names, for files whose names a reader cannot handle: Arrow and Java need UTF-8 names, and
Spark skips files whose names start with a dot or an underscore."""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

_numbers = itertools.count(1)


def nameable(path: Path, *, hidden: bool = False) -> Path:
    """The path, or a link to it with a plain name, if it is not UTF-8 or is said to be hidden from its reader."""
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        return _link(path.absolute())
    return _link(path.absolute()) if hidden else path


@cache
def _link(path: Path) -> Path:
    link = _links() / f"{next(_numbers)}{''.join(path.suffixes[-2:])}"
    link.symlink_to(path)
    return link


@cache
def _links() -> Path:
    folder = tempfile.mkdtemp(prefix="firesteel-links-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
