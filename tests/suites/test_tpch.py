"""The 22 TPC-H queries, unchanged: they parse, resolve against the TPC-H schemas, and plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

import firesteel as fs
from tests.conftest import record_suite

KEY, TEXT, DATE, MONEY, INT = pa.int64(), pa.string(), pa.date32(), pa.decimal128(15, 2), pa.int32()

#: A table's columns by type; the prefix is that of its columns.
TABLES: dict[str, tuple[str, dict[str, pa.DataType]]] = {
    "region": ("r", {"regionkey": KEY, "name": TEXT, "comment": TEXT}),
    "nation": ("n", {"nationkey": KEY, "name": TEXT, "regionkey": KEY, "comment": TEXT}),
    "supplier": (
        "s",
        {"suppkey": KEY, "name": TEXT, "address": TEXT, "nationkey": KEY, "phone": TEXT, "acctbal": MONEY}
        | {"comment": TEXT},
    ),
    "customer": (
        "c",
        {"custkey": KEY, "name": TEXT, "address": TEXT, "nationkey": KEY, "phone": TEXT, "acctbal": MONEY}
        | {"mktsegment": TEXT, "comment": TEXT},
    ),
    "part": (
        "p",
        {"partkey": KEY, "name": TEXT, "mfgr": TEXT, "brand": TEXT, "type": TEXT, "size": INT, "container": TEXT}
        | {"retailprice": MONEY, "comment": TEXT},
    ),
    "partsupp": ("ps", {"partkey": KEY, "suppkey": KEY, "availqty": INT, "supplycost": MONEY, "comment": TEXT}),
    "orders": (
        "o",
        {"orderkey": KEY, "custkey": KEY, "orderstatus": TEXT, "totalprice": MONEY, "orderdate": DATE}
        | {"orderpriority": TEXT, "clerk": TEXT, "shippriority": INT, "comment": TEXT},
    ),
    "lineitem": (
        "l",
        {"orderkey": KEY, "partkey": KEY, "suppkey": KEY, "linenumber": INT, "quantity": MONEY}
        | {"extendedprice": MONEY, "discount": MONEY, "tax": MONEY, "returnflag": TEXT, "linestatus": TEXT}
        | {"shipdate": DATE, "commitdate": DATE, "receiptdate": DATE, "shipinstruct": TEXT, "shipmode": TEXT}
        | {"comment": TEXT},
    ),
}


def session() -> fs.Session:
    made = fs.connect(engine="reference")
    for name, (prefix, columns) in TABLES.items():
        schema = pa.schema([(f"{prefix}_{column}", type_) for column, type_ in columns.items()])
        made.register(name, schema.empty_table())
    return made


@pytest.mark.conformance
def test_the_queries_plan(outside: Callable[[str], Path]) -> None:
    queries = sorted((outside("tpch") / "queries").glob("*.sql"))
    on_schemas = session()
    for path in queries:
        plan = on_schemas.plan(path.read_text(encoding="utf-8"), typing="static")
        assert plan.check() == [], path.name
        assert fs.read_plan(plan.to_ion()).node == plan.node, path.name
        assert isinstance(on_schemas.run(plan).to_python(), list), path.name
    record_suite("tpch", len(queries))
    assert len(queries) == 22
