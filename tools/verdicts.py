"""What the suites of Substrait cases have in common: verdicts, the table of them, and the command that prints it."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.conformance import known_failures

#: Gives the verdicts on the cases whose names have a text in them; on a Spark session, or on the reference evaluator.
Judge = Callable[[str, Any], "list[Verdict]"]


@dataclass(frozen=True)
class Verdict:
    """The verdict on a case."""

    name: str
    #: The line of the table that counts the case: a file, or a folder.
    area: str
    passed: bool
    detail: str = ""


def table(verdicts: Sequence[Verdict]) -> str:
    """A table with a line per area, and one for the total."""
    passed: Counter[str] = Counter(v.area for v in verdicts if v.passed)
    total: Counter[str] = Counter(v.area for v in verdicts)
    lines = [f"{name:46} {passed[name]:5} of {count:5}" for name, count in sorted(total.items())]
    share = 100 * sum(passed.values()) / max(1, sum(total.values()))
    return "\n".join([*lines, f"{'all':46} {sum(passed.values()):5} of {sum(total.values()):5}  {share:.1f} %"])


def surprises(verdicts: Sequence[Verdict], known: dict[str, str]) -> list[str]:
    """The cases that fail and are not known to, and the known failures that pass."""
    found = [f"FAILED {v.name}: {v.detail}" for v in verdicts if not v.passed and v.name not in known]
    return found + [f"PASSED, though known to fail: {v.name}" for v in verdicts if v.passed and v.name in known]


def command(description: str, judge: Judge, known: Path) -> int:
    """Run the cases on the engine that the command line names, and print the table, the known failures and the
    surprises. The exit code is 1 if there is a surprise."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", choices=("reference", "spark"), default="reference")
    parser.add_argument("--only", default="", help="cases whose area has this in its name")
    parser.add_argument("--failures", action="store_true", help="print a line for each known failure, too")
    options = parser.parse_args()
    started = time.monotonic()
    if options.engine == "spark":
        from firesteel.spark.runtime.start import start

        spark = start(master="local[2]")
        found = judge(options.only, spark)
        spark.stop()
    else:
        found = judge(options.only, None)
    print(table(found))
    listed = known_failures(known)
    lines = [f"known  {v.name}: {v.detail}" for v in found if options.failures and not v.passed and v.name in listed]
    wrong = surprises(found, listed)
    print(*lines, *wrong, sep="\n", end="\n" if lines or wrong else "")
    print(f"{len(found)} cases on {options.engine} in {time.monotonic() - started:.1f} s, {len(wrong)} surprises")
    return 1 if wrong else 0
