"""TPC-H as Substrait plans that DataFusion wrote, compared with the same queries through `spark.sql`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import firesteel as fs
from tools import tpch
from tools.bench_measure import Arm, Arms, Progress, interleaved
from tools.bench_tpch import DEFAULTS, WARM, Found, compared, compared_table, configured
from tools.tpch import CONFORMANCE

PLANS = CONFORMANCE / "substrait-plans" / "tpch" / "datafusion"


def plans(folder: Path = PLANS) -> dict[str, bytes]:
    """The plans, by the names of their queries."""
    return {path.stem: path.read_bytes() for path in sorted(folder.glob("*.proto"))}


def measure(session: fs.Session, spark: Any, texts: Mapping[str, str], repeat: int, title: str) -> Found:
    """Measure from the bytes of a plan to the rows: reading, planning and running."""
    known = plans()

    def arms(name: str) -> Arms:
        text, plan = texts[name], known[name]
        theirs = Arm(lambda: spark.sql(tpch.sql(text)).collect(), lambda: configured(spark, DEFAULTS))
        return compared(session, spark, lambda: session.run(plan).to_spark(), theirs)

    names = [name for name in texts if name in known]
    progress = Progress("Substrait", len(names))
    found = []
    for name in names:
        progress.next(name)
        found.append(interleaved(name, arms(name), repeat, progress, WARM))
    progress.close()
    return compared_table(title, found)
