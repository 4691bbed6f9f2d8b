"""Compute a subquery once for every distinct combination of the outer values that it reads: the *domain*.

The domain is a relation of distinct rows. The input of the subquery is joined with it (`push.py`), the answers are
grouped by it, and each outer row looks up its answer. In this lookup NULL matches NULL, and MISSING matches MISSING.

Of values that are equal but not identical (`1` and `1.0`) the domain keeps one. So this way is right only if equal
values of the type are identical, or if the subquery does nothing but compare them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from firesteel import types as t
from firesteel.node import Node
from firesteel.passes.analysis.columns import renumbered
from firesteel.passes.analysis.conditions import all_of
from firesteel.passes.analysis.equality import sees_equality_only
from firesteel.passes.decorrelate.conditions import join_terms
from firesteel.passes.decorrelate.matched import scalar_aggregate, with_aggregates
from firesteel.passes.decorrelate.parts import Packed, Way, column, grouped, listed, or_empty
from firesteel.passes.decorrelate.push import Domain, pushed
from firesteel.passes.decorrelate.risk import risky
from firesteel.passes.decorrelate.scopes import side_by_side, width
from firesteel.passes.decorrelate.sites import query_of
from firesteel.plan import (
    Aggregate,
    Call,
    Capture,
    Distinct,
    Equi,
    Join,
    Key,
    Limit,
    Lit,
    Mode,
    Offset,
    Path,
    Pivot,
    Project,
    Rel,
    Rex,
    Select,
    Sort,
    SortSpec,
    Var,
    build,
    is_list,
)
from firesteel.plan.scope import replaced

#: Equal values of these types are identical.
_SAME = (t.Bool, t.Integer, t.String, t.Date, t.Null, t.Missing)


@dataclass(frozen=True)
class _Asked:
    """What a subquery reads of the outer row: the expressions, and the subquery's relation over a row of just them."""

    exprs: tuple[Rex, ...]
    rel: Rel


def by_domain(outer: Rel, rex: Rex, lazy: bool, mode: Mode) -> Way:
    """The subquery, computed for every combination of values in the outer rows."""
    query = query_of(rex)
    if query is None or risky(query, mode):
        return None
    single = scalar_aggregate(rex)
    if single is not None:
        return (yield from _aggregated(outer, *single, mode))
    made_of = [query.constructor] if isinstance(query, Select) else [query.key, query.value]
    order = _order(query)
    if order is None:
        return None
    packed = Packed([*made_of, *order], mode)
    asked = _asked(Project((packed.value,), query.input))
    if asked is None:
        return None
    domain = Domain(Distinct(Project(asked.exprs, outer)))
    answers = pushed(domain, asked.rel, mode)
    if answers is None:
        return None
    if isinstance(rex, Call) and rex.fn.name == "exists":
        rows: Rel = yield (answers,)
        with_mark = Join(Equi(Capture.LEFT_MARK, keys=domain.same(asked.exprs, domain.columns())), outer, rows)
        return with_mark, column(with_mark, width(outer))
    answer = column(answers, domain.width)
    groups: Rel = yield (grouped(answers, [build.agg("collect", answer)], domain.keys()),)
    keys = domain.same(asked.exprs, domain.restored(groups))
    made = Join(Equi(Capture.LEFT, keys=keys), outer, listed(groups, outer))
    items = packed.rel(or_empty(column(made, width(made) - 1)))
    return made, replaced(rex, lambda node, _: _over(query, items) if node is query else None)


def _aggregated(outer: Rel, value: Rex, rel: Aggregate, mode: Mode) -> Way:
    """A scalar subquery of aggregates. A combination without rows gets NULL from the outer join, and a COUNT gets 0."""
    asked = _asked(rel)
    if asked is None:
        return None
    assert isinstance(asked.rel, Aggregate)
    domain = Domain(Distinct(Project(asked.exprs, outer)))
    source = pushed(domain, asked.rel.input, mode)
    if source is None:
        return None
    aggs = [side_by_side(agg, domain.width) for agg in asked.rel.aggs]
    groups: Rel = yield (grouped(source, aggs, domain.keys()),)
    keys = domain.same(asked.exprs, domain.restored(groups))
    made = Join(Equi(Capture.LEFT, keys=keys), outer, listed(groups, outer))
    first = width(made) - len(aggs)
    return made, with_aggregates(value, made, rel.aggs, first, padded=True)


def lateral_by_domain(join: Join, mode: Mode) -> Rel | None:
    """A lateral join as a join with the right side's rows for every combination in the left rows. The result is still
    to be decorrelated."""
    if risky(join.right, mode) or join.capture.pads_left or is_list(join) is not False:
        return None
    asked = _asked(join.right)
    if asked is None:
        return None
    left = join.left
    domain = Domain(Distinct(Project(asked.exprs, left)))
    right = pushed(domain, asked.rel, mode)
    if right is None:
        return None
    before, more = width(left), domain.width
    own = [renumbered(term, lambda i: i + more if i >= before else i) for term in join_terms(join.type, before)]
    keys = domain.same(asked.exprs, domain.columns())
    made = Join(Equi(join.capture, keys=keys, residual=all_of(own) if own else None), left, right).at(join.where)
    if join.capture.tests:
        return made
    return build.emit(made, [*range(before), *range(before + more, width(made))])


# ---------------------------------------------------------------------------------------------------------------------
# What the subquery reads of the outer row


def _asked(rel: Rel) -> _Asked | None:
    """What a relation reads of the outer row; None if the choice among equal values could change its answer."""
    exprs: dict[Rex, int] = {}
    lossy = False

    def look(node: Node, level: int) -> Node | None:
        nonlocal lossy
        if isinstance(node, Call) and sees_equality_only(node):
            args = [_column(arg, level) if isinstance(arg, Rex) else None for arg in node.args]
            made = [place(atom, level) if atom is not None else arg for atom, arg in zip(args, node.args, strict=True)]
            if any(atom is not None for atom in args):
                rest = [replaced_in(arg, level) if atom is None else arg for atom, arg in zip(args, made, strict=True)]
                return node.replace(args=tuple(rest))
        atom = _column(node, level)
        if atom is None:
            return None
        lossy = lossy or not _is_same(atom.type)
        return place(atom, level)

    def place(atom: Rex, level: int) -> Rex:
        return Var(atom.type, exprs.setdefault(atom, len(exprs)), depth=level)

    def replaced_in(arg: Any, level: int) -> Any:
        if not isinstance(arg, Rex):
            return arg
        return replaced(arg, lambda node, below: look(node, level + below))

    made = replaced(rel, look)
    return None if lossy or not exprs else _Asked(tuple(exprs), made)


def _column(node: Node, level: int) -> Rex | None:
    """A column of the outer row, or an attribute of one, as it reads over that row; None for anything else."""
    match node:
        case Var() if node.depth == level:
            return node.replace(depth=0)
        case Path(root=Var() as root, steps=steps) if root.depth == level and all(map(_is_name, steps)):
            return node.replace(root=root.replace(depth=0)).at(None)
        case _:
            return None


def _is_name(step: Node) -> bool:
    return isinstance(step, Key) and isinstance(step.key, Lit)


def _is_same(type_: t.Type) -> bool:
    """Are equal values of the type identical?"""
    return all(
        isinstance(member, _SAME) or (isinstance(member, t.Decimal) and member.precision is not None)
        for member in t.members(type_)
    )


# ---------------------------------------------------------------------------------------------------------------------
# The answers


def _over(query: Select | Pivot, items: Rel) -> Rex:
    """The query over its collected answers: a bag is taken as it is, a list is sorted again, PIVOT builds its
    struct."""
    if isinstance(query, Pivot):
        return query.replace(key=column(items, 0), value=column(items, 1), input=items)
    specs = _specs(query)
    if specs:
        items = Sort(tuple(spec.replace(key=column(items, i + 1)) for i, spec in enumerate(specs)), items)
    return query.replace(constructor=column(items, 0), input=items)


def _specs(query: Select) -> tuple[SortSpec, ...]:
    """The sort keys of a query that gives a list; () for a bag."""
    rel = query.input
    while isinstance(rel, Limit | Offset):
        rel = rel.input
    return rel.specs if isinstance(rel, Sort) and not isinstance(query.type, t.Bag) else ()


def _order(query: Select | Pivot) -> list[Rex] | None:
    """The sort keys to collect with the answers: [] for a bag, None for a list that is ordered by something else."""
    if isinstance(query, Pivot) or isinstance(query.type, t.Bag):
        return []
    if not isinstance(query.type, t.Collection) and is_list(query.input) is False:
        return []
    specs = _specs(query)
    return [spec.key for spec in specs] or None
