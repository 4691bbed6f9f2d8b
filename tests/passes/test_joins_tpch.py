"""The 22 TPC-H queries after the passes: joined by keys, without a product, and with DuckDB's answers."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from firesteel import plan as p
from firesteel.node import walk
from firesteel.passes import optimize
from tests.passes.helpers import bound
from tests.suites.test_tpch import session


@pytest.mark.conformance
@pytest.mark.parametrize("mode", ["permissive", "strict"])
def test_every_join_has_keys(outside: Callable[[str], Path], mode: str) -> None:
    """None is a product: of two relations, or of what is not yet joined."""
    on = session()
    for path in sorted((outside("tpch") / "queries").glob("*.sql")):
        plan = optimize(bound(on, path.read_text(encoding="utf-8"), mode)[0], verify=True)
        joins = [node for node in walk(plan) if isinstance(node, p.Join)]
        assert all(isinstance(join.type, p.Equi) for join in joins), path.name


def _plain(rows: list[tuple[Any, ...]]) -> list[str]:
    """Rows without their order, which ORDER BY leaves open among equals; numbers to four places."""
    return sorted(str([round(float(v), 4) if isinstance(v, Decimal | float) else v for v in row]) for row in rows)


@pytest.mark.conformance
@pytest.mark.slow
def test_answers_are_duckdbs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """On the reference evaluator, which makes every row of a product that is left."""
    duckdb = pytest.importorskip("duckdb")
    import pyarrow.parquet as pq

    import firesteel as fs
    from tools import tpch

    files = tpch.data(tmp_path_factory.mktemp("tpch"), 0.001)
    ours, theirs = fs.connect(engine="reference"), duckdb.connect()
    for name, path in files.items():
        ours.register(name, pq.read_table(path))
        theirs.execute(f"CREATE VIEW {name} AS SELECT * FROM '{path}'")
    for name, text in tpch.queries().items():
        got = [tuple(row.values()) for row in ours.query(text).to_python()]
        assert _plain(got) == _plain(theirs.execute(tpch.sql(text)).fetchall()), name
