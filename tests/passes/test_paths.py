"""Which parts of a table's rows a plan touches, after the passes."""

from __future__ import annotations

import pytest

import firesteel as fs
from firesteel.passes import optimize
from firesteel.passes.analysis.paths import PathTree, touched_paths
from tests.passes.helpers import bound


def shown(tree: PathTree) -> str:
    """`id, items[sku]`: an attribute by its name, quoted if it is exact; `*` is all of a value."""
    if tree.whole:
        return "*"
    parts = []
    for name, below in tree.fields.items():
        inner = shown(below)
        said = f'"{name.text}"' if name.exact else name.text
        parts.append(said if inner == "*" else f"{said}.({inner})")
    if tree.elements is not None:
        parts.append(f"[{shown(tree.elements)}]")
    return ", ".join(parts)


CASES = [
    (
        "SELECT o.id, i.sku FROM orders AS o, o.items AS i WHERE o.customer.country = 'DE'",
        {"orders": "customer.(country), items.([sku]), id"},
    ),
    ("SELECT VALUE o FROM orders AS o", {"orders": "*"}),
    ("SELECT * FROM orders AS o", {"orders": "*"}),
    ("SELECT COUNT(*) AS n FROM orders AS o", {"orders": ""}),
    ('SELECT o."Id" FROM orders AS o', {"orders": '"Id"'}),
    ("SELECT v.b FROM (SELECT o.a AS b, o.c.d AS e FROM orders AS o) AS v", {"orders": "a"}),
    ("SELECT VALUE o[name] FROM orders AS o, others AS name", {"orders": "[*]", "others": "*"}),
    ("SELECT o.items[*].a AS q, o.l[0].m AS r FROM orders AS o", {"orders": "items.([a]), l.([m])"}),
    (
        "SELECT VALUE (SELECT VALUE i.p FROM o.l AS i WHERE i.q > c.r) FROM orders AS o, others AS c WHERE o.k = c.k",
        {"orders": "k, l.([q, p])", "others": "k, r"},
    ),
    (
        "SELECT a, (SELECT VALUE x.o.z FROM g AS x) AS z FROM orders AS o GROUP BY a GROUP AS g",
        {"orders": "a, z"},
    ),
    (
        "SELECT 1 AS one FROM others AS c WHERE EXISTS (SELECT * FROM orders AS o WHERE o.k = c.k)",
        {"others": "k", "orders": "k"},
    ),
    ("SELECT x.a FROM orders AS x BY b", {"orders": "*"}),
    ("SELECT k, v FROM orders AS o, UNPIVOT o.u AS v AT k", {"orders": "u"}),
    ("SELECT o.a FROM orders AS o UNION ALL SELECT c.b AS a FROM others AS c", {"orders": "a", "others": "b"}),
    ("SELECT o.a FROM orders AS o ORDER BY o.b LIMIT 3", {"orders": "b, a"}),
    ("SELECT DISTINCT o.a.b FROM orders AS o", {"orders": "a.(b)"}),
    ("SELECT VALUE o.a FROM orders AS o WHERE o.b IS MISSING", {"orders": "b.(), a"}),
    ("orders", {"orders": "*"}),
    ("SELECT o.a, (SELECT MAX(c.x) AS m FROM others AS c) AS m FROM orders AS o", {"orders": "a", "others": "x"}),
]


@pytest.mark.parametrize(("query", "expected"), CASES, ids=[case[0] for case in CASES])
def test_touched(query: str, expected: dict[str, str]) -> None:
    session = fs.connect(engine="reference")
    for name in ("orders", "others"):
        session.register(name, fs.ion("$bag::[{a: 1}, 5]"))
    plan = optimize(bound(session, query, "permissive")[0])
    found = {plan.globals[i].name: shown(tree) for i, tree in touched_paths(plan).items()}
    assert found == expected
