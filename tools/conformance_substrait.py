"""Run the function cases of Substrait's specification on an engine, as real Substrait plans.

    make conformance-substrait ENGINE=reference|spark

It prints a table per file, and exits with 1 if a case fails that is not a known failure, or if a known failure passes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.plan import schema
from firesteel.substrait import decode, lower
from tools.spark_batch import COMPUTING, FAST, configured
from tools.substrait_cases import ERROR, UNDEFINED, Case, Literal, load
from tools.substrait_plans import aggregate_plan, columns, scalar_plan, shape, window_plan
from tools.verdicts import Verdict, command

KNOWN = Path(__file__).parent / "known_failures_substrait.txt"
#: The number of scalar cases that share a plan on Spark.
SIZE = 64
#: The relative error that is allowed for a float, by its type.
TOLERANCE: dict[type[t.Type], float] = {t.Float32: 1e-6, t.Float64: 1e-12}


# ---------------------------------------------------------------------------------------------------------------------
# Batches


@dataclass(frozen=True)
class Batch:
    """Cases that one plan computes, and how to find the result of each in the plan's rows."""

    cases: tuple[Case, ...]
    plan: Callable[[Sequence[Case]], bytes]
    results: Callable[[list[Any], int], list[Any]]


def _in_one_row(rows: list[Any], count: int) -> list[Any]:
    return [value for _, value in rows[0].pairs[:count]]


def _by_case(rows: list[Any], count: int) -> list[Any]:
    found = {row.pairs[0][1]: row.pairs[1][1] for row in rows}
    return [found[i] for i in range(count)]


def _by_row(rows: list[Any], count: int) -> list[Any]:
    ordered = sorted(rows, key=lambda row: values.key(row.pairs[0][1]))
    return [[row.pairs[-1][1] for row in ordered]]


def _empty(case: Case) -> bool:
    return not columns(case)[1]


def batches(cases: Sequence[Case]) -> Iterator[Batch]:
    """The cases in batches. A case that expects an error is alone, because an error ends the whole plan."""
    alone = [case for case in cases if case.expected == ERROR]
    quiet = [case for case in cases if case.expected != ERROR]
    for case in alone:
        if case.kind == "scalar":
            yield Batch((case,), scalar_plan, _in_one_row)
        else:
            yield Batch((case,), lambda given: aggregate_plan(given, grouped=False), _in_one_row)
    scalars = [case for case in quiet if case.kind == "scalar"]
    for i in range(0, len(scalars), SIZE):
        yield Batch(tuple(scalars[i : i + SIZE]), scalar_plan, _in_one_row)
    aggregates = [case for case in quiet if case.kind == "aggregate"]
    empty = tuple(case for case in aggregates if _empty(case))
    if empty:
        yield Batch(empty, lambda given: aggregate_plan(given, grouped=False), _in_one_row)
    groups: dict[tuple[Any, ...], list[Case]] = {}
    for case in aggregates:
        if not _empty(case):
            groups.setdefault(shape(case), []).append(case)
    for group in groups.values():
        yield Batch(tuple(group), lambda given: aggregate_plan(given, grouped=True), _by_case)
    for case in quiet:
        if case.kind == "window":
            yield Batch((case,), lambda given: window_plan(given[0]), _by_row)


# ---------------------------------------------------------------------------------------------------------------------
# Running


def run(cases: Sequence[Case], session: fs.Session) -> Iterator[Verdict]:
    """Run the cases, batch by batch."""
    for batch in batches(cases):
        yield from _run(batch, session)


def _run(batch: Batch, session: fs.Session) -> Iterator[Verdict]:
    """Run a batch. If it fails it is split into halves, until the failing case is alone."""
    stack = [batch]
    while stack:
        one = stack.pop()
        try:
            octets = one.plan(one.cases)
            types = _types(octets, one)
            found = list(session.run(octets).value())
            results = one.results(found, len(one.cases))
        except Exception as error:
            if len(one.cases) > 1:
                half = len(one.cases) // 2
                stack += [Batch(part, one.plan, one.results) for part in (one.cases[half:], one.cases[:half])]
                continue
            yield _failed(one.cases[0], error)
            continue
        for case, type_, value in zip(one.cases, types, results, strict=True):
            yield _judged(case, type_, value)


def _types(octets: bytes, batch: Batch) -> list[t.Type]:
    """The types of the results, by the plan."""
    statement = lower(decode(octets)).plan.statement
    assert isinstance(statement, p.Root)
    found = [field.type for field in schema(statement.input)]
    return found if batch.results is _in_one_row else [found[-1]] * len(batch.cases)


def _verdict(case: Case, passed: bool, detail: str = "") -> Verdict:
    return Verdict(f"{case.file}:{case.line}", case.file, passed, f"{case.text}: {detail}")


def _failed(case: Case, error: Exception) -> Verdict:
    said = f"{type(error).__name__}: {error}".replace("\n", " ")
    return _verdict(case, case.expected == ERROR and isinstance(error, fs.EvaluationError), said)


def _judged(case: Case, type_: t.Type, value: Any) -> Verdict:
    if case.expected == UNDEFINED:
        return _verdict(case, True)
    if case.expected == ERROR:
        return _verdict(case, False, f"no error: {value!r}")
    assert isinstance(case.expected, Literal)
    if _bare(type_) != _bare(case.expected.type):
        return _verdict(case, False, f"it is of type {type_}")
    if not alike(value, case.expected.value, case.expected.type):
        return _verdict(case, False, f"got {value!r}")
    return _verdict(case, True)


def _bare(type_: t.Type) -> str:
    return str(t.proper(type_)).replace("?", "")


def alike(a: Any, b: Any, type_: t.Type) -> bool:
    """Are the values the same, floats within their tolerance?"""
    if isinstance(b, float) and isinstance(a, float):
        if math.isnan(b) or math.isinf(b):
            return math.isnan(a) if math.isnan(b) else a == b
        return math.isclose(a, b, rel_tol=TOLERANCE.get(type(t.proper(type_)), 1e-12), abs_tol=1e-15)
    if isinstance(b, list) and isinstance(a, list) and len(a) == len(b):
        inner = type_.element if isinstance(type_, t.Array) else type_
        return all(alike(x, y, inner) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and values.equal(a, b)


# ---------------------------------------------------------------------------------------------------------------------
# The command


def verdicts_on(session: fs.Session, cases: Sequence[Case], spark: Any = None) -> list[Verdict]:
    """All verdicts. On Spark the rules are off with which Catalyst would compute literals while planning."""
    with configured(spark, FAST | COMPUTING) if spark is not None else nullcontext():
        return list(run(cases, session))


def on_spark(spark: Any) -> fs.Session:
    """A session that runs everything on Spark, even plans without tables."""
    return fs.connect(spark=spark, in_process=False, skip_passes=["fold_constants"])


def _judge(only: str, spark: Any) -> list[Verdict]:
    session = fs.connect(engine="reference") if spark is None else on_spark(spark)
    return verdicts_on(session, [case for case in load() if only in case.file], spark)


if __name__ == "__main__":
    sys.exit(command(__doc__, _judge, KNOWN))
