"""Dialects: which one a plan is read in, and that every row of DataFusion's means what DataFusion means."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
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
from tools.spark_batch import FAST, Answer, configured, evaluated, together


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


@dataclass(frozen=True)
class Made:
    """What DataFusion makes of a case: its plan without the optimizer, and its own rows."""

    name: str
    plan: bytes
    rows: pa.Table


def _made(tables: tuple[Mapping[str, str], ...], *, spark: bool) -> Iterator[Made]:
    """The plans of all cases. With `spark`, the functions are those of DataFusion's Spark SQL set."""
    package = pytest.importorskip("datafusion")
    if not sql_files.RUNNER.is_file():
        pytest.skip("the runner of SQL files is not here: set FIRESTEEL_CONFORMANCE")
    context = package.SessionContext(package.SessionConfig().with_target_partitions(1))
    if spark:
        context.enable_spark_functions()
    context.register_record_batches("t", [cases.TABLE.to_batches()])
    for table in tables:
        for name in table:
            query = _query(name, table)
            rows = context.sql(query).to_arrow_table()
            context.sql("set datafusion.optimizer.max_passes = 0").collect()
            plan = bytes(package.substrait.Serde.serialize_bytes(query, context))
            context.sql("set datafusion.optimizer.max_passes = 3").collect()
            yield Made(name, plan, rows)


def _attempt(session: fs.Session, made: Made) -> Answer:
    try:
        return Answer(session.run(made.plan))
    except fs.FiresteelError as error:
        return Answer(error=error)


def _told(made: Made, answer: Answer) -> str:
    """What is wrong with an answer."""
    if answer.error is not None:
        return f"{made.name}: {type(answer.error).__name__}: {str(answer.error)[:200]}"
    runner = sql_files.runner()
    found = runner.of_firesteel(answer.value)
    kind, note = runner.same(runner.of_table(made.rows), found, None, made.rows.schema.names)
    return f"{made.name}: {kind}: {note}" if kind else ""


def _compared(tables: tuple[Mapping[str, str], ...], *, spark: bool) -> list[str]:
    """What is wrong on the reference evaluator."""
    session = fs.connect(engine="reference")
    session.register("t", cases.TABLE)
    return [told for made in _made(tables, spark=spark) if (told := _told(made, evaluated(_attempt(session, made))))]


@pytest.mark.conformance
def test_datafusion_means_the_same() -> None:
    assert not _compared((cases.SCALARS, cases.RULES, cases.AGGREGATES), spark=False)


@pytest.mark.conformance
def test_datafusion_means_the_same_by_the_functions_of_spark_sql() -> None:
    assert not _compared((cases.SPARK, cases.SPARK_AGGREGATES), spark=True)


#: The cases that are refused on Spark, with the reasons.
REFUSED_ON_SPARK = {
    "min": "Spark orders arrays in another way than DataFusion",
    "approx_percentile_cont_with_weight": "an aggregate of DataFusion's own",
    "sum": "durations have no column type of their own",
    "avg": "durations have no column type of their own",
    "collect_set": "not yet an aggregate on Spark",
    "try_sum": "not yet an aggregate on Spark",
}


@pytest.mark.conformance
@pytest.mark.spark
def test_on_spark(spark: Any) -> None:
    """The rows are DataFusion's on Spark, too, or the function is refused by name."""
    made = [
        *_made((cases.SCALARS, cases.RULES, cases.AGGREGATES), spark=False),
        *_made((cases.SPARK, cases.SPARK_AGGREGATES), spark=True),
    ]
    session = fs.connect(spark=spark, in_process=False)
    session.register("t", cases.TABLE)
    with configured(spark, FAST):
        answers = together([_attempt(session, one) for one in made])
    refused = [one.name for one, answer in zip(made, answers, strict=True) if _is_refused(answer)]
    told = [_told(one, answer) for one, answer in zip(made, answers, strict=True) if not _is_refused(answer)]
    assert not [one for one in told if one], "\n".join(filter(None, told))
    assert sorted(refused) == sorted(REFUSED_ON_SPARK)


def _is_refused(answer: Answer) -> bool:
    return isinstance(answer.error, fs.UnsupportedError)


# ---------------------------------------------------------------------------------------------------------------------
# The tool


@pytest.mark.parametrize(
    ("outcome", "reason", "sort"),
    [
        ("match", "", "matched"),
        ("refused", "refused: no function", "refused by name"),
        ("differ", "the plan has lost IGNORE NULLS", sql_files.LOST),
        ("differ", "not determined: which rows a LIMIT leaves", sql_files.FREE),
        ("differ", "", "wrong"),
        ("uncaught", "", "uncaught"),
        ("no-plan", "", None),
    ],
)
def test_what_became_of_a_plan(outcome: str, reason: str, sort: str | None) -> None:
    assert sql_files.sort_of({"outcome": outcome}, reason) == sort


def test_the_report_counts_plans_that_read_tables_apart() -> None:
    records = [
        {"outcome": "match", "sql": "SELECT 1", "tables": 0, "file": "a", "at": "a:1", "reason": ""},
        {"outcome": "match", "sql": "SELECT a FROM t", "tables": 1, "file": "a", "at": "a:2", "reason": ""},
        {
            "outcome": "refused",
            "sql": "SELECT b FROM t",
            "tables": 1,
            "file": "a",
            "at": "a:3",
            "reason": "PlanError: no",
        },
    ]
    lines = sql_files.report("analyzed", records, {})
    assert lines[0] == "analyzed plans, all: 3; 2 matched, 1 refused by name; 66.7 % match"
    assert lines[1] == "analyzed plans, that read a table: 2; 1 matched, 1 refused by name; 50.0 % match"
