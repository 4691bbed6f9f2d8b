"""TPC-H: PartiQL text compared with the same text through `spark.sql`, in one session, over the same Parquet files.

`measure_runs` times text to rows, `measure_planning` text to physical plan. Firesteel runs with the settings that
`fs.connect()` gives its session; before the baseline runs, those in `OURS` are set back to Spark's defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import firesteel as fs
from tools import tpch
from tools.bench_measure import AGAIN, Arm, Arms, Column, Measured, Progress, interleaved, table

#: Settings of `fs.connect()` that could slow down other queries, with Spark's defaults.
OURS: dict[str, str] = {
    "spark.sql.subexpressionElimination.enabled": "false",
    "spark.sql.dataFrameQueryContext.enabled": "false",
}
DEFAULTS: dict[str, str] = {
    "spark.sql.subexpressionElimination.enabled": "true",
    "spark.sql.dataFrameQueryContext.enabled": "true",
}

#: The arm that plans every query again, each time.
NEW = "never seen"

#: Rounds to warm up: the JVM compiles code that ran often, so the first rounds of a short query are slower.
WARM = 3

Found = tuple[list[str], dict[str, object]]


def configured(spark: Any, settings: Mapping[str, str]) -> None:
    for name, value in settings.items():
        spark.conf.set(name, value)


def measure_runs(session: fs.Session, spark: Any, texts: Mapping[str, str], repeat: int, title: str) -> Found:
    """Measure from text to rows."""

    def arms(text: str) -> Arms:
        theirs = Arm(lambda: spark.sql(tpch.sql(text)).collect(), lambda: configured(spark, DEFAULTS))
        return compared(session, spark, lambda: session.query(text).to_spark(), theirs)

    return compared_table(title, _measure(arms, texts, repeat, "TPC-H"))


def compared(session: fs.Session, spark: Any, frame: Callable[[], Any], theirs: Arm) -> Arms:
    """The arms: Firesteel with a cached plan, Firesteel with a new plan, and the baseline twice."""

    def again() -> None:
        configured(spark, OURS)
        frame()

    known, new = (Arm(lambda: frame().collect(), prepare) for prepare in (again, _anew(session, spark)))
    return {"firesteel": known, NEW: new, "spark.sql": theirs, f"spark.sql {AGAIN}": theirs}


def _anew(session: fs.Session, spark: Any) -> Callable[[], None]:
    def forget() -> None:
        configured(spark, OURS)
        session.forget()

    return forget


def compared_table(title: str, found: list[Measured]) -> Found:
    again = Column("A/A", f"spark.sql {AGAIN}", "spark.sql")
    _, noise = table(title, found, [again])
    bound = noise["ratios"]["A/A"]["geometric_mean"] + 0.05  # type: ignore[index]
    ours = Column("firesteel / spark.sql", "firesteel", "spark.sql", bound)
    return table(title, found, [ours, Column("never seen / spark.sql", NEW, "spark.sql", bound), again])


def measure_planning(session: fs.Session, spark: Any, texts: Mapping[str, str], repeat: int, title: str) -> Found:
    """Measure from text to the optimized physical plan, with Firesteel's plan cache emptied before each run."""

    def arms(text: str) -> Arms:
        theirs = Arm(lambda: planned(spark.sql(tpch.sql(text))), lambda: configured(spark, DEFAULTS))
        ours = Arm(lambda: planned(session.query(text).to_spark()), _anew(session, spark))
        return {"firesteel": ours, "spark.sql": theirs, f"spark.sql {AGAIN}": theirs}

    found = _measure(arms, texts, repeat, "planning")
    again = Column("A/A", f"spark.sql {AGAIN}", "spark.sql")
    return table(title, found, [Column("firesteel / spark.sql", "firesteel", "spark.sql", 3.0), again])


def planned(frame: Any) -> object:
    """Make Catalyst optimize and plan the frame without running it."""
    return frame._jdf.queryExecution().executedPlan()


def _measure(arms: Any, texts: Mapping[str, str], repeat: int, what: str) -> list[Measured]:
    progress = Progress(what, len(texts))
    found = []
    for name, text in texts.items():
        progress.next(name)
        try:
            found.append(interleaved(name, arms(text), repeat, progress, WARM))
        except fs.UnsupportedError as error:
            print(f"{name} is refused: {error.message}", flush=True)
    progress.close()
    return found
