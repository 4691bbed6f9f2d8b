"""Profiles: rows and time of each operator on the reference evaluator, and how they are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import firesteel as fs
from firesteel.cli.entry import _run
from firesteel.explain.profile import paths

QUERY = "SELECT o.id AS id, (SELECT SUM(i.q) FROM o.items AS i WHERE i.q > 2) AS s FROM orders AS o WHERE o.id < 3"
ORDERS = [{"id": n, "items": [{"q": 1}, {"q": 3}, {"q": n}]} for n in range(5)]


@pytest.fixture
def result() -> fs.Result:
    session = fs.connect(engine="reference")
    session.register("orders", ORDERS)
    return session.query(QUERY)


def test_rows_are_exact_and_by_the_paths_of_nodes(result: fs.Result) -> None:
    found = result.profile()
    rows = {}
    for path, node in paths(found.plan):
        if path in found.operators:
            rows.setdefault(node.tag, []).append((found.operators[path].rows, found.operators[path].runs))
    assert (found.engine, found.rows) == ("reference", 3)
    assert sorted(rows["scan"]) == [(5, 1), (9, 3)]
    assert sorted(rows["filter"]) == [(3, 1), (3, 3)]
    assert rows["aggregate"] == [(3, 3)]
    times = [one.milliseconds for one in found.operators.values()]
    assert all(time is not None and time >= 0 for time in times)
    assert sum(time or 0 for time in times) <= found.milliseconds


def test_how_it_is_shown(result: fs.Result) -> None:
    found = result.profile()
    head, first, *rest = str(found).splitlines()
    assert head.startswith("reference · 3 rows · ")
    assert first.endswith(f"{'rows':>14}{'ms':>12}")
    assert any("scan o.items" in one and one.endswith("in 3 runs") for one in rest)
    assert repr(found) == f"<Profile of {head}>"
    assert found._repr_html_().startswith("<pre>reference")


def test_an_answer_without_a_plan_has_no_profile() -> None:
    with fs.connect(engine="reference") as session, pytest.raises(fs.UnsupportedError, match="nothing to measure"):
        session.query("EXPLAIN SELECT 1 + 1").profile()


def test_explain_analyze(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "orders.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in ORDERS), encoding="utf-8")
    assert _run(["explain", "--analyze", "--format", "json", QUERY, str(path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == 3
    assert {tuple(one["id"]): one["rows"] for one in found["operators"]}[(0,)] == 3
    filters = [one["text"] for one in found["operators"] if one["operator"] == "filter"]
    assert sorted(filters) == ["filter (i.q > 2)", "filter (o.id < 3)"]
    assert _run(["explain", "--analyze", QUERY, str(path)]) == 0
    assert "scan orders" in capsys.readouterr().out
    assert _run(["explain", "--format", "json", QUERY, str(path)]) == 2
    assert "--format goes with --analyze" in capsys.readouterr().err
