"""Where the rows of a relation come from: a handler for every class. A class without one depends on everything: each
of its columns on all columns of its inputs and on all its expressions (`unknown_relation`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from firesteel import functions
from firesteel import plan as p
from firesteel.functions.properties import Kind
from firesteel.lineage.expressions import Asking, Env, everything, links_of, opened
from firesteel.lineage.flow import NO_LINKS, NOTHING, Flow, Links, Rows, merged, used
from firesteel.lineage.model import ATTRIBUTES, Link, Source, Use
from firesteel.node import Node, children, has
from firesteel.passes.analysis.columns import columns_of
from firesteel.passes.analysis.conditions import terms


def unknown_relation(node: p.Rel, env: Env | None) -> Asking:
    """The safe default: every column is made from everything, and so is the number of rows."""
    flow: Flow = yield from everything(node, env)
    width = len(p.schema(node))
    return Rows((flow,) * width, used(flow.links, Use.FILTER), frozenset(link.source for link in flow.links))


# ---------------------------------------------------------------------------------------------------------------------
# Leaves


def _scan(node: p.Scan | p.ScanIndexed, env: Env | None) -> Asking:
    """The rows of a subquery are there if its own rows are. The index and the identifier come from the collection."""
    flow: Flow = yield node.rex, env
    place = Flow(used(flow.direct, Use.TRANSFORMATION)) if flow.direct else NOTHING
    columns = (flow.element(), *[place] * (len(p.schema(node)) - 1))
    return Rows(columns, flow.indirect, flow.origins | _identical(flow))


def _identical(flow: Flow) -> frozenset[Source]:
    """The sources that a value is, unchanged."""
    return frozenset(link.source for link in flow.links if link.use is Use.IDENTITY)


def _unpivot(node: p.Unpivot, env: Env | None) -> Asking:
    flow: Flow = yield node.rex, env
    value = flow.any_attribute(ATTRIBUTES)
    return Rows((Flow(flow.used(Use.TRANSFORMATION)), value), flow.indirect, flow.origins | _identical(flow))


# ---------------------------------------------------------------------------------------------------------------------
# One input


def _project(node: p.Project, env: Env | None) -> Asking:
    rows: Rows = yield node.input, env
    inner = Env(rows.columns, env)
    made: list[Flow] = []
    for expr in node.exprs:
        made.append((yield expr, inner))
    return rows.with_columns(made)


def _expand(node: p.Expand, env: Env | None) -> Asking:
    rows: Rows = yield node.input, env
    inner = Env(rows.columns, env)
    made: list[Flow] = []
    for field in node.fields:
        parts: list[Flow] = []
        for rex in children(field):
            parts.append((yield rex, inner))
        made.append(merged(parts))
    return rows.with_columns([*made, NOTHING])


def _same_rows(node: Any, env: Env | None) -> Asking:
    """A relation that changes neither the rows nor their number."""
    return (yield node.input, env)


def _filter(node: p.Filter, env: Env | None) -> Asking:
    """A term that compares columns of two sides of a join for equality joins them: `FROM a, b WHERE a.x = b.y`."""
    rows: Rows = yield node.input, env
    inner = Env(rows.columns, env)
    sides = _sides(node.input)
    links: Links = NO_LINKS
    for term in terms(node.predicate):
        links |= yield from links_of(term, inner, Use.JOIN if _joins(term, sides) else Use.FILTER)
    return rows.also(links)


#: The functions that a join by equality compares with.
EQUALITIES = frozenset(["eq", "comparison:equal"])


def _sides(rel: p.Rel) -> list[int]:
    """For each column the number of the joined relation that it is from."""
    found: list[int] = []
    stack, number = [rel], 0
    while stack:
        one = stack.pop()
        if isinstance(one, p.Join) and not one.capture.tests:
            stack += [one.right, one.left]
        else:
            found += [number] * len(p.schema(one))
            number += 1
    return found


def _joins(term: p.Rex, sides: list[int]) -> bool:
    if has(term, p.Rel):  # what a subquery gives is no column
        return False
    match term:
        case p.Call(fn=p.Fn(name=name), args=(p.Rex() as left, p.Rex() as right)) if name in EQUALITIES:
            from_left, from_right = ({sides[i] for i in columns_of(rex)} for rex in (left, right))
            return bool(from_left) and bool(from_right) and not from_left & from_right
        case _:
            return False


def _limit(node: p.Limit | p.Offset, env: Env | None) -> Asking:
    rows: Rows = yield node.input, env
    return rows.also((yield from links_of(node.count, Env((), env), Use.FILTER)))


def _sort(node: p.Sort | p.TopN, env: Env | None) -> Asking:
    rows: Rows = yield node.input, env
    inner = Env(rows.columns, env)
    links: Links = NO_LINKS
    for spec in node.specs:
        links |= yield from links_of(spec.key, inner, Use.SORT)
    if isinstance(node, p.TopN):
        for count in (node.count, node.skip):
            links |= yield from links_of(count, Env((), env), Use.FILTER)
    return rows.also(links)


def _distinct(node: p.Distinct, env: Env | None) -> Asking:
    rows: Rows = yield node.input, env
    return rows.also(_values(rows, Use.GROUP_BY))


def _values(rows: Rows, use: Use) -> Links:
    """The links of all columns, where the rows are compared with each other."""
    return frozenset().union(*(column.used(use) for column in rows.columns))


def _exclude(node: p.Exclude, env: Env | None) -> Asking:
    """What is left out of a struct whose attributes are known is gone; what stays of any other value comes from it."""
    rows: Rows = yield node.input, env
    columns = [opened(flow, field.type) for flow, field in zip(rows.columns, p.schema(node.input), strict=True)]
    for path in node.paths:
        match path.steps:
            case (p.ExcludeField(name=name, exact=exact),):
                before = columns[path.ordinal]
                kept = [pair for pair in before.pairs if not _is_named(pair[0], name, exact)]
                columns[path.ordinal] = replace(before, pairs=tuple(kept))
    return rows.with_columns(columns)


def _is_named(key: str, name: str, exact: bool) -> bool:
    return key == name or (not exact and key.lower() == name.lower())


def _exchange(node: p.Exchange, env: Env | None) -> Asking:
    """Which partition a row is in is a column only if the exchange is numbered. One that copies rows decides how many
    there are."""
    rows: Rows = yield node.input, env
    inner = Env(rows.columns, env)
    links: Links = NO_LINKS
    for rex in children(node.kind):
        links |= yield from links_of(rex, inner, Use.TRANSFORMATION)
    if node.copies:
        rows = rows.also(used(links, Use.FILTER))
    return rows.with_columns([*rows.columns, Flow(links)]) if node.numbered else rows


def _window(node: p.Window, env: Env | None) -> Asking:
    rows: Rows = yield node.input, env
    inner = Env(rows.columns, env)
    made: list[Flow] = []
    for call in node.calls:
        row = functions.find(call.fn.name)
        use = Use.AGGREGATION if row is not None and row.kind is Kind.AGGREGATE else Use.TRANSFORMATION
        links: Links = NO_LINKS
        for arg in call.args:
            if isinstance(arg, p.Rex):
                links |= yield from links_of(arg, inner, use)
        bounds = () if call.frame is None else (call.frame.start.offset, call.frame.end.offset)
        for part in (*call.partition, *(spec.key for spec in call.order), *bounds):
            links |= yield from links_of(part, inner, Use.WINDOW)
        made.append(Flow(links))
    return rows.with_columns([*rows.columns, *made])


def _aggregate(node: p.Aggregate, env: Env | None) -> Asking:
    """An aggregate of no column (COUNT(*)) is one of the rows."""
    rows: Rows = yield node.input, env
    inner = Env(rows.columns, env)
    made: list[Flow] = []
    groups: Links = NO_LINKS
    for key in node.keys:
        flow: Flow = yield key, inner
        groups |= flow.used(Use.GROUP_BY)
        made.append(flow)
    for agg in node.aggs:
        made.append((yield from _agg(agg, rows, inner)))
    return Rows(tuple(made), rows.links | groups, rows.origins)


def _agg(agg: p.Agg, rows: Rows, inner: Env) -> Asking:
    parts: list[Flow] = []
    for arg in agg.args:
        if isinstance(arg, p.Rex):
            parts.append((yield arg, inner))
    links = yield from links_of(agg.filter, inner, Use.FILTER)
    for spec in agg.order:
        links |= yield from links_of(spec.key, inner, Use.SORT)
    if agg.fn.name in ("collect", "array_agg"):
        return Flow(links, elements=tuple(parts), origins=rows.origins)
    direct = frozenset().union(*(part.used(Use.AGGREGATION) for part in parts))
    return Flow(links | (direct or used((Link(one, Use.IDENTITY) for one in rows.origins), Use.AGGREGATION)))


# ---------------------------------------------------------------------------------------------------------------------
# Two inputs


def _union(node: p.Union, env: Env | None) -> Asking:
    left: Rows = yield node.left, env
    right: Rows = yield node.right, env
    columns = tuple(merged(both) for both in zip(left.columns, right.columns, strict=False))
    made = Rows(columns, left.links | right.links, left.origins | right.origins)
    return made if node.quantifier is p.Quantifier.ALL else made.also(_values(made, Use.GROUP_BY))


def _compared(node: p.Intersect | p.Except, env: Env | None) -> Asking:
    """The rows of the left that the right has, or has not: the right decides. Columns of an intersection are those of
    both."""
    left: Rows = yield node.left, env
    right: Rows = yield node.right, env
    tests = _values(left, Use.FILTER) | right.whole().used(Use.FILTER)
    if isinstance(node, p.Except):
        return left.also(tests)
    columns = tuple(merged(both) for both in zip(left.columns, right.columns, strict=False))
    return Rows(columns, left.links | right.links | tests, left.origins | right.origins)


def _join(node: p.Join, env: Env | None) -> Asking:
    left: Rows = yield node.left, env
    right: Rows = yield node.right, Env(left.columns, env) if node.lateral else env
    links = yield from _condition(node.type, left, right, env)
    if node.lateral:  # a left row is there once for each of the right ones: `FROM t, t.items`
        links |= used((Link(one, Use.IDENTITY) for one in right.origins), Use.JOIN)
    if node.capture.tests:
        links |= right.existing(Use.JOIN, links)
        if node.capture is p.Capture.LEFT_MARK:
            mark = Flow(frozenset(Link(link.source, Use.TRANSFORMATION) for link in links))
            return left.with_columns([*left.columns, mark])
        return left.also(links)
    both = left.links | right.links | links
    return Rows(left.columns + right.columns, both, left.origins | right.origins)


def _condition(type_: p.JoinType, left: Rows, right: Rows, env: Env | None) -> Asking:
    both = Env(left.columns + right.columns, env)
    match type_:
        case p.Equi(keys=keys, residual=residual):
            links = yield from links_of(residual, both, Use.JOIN)
            for key in keys:
                links |= yield from links_of(key.left, Env(left.columns, env), Use.JOIN)
                links |= yield from links_of(key.right, Env(right.columns, env), Use.JOIN)
            return links
        case p.Theta(condition=condition):
            return (yield from links_of(condition, both, Use.JOIN))
        case p.Cross():
            return NO_LINKS
        case _:
            return _values(left, Use.JOIN) | _values(right, Use.JOIN)


RELATIONS: dict[type[Node], Callable[..., Asking]] = {
    p.Scan: _scan,
    p.ScanIndexed: _scan,
    p.Unpivot: _unpivot,
    p.Project: _project,
    p.Expand: _expand,
    p.Filter: _filter,
    p.Limit: _limit,
    p.Offset: _limit,
    p.Sort: _sort,
    p.TopN: _sort,
    p.Distinct: _distinct,
    p.Exclude: _exclude,
    p.Exchange: _exchange,
    p.Window: _window,
    p.Aggregate: _aggregate,
    p.Union: _union,
    p.Intersect: _compared,
    p.Except: _compared,
    p.Join: _join,
    **dict.fromkeys((p.Shared, p.Promised, p.MergingCapture, p.SimpleCapture), _same_rows),
}

__all__ = ["RELATIONS", "unknown_relation"]
