"""Relations, except scans, joins, groups and set operators."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from pyspark.sql import functions as F

from firesteel import plan as p
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate import expression
from firesteel.node import walk
from firesteel.spark.handlers import handles
from firesteel.spark.keys import key
from firesteel.spark.logic import balanced
from firesteel.spark.rex import truth
from firesteel.spark.rows import Order, Rows, projected, staged, trimmed
from firesteel.spark.scope import Run, Scope

Compiling = Generator[Any, Any, Rows]


@handles(p.Project)
def _project(node: p.Project, outer: Scope) -> Compiling:
    rows: Rows = yield node.input, outer
    scope = rows.scope(outer)
    exprs = []
    for expr in node.exprs:
        exprs.append((yield expr, scope))
    return projected(rows, scope, exprs, node.where)


@handles(p.Filter)
def _filter(node: p.Filter, outer: Scope) -> Compiling:
    """Filters over filters are one: a predicate is asked where those below it hold."""
    chain = [node]
    while isinstance(chain[-1].input, p.Filter):
        chain.append(chain[-1].input)
    rows: Rows = yield chain[-1].input, outer
    scope = here = rows.scope(outer)
    conditions = []
    for one in reversed(chain):
        predicate = yield one.predicate, here
        held = here.lowered(truth(here, predicate, "a condition is a boolean", one.predicate.where or one.where))
        conditions.append(held)
        here = here.guarded(F.coalesce(held.plain, F.lit(False)), held)
    return filtered(rows, scope, conditions, node)


def filtered(rows: Rows, scope: Scope, conditions: list[Any], node: p.Rel) -> Rows:
    """The rows for which all conditions, compiled in the scope, are true."""
    assert scope.stages is not None
    bound = bool(scope.stages.levels)
    rows = staged(rows, scope, node.where)
    frame = rows.frame.filter(balanced([condition.plain for condition in conditions], True))
    result = replace(rows, frame=frame, operators=rows.stacked(scope.run, 1, node.where))
    return trimmed(result) if bound and result.names() else result


@handles(p.Sort)
def _sort(node: p.Sort, outer: Scope) -> Compiling:
    """Stable: where the input is a list, its order comes last."""
    rows: Rows = yield node.input, outer
    scope = rows.scope(outer)
    order: list[Order] = []
    for spec in node.specs:
        value = yield spec.key, scope
        found = scope.bind(key(scope, value, spec.key.where or node.where, ordering=True))
        order.append(Order(replace(found, stage=0), spec.order))
    below = rows.order
    return replace(staged(rows, scope, node.where), order=(*order, *below), ordered=True, sorted=False)


@handles(p.Limit)
def _limit(node: p.Limit, outer: Scope) -> Compiling:
    rows: Rows = yield node.input, outer
    count = constant_count(node, outer.run)
    assert count is not None
    frame = rows.in_order().limit(min(count, _MAX))
    return replace(rows, frame=frame, sorted=True, operators=rows.stacked(outer.run, 2, node.where))


@handles(p.Offset)
def _offset(node: p.Offset, outer: Scope) -> Compiling:
    rows: Rows = yield node.input, outer
    count = constant_count(node, outer.run)
    if count is None:
        return rows
    frame = rows.in_order().offset(min(count, _MAX))
    return replace(rows, frame=frame, sorted=True, operators=rows.stacked(outer.run, 2, node.where))


_MAX = 2**31 - 1


def constant_count(node: p.Limit | p.Offset, run: Run) -> int | None:
    """The number of rows, which has to be known before running. None: a wrong OFFSET, forgiven, skips nothing."""
    count: Any
    if isinstance(node.count, p.Lit):
        count = node.count.value
    elif any(isinstance(part, p.Var | p.Global | p.Rel) for part in walk(node.count)):
        raise UnsupportedError(f"'{node.tag}' of a number that is not a constant, on Spark", where=node.where)
    else:
        count = expression(node.count, p.Mode.STRICT if run.strict else p.Mode.PERMISSIVE)([])
    if type(count) is int and count >= 0:
        return count
    if isinstance(node, p.Offset) and not run.strict:
        return None
    raise EvaluationError(f"{node.tag.upper()} takes a number of rows, not {count!r}", where=node.where)
