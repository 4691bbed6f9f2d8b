"""Run the relation cases of `substrait-relations` on an engine: plans, their tables, and what they give.

    make conformance-relations ENGINE=reference|spark

It prints a table per area, and exits with 1 if a case fails that is not a known failure, or if a known failure passes.

A plan has to give the columns that the case expects, by name, type and nullability, and its rows. A plan that is
invalid has to be refused by `check`. A case whose outcome the specification does not settle cannot pass: the list of
known failures says what happens.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from tools.relation_cases import Case, Row, Rows, load
from tools.spark_batch import FAST, Answer, configured, evaluated, parallel, together
from tools.tpch import CONFORMANCE
from tools.verdicts import Verdict, command

KNOWN = Path(__file__).parent / "known_failures_relations.txt"
CASES = CONFORMANCE / "substrait-relations"


def verdicts(cases: Sequence[Case], spark: Any = None) -> list[Verdict]:
    """All verdicts. On Spark, the plans of all cases are computed in a few jobs."""
    with configured(spark, FAST) if spark is not None else nullcontext():
        if spark is None:
            tried = [attempt(case, fs.connect(engine="reference", add_sorts=True)) for case in cases]
            found = [evaluated(answer) for _, answer in tried]
        else:
            tried = parallel(
                lambda case: attempt(case, fs.connect(spark=spark, in_process=False, add_sorts=True)), cases
            )
            found = together([answer for _, answer in tried])
        return [_judged(case, type_, answer) for case, (type_, _), answer in zip(cases, tried, found, strict=True)]


def attempt(case: Case, session: fs.Session) -> tuple[t.Type, Answer]:
    """The type of what a case gives, and its answer, which is not computed yet; or the error of its plan."""
    for name, table in case.tables.items():
        session.register(name, table.to_arrow())
    try:
        for target in _targets(case.plan):
            session.run(target)
        plan = fs.read_plan(json.dumps(case.plan))
        problems = plan.check(session)
        if problems or case.kind == "invalid_plan":  # a plan that is invalid is not run, even if `check` lets it pass
            return t.ANY, Answer(error=next(iter(problems), None))
        roots = [one for one in plan.lowered(session).plan.statements if isinstance(one, p.Root)]
        return p.answer_type(roots[0]) if roots else t.ANY, Answer(session.run(plan))
    except fs.FiresteelError as error:
        return t.ANY, Answer(error=error)


def _targets(plan: dict[str, Any]) -> Iterator[str]:
    """Plans that create the tables that a plan writes to. The cases do not define them."""
    for tree in plan["relations"]:
        write = tree.get("root", {}).get("input", {}).get("write")
        if write is not None:
            made = {"object": "DDL_OBJECT_TABLE", "op": "DDL_OP_CREATE", "tableSchema": write["tableSchema"]}
            ddl = {"ddl": {"namedObject": write["namedTable"], **made}}
            yield json.dumps({"version": plan["version"], "relations": [{"rel": ddl}]})


def _judged(case: Case, type_: t.Type, answer: Answer) -> Verdict:
    if answer.error is not None and not isinstance(answer.error, fs.FiresteelError):
        raise answer.error  # a defect, even of a case that is known to fail
    said = f"{type(answer.error).__name__}: {answer.error}".replace("\n", " ") if answer.error else ""
    if case.kind == "invalid_plan":
        refused = isinstance(answer.error, fs.PlanError | fs.AnalysisError)
        return Verdict(case.name, case.area, refused, "" if refused else said or "it is not refused")
    if case.kind == "unresolved" or said:
        return Verdict(case.name, case.area, False, said or f"a {type_}: {list(answer.value)}")
    assert case.expected is not None
    problem = _problem(case.expected, type_, answer.value)
    return Verdict(case.name, case.area, not problem, problem)


def _problem(expected: Rows, type_: t.Type, found: values.Value) -> str:
    """What is wrong with the type of an answer, or with its rows."""
    wanted = t.Bag(t.Struct(expected.schema, open=False))
    if type_ != wanted:
        return f"it is a {type_}, not a {wanted}"
    if expected.rows is None:
        return ""
    rows = [tuple(value for _, value in row.pairs) for row in found]
    names = [field.name for field in expected.schema]
    if any([name for name, _ in row.pairs] != names for row in found):
        return f"the columns of the rows are not {names}: {list(found)}"
    if expected.ordered and not isinstance(found, list):
        return "the rows are not in order"
    same = _same(rows, expected.rows) if expected.ordered else _same(*map(_sorted, (rows, expected.rows)))
    return "" if same else f"got {rows}, not {list(expected.rows)}"


def _sorted(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: values.key(list(row)))


def _same(rows: Sequence[Row], others: Sequence[Row]) -> bool:
    return [list(map(_exact, row)) for row in rows] == [list(map(_exact, row)) for row in others]


def _exact(value: Any) -> Any:
    """What tells values apart that are equal: 4.0 and 4.00, or the digits of a second."""
    return type(value), repr(value)


def _judge(only: str, spark: Any) -> list[Verdict]:
    return verdicts([case for case in load(CASES) if only in case.name], spark)


if __name__ == "__main__":
    sys.exit(command(__doc__, _judge, KNOWN))
