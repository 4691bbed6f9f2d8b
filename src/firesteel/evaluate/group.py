"""Grouping and aggregates."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from firesteel import functions
from firesteel import plan as p
from firesteel.errors import EvaluationError
from firesteel.evaluate.aggregates import AGGREGATES
from firesteel.evaluate.base import Context, Env, Forgivable, RelClosure, RexClosure, Row, Rows, handles
from firesteel.evaluate.collections import distinct
from firesteel.values import MISSING, Key, Value, key


@handles(p.Aggregate)
def _aggregate(node: p.Aggregate, context: Context) -> Generator[Any, Any, RelClosure]:
    source: RelClosure = yield node.input, context
    keys: list[RexClosure] = []
    for expr in node.keys:
        keys.append((yield expr, context))
    aggs: list[Callable[[list[Env]], Value]] = []
    for agg in node.aggs:
        aggs.append((yield agg, context))
    partial = node.strategy is p.Strategy.PARTIAL

    def run(env: Env) -> Rows:
        groups: dict[tuple[Key, ...], tuple[Row, list[Env]]] = {}
        for row in source(env).rows:
            inner = Env(row, env)
            group = tuple([expr(inner) for expr in keys])
            group = tuple([None if value is MISSING else value for value in group])
            if partial and any(value is None for value in group):
                continue
            groups.setdefault(tuple([key(value) for value in group]), (group, []))[1].append(inner)
        if not keys and not groups:
            groups[()] = ((), [])
        return Rows([(*group, *[agg(members) for agg in aggs]) for group, members in groups.values()], False)

    return run


@handles(p.Agg)
def _agg(node: p.Agg, context: Context) -> Generator[Any, Any, Callable[[list[Env]], Value]]:
    """The aggregate of a group, given the scope of each of its rows."""
    row = functions.called(node.fn.name, functions.Kind.AGGREGATE, len(node.args), node.where)
    args: list[RexClosure] = []
    for arg in node.args:
        if isinstance(arg, p.Rex):
            args.append((yield arg, context))
    combine = AGGREGATES[row.name]
    fail = context.failing(node.where)

    def run(members: list[Env]) -> Value:
        values: list[Value] = [args[0](member) for member in members] if args else list(members)
        if node.distinct and args:
            values = distinct(values)
        try:
            return combine(values)
        except Forgivable as error:
            return fail("{}", error)
        except EvaluationError as error:
            error.located(node.where)
            raise

    return run
