"""Grouping and aggregates."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from typing import Any

from firesteel import functions
from firesteel import plan as p
from firesteel.errors import EvaluationError
from firesteel.evaluate.base import CompileContext, Env, Fail, Forgivable, RelClosure, RexClosure, Row, Rows, handles
from firesteel.evaluate.relations.aggregates import AGGREGATES, OF_ROWS
from firesteel.evaluate.relations.rel import sorted_order
from firesteel.values import MISSING, Value, hash_keys


@handles(p.Aggregate)
def _aggregate(node: p.Aggregate, context: CompileContext) -> Generator[Any, Any, RelClosure]:
    source: RelClosure = yield node.input, context
    keys: list[RexClosure] = []
    for expr in node.keys:
        keys.append((yield expr, context))
    aggs: list[Callable[[list[Env]], Value]] = []
    for agg in node.aggs:
        aggs.append((yield agg, context))
    partial = node.strategy is p.Strategy.PARTIAL

    def run(env: Env) -> Rows:
        groups: dict[Hashable, tuple[Row, list[Env]]] = {}
        rows, ordered = source(env)
        for row in rows:
            inner = Env(row, env)
            group = tuple([expr(inner) for expr in keys])
            if MISSING in group:
                group = tuple([None if value is MISSING else value for value in group])
            if partial and any(value is None for value in group):
                continue
            hashed = hash_keys(group)
            if hashed not in groups:
                groups[hashed] = (group, [])
            groups[hashed][1].append(inner)
        if not keys and not groups:
            groups[()] = ((), [])
        made = [(*group, *[agg(members) for agg in aggs]) for group, members in groups.values()]
        return Rows(made, ordered and node.keeps_order)

    return run


@handles(p.Agg)
def _agg(node: p.Agg, context: CompileContext) -> Generator[Any, Any, Callable[[list[Env]], Value]]:
    """The aggregate of a group, given the scope of each of its rows."""
    row = functions.called(node.fn.name, functions.Kind.AGGREGATE, len(node.args), node.where)
    args: list[RexClosure] = []
    for arg in node.args:
        if isinstance(arg, p.Rex):
            args.append((yield arg, context))
    keep: RexClosure | None = None
    if node.filter is not None:
        keep = yield node.filter, context
    keys: list[RexClosure] = []
    for spec in node.order:
        keys.append((yield spec.key, context))
    combine = combiner(node, row, context.failing(node.where))
    only = args[0] if len(args) == 1 else None

    def run(members: list[Env]) -> Value:
        if keep is not None:
            members = [member for member in members if keep(member) is True]
        if keys:
            columns = [[expr(member) for member in members] for expr in keys]
            members = [members[i] for i in sorted_order(len(members), columns, node.order)]
        given: list[Row]
        if only is None:
            given = [tuple([arg(member) for arg in args]) for member in members]
        else:
            given = [(only(member),) for member in members]
        try:
            return combine(given)
        except EvaluationError as error:
            error.located(node.where)
            raise

    return run


def combiner(node: p.Agg | p.WindowCall, row: functions.Function, fail: Fail) -> Callable[[list[Row]], Value]:
    """An aggregate of the arguments of every row, or of those that differ; of equal ones the first counts."""
    combine = _aggregate_of(node, row)

    def run(given: list[Row]) -> Value:
        if node.distinct and any(given):
            first: dict[Hashable, Row] = {}
            for one in given:
                first.setdefault(hash_keys(one), one)
            given = list(first.values())
        try:
            return combine(given)
        except Forgivable as error:
            return fail("{}", error)

    return run


def _aggregate_of(node: p.Agg | p.WindowCall, row: functions.Function) -> Callable[[list[Row]], Value]:
    """PartiQL's have one argument, or none and count the rows; a few have more."""
    if row.origin is not functions.Origin.PARTIQL:
        from firesteel.evaluate import substrait  # late: few plans have functions of Substrait

        return substrait.aggregate_of(node.fn, node.where)
    if row.name in OF_ROWS:
        return OF_ROWS[row.name]
    combine = AGGREGATES[row.name]
    return lambda given: combine([one[0] if one else one for one in given])
