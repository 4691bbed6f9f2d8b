"""The plans of the benchmark of properties: the same rows in both arms, and nothing exchanged where it is declared."""

from __future__ import annotations

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel.node import walk
from tools import bench_properties as bench


@pytest.fixture
def session() -> fs.Session:
    made = fs.connect(engine="reference", verify_passes=True, verify_properties=True)
    for name, (part, column) in bench.TABLES.items():
        rows = sorted(({"k": i * 7 % 5, column: i} for i in range(int(24 * part))), key=lambda row: row["k"])
        bag = fs.values.Bag([fs.values.from_python(row) for row in rows])
        made.register(bench.table_name(name, bench.PLAIN), bag)
        made.register(
            bench.table_name(name, bench.DECLARED), bag, ordered_by=["k asc nulls first"], partitioned_by=["k"]
        )
    return made


@pytest.mark.parametrize("name", bench.relations())
def test_the_same_rows_with_fewer_exchanges(name: str, session: fs.Session) -> None:
    rel = bench.relations()[name]
    for asked in (rel, bench.counted(rel)):
        plans = {arm: bench.plan_of(asked, arm) for arm in (bench.DECLARED, bench.PLAIN)}
        declared, plain = (session.run(plan).value() for plan in plans.values())
        assert fs.values.equal(fs.values.Bag(fs.values.items(declared)), fs.values.Bag(fs.values.items(plain)))
        exchanges = {
            arm: len(list(walk(session._planner.prepare(plan).plan, p.Exchange))) for arm, plan in plans.items()
        }
        assert exchanges[bench.DECLARED] == 0
        assert exchanges[bench.PLAIN] == len({rex.ordinal for rex in walk(asked, p.Global)})
