"""The demo: plans and a query over nested data on local Spark, to rows and to a written file.

make demo
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import firesteel as fs

HERE = Path(__file__).parent
QUERY = """
SELECT o.customer.city AS city, COUNT(*) AS orders
FROM orders AS o
WHERE o.status = 'shipped'
GROUP BY o.customer.city
ORDER BY city
"""


def main() -> None:
    """Run it."""
    plan = fs.read_plan(HERE / "revenue.ion")
    print("A plan, in PartiQL's relational algebra (examples/revenue.ion), explained:\n")
    print(plan.explain())

    with fs.connect() as session, tempfile.TemporaryDirectory() as folder:
        session.register("orders", HERE / "data" / "orders.jsonl")
        print("\nRun on Spark, over JSON lines without a schema:\n")
        result = session.run(plan)
        result.show()

        target = Path(folder) / "revenue.parquet"
        result.write(target)
        session.register("revenue", target)
        print(f"\nWritten to {target.name}, and that file read back:\n")
        session.query("SELECT r.sku, r.revenue FROM revenue AS r WHERE r.revenue > 10 ORDER BY r.sku").show()

        print(f"\nA query, in PartiQL:\n{QUERY}")
        session.query(QUERY).show()

        print("\nA Substrait plan (examples/shipped.json), run over the same data:\n")
        session.run(HERE / "shipped.json").show()


if __name__ == "__main__":
    main()
