"""Aggregates: grouping sets, measures."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from decimal import Decimal
from functools import reduce

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.plan.field_paths import field_path
from firesteel.rules import PlanRule
from firesteel.source import Place, Span
from firesteel.substrait import calls, own_messages
from firesteel.substrait.lower.base import (
    FieldScope,
    Lowerer,
    Lowering,
    relation,
    require_boolean,
    require_field,
    scope_over,
)
from firesteel.substrait.lower.expressions.arguments import arguments
from firesteel.substrait.lower.relations.grouping import GroupingSets, Layout, read_grouping
from firesteel.substrait.lower.relations.logical import sort_specs
from firesteel.substrait.message import Message
from firesteel.substrait.types import UNSIGNED


@relation("aggregate")
def _aggregate(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    source = require_field(message, "input")
    rel = yield source, scope
    inner = scope_over(scope, (rel, source))
    groups = read_grouping(message, lowerer.extensions.dialect)
    keys: list[p.Rex] = []
    for one in groups.keys:
        keys.append((yield one, inner))
    aggs: list[p.Agg] = []
    for measure in message.measures:
        aggs.append((yield from _measure(lowerer, measure, inner)))
    if not keys and not aggs:
        raise PlanRule.EMPTY.broken(
            "an aggregate without keys and without measures has no columns", where=message.where
        )
    if groups.repair is not None:
        lowerer.repair(groups.repair, message.where)
    return grouped(rel, keys, tuple(aggs), groups, _method(message), message.where)


def _measure(lowerer: Lowerer, message: Message, inner: FieldScope) -> Lowering:
    call = require_field(message, "measure")
    args = yield from arguments(lowerer, call, inner)
    order = yield from sort_specs(lowerer, call.sorts, inner, compares="the order of an aggregate")
    made: p.Agg = calls.aggregate(call, args, lowerer.extensions, order)
    if message.has("filter"):
        made = made.replace(filter=require_boolean((yield message.filter, inner), message.filter))
    return made if made.where is not None else made.at(call.where)


_METHODS = {"METHOD_HASH": p.AggregateMethod.HASH, "METHOD_STREAMING": p.AggregateMethod.STREAMING}


def _method(message: Message) -> p.AggregateMethod | None:
    found = own_messages.find(message, own_messages.AGGREGATE_STRATEGY)
    return None if found is None else _METHODS.get(found.label("method"))


def grouped(
    rel: p.Rel,
    keys: Sequence[p.Rex],
    aggs: tuple[p.Agg, ...],
    groups: GroupingSets,
    method: p.AggregateMethod | None,
    where: Place | Span | None = None,
) -> p.Rel:
    """One grouping set is one Aggregate; several are a union of them, with a column that tells the set of a row. The
    union loses the order that streaming aggregates keep, so it is sorted by what the sets have in common of it."""
    sets = groups.sets
    if len(sets) == 1 and sets[0] == tuple(range(len(keys))):
        return p.Aggregate(p.Strategy.FULL, aggs, tuple(keys), rel, method=method)
    marks = _marks(groups)
    parts: list[p.Rel] = []
    for ordinals, mark in zip(sets, marks, strict=True):
        chosen = list(dict.fromkeys(ordinals))
        counted = aggs or ((build.agg("count_star"),) if not chosen else ())  # no keys: still one row
        taken = tuple(keys[i] for i in chosen)
        grouped = p.Aggregate(p.Strategy.FULL, counted, taken, rel, method=method).at(where)
        exprs: list[p.Rex] = []
        for i, key in enumerate(keys):
            if i in chosen:
                exprs.append(build.column(grouped, chosen.index(i)))
            else:
                exprs.append(p.Lit(t.absent(key.type, nullable=True), None))
        measures = [build.column(grouped, len(chosen) + i) for i in range(len(aggs))]
        exprs += [*mark, *measures] if groups.layout is Layout.MASK else [*measures, *mark]
        parts.append(p.Project(tuple(exprs), grouped).at(where))
    made = reduce(lambda left, right: p.Union(left, right), parts[1:], parts[0])
    if method is not p.AggregateMethod.STREAMING or len(parts) == 1:
        return made
    specs = tuple([p.SortSpec(build.column(made, i), order) for i, order in _common_order(rel, keys, sets)])
    return p.Sort(specs, made.at(where)).at(where) if specs else made


def _common_order(
    rel: p.Rel, keys: Sequence[p.Rex], sets: tuple[tuple[int, ...], ...]
) -> list[tuple[int, p.SortOrder]]:
    """The keys that the rows of all grouping sets are ordered by, with their directions: the first fields of the
    input's order that every set has. If nothing is known of that order yet, the first keys of the sets, which a sort of
    the input begins with."""
    everywhere = set(range(len(keys))).intersection(*sets)
    known = p.relation_properties(rel).order
    if not known:
        shared = itertools.takewhile(lambda step: len(set(step)) == 1, zip(*sets, strict=False))
        return [(step[0], p.SortOrder.ASC_NULLS_FIRST) for step in shared]
    paths = {path: i for i, key in enumerate(keys) if i in everywhere and (path := field_path(key)) is not None}
    found: list[tuple[int, p.SortOrder]] = []
    for one in known:
        place = next((paths[path] for path in one.field if path in paths), None)
        if place is None or one.comparator is not None:
            break
        found.append((place, one.order))
    return found


def _marks(groups: GroupingSets) -> list[list[p.Rex]]:
    """The column that tells which set a row is of: one value per set, or no column."""
    if len(groups.sets) == 1 or groups.layout is Layout.NO_INDEX:
        return [[] for _ in groups.sets]
    if groups.layout is Layout.SPECIFIED:
        return [[p.Lit(t.INT32, i)] for i in range(len(groups.sets))]
    masks = _masks(groups)
    bits = max(masks).bit_length()
    type_ = next(type_ for size, type_ in UNSIGNED.values() if bits <= size)
    return [[p.Lit(type_, Decimal(mask) if isinstance(type_, t.Decimal) else mask)] for mask in masks]


def _masks(groups: GroupingSets) -> list[int]:
    """DataFusion's grouping id of each set: one bit for every key that the set leaves out, the lowest for the last key;
    the bits above count how often the same set came before."""
    width, found = len(groups.keys), list[int]()
    for ordinals in groups.sets:
        mask = sum(1 << (width - 1 - i) for i in range(width) if i not in ordinals)
        before = sum(1 for known in found if known % (1 << width) == mask)
        found.append(before << width | mask)
    return found
