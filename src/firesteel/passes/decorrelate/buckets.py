"""Queries over the rows that may concern the row: these are collected by what ties them to it, and the query, as it
is, ranges over the collection.

What ties them is an equality. Rows are collected by a key that is the same wherever `=` is true, and may be coarser,
because the query still asks its own conditions.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from firesteel import types as t
from firesteel.node import Node
from firesteel.passes.analysis.conditions import filtered
from firesteel.passes.decorrelate.conditions import keys_among
from firesteel.passes.decorrelate.matched import groups_by
from firesteel.passes.decorrelate.parts import Packed, Way, column, first_columns, grouped, looked_up, or_empty
from firesteel.passes.decorrelate.pull import Pulled, pulled
from firesteel.passes.decorrelate.risk import risky
from firesteel.passes.decorrelate.scopes import sees, tabled, width
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
    """The query over the rows that equalities tie to the row."""
    return (yield from _bucketed(outer, rex, mode, within=True))


def simply_bucketed(outer: Rel, rex: Rex, lazy: bool, mode: Mode) -> Way:
    """The same, if nothing stands between the query and these rows, and it asks no more of tables."""
    query = query_of(rex)
    if isinstance(query, Select) and tabled(query.constructor):
        return None
    return (yield from _bucketed(outer, rex, mode, within=False))


def _bucketed(outer: Rel, rex: Rex, mode: Mode, *, within: bool) -> Way:
    query = query_of(rex)
    rel = query.input if query is not None else None
    found = None
    while rel is not None:
        found = _tied(rel, mode)
        if found is not None:
            break
        rel = rel.input if within and isinstance(rel, _UNARY) else None
    if found is None or rel is None or query is None:
        return None
    below, keys, rest = found
    exact = all(groups_by(key.left.type) and groups_by(key.right.type) for key in keys)
    tied = [JoinKey(_bucket(key.left), _bucket(key.right)) for key in keys]
    if rel is query.input and isinstance(query, Select) and exact and not rest and _own(query, mode):
        groups = yield from _collected(below.rel, query.constructor, tied)
        made, bag = _with_bucket(outer, groups, tied)
        return made, replaced(rex, lambda node, level: bag if node is query else None)
    packed = Packed([column(below.rel, i) for i in range(width(below.rel))], mode)
    groups = yield from _collected(below.rel, packed.value, tied)
    made, bag = _with_bucket(outer, groups, tied)
    conditions = rest if exact else below.conditions
    items = first_columns(filtered(packed.rel(bag), conditions), width(rel))
    return made, replaced(rex, lambda node, level: items if node is rel else None)


def _tied(rel: Rel, mode: Mode) -> tuple[Pulled, list[JoinKey], list[Rex]] | None:
    """The relation without its conditions on the outer row, those that are keys, and the others."""
    for lazy in (False, True):
        found = pulled(rel, mode, lazy=lazy)
        if found is None or risky(found.rel, mode):
            continue
        keys, rest = keys_among(found.conditions, mode)
        if keys:
            return found, keys, rest
    return None


def _own(query: Select, mode: Mode) -> bool:
    """Is what a query makes of a row made of that row alone, and without an error? Is it a bag?"""
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
    """A key that is the same for values of which `=` is true: of a date the timestamp of its midnight, and one for
    all containers."""
    if groups_by(rex.type):
        return rex
    branches = [Branch(build.call("is_type", rex, kind), build.lit(True)) for kind in _CONTAINERS if _may_be(rex, kind)]
    if _may_be(rex, t.DATE):
        branches.append(Branch(build.call("is_type", rex, t.DATE), build.call("cast", rex, t.TIMESTAMP)))
    return Case(t.ANY, None, tuple(branches), default=rex)


_CONTAINERS = (t.ARRAY, t.BAG, t.STRUCT, t.SEXP)


def _may_be(rex: Rex, kind: t.Type) -> bool:
    return any(isinstance(member, type(kind) | t.Any | t.Unresolved) for member in t.members(rex.type))
