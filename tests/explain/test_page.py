"""The drawings of a plan: golden files, escaping, determinism, large plans."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

import firesteel as fs
from firesteel.evaluate.meter import Figures
from firesteel.explain import Profile
from firesteel.explain.page import Measured, Operator, PlanPage, PlanView, Range, linked, spark_layer
from firesteel.explain.page.layers import matched

GOLDEN = Path(__file__).parent / "golden"
QUERY = """SELECT t.a, COUNT(*) AS n, (SELECT MAX(u.c) FROM u WHERE u.a = t.a) AS m
FROM t JOIN u ON t.a = u.a WHERE t.b > 1 GROUP BY t.a ORDER BY n DESC LIMIT 3"""
HOSTILE = '</script><img src=x onerror=alert(1)>"]-->&\\'


@pytest.fixture
def session() -> fs.Session:
    made = fs.connect(engine="reference")
    made.register("t", [{"a": 1, "b": 2}])
    made.register("u", [{"a": 1, "c": "x"}])
    return made


@pytest.fixture
def page(session: fs.Session) -> PlanPage:
    """As the session would run it, with what a run might tell."""
    operators = {(0, 1, 1, 1): Figures(3, 12.5), (0, 1, 1, 1, 2): Figures(1200, 40.0)}
    return session.page(
        QUERY, title="golden", profile=Profile("reference", 52.5, 3, session.plan(QUERY).node, operators)
    )


FORMS: dict[str, Callable[[PlanPage], str]] = {
    "dot": PlanPage.to_dot,
    "mermaid": PlanPage.to_mermaid,
    "svg": PlanPage.to_svg,
    "json": PlanPage.to_json,
    "pev2": PlanPage.to_pev2,
}


@pytest.mark.parametrize("form", FORMS)
def test_golden(page: PlanPage, form: str, bless: bool) -> None:
    path = GOLDEN / f"page.{form}"
    drawn = FORMS[form](page).rstrip("\n").replace(f"firesteel {fs.__version__}", "firesteel 0.1.0") + "\n"
    if bless:
        path.write_text(drawn, encoding="utf-8")
    assert drawn == path.read_text(encoding="utf-8")


def test_every_drawing_is_the_same_every_time(session: fs.Session) -> None:
    pages = [session.page(QUERY, title="x") for _ in range(2)]
    for draw in (*FORMS.values(), PlanPage.to_html):
        assert draw(pages[0]) == draw(pages[1])


def hostile_page() -> PlanPage:
    session = fs.connect(engine="reference")
    session.register(HOSTILE, [{HOSTILE: 1}])
    quoted = HOSTILE.replace('"', '""')
    text = f'SELECT t."{quoted}" AS "{quoted}", \'{HOSTILE}\' AS b FROM "{quoted}" AS t'
    return session.plan(text).page(HOSTILE)


def test_html_is_escaped() -> None:
    html = hostile_page().to_html()
    data = html[html.index('id="data">') + 10 :].partition("</script>")[0]
    assert not set("<>&") & set(data)
    assert json.loads(data) == hostile_page().to_python()
    assert "<img" not in html
    assert re.search("<title>(.*?)</title>", html)[1].startswith("&lt;/script&gt;")  # type: ignore[index]
    frame = hostile_page()._repr_html_()
    assert frame.count("<") == 2  # the frame, and its end
    assert "<img" not in frame


def test_html_asks_for_nothing(page: PlanPage) -> None:
    html = page.to_html()
    assert "default-src 'none'" in html
    assert not re.search(r"(src|href)=[\"']?(https?:|//)", html)
    assert not re.search(r"@import|url\(", html)


def test_other_drawings_are_escaped() -> None:
    page = hostile_page()
    assert ET.fromstring(page.to_svg()).tag.endswith("svg")
    assert "<img" not in page.to_svg()
    labels = re.findall(r'label="((?:[^"\\]|\\.)*)"', page.to_dot())
    assert any("</script>" in label for label in labels)
    assert "<img" not in page.to_mermaid()
    assert all(line.count('"') in (0, 2) for line in page.to_mermaid().splitlines())
    assert json.loads(page.to_pev2())[0]["Plan"]["Plans"]


def test_secrets_are_hidden(session: fs.Session) -> None:
    token = fs.secret('k"ey-1234567890')
    text = f"SELECT t.a FROM t WHERE t.a = '{token}' OR t.b = 's3://user:pass@bucket/x'"
    for page in (
        session.plan(text).page(text),
        session.page(text),
        fs.diff(session.plan(text), session.plan(QUERY)).page(),
    ):
        for draw in (*FORMS.values(), PlanPage.to_html):
            drawn = draw(page)
            assert "ey-1234567890" not in drawn
            assert "user:pass" not in drawn
        assert [layer.name for layer in page.views[0].layers if layer.segments][:2] == ["partiql", "algebra"]


def test_what_pev2_reads(page: PlanPage) -> None:
    """PostgreSQL's names: a node type everywhere, times that include those below, rows."""
    top = json.loads(page.to_pev2())[0]
    assert top["Execution Time"] == top["Plan"]["Actual Total Time"] == 52.5
    nodes, stack = [], [top["Plan"]]
    while stack:
        node = stack.pop()
        nodes.append(node)
        below = node.get("Plans", [])
        assert node["Actual Total Time"] >= sum(kid["Actual Total Time"] for kid in below)
        stack += below
    assert {"Seq Scan", "Aggregate", "Sort", "Limit"} <= {node["Node Type"] for node in nodes}
    assert {node["Relation Name"] for node in nodes if node["Node Type"] == "Seq Scan"} == {"t", "u"}


def test_a_large_plan_is_cut_and_says_so() -> None:
    session = fs.connect(engine="reference")
    session.register("t", [{"a": 1}])
    text = " UNION ALL ".join(["SELECT t.a FROM t"] * 130)
    page = session.plan(text).page("large")
    assert len(page.views[0].operators) > 500
    ET.fromstring(page.to_svg())
    for draw in FORMS.values():
        assert draw(page)


# ---------------------------------------------------------------------------------------------------------------------
# Texts and operators


def test_the_smallest_range_has_the_text() -> None:
    layer = linked("x", "X", "(a (b c) d)", [Range(0, 11, 0), Range(3, 8, 1), Range(6, 7, 2), Range(6, 7, 3)])
    assert [(one.text, one.operators) for one in layer.segments] == [
        ("(a ", (0,)),
        ("(b ", (1,)),
        ("c", (2, 3)),
        (")", (1,)),
        (" d)", (0,)),
    ]
    assert layer.text == "(a (b c) d)"


def test_a_long_text_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firesteel.explain.page.layers.MAX_TEXT", 10)
    layer = linked("x", "X", "0123456789abc", [Range(8, 12, 0)])
    assert (layer.text, layer.note) == ("0123456789", "the first 10 of 13 characters")


def test_what_is_in_both_lists_is_matched_in_order() -> None:
    assert matched("abc", "abc") == {0: 0, 1: 1, 2: 2}
    assert matched("abc", "axc") == {0: 0, 2: 2}


PHYSICAL = """== Physical Plan ==
AdaptiveSparkPlan isFinalPlan=false
+- TakeOrderedAndProject(limit=3, orderBy=[n#1L DESC NULLS LAST], output=[n#1L])
   +- *(2) HashAggregate(keys=[b#1L], functions=[count(1)])
      +- Exchange hashpartitioning(b#1L, 200), ENSURE_REQUIREMENTS, [plan_id=85]
         +- *(1) HashAggregate(keys=[b#1L], functions=[partial_count(1)])
            +- BroadcastHashJoin [a#2L], [a#3L], Inner, BuildRight, false
               :- Filter (isnotnull(b#1L) AND (b#1L > 1))
               :  +- FileScan parquet [a#2L,b#1L] Batched: true
               +- BroadcastExchange HashedRelationBroadcastMode(List(input[0, bigint, true]),false), [plan_id=71]
                  +- FileScan parquet [a#3L] Batched: true

"""


def test_sparks_nodes_are_matched_by_kind() -> None:
    kinds = ("statement", "limit", "sort", "aggregate", "join", "filter", "scan", "scan")
    operators = tuple(Operator(i, (i,), None, kind, kind, kind) for i, kind in enumerate(kinds))
    layer = spark_layer(PHYSICAL, operators)
    owners = {
        re.sub(r"^\*\(\d\) ", "", one.text).split("(")[0].split()[0]: [kinds[i] for i in one.operators]
        for one in layer.segments
        if one.text.strip(" :+-\n") and one.operators
    }
    assert layer.text == PHYSICAL.strip("\n")
    assert owners["TakeOrderedAndProject"] == ["sort"]
    assert owners["Exchange"] == owners["HashAggregate"] == ["aggregate"]
    assert owners["BroadcastHashJoin"] == owners["BroadcastExchange"] == ["join"]
    assert owners["Filter"] == ["filter"]
    scans = [one.operators for one in layer.segments if one.text.startswith("FileScan")]
    assert scans == [(6,), (7,)]
    assert "Spark does not say" in layer.note


def test_measured_rows_of_none_are_said() -> None:
    one = Operator(0, (), None, "scan", "scan", "scan t", measured=Measured(0, None))
    page = PlanPage("x", (PlanView("x", (one,)),))
    assert page.to_python()["views"][0]["operators"][0]["measured"] == {"rows": 0}
    assert "0 rows" in page.to_dot()
