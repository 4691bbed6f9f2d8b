"""The conformance runner: runs the public PartiQL suite, or any directory in its layout, on an engine.

    make conformance SUITE=dir ENGINE=reference

It prints a table per area, writes a JSON report with one row per run, and exits with 1 if a run fails that is not a
known failure, or if a known failure passes. An `UnsupportedError` is a failed run, even if the suite expects an error:
it is not the error that the suite asks for.
"""

from __future__ import annotations

import argparse
import copy
import gc
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import firesteel as fs
from firesteel import values
from firesteel.ion import dumps
from firesteel.tables import Table
from tools.dynamic_literals import NAME, Lifted
from tools.partiql_suite import Run, in_part, load
from tools.spark_batch import COMPUTING, FAST, Answer, configured, evaluated, parallel, together

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parent.parent
KNOWN = Path(__file__).parent / "known_failures.txt"
#: Runs that are known to fail on Spark only.
SPARK_KNOWN = Path(__file__).parent / "known_failures_spark.txt"
SUITE = Path(os.environ.get("FIRESTEEL_CONFORMANCE", ROOT.parent / "shared" / "conformance")) / "partiql-tests"

#: The number of runs that are compiled before any of them is computed.
CHUNK = 512


@dataclass(frozen=True)
class Verdict:
    """The verdict on a run."""

    run: Run
    passed: bool
    detail: str = ""
    native: bool = True


def known_failures(path: Path = KNOWN) -> dict[str, str]:
    """The runs that are known to fail, each with its reason. In the file a `# reason` is followed by the ids."""
    known: dict[str, str] = {}
    reason = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            reason = line[1:].strip()
        elif line.strip():
            known[line.strip()] = reason
    return known


def attempt(run: Run, statement: str, session: fs.Session, literals: str = "static") -> Answer:
    """Try a statement. The answer of one that is evaluated is a `Result` that is not computed yet."""
    try:
        match run.expected:
            case "SyntaxSuccess" | "SyntaxFail":
                fs.parse(statement)
                return Answer()
            case "StaticAnalysisFail":
                session.plan(statement, typing="static")
                return Answer()
        mode = run.mode or "permissive"
        return (
            _lifted(statement, mode, session) if literals == "dynamic" else Answer(session.query(statement, mode=mode))
        )
    except Exception as error:
        return Answer(error=error)


def _lifted(statement: str, mode: str, session: fs.Session) -> Answer:
    """Try a statement with its literals moved to a table."""
    lifted = Lifted(session.plan(statement, mode=mode).node)
    return Answer(_beside(session, lifted.table).run(lifted.plan), boxed=lifted.boxed)


def _beside(session: fs.Session, table: Table) -> fs.Session:
    """A copy of the session with the table of literals; other threads use the session itself."""
    other = copy.copy(session)
    catalog = session._catalog.copy()
    catalog.put(NAME, table)
    other._planner = session._planner.over(catalog)
    return other


def judge(run: Run, answers: Sequence[Answer]) -> Verdict:
    """The verdict on the answers of a run's statements, in order."""
    native = all(answer.native for answer in answers)
    for statement, answer in zip(run.statements, answers, strict=True):
        detail = _wrong(run, answer)
        if detail:
            return Verdict(run, False, f"{statement}\n    {detail}", native)
    return Verdict(run, True, "", native)


def _wrong(run: Run, answer: Answer) -> str:
    """What is wrong with an answer; an empty string if it is right."""
    match answer.error:
        case None:
            return _wrong_value(run, answer.value)
        case fs.UnsupportedError() as error:
            return f"unsupported: {error.message}"
        case fs.FiresteelError() as error:
            failing = run.expected in ("EvaluationFail", "StaticAnalysisFail", "SyntaxFail")
            right = failing and (run.expected != "SyntaxFail" or isinstance(error, fs.ParseError))
            return "" if right else f"{type(error).__name__}: {error.message}"
        case error:  # any other exception is a bug of ours, even if the suite expects an error
            return f"CRASH {type(error).__name__}: {error}"


def _wrong_value(run: Run, got: values.Value) -> str:
    match run.expected:
        case "SyntaxSuccess":
            return ""
        case "SyntaxFail":
            return "it should not parse"
        case "StaticAnalysisFail":
            return "it should not pass analysis"
        case "EvaluationFail":
            return f"it should fail, and gives {dumps(got)}"
    return "" if values.equal(got, run.output) else f"gives {dumps(got)}\n    wants {dumps(run.output)}"


def verdicts(runs: Iterable[Run], literals: str = "static") -> Iterator[Verdict]:
    """Run and judge one by one, on the reference engine."""
    sessions = _Sessions(lambda: fs.connect(engine="reference"))
    for run in runs:
        tried = [attempt(run, statement, sessions.of(run), literals) for statement in run.statements]
        yield judge(run, [evaluated(answer) for answer in tried])


def spark_verdicts(runs: Sequence[Run], spark: SparkSession, literals: str = "static") -> Iterator[Verdict]:
    """Run and judge on Spark, many runs in one job. Literal expressions are computed in the job, not while planning."""
    sessions = _Sessions(lambda: fs.connect(spark=spark, in_process=False, skip_passes=["fold_constants"]))
    with configured(spark, FAST | COMPUTING):
        for at in range(0, len(runs), CHUNK):
            chunk = runs[at : at + CHUNK]
            pairs = [(run, statement, sessions.of(run)) for run in chunk for statement in run.statements]
            tried = parallel(lambda pair: attempt(*pair, literals), pairs)
            answers = iter(together(tried, alone=[run.expected == "EvaluationFail" for run, _, _ in pairs]))
            for run in chunk:
                yield judge(run, [next(answers) for _ in run.statements])
            # Spark frees a frame only when its last Python object is collected. Python has no reason to do that soon,
            # because its own memory is almost empty, so Spark's memory would fill up.
            del tried, answers
            gc.collect()


class _Sessions:
    """Sessions over the environments of runs. Runs of one environment follow each other and share a session."""

    def __init__(self, connect: Callable[[], fs.Session]) -> None:
        self._connect = connect
        self._env: values.Struct | None = None
        self._session = connect()

    def of(self, run: Run) -> fs.Session:
        if self._env is not run.env:
            self._env = run.env
            self._session = self._connect()
            for name, value in run.env:
                self._session.register(name, values.Text(value) if isinstance(value, str) else value, replace=True)
        return self._session


def table(counts: dict[str, Counter[str]]) -> str:
    """A table of passed runs, failures and known failures per area, and of the runs that needed no Python on Spark."""
    lines = [f"{'area':<34}{'runs':>7}{'passed':>8}{'failed':>8}{'known':>7}{'%':>8}{'native':>8}{'%':>8}"]
    total: Counter[str] = Counter()
    for area, count in [*sorted(counts.items()), ("all", total)]:
        total += count if area != "all" else Counter()
        runs = count["passed"] + count["failed"] + count["known"]
        share, native = (100 * count[kind] / runs if runs else 100.0 for kind in ("passed", "native"))
        cells = "".join(f"{count[kind]:>{width}}" for kind, width in (("passed", 8), ("failed", 8), ("known", 7)))
        lines.append(f"{area:<34}{runs:>7}{cells}{share:>8.2f}{count['native']:>8}{native:>8.2f}")
    return "\n".join(lines)


def _row(verdict: Verdict, kind: str) -> dict[str, object]:
    run = verdict.run
    return {"id": run.id, "area": run.area, "verdict": kind, "native": verdict.native, "detail": verdict.detail}


def _spark() -> SparkSession:
    """A Spark session with enough memory for the plans of many runs at once."""
    from firesteel.spark.runtime.start import start

    os.environ.setdefault("SPARK_DRIVER_MEMORY", "3g")
    return start("local[2]")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, default=SUITE, help="a directory in the suite's layout")
    parser.add_argument("--engine", default="reference", choices=["reference", "spark"])
    parser.add_argument("--literals", default="static", choices=["static", "dynamic"])
    parser.add_argument("--report", type=Path, default=ROOT / "build" / "conformance.json")
    parser.add_argument("--filter", default="", help="only runs whose id contains this")
    parser.add_argument("--part", type=int, default=1, help="only a fixed part: one of so many runs")
    parser.add_argument("--show", type=int, default=20, help="so many failures are printed")
    args = parser.parse_args()
    if not args.suite.is_dir():
        print(f"no suite at {args.suite}: give one with SUITE=dir, or set FIRESTEEL_CONFORMANCE", file=sys.stderr)
        return 2

    started = time.monotonic()
    known = known_failures() | (known_failures(SPARK_KNOWN) if args.engine == "spark" else {})
    counts: dict[str, Counter[str]] = {}
    rows, wrong = [], []
    runs = [run for run in load(args.suite) if args.filter in run.id and in_part(run, args.part)]
    if args.engine == "reference":
        judged = verdicts(runs, args.literals)
    else:
        judged = spark_verdicts(runs, _spark(), args.literals)
    for i, verdict in enumerate(judged, 1):
        reason = known.get(verdict.run.id)
        kind = "passed" if verdict.passed else "known" if reason else "failed"
        if kind == "failed" or (verdict.passed and reason):
            wrong.append((verdict, reason))
        count = counts.setdefault(verdict.run.area, Counter())
        count[kind] += 1
        count["native"] += verdict.passed and verdict.native
        rows.append(_row(verdict, kind))
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
