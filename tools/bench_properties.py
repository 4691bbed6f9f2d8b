"""Plans that exchange and sort their inputs, over tables that are written that way already: with what is known of the
tables declared, and not declared.

The tables are bucketed and sorted by the key `k` (`bucketBy`, `sortBy`), as a warehouse writes them. Each plan is what
a careful planner writes if it knows nothing of the tables: every input of a merge join and of a streaming aggregate is
scattered by the key and sorted. With `register(..., ordered_by=, partitioned_by=)` the passes drop these exchanges and
sorts, and Spark reads the buckets as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from tools.bench_measure import AGAIN, Arm, Column, Progress, interleaved, table
from tools.bench_tpch import WARM, Found

BUCKETS = 8
#: How many rows a table has, as a part of the largest; and its column besides the key.
TABLES = {"sales": (1.0, "amount"), "prices": (0.5, "price"), "stock": (0.25, "pieces")}
DECLARED, PLAIN = "declared", "not declared"
#: The target: at least 1.3 times as fast.
BOUND = 1 / 1.3


def write_tables(session: fs.Session, spark: Any, folder: Path, rows: int) -> None:
    """Write the tables, and register each twice: with what is known of it, and without."""
    keys = max(rows // 8, 1)
    for name, (part, column) in TABLES.items():
        count = max(int(rows * part), 1)
        frame = spark.range(count).selectExpr(f"(id * 7919) % {keys} AS k", f"id % 1000 AS {column}")
        writer = frame.repartition(BUCKETS, "k").write.mode("overwrite").format("parquet")
        stored = f"bench_{name}_{rows}"
        path = (folder / f"properties-{rows}" / name).absolute()
        writer.option("path", str(path)).bucketBy(BUCKETS, "k").sortBy("k").saveAsTable(stored)
        written = spark.table(stored)
        session.register(table_name(name, PLAIN), written, replace=True)
        session.register(
            table_name(name, DECLARED), written, ordered_by=["k asc nulls first"], partitioned_by=["k"], replace=True
        )


def table_name(name: str, arm: str) -> str:
    """The name that a table is registered by for an arm."""
    return f"bench_{name}_{'declared' if arm == DECLARED else 'plain'}"


# ---------------------------------------------------------------------------------------------------------------------
# Plans


def relations() -> dict[str, p.Rel]:
    """What is measured, by name."""
    sales, prices, stock = (_arranged(_read(name)) for name in TABLES)
    sold = _joined(sales, prices)
    return {
        "inner join": sold,
        "left join": _joined(sales, stock, p.Capture.LEFT),
        "three tables": _joined(_arranged(sold), stock),
        "aggregate": _grouped(sales),
    }


def _read(name: str) -> p.Rel:
    """The key and the column of a table. Globals are in the order of `TABLES`; `plan_of` says whose they are."""
    row = p.Scan(p.Global(t.ANY, list(TABLES).index(name)), names=(name,))
    columns = ("k", TABLES[name][1])
    return p.Project(tuple(build.path(build.column(row, 0), column) for column in columns), row, names=columns)


def _arranged(rel: p.Rel) -> p.Rel:
    """The rows, scattered by the key and sorted by it."""
    key = build.column(rel, 0)
    return p.Sort((p.SortSpec(key, p.SortOrder.ASC_NULLS_FIRST),), p.Exchange(p.Scatter((key,)), rel))


def _joined(left: p.Rel, right: p.Rel, capture: p.Capture = p.Capture.INNER) -> p.Rel:
    keys = (p.JoinKey(build.column(left, 0), build.column(right, 0)),)
    return p.Join(p.Equi(capture, keys=keys), left, right, strategy=p.JoinStrategy.MERGE)


def _grouped(rel: p.Rel) -> p.Rel:
    aggs = (build.agg("count_star"), build.agg("max", build.column(rel, 1)))
    method = p.AggregateMethod.STREAMING
    return p.Aggregate(p.Strategy.FULL, aggs, (build.column(rel, 0),), rel, method=method, names=("k", "n", "most"))


def plan_of(rel: p.Rel, arm: str) -> p.Plan:
    """The plan of a relation over the tables of an arm."""
    names = tuple(f"c{i}" for i in range(len(p.schema(rel))))
    bindings = tuple(p.GlobalBinding((table_name(name, arm),), t.ANY) for name in TABLES)
    return p.Plan(p.Root(names, rel), globals=bindings)


def counted(rel: p.Rel) -> p.Rel:
    """One row about all rows, so that what is measured is not how rows are brought to Python."""
    aggs = (build.agg("count_star"), *(build.agg("max", build.column(rel, i)) for i in range(len(p.schema(rel)))))
    return p.Aggregate(p.Strategy.FULL, aggs, (), rel)


# ---------------------------------------------------------------------------------------------------------------------
# Measuring


def disagreements(session: fs.Session, spark: Any, folder: Path) -> Iterator[str]:
    """A message for each plan whose rows differ between the arms, over small tables."""
    write_tables(session, spark, folder, 2_000)
    for name, rel in relations().items():
        answers = [session.run(plan_of(rel, arm)).to_python() for arm in (PLAIN, DECLARED)]
        plain, declared = (sorted(tuple(map(str, row.values())) for row in answer) for answer in answers)
        if plain != declared:
            yield f"{name}: {len(declared):,} rows if properties are declared, {len(plain):,} if not, or other rows"


def _run(session: fs.Session, plan: p.Plan) -> object:
    return session.run(plan).to_python()


def measure(session: fs.Session, spark: Any, folder: Path, rows: int, repeat: int) -> Found:
    """Measure from the plan to one row about its rows."""
    write_tables(session, spark, folder, rows)
    compared = relations()
    progress = Progress("properties", len(compared))
    found = []
    for name, rel in compared.items():
        progress.next(name)
        arms = {arm: Arm(partial(_run, session, plan_of(counted(rel), arm))) for arm in (DECLARED, PLAIN)}
        arms[f"{PLAIN} {AGAIN}"] = arms[PLAIN]
        found.append(interleaved(name, arms, repeat, progress, WARM))
    progress.close()
    columns = [
        Column("declared / not", DECLARED, PLAIN, BOUND),
        Column("A/A", f"{PLAIN} {AGAIN}", PLAIN),
    ]
    return table(f"Exchanges and sorts of {rows:,} rows that are in place already", found, columns)
