"""Inside subqueries, say physical relations by logical ones, which decorrelation knows.

    top_n k limit 2 skip 1      →    limit 2 over offset 1 over sort k
    expand                      →    a join with the numbers of the duplicates
    exchange, promised          →    their input: a subquery has one partition

A relation is inside a subquery if there is a row around it: in an expression, or on the right of a lateral join.
"""

from __future__ import annotations

from typing import Any

from firesteel import types as t
from firesteel.node import Node, drive, has, rebuild
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import (
    Branch,
    Case,
    Consistent,
    Cross,
    Exchange,
    Expand,
    ExpandField,
    Filter,
    Join,
    Limit,
    Lit,
    MergingCapture,
    Offset,
    Plan,
    Project,
    Promised,
    Rel,
    Rex,
    RoundRobin,
    Scan,
    Scatter,
    Sort,
    Switching,
    TopN,
    Var,
    Window,
    WindowCall,
    build,
    schema,
)
from firesteel.plan.scope import levels

_PHYSICAL = (TopN, Expand, Exchange, Promised, MergingCapture)


@plan_pass(Phase.LOWER)
def plain_subqueries(plan: Plan, _: Context) -> Plan:
    """Say physical relations inside subqueries by logical ones."""
    if not has(plan.statement, *_PHYSICAL):
        return plan
    done: dict[tuple[int, bool], tuple[Node, Node]] = {}  # keeps the nodes alive, so that ids are not used again

    def dispatch(node: Node, inside: bool) -> Any:
        if not has(node, *_PHYSICAL):
            return node
        known = done.get((id(node), inside))
        return known[0] if known is not None else rewritten(node, inside)

    def rewritten(node: Node, inside: bool) -> Any:
        kids = []
        for kid, level in levels(node, 0):
            kids.append((yield kid, inside or level > 0))
        made = rebuild(node, kids)
        result = _plain(made) if inside else made
        done[id(node), inside] = result, node
        return result

    return plan.replace(statement=drive(dispatch, plan.statement, False))


def _plain(node: Node) -> Node:
    match node:
        case TopN(ties=True):
            return _with_ties(node)
        case TopN():
            made: Rel = Sort(node.specs, node.input).at(node.where)
            made = made if node.skip is None else Offset(_or_else(node.skip, 0), made).at(node.where)
            return Limit(_or_else(node.count, _ALL), made).at(node.where)
        case Expand():
            return _expanded(node)
        case Exchange(kind=Scatter() | RoundRobin()) | Promised(verified=False) | MergingCapture():
            return node.input
    return node


#: A NULL count means all rows.
_ALL = 2**31 - 1


def _or_else(count: Rex, default: int) -> Rex:
    return build.call("coalesce", count, Lit(count.type, default)) if count.type.nullable else count


def _with_ties(node: TopN) -> Rel:
    """The rows from an offset on, so many, and those that are equal to the last of them: whose rank is among the first.
    That rank and the number of a row are asked of one window: both count from 1 in the order of the sort."""
    places = tuple(WindowCall(build.signature(name, ()), (), (), node.specs) for name in ("rank", "row_number"))
    ranked = Window(places, node.input).at(node.where)
    width = len(schema(node.input))
    first = Lit(t.INT64, 0) if node.skip is None else _or_else(node.skip, 0)
    last = build.call("plus", first, _or_else(node.count, _ALL))
    among = build.call("lte", build.column(ranked, width), last)
    if node.skip is not None:
        among = build.call("and", among, build.call("gt", build.column(ranked, width + 1), first))
    return Sort(node.specs, build.emit(Filter(among, ranked).at(node.where), range(width))).at(node.where)


def _expanded(node: Expand) -> Rel:
    """The duplicates of a row come one after the other, so that a list stays one."""
    joined = Join(Cross(), node.input, Scan(Lit(t.Array(t.INT32), list(range(node.count)))))
    index = Var(t.INT32, len(schema(node.input)))
    exprs = tuple(_chosen(field, index, node.count) for field in node.fields)
    return Project((*exprs, index), joined, names=node.names).at(node.where)


def _chosen(field: ExpandField, index: Var, count: int) -> Rex:
    if isinstance(field, Consistent):
        return field.value
    assert isinstance(field, Switching)
    type_, choices = field.type_of(count), list(field.duplicates)
    if len(choices) < count:
        choices.append(Lit(t.absent(type_, nullable=True), None))
    branches = tuple(Branch(Lit(t.INT32, i), one) for i, one in enumerate(choices[:-1]))
    return Case(type_, index, branches, default=choices[-1]) if branches else choices[-1]


__all__ = ["plain_subqueries"]
