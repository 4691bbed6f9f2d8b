"""Atomic output: it is complete or not there at all, even if its writer is killed.

What is written goes into a hidden folder beside the target, the stage: `new` is what is being written. When that is
whole it takes the target's place. For a file that is one rename. A folder cannot be replaced by one: the target is
moved to `old` in the stage, and `new` to the target. A writer that is killed between these leaves no target, and a
stage with an `old`, which whoever asks for the target next puts back.

The stage's owner holds a lock on it, which goes when the owner does. So a stage without a lock is left over.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firesteel.tables.opening import path_of, writing

#: How long to wait, in seconds, for another writer that is just moving the target into place.
_PATIENCE = 2.0


@contextmanager
def staged(target: Path, *, private: bool = True) -> Iterator[Path]:
    """Where to write what is to be at the target: it is there when the block ends, and not if the block fails.

    Until then nobody else sees it, unless machines of a cluster have to, which may run as other users.
    """
    path = path_of(target)
    with writing(target):
        path = Path(os.path.realpath(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        settle(path)
        stage = path.parent / f"{_prefix(path)}{uuid.uuid4().hex[:8]}"
        stage.mkdir(0o700 if private else 0o777)
        with owned(stage):
            try:
                yield stage / "new"
                _keep_mode(path, stage / "new")
                _put(stage, path)
            finally:
                _clear(stage, path)


def _put(stage: Path, path: Path) -> None:
    """What is new in the stage under the target's name."""
    new = stage / "new"
    if not new.is_dir() and not path.is_dir():
        os.replace(new, path)
        return
    if path.exists():
        path.rename(stage / "old")
    new.rename(path)


def _clear(stage: Path, path: Path) -> None:
    """Remove a stage; what was at the target before goes back there if nothing is."""
    with contextlib.suppress(OSError):
        if (stage / "old").exists() and not path.exists():
            (stage / "old").rename(path)
        shutil.rmtree(stage, ignore_errors=True)


def settle(path: Path) -> None:
    """Put right what killed writers of the target left behind."""
    for stage in _stages(path):
        with owned(stage) as left_over:
            if left_over:
                _clear(stage, path)


def present(path: Path) -> bool:
    """Is the target there, after all that is to be done for it?"""
    end = time.monotonic() + _PATIENCE
    while not path.exists():
        with contextlib.suppress(OSError):
            real = Path(os.path.realpath(path))
            settle(real)
            if not path.exists() and time.monotonic() < end and any((s / "old").exists() for s in _stages(real)):
                time.sleep(0.01)  # another writer is between the two renames
                continue
        return path.exists()
    return True


@contextmanager
def owned(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder. False if another has it, or if there is no lock to have."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True
    finally:
        os.close(handle)


def host() -> str:
    """A short id of this machine. Locks may not work across machines, so stages of other machines are left alone."""
    import socket  # late, as only writers need it

    return _digest(socket.gethostname().encode())[:6]


def _digest(data: bytes) -> str:
    import hashlib  # late: it loads OpenSSL

    return hashlib.sha256(data).hexdigest()


def _prefix(path: Path) -> str:
    """How stages of a target are named: not by its name, which may be as long as a name can be."""
    return f".firesteel-{_digest(os.fsencode(path.name))[:12]}-{host()}-"


def _stages(path: Path) -> list[Path]:
    prefix = _prefix(path)
    try:
        with os.scandir(path.parent) as entries:
            return [Path(entry.path) for entry in entries if entry.name.startswith(prefix)]
    except OSError:
        return []


def _keep_mode(path: Path, new: Path) -> None:
    """What replaces something has the permissions of what it replaces."""
    with contextlib.suppress(FileNotFoundError):
        before, now = path.stat().st_mode, new.stat().st_mode
        if stat.S_IFMT(before) == stat.S_IFMT(now):
            new.chmod(stat.S_IMODE(before))
