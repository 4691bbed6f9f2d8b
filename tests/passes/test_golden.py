"""What each pass does, before and after: a golden file per pass, `pytest --bless` rewrites its trees.

A file has tables (`-- name: ion`), promises of them (`-- name ordered by a; partitioned by a`), and cases: `== name`,
the query, algebra expression or physical plan (after `[strict]` where it is strict), `--- before`, the tree as the
pass gets it, and `--- after`; `the same` says that the pass leaves it alone.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel.explain import explain
from firesteel.passes import PIPELINE, Phase
from firesteel.plan.check import check
from tests.passes.helpers import PASSES, bound

FOLDER = Path(__file__).parent / "golden"


def session(text: str) -> fs.Session:
    made = fs.connect(engine="reference")
    for name, ion in re.findall(r"^-- (\w+): (.*)$", text, re.M):
        promised = re.search(rf"^-- {name} ordered by (.*); partitioned by (.*)$", text, re.M)
        order, parts = ([part.split(", ") for part in promised.groups()]) if promised else ([], [])
        made.register(name, fs.ion(ion), ordered_by=order, partitioned_by=parts)
    return made


def trees(plan: p.Plan, name: str) -> tuple[str, str]:
    """The plan as it reaches a pass, and as it leaves it."""
    for step in PIPELINE[Phase.OPTIMIZE]:
        if step.name == name:
            after = step(plan)
            assert check(after) == []
            return explain(plan), "the same" if after is plan or after == plan else explain(after)
        plan = step(plan)
    raise AssertionError(f"no pass {name}")


@pytest.mark.parametrize("name", PASSES)
def test_before_and_after(name: str, bless: bool) -> None:
    path = FOLDER / f"{name}.golden"
    text = path.read_text(encoding="utf-8")
    on = session(text)
    head, *blocks = re.split(r"^== ", text, flags=re.M)
    assert blocks, f"{path.name} has no case"
    made = [head]
    for block in blocks:
        title, _, rest = block.partition("\n")
        query = rest.partition("\n--- ")[0].strip()
        mode = "strict" if query.startswith("[strict]") else "permissive"
        plan, _ = bound(on, query.removeprefix("[strict]").strip(), mode)
        before, after = trees(plan, name)
        made.append(f"== {title}\n{query}\n--- before\n{before}\n--- after\n{after}\n\n")
    whole = "".join(made).rstrip("\n") + "\n"
    if bless:
        path.write_text(whole, encoding="utf-8")
        return
    assert whole == text, f"{path.name}: look at the difference, then run pytest --bless"
