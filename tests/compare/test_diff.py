"""Which plans are the same, and what is shown of those that are not."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel.cli import main

from .pairs import QUERIES, mutated, rewritten, session


@pytest.fixture(scope="module")
def here() -> fs.Session:
    return session()


@pytest.mark.parametrize("seed", range(10))
def test_what_is_rewritten_is_the_same(here: fs.Session, seed: int) -> None:
    chance = random.Random(seed)
    for query in QUERIES:
        plan = here.plan(query).node
        made = rewritten(plan, chance)
        assert made != plan
        found = fs.diff(fs.Plan(plan), fs.Plan(made))
        assert found.same, f"{query}\n{found}"


@pytest.mark.parametrize("seed", range(10))
def test_what_is_changed_is_found(here: fs.Session, seed: int) -> None:
    chance = random.Random(seed)
    for query in QUERIES:
        plan = here.plan(query).node
        made, what = mutated(plan, chance)
        found = fs.diff(fs.Plan(rewritten(plan, chance)), fs.Plan(made))
        assert not found.same, f"{query}: {what}"
        assert all(one.left != one.right for one in found.differences)


#: Two queries, and what is shown of them; nothing if they are the same.
CASES = {
    "the order of conditions, aliases": (
        "SELECT x.a FROM t AS x WHERE x.a > 1 AND x.b = 2",
        "SELECT y.a FROM t AS y WHERE 2 = y.b AND 1 < y.a",
        "",
    ),
    "a join in the condition": (
        "SELECT x.a FROM t AS x JOIN u AS y ON x.a = y.a",
        "SELECT x.a FROM t AS x, u AS y WHERE y.a = x.a",
        "",
    ),
    "a subquery that only names columns": (
        "SELECT z.a FROM (SELECT x.a AS a, x.b AS b FROM t AS x WHERE x.c = 1) AS z WHERE z.b = 2",
        "SELECT x.a FROM t AS x WHERE x.b = 2 AND x.c = 1",
        "",
    ),
    "a constant": ("SELECT x.a FROM t AS x WHERE x.a > 1 + 1", "SELECT x.a FROM t AS x WHERE x.a > 2", ""),
    "a literal": (
        "SELECT x.a FROM t AS x WHERE x.b = 3 AND x.a > 1",
        "SELECT x.a FROM t AS x WHERE x.a > 2 AND x.b = 3",
        "at query.rex / select.input / filter.predicate / and.args[1] / lt.args[0]\n  - 1\n  + 2",
    ),
    "a comparison": (
        "SELECT x.a FROM t AS x WHERE x.a > 1",
        "SELECT x.a FROM t AS x WHERE x.a >= 1",
        "at query.rex / select.input / filter.predicate\n  - (1 < t.a)\n  + (1 <= t.a)",
    ),
    "a condition more": (
        "SELECT x.a FROM t AS x WHERE x.b = 1 AND x.a > 3",
        "SELECT x.a FROM t AS x WHERE x.a > 3",
        "at query.rex / select.input / filter.predicate / and.args[0]\n  - (1 = t.b)",
    ),
    "a filter more": (
        "SELECT x.a FROM t AS x",
        "SELECT x.a FROM t AS x WHERE x.a > 3",
        "at query.rex / select.input\n  + filter (3 < t.a)",
    ),
    "a join type": (
        "SELECT x.a FROM t AS x JOIN u AS y ON x.a = y.a",
        "SELECT x.a FROM t AS x LEFT JOIN u AS y ON x.a = y.a",
        "at query.rex / select.input / join.type / equi.capture\n  - inner\n  + left",
    ),
    "a direction": (
        "SELECT x.a FROM t AS x ORDER BY x.a",
        "SELECT x.a FROM t AS x ORDER BY x.a DESC",
        "at query.rex / select.input / sort.specs[0] / sortspec.order\n  - asc_nulls_last\n  + desc_nulls_first",
    ),
    "a table": (
        "SELECT x.a FROM t AS x",
        "SELECT x.a FROM u AS x",
        "at query.rex / select.input / scan.rex\n  - t\n  + u",
    ),
    "the order of columns": (
        "SELECT x.a, x.b FROM t AS x",
        "SELECT x.b, x.a FROM t AS x",
        "at query.rex / select.constructor / struct.pairs[0] / pair.key\n  - 'a'\n  + 'b'",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_shown(here: fs.Session, name: str) -> None:
    left, right, expected = CASES[name]
    found = fs.diff(here.plan(left), here.plan(right))
    assert found.same is (not expected)
    assert expected in str(found)


def test_one_plan_in_all_formats_is_the_same(here: fs.Session, tmp_path: Path) -> None:
    for query in QUERIES:
        plan = here.plan(query)
        written = tmp_path / "plan.ion"
        written.write_text(plan.to_ion(), encoding="utf-8")
        for other in (written, plan.to_ion(binary=True), plan.to_substrait(), plan.to_substrait_json()):
            found = fs.diff(plan, other)
            assert found.same, f"{query}\n{found}"


def test_a_view_is_its_query(here: fs.Session) -> None:
    here.query("CREATE VIEW v AS SELECT x.a AS k FROM t AS x WHERE x.b = 1")
    assert fs.diff(here.plan("SELECT v.k FROM v AS v"), here.plan("SELECT x.a AS k FROM t AS x WHERE x.b = 1")).same


def test_side_by_side(here: fs.Session) -> None:
    found = fs.diff(here.plan("SELECT x.a FROM t AS x ORDER BY x.a"), here.plan("SELECT y.a FROM t AS y WHERE y.b = 1"))
    lines = found.side_by_side(81).splitlines()
    assert lines[-1].split() == ["└─", "scan", "t", "└─", "scan", "t"]
    assert lines[2] == "   └─ sort t.a asc nulls last           |    └─ filter (1 = t.b)"


def test_a_wrong_plan_is_compared_as_it_is() -> None:
    wrong = p.Plan(p.Query(p.Call(p.Fn("no_such", p.FnOption.NONE, (), t.ANY), ())))
    assert fs.diff(fs.Plan(wrong), fs.Plan(wrong)).same


def _command(*args: str) -> int:
    with pytest.raises(SystemExit) as stop:
        main(["diff", *args])
    return int(stop.value.code or 0)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, query = tmp_path / "t.jsonl", tmp_path / "q.partiql"
    table.write_text('{"a": 1, "b": 2}\n', encoding="utf-8")
    query.write_text("SELECT x.a FROM t AS x WHERE x.b > 1", encoding="utf-8")
    tables = ("--table", f"t={table}")
    assert _command(str(query), "SELECT y.a FROM t AS y WHERE 1 < y.b", *tables) == 0
    assert capsys.readouterr().out == "the plans are the same\n"
    assert _command(str(query), "SELECT y.a FROM t AS y WHERE 2 < y.b", *tables, "--side-by-side") == 1
    shown = capsys.readouterr().out
    assert "  - 1\n  + 2\n" in shown
    assert "filter (1 < t.b)" in shown
    assert _command(str(query), "SELECT y.a FROM t AS y", *tables, "--format", "json") == 1
    assert json.loads(capsys.readouterr().out)["differences"][0]["right"] is None
    assert _command(str(tmp_path / "none.ion"), str(query), *tables) == 2
    assert "cannot read" in capsys.readouterr().err
