"""Plans for Acero, the engine of Arrow: it gives the rows, or says what it has not."""

from __future__ import annotations

import sys
from decimal import Decimal
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest

import firesteel as fs
from tests.substrait.write.test_targets import SMALL, TABLES

#: Arrow imports this module of another package, `substrait`, and uses it for schemas only.
sys.modules.setdefault("substrait.proto", ModuleType("substrait.proto"))
acero = pytest.importorskip("pyarrow.substrait")

#: What the writer refuses for Acero, and the functions that Acero has not, by the beginning of a query.
REFUSED = (
    "IN (SELECT",
    "NOT EXISTS",
    "DISTINCT t.b)",
    " UNION SELECT",
    "EXCEPT",
    "INTERSECT",
    "CROSS JOIN",
    "OVER (",
    "CASE",
)
NO_FUNCTION = ("LIKE", "nullif", "%", "BETWEEN")


def run(data: bytes) -> list[dict[str, Any]]:
    def table(names: list[str], schema: Any) -> pa.Table:
        return TABLES[names[-1]]

    found: list[dict[str, Any]] = acero.run_query(pa.py_buffer(data), table_provider=table).read_all().to_pylist()
    return found


@pytest.mark.parametrize("query", SMALL)
def test_it_gives_the_rows(query: str) -> None:
    session = fs.connect(engine="reference")
    for name, table in TABLES.items():
        session.register(name, table)
    plan = session.plan(query)
    if any(part in query for part in REFUSED):
        with pytest.raises(fs.UnsupportedError, match="in a plan for 'acero'"):
            plan.to_substrait("acero")
        return
    data = plan.to_substrait("acero")
    if any(part in query for part in NO_FUNCTION):
        with pytest.raises(pa.ArrowNotImplementedError, match="No conversion function exists"):
            run(data)
        return
    expected, found = session.query(query).to_python(), run(data)
    assert sorted(map(key, found)) == sorted(map(key, expected))


def key(row: dict[str, Any]) -> str:
    return str([float(value) if isinstance(value, float | int | Decimal) else str(value) for value in row.values()])
