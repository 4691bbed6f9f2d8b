"""Collect the inner rows by the keys that tie them to the outer row, and let the subquery range over the collection.

    (SELECT VALUE i.x FROM i WHERE i.k = o.k)    →    o left join (i grouped by k, collected), query over the collection

The keys come from equalities. If `=` and grouping disagree for a type (a date and a timestamp can be equal), rows are
collected by a coarser key, and the subquery checks its conditions again.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from firesteel import types as t
from firesteel.node import Node
from firesteel.passes.analysis.conditions import filtered
from firesteel.passes.analysis.node_memo import has_table
from firesteel.passes.decorrelate.conditions import keys_among
from firesteel.passes.decorrelate.matched import groups_by
from firesteel.passes.decorrelate.parts import Packed, Way, column, first_columns, grouped, looked_up, or_empty
from firesteel.passes.decorrelate.pull import Pulled, pulled
from firesteel.passes.decorrelate.risk import risky
from firesteel.passes.decorrelate.scopes import sees, width
from firesteel.passes.decorrelate.sites import query_of
from firesteel.plan import (
    Aggregate,
    Branch,
    Case,
    Distinct,
    Exclude,
    Filter,
    JoinKey,
    Limit,
    Mode,
    Offset,
    Project,
    Rel,
    Rex,
    Select,
    Sort,
    Window,
    build,
)
from firesteel.plan.scope import replaced

_UNARY = Aggregate | Distinct | Exclude | Filter | Limit | Offset | Project | Sort | Window


def bucketed(outer: Rel, rex: Rex, lazy: bool, mode: Mode) -> Way:
    """The subquery over the rows that equalities tie to the outer row, which may be below other relations of it."""
    return (yield from _bucketed(outer, rex, mode, within=True))


def simply_bucketed(outer: Rel, rex: Rex, lazy: bool, mode: Mode) -> Way:
    """The same, if those rows are the subquery's direct input and its result contains no table."""
    query = query_of(rex)
    if isinstance(query, Select) and has_table(query.constructor):
        return None
    return (yield from _bucketed(outer, rex, mode, within=False))


def _bucketed(outer: Rel, rex: Rex, mode: Mode, *, within: bool) -> Way:
    query = query_of(rex)
    rel = query.input if query is not None else None
    split = None
    while rel is not None:
        split = _split_keys(rel, mode)
        if split is not None:
            break
        rel = rel.input if within and isinstance(rel, _UNARY) else None
    if split is None or rel is None or query is None:
        return None
    below, keys, rest = split
    exact = all(groups_by(key.left.type) and groups_by(key.right.type) for key in keys)
    tied = [JoinKey(_bucket(key.left), _bucket(key.right)) for key in keys]
    if rel is query.input and isinstance(query, Select) and exact and not rest and _reads_own_row_only(query, mode):
        groups = yield from _collected(below.rel, query.constructor, tied)
        made, bag = _with_bucket(outer, groups, tied)
        return made, replaced(rex, lambda node, level: bag if node is query else None)
    packed = Packed([column(below.rel, i) for i in range(width(below.rel))], mode)
    groups = yield from _collected(below.rel, packed.value, tied)
    made, bag = _with_bucket(outer, groups, tied)
    conditions = rest if exact else below.conditions
    items = first_columns(filtered(packed.rel(bag), conditions), width(rel))
    return made, replaced(rex, lambda node, level: items if node is rel else None)


def _split_keys(rel: Rel, mode: Mode) -> tuple[Pulled, list[JoinKey], list[Rex]] | None:
    """The relation without its conditions on the outer row, those that are keys, and the others. None without keys."""
    for lazy in (False, True):
        below = pulled(rel, mode, lazy=lazy)
        if below is None or risky(below.rel, mode):
            continue
        keys, rest = keys_among(below.conditions, mode)
        if keys:
            return below, keys, rest
    return None


def _reads_own_row_only(query: Select, mode: Mode) -> bool:
    """Is the query a bag of values that are computed from its own rows alone, without errors? Then these values can be
    collected, instead of the rows."""
    if sees(query.constructor, 1) or risky(query.constructor, mode):
        return False
    return isinstance(query.type, t.Bag)


def _collected(rel: Rel, value: Rex, keys: list[JoinKey]) -> Generator[tuple[Node], Any, Rel]:
    present = [build.call("not", build.call("is_null", key.right)) for key in keys if key.right.type.absent]
    source = grouped(filtered(rel, present), [build.agg("collect", value)], [key.right for key in keys])
    groups: Rel = yield (source,)
    return groups


def _with_bucket(outer: Rel, groups: Rel, keys: list[JoinKey]) -> tuple[Rel, Rex]:
    tied = [JoinKey(key.left, column(groups, i)) for i, key in enumerate(keys)]
    made = looked_up(outer, groups, tied)
    return made, or_empty(column(made, width(outer) + len(keys)))


def _bucket(rex: Rex) -> Rex:
    """A grouping key that is the same for all values that are `=`: a date becomes the timestamp of its midnight, and
    all containers share one key."""
    if groups_by(rex.type):
        return rex
    branches = [Branch(build.call("is_type", rex, kind), build.lit(True)) for kind in _CONTAINERS if _may_be(rex, kind)]
    if _may_be(rex, t.DATE):
        branches.append(Branch(build.call("is_type", rex, t.DATE), build.call("cast", rex, t.TIMESTAMP)))
    return Case(t.ANY, None, tuple(branches), default=rex)


_CONTAINERS = (t.ARRAY, t.BAG, t.STRUCT, t.SEXP)


def _may_be(rex: Rex, kind: t.Type) -> bool:
    return any(isinstance(member, type(kind) | t.Any | t.Unresolved) for member in t.members(rex.type))
