"""Damaged inputs of every kind: an answer or an error of ours, soon and without much memory; never anything else.

`python -m tests.hostile.test_mutated_inputs KIND SEED COUNT` runs more of them.
"""

from __future__ import annotations

import random
import resource
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from tests.hostile.kinds import KINDS, Kind
from tests.hostile.mutate import smaller

#: What one input may take of the processor, and all of them of the memory.
SECONDS, MEGABYTES = 10.0, 1_000


class TooLong(BaseException):
    """No `except Exception` on the way catches it."""


@contextmanager
def hurried() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def fault(kind: Kind, given: Any, folder: Path) -> str:
    """What went wrong with an input: an exception that is none of ours and where it came from; or nothing."""
    try:
        with hurried():
            kind.use(given, folder)
    except fs.FiresteelError as error:
        str(error)
    except TooLong:
        return f"more than {SECONDS} s"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        frames = [frame for frame in _frames(error) if "/firesteel/" in frame]
        return f"{type(error).__name__}: {str(error)[:200]} at {frames[-1] if frames else 'nowhere of ours'}"
    return ""


def _frames(error: BaseException) -> list[str]:
    found, trace = [], error.__traceback__
    while trace is not None:
        found.append(f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}")
        trace = trace.tb_next
    return found


def faults(name: str, seed: int, count: int, folder: Path) -> Iterator[str]:
    """Of so many damaged inputs those that went wrong, made small; each is the same for the same seed."""
    kind, known = KINDS[name], set[str]()
    seeds = kind.seeds()
    for i in range(count):
        chance = random.Random(f"{name} {seed} {i}")
        given = kind.damage(chance.choice(seeds), chance)
        wrong = fault(kind, given, folder)
        where = wrong.rpartition(" at ")[2]
        if wrong and where not in known:
            known.add(where)
            if not isinstance(given, list) and "more than" not in wrong:
                given = smaller(given, lambda one, where=where: fault(kind, one, folder).endswith(where))
            yield f"{name}, seed {seed}, input {i}: {wrong}\n    {given!r}"


def check(name: str, seed: int, count: int, folder: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert not list(faults(name, seed, count, folder))
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < MEGABYTES


@pytest.mark.parametrize("name", KINDS)
def test_some_of_each_kind(name: str, tmp_path: Path) -> None:
    check(name, 1, 2_000 // len(KINDS), tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("name", KINDS)
def test_many_of_each_kind(name: str, tmp_path: Path) -> None:
    check(name, 2, 20_000 // len(KINDS), tmp_path)


def test_an_input_is_made_small() -> None:
    assert smaller("SELECT a, b FROM t WHERE x LIKE 'y'", lambda text: "LIKE" in text) == "LIKE"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for found in faults(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(made)):
            print(found, flush=True)
