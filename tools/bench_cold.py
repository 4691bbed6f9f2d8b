"""First runs, in a process of their own: `data title arm query...` runs each query once, and prints its seconds.

Before that, Spark is started and runs one small job that reads nothing.
"""

from __future__ import annotations

import json
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
    name, title, arm, *names = arguments
    make = {"orders": bench_order_queries.data, "events": bench_events.data}[name]
    data = make(FOLDER, int(title.rpartition("-")[2]))
    spark = start()
    consume(spark.range(1000))
    session = fs.connect(spark=spark)
    configured(spark, OURS if arm == "firesteel" else DEFAULTS)
    way = ways(session, spark, data)[arm]
    taken = {}
    for query in names:
        begin = time.perf_counter()
        try:
            consume(way(data.cases[query]))
        except fs.UnsupportedError:
            continue
        taken[query] = time.perf_counter() - begin
    print(json.dumps(taken))
    spark.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
