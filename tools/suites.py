"""Print one line about the outside test suites: which ran, and how many cases.

    python tools/suites.py REPORT

The tests append to REPORT one JSON record per suite and run: {"suite": name, "cases": n, "ran": bool, "why": text}.
With FIRESTEEL_REQUIRE_CONFORMANCE=1 the exit code is 1 if a suite did not run or the report is empty.
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def summary(records: Sequence[dict[str, Any]]) -> str:
    cases: dict[str, int] = {}
    skipped: dict[str, str] = {}
    for record in records:
        if record["ran"]:  # several parts of the tests, or processes, may each run a share of one suite
            cases[record["suite"]] = cases.get(record["suite"], 0) + record["cases"]
        else:
            skipped[record["suite"]] = record.get("why") or "no reason given"
    if not cases and not skipped:
        return "outside suites: none found (set FIRESTEEL_CONFORMANCE)"
    ran = [f"{suite} {n} cases" for suite, n in sorted(cases.items())]
    did_not = [f"{suite} did not run ({why})" for suite, why in sorted(skipped.items())]
    return "outside suites: " + ", ".join(ran + did_not)


def main(argv: Sequence[str]) -> int:
    report = Path(argv[0])
    lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
    records = [json.loads(line) for line in lines if line.strip()]
    print(summary(records))
    complete = bool(records) and all(record["ran"] for record in records)
    if os.environ.get("FIRESTEEL_REQUIRE_CONFORMANCE") == "1" and not complete:
        print("FIRESTEEL_REQUIRE_CONFORMANCE=1: every outside suite has to run", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
