"""Run the queries of another engine's SQL files through its Substrait plans, and count what becomes of them.

    python -m tools.sql_files [--plan optimized|analyzed|both] [--engine reference|spark] [--files GLOB] [--jobs N]

The files and the runner are in `../shared` (or beside FIRESTEEL_CONFORMANCE). For both kinds of plans, and for those
that read a table, it prints how many plans match DataFusion's own rows, how many are refused by name, and how many have
other rows, by the reason. `known_sql_files.txt` names every plan that does not match, with the reason; on the reference
evaluator a plan that is not named there and does not match, or is named and matches, makes the exit code 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.conformance import known_failures
from tools.tpch import CONFORMANCE

FILES = CONFORMANCE / "sqllogictest"
RUNNER = CONFORMANCE.parent / "tools" / "slt_substrait.py"
KINDS = ("optimized", "analyzed")

#: The plans that do not match: a `# reason` is followed by the plans, such as `optimized joins.slt:3614`.
KNOWN = Path(__file__).parent / "known_sql_files.txt"
#: How reasons of other rows begin: the plan does not say what the query does; DataFusion's own answer is wrong; another
#: answer is right as well; values that are not told apart here.
LOST, THEIRS, FREE, OURS = "the plan has lost", "DataFusion", "not determined", "not as DataFusion"


@contextmanager
def checkout() -> Iterator[Path]:
    """The files in the layout of a checkout, which their relative paths want."""
    with tempfile.TemporaryDirectory(prefix="sql_files_") as top:
        root = Path(top) / "datafusion" / "sqllogictest" / "test_files"
        shutil.copytree(FILES, root)
        yield root


def runner() -> Any:
    """The runner as a module."""
    spec = importlib.util.spec_from_file_location("slt_substrait", RUNNER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def named(kind: str, record: dict[str, Any]) -> str:
    """The name of a plan in the list of those that do not match."""
    return f"{kind} {Path(record['file']).with_name(record['at'])}"


def sort_of(record: dict[str, Any], reason: str = "") -> str | None:
    """What became of a plan that is named with this reason; None if there is no plan or no answer to compare with."""
    match record["outcome"]:
        case "match":
            return "matched"
        case "refused":
            return "refused by name"
        case "differ":
            return next((start for start in (LOST, THEIRS, FREE, OURS) if reason.startswith(start)), "wrong")
        case "uncaught" | "timeout":
            return str(record["outcome"])
    return None


def report(kind: str, records: Sequence[dict[str, Any]], known: dict[str, str]) -> list[str]:
    """The lines about plans of one kind."""
    lines = []
    for label, chosen in (("all", records), ("that read a table", [one for one in records if one.get("tables")])):
        sorts = (sort_of(one, known.get(named(kind, one), "")) for one in chosen)
        count = Counter(found for found in sorts if found is not None)
        total = sum(count.values())
        share = 100 * count["matched"] / max(1, total)
        parts = ", ".join(f"{number} {what}" for what, number in count.most_common())
        lines.append(f"{kind} plans, {label}: {total}; {parts}; {share:.1f} % match")
    reasons = Counter(re.sub(r"\d+", "N", one["reason"])[:110] for one in records if one["outcome"] == "refused")
    return lines + [f"  refused {number:4}  {reason}" for reason, number in reasons.most_common(25)]


def surprises(kind: str, records: Sequence[dict[str, Any]], known: dict[str, str]) -> list[str]:
    """The plans that do not match and are not named, and those that are named and match."""
    found = []
    for one in records:
        name, outcome = named(kind, one), sort_of(one)
        if outcome == "matched" and not known.get(name, FREE).startswith(FREE):
            found.append(f"MATCHES, though named: {name}")
        elif outcome not in (None, "matched") and name not in known:
            found.append(f"NOT NAMED: {name}: {one['outcome']}: {one['reason'][:150]}")
    return found


def run(kind: str, root: Path, engine: str, files: str | None, jobs: int) -> list[dict[str, Any]]:
    """The records of the runner for plans of one kind."""
    out = root.parent / f"{kind}.json"
    command = [sys.executable, str(RUNNER), str(root), "--plan", kind, "--engine", engine, "--jobs", str(jobs)]
    command += ["--json", str(out), *(["--files", files] if files else [])]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    found: list[dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))
    return found


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plan", choices=[*KINDS, "both"], default="both")
    parser.add_argument("--engine", choices=["reference", "spark"], default="reference")
    parser.add_argument("--files", help="only these, such as 'array/*'")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args(argv)
    if not FILES.is_dir() or not RUNNER.is_file():
        print(f"no SQL files in {CONFORMANCE}: set FIRESTEEL_CONFORMANCE", file=sys.stderr)
        return 2
    known, wrong = known_failures(KNOWN), list[str]()
    with checkout() as root:
        for kind in KINDS if options.plan == "both" else (options.plan,):
            records = run(kind, root, options.engine, options.files, options.jobs)
            print("\n".join(report(kind, records, known)), flush=True)
            wrong += surprises(kind, records, known) if options.engine == "reference" else []
    print(*wrong, f"{len(wrong)} surprises", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
