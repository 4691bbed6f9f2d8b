"""Nested JSON lines: eight queries in PartiQL against what a user writes by hand in PySpark.

There are three arms by hand. `inferring` reads with `spark.read.json`, which scans all data for a schema in every run;
`exact` gives the schema; `inferred` uses a frame whose schema was inferred before. A measured run is the user's whole
script, from opening the file to the last row, which is discarded (`noop`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import firesteel as fs
from tools.bench_measure import AGAIN, Arm, Column, Measured, Progress, interleaved, table
from tools.bench_tpch import DEFAULTS, OURS, Found, configured

#: The exact schema. A field that is sometimes a number and sometimes a string is a string.
ORDERS = (
    "id bigint, at string, status string, customer struct<id bigint, name string, address struct<city string, "
    "zip string, street string>>, total double, priority string, note string, items array<struct<sku string, "
    "qty bigint, price double, tags array<string>>>, discount string"
)
CUSTOMERS = "id bigint, segment string, since bigint"

ByHand = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Case:
    """A PartiQL query, and the same in PySpark over the frames of orders and customers."""

    partiql: str
    by_hand: ByHand


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
    "order by": Case("SELECT o.id AS id, o.total AS total FROM orders AS o ORDER BY o.total DESC, o.id", _order),
}
ORDERED = ("order by",)


# ---------------------------------------------------------------------------------------------------------------------
# The arms: each a function from a case to a frame


def ways(session: fs.Session, spark: Any, orders: Path, customers: Path) -> dict[str, Callable[[Case], Any]]:
    """How each arm makes the frame of a case."""
    files = (str(orders), str(customers))
    known: list[Any] = []

    def inferring(case: Case) -> Any:
        return case.by_hand(*(spark.read.json(file) for file in files))

    def inferred(case: Case) -> Any:
        if not known:
            known.extend(spark.read.json(file) for file in files)
        return case.by_hand(*known)

    def exact(case: Case) -> Any:
        frames = (spark.read.schema(s).json(file) for s, file in zip((ORDERS, CUSTOMERS), files, strict=True))
        return case.by_hand(*frames)

    def firesteel(case: Case) -> Any:
        return session.query(case.partiql).to_spark()

    session.register("orders", orders, replace=True)
    session.register("customers", customers, replace=True)
    return {"firesteel": firesteel, "inferring": inferring, "exact": exact, "inferred": inferred}


def consume(frame: Any) -> None:
    frame.write.format("noop").mode("overwrite").save()


def measure(session: fs.Session, spark: Any, orders: Path, customers: Path, repeat: int, only: Sequence[str]) -> Found:
    """Measure warm runs."""
    made = ways(session, spark, orders, customers)
    cases = {name: case for name, case in CASES.items() if not only or name in only}
    progress = Progress(f"JSON {orders.stem}", len(cases))
    found: list[Measured] = []
    for name, case in cases.items():
        progress.next(name)
        try:
            found.append(interleaved(name, _arms(made, spark, case), repeat, progress))
        except fs.UnsupportedError as error:
            print(f"'{name}' is refused: {error.message}", flush=True)
    progress.close()
    columns = [
        Column("firesteel / inferring", "firesteel", "inferring", 0.9),
        Column("firesteel / exact", "firesteel", "exact", 1.4),
        Column("A/A", f"inferring {AGAIN}", "inferring"),
        Column("firesteel / inferred", "firesteel", "inferred"),
    ]
    return table(f"JSON lines, {orders.stem}, warm", found, columns)


def _arms(made: Mapping[str, Callable[[Case], Any]], spark: Any, case: Case) -> dict[str, Arm]:
    def arm(name: str) -> Arm:
        settings = OURS if name == "firesteel" else DEFAULTS
        return Arm(lambda: consume(made[name](case)), lambda: configured(spark, settings))

    arms = {name: arm(name) for name in made}
    return {**arms, f"inferring {AGAIN}": arm("inferring")}


# ---------------------------------------------------------------------------------------------------------------------
# Do they agree?


def disagreements(session: fs.Session, spark: Any, orders: Path, customers: Path, only: Sequence[str]) -> list[str]:
    """The differences between the answers of the arms. Numbers may differ by a millionth; distinct priorities are
    compared as text."""
    made = ways(session, spark, orders, customers)
    problems = []
    for name, case in CASES.items():
        if only and name not in only:
            continue
        try:
            rows = {way: _rows(frame(case), name not in ORDERED) for way, frame in made.items()}
        except fs.UnsupportedError as error:
            problems.append(f"{name}: refused, {error.message}")
            continue
        expected = rows["exact"]
        for way, got in rows.items():
            if len(got) != len(expected):
                problems.append(f"{name}: {way} has {len(got)} rows, by hand there are {len(expected)}")
            else:
                wrong = next((pair for pair in zip(got, expected, strict=True) if not _alike(*pair)), None)
                if wrong is not None:
                    problems.append(f"{name}: {way} gives {wrong[0]}, by hand it is {wrong[1]}")
    return problems


def _rows(frame: Any, sort: bool) -> list[tuple[object, ...]]:
    found = [tuple(_plain(value) for value in row) for row in frame.collect()]
    return sorted(found, key=lambda row: [str(value) for value in row]) if sort else found


def _plain(value: Any) -> object:
    if type(value).__name__ == "VariantVal":
        value = value.toPython()
    return float(value) if isinstance(value, int | float | Decimal) else value


def _alike(a: Sequence[object], b: Sequence[object]) -> bool:
    return all(_same(x, y) for x, y in zip(a, b, strict=True))


def _same(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, str):
        b = float(b)
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-6 * max(1.0, abs(a), abs(b))
    return a == b


# ---------------------------------------------------------------------------------------------------------------------
# Cold runs: each arm runs each query once in a fresh process


def measure_cold(orders: Path, customers: Path, repeat: int, only: Sequence[str]) -> Found:
    """Measure first runs, with a fresh process for each arm and round."""
    arms = ("firesteel", "inferring", f"inferring {AGAIN}")
    names = [name for name in CASES if not only or name in only]
    found = {name: Measured(name, {arm: [] for arm in arms}) for name in names}
    progress = Progress(f"JSON {orders.stem}, cold,", repeat * len(arms))
    for turn in range(repeat):
        for i in range(len(arms)):
            arm = arms[(turn + i) % len(arms)]
            progress.next(f"round {turn + 1}, {arm}")
            for name, taken in _first_runs(arm.removesuffix(f" {AGAIN}"), orders, customers, names).items():
                found[name].times[arm].append(taken)
    progress.close()
    columns = [
        Column("firesteel / inferring", "firesteel", "inferring", 0.6),
        Column("A/A", f"inferring {AGAIN}", "inferring"),
    ]
    whole = [one for one in found.values() if all(one.times.values())]
    return table(f"JSON lines, {orders.stem}, first run in a new process", whole, columns)


def _first_runs(arm: str, orders: Path, customers: Path, names: Sequence[str]) -> dict[str, float]:
    command = [sys.executable, "-m", "tools.bench_json", arm, str(orders), str(customers), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"a cold run of {arm} failed:\n{done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main(arguments: Sequence[str]) -> int:
    """`arm orders customers query...`: run each query once, and print the seconds that each took. Before that Spark is
    started and runs one small job that reads nothing."""
    import time

    from firesteel.spark.runtime.start import start

    arm, orders, customers, *names = arguments
    spark = start()
    consume(spark.range(1000))
    session = fs.connect(spark=spark)
    configured(spark, OURS if arm == "firesteel" else DEFAULTS)
    way = ways(session, spark, Path(orders), Path(customers))[arm]
    taken = {}
    for name in names:
        begin = time.perf_counter()
        try:
            consume(way(CASES[name]))
        except fs.UnsupportedError:
            continue
        taken[name] = time.perf_counter() - begin
    print(json.dumps(taken))
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
