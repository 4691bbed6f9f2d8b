"""The texts of a plan, joined with its operators, and what else is known of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel.explain.page import Layer, PlanView

QUERY = """SELECT t.a, COUNT(*) AS n, (SELECT MAX(u.c) FROM u WHERE u.a = t.a) AS m
FROM t JOIN u ON t.a = u.a WHERE t.b > 1 GROUP BY t.a ORDER BY n DESC LIMIT 3"""
EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.fixture
def session() -> fs.Session:
    made = fs.connect(engine="reference")
    made.register("t", [{"a": 1, "b": 2}])
    made.register("u", [{"a": 1, "c": "x"}])
    return made


def pieces(view: PlanView, layer: str, operator: str) -> str:
    """The text of a layer that belongs to the first operator whose text begins like that."""
    number = next(one.id for one in view.operators if one.text.startswith(operator))
    (found,) = [one for one in view.layers if one.name == layer]
    return "".join(segment.text for segment in found.segments if number in segment.operators)


def missing(view: PlanView) -> dict[str, str]:
    return {layer.name: layer.note for layer in view.layers if not layer.segments}


def test_every_text_is_whole(session: fs.Session) -> None:
    plan = session.plan(QUERY)
    texts = {layer.name: layer.text for layer in plan.page().views[0].layers}
    assert texts["partiql"] == QUERY
    assert texts["algebra"] == plan.to_algebra()
    assert texts["ion"] == plan.to_ion()
    assert "".join(texts["substrait"].split()) == "".join(plan.to_substrait_json().split())


def test_pieces_are_those_of_the_operator(session: fs.Session) -> None:
    (view,) = session.plan(QUERY).page().views
    assert pieces(view, "partiql", "filter (t.b") == "t.b > 1"
    assert pieces(view, "partiql", "filter (u.a") == "u.a = t.a"
    assert pieces(view, "partiql", "limit") == "3"
    assert pieces(view, "algebra", "scan t") == "(scan (id t) t)"
    assert pieces(view, "algebra", "filter (t.b").split()[0] == "(filter"
    assert pieces(view, "ion", "join").startswith("(join")
    assert '"type": "JOIN_TYPE_INNER"' in pieces(view, "substrait", "join")


def test_every_operator_is_in_every_notation(session: fs.Session) -> None:
    (view,) = session.plan(QUERY).page().views
    for layer in view.layers[1:3]:
        marked = {number for segment in layer.segments for number in segment.operators}
        assert marked == {one.id for one in view.operators}, layer.name


@pytest.mark.parametrize("name", ["revenue.ion", "shipped.json"])
def test_a_plan_that_is_no_text(name: str) -> None:
    (view,) = fs.read_plan(EXAMPLES / name).page().views
    for layer in view.layers:
        assert layer.segments or layer.note
    marked = {number for one in view.layers for segment in one.segments for number in segment.operators}
    assert marked == {one.id for one in view.operators}


def test_text_that_is_written_from_the_plan_says_so() -> None:
    (view,) = fs.read_plan(EXAMPLES / "revenue.ion").page().views
    (layer,) = [one for one in view.layers if one.name == "partiql"]
    assert layer.note == "written from the plan"
    assert "status = 'shipped'" in pieces(view, "partiql", "filter")


def test_a_notation_without_words_says_why() -> None:
    (view,) = fs.read_plan(EXAMPLES / "shipped.json").page().views
    assert missing(view) == {
        "partiql": "the function 'string:upper' has no form in PartiQL",
        "spark": "Spark was not asked for its plan (--engine spark)",
    }


def test_a_repair_is_with_the_operator_that_it_is_of() -> None:
    column = {"names": ["a"], "struct": {"types": [{"i64": {"nullability": "NULLABILITY_REQUIRED"}}]}}
    reads = [{"read": {"namedTable": {"names": [name]}, "baseSchema": column}} for name in "tu"]
    join = {"join": {"left": reads[0], "right": reads[1], "type": "JOIN_TYPE_INNER"}}
    text = json.dumps({"relations": [{"root": {"names": ["a", "b"], "input": join}}]})
    (view,) = fs.read_plan(text, dialect="datafusion").page().views
    assert [(one.kind, one.repairs) for one in view.operators if one.repairs] == [
        ("join", ("FS842: a join without an expression joins every pair of rows",))
    ]


def test_as_the_session_runs_it(session: fs.Session) -> None:
    page = session.page(QUERY, profile=session.query(QUERY).profile())
    (view,) = page.views
    assert (page.title, view.engine) == (" ".join(QUERY.split()), "reference")
    assert missing(view) == {"spark": "this plan runs in this process, not on Spark (--engine spark)"}
    scans = {one.text: one.estimated_rows for one in view.operators if one.kind == "scan"}
    assert scans == {"scan t": 1, "scan u": 1}
    told = {one.text: one.measured.rows for one in view.operators if one.kind == "scan" and one.measured is not None}
    assert told == scans
    assert pieces(view, "partiql", "filter (t.b") == "t.b > 1"


def test_each_statement_has_a_view(session: fs.Session) -> None:
    node = session.plan(QUERY).node
    script = p.Script((node.statement, session.plan("SELECT t.b FROM t").node.statement))
    first, second = fs.Plan(node.replace(statement=script)).page().views
    assert len(first.operators) > len(second.operators)
    assert second.layers[0].text == "SELECT t.b FROM t"


def test_columns_know_where_they_come_from(session: fs.Session) -> None:
    (view,) = session.plan(QUERY).page().views
    select = next(one for one in view.operators if one.text.startswith("select {'a'"))
    direct = {one.name: [o.source for o in one.origins if o.is_direct] for one in select.columns}
    assert direct == {"a": ["t.a"], "n": ["t.*", "u.*"], "m": ["u.c"]}
    aggregate = next(one for one in view.operators if one.text.startswith("aggregate max"))
    assert [o.source for o in aggregate.columns[0].origins] == ["u.c"]


def test_two_plans(session: fs.Session) -> None:
    found = fs.diff(session.plan(QUERY), session.plan(QUERY.replace("t.b > 1", "t.b > 2").replace("LIMIT 3", "")))
    page = found.page(("old", "new"))
    assert page.comparison is not None
    assert len(page.comparison.differences) == len(found.differences) == 2
    left, right = page.views
    pairs = {left.operators[a].text: (right.operators[b].text, same) for a, b, same in page.comparison.pairs}
    assert pairs["filter (1 < t.b)"] == ("filter (2 < t.b)", False)
    assert pairs["scan t"] == ("scan t", True)
    assert "limit 3" not in pairs


def test_show_writes_a_file(session: fs.Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plan.html"
    page = session.plan(QUERY).show(path)
    assert path.read_text(encoding="utf-8") == page.to_html()
    session.show_plan(QUERY, path, title="other")
    assert "<title>other</title>" in path.read_text(encoding="utf-8")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    session.plan(QUERY).show()
    assert opened[0].startswith("file:")
    Path(opened[0].removeprefix("file://")).unlink()


def test_layers_are_text_only() -> None:
    assert Layer("x", "X").text == ""
