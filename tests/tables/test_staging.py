"""Output that is whole or not at all: writers that are killed anywhere leave what was there, or what they wrote."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel.tables import staged

#: One process makes a child for every kill. A child writes a folder of three files, or one file, anew, and is killed
#: at its nth step: a step is a rename, a file that is written, a folder that is made or removed.
KILLS = r"""
import json, os, shutil, signal, sys
from pathlib import Path
from firesteel.tables import staging

def counted(function, last):
    def step(*args, **named):
        if last[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        last[0] -= 1
        return function(*args, **named)
    return step

def write(target, kind, nth):
    last = [nth]
    for owner, name in ((Path, "rename"), (os, "replace"), (Path, "write_text"), (Path, "mkdir"), (shutil, "rmtree")):
        setattr(owner, name, counted(getattr(owner, name), last))
    with staging.staged(target) as new:
        if kind == "folder":
            new.mkdir()
            for i in range(3):
                (new / f"{i}.jsonl").write_text('{"v": "new"}\n')
        else:
            new.write_text('{"v": "new"}\n' * 3)

for target, kind, nth in json.loads(sys.argv[1]):
    child = os.fork()
    if not child:
        write(Path(target), kind, nth)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def before(target: Path, kind: str) -> None:
    if kind == "folder":
        target.mkdir()
        for i in range(3):
            (target / f"{i}.jsonl").write_text('{"v": "old"}\n')
    else:
        target.write_text('{"v": "old"}\n' * 3)


def test_kills_at_every_step_leave_the_old_or_the_new(tmp_path: Path) -> None:
    steps = [*range(9), 7, 7, 7, 3, 5, 8]  # the eighth is the second rename
    asked = [("folder", nth) for nth in steps] + [("file", nth) for nth in range(5)]
    cases = [(tmp_path / f"{i} {kind}" / "t.jsonl", kind, nth) for i, (kind, nth) in enumerate(asked)]
    for target, kind, _ in cases:
        target.parent.mkdir()
        before(target, kind)
    command = [sys.executable, "-c", KILLS, json.dumps([(str(path), kind, nth) for path, kind, nth in cases])]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["-9"] * 20
    between = [path for path, _, _ in cases if not path.exists()]
    assert len(between) == 4  # nothing is there between the two renames: the next read mends it
    session = fs.connect(engine="reference")
    found = []
    for target, _, _ in cases:
        session.register("t", target, replace=True)
        rows = session.query("SELECT VALUE t.v FROM t AS t").to_python()
        assert rows in (["old"] * 3, ["new"] * 3), target
        found.append(rows[0])
        with staged(target) as new:  # the next run removes what was left over
            new.write_text("{}\n")
        assert os.listdir(target.parent) == ["t.jsonl"]
    assert {"old", "new"} == set(found)


def test_a_stage_that_somebody_holds_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "t.jsonl"
    with staged(target) as first:
        first.write_text("1\n")
        with staged(target) as second:
            second.write_text("2\n")
        assert first.exists()
        assert target.read_text() == "2\n"
    assert target.read_text() == "1\n"
    assert os.listdir(tmp_path) == ["t.jsonl"]


def test_an_interrupt_between_the_renames_puts_the_old_one_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before(tmp_path / "t", "folder")
    rename = Path.rename

    def once(path: Path, target: Path) -> Any:
        if path.name == "new":
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", once)
    with pytest.raises(KeyboardInterrupt), staged(tmp_path / "t") as new:
        new.mkdir()
    assert len(os.listdir(tmp_path / "t")) == 3
    assert os.listdir(tmp_path) == ["t"]


SPARK = r"""
import sys
from pathlib import Path
import os, signal
import firesteel as fs

rename = Path.rename
def killed(path, target):
    if path.name == "new":
        os.kill(os.getpid(), signal.SIGKILL)
    return rename(path, target)

with fs.connect(master="local[1]", in_process=False) as s:
    s.register("t", [{"v": i} for i in range(10)])
    r = s.query("SELECT t.v FROM t AS t")
    r.write(sys.argv[1])
    Path.rename = killed
    r.write(sys.argv[1])
"""


@pytest.mark.spark
@pytest.mark.slow
def test_spark_killed_between_the_renames(tmp_path: Path) -> None:
    target = tmp_path / "out dir" / "t.parquet"
    done = subprocess.run([sys.executable, "-c", SPARK, str(target)], capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    assert not target.exists()
    session = fs.connect(engine="reference")
    session.register("t", target)
    assert sorted(session.query("SELECT VALUE t.v FROM t AS t").to_python()) == list(range(10))
    assert os.listdir(target.parent) == ["t.parquet"]
