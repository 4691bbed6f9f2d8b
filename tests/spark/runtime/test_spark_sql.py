"""`to_spark_sql`: plain `spark.sql` gives for the text what running the plan gives, or the plan is refused by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import sqlglot
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

import firesteel as fs
from tests.conftest import ROOT
from tests.golden.test_partiql import CASES, Case
from tools import tpch

ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3, None], pa.int64()),
        "name": ["a", "it's", "${user.name}", None],
        "odd `name.": [1.5, float("nan"), -0.0, None],
        "tags": pa.array([["x", "y"], [], None, ["z"]], pa.list_(pa.string())),
    }
)


@pytest.fixture
def session() -> fs.Session:
    made = fs.connect(engine="reference")
    made.register("t", ROWS)
    made.register("data.u", ROWS)
    made.register("loose", [{"a": 1}, {"a": "x"}])
    return made


def text_of(session: fs.Session, query: str, mode: str = "permissive") -> str:
    """The text, which another parser of Spark's SQL reads, too."""
    text = session.plan(query, mode=mode).to_spark_sql(session=session)
    sqlglot.parse_one(text, dialect="spark")
    return text


def test_a_text(session: fs.Session) -> None:
    query = (
        """SELECT t.name || '!' AS "n ", t."odd `name." AS x FROM data.u AS t WHERE t.name = 'it''s' ORDER BY t.id"""
    )
    assert text_of(session, query) == (
        "SELECT concat(CAST(c2 AS STRING), '!') AS `n `, c3 AS `x`\n"
        "FROM (\n"
        "  SELECT `id` AS c1, `name` AS c2, `odd ``name.` AS c3\n"
        "  FROM `data`.`u`\n"
        ")\n"
        "WHERE c2 = decode(X'69742773', 'UTF-8')\n"
        "ORDER BY c1 ASC NULLS LAST"
    )


def test_a_plan_that_says_its_types_needs_no_session(session: fs.Session) -> None:
    plan = fs.read_plan(session.plan("SELECT t.id FROM t").to_substrait())
    assert plan.to_spark_sql().endswith("FROM `t`\n)")
    assert fs.convert(plan, "spark-sql").data.decode() == plan.to_spark_sql() + "\n"


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT l.a FROM loose AS l", "column 'a' of 'loose' has no certain type"),
        ('SELECT t.id AS "${x}" FROM t', "the name"),
        ("SELECT VALUE v FROM t AS t, UNPIVOT @t AS v AT a WHERE t.name LIKE a", "escape character"),
    ],
)
def test_refusals(session: fs.Session, query: str, said: str) -> None:
    with pytest.raises(fs.UnsupportedError, match=said):
        text_of(session, query)


def plain(value: Any) -> Any:
    """A value of a row as something that sorts and has an equal."""
    return repr(value.toPython()) if hasattr(value, "toPython") else repr(value)


def same_rows(ours: Any, theirs: Any) -> bool:
    found = [Counter(tuple(map(plain, row)) for row in frame.collect()) for frame in (ours, theirs)]
    return bool(ours.columns == theirs.columns and found[0] == found[1])


@pytest.mark.spark
@pytest.mark.conformance
def test_tpch(spark: Any, outside: Callable[[str], Path]) -> None:
    texts = tpch.queries(outside("tpch") / "queries")
    files = tpch.data(ROOT / "build" / "bench", 0.01)
    session = fs.connect(spark=spark, fallback="refuse")
    tpch.register(session, spark, files)
    try:
        wrong = [
            name
            for name, text in texts.items()
            if not same_rows(session.query(text).to_spark(), spark.sql(text_of(session, text)))
        ]
        assert not wrong
        assert len(texts) == 22
    finally:
        for name in tpch.TABLES:
            spark.catalog.dropTempView(name)


def _is_uncertain(type_: pa.DataType) -> bool:
    return any(word in str(type_) for word in ("null", "union"))


def typed_tables(case: Case) -> dict[str, pa.Table] | None:
    """The tables of a golden case as Arrow tables; None if their values are not of certain types."""
    reference = fs.connect(engine="reference")
    found = {}
    for name, ion in case.tables:
        reference.register("x", fs.ion(ion), replace=True)
        try:
            table = reference.query("SELECT * FROM x AS x").to_arrow()
        except fs.FiresteelError:
            return None
        if table.num_rows == 0 or any(_is_uncertain(column.type) for column in table.columns):
            return None
        found[name] = table
    return found


def written(session: fs.Session, case: Case) -> str | None:
    """The text; None if the plan is refused, or fails before it runs."""
    try:
        return text_of(session, case.query, case.mode)
    except fs.FiresteelError:
        return None


def expected_of(session: fs.Session, case: Case) -> list[Any] | str:
    try:
        rows: list[Any] = session.query(case.query, mode=case.mode).to_arrow().to_pylist()
        return rows
    except fs.FiresteelError:
        return "error"


def rows_of(make: Callable[[], Any]) -> Counter[Any] | str:
    """The rows of a frame, with the names of its columns."""
    try:
        frame = make()
        return Counter((*frame.columns, *map(plain, row)) for row in frame.collect())
    except (PySparkException, Py4JError, fs.FiresteelError):
        return "error"


@pytest.mark.spark
def test_golden_queries(spark: Any) -> None:
    """Golden queries over tables with types: what running them on Spark gives, which `test_golden` compares with the
    reference evaluator."""
    compared, wrong = 0, []
    for case in CASES:
        tables = typed_tables(case)
        if tables is None or any("." in name for name in tables):
            continue
        session = fs.connect(spark=spark, in_process=False, fallback="refuse")
        for name, table in tables.items():
            session.register(name, table)
            spark.createDataFrame(table).createOrReplaceTempView(name)
        text = written(session, case)
        if text is not None:
            theirs = rows_of(partial(spark.sql, text))
            ours = rows_of(lambda: session.query(case.query, mode=case.mode).to_spark())  # noqa: B023
            compared += 1
            if ours != theirs:
                wrong.append(f"{case.file}, {case.name}: {theirs} instead of {ours}\n{text}")
        for name in tables:
            spark.catalog.dropTempView(name)
    assert not wrong, "\n".join(wrong)
    assert compared > 60
