"""Nested JSON lines: eight queries in PartiQL against what a user writes by hand in PySpark.

There are three arms by hand. `inferring` reads with `spark.read.json`, which scans all data for a schema in every run;
`exact` gives the schema; `inferred` uses a frame whose schema was inferred before. A measured run is the user's whole
script, from opening the file to the last row, which is discarded (`noop`).
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import firesteel as fs
from tools.bench_measure import AGAIN, Arm, Column, Measured, Progress, interleaved, table
from tools.bench_tpch import DEFAULTS, OURS, Found, configured

ByHand = Callable[..., Any]


@dataclass(frozen=True)
class Case:
    """A PartiQL query, and the same in PySpark over the frames of all tables."""

    partiql: str
    by_hand: ByHand
    #: Is the answer a list?
    ordered: bool = False


@dataclass(frozen=True)
class Data:
    """Tables, each a file and the exact schema that a user would write, and queries over them."""

    name: str
    tables: Mapping[str, tuple[Path, str]]
    cases: Mapping[str, Case]

    @property
    def title(self) -> str:
        return next(iter(self.tables.values()))[0].stem

    def chosen(self, only: Sequence[str]) -> dict[str, Case]:
        return {name: case for name, case in self.cases.items() if not only or name in only}


# ---------------------------------------------------------------------------------------------------------------------
# The arms: each a function from a case to a frame


def ways(session: fs.Session, spark: Any, data: Data) -> dict[str, Callable[[Case], Any]]:
    """How each arm makes the frame of a case."""
    files = [str(file) for file, _ in data.tables.values()]
    known: list[Any] = []

    def inferring(case: Case) -> Any:
        return case.by_hand(*(spark.read.json(file) for file in files))

    def inferred(case: Case) -> Any:
        if not known:
            known.extend(spark.read.json(file) for file in files)
        return case.by_hand(*known)

    def exact(case: Case) -> Any:
        return case.by_hand(*(spark.read.schema(schema).json(str(file)) for file, schema in data.tables.values()))

    def firesteel(case: Case) -> Any:
        return session.query(case.partiql).to_spark()

    for name, (file, _) in data.tables.items():
        session.register(name, file, replace=True)
    return {"firesteel": firesteel, "inferring": inferring, "exact": exact, "inferred": inferred}


def consume(frame: Any) -> None:
    frame.write.format("noop").mode("overwrite").save()


def measure(session: fs.Session, spark: Any, data: Data, repeat: int, only: Sequence[str]) -> Found:
    """Measure warm runs."""
    made = ways(session, spark, data)
    cases = data.chosen(only)
    progress = Progress(f"JSON {data.title}", len(cases))
    found: list[Measured] = []
    for name, case in cases.items():
        progress.next(name)
        try:
            found.append(interleaved(name, _arms(made, spark, case), repeat, progress))
        except fs.UnsupportedError as error:
            print(f"'{name}' is refused: {error.message}", flush=True)
    progress.close()
    columns = [
        Column("firesteel / inferring", "firesteel", "inferring", 0.55),
        Column("firesteel / exact", "firesteel", "exact", 1.05),
        Column("A/A", f"inferring {AGAIN}", "inferring"),
        Column("firesteel / inferred", "firesteel", "inferred"),
    ]
    return table(f"JSON lines, {data.title}, warm", found, columns)


def _arms(made: Mapping[str, Callable[[Case], Any]], spark: Any, case: Case) -> dict[str, Arm]:
    def arm(name: str) -> Arm:
        settings = OURS if name == "firesteel" else DEFAULTS
        return Arm(lambda: consume(made[name](case)), lambda: configured(spark, settings))

    arms = {name: arm(name) for name in made}
    return {**arms, f"inferring {AGAIN}": arm("inferring")}


# ---------------------------------------------------------------------------------------------------------------------
# Do they agree?


def disagreements(session: fs.Session, spark: Any, data: Data, only: Sequence[str]) -> list[str]:
    """The differences between the answers of the arms. Numbers may differ by a millionth; distinct priorities are
    compared as text."""
    made = ways(session, spark, data)
    problems = []
    for name, case in data.chosen(only).items():
        try:
            rows = {way: _rows(frame(case), not case.ordered) for way, frame in made.items()}
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
# First queries: over files that were never seen, and in fresh processes


def measure_first(session: fs.Session, spark: Any, data: Data, repeat: int, only: Sequence[str]) -> Found:
    """Measure first queries in a warm JVM: every run is over files under names that nobody has read before."""
    cases = data.chosen(only)
    progress = Progress(f"JSON {data.title}, never seen,", len(cases))
    found: list[Measured] = []
    number = itertools.count()

    def arm(name: str, case: Case) -> Arm:
        made: list[Callable[[Case], Any]] = []

        def prepare() -> None:
            configured(spark, OURS if name == "firesteel" else DEFAULTS)
            made[:] = [ways(session, spark, _renamed(data, next(number)))[name]]

        return Arm(lambda: consume(made[0](case)), prepare)

    for name, case in cases.items():
        progress.next(name)
        arms = {arm_: arm(arm_.removesuffix(f" {AGAIN}"), case) for arm_ in _FIRST}
        found.append(interleaved(name, arms, repeat, progress))
    progress.close()
    for file, _ in data.tables.values():
        for link in file.parent.glob(f"{file.stem}.*{file.suffix}"):
            link.unlink()
    return table(f"JSON lines, {data.title}, first query over a file", found, _first_columns(1.0))


_FIRST = ("firesteel", "inferring", f"inferring {AGAIN}")


def _first_columns(bound: float) -> list[Column]:
    return [
        Column("firesteel / inferring", "firesteel", "inferring", bound),
        Column("A/A", f"inferring {AGAIN}", "inferring"),
    ]


def _renamed(data: Data, number: int) -> Data:
    """The same data under names that were not used before."""
    tables = {}
    for name, (file, schema) in data.tables.items():
        link = file.with_name(f"{file.stem}.{number}{file.suffix}")
        link.unlink(missing_ok=True)
        os.link(file, link)
        tables[name] = (link, schema)
    return replace(data, tables=tables)


def measure_cold(data: Data, repeat: int, only: Sequence[str]) -> Found:
    """Measure first queries in fresh processes: one process for each query, arm and round. The arm `kept` has a folder
    with the shapes that another process learned."""
    arms = (*_FIRST, "kept")
    names = list(data.chosen(only))
    found = {name: Measured(name, {arm: [] for arm in arms}) for name in names}
    progress = Progress(f"JSON {data.title}, cold,", repeat * len(arms) * len(names))
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            _first_run("kept", data, name, folder)
            for turn in range(repeat):
                for i in range(len(arms)):
                    arm = arms[(turn + i) % len(arms)]
                    progress.next(f"{name}, round {turn + 1}, {arm}")
                    taken = _first_run(arm.removesuffix(f" {AGAIN}"), data, name, folder)
                    found[name].times[arm].extend([] if taken is None else [taken])
    progress.close()
    columns = [*_first_columns(1.1), Column("kept / inferring", "kept", "inferring", 0.6)]
    whole = [one for one in found.values() if all(one.times.values())]
    return table(f"JSON lines, {data.title}, first query in a new process", whole, columns)


def _first_run(arm: str, data: Data, name: str, folder: str) -> float | None:
    """The seconds that a query took in a process of its own; None if it is refused."""
    command = [sys.executable, "-m", "tools.bench_cold", data.name, data.title, arm, name, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"a cold run of {arm} failed:\n{done.stderr[-2000:]}")
    taken: float | None = json.loads(done.stdout.splitlines()[-1])
    return taken
