"""How fast the reference evaluator is: the eight queries over orders and the eight over events, text to values.

    make bench ARGS="--only reference --small 16 --before COMMIT"
    python -m tools.bench_reference [--small MEGABYTES] [--before COMMIT] [--repeat N]

With `--before` the evaluator of another commit runs in the same process, from a copy of its sources whose package has
another name. DuckDB, which is written in C++, answers from the same file as a yardstick. Processor time is measured, of
all threads, because other load on the machine hardly changes it. No JVM is started.
"""

from __future__ import annotations

import argparse
import importlib
import io
import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb

import firesteel as fs
from tools import bench_events, bench_order_queries
from tools.bench_json import Data
from tools.bench_measure import AGAIN, Arm, Column, Measured, Progress, interleaved, table

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "bench"
OURS, BEFORE, DUCKDB = "reference", "before", "duckdb"

#: The queries as one writes them for DuckDB, over the views `orders`, `customers` and `events`. `votes` has keys that
#: are data, which DuckDB reads as a column of JSON.
IN_DUCKDB: Mapping[str, str] = {
    "filter": "SELECT id, status FROM orders WHERE total > 2000 AND customer.address.city = 'Bern'",
    "project nested": (
        "SELECT id, customer.name AS name, customer.address.city AS city, items[1].sku AS sku FROM orders"
    ),
    "unnest, aggregate": (
        "SELECT i.sku, sum(i.qty), sum(i.qty * i.price), count(*) FROM (SELECT unnest(items) AS i FROM orders) "
        "WHERE i.qty >= 2 GROUP BY i.sku"
    ),
    "group nested": "SELECT customer.address.city, count(*), sum(total) FROM orders GROUP BY customer.address.city",
    "subquery per row": ("SELECT id, list_sum([i.qty * i.price for i in items if i.qty > 2]) AS worth FROM orders"),
    "distinct mixed": "SELECT DISTINCT priority FROM orders",
    "join nested key": (
        "SELECT segment, count(*), max(total) FROM orders AS o, customers AS c "
        "WHERE o.customer.id = c.id GROUP BY segment"
    ),
    "order by": "SELECT id, total FROM orders ORDER BY total DESC, id",
    "events filter": ("SELECT id, actor.login FROM events WHERE type = 'PushEvent' AND payload.size > 3"),
    "types": "SELECT type, count(*), max(created_at) FROM events GROUP BY type",
    "commits": (
        "SELECT c.author.name, count(*) FROM (SELECT unnest(payload.commits) AS c FROM events) WHERE c.distinct "
        "GROUP BY ALL"
    ),
    "issues": (
        "SELECT payload.issue.user.login, sum(payload.issue.comments) FROM events WHERE payload.action = 'opened' "
        "GROUP BY ALL"
    ),
    "labels": (
        "SELECT id, len(list_filter(payload.issue.labels, l -> l.name = 'parser')) FROM events "
        "WHERE payload.issue IS NOT NULL"
    ),
    "votes": (
        "SELECT who, sum(stars) FROM (SELECT unnest(map_entries(payload.votes), recursive := true) FROM events) "
        "AS v(who, stars) GROUP BY who"
    ),
    "scores": "SELECT repo.name, sum(payload.score) FROM events WHERE payload.score > 10 GROUP BY ALL",
    "last": "SELECT id, repo.name, created_at FROM events ORDER BY created_at DESC, id LIMIT 100",
}


def measure(
    data: Data, repeat: int, only: Sequence[str], before: ModuleType | None
) -> tuple[list[str], dict[str, Any]]:
    """The table for one set of data."""
    reference, older = _session(fs, data), None if before is None else _session(before, data)
    cases = data.chosen(only)
    progress = Progress(data.title, len(cases))
    found: list[Measured] = []
    for name, case in cases.items():
        progress.next(name)
        arms = {OURS: Arm(_asking(reference, case.partiql)), OURS + AGAIN: Arm(_asking(reference, case.partiql))}
        if older is not None:
            arms[BEFORE] = Arm(_asking(older, case.partiql))
        if _answers(data, IN_DUCKDB[name]):
            arms[DUCKDB] = Arm(_in_duckdb(data, IN_DUCKDB[name]))
        found.append(interleaved(name, arms, repeat, progress, clock=time.process_time))
    progress.close()
    columns = [Column("A/A", OURS + AGAIN, OURS)]
    if before is not None:
        columns.append(Column("before / now", BEFORE, OURS))
    if all(DUCKDB in one.times for one in found):
        columns.append(Column("of DuckDB", OURS, DUCKDB))
    return table(f"{data.title}: text to values in this process, processor time", found, columns)


def _session(package: Any, data: Data) -> Any:
    session = package.connect(engine="reference")
    for name, (file, _) in data.tables.items():
        session.register(name, str(file))
    return session


def _asking(session: Any, text: str) -> Callable[[], object]:
    return lambda: session.query(text).value()


def _in_duckdb(data: Data, text: str) -> Callable[[], object]:
    def run() -> object:
        with duckdb.connect() as connection:
            for name, (file, _) in data.tables.items():
                connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_json('{file}', sample_size=-1)")
            return connection.execute(text).fetchall()

    return run


def _answers(data: Data, text: str) -> bool:
    """Has DuckDB an answer? What it infers of the types decides."""
    try:
        _in_duckdb(data, text)()
    except duckdb.Error as error:
        print(f"DuckDB: {str(error).splitlines()[0]}", file=sys.stderr)
        return False
    return True


def package_of(commit: str, folder: Path = FOLDER) -> ModuleType:
    """The package as it was at a commit, under the name `firesteel_before`."""
    target = folder / f"before-{commit}"
    package = target / "firesteel_before"
    if not package.exists():
        packed = subprocess.run(["git", "archive", commit, "src/firesteel"], cwd=ROOT, check=True, capture_output=True)
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
            archive.extractall(target, filter="data")
        for path in (target / "src" / "firesteel").rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            path.write_text(re.sub(r"\bfiresteel\b", "firesteel_before", text), encoding="utf-8")
        shutil.move(target / "src" / "firesteel", package)
    sys.path.insert(0, str(target))
    return importlib.import_module("firesteel_before")


def tables(
    folder: Path, megabytes: int, repeat: int, only: Sequence[str], commit: str = ""
) -> Iterator[tuple[list[str], dict[str, Any]]]:
    """Both tables."""
    before = package_of(commit, folder) if commit else None
    for make in (bench_order_queries.data, bench_events.data):
        yield measure(make(folder, megabytes), repeat, only, before)


def main() -> int:
    parser = argparse.ArgumentParser(description="measure the reference evaluator")
    parser.add_argument("--small", type=int, default=16, help="megabytes of JSON lines (16)")
    parser.add_argument("--before", default="", help="a commit whose evaluator runs beside this one")
    parser.add_argument("--repeat", type=int, default=5, help="rounds that count (5)")
    asked = parser.parse_args()
    for lines, _ in tables(FOLDER, asked.small, asked.repeat, (), asked.before):
        print("\n".join(lines), end="\n\n", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
