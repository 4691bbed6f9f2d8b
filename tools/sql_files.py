"""Run the queries of another engine's SQL files through its Substrait plans, and count what becomes of them.

    python -m tools.sql_files [--plan optimized|analyzed|both] [--engine reference|spark] [--files GLOB] [--jobs N]

The files and the runner are in `../shared` (or beside FIRESTEEL_CONFORMANCE). For both kinds of plans, and for those
that read a table, it prints how many plans match DataFusion's own rows, how many are refused by name, how many have
other rows, and how many of those have lost their meaning in the plan, because DataFusion itself makes the same of them.
Plans of queries that say what plans have no place for (`LOST`) are listed as doubtful: nobody has looked at each.
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

from tools.tpch import CONFORMANCE

FILES = CONFORMANCE / "sqllogictest"
RUNNER = CONFORMANCE.parent / "tools" / "slt_substrait.py"
KINDS = ("optimized", "analyzed")

#: What a query says that DataFusion leaves out of its plan, by a pattern of the query's text.
LOST: tuple[tuple[str, str], ...] = (
    (r"\bignore\s+nulls\b|\brespect\s+nulls\b", "IGNORE NULLS"),
    (r"\bfilter\s*\(.*\bover\b", "the filter of an aggregate over a window"),
    (r"\bdistinct\b.*\bover\b", "DISTINCT of an aggregate over a window"),
    (r"\bnot\s+in\s*\(\s*select\b", "that NOT IN is NULL for a NULL"),
    (r"::\s*timestamptz|\bto_timestamp", "the time zone of the session"),
    (r"\blimit\b", "which rows a LIMIT leaves"),
    (r"\barrow_typeof\b", "names and nullability of fields in Arrow's types"),
)


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


def lost(record: dict[str, Any]) -> str | None:
    """What a query whose rows differ says that its plan may have lost; None if nothing is known."""
    text = record["sql"].lower()
    return next((what for pattern, what in LOST if re.search(pattern, text, re.S)), None)


def difference(record: dict[str, Any]) -> str:
    """What a plan is whose rows differ."""
    if record.get("again") == "as Firesteel":
        return "lost at the producer"
    return "wrong" if lost(record) is None else "doubtful"


def sort_of(record: dict[str, Any]) -> str | None:
    """What became of a plan; None if there is no plan or no answer to compare with."""
    match record["outcome"]:
        case "match":
            return "matched"
        case "refused":
            return "refused by name"
        case "differ":
            return difference(record)
        case "uncaught" | "timeout":
            return str(record["outcome"])
    return None


def report(kind: str, records: Sequence[dict[str, Any]]) -> list[str]:
    """The lines about plans of one kind."""
    lines = []
    for label, chosen in (("all", records), ("that read a table", [one for one in records if one.get("tables")])):
        count = Counter(found for one in chosen if (found := sort_of(one)) is not None)
        total = sum(count.values())
        share = 100 * count["matched"] / max(1, total)
        parts = ", ".join(f"{number} {what}" for what, number in count.most_common())
        lines.append(f"{kind} plans, {label}: {total}; {parts}; {share:.1f} % match")
    reasons = Counter(re.sub(r"\d+", "N", one["reason"])[:110] for one in records if one["outcome"] == "refused")
    lines += [f"  refused {number:4}  {reason}" for reason, number in reasons.most_common(25)]
    told = [one for one in records if sort_of(one) in ("wrong", "doubtful", "uncaught", "timeout")]
    return lines + [f"  {sort_of(one)} {one['at']}: {lost(one) or one['reason'][:150]}" for one in told]


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
    with checkout() as root:
        for kind in KINDS if options.plan == "both" else (options.plan,):
            records = run(kind, root, options.engine, options.files, options.jobs)
            print("\n".join(report(kind, records)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
