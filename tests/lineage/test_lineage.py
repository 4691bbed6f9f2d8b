"""Where columns come from, query by query."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel.cli import main
from firesteel.lineage import Column, Input, Source, Use

ORDERS = "[{id: 1, c: {n: 'x', country: 'DE'}, items: [{sku: 'a', q: 2}]}]"


@pytest.fixture(scope="module")
def session() -> fs.Session:
    made = fs.connect(engine="reference")
    made.register("orders", fs.ion(ORDERS))
    made.register("people", fs.ion("[{pid: 1, name: 'x', boss: 2}]"))
    made.register("loose", fs.ion("$bag::[{a: 1, any: [1, 'x', {b: 2}]}, 3]"))
    made.query("CREATE VIEW v AS SELECT o.id AS k, o.c.n AS n FROM orders AS o WHERE o.c.country = 'DE'")
    made.query("CREATE VIEW w AS SELECT v.k + 1 AS k1 FROM v AS v")
    return made


#: A query, and its lineage as `explain --lineage` shows it.
CASES = {
    "an unnest": (
        "SELECT o.id, i.sku FROM orders AS o, o.items AS i",
        """
        id ← orders.id (identity)
        sku ← orders.items[*].sku (identity)
        rows joined by orders.items
        reads orders (id, items, items[*].sku)
        """,
    ),
    "a wildcard over known types": (
        "SELECT * FROM orders AS o, o.items AS i",
        """
        id ← orders.id (identity)
        c ← orders.c (identity)
        items ← orders.items (identity)
        sku ← orders.items[*].sku (identity)
        q ← orders.items[*].q (identity)
        rows joined by orders.items
        reads orders (c, id, items, items[*].q, items[*].sku)
        """,
    ),
    "a wildcard over unknown types": (
        "SELECT * FROM loose",
        """
        * ← loose.* (identity)
        reads loose (*)
        """,
    ),
    "a wildcard without a column": (
        "SELECT * EXCLUDE o.id FROM orders AS o",
        """
        c ← orders.c (identity)
        items ← orders.items (identity)
        reads orders (c, items)
        """,
    ),
    "views over views": (
        "SELECT k1 FROM w",
        """
        k1 ← orders.id (transformed)
        rows filtered by orders.c.country
        reads orders (c.country, id)
        """,
    ),
    "a struct that the query makes": (
        "SELECT VALUE {'a': o.id, 'n': {'x': o.c.n, 'y': [o.id, 3]}} FROM orders AS o",
        """
        a ← orders.id (identity)
        n.x ← orders.c.n (identity)
        n.y[*] ← orders.id (identity)
        reads orders (c.n, id)
        """,
    ),
    "a path into a struct that a subquery makes": (
        "SELECT x.s.b FROM (SELECT {'a': o.id, 'b': o.c.n} AS s FROM orders AS o) AS x",
        """
        b ← orders.c.n (identity)
        reads orders (c.n)
        """,
    ),
    "groups": (
        "SELECT k, COUNT(*) AS n, SUM(o.id) AS s FROM orders AS o GROUP BY o.c.n AS k HAVING MAX(o.c.country) > 'A'",
        """
        k ← orders.c.n (identity)
        n ← orders.* (aggregated)
        s ← orders.id (aggregated)
        rows filtered by orders.c.country
        rows grouped by orders.c.n
        reads orders (*, c.country, c.n, id)
        """,
    ),
    "GROUP AS keeps the rows": (
        "SELECT k, (SELECT VALUE m.o.id FROM g AS m) AS ids FROM orders AS o GROUP BY o.c.n AS k GROUP AS g",
        """
        k ← orders.c.n (identity)
        ids[*] ← orders.id (identity)
        rows grouped by orders.c.n
        reads orders (c.n, id)
        """,
    ),
    "a scalar subquery has its own filters": (
        "SELECT o.id, (SELECT MAX(i.q) FROM o.items AS i WHERE i.sku <> 'z') AS m FROM orders AS o",
        """
        id ← orders.id (identity)
        m ← orders.items[*].q (aggregated); filtered by orders.items[*].sku
        reads orders (id, items[*].q, items[*].sku)
        """,
    ),
    "a subquery in a condition": (
        "SELECT o.id FROM orders AS o WHERE EXISTS (SELECT 1 FROM people AS q WHERE q.pid = o.id AND q.boss = 2)",
        """
        id ← orders.id (identity)
        rows filtered by orders.id, people.boss, people.pid
        reads orders (id)
        reads people (boss, pid)
        """,
    ),
    "joins": (
        "SELECT a.name, b.name AS boss FROM people AS a LEFT JOIN people AS b ON a.boss = b.pid ORDER BY a.pid",
        """
        name ← people.name (identity)
        boss ← people.name (identity)
        rows joined by people.boss, people.pid
        rows sorted by people.pid
        reads people (boss, name, pid)
        """,
    ),
    "joins in the condition": (
        "SELECT o.id FROM orders AS o, people AS q WHERE o.id = q.pid AND q.boss = 2",
        """
        id ← orders.id (identity)
        rows filtered by people.boss
        rows joined by orders.id, people.pid
        reads orders (id)
        reads people (boss, pid)
        """,
    ),
    "windows and cases": (
        "SELECT CASE WHEN o.c.n = 'x' THEN o.id ELSE 0 END AS y, RANK() OVER (PARTITION BY o.c.n ORDER BY o.id) AS r,"
        " SUM(o.id) OVER (ORDER BY o.c.n) AS w FROM orders AS o",
        """
        y ← orders.id (identity); chosen by orders.c.n
        r ← window by orders.c.n, orders.id
        w ← orders.id (aggregated); window by orders.c.n
        reads orders (c.n, id)
        """,
    ),
    "unions": (
        "SELECT o.id AS k FROM orders AS o UNION ALL SELECT v.k + 1 AS k FROM v AS v",
        """
        k ← orders.id (identity, transformed)
        rows filtered by orders.c.country
        reads orders (c.country, id)
        """,
    ),
    "the rows that another query does not have": (
        "SELECT o.id AS k FROM orders AS o EXCEPT SELECT q.pid AS k FROM people AS q",
        """
        k ← orders.id (identity)
        rows filtered by orders.id, people.pid
        reads orders (id)
        reads people (pid)
        """,
    ),
    "distinct rows": (
        "SELECT DISTINCT o.c.n FROM orders AS o",
        """
        n ← orders.c.n (identity)
        rows grouped by orders.c.n
        reads orders (c.n)
        """,
    ),
    "a pivot, whose names are values": (
        "PIVOT o.id AT o.c.n FROM orders AS o",
        """
        * ← orders.id (identity); chosen by orders.c.n
        reads orders (c.n, id)
        """,
    ),
    "an unpivot": (
        "SELECT v, k FROM orders AS o, UNPIVOT o.c AS v AT k",
        """
        v ← orders.c.* (identity)
        k ← orders.c (transformed)
        rows joined by orders.c
        reads orders (c, c.*)
        """,
    ),
    "indexes and wildcards of a path": (
        "SELECT VALUE o.items[0].sku || o.items[*].q[0] FROM orders AS o",
        """
        _1 ← orders.items[*].q[0] (transformed), orders.items[0].sku (transformed)
        reads orders (items[*].q[0], items[0].sku)
        """,
    ),
    "no table": ("1 + 1", "_1 ← constant"),
    "a table that only multiplies": (
        "SELECT o.id, 7 AS seven FROM orders AS o, people AS q",
        """
        id ← orders.id (identity)
        seven ← constant
        reads orders (id)
        reads people
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_lineage_of_a_query(session: fs.Session, name: str) -> None:
    query, expected = CASES[name]
    lines = [line.strip() for line in expected.strip().splitlines()]
    assert str(session.plan(query).lineage()).splitlines() == lines


def test_objects(session: fs.Session) -> None:
    found = session.plan("SELECT o.id + i.q AS s FROM orders AS o, o.items AS i WHERE o.id > 3").lineage()
    q = Source("orders", ("[*]", "items", "[*]", "q"))
    id_ = Source("orders", ("[*]", "id"))
    changed = (Use.TRANSFORMATION,)
    assert found.columns == (Column("s", (Input(id_, changed), Input(q, changed))),)
    assert [(one.field, one.uses) for one in found.inputs("s")] == [
        ("id", (Use.TRANSFORMATION, Use.FILTER)),
        ("items", (Use.JOIN,)),
        ("items[*].q", changed),
    ]
    with pytest.raises(KeyError):
        found["t"]


def test_a_column_with_its_parts(session: fs.Session) -> None:
    found = session.plan("SELECT {'a': o.id, 'b': o.c.n} AS s FROM orders AS o").lineage()
    assert [column.name for column in found.columns] == ["s.a", "s.b"]
    assert [one.field for one in found["s"].direct] == ["c.n", "id"]


def test_json_and_openlineage(session: fs.Session) -> None:
    found = session.plan("SELECT o.id FROM orders AS o WHERE o.c.n = 'x'").lineage()
    assert json.loads(found.to_json()) == {
        "columns": [{"name": "id", "inputs": [{"table": "orders", "field": "id", "uses": ["identity"]}]}],
        "rows": [{"table": "orders", "field": "c.n", "uses": ["filter"]}],
        "tables": [{"table": "orders", "paths": ["c.n", "id"]}],
    }
    direct = {
        "namespace": "shop",
        "name": "orders",
        "field": "id",
        "transformations": [{"type": "DIRECT", "subtype": "IDENTITY"}],
    }
    filtered = {**direct, "field": "c.n", "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}]}
    facet = found.to_openlineage("shop")
    assert facet["fields"] == {"id": {"inputFields": [filtered, direct]}}
    assert facet["_schemaURL"].endswith("ColumnLineageDatasetFacet")
    once = found.to_openlineage("shop", dataset=True)
    assert once["fields"] == {"id": {"inputFields": [direct]}}
    assert once["dataset"] == [filtered]


def test_statements_that_write(session: fs.Session) -> None:
    (found,) = session.lineage("CREATE VIEW z AS SELECT o.id AS k FROM orders AS o")
    assert (found.target, found.columns[0].name) == ("z", "k")


def test_a_plan_without_an_answer_has_no_one_lineage() -> None:
    with pytest.raises(fs.PlanError, match="0 answers"):
        fs.Plan(p.Plan(p.Drop(("t",)))).lineage()


def test_substrait_plans_give_the_lineage_of_their_query(session: fs.Session) -> None:
    query = "SELECT a.name, b.name AS boss FROM people AS a LEFT JOIN people AS b ON a.boss = b.pid WHERE a.pid > 1"
    made = session.plan(query)
    read = fs.read_plan(made.to_substrait(target="datafusion"))
    assert isinstance(read.node.statement, p.Root)
    assert str(read.lineage()) == str(made.lineage())


def test_a_plan_of_another_producer(outside: Callable[[str], Path]) -> None:
    folder = outside("substrait-plans")
    plans = sorted(folder.rglob("*.json"))[::4]
    assert plans
    traced = 0
    for path in plans:
        try:
            node = fs.read_plan(path)
            node.node  # noqa: B018 - lowers it
        except fs.FiresteelError:
            continue
        traced += len(node.lineages())
    assert traced > len(plans) / 4


def test_a_deep_plan_needs_no_stack(session: fs.Session) -> None:
    query = "orders"
    for _ in range(300):
        query = f"(SELECT x.id + 1 AS id FROM {query} AS x)"
    assert str(session.plan(query).lineage()).startswith("id ← orders.id (transformed)")


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "t.jsonl"
    table.write_text('{"a": 1, "b": 2}\n', encoding="utf-8")
    for options, expected in ((["--lineage"], "b ← t.a (transformed)"), (["--lineage-as", "openlineage"], '"TRANSF')):
        with pytest.raises(SystemExit) as stop:
            main(["explain", *options, "SELECT x.a + 1 AS b FROM t AS x", "--table", f"t={table}"])
        assert stop.value.code == 0
        assert expected in capsys.readouterr().out
