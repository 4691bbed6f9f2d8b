"""Completeness is a test: every node and every function is done on Spark, or says why it is not. No JVM is needed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from firesteel import functions
from firesteel import plan as p
from firesteel.node import Node

spark = pytest.importorskip("firesteel.spark")
calls = pytest.importorskip("firesteel.spark.scalar.functions")


def below(cls: type[Node]) -> Iterator[type[Node]]:
    for sub in cls.__subclasses__():
        yield sub
        yield from below(sub)


#: The nodes of the package; tests declare others.
NODES = [
    cls
    for base in (p.Rel, p.Rex, p.Step, p.JoinType)
    for cls in below(base)
    if cls.tag and cls.__module__.startswith("firesteel.")
]


@pytest.mark.parametrize("cls", NODES, ids=lambda cls: cls.__name__)
def test_every_node_has_a_handler_or_a_reason(cls: type[Node]) -> None:
    assert (cls in spark.HANDLERS) != (cls in spark.UNSUPPORTED)
    assert spark.UNSUPPORTED.get(cls, "reason")


@pytest.mark.parametrize("row", functions.all_functions(), ids=lambda row: row.name)
def test_every_function_is_in_just_one_table(row: functions.Function) -> None:
    tables = (calls.SPARK, calls.LOWERED, calls.AGGREGATES, calls.UNSUPPORTED)
    assert sum(row.name in table for table in tables) == 1


def test_no_table_has_a_name_that_the_catalogue_has_not() -> None:
    for table in (calls.SPARK, calls.LOWERED, calls.AGGREGATES, calls.UNSUPPORTED):
        assert all(functions.find(name) is not None for name in table)
