"""How fast the parser is: tokens per second, compared with sqlglot.

    python tools/bench_parse.py [--queries DIR] [--rounds N] [--profile]

Two inputs: the 22 TPC-H queries (DIR, or tpch/queries in FIRESTEEL_CONFORMANCE) and a generated query of 5,000 lines.
Every round runs each arm once, in turn, so that other load on the machine affects all arms alike; the medians are
compared. The arm `again` is the arm `firesteel` a second time: the difference of the two is noise, and no number is
more exact than that. The speed of both parsers is given in our tokens.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import os
import pstats
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import sqlglot
import sqlglot.tokens

from firesteel import partiql

ROOT = Path(__file__).parent.parent
CONFORMANCE = Path(os.environ.get("FIRESTEEL_CONFORMANCE", ROOT.parent / "shared" / "conformance"))


def generated(lines: int = 5_000) -> str:
    """One query of so many lines that both parsers accept: a select list, joins, and all common kinds of conditions."""
    columns = [
        f"    t{i % 7}.col_{i} + {i} * (t{i % 5}.price - {i}.25) AS c{i},"
        if i % 3
        else f"    UPPER(t{i % 7}.name_{i}),"
        for i in range(lines // 2 - 10)
    ]
    conditions = [
        (
            f"    AND (t{i % 7}.a_{i} = {i} OR t{i % 5}.b_{i} <> 'value {i}')",
            f"    AND t{i % 7}.c_{i} BETWEEN {i} AND {i + 10}",
            f"    AND t{i % 7}.d_{i} IN ({i}, {i + 1}, {i + 2}) AND NOT t{i % 3}.e_{i} LIKE 'x%'",
            f"    AND CASE WHEN t{i % 7}.f_{i} IS NULL THEN 0 ELSE t{i % 7}.f_{i} END > CAST('{i}' AS INT)",
        )[i % 4]
        for i in range(lines // 2)
    ]
    joins = [f"    JOIN table_{i} AS t{i} ON t0.id = t{i}.id" for i in range(1, 7)]
    return "\n".join(
        ["SELECT", *columns, "    0 AS last_one", "FROM table_0 AS t0", *joins, "WHERE t0.id > 0", *conditions]
    )


def measure(texts: list[str], rounds: int) -> None:
    tokens = sum(len(partiql.tokenize(text)) - 1 for text in texts)
    print(f"  {len(texts)} queries, {sum(text.count(chr(10)) + 1 for text in texts):,} lines, {tokens:,} tokens")
    arms: dict[str, dict[str, Callable[[str], object]]] = {
        "lex": {"firesteel": partiql.tokenize, "again": partiql.tokenize, "sqlglot": sqlglot.tokenize},
        "lex + parse": {"firesteel": partiql.parse, "again": partiql.parse, "sqlglot": sqlglot.parse_one},
    }
    for task, by_arm in arms.items():
        times: dict[str, list[float]] = {arm: [] for arm in by_arm}
        for turn in range(rounds + 1):
            for arm, run in by_arm.items():
                gc.collect()
                start = time.perf_counter()
                for text in texts:
                    run(text)
                if turn:  # the first round warms up
                    times[arm].append(time.perf_counter() - start)
        medians = {arm: statistics.median(taken) for arm, taken in times.items()}
        rates = "   ".join(f"{arm} {tokens / median:>9,.0f} tokens/s" for arm, median in medians.items())
        ratio = medians["sqlglot"] / medians["firesteel"]
        noise = abs(medians["again"] / medians["firesteel"] - 1)
        print(f"  {task:<12} {rates}   {ratio:.2f} times sqlglot, A/A {noise:.0%}")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--queries", type=Path, default=CONFORMANCE / "tpch" / "queries")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--profile", action="store_true", help="where the time goes, for the generated query")
    chosen = options.parse_args()
    text = generated()
    if chosen.profile:
        profile = cProfile.Profile()
        profile.runcall(partiql.parse, text)
        pstats.Stats(profile).sort_stats("tottime").print_stats(25)
        return 0
    compiled = "compiled" if not sqlglot.tokens.__file__.endswith(".py") else "pure Python"
    print(f"Python {sys.version.split()[0]}, sqlglot {sqlglot.__version__} ({compiled})")
    queries = [path.read_text(encoding="utf-8") for path in sorted(chosen.queries.glob("*.sql"))]
    if queries:
        print("TPC-H")
        measure(queries, chosen.rounds)
    else:
        print(f"TPC-H: no queries in {chosen.queries}")
    print("generated")
    measure([text], chosen.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
