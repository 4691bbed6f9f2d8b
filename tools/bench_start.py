"""How fast the command line starts, in processor time of a fresh process, beside what people know.

    python -m tools.bench_start [--repeat N]

`firesteel --version` and `firesteel "1 + 1"` beside `python -c "import pyarrow"`: at most twice. A query over a file of
1,000 lines beside DuckDB, started from Python, on the same file: at most 3 times. The baselines run twice (A/A).
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.bench_orders import SEED, orders

FOLDER = Path(__file__).parent.parent / "build" / "bench"
LINES = 1_000
COUNT = "SELECT status, COUNT(*) AS n FROM orders GROUP BY status"
#: The first run leaves bytecode for the others, as an installed package has it.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
RUN = "import sys; from firesteel.cli import main; main(sys.argv[1:])"


def arms(file: Path) -> dict[str, list[str]]:
    """The commands."""
    python = [sys.executable, "-c"]
    duckdb = f'import duckdb; print(duckdb.sql("{COUNT.replace("orders", chr(39) + str(file) + chr(39))}"))'
    return {
        "import pyarrow": [*python, "import pyarrow"],
        "import pyarrow again": [*python, "import pyarrow"],
        "firesteel --version": [*python, RUN, "--version"],
        "firesteel '1 + 1'": [*python, RUN, "1 + 1"],
        "duckdb": [*python, duckdb],
        "duckdb again": [*python, duckdb],
        "firesteel 1,000 lines": [*python, RUN, COUNT, str(file)],
    }


#: An arm, its baseline, and the ratio that it may have.
RATIOS = (
    ("import pyarrow again", "import pyarrow", None),
    ("firesteel --version", "import pyarrow", 2.0),
    ("firesteel '1 + 1'", "import pyarrow", 2.0),
    ("duckdb again", "duckdb", None),
    ("firesteel 1,000 lines", "duckdb", 3.0),
)


def seconds(command: Sequence[str]) -> float:
    """The processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def orders_file() -> Path:
    """A file of 1,000 orders."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "orders.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in itertools.islice(orders(SEED), LINES)), encoding="utf-8")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description="measure the start of the command line")
    parser.add_argument("--repeat", type=int, default=7, help="rounds that count (7)")
    asked = parser.parse_args()
    commands = arms(orders_file())
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(asked.repeat + 1):
        for name, command in commands.items():
            taken = seconds(command)
            if turn:  # the first round fills the caches of the disk
                times[name].append(taken)
    medians = {name: statistics.median(found) for name, found in times.items()}
    for name, median in medians.items():
        print(f"{name:<24}{median * 1000:>8.0f} ms")
    for name, baseline, bound in RATIOS:
        ratio = medians[name] / medians[baseline]
        verdict = "A/A" if bound is None else f"{'met' if ratio <= bound else 'NOT met'}: {bound:g}"
        print(f"{name} / {baseline:<24}{ratio:>8.2f}  {verdict}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
