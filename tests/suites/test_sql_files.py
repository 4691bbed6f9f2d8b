"""A sample of the plans that DataFusion makes of its SQL files, on both engines, against its own rows."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from tests.conftest import record_suite
from tools import sql_files
from tools.conformance import known_failures
from tools.spark_batch import FAST, Answer, configured, evaluated, together

#: Small files whose queries read tables; all kinds of relations and functions are among them.
FILES = (
    *(
        "group_by.slt",
        "push_down_filter_outer_joins.slt",
        "array_query.slt",
        "eliminate_outer_join.slt",
        "union_by_name.slt",
    ),
    *("in_list.slt", "distinct_on.slt", "union.slt", "named_arguments.slt", "strings.slt", "nullif.slt"),
    *("window_limits.slt", "functions.slt", "first_last_nested.slt", "datetime/interval.slt", "binary.slt"),
)
#: How many plans are run, always the same ones.
SIZE = 150
#: The kinds of plans, in turn.
KINDS = sql_files.KINDS


@dataclass(frozen=True)
class Sampled:
    """A plan, the tables that it reads, and DataFusion's answer to the query that it was made from."""

    at: str
    sql: str
    plan: bytes
    tables: dict[str, Any]
    want: list[Any]
    names: list[str]


def _queries(runner: Any, name: str, kind: str) -> Iterator[Sampled]:
    """The queries of a file, in DataFusion, with their plans; those without an answer or a plan are left out."""
    from datafusion import SessionConfig, SessionContext
    from datafusion import substrait as producer

    context = SessionContext(SessionConfig().with_target_partitions(1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the runner leaves the file open
        records = list(runner.records(os.path.join("test_files", name)))
    for file, line, what, sql in records:
        if what == "skip" or (what == "query" and (not runner.is_query(sql) or runner.NOT_FIXED.search(sql))):
            continue
        try:
            answer = context.sql(sql).to_arrow_table()
            if what != "query":
                continue
            passes = 0 if kind == "analyzed" else 3
            context.sql(f"set datafusion.optimizer.max_passes = {passes}").collect()
            plan = bytes(producer.Serde.serialize_bytes(sql, context))
            paths = runner.named_tables(plan)
            tables = {".".join(path): context.table(".".join(path)).to_arrow_table() for path in paths}
        except Exception:  # it is an error there, or has no plan
            continue
        finally:
            context.sql("set datafusion.optimizer.max_passes = 3").collect()
        if tables and runner.order_keys(sql) is None and " limit " not in sql.lower():
            yield Sampled(f"{kind} {file}:{line}", sql, plan, tables, runner.of_table(answer), answer.schema.names)


@pytest.fixture(scope="module")
def sample(outside: Callable[[str], Path]) -> list[Sampled]:
    """The plans to run."""
    pytest.importorskip("datafusion")
    outside("sqllogictest")
    if not sql_files.RUNNER.is_file():
        pytest.skip("the runner of SQL files is not here: set FIRESTEEL_CONFORMANCE")
    runner, found = sql_files.runner(), list[Sampled]()
    before = Path.cwd()
    with sql_files.checkout() as root:
        os.chdir(root.parent)
        try:
            for i, name in enumerate(FILES):
                found += _queries(runner, name, KINDS[i % 2])
        finally:
            os.chdir(before)
    found.sort(key=lambda one: one.at)
    chosen = random.Random(0).sample(found, min(SIZE, len(found)))
    record_suite("sqllogictest", len(chosen))
    return chosen


def _answer(session: fs.Session, one: Sampled) -> Answer:
    for name, table in one.tables.items():
        session.register(name, table, replace=True)
    try:
        return Answer(session.run(one.plan))
    except fs.FiresteelError as error:
        return Answer(error=error)


def _differences(runner: Any, sample: list[Sampled], answers: list[Answer]) -> list[str]:
    """What is not as DataFusion has it, but for plans that are refused by name or known not to match."""
    told, known = [], known_failures(sql_files.KNOWN)
    for one, answer in zip(sample, answers, strict=True):
        if isinstance(answer.error, fs.UnsupportedError) or one.at in known:
            continue
        if answer.error is not None:
            told.append(f"{one.at}: {type(answer.error).__name__}: {answer.error}")
            continue
        kind, note = runner.same(one.want, runner.of_firesteel(answer.value), None, one.names)
        told += [f"{one.at}: {note}: {one.sql}"] if kind else []
    return told


def _refused(answers: list[Answer]) -> float:
    return sum(answer.error is not None for answer in answers) / len(answers)


@pytest.mark.conformance
def test_reference(sample: list[Sampled]) -> None:
    session = fs.connect(engine="reference")
    answers = [evaluated(_answer(session, one)) for one in sample]
    assert not _differences(sql_files.runner(), sample, answers)
    assert _refused(answers) < 0.05


@pytest.mark.conformance
@pytest.mark.spark
@pytest.mark.parametrize("size", [SIZE // 3, pytest.param(SIZE, marks=pytest.mark.slow)])
def test_spark(sample: list[Sampled], spark: Any, size: int) -> None:
    sample = sample[:size]
    session = fs.connect(spark=spark, in_process=False)
    with configured(spark, FAST):
        answers = together([_answer(session, one) for one in sample])
    assert not _differences(sql_files.runner(), sample, answers)
    assert _refused(answers) < 0.2
