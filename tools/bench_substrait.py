"""TPC-H as Substrait plans that DataFusion saved, against the same queries through `spark.sql`: bytes to rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import firesteel as fs
from tools import tpch
from tools.bench_measure import AGAIN, Arm, Arms, Column, Progress, interleaved, table
from tools.bench_tpch import DEFAULTS, OURS, Found, configured
from tools.tpch import CONFORMANCE

PLANS = CONFORMANCE / "substrait-plans" / "tpch" / "datafusion"


def plans(folder: Path = PLANS) -> dict[str, bytes]:
    """The plans, by the names of their queries."""
    return {path.stem: path.read_bytes() for path in sorted(folder.glob("*.proto"))}


def measure(session: fs.Session, spark: Any, texts: Mapping[str, str], repeat: int, title: str) -> Found:
    """Plans to rows: reading, planning and running."""
    known = plans()

    def arms(name: str) -> Arms:
        text, plan = texts[name], known[name]
        theirs = Arm(lambda: spark.sql(tpch.sql(text)).collect(), lambda: configured(spark, DEFAULTS))
        ours = Arm(lambda: session.run(plan).to_spark().collect(), lambda: configured(spark, OURS))
        return {"firesteel": ours, "spark.sql": theirs, f"spark.sql {AGAIN}": theirs}

    names = [name for name in texts if name in known]
    progress = Progress("Substrait", len(names))
    found = []
    for name in names:
        progress.next(name)
        found.append(interleaved(name, arms(name), repeat, progress))
    progress.close()
    again = Column("A/A", f"spark.sql {AGAIN}", "spark.sql")
    _, noise = table(title, found, [again])
    bound = noise["ratios"]["A/A"]["geometric_mean"] + 0.05  # type: ignore[index]
    return table(title, found, [Column("firesteel / spark.sql", "firesteel", "spark.sql", bound), again])
