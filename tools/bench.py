"""`make bench`: how fast Firesteel is on Spark, beside Spark itself.

    make bench ARGS="--only tpch --scale 0.1 --queries q01,q06"

It prints one table of ratios per comparison, and writes all times to build/bench.json. See docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import firesteel as fs
from firesteel.spark.runtime.start import start
from tools import (
    bench_events,
    bench_json,
    bench_order_queries,
    bench_properties,
    bench_reference,
    bench_substrait,
    bench_tpch,
    tpch,
)
from tools.bench_tpch import Found

BUILD = Path(__file__).parent.parent / "build"
PARTS = ("tpch", "json", "planning", "substrait", "properties", "reference")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description="measure Firesteel beside Spark")
    parser.add_argument("--only", choices=PARTS, action="append", help="one part; may be given again")
    parser.add_argument("--scale", type=float, default=1.0, help="TPC-H scale factor (1)")
    parser.add_argument("--megabytes", default="200,1000", help="sizes of the JSON lines (200,1000)")
    parser.add_argument("--rows", type=int, default=4_000_000, help="rows of the largest table of properties (4000000)")
    parser.add_argument("--repeat", type=int, default=5, help="rounds that count (5)")
    parser.add_argument("--cold", type=int, default=3, help="fresh processes per arm for the first runs (3); 0: none")
    parser.add_argument(
        "--small", type=int, default=16, help="megabytes of JSON lines for the reference evaluator (16)"
    )
    parser.add_argument("--before", default="", help="a commit whose reference evaluator runs beside this one")
    parser.add_argument("--queries", default="", help="only these: q01,q06 or filter,distinct mixed")
    return parser.parse_args()


def machine() -> dict[str, Any]:
    import pyspark

    return {
        "date": time.strftime("%Y-%m-%d %H:%M"),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "pyspark": pyspark.__version__,
    }


def main() -> int:
    asked = arguments()
    parts = asked.only or list(PARTS)
    only = [name.strip() for name in asked.queries.split(",") if name.strip()]
    report: dict[str, Any] = {"machine": machine(), "tables": []}
    for found in _all(asked, parts, only):
        if isinstance(found, str):
            print(f"{found}\n", flush=True)
            report.setdefault("disagreements", []).append(found)
            continue
        lines, as_json = found
        print("\n".join(lines), end="\n\n", flush=True)
        report["tables"].append(as_json)
        BUILD.mkdir(exist_ok=True)
        (BUILD / "bench.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return 0


def _all(asked: argparse.Namespace, parts: list[str], only: list[str]) -> Iterator[Found | str]:
    """The tables of all parts. The reference evaluator is measured first, and needs no Spark."""
    if "reference" in parts:
        yield from bench_reference.tables(BUILD / "bench", asked.small, asked.repeat, only, asked.before)
    if set(parts) - {"reference"}:
        spark = start()
        yield from _measured(asked, parts, only, fs.connect(spark=spark), spark)
        spark.stop()


def _measured(
    asked: argparse.Namespace, parts: list[str], only: list[str], session: fs.Session, spark: Any
) -> Iterator[Found | str]:
    """Run the comparisons: yields their tables, and a message for each answer that differs."""
    if {"tpch", "planning", "substrait"} & set(parts):
        tpch.register(session, spark, tpch.data(BUILD / "bench", asked.scale))
        texts = {name: text for name, text in tpch.queries().items() if not only or name in only}
        if "planning" in parts:
            title = "Planning TPC-H: text to physical plan"
            yield bench_tpch.measure_planning(session, spark, texts, asked.repeat, title)
        if "tpch" in parts:
            title = f"TPC-H at scale factor {asked.scale:g}: text to rows"
            yield bench_tpch.measure_runs(session, spark, texts, asked.repeat, title)
        if "substrait" in parts and bench_substrait.plans():
            title = f"TPC-H at scale factor {asked.scale:g}: DataFusion's Substrait plans to rows"
            yield bench_substrait.measure(session, spark, texts, asked.repeat, title)
    if "json" in parts:
        for make in (bench_order_queries.data, bench_events.data):
            yield from bench_json.disagreements(session, spark, make(BUILD / "bench", 5), only)
            for size in asked.megabytes.split(","):
                data = make(BUILD / "bench", int(size))
                yield bench_json.measure(session, spark, data, asked.repeat, only)
                yield bench_json.measure_first(session, spark, data, asked.repeat, only)
                if asked.cold:
                    yield bench_json.measure_cold(data, asked.cold, only)
    if "properties" in parts:
        yield from bench_properties.disagreements(session, spark, BUILD / "bench")
        yield bench_properties.measure(session, spark, BUILD / "bench", asked.rows, asked.repeat)


if __name__ == "__main__":
    raise SystemExit(main())
