"""A first query, in a process of its own: `data title arm query folder` runs the query once and prints its seconds, or
null if it is refused. The arm `kept` uses the shapes in the folder.

Before that, Spark is started and runs one small job that reads nothing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import firesteel as fs
from firesteel.spark.runtime.start import start
from tools import bench_events, bench_order_queries
from tools.bench_json import consume, ways
from tools.bench_tpch import DEFAULTS, OURS, configured

FOLDER = Path("build") / "bench"


def main(arguments: Sequence[str]) -> int:
    name, title, arm, query, folder = arguments
    make = {"orders": bench_order_queries.data, "events": bench_events.data}[name]
    data = make(FOLDER, int(title.rpartition("-")[2]))
    spark = start()
    consume(spark.range(1000))
    session = fs.connect(spark=spark, shapes=folder if arm == "kept" else True)
    arm = "firesteel" if arm == "kept" else arm
    configured(spark, OURS if arm == "firesteel" else DEFAULTS)
    way = ways(session, spark, data)[arm]
    begin = time.perf_counter()
    try:
        consume(way(data.cases[query]))
        print(time.perf_counter() - begin)
    except fs.UnsupportedError:
        print("null")
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
