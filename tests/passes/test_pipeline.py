"""The pipeline as data: what every pass says of itself, what the driver does with it, and what debugging shows."""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import re
from pathlib import Path

import pytest

import firesteel as fs
from firesteel import passes
from firesteel import plan as p
from firesteel import types as t
from firesteel.cli.entry import _run
from firesteel.passes import PIPELINE, Context, Pass, Phase, Step, all_passes, pipeline, plan_pass, run_passes
from tools.docs_passes import ENGINES, asking_engines

NAMES = [one.name for one in all_passes()]
GOLDEN = Path(__file__).parent / "golden" / "pipeline_debug.txt"
QUERY = "SELECT l.id FROM large AS l WHERE EXISTS (SELECT i.sku FROM items AS i WHERE i.sku = l.sku)"
VIEW = "CREATE VIEW large AS SELECT o.id, o.sku FROM orders AS o WHERE o.n > 1 + 1"


def shop(**options: object) -> fs.Session:
    """A view over orders, whose numbers are decimals since the view was made."""
    made = fs.connect(**options)  # type: ignore[arg-type]
    made.register("orders", fs.ion('$bag::[{id: 1, sku: "a", n: 2}]'))
    made.register("items", fs.ion('$bag::[{sku: "a", price: 3}]'))
    made.query(VIEW)
    made.register("orders", fs.ion('$bag::[{id: 1, sku: "a", n: 2.5}, {id: 2, sku: "b", n: 7.0}]'), replace=True)
    return made


def without_times(text: str) -> str:
    return re.sub(r"\(\d+\.\d ms\)", "(time)", text)


# What passes say of themselves ---------------------------------------------------------------------------------------


def test_names_are_unique_and_phases_are_right() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert list(PIPELINE) == list(Phase)
    assert all(one.phase is phase for phase, listed in PIPELINE.items() for one in listed)


@pytest.mark.parametrize("name", NAMES)
def test_every_pass_says_in_one_line_what_it_does(name: str) -> None:
    (one,) = (one for one in all_passes() if one.name == name)
    assert one.doc.endswith(".")
    assert len(one.doc) <= 110


def test_every_pass_has_a_file_of_its_name_and_is_in_the_pipeline() -> None:
    found: dict[str, set[str]] = {}
    for module in pkgutil.walk_packages(passes.__path__, "firesteel.passes."):
        loaded = importlib.import_module(module.name)
        for value in vars(loaded).values():
            if isinstance(value, Pass):
                found.setdefault(value.name, set()).add(module.name.rpartition(".")[2])
    assert set(found) == set(NAMES)
    assert all(name in files for name, files in found.items())


def test_engines_ask_for_lowerings_that_there_are() -> None:
    lowerings = [one.name for one in PIPELINE[Phase.LOWER]]
    assert all(name in lowerings for engine in ENGINES for name in engine.lowerings)
    assert all(asking_engines(name) for name in lowerings)


# What the driver does ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [one.name for one in all_passes() if not one.skippable])
def test_what_a_plan_needs_cannot_be_skipped(name: str) -> None:
    with pytest.raises(fs.UnsupportedError, match=f"the pass '{name}' cannot be skipped") as caught:
        fs.connect(skip_passes=[name])
    assert "flatten_scans, fold_constants, merge_filters" in str(caught.value)
    assert "decorrelate," not in str(caught.value)


def test_a_pass_that_is_not_there_cannot_be_skipped() -> None:
    with pytest.raises(fs.UnsupportedError, match="no pass 'fold_constant'"):
        fs.connect(skip_passes=["fold_constant"])


def test_an_observer_is_told_of_every_pass_that_runs() -> None:
    session = shop(engine="reference")
    steps: list[Step] = []
    context = session._catalog.context()
    node = session.plan(QUERY).node
    last = run_passes(node, context, skip=["merge_filters"], observe=steps.append)
    assert [step.name for step in steps] == [
        one.name
        for one in all_passes()
        if not one.whole_plan and one.phase is not Phase.LOWER and one.name != "merge_filters"
    ]
    assert steps[0].before is node
    assert steps[-1].after is last
    assert all(one.after is other.before for one, other in itertools.pairwise(steps))
    assert all(step.seconds >= 0 for step in steps)
    assert next(step.name for step in steps if step.changed) == "inline_views"


def test_the_lowering_that_an_engine_asks_for_runs_and_no_other() -> None:
    session = shop(engine="reference")
    context = session._catalog.context()
    plan = run_passes(session.plan(QUERY).node, context, (Phase.BIND, Phase.TYPE, Phase.OPTIMIZE))
    assert run_passes(plan, context, (Phase.LOWER,)) is plan
    assert run_passes(plan, Context(lowerings=("decorrelate",)), (Phase.LOWER,)) is not plan


@pytest.mark.parametrize("phase", list(Phase))
def test_sessions_verify_every_phase(phase: Phase, monkeypatch: pytest.MonkeyPatch) -> None:
    @plan_pass(phase)
    def spoil(plan: p.Plan, _: Context) -> p.Plan:
        """Spoil the plan."""
        return plan.replace(statement=p.Query(p.Var(t.ANY, 3)))

    monkeypatch.setattr(pipeline, "PIPELINE", {**PIPELINE, phase: (*PIPELINE[phase], spoil)})
    session = fs.connect(engine="reference", verify_passes=True)
    monkeypatch.setattr(session._engines._reference, "lowerings", ("spoil",))
    with pytest.raises(fs.PlanError, match="the pass 'spoil' has made a wrong plan: variable 3"):
        session.query("1 + 1")


def test_a_verified_session_answers() -> None:
    assert shop(engine="reference", verify_passes=True).query(QUERY).to_python() == [{"id": 1}]


# What debugging shows ------------------------------------------------------------------------------------------------


def test_debugging_shows_the_plan_after_every_pass_that_changed_it(bless: bool) -> None:
    shown = without_times(shop().explain(QUERY, pipeline="debug")) + "\n"
    if bless:
        GOLDEN.write_text(shown, encoding="utf-8")
    assert shown == GOLDEN.read_text(encoding="utf-8"), "look at the difference, then run pytest --bless"


def test_debugging_several_statements_and_what_asks_for_no_lowering() -> None:
    session = shop(engine="reference")
    shown = session.explain("SELECT VALUE o.id FROM orders AS o", pipeline="debug")
    assert shown.endswith("\nthe engine asks for no lowering")
    shown = session.explain("CREATE VIEW w AS SELECT VALUE o.id FROM orders AS o", pipeline="debug")
    assert "create_view" in shown
    assert "-- inline_views" not in shown
    with pytest.raises(fs.UnsupportedError, match="no pipeline 'loud'"):
        session.explain("1", pipeline="loud")  # type: ignore[arg-type]


def test_the_command_line_debugs_texts_and_plans(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "t.jsonl"
    table.write_text('{"a": 1}\n{"a": 2}\n', encoding="utf-8")
    options = ["--table", f"t={table}", "--pipeline", "debug"]
    text = "SELECT VALUE t.a FROM t WHERE t.a > 1 + ?"
    assert _run(["explain", text, *options, "--param", "0"]) == 0
    shown = capsys.readouterr().out
    assert "== lower for spark" in shown
    assert "-- fold_constants (" in shown
    session = fs.connect(engine="reference")
    session.register("t", table)
    plan = tmp_path / "plan.ion"
    plan.write_text(session.plan(text, params=[0]).to_ion(), encoding="utf-8")
    assert _run(["explain", str(plan), *options]) == 0
    assert without_times(capsys.readouterr().out).splitlines()[-1] == without_times(shown).splitlines()[-1]
    assert _run(["explain", "SELECT VALUE t.a FROM t", "--table", f"t={table}", "--as", "algebra"]) == 0
    assert capsys.readouterr().out.startswith("(map_values")
    assert _run(["explain", str(plan), *options, "--as", "ion"]) == 2
