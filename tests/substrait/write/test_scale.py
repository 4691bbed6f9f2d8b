"""Large plans: written and read in time that grows with their size, whatever their shape."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from substrait import plan_pb2

import firesteel as fs
from firesteel import plan as p
from firesteel import substrait
from firesteel import types as t
from firesteel.plan import build
from tests.physical_cases import plan, table

Shape = Callable[[int], p.Plan]


def filters(count: int) -> p.Plan:
    rel = table("t")
    for i in range(count):
        rel = p.Filter(build.call("gt", build.column(rel, 0), build.lit(i)), rel)
    return plan(rel)


def joins(count: int) -> p.Plan:
    rel, key = table("o"), build.column(table("o"), 0)
    for _ in range(count):
        condition = build.call("eq", key, p.Var(key.type, 2))
        rel = p.Join(p.Theta(p.Capture.LEFT_SEMI, condition), rel, table("o"))
    return plan(rel)


def shared(count: int) -> p.Plan:
    """A relation beside itself, again and again: as a tree it would have 2 to the `count` relations."""
    rel = table("o")
    for _ in range(count):
        rel = p.Union(rel, rel)
    return plan(rel)


def sums(count: int) -> p.Plan:
    rel = table("t")
    rex: p.Rex = build.column(rel, 0)
    for _ in range(count):
        rex = build.call("plus", rex, build.lit(1))
    return plan(p.Project((rex,), rel))


def subqueries(count: int) -> p.Plan:
    rel: p.Rel = table("o")
    for _ in range(count):
        row = build.column(rel, 0)
        value = build.path(row, "a") if isinstance(row.type, t.Struct) else row
        rel = p.Scan(build.select(build.struct([("a", value)]), rel, t.Bag))
    return plan(rel)


SHAPES: dict[str, Shape] = {one.__name__: one for one in (filters, joins, shared, sums, subqueries)}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [100, 1_000])
def test_they_come_back(shape: str, count: int) -> None:
    node = SHAPES[shape](count)
    data = substrait.encode(substrait.write(node))
    assert fs.read_plan(data).node == node
    plan_pb2.Plan.FromString(data)  # which nests no deeper than protobuf's readers go


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["filters", "joins", "sums", "subqueries"])
def test_ten_thousand_come_back(shape: str) -> None:
    node = SHAPES[shape](10_000)
    assert fs.read_plan(substrait.encode(substrait.write(node))).node == node


@pytest.mark.parametrize("shape", ["filters", "sums", "shared", "subqueries"])
def test_the_time_grows_with_the_size(shape: str) -> None:
    """Ten times as many relations take about ten times as long: with room for a busy machine, far from a hundred."""

    def seconds(count: int) -> float:
        node = SHAPES[shape](count)
        start = time.process_time()
        substrait.encode(substrait.write(node))
        return time.process_time() - start

    few = min(seconds(100) for _ in range(3))
    many = min(seconds(1_000) for _ in range(2))
    assert many < 40 * few
