"""The queries of the JSON benchmark over orders: each in PartiQL, and as a user writes it in PySpark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools import bench_orders
from tools.bench_json import Case, Data

#: The exact schema. A field that is sometimes a number and sometimes a string is a string.
ORDERS = (
    "id bigint, at string, status string, customer struct<id bigint, name string, address struct<city string, "
    "zip string, street string>>, total double, priority string, note string, items array<struct<sku string, "
    "qty bigint, price double, tags array<string>>>, discount string"
)
CUSTOMERS = "id bigint, segment string, since bigint"


def _filter(o: Any, _: Any) -> Any:
    from pyspark.sql import functions as F

    return o.where((F.col("total") > 2000) & (F.col("customer.address.city") == "Bern")).select("id", "status")


def _project(o: Any, _: Any) -> Any:
    from pyspark.sql import functions as F

    city = F.col("customer.address.city").alias("city")
    return o.select("id", F.col("customer.name").alias("name"), city, F.col("items")[0]["sku"].alias("sku"))


def _unnest(o: Any, _: Any) -> Any:
    from pyspark.sql import functions as F

    rows = o.select(F.explode("items").alias("i")).where(F.col("i.qty") >= 2).groupBy(F.col("i.sku").alias("sku"))
    worth = F.sum(F.col("i.qty") * F.col("i.price")).alias("revenue")
    return rows.agg(F.sum("i.qty").alias("qty"), worth, F.count(F.lit(1)).alias("n"))


def _group(o: Any, _: Any) -> Any:
    from pyspark.sql import functions as F

    by = o.groupBy(F.col("customer.address.city").alias("city"))
    return by.agg(F.count(F.lit(1)).alias("n"), F.sum("total").alias("total"))


def _subquery(o: Any, _: Any) -> Any:
    from pyspark.sql import functions as F

    big = F.filter("items", lambda i: i["qty"] > 2)
    added = F.aggregate(big, F.lit(0.0), lambda total, i: total + i["qty"] * i["price"])
    return o.select("id", F.when(F.size(big) > 0, added).alias("worth"))


def _distinct(o: Any, _: Any) -> Any:
    return o.select("priority").distinct()


def _join(o: Any, c: Any) -> Any:
    from pyspark.sql import functions as F

    joined = o.select(F.col("customer.id").alias("key"), "total").join(c, F.col("key") == c["id"])
    return joined.groupBy("segment").agg(F.count(F.lit(1)).alias("n"), F.max("total").alias("most"))


def _order(o: Any, _: Any) -> Any:
    from pyspark.sql import functions as F

    return o.select("id", "total").orderBy(F.col("total").desc(), "id")


CASES: Mapping[str, Case] = {
    "filter": Case(
        "SELECT o.id AS id, o.status AS status FROM orders AS o "
        "WHERE o.total > 2000 AND o.customer.address.city = 'Bern'",
        _filter,
    ),
    "project nested": Case(
        "SELECT o.id AS id, o.customer.name AS name, o.customer.address.city AS city, o.items[0].sku AS sku "
        "FROM orders AS o",
        _project,
    ),
    "unnest, aggregate": Case(
        "SELECT i.sku AS sku, SUM(i.qty) AS qty, SUM(i.qty * i.price) AS revenue, COUNT(*) AS n "
        "FROM orders AS o, o.items AS i WHERE i.qty >= 2 GROUP BY i.sku",
        _unnest,
    ),
    "group nested": Case(
        "SELECT o.customer.address.city AS city, COUNT(*) AS n, SUM(o.total) AS total "
        "FROM orders AS o GROUP BY o.customer.address.city",
        _group,
    ),
    "subquery per row": Case(
        "SELECT o.id AS id, (SELECT SUM(i.qty * i.price) FROM o.items AS i WHERE i.qty > 2) AS worth FROM orders AS o",
        _subquery,
    ),
    "distinct mixed": Case("SELECT DISTINCT o.priority AS priority FROM orders AS o", _distinct),
    "join nested key": Case(
        "SELECT c.segment AS segment, COUNT(*) AS n, MAX(o.total) AS most "
        "FROM orders AS o, customers AS c WHERE o.customer.id = c.id GROUP BY c.segment",
        _join,
    ),
    "order by": Case(
        "SELECT o.id AS id, o.total AS total FROM orders AS o ORDER BY o.total DESC, o.id", _order, ordered=True
    ),
}


def data(folder: Path, megabytes: int) -> Data:
    """The orders and the customers, as files of so many megabytes."""
    orders, customers = bench_orders.orders_file(folder, megabytes), bench_orders.customers_file(folder)
    return Data("orders", {"orders": (orders, ORDERS), "customers": (customers, CUSTOMERS)}, CASES)
