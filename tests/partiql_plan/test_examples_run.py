"""The examples of the PartiQL Plan document that are a whole plan, or that say what they give, are run.

`docs/partiql-plan.md` lists them with what is mended. The texts are those of the other modules; the file of
Appendix II runs in `test_appendices.py`, and with its labels inside the statements in `test_inline_labels.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import firesteel as fs
from tests.partiql_plan.test_examples import CREATE_VIEW, FILTER, FIRST_PLAN, PIVOT, PROJECT, QUERY_PLAN, STRUCTURE
from tests.partiql_plan.test_examples import UNPIVOT as UNPIVOTED

DOCS = (Path(__file__).parents[2] / "docs" / "partiql-plan.md").read_text(encoding="utf-8")
ROWS = "$bag::[{a: 1, b: 2}, {a: 3, b: 4}]"


@dataclass(frozen=True)
class Example:
    """A text of the document, what is replaced in it, the plan around it, and its answer over `T`, which is `ROWS`."""

    text: str
    answer: str
    mended: tuple[tuple[str, str], ...] = ()
    around: str = "{}"

    def plan(self) -> str:
        text = self.text
        for printed, meant in self.mended:
            assert printed in text
            text = text.replace(printed, meant)
        return self.around.format(text)


SELECT = "(query (select {}))"
SLOTS = "(project ((path (var 0) ((step (lit {})))) (path (var 0) ((step (lit {}))))) (scan"
EXAMPLES = {
    "the first plan": Example(FIRST_PLAN, ROWS, (("(var t::?)", "(var 0)"), ("(var T::?)", '(global "T")'))),
    "`query`": Example(QUERY_PLAN, ROWS),
    "the structure of a plan file": Example(STRUCTURE, ROWS),
    "`create_view`": Example(
        CREATE_VIEW,
        ROWS,
        (("(project ((path (star)))", "(var 0)"), ("collection)\n      )\n    )", "collection)\n      )")),
        '{} (query (global "example"))',
    ),
    "`pivot`": Example(
        PIVOT,
        "{a: 1, b: 2}",
        (("($type i)", "($type string)"), ("($type j)", "($type any)"), ("scan (var 0)", "unpivot (lit {a: 1, b: 2})")),
        "(query {})",
    ),
    "`unpivot`": Example(UNPIVOTED, '$bag::[{_1: "k0", _2: v0}, {_1: "kn", _2: vn}]', (), SELECT),
    "`project`": Example(
        PROJECT, "$bag::[{_1: 20}, {_1: 40}]", (("(scan", SLOTS.format("a", "b")), ("\n  ]))", "\n  ])))")), SELECT
    ),
    "`filter`": Example(
        FILTER,
        "$bag::[{_1: 1, _2: 1}, {_1: 2, _2: 1}]",
        (("(scan", SLOTS.format("x", "y")), ("\n  ]))", "\n  ])))")),
        SELECT,
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_of_the_document_runs(name: str) -> None:
    session = fs.connect(engine="reference")
    for table in ("T", "mycatalog.myschema.T"):
        session.register(table, fs.ion(ROWS))
    (answer,) = session.run_all(fs.read_plan(EXAMPLES[name].plan()))
    assert answer.to_ion() == EXAMPLES[name].answer
    assert f"| {name} |" in DOCS
