"""Pages in Chromium: nodes click, layers link, keys work, nothing is asked of a network, nothing complains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import firesteel as fs
from tests.browser import devtools
from tests.browser.pages import QUERY, large_page, session
from tools.tpch import TABLES, queries

pytestmark = pytest.mark.browser

#: The layers in which the operator that is selected is marked.
MARKED = (
    "[...new Set([...document.querySelectorAll('pre .chosen')].map(e => e.closest('.column').dataset.layer))].sort()"
)
SELECTED = "document.querySelector('[role=treeitem][aria-selected=true]')"


@pytest.fixture(scope="module")
def browser() -> Iterator[devtools.Browser]:
    if devtools.program() is None:
        pytest.skip("no Chromium: the page is not opened (apt-get install chromium)")
    made = devtools.Browser()
    made.looks()
    yield made
    made.close()


@pytest.fixture
def opened(browser: devtools.Browser, tmp_path: Path) -> Iterator[Callable[[str], devtools.Browser]]:
    """Opens a page; at the end of the test it must have been silent, and have asked for nothing."""

    def open_(html: str) -> devtools.Browser:
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        browser.open(path)
        return browser

    yield open_
    assert browser.requests() == []
    assert browser.complaints() == []


def selected(browser: devtools.Browser) -> str:
    return str(browser.evaluate(f"{SELECTED}.querySelector('.tag').textContent"))


def test_a_click_marks_the_operator_in_all_layers(opened: Callable[[str], devtools.Browser]) -> None:
    page = opened(session().plan(QUERY).page("orders").to_html())
    page.click("[aria-label^='aggregate']")
    assert page.evaluate(MARKED) == ["algebra", "ion", "partiql", "substrait"]
    assert "SUM" in page.evaluate("document.querySelector('#details').textContent").upper()
    algebra = "[data-layer=algebra] .chosen"
    assert page.evaluate(f"document.querySelector('{algebra}').textContent").startswith("(group_by")
    page.click("[data-layer=algebra] .k-scan")  # and from a text to the tree
    assert selected(page) == "scan"
    assert page.evaluate("document.querySelectorAll('[aria-selected=true]').length") == 1


def test_hovering_marks_the_operator_in_all_layers(opened: Callable[[str], devtools.Browser]) -> None:
    page = opened(session().plan(QUERY).page("orders").to_html())
    box = page.evaluate(
        "(b => [b.x + 20, b.y + 5])(document.querySelector(\"[aria-label^='limit']\").getClientRects()[0])"
    )
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
    layers = "[...document.querySelectorAll('pre .over')].map(e => e.closest('.column').dataset.layer)"
    assert set(page.evaluate(layers)) == {"algebra", "ion", "partiql", "substrait"}


def test_a_plan_is_read_by_keyboard(opened: Callable[[str], devtools.Browser]) -> None:
    page = opened(session().plan(QUERY).page("orders").to_html())
    page.evaluate("document.querySelector('[role=treeitem][tabindex=\"0\"]').focus()")
    assert selected(page) == "query"
    page.press("ArrowDown", "ArrowDown")
    assert selected(page) == "limit"
    page.press("ArrowLeft")
    assert page.evaluate(f"{SELECTED}.getAttribute('aria-expanded')") == "false"
    shown = "[...document.querySelectorAll('[role=treeitem]')].filter(e => !e.hidden).length"
    assert page.evaluate(shown) == 3
    page.press("ArrowDown")
    assert selected(page) == "limit"  # it is the last that is shown
    page.press("ArrowRight", "ArrowRight")
    assert selected(page) == "sort"
    page.press("Enter")
    assert page.evaluate("document.activeElement.id") == "details"
    page.press("Escape", "End")
    assert selected(page) == "scan"
    page.press("Home")
    assert selected(page) == "query"
    page.press("/")
    page.type("qty > 1")
    page.press("Enter")
    assert selected(page) == "filter"
    assert page.evaluate("document.querySelector('#hits').textContent") == "1 of 1"
    page.press("Escape")
    assert page.evaluate("document.activeElement === " + SELECTED)


def test_the_tree_is_told_to_screen_readers(opened: Callable[[str], devtools.Browser]) -> None:
    page = opened(session().plan(QUERY).page("orders").to_html())
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    items = [node for node in nodes if node.get("role", {}).get("value") == "treeitem"]
    names = [node["name"]["value"] for node in items]
    assert any(name.startswith("aggregate") for name in names)
    levels = [prop["value"]["value"] for node in items for prop in node["properties"] if prop["name"] == "level"]
    assert levels == sorted(levels[:-1]) + levels[-1:]
    page.click("[aria-label^='limit']")
    assert "marked in 4 texts" in page.evaluate("document.querySelector('[role=status]').textContent")


def test_the_lineage_of_a_column(opened: Callable[[str], devtools.Browser]) -> None:
    page = opened(session().plan(QUERY).page("orders").to_html())
    page.click("[aria-label^='select']")
    page.click("#details td button")
    assert "customers.name" in page.evaluate("document.querySelector('#origins').textContent")
    scans = "[...document.querySelectorAll('.row.lineage .tag')].map(e => e.parentNode.getAttribute('aria-label'))"
    found = page.evaluate(scans)
    assert any(label.startswith("scan customers") for label in found)
    assert not any(label.startswith("scan orders") for label in found)


def test_layers_are_hidden_and_missing_ones_say_why(opened: Callable[[str], devtools.Browser]) -> None:
    page = opened(session().plan(QUERY).page("orders").to_html())
    assert "Spark was not asked for its plan" in page.evaluate("document.querySelector('#notes').textContent")
    page.click("#layers button:nth-child(2)")
    assert page.evaluate("document.querySelector('[data-layer=algebra]').hidden") is True
    page.click("#layers button:nth-child(2)")
    assert page.evaluate("document.querySelector('[data-layer=algebra]').hidden") is False


def test_two_plans_beside_each_other(opened: Callable[[str], devtools.Browser]) -> None:
    s = session()
    found = fs.diff(s.plan(QUERY), s.plan(QUERY.replace("qty > 1", "qty > 2").replace("LIMIT 3", "")))
    page = opened(found.page(("old", "new")).to_html())
    assert page.evaluate("document.querySelectorAll('.difference').length") == len(found.differences)
    assert page.evaluate("document.querySelectorAll('[role=tree]').length") == 2
    assert page.evaluate("document.querySelector('.row.gone').getAttribute('aria-label')") == "limit 3, only in A"
    page.click(".row.changed")
    chosen = page.evaluate("[...document.querySelectorAll('[aria-selected=true] .text')].map(e => e.textContent)")
    assert len(chosen) == 2
    assert chosen[0] != chosen[1]


HOSTILE = "</script><img src=x onerror=alert(1)>"


def test_nothing_in_a_plan_is_markup(opened: Callable[[str], devtools.Browser]) -> None:
    s = fs.connect(engine="reference")
    s.register(HOSTILE, [{HOSTILE: 1}])
    text = f'SELECT t."{HOSTILE}" AS "{HOSTILE}", \'{HOSTILE}\' AS b FROM "{HOSTILE}" AS t'
    page = opened(s.plan(text).page(HOSTILE).to_html())
    assert page.evaluate("document.querySelectorAll('img').length") == 0
    assert page.evaluate("document.title") == HOSTILE
    page.click("[aria-label^='scan']")
    assert HOSTILE in page.evaluate("document.querySelector('#details').textContent")
    assert HOSTILE in page.evaluate("document.querySelector('[data-layer=partiql] pre').textContent")


def test_the_page_in_a_notebooks_frame(opened: Callable[[str], devtools.Browser]) -> None:
    frame = session().plan(QUERY).page("orders")._repr_html_()
    page = opened(f"<!DOCTYPE html><body>{frame}</body>")
    wait = "new Promise(done => addEventListener('load', done))"
    page.evaluate_in_frame(f"document.readyState === 'complete' || {wait}")
    assert page.evaluate_in_frame("document.querySelectorAll('[role=treeitem]').length") > 5


def test_five_hundred_operators(opened: Callable[[str], devtools.Browser]) -> None:
    page = opened(large_page().to_html())
    count = page.evaluate("document.querySelectorAll('[role=treeitem]').length")
    assert count >= 500
    narrow = (
        "Math.max(...[...document.querySelectorAll('[role=treeitem]')].map(e => e.querySelectorAll('.guide').length))"
    )
    assert page.evaluate(narrow) <= 12
    page.press("/")
    page.type("t77")
    page.press("Enter", "Enter")
    assert "t77" in page.evaluate(f"{SELECTED}.getAttribute('aria-label')")
    assert page.evaluate("(b => b.top >= 0 && b.bottom <= innerHeight)(" + SELECTED + ".getBoundingClientRect())")
    assert page.evaluate(MARKED) == ["algebra", "ion", "partiql", "substrait"]
    page.click("#fold")
    shown = "[...document.querySelectorAll('[role=treeitem]')].filter(e => !e.hidden).length"
    assert page.evaluate(shown) == 2


@pytest.mark.parametrize("name", [f"q{number:02}" for number in range(1, 23)])
def test_tpch(name: str, outside: Callable[[str], Path], opened: Callable[[str], devtools.Browser]) -> None:
    text = queries(outside("tpch") / "queries")[name]
    s = fs.connect(engine="reference")
    for table in TABLES:
        s.register(table, fs.ion("[]"))
    page = opened(s.plan(text.strip().removesuffix(";")).page(name).to_html())
    count = page.evaluate("document.querySelectorAll('[role=treeitem]').length")
    assert count > 4
    page.click("[role=treeitem][aria-label^='scan']")
    assert {"algebra", "ion", "partiql"} <= set(page.evaluate(MARKED))
    marked = "page.views[0].operators.filter(one => !views[0].marks.has(one.id)).length"
    assert page.evaluate(marked) == 0  # each operator is marked in some text
