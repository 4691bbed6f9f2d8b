"""The conformance runner: any directory in the layout of the public PartiQL suite, on an engine.

    make conformance SUITE=dir ENGINE=reference

Prints a table per area, writes a JSON report with one row per run, and exits with 1 when a run fails that is not a
known failure, or when a known failure passes. An `UnsupportedError` is a failed run, also where the suite expects a
failure: refusing by name is not the failure that it asks for.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import firesteel as fs
from firesteel import values
from firesteel.ion import dumps
from tools.partiql_suite import Run, load

ROOT = Path(__file__).parent.parent
KNOWN = Path(__file__).parent / "known_failures.txt"
SUITE = Path(os.environ.get("FIRESTEEL_CONFORMANCE", ROOT.parent / "shared" / "conformance")) / "partiql-tests"


@dataclass(frozen=True)
class Verdict:
    """What came of a run."""

    run: Run
    passed: bool
    detail: str = ""


def known_failures(path: Path = KNOWN) -> dict[str, str]:
    """The runs that are known to fail, each with its reason: `id` lines below a `# reason`."""
    known: dict[str, str] = {}
    reason = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            reason = line[1:].strip()
        elif line.strip():
            known[line.strip()] = reason
    return known


def judge(run: Run, session: fs.Session) -> Verdict:
    """Try every statement of a run."""
    for statement in run.statements:
        try:
            detail = _try(run, statement, session)
        except fs.UnsupportedError as error:
            detail = f"unsupported: {error.message}"
        except fs.FiresteelError as error:
            failing = run.expected in ("EvaluationFail", "StaticAnalysisFail", "SyntaxFail")
            right = failing and (run.expected != "SyntaxFail" or isinstance(error, fs.ParseError))
            detail = "" if right else f"{type(error).__name__}: {error.message}"
        except Exception as error:  # a bug of ours, never a verdict
            detail = f"CRASH {type(error).__name__}: {error}"
        if detail:
            return Verdict(run, False, f"{statement}\n    {detail}")
    return Verdict(run, True)


def _try(run: Run, statement: str, session: fs.Session) -> str:
    """What is wrong with the outcome of a statement; nothing is an empty text."""
    match run.expected:
        case "SyntaxSuccess":
            fs.parse(statement)
            return ""
        case "SyntaxFail":
            fs.parse(statement)
            return "it should not parse"
        case "StaticAnalysisFail":
            session.plan(statement, typing="static")
            return "it should not pass analysis"
    got = session.query(statement, mode=run.mode or "permissive").value()
    if run.expected == "EvaluationFail":
        return f"it should fail, and gives {dumps(got)}"
    return "" if values.equal(got, run.output) else f"gives {dumps(got)}\n    wants {dumps(run.output)}"


def verdicts(runs: Iterable[Run], engine: str) -> Iterator[Verdict]:
    """Judge runs in turn; runs over one environment share a session."""
    sessions: dict[int, fs.Session] = {}
    for run in runs:
        session = sessions.get(id(run.env))
        if session is None:
            sessions.clear()
            session = sessions[id(run.env)] = fs.connect(engine=engine)  # type: ignore[arg-type]
            for name, value in run.env:
                session.register(name, values.Text(value) if isinstance(value, str) else value, replace=True)
        yield judge(run, session)


def table(counts: dict[str, Counter[str]]) -> str:
    """Passed, failed and known failures, per area."""
    lines = [f"{'area':<34}{'runs':>7}{'passed':>8}{'failed':>8}{'known':>7}{'%':>8}"]
    total: Counter[str] = Counter()
    for area, count in [*sorted(counts.items()), ("all", total)]:
        total += count if area != "all" else Counter()
        runs = sum(count.values())
        share = 100 * count["passed"] / runs if runs else 100.0
        lines.append(f"{area:<34}{runs:>7}{count['passed']:>8}{count['failed']:>8}{count['known']:>7}{share:>8.2f}")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, default=SUITE, help="a directory in the suite's layout")
    parser.add_argument("--engine", default="reference", choices=["reference", "spark"])
    parser.add_argument("--report", type=Path, default=ROOT / "build" / "conformance.json")
    parser.add_argument("--filter", default="", help="only runs whose id contains this")
    parser.add_argument("--show", type=int, default=20, help="so many failures are printed")
    args = parser.parse_args()
    if not args.suite.is_dir():
        print(f"no suite at {args.suite}: give one with SUITE=dir, or set FIRESTEEL_CONFORMANCE", file=sys.stderr)
        return 2

    started = time.monotonic()
    known = known_failures()
    counts: dict[str, Counter[str]] = {}
    rows, wrong = [], []
    runs = [run for run in load(args.suite) if args.filter in run.id]
    for i, verdict in enumerate(verdicts(runs, args.engine), 1):
        reason = known.get(verdict.run.id)
        kind = "passed" if verdict.passed else "known" if reason else "failed"
        if kind == "failed" or (verdict.passed and reason):
            wrong.append((verdict, reason))
        counts.setdefault(verdict.run.area, Counter())[kind] += 1
        rows.append({"id": verdict.run.id, "area": verdict.run.area, "verdict": kind, "detail": verdict.detail})
        if i % 500 == 0:
            print(f"\r{i:,} of {len(runs):,} runs", end="", file=sys.stderr, flush=True)
    print(f"\r{len(runs):,} runs in {time.monotonic() - started:.0f} s", file=sys.stderr)
    args.report.parent.mkdir(parents=True, exist_ok=True)
    args.report.write_text(json.dumps({"engine": args.engine, "runs": rows}, indent=1), encoding="utf-8")
    for verdict, reason in wrong[: args.show]:
        state = "PASSES, and is a known failure" if verdict.passed else "FAILED"
        print(f"{state}: {verdict.run.id}\n    {verdict.detail or reason}")
    if len(wrong) > args.show:
        print(f"... and {len(wrong) - args.show} more, in {args.report}")
    print(table(counts))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
