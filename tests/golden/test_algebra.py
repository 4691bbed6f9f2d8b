"""Golden files: a plan, the tree it explains as, the rows it gives, on every engine.

A file has a comment, the algebra expression, and sections after `--- name`: `mode` (optional), `explain`, and
`result` or `error`. `pytest --bless` rewrites `explain`, and fills in a `result` or an `error` that is missing: a
result that is there was checked by hand, and stays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel import values
from firesteel.ion import dumps, loads
from firesteel.partiql_plan import algebra
from firesteel.plan import Mode

FOLDER = Path(__file__).parent / "algebra"
FILES = sorted(FOLDER.glob("*.golden"))

#: The tables of the relational algebra's document.
FOO = '$bag::[{FooId: 100, FooName: "Foo #1"}, {FooId: 200, FooName: "Foo #2"}]'
BAR = '$bag::[{BarId: 300, BarName: "Bar #1"}, {BarId: 400, BarName: "Bar #2"}]'
#: Mixed data: what a schema would not allow.
MIXED = '[{a: 1, b: "x"}, {a: "one"}, {b: null}, {a: 3, b: "y", c: [1, 2]}, {a: true}]'


@dataclass
class Golden:
    path: Path
    sections: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Golden:
        golden, name = cls(path), "plan"
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("--- "):
                name = line[4:].strip()
                golden.sections[name] = ""
            else:
                golden.sections[name] = golden.sections.get(name, "") + line + "\n"
        return golden

    def write(self) -> None:
        parts = [self.sections["plan"]]
        parts += [f"--- {name}\n{text}" for name, text in self.sections.items() if name != "plan"]
        self.path.write_text("".join(parts), encoding="utf-8")

    @property
    def plan(self) -> fs.Plan:
        mode = Mode(self.sections.get("mode", "permissive").strip())
        return fs.Plan(algebra.read(self.sections["plan"], name=self.path.name, mode=mode))


def run(session: fs.Session, golden: Golden) -> tuple[str, str]:
    """What a golden file gives: a section's name and its text."""
    try:
        return "result", dumps(session.run(golden.plan).value())
    except fs.UnsupportedError:
        raise
    except fs.FiresteelError as error:
        return "error", error.message


def tables(session: fs.Session) -> fs.Session:
    session.register("Foo", fs.ion(FOO), record_id=["c7559f84-3768", "d2bdb79e-4432"])
    session.register("Bar", fs.ion(BAR))
    session.register("mixed", fs.ion(MIXED))
    return session


@pytest.fixture(scope="module")
def reference() -> fs.Session:
    return tables(fs.connect(engine="reference"))


@pytest.fixture(scope="module")
def on_spark(spark: Any) -> fs.Session:
    return tables(fs.connect(spark=spark, in_process=False))


def same(golden: Golden, kind: str, text: str) -> None:
    assert kind in golden.sections, f"{kind}: {text}"
    expected = golden.sections[kind].strip()
    if kind == "error":
        assert expected in text
    else:
        assert values.equal(loads(text), loads(expected)), text


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_reference(path: Path, reference: fs.Session, bless: bool) -> None:
    golden = Golden.read(path)
    kind, text = run(reference, golden)
    explained = "".join(f"{line}\n" for line in golden.plan.explain().splitlines())
    if bless:
        golden.sections["explain"] = explained
        if not {"result", "error"} & set(golden.sections):
            golden.sections[kind] = text + "\n"
        golden.write()
    same(golden, kind, text)
    assert golden.sections["explain"] == explained


@pytest.mark.spark
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_spark(path: Path, on_spark: fs.Session) -> None:
    golden = Golden.read(path)
    kind, text = run(on_spark, golden)
    same(golden, kind, text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_plan_survives_both_notations(path: Path) -> None:
    plan = Golden.read(path).plan
    assert fs.read_plan(plan.to_ion()).node == plan.node
    assert fs.read_plan(plan.to_ion(binary=True)).node == plan.node
    again = algebra.read(plan.to_algebra(), mode=Mode(Golden.read(path).sections.get("mode", "permissive").strip()))
    assert again == plan.node
