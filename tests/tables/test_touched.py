"""Reading only what a plan touches gives the answers of reading everything."""

from __future__ import annotations

from pathlib import Path

import pytest

import firesteel as fs
from firesteel import values
from firesteel.evaluate import evaluate
from firesteel.passes import touched_paths
from firesteel.tables import Table, file
from firesteel.tables.json_files import json_records
from firesteel.tables.touched import WHOLE, Name, PathTree
from firesteel.types import BAG
from tests.spark.sources import test_tables as mixed

LINES = """\
{"id": 1, "Name": "a", "name": "b", "c": {"City": "Bern", "x": {"y": [1, 2.50, {"z": 1e3}]}}, "items": [{"q": 3}]}
{"id": 12345678901234567890, "NAME": "c", "c": [{"city": "Zug"}], "items": {"q": 4, "p": 2}}
{"id": null, "c": 7, "items": "none", "votes": {"u1": 1, "u2": -0.0}}

{"ID": 2, "id": 3, "c": {"city": null}, "items": [[{"q": 1}], 5, null, {"Q": 9}], "votes": []}
[1, {"id": 5}]
"text"
{}
"""

QUERIES = (
    "SELECT VALUE t FROM t",
    "SELECT * FROM t",
    "SELECT COUNT(*) AS n FROM t",
    "SELECT t.id, t.name AS n FROM t",
    'SELECT t."name" AS n, t."NAME" AS m FROM t',
    "SELECT t.c.city AS city, t.c.x.y[1] AS y, t.c.x.y[2].z AS z FROM t",
    "SELECT t.c IS MISSING AS m, t.items IS NULL AS n, t.c.city IS MISSING AS o FROM t",
    "SELECT i.q, i.p FROM t, t.items AS i",
    "SELECT i FROM t, t.items AS i AT n WHERE n < 2",
    "SELECT t.id, (SELECT SUM(i.q * i.p) FROM t.items AS i WHERE i.q > 0) AS s FROM t",
    "SELECT VALUE EXISTS(SELECT 1 FROM t.items AS i) FROM t",
    "SELECT VALUE EXISTS(t.c) FROM t",
    "SELECT VALUE {'e': EXISTS(t.items), 'n': CARDINALITY(t.items)} FROM t, t.items AS i",
    "SELECT w, s FROM t, UNPIVOT t.votes AS s AT w",
    "SELECT t.items[*].q AS q, t.c.* AS c FROM t",
    "SELECT g, COUNT(*) AS n FROM t GROUP BY t.c.city AS g",
    "SELECT a.id FROM t AS a, t AS b WHERE a.id = b.id",
    "SELECT t.* FROM t ORDER BY t.id",
    "SELECT DISTINCT t.c FROM t",
    "SELECT VALUE x FROM (SELECT t.id AS id, t.c AS c FROM t) AS x WHERE x.c.city = 'Bern'",
)


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("touched") / "t.jsonl"
    path.write_text(LINES, encoding="utf-8")
    return path


@pytest.mark.parametrize("query", QUERIES)
def test_the_answer_is_that_of_reading_everything(lines: Path, query: str) -> None:
    table = Table(file(lines), BAG)
    with fs.connect(engine="reference") as session:
        session.register("t", lines)
        result = session.query(query)
        plan = result._outcome.plan
    assert plan is not None
    whole = evaluate(plan, [table] * len(plan.globals))
    assert values.equal(result.value(), whole)
    assert values.equal(evaluate(plan, [table] * len(plan.globals), None, touched_paths(plan)), whole)


def test_the_answers_over_lines_of_all_kinds(tmp_path: Path) -> None:
    """The queries and the lines with which Spark's reader is tested."""
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(mixed.LINES), encoding="utf-8")
    table = Table(file(path), BAG)
    with fs.connect(engine="reference") as session:
        session.register("t", path)
        for query in mixed.QUERIES:
            result = session.query(query)
            plan = result._outcome.plan
            assert plan is not None
            assert values.equal(result.value(), evaluate(plan, [table] * len(plan.globals))), query


def test_only_what_is_touched_is_built(lines: Path) -> None:
    tree = PathTree(
        fields={Name("name", False): WHOLE, Name("c", True): PathTree(fields={Name("x", True): PathTree()})}
    )
    first = next(json_records(lines, touched=tree))
    expected = [("Name", "a"), ("name", "b"), ("c", values.Struct([("x", values.Struct())]))]
    assert first.pairs == expected


def test_long_integers_and_deep_lines_are_read_with_care(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(f'{{"a": {"9" * 5000}}}\n{{"a": {"[" * 300}1{"]" * 300}}}\n{{"a": NaN}}\n{{"a": 1}} 2\n', "utf-8")
    long, deep, *wrong = json_records(path, touched=PathTree(fields={Name("a", True): WHOLE}))
    assert long.get("a") == float("inf")
    assert values.key(deep.get("a"))
    assert [str(one).partition("not JSON: ")[2] for one in wrong] == [
        "NaN is not JSON",
        "Extra data: line 1 column 10 (char 9)",
    ]
