"""Aggregates: grouping sets, measures."""

from __future__ import annotations

from functools import reduce

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.plan import build
from firesteel.substrait import calls
from firesteel.substrait.lower.arguments import arguments
from firesteel.substrait.lower.base import Lowering, Plans, Scope, condition, over, relation, required
from firesteel.substrait.lower.relations import sort_specs
from firesteel.substrait.message import Message


@relation("aggregate")
def _aggregate(plans: Plans, message: Message, scope: Scope) -> Lowering:
    source = required(message, "input")
    rel = yield source, scope
    inner = over(scope, (rel, source))
    expressions, sets = _grouping_sets(message)
    keys: list[p.Rex] = []
    for one in expressions:
        keys.append((yield one, inner))
    aggs: list[p.Agg] = []
    for measure in message.measures:
        aggs.append((yield from _measure(plans, measure, inner)))
    if not keys and not aggs:
        raise PlanError("an aggregate without keys and without measures has no columns", where=message.where)
    made = _grouped(rel, keys, tuple(aggs), sets, message)
    if len(sets) == 1 or not plans.quirks.no_set_index:
        return made
    plans.repair("an aggregate of several grouping sets without a column for their index", message.where)
    return build.emit(made, range(len(p.schema(made)) - 1))


def _grouping_sets(message: Message) -> tuple[list[Message], list[list[int]]]:
    """The grouping expressions, and for each grouping set the ordinals of those in it.

    Today expressions are listed once and sets refer to them; some write the old form beside it. In the old form each
    set had its own, and those that are equal as messages are one.
    """
    if message.grouping_expressions:
        listed = list(message.grouping_expressions)
        sets = []
        for grouping in message.groupings:
            for ordinal in grouping.expression_references:
                if not 0 <= ordinal < len(listed):
                    raise PlanError(f"no grouping expression {ordinal}: there are {len(listed)}", where=grouping.where)
            sets.append(list(grouping.expression_references))
        return listed, sets or [list(range(len(listed)))]
    found: list[Message] = []
    sets = []
    for grouping in message.groupings:
        ordinals = []
        for one in grouping.grouping_expressions:
            known = next((i for i, other in enumerate(found) if other == one), None)
            if known is None:
                known = len(found)
                found.append(one)
            ordinals.append(known)
        sets.append(ordinals)
    return found, sets or [[]]


def _measure(plans: Plans, message: Message, inner: Scope) -> Lowering:
    call = required(message, "measure")
    args = yield from arguments(plans, call, inner)
    order = yield from sort_specs(plans, call.sorts, inner)
    made: p.Agg = calls.aggregate(call, args, plans.extensions, order)
    if message.has("filter"):
        made = made.replace(filter=condition((yield message.filter, inner), message.filter))
    return made if made.where is not None else made.at(call.where)


def _grouped(rel: p.Rel, keys: list[p.Rex], aggs: tuple[p.Agg, ...], sets: list[list[int]], message: Message) -> p.Rel:
    """One set is an aggregate; of several, each is one, and a column says of which a row is."""
    where = message.where
    if len(sets) == 1 and sets[0] == list(range(len(keys))):
        return p.Aggregate(p.Strategy.FULL, aggs, tuple(keys), rel)
    parts: list[p.Rel] = []
    for index, ordinals in enumerate(sets):
        chosen = list(dict.fromkeys(ordinals))
        grouped = p.Aggregate(p.Strategy.FULL, aggs, tuple(keys[i] for i in chosen), rel).at(where)
        exprs: list[p.Rex] = []
        for i, key in enumerate(keys):
            if i in chosen:
                exprs.append(build.column(grouped, chosen.index(i)))
            else:
                exprs.append(p.Lit(t.absent(key.type, nullable=True), None))
        exprs.extend(build.column(grouped, len(chosen) + i) for i in range(len(aggs)))
        if len(sets) > 1:
            exprs.append(p.Lit(t.INT32, index))
        parts.append(p.Project(tuple(exprs), grouped).at(where))
    return reduce(lambda left, right: p.Union(left, right), parts[1:], parts[0])
