"""Groups of frames: plain ones, ROLLUP, CUBE, grouping sets and pivots."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.plan import build
from firesteel.spark.frames.base import Column, Frame, Reader, Scope, refuse, replaced
from firesteel.spark.frames.columns.aggregates import AGGREGATES
from firesteel.spark.frames.columns.coercion import cast
from firesteel.spark.frames.columns.expressions import expression, name_of
from firesteel.spark.frames.columns.literals import literal

_GROUP_BY, _ROLLUP, _CUBE, _PIVOT, _SETS = 1, 2, 3, 4, 5


def counts_rows(message: Any) -> bool:
    """Is there an aggregate in the expression that is not over a window?"""
    stack = [message]
    while stack:
        one = stack.pop()
        kind = one.WhichOneof("expr_type")
        if kind == "unresolved_function":
            if one.unresolved_function.function_name.lower() in AGGREGATES:
                return True
            stack += one.unresolved_function.arguments
        elif kind in ("alias", "cast"):
            stack.append(getattr(one, kind).expr)
        elif kind == "unresolved_extract_value":
            stack.append(one.unresolved_extract_value.child)
    return False


def aggregate_frame(
    reader: Reader, frame: Frame, keys: Sequence[Any], messages: Sequence[Any], aggregate: Any = None
) -> Frame:
    """A row for each group: the keys, and then the expressions over aggregates."""
    kind = _GROUP_BY if aggregate is None else aggregate.group_type
    rexes = [expression(reader, one, Scope(frame)) for one in keys]
    columns = [_key_column(frame, one, rex) for one, rex in zip(keys, rexes, strict=True)]
    if kind == _PIVOT:
        return _pivot(reader, frame, rexes, columns, messages, aggregate.pivot)
    aggs: list[p.Agg] = []
    grouping = _Grouping(reader, frame, rexes, aggs)
    exprs = [grouping.expression(one) for one in messages]
    columns += [Column(name_of(one)) for one in messages]
    sets = _grouping_sets(reader, kind, frame, rexes, aggregate)
    rel, count = _grouped(frame.rel, rexes, tuple(aggs), sets)
    made = [_behind(one, rexes, len(frame.columns), rel, count) for one in exprs]
    names = tuple(one.name for one in columns)
    return Frame(p.Project((*(build.column(rel, i) for i in range(count)), *made), rel, names=names), tuple(columns))


@dataclass
class _Grouping:
    """Expressions over groups. `grouping_id` and `grouping` stand for the column behind all aggregates."""

    reader: Reader
    frame: Frame
    keys: list[p.Rex]
    aggs: list[p.Agg]

    def expression(self, message: Any) -> p.Rex:
        return expression(self.reader, message, Scope(self.frame, aggs=self.aggs))


def _key_column(frame: Frame, message: Any, rex: p.Rex) -> Column:
    if message.WhichOneof("expr_type") == "unresolved_attribute" and isinstance(rex, p.Var):
        return frame.columns[rex.ordinal]
    return Column(name_of(message))


def _grouping_sets(
    reader: Reader, kind: int, frame: Frame, keys: Sequence[p.Rex], aggregate: Any
) -> list[tuple[int, ...]]:
    every = tuple(range(len(keys)))
    if kind == _ROLLUP:
        return [every[:count] for count in range(len(keys), -1, -1)]
    if kind == _CUBE:
        return [one for count in range(len(keys), -1, -1) for one in itertools.combinations(every, count)]
    if kind == _SETS:
        found: list[tuple[int, ...]] = []
        for one in aggregate.grouping_sets:
            rexes = [expression(reader, inner, Scope(frame)) for inner in one.grouping_set]
            found.append(tuple(keys.index(rex) for rex in rexes))
        return found
    return [every]


def _grouped(
    rel: p.Rel, keys: Sequence[p.Rex], aggs: tuple[p.Agg, ...], sets: Sequence[tuple[int, ...]]
) -> tuple[p.Rel, int]:
    """The keys and the aggregates, of all grouping sets one after the other."""
    if len(sets) == 1 and len(sets[0]) == len(keys):
        return p.Aggregate(p.Strategy.FULL, aggs, tuple(keys), rel), len(keys)
    parts: list[p.Rel] = []
    for chosen in sets:
        # Without a key there would be a row for no rows. Spark gives none, so the group of all rows has a key as well.
        taken = tuple(keys[i] for i in chosen) or (p.Lit(t.BOOL, True),)
        made = p.Aggregate(p.Strategy.FULL, aggs, taken, rel)
        exprs: list[p.Rex] = []
        for i, key in enumerate(keys):
            absent = t.absent(key.type, nullable=True)
            exprs.append(build.column(made, chosen.index(i)) if i in chosen else p.Lit(absent, None))
        exprs += [build.column(made, len(taken) + i) for i in range(len(aggs))]
        parts.append(p.Project(tuple(exprs), made))
    return reduce(p.Union, parts), len(keys)


def _behind(rex: p.Rex, keys: Sequence[p.Rex], width: int, rel: p.Rel, count: int) -> p.Rex:
    """An expression over the input and its aggregates as one over the groups: a key is its column."""

    def found(one: Any) -> p.Rex | None:
        if one in keys:
            return build.column(rel, list(keys).index(one))
        if isinstance(one, p.Var) and one.ordinal >= width:
            return build.column(rel, count + one.ordinal - width)
        if isinstance(one, p.Var):
            raise PlanError("an expression over groups uses a column that is neither a key nor in an aggregate")
        return None

    return replaced(rex, found)


def _pivot(
    reader: Reader, frame: Frame, keys: list[p.Rex], columns: list[Column], messages: Sequence[Any], pivot: Any
) -> Frame:
    """An aggregate for each value of a column. Where no row has the value, Spark gives NULL, also for a count."""
    if not pivot.values:
        raise refuse("a pivot without values", "list the values: pivot('column', ['a', 'b'])")
    over = expression(reader, pivot.col, Scope(frame))
    aggs: list[p.Agg] = []
    exprs: list[p.Rex] = []
    for value in map(literal, pivot.values):
        condition = build.present("eq", over, cast(value, t.proper(over.type)))
        count = build.agg("count_star").replace(filter=condition)
        for one in messages:
            own: list[p.Agg] = []
            made = expression(reader, one, Scope(frame, aggs=own))
            start = len(aggs)
            aggs += [agg.replace(filter=condition) for agg in own]
            aggs.append(count)
            width = len(frame.columns)
            moved = _moved(made, width, start)
            none = build.present("eq", p.Var(count.type, width + len(aggs) - 1), p.Lit(count.type, 0))
            null = p.Lit(t.absent(made.type, nullable=True), None)
            exprs.append(p.Case(t.absent(made.type, nullable=True), None, (p.Branch(none, null),), default=moved))
            shown = "null" if value.value is None else str(value.value)
            columns.append(Column(shown if len(messages) == 1 else f"{shown}_{name_of(one)}"))
    rel = p.Aggregate(p.Strategy.FULL, tuple(aggs), tuple(keys), frame.rel)
    made_ = [_behind(one, keys, len(frame.columns), rel, len(keys)) for one in exprs]
    names = tuple(one.name for one in columns)
    listed = (*(build.column(rel, i) for i in range(len(keys))), *made_)
    return Frame(p.Project(listed, rel, names=names), tuple(columns))


def _moved(rex: p.Rex, width: int, start: int) -> p.Rex:
    """The expression with its aggregates at their places among those of all values."""

    def found(one: Any) -> p.Rex | None:
        return one.replace(ordinal=one.ordinal + start) if isinstance(one, p.Var) and one.ordinal >= width else None

    return replaced(rex, found)
