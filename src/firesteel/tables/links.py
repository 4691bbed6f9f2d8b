"""Symbolic links with plain names, for files whose names a reader cannot handle: Arrow and Java need UTF-8 names, and
Spark skips files whose names start with a dot or an underscore."""

from __future__ import annotations

import atexit
import itertools
import os
import re
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
def linked_folder(names: tuple[tuple[Path, str], ...]) -> Path:
    """A folder of links to files, each under the path that is given for it."""
    folder = Path(tempfile.mkdtemp(dir=_links()))
    for path, name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(path.absolute())
    return folder


def with_targets(message: str) -> str:
    """A message with the names of files in place of those of our links to them."""
    return _LINK.sub(lambda link: os.readlink(link[0]) if os.path.islink(link[0]) else link[0], message)


_PREFIX = "firesteel-links-"
_LINK = re.compile(rf"/[^\s'\"]*{_PREFIX}[^\s'\"]*")


@cache
def _links() -> Path:
    folder = tempfile.mkdtemp(prefix=_PREFIX)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
