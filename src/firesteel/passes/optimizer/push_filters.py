"""Conditions go to where their columns come from, and make joins of cross products.

    filter (a.x = b.y AND a.z > 1)            join equi on a.x = b.y
    └─ join cross                      →      ├─ filter (z > 1)
       ├─ scan a                              │  └─ scan a
       └─ scan b                              └─ scan b

A condition is moved by itself, as one term of a conjunction. One that may raise an error is not asked of rows that it
was not asked of before: it passes only what gives the same rows (a projection, a sort, a union), and only together
with what stood before it. What becomes of joins is said in `joins.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from firesteel import functions
from firesteel import types as t
from firesteel.node import Node, children, drive, rebuild, walk
from firesteel.passes.analysis.columns import columns_of, over
from firesteel.passes.analysis.conditions import QUERIES, chained, factored, filtered, terms
from firesteel.passes.analysis.equality import by_value
from firesteel.passes.analysis.failing import may_fail
from firesteel.passes.analysis.navigate import navigated
from firesteel.passes.analysis.node_memo import has_relation
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.passes.optimizer.joins import Asking, Order, Terms, pushed_join
from firesteel.plan import (
    Aggregate,
    Call,
    Distinct,
    Except,
    Exclude,
    Filter,
    Join,
    Limit,
    Mode,
    Offset,
    Plan,
    Project,
    Quantifier,
    Rel,
    Rex,
    Select,
    SetRel,
    Shared,
    Sort,
    Union,
    Window,
)

#: A condition may say again what a projection computes, if that is no more than so many nodes.
MAX_NODES = 40


@plan_pass(Phase.OPTIMIZE)
def push_filters(plan: Plan, _: Context) -> Plan:
    """Move conditions down to where their columns come from."""
    mode = getattr(plan.statement, "mode", Mode.PERMISSIVE)
    done: dict[tuple[int, Order], tuple[Node, Node]] = {}  # with the nodes, so that their ids stay theirs

    def dispatch(node: Node, wanted: Terms, order: Order) -> Any:
        if not has_relation(node):
            return node
        known = None if wanted else done.get((id(node), order))
        return known[0] if known is not None else remember(node, wanted, order)

    def remember(node: Node, wanted: Terms, order: Order) -> Asking:
        handler = next((_HANDLERS[cls] for cls in type(node).__mro__ if cls in _HANDLERS), _other)
        made: Node = yield from handler(node, wanted, order, mode)
        if not wanted:
            done[id(node), order] = made, node
        return made

    made = drive(dispatch, plan.statement, (), Order.TYPED)
    return plan.replace(statement=made)


def _other(node: Node, wanted: Terms, order: Order, mode: Mode) -> Asking:
    """What conditions do not pass."""
    made = yield from _rebuilt(node, (), order)
    return filtered(made, wanted) if wanted else made


def _rebuilt(node: Node, wanted: Terms, order: Order) -> Asking:
    """The node over its children, its inputs with the conditions."""
    kids = []
    for kid in children(node):
        if isinstance(kid, Rel):
            kids.append((yield kid, wanted, _order_below(node, order)))
        else:
            kids.append((yield kid, (), Order.TYPED))
    return rebuild(node, kids)


def _rexes(parts: Sequence[Node]) -> Asking:
    """Expressions, with conditions moved in the queries in them."""
    made = []
    for part in parts:
        made.append((yield part, (), Order.TYPED) if has_relation(part) else part)
    return made


def _order_below(node: Node, order: Order) -> Order:
    """What the node asks of the order of its input's rows."""
    match node:
        case Select(type=t.Bag()) | Aggregate() | SetRel() | Distinct():
            return Order.FREE
        case Filter() | Project() | Exclude() | Join():
            return order
        case Limit() | Offset():
            return Order.KEPT
        case Sort() | Window() | Shared():
            return Order.TYPED
        case Rel():  # one that is not known here may look at the order
            return Order.KEPT
        case _:
            return Order.TYPED


def _apart(wanted: Sequence[Rex], passes: Callable[[Rex], Rex | None], mode: Mode) -> tuple[Terms, Terms]:
    """The conditions that pass, as they are on the other side, and those that stay.

    Where the rows are the same on both sides: one that may fail passes only if nothing that stood before it stays.
    """
    gone: list[Rex] = []
    kept: list[Rex] = []
    for rex in wanted:
        there = None if kept and may_fail(rex, mode) else passes(rex)
        if there is None:
            kept.append(rex)
        else:
            gone.append(there)
    return tuple(gone), tuple(kept)


def _filter(node: Filter, wanted: Terms, order: Order, mode: Mode) -> Asking:
    conditions, source = chained(node, wanted, mode)
    own: list[Rex] = []
    for rex in conditions[: len(conditions) - len(wanted)]:
        own += factored((yield rex, (), Order.TYPED))
    made: Rel = yield source, (*own, *wanted), order
    return node if not wanted and _is_same(made, node) else made


def _is_same(made: Rel, node: Filter) -> bool:
    if not isinstance(made, Filter) or made.input is not node.input:
        return False
    before, after = terms(node.predicate), terms(made.predicate)
    return len(before) == len(after) and all(a is b for a, b in zip(before, after, strict=True))


def _project(node: Project, wanted: Terms, order: Order, mode: Mode) -> Asking:
    """The condition with the expressions in the place of the columns. These were computed for all rows already, so
    that nothing fails that did not; but what takes long is not computed twice."""
    exprs = yield from _rexes(node.exprs)

    def passes(rex: Rex) -> Rex | None:
        there = navigated(over(rex, exprs), mode)
        return there if _affordable(there, rex) else None

    gone, kept = _apart(wanted, passes, mode)
    source: Rel = yield node.input, gone, order
    return filtered(node.replace(exprs=tuple(exprs), input=source), kept)


def _affordable(there: Rex, here: Rex) -> bool:
    """Is it about as cheap as it was?"""
    if _count(there, *QUERIES) > _count(here, *QUERIES) or any(map(_is_impure, walk(there, Call))):
        return False
    nodes = _count(there)
    return nodes <= MAX_NODES or nodes <= _count(here)


def _count(root: Rex, *sorts: type[Node]) -> int:
    return sum(1 for _ in walk(root, *sorts))


def _is_impure(call: Call) -> bool:
    row = functions.find(call.fn.name)
    return row is not None and not row.pure


def _sort(node: Sort, wanted: Terms, order: Order, mode: Mode) -> Asking:
    return (yield from _rebuilt(node, wanted, order))


def _aggregate(node: Aggregate, wanted: Terms, order: Order, mode: Mode) -> Asking:
    """Conditions on keys hold for all rows of a group or for none. A MISSING key is NULL only afterwards: that is the
    same to a comparison."""
    keys: list[Rex] = yield from _rexes(node.keys)

    def passes(rex: Rex) -> Rex | None:
        used = columns_of(rex)
        if not used or max(used) >= len(keys) or may_fail(rex, mode) or not by_value(rex):
            return None
        if any(keys[i].type.missable for i in used) and not _is_absent_of_absent(rex):
            return None
        there = over(rex, [*keys, *keys])
        return there if _affordable(there, rex) and not may_fail(there, mode) else None

    gone, kept = _apart(wanted, passes, mode)
    aggs = yield from _rexes(node.aggs)
    source: Rel = yield node.input, gone, Order.FREE
    return filtered(node.replace(aggs=tuple(aggs), keys=tuple(keys), input=source), kept)


def _is_absent_of_absent(rex: Rex) -> bool:
    """Is the condition neither true of NULL nor of MISSING, as comparisons are?"""
    row = functions.find(rex.fn.name) if isinstance(rex, Call) else None
    return row is not None and row.is_absent_of_absent


def _each_once(node: Distinct, wanted: Terms, order: Order, mode: Mode) -> Asking:
    gone, kept = _apart(wanted, lambda rex: rex if by_value(rex) and not may_fail(rex, mode) else None, mode)
    source: Rel = yield node.input, gone, Order.FREE
    return filtered(node.replace(input=source), kept)


def _set(node: SetRel, wanted: Terms, order: Order, mode: Mode) -> Asking:
    """Of a union, conditions go to both sides; of what is left of the left side, to the left side."""
    same_rows = isinstance(node, Union) and node.quantifier is Quantifier.ALL

    def passes(rex: Rex) -> Rex | None:
        return rex if same_rows or (by_value(rex) and not may_fail(rex, mode)) else None

    gone, kept = _apart(wanted, passes, mode)
    left: Rel = yield node.left, gone, Order.FREE
    right: Rel = yield node.right, () if isinstance(node, Except) else gone, Order.FREE
    return filtered(node.replace(left=left, right=right), kept)


def _exclude(node: Exclude, wanted: Terms, order: Order, mode: Mode) -> Asking:
    touched = {path.ordinal for path in node.paths}
    gone, kept = _apart(wanted, lambda rex: None if columns_of(rex) & touched else rex, mode)
    source: Rel = yield node.input, gone, order
    return filtered(node.replace(input=source), kept)


_HANDLERS: dict[type[Node], Callable[..., Asking]] = {
    Filter: _filter,
    Project: _project,
    Sort: _sort,
    Aggregate: _aggregate,
    Distinct: _each_once,
    SetRel: _set,
    Exclude: _exclude,
    Join: pushed_join,
}
