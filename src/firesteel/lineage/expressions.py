"""Where the value of an expression comes from: a handler for every class. A class without one is made from all its
parts (`everything`)."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.lineage.flow import NO_LINKS, NOTHING, Flow, Links, Rows, merged
from firesteel.lineage.model import ATTRIBUTES, Link, Source, Use
from firesteel.node import Node, children
from firesteel.plan import inputs


class Env:
    """The rows in scope."""

    def __init__(self, row: tuple[Flow, ...], outer: Env | None) -> None:
        self.row = row
        self.outer = outer


#: A handler asks for the flow of an expression, or the rows of a relation, and is sent it.
Asking = Generator[tuple[Node, "Env | None"], Any, Any]

#: Functions that give their arguments, or the elements of them, unchanged.
_UNCHANGED = frozenset(["struct_concat", "filter_distinct", "to_bag", "as_bag"])


def everything(node: Node, env: Env | None) -> Asking:
    """The default: the value is made from all parts of the node, and the rows of its inputs."""
    links: set[Link] = set()
    row: tuple[Flow, ...] = ()
    sources = inputs(node)
    for source in sources:
        rows: Rows = yield source, env
        row += rows.columns
        links |= rows.whole().all_links()
    inner = Env(row, env) if sources and isinstance(node, p.Rel | p.Rex) else env
    for kid in children(node):
        if not isinstance(kid, p.Rel):
            links |= yield from links_of(kid, inner, Use.TRANSFORMATION)
    return Flow(Flow(frozenset(links)).used(Use.TRANSFORMATION))


def links_of(node: Node | None, env: Env | None, use: Use) -> Generator[tuple[Node, Env | None], Any, Links]:
    """The links of an expression, where it is used so."""
    if node is None:
        return NO_LINKS
    flow: Flow = yield node, env
    return flow.used(use)


def _constant(_node: Node, _env: Env | None) -> Asking:
    yield from ()
    return NOTHING


def _unresolved(node: p.UnresolvedVar, _env: Env | None) -> Asking:
    yield from ()
    return Flow(frozenset([Link(Source(node.name), Use.IDENTITY)]))


def _column(node: p.Var, env: Env | None) -> Asking:
    yield from ()
    for _ in range(node.depth):
        env = env.outer if env is not None else None
    return env.row[node.ordinal] if env is not None and node.ordinal < len(env.row) else NOTHING


def _call(node: p.Call, env: Env | None) -> Asking:
    row = functions.find(node.fn.name)
    if node.fn.name in _UNCHANGED:
        parts: list[Flow] = []
        for arg in node.values:
            parts.append(opened((yield arg, env), arg.type))
        return merged(parts)
    if row is not None and row.asks_for_elements:
        (arg,) = node.values
        if isinstance(arg, p.Select):
            rows: Rows = yield arg.input, env
            return Flow(rows.existing(Use.TRANSFORMATION))
    use = Use.AGGREGATION if row is not None and row.aggregate is not None else Use.TRANSFORMATION
    links: set[Link] = set()
    for arg in node.values:
        links |= yield from links_of(arg, env, use)
    return Flow(frozenset(links))


def opened(flow: Flow, type_: t.Type) -> Flow:
    """An unchanged struct of a known type, as the flows of its attributes."""
    type_ = t.proper(type_)
    if flow.pairs or not flow.direct or not isinstance(type_, t.Struct) or type_.open:
        return flow
    return Flow(flow.indirect, tuple((one.name or "", flow.attribute(one.name or "", True)) for one in type_.fields))


def _path(node: p.Path, env: Env | None) -> Asking:
    flow: Flow = yield node.root, env
    ranged: Links | None = None
    for step in node.steps:
        match step:
            case p.Key(key=p.Lit(type=t.Text() as type_, value=str() as text)):
                flow = flow.attribute(str(text), not isinstance(type_, t.Symbol))
            case p.Key(key=p.Lit(value=int() as index)):
                flow = flow.element(f"[{index}]").also(flow.indirect)
            case p.Key(key=key):
                chosen = yield from links_of(key, env, Use.CONDITIONAL)
                stepped = flow.any_attribute(ATTRIBUTES) if isinstance(key.type, t.Text) else flow.element()
                flow = stepped.also(flow.indirect | chosen)
            case p.Wildcard():
                ranged = (ranged or NO_LINKS) | flow.indirect
                flow = flow.element()
            case p.UnpivotStep():
                ranged = (ranged or NO_LINKS) | flow.indirect
                flow = flow.any_attribute(ATTRIBUTES)
            case _:
                flow = Flow(flow.used(Use.TRANSFORMATION) | (yield from links_of(step, env, Use.TRANSFORMATION)))
    return flow if ranged is None else Flow(ranged, elements=(flow,))


def _case(node: p.Case, env: Env | None) -> Asking:
    if _is_wildcard(node):
        return (yield node.branches[0].then, env)
    links = yield from links_of(node.match, env, Use.CONDITIONAL)
    results: list[Flow] = []
    for branch in node.branches:
        links |= yield from links_of(branch.when, env, Use.CONDITIONAL)
        results.append((yield branch.then, env))
    if node.default is not None:
        results.append((yield node.default, env))
    return merged(results).also(links)


def _is_wildcard(node: p.Case) -> bool:
    """Is it what SELECT * makes of a value of any type: the value, and one that is no struct as the attribute `_1`?"""
    match node:
        case p.Case(
            match=None,
            branches=(p.Branch(when=p.Call(fn=p.Fn(name="is_type"), args=(value, t.Struct())), then=then),),
            default=p.Struct(pairs=(p.Pair(value=wrapped),)),
        ):
            return value == then == wrapped
        case _:
            return False


def _collection(node: p.Collection, env: Env | None) -> Asking:
    items: list[Flow] = []
    for item in node.items:
        items.append((yield item, env))
    return Flow(elements=tuple(items))


def _struct(node: p.Struct, env: Env | None) -> Asking:
    links: Links = NO_LINKS
    pairs: list[tuple[str, Flow]] = []
    for pair in node.pairs:
        value: Flow = yield pair.value, env
        if isinstance(pair.key, p.Lit):
            pairs.append((str(pair.key.value), value))
        else:
            links |= yield from links_of(pair.key, env, Use.CONDITIONAL)
            pairs.append((ATTRIBUTES, value))
    return Flow(links, pairs=tuple(pairs))


def _select(node: p.Select, env: Env | None) -> Asking:
    rows: Rows = yield node.input, env
    made: Flow = yield node.constructor, Env(rows.columns, env)
    return Flow(rows.links, elements=(made,), origins=rows.origins)


def _pivot(node: p.Pivot, env: Env | None) -> Asking:
    rows: Rows = yield node.input, env
    inner = Env(rows.columns, env)
    key = yield from links_of(node.key, inner, Use.CONDITIONAL)
    value: Flow = yield node.value, inner
    return Flow(rows.links | key, pairs=((ATTRIBUTES, value),), origins=rows.origins)


def _scalar(node: p.CollToScalar, env: Env | None) -> Asking:
    """The only attribute of the only row, whatever the attribute's name is."""
    query: Flow = yield node.query, env
    row = query.element()
    parts = [part for _, part in row.pairs]
    whole = [Flow(row.links, elements=row.elements)] if row.links or row.elements else []
    return merged([*parts, *whole]).also(query.indirect)


EXPRESSIONS: dict[type[Node], Callable[..., Asking]] = {
    **dict.fromkeys((p.Lit, p.Parameter), _constant),
    p.UnresolvedVar: _unresolved,
    p.Var: _column,
    p.Path: _path,
    p.Struct: _struct,
    p.Collection: _collection,
    p.Case: _case,
    p.Call: _call,
    p.CollToScalar: _scalar,
    p.Select: _select,
    p.Pivot: _pivot,
}

__all__ = ["EXPRESSIONS", "Asking", "Env", "everything", "links_of", "opened"]
