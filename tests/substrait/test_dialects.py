"""Dialects: which one a plan is read in, and that every row of DataFusion's means what DataFusion means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

import firesteel as fs
from firesteel import substrait
from firesteel.evaluate import datafusion as computed
from firesteel.functions.datafusion import AGGREGATES, ROWS, SCALARS
from firesteel.substrait.dialects.choose import DIALECTS, PRODUCERS, dialect_of
from firesteel.substrait.dialects.datafusion import DATAFUSION, DATAFUSION_OLD
from firesteel.substrait.dialects.datafusion_calls import RULES
from firesteel.substrait.dialects.others import UNKNOWN, UNNAMED
from tests.substrait import dialect_cases as cases
from tools import sql_files


def _plan(version: dict[str, Any], **more: Any) -> substrait.Message:
    return substrait.from_json(json.dumps({"version": {"minorNumber": 57, **version}, **more}))


@pytest.mark.parametrize(
    ("version", "name"),
    [
        ({"producer": "datafusion"}, "datafusion"),
        ({"producer": "DuckDB"}, "duckdb"),
        ({"producer": "isthmus"}, "isthmus"),
        ({"producer": "substrait-java"}, "substrait-java"),
        ({"producer": "somebody"}, UNKNOWN.name),
        ({}, UNNAMED.name),
    ],
)
def test_the_producer_decides(version: dict[str, Any], name: str) -> None:
    assert dialect_of(_plan(version)).name == name
    assert dialect_of(_plan(version), "spec").name == "spec"


def test_the_version_decides() -> None:
    assert dialect_of(_plan({"producer": "datafusion", "minorNumber": 85})) is DATAFUSION
    assert dialect_of(_plan({"producer": "datafusion", "minorNumber": 20})) is DATAFUSION_OLD


def test_the_shape_decides_where_no_producer_is_named() -> None:
    declared = {"extensionFunction": {"extensionUrnReference": 2**32 - 1, "functionAnchor": 0, "name": "abs"}}
    assert dialect_of(_plan({}, extensions=[declared])) is DATAFUSION


def test_a_dialect_that_there_is_not() -> None:
    with pytest.raises(fs.UnsupportedError, match="no dialect 'cobol'") as raised:
        fs.read_plan("{}", dialect="cobol")
    assert all(name in (raised.value.help or "") for name in DIALECTS)


def test_every_row_has_a_reason() -> None:
    for dialect in PRODUCERS:
        reasons = [*dialect.shapes.values(), *(one.reason for one in dialect.rules.values())]
        assert all([*reasons, *(one.reason for one in dialect.different.values())]), dialect.name
    assert all(row.doc for row in ROWS.values())


def test_every_function_is_computed() -> None:
    assert {*computed.SCALARS, *computed.AGGREGATES} == set(ROWS)


def test_every_row_has_a_case() -> None:
    assert set(SCALARS) <= {*cases.SCALARS, *cases.SPARK, *cases.RULES}
    assert set(AGGREGATES) <= {*cases.AGGREGATES, *cases.SPARK_AGGREGATES}
    assert set(RULES) <= {*cases.RULES, *cases.SCALARS, *cases.SPARK}


# ---------------------------------------------------------------------------------------------------------------------
# Against DataFusion


def _query(name: str, table: Mapping[str, str]) -> str:
    if table in (cases.AGGREGATES, cases.SPARK_AGGREGATES):
        return f"SELECT g, {table[name]} FROM t GROUP BY g ORDER BY g"
    return f"SELECT j, {table[name]} FROM t ORDER BY j"


def _compared(tables: tuple[Mapping[str, str], ...], *, spark: bool) -> list[str]:
    """What is wrong: plans without the optimizer, on the reference evaluator, against DataFusion's rows."""
    package = pytest.importorskip("datafusion")
    if not sql_files.RUNNER.is_file():
        pytest.skip("the runner of SQL files is not here: set FIRESTEEL_CONFORMANCE")
    runner = sql_files.runner()
    context = package.SessionContext(package.SessionConfig().with_target_partitions(1))
    if spark:
        context.enable_spark_functions()
    context.register_record_batches("t", [cases.TABLE.to_batches()])
    session = fs.connect(engine="reference")
    session.register("t", cases.TABLE)
    wrong = []
    for table in tables:
        for name in table:
            told = _told(runner, context, session, _query(name, table))
            wrong += [f"{name}: {told}"] if told else []
    return wrong


def _told(runner: Any, context: Any, session: fs.Session, query: str) -> str:
    from datafusion import substrait as producer

    try:
        answer = context.sql(query).to_arrow_table()
        context.sql("set datafusion.optimizer.max_passes = 0").collect()
        plan = bytes(producer.Serde.serialize_bytes(query, context))
    except Exception as error:
        return f"DataFusion: {str(error)[:150]}"
    finally:
        context.sql("set datafusion.optimizer.max_passes = 3").collect()
    try:
        found = runner.of_firesteel(session.run(plan).value())
    except fs.FiresteelError as error:
        return f"{type(error).__name__}: {error.message[:200]}"
    kind, note = runner.same(runner.of_table(answer), found, None, answer.schema.names)
    return f"{kind}: {note}" if kind else ""


@pytest.mark.conformance
def test_datafusion_means_the_same() -> None:
    assert not _compared((cases.SCALARS, cases.RULES, cases.AGGREGATES), spark=False)


@pytest.mark.conformance
def test_datafusion_means_the_same_by_the_functions_of_spark_sql() -> None:
    assert not _compared((cases.SPARK, cases.SPARK_AGGREGATES), spark=True)


# ---------------------------------------------------------------------------------------------------------------------
# The tool


@pytest.mark.parametrize(
    ("record", "sort"),
    [
        ({"outcome": "match", "sql": "SELECT 1"}, "matched"),
        ({"outcome": "refused", "sql": "SELECT 1"}, "refused by name"),
        ({"outcome": "differ", "sql": "SELECT 1", "again": "as Firesteel"}, "lost at the producer"),
        ({"outcome": "differ", "sql": "SELECT lag(a) IGNORE NULLS OVER ()", "again": "x"}, "doubtful"),
        ({"outcome": "differ", "sql": "SELECT 1", "again": "as without a plan"}, "wrong"),
        ({"outcome": "no-plan", "sql": "SELECT 1"}, None),
    ],
)
def test_what_became_of_a_plan(record: dict[str, str], sort: str | None) -> None:
    assert sql_files.sort_of(record) == sort


def test_the_report_counts_plans_that_read_tables_apart() -> None:
    records = [
        {"outcome": "match", "sql": "SELECT 1", "tables": 0, "at": "a:1", "reason": ""},
        {"outcome": "match", "sql": "SELECT a FROM t", "tables": 1, "at": "a:2", "reason": ""},
        {"outcome": "refused", "sql": "SELECT b FROM t", "tables": 1, "at": "a:3", "reason": "PlanError: no"},
    ]
    lines = sql_files.report("analyzed", records)
    assert lines[0] == "analyzed plans, all: 3; 2 matched, 1 refused by name; 66.7 % match"
    assert lines[1] == "analyzed plans, that read a table: 2; 1 matched, 1 refused by name; 50.0 % match"
