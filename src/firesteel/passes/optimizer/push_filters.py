"""Move conditions down to the relation that their columns come from, and turn cross products into joins.

    filter (a.x = b.y AND a.z > 1)            join equi on a.x = b.y
    └─ join cross                      →      ├─ filter (z > 1)
       ├─ scan a                              │  └─ scan a
       └─ scan b                              └─ scan b

Each term of a conjunction moves by itself. A condition that may raise an error must not run for more rows than before:
it moves only past relations that keep all rows (a projection, a sort, a union), and only if all conditions before it
move too. `joins.py` handles joins.
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
    Broadcast,
    Call,
    Distinct,
    Except,
    Exchange,
    Exclude,
    Filter,
    Join,
    Limit,
    MergingCapture,
    Mode,
    Offset,
    Plan,
    Project,
    Promised,
    Quantifier,
    Rel,
    Rex,
    Scatter,
    Select,
    SetRel,
    Shared,
    SimpleCapture,
    Sort,
    Union,
    Window,
)

#: A condition that moves below a projection repeats the projection's expressions: up to this many nodes.
MAX_NODES = 40


@plan_pass(Phase.OPTIMIZE)
def push_filters(plan: Plan, _: Context) -> Plan:
    """Move conditions down to where their columns come from."""
    mode = getattr(plan.statement, "mode", Mode.PERMISSIVE)
    done: dict[tuple[int, Order], tuple[Node, Node]] = {}  # keeps the nodes alive, so that ids are not used again

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
    """A node that conditions do not move past: they stay above it."""
    made = yield from _rebuilt(node, (), order)
    return filtered(made, wanted) if wanted else made


def _rebuilt(node: Node, wanted: Terms, order: Order) -> Asking:
    """The node with its children rewritten; the conditions go into its inputs."""
    kids = []
    for kid in children(node):
        if isinstance(kid, Rel):
            kids.append((yield kid, wanted, _order_below(node, order)))
        else:
            kids.append((yield kid, (), Order.TYPED))
    return rebuild(node, kids)


def _rexes(parts: Sequence[Node]) -> Asking:
    """The expressions, with conditions pushed inside their subqueries."""
    made = []
    for part in parts:
        made.append((yield part, (), Order.TYPED) if has_relation(part) else part)
    return made


def _order_below(node: Node, order: Order) -> Order:
    """How much the node depends on the order of its input's rows."""
    match node:
        case Select(type=t.Bag()) | Aggregate() | SetRel() | Distinct():
            return Order.FREE
        case Filter() | Project() | Exclude() | Join():
            return order
        case Limit() | Offset():
            return Order.KEPT
        case Sort() | Window() | Shared():
            return Order.TYPED
        case Rel():  # an unknown relation may depend on the order
            return Order.KEPT
        case _:
            return Order.TYPED


def _split(wanted: Sequence[Rex], passes: Callable[[Rex], Rex | None], mode: Mode) -> tuple[Terms, Terms]:
    """The conditions that move below the relation, as they read there, and those that stay above it.

    `passes` gives the condition as it reads below, or None. A condition that may fail moves only if all before it do.
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
    """Conditions move with the projection's expressions in place of the columns. Those ran for all rows anyway, so no
    new error can come up; but expensive ones must not run twice."""
    exprs = yield from _rexes(node.exprs)

    def passes(rex: Rex) -> Rex | None:
        there = navigated(over(rex, exprs), mode)
        return there if _affordable(there, rex) else None

    gone, kept = _split(wanted, passes, mode)
    source: Rel = yield node.input, gone, order
    return filtered(node.replace(exprs=tuple(exprs), input=source), kept)


def _affordable(there: Rex, here: Rex) -> bool:
    """Is the moved condition about as cheap as it was before?"""
    if _count(there, *QUERIES) > _count(here, *QUERIES) or any(map(_is_impure, walk(there, Call))):
        return False
    nodes = _count(there)
    return nodes <= MAX_NODES or nodes <= _count(here)


def _count(root: Rex, *sorts: type[Node]) -> int:
    return sum(1 for _ in walk(root, *sorts))


def _is_impure(call: Call) -> bool:
    row = functions.find(call.fn.name)
    return row is not None and not row.pure


def _aggregate(node: Aggregate, wanted: Terms, order: Order, mode: Mode) -> Asking:
    """Conditions on keys move: they are true for all rows of a group or for none. A key that is MISSING becomes NULL
    only in the group, so the condition must treat NULL and MISSING alike, as comparisons do."""
    keys: list[Rex] = yield from _rexes(node.keys)

    def passes(rex: Rex) -> Rex | None:
        used = columns_of(rex)
        if not used or max(used) >= len(keys) or may_fail(rex, mode) or not by_value(rex):
            return None
        if any(keys[i].type.missable for i in used) and not _is_absent_of_absent(rex):
            return None
        there = over(rex, [*keys, *keys])
        return there if _affordable(there, rex) and not may_fail(there, mode) else None

    gone, kept = _split(wanted, passes, mode)
    aggs = yield from _rexes(node.aggs)
    source: Rel = yield node.input, gone, Order.FREE
    return filtered(node.replace(aggs=tuple(aggs), keys=tuple(keys), input=source), kept)


def _is_absent_of_absent(rex: Rex) -> bool:
    """Is the condition true neither for NULL nor for MISSING? `k > 1` is like that, `(k IS MISSING) = TRUE` is not."""
    if not isinstance(rex, Call):
        return False
    rows = (functions.find(call.fn.name) for call in walk(rex, Call) if columns_of(call))
    return all(row is not None and row.is_absent_of_absent for row in rows)


def _distinct(node: Distinct, wanted: Terms, order: Order, mode: Mode) -> Asking:
    gone, kept = _split(wanted, lambda rex: rex if by_value(rex) and not may_fail(rex, mode) else None, mode)
    source: Rel = yield node.input, gone, Order.FREE
    return filtered(node.replace(input=source), kept)


def _set(node: SetRel, wanted: Terms, order: Order, mode: Mode) -> Asking:
    """Conditions move to both sides of UNION and INTERSECT, and to the left side of EXCEPT."""
    same_rows = isinstance(node, Union) and node.quantifier is Quantifier.ALL

    def passes(rex: Rex) -> Rex | None:
        return rex if same_rows or (by_value(rex) and not may_fail(rex, mode)) else None

    gone, kept = _split(wanted, passes, mode)
    left: Rel = yield node.left, gone, Order.FREE
    right: Rel = yield node.right, () if isinstance(node, Except) else gone, Order.FREE
    return filtered(node.replace(left=left, right=right), kept)


def _exclude(node: Exclude, wanted: Terms, order: Order, mode: Mode) -> Asking:
    touched = {path.ordinal for path in node.paths}
    gone, kept = _split(wanted, lambda rex: None if columns_of(rex) & touched else rex, mode)
    source: Rel = yield node.input, gone, order
    return filtered(node.replace(input=source), kept)


def _promised(node: Promised, wanted: Terms, order: Order, mode: Mode) -> Asking:
    """What is promised of all rows holds for some of them; but all of them are verified."""
    return (yield from (_other if node.verified else _rebuilt_with)(node, wanted, order, mode))


def _exchange(node: Exchange, wanted: Terms, order: Order, mode: Mode) -> Asking:
    """Conditions move if the partition of a row depends only on the row. A row's turn in a round robin, and a bucket
    that may be wrong, depend on all rows."""
    free = isinstance(node.kind, Scatter | Broadcast) and not node.numbered
    return (yield from (_rebuilt_with if free else _other)(node, wanted, order, mode))


def _rebuilt_with(node: Node, wanted: Terms, order: Order, mode: Mode) -> Asking:
    return (yield from _rebuilt(node, wanted, order))


_HANDLERS: dict[type[Node], Callable[..., Asking]] = {
    MergingCapture: _rebuilt_with,
    SimpleCapture: _rebuilt_with,
    Promised: _promised,
    Exchange: _exchange,
    Filter: _filter,
    Project: _project,
    Sort: _rebuilt_with,
    Aggregate: _aggregate,
    Distinct: _distinct,
    SetRel: _set,
    Exclude: _exclude,
    Join: pushed_join,
}
