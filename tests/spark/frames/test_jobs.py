"""PySpark jobs as plans: the rows and types that Spark gives, and the same plan after Substrait."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest

import firesteel as fs
from firesteel import types as t
from firesteel.node import transform
from firesteel.spark import from_spark
from tests.spark.frames import offline
from tests.spark.frames.jobs import JOBS, SCHEMAS, TABLES

pytestmark = pytest.mark.filterwarnings("ignore:.*No Partition Defined")


@pytest.fixture(scope="module")
def session() -> Any:
    with fs.connect(engine="reference") as made:
        for name, table in TABLES.items():
            made.register(name, table)
        yield made


def plain(value: Any) -> Any:
    """A value so that equal ones are equal, and can be counted."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else float(f"{value:.12g}") + 0.0
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dict | fs.Struct):
        return tuple((key, plain(one)) for key, one in value.items())
    return tuple(map(plain, value)) if isinstance(value, list | tuple | fs.Bag) else value


def bare(type_: t.Type) -> t.Type:
    """The type without what it says of NULL."""
    return transform(type_, lambda one: t.absent(one, nullable=False, missable=False), t.Type)


def rows(table: Any) -> list[Any]:
    """The rows of an Arrow table, by places: a frame may have two columns of a name."""
    columns = [column.to_pylist() for column in table.columns]
    return [tuple(map(plain, row)) for row in zip(*columns, strict=True)]


@pytest.mark.spark
def test_they_give_the_rows_of_spark(spark: Any, session: Any) -> None:
    """All jobs in one test, because Spark takes its time for each."""
    from pyspark.sql import Window, functions

    for name, table in TABLES.items():
        spark.createDataFrame(table, SCHEMAS[name]).createOrReplaceTempView(name)
    wrong = []
    for name, job in JOBS.items():
        frame = job(spark.table, functions, Window)
        plan = offline.plan(job, SCHEMAS)
        ours, theirs = rows(session.run(plan).to_arrow()), rows(frame.toArrow())
        columns = [(one.name, bare(one.type)) for one in fs_schema(plan)]
        wanted = [(one.name, bare(from_spark(one.dataType))) for one in frame.schema.fields]
        if Counter(ours) != Counter(theirs) or (name.startswith("sorted") and ours != theirs):
            wrong.append(f"{name}: {ours} is not {theirs}")
        if columns != wanted:
            wrong.append(f"{name}: {columns} is not {wanted}")
    assert wrong == []


def fs_schema(plan: fs.Plan) -> Any:
    """The columns of the plan's one root, by the names at its edge."""
    from firesteel import plan as p

    root = plan.node.statement
    assert isinstance(root, p.Root)
    return [t.Field(name, one.type) for name, one in zip(root.names, p.schema(root.input), strict=True)]


@pytest.mark.parametrize("name", JOBS)
def test_they_come_back_from_substrait_and_ion(name: str) -> None:
    plan = offline.plan(JOBS[name], SCHEMAS)
    assert plan.check() == []
    assert fs.read_plan(plan.to_substrait()).node == plan.node
    assert fs.read_plan(plan.to_ion()).node == plan.node
