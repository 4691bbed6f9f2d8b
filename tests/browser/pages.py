"""Pages for the tests in a browser."""

from __future__ import annotations

import firesteel as fs
from firesteel.explain.page import PlanPage

QUERY = """SELECT c.name, COUNT(*) AS n, SUM(i.qty) AS pieces
FROM orders AS o, o.items AS i, customers AS c
WHERE o.customer = c.id AND i.qty > 1
GROUP BY c.name
ORDER BY pieces DESC
LIMIT 3"""


def session() -> fs.Session:
    found = fs.connect(engine="reference")
    found.register("orders", fs.ion('[{customer: 1, items: [{sku: "a", qty: 2}]}]'))
    found.register("customers", fs.ion('[{id: 1, name: "Ada"}]'))
    return found


def large_page(inputs: int = 84) -> PlanPage:
    """A join of many grouped inputs: six operators for each."""
    made = fs.connect(engine="reference")
    for number in range(inputs):
        made.register(f"t{number}", [{"k": number, "v": number}])
    parts = [
        f"(SELECT t{i}.k AS k, SUM(t{i}.v) AS v FROM t{i} WHERE t{i}.v > {i} GROUP BY t{i}.k) AS q{i}"
        for i in range(inputs)
    ]
    joined = "".join(f" JOIN {part} ON q{i}.k = q{i + 1}.k" for i, part in enumerate(parts[1:]))
    return made.plan(f"SELECT q0.k, q0.v FROM {parts[0]}{joined}").page("a join of many inputs")
