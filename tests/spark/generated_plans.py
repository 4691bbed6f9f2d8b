"""Random plans over partitioned tables, for tests of what follows from a plan about its rows' partitions.

All columns are integers. The tables are DataFrames whose partitions are as promised, and lists and bags in memory.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from firesteel import plan as p
from firesteel import tables
from firesteel import types as t
from firesteel.plan import build as b
from firesteel.plan.reliance import unmet_needs
from firesteel.tables import Table
from firesteel.values import Bag, Struct
from tests.spark.partitions import columns, frame_table

UP, DOWN = p.SortOrder.ASC_NULLS_FIRST, p.SortOrder.DESC_NULLS_LAST
NUMBER = t.Int64(nullable=True)
#: No plan makes more copies of a row than this.
MOST_COPIES = 12


def _values(number: int, group: int) -> tuple[int | None, int, int]:
    """The row of a number: (k, x, id). The rows of a k follow one another; the first of them have none."""
    return number // group or None, number * 7 % 10, number


#: The number of rows, of partitions, and of rows with the same k, of the tables.
SIZES = [(30, 3, 5), (8, 2, 2)]


def table_pairs(spark: Any) -> tuple[tuple[Table, ...], tuple[Table, ...]]:
    """The tables: two DataFrames, a bag and a list. And the same rows for the reference evaluator."""
    from pyspark.sql import functions as F

    frames, copies = [], []
    number = F.col("id")
    for size, parts, group in SIZES:
        key = F.floor(number / group)
        frame = spark.range(0, size, 1, parts).select(
            F.when(key > 0, key).alias("k"), (number * 7 % 10).alias("x"), "id"
        )
        frames.append(frame_table(frame))
        copies.append(_memory(size, group, t.Bag))
    others = (_memory(12, 3, t.Bag), _memory(12, 3, t.Array))
    return (*frames, *others), (*copies, *others)


def _memory(size: int, group: int, kind: type[t.Collection]) -> Table:
    rows = [Struct(zip(("k", "x", "id"), _values(i, group), strict=True)) for i in range(size)]
    element = t.Struct((t.Field("k", NUMBER), t.Field("x", t.INT64), t.Field("id", t.INT64)), open=False)
    source = tables.Memory(rows if kind is t.Array else Bag(rows), declared=True)
    return Table(source, kind(element))


#: What is true of all of the tables: the fields of an order, and of a distribution.
PROMISES: list[tuple[list[tuple[int, p.SortOrder]], list[int]]] = [
    ([(0, UP), (2, UP)], [0]),
    ([(2, UP)], []),
    ([], [0]),
    ([(0, p.SortOrder.CLUSTERED), (2, UP)], [0]),
    ([(0, p.SortOrder.CLUSTERED)], [0, 1]),
    ([(0, UP)], [2]),
]


@dataclass
class Plans:
    """A generator of plans over these tables."""

    random: random.Random
    tables: tuple[Table, ...]
    copies: int = 1

    def plan(self, size: int) -> p.Rel:
        """A relation of at most so many operators over a table."""
        self.copies = 1
        rel = self._source()
        for _ in range(self.random.randint(1, size)):
            made = self.random.choice(_OPERATORS)(self, rel)
            if made is not None and not any(unmet_needs(made)):
                rel = made
        return rel

    def _source(self, ordinal: int | None = None) -> p.Rel:
        ordinal = self.random.randrange(len(self.tables)) if ordinal is None else ordinal
        rel: p.Rel = columns(self.tables[ordinal], ordinal)
        if self.random.random() < 0.75:
            order, fields = self.random.choice(PROMISES)
            specs = tuple(p.SortSpec(b.column(rel, i), how) for i, how in order)
            rel = p.Promised(specs, rel, partitioned=tuple(b.column(rel, i) for i in fields))
        return rel

    def column(self, rel: p.Rel) -> p.Var:
        """A column of numbers: the mark of a join is none."""
        return b.column(rel, self.random.choice(_numbers(rel)))

    def some(self, rel: p.Rel, most: int = 2) -> list[p.Var]:
        """A few different columns."""
        found = {var.ordinal: var for var in (self.column(rel) for _ in range(self.random.randint(1, most)))}
        return list(found.values())

    def specs(self, rel: p.Rel) -> tuple[p.SortSpec, ...]:
        return tuple(p.SortSpec(var, self.random.choice(list(p.SortOrder))) for var in self.some(rel))

    def copied(self, times: int) -> bool:
        """Is there room for so many copies of each row?"""
        if self.copies * times > MOST_COPIES:
            return False
        self.copies *= times
        return True


def _numbers(rel: p.Rel) -> list[int]:
    return [i for i, field in enumerate(p.schema(rel)) if isinstance(field.type, t.Integer)]


Operator = Callable[[Plans, p.Rel], p.Rel | None]


def _filter(made: Plans, rel: p.Rel) -> p.Rel:
    return p.Filter(b.call("gt", made.column(rel), b.lit(made.random.randint(-1, 4))), rel)


def _project(made: Plans, rel: p.Rel) -> p.Rel:
    exprs: list[p.Rex] = [made.column(rel) for _ in range(made.random.randint(1, 4))]
    if made.random.random() < 0.5:
        exprs.append(b.call("plus", made.column(rel), b.lit(1)))
    return p.Project(tuple(exprs), rel)


def _sort(made: Plans, rel: p.Rel) -> p.Rel:
    return p.Sort(made.specs(rel), rel)


def _limit(made: Plans, rel: p.Rel) -> p.Rel:
    return made.random.choice([p.Limit, p.Offset])(b.lit(made.random.randint(2, 20)), rel)


def _top_n(made: Plans, rel: p.Rel) -> p.Rel:
    skip = b.lit(made.random.randint(0, 3)) if made.random.random() < 0.5 else None
    count = b.lit(made.random.randint(2, 20))
    return p.TopN(made.specs(rel), count, rel, skip=skip, ties=made.random.random() < 0.5)


def _exchange(made: Plans, rel: p.Rel) -> p.Rel | None:
    count = made.random.choice([None, 1, 2, 3, 4])
    kinds: list[p.ExchangeKind] = [
        p.Scatter(tuple(made.some(rel))),
        p.Scatter(tuple(made.some(rel))),
        p.SingleBucket(b.call("coalesce", made.column(rel), b.lit(0))),
        p.MultiBucket(b.lit([0, 2, 3], t.Array(t.INT64))),
        p.Broadcast(),
        p.RoundRobin(exact=True),
        p.RoundRobin(),
    ]
    exchange = p.Exchange(made.random.choice(kinds), rel, partitions=count)
    return exchange if not exchange.copies or made.copied(count or 3) else None


def _capture(made: Plans, rel: p.Rel) -> p.Rel:
    return made.random.choice([p.MergingCapture, p.SimpleCapture])(rel)


def _expand(made: Plans, rel: p.Rel) -> p.Rel | None:
    switching = p.Switching((made.column(rel), b.lit(None, t.NULL)))
    fields = (*(p.Consistent(var) for var in made.some(rel, 3)), switching)
    return p.Expand(fields, rel) if made.copied(2) else None


def _aggregate(made: Plans, rel: p.Rel) -> p.Rel:
    keys = tuple(made.some(rel)) if made.random.random() < 0.9 else ()
    method = made.random.choice([None, p.AggregateMethod.HASH, p.AggregateMethod.STREAMING])
    totals = (b.agg("max", made.column(rel)), b.agg("count_star"))
    return p.Aggregate(p.Strategy.FULL, totals, keys, rel, method=method)


def _window(made: Plans, rel: p.Rel) -> p.Rel:
    value = made.column(rel)
    order = made.specs(rel) if made.random.random() < 0.3 else ()
    call = p.WindowCall(b.signature("max", [value]), (value,), tuple(made.some(rel)), order)
    return p.Window((call,), rel, method=made.random.choice([None, *p.WindowMethod]))


def _join(made: Plans, rel: p.Rel) -> p.Rel | None:
    if not made.copied(4):
        return None
    other = made._source(1)
    if made.random.random() < 0.5:
        other = p.Exchange(p.Scatter((b.column(other, 0),)), other, partitions=made.random.choice([None, 2]))
    captures = [capture for capture in p.Capture if capture is not p.Capture.LEFT_SINGLE]
    keys = (p.JoinKey(made.column(rel), made.column(other)),)
    return p.Join(
        p.Equi(made.random.choice(captures), keys=keys),
        rel,
        other,
        strategy=made.random.choice([None, *p.JoinStrategy]),
        build=made.random.choice(list(p.Side)),
    )


def _set(made: Plans, rel: p.Rel) -> p.Rel | None:
    other: p.Rel = made._source()
    if made.random.random() < 0.7:
        other = p.Exchange(p.Scatter((b.column(other, 0),)), other, partitions=made.random.choice([None, 3]))
    width, numbers = len(p.schema(other)), _numbers(rel)
    if len(numbers) < width or not made.copied(2):
        return None
    rel = b.emit(rel, numbers[:width])
    kind = made.random.choice([p.Union, p.Union, p.Intersect, p.Except])
    return kind(rel, other, quantifier=made.random.choice(list(p.Quantifier)))


def _distinct(_: Plans, rel: p.Rel) -> p.Rel:
    return p.Distinct(rel)


_OPERATORS: list[Operator] = [
    *[_filter, _project] * 2,
    *[_exchange] * 3,
    *[_sort, _limit, _top_n, _capture, _expand, _aggregate, _aggregate, _window, _join, _set, _distinct],
]

#: Relations that may give other rows each time: which of equal rows they give, or of a bag, is not defined.
CHOOSING = (p.Limit, p.Offset, p.TopN)
