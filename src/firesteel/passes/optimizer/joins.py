"""The part of `push_filters` that handles joins.

Nested inner joins are flattened to one list of relations and one of conditions, and joined again from the left:
- a condition on one relation becomes a filter of that relation;
- an equality between the relations joined so far and the next one becomes a key of their join;
- any other condition is applied as soon as all its columns are there, one with a subquery at the very end, because it
  is expensive;
- the next relation is one that a key connects, so that a cross product is made only where nothing connects.

If the rows are a list the relations stay in their order. The columns always keep theirs.
"""

from __future__ import annotations

import enum
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from firesteel.node import Node
from firesteel.passes.analysis.columns import columns_of, renumbered
from firesteel.passes.analysis.conditions import all_of, factored, filtered, has_query, terms
from firesteel.passes.analysis.failing import may_fail
from firesteel.plan import (
    Call,
    Capture,
    Cross,
    Equi,
    Filter,
    Join,
    JoinKey,
    JoinStrategy,
    JoinType,
    Mode,
    Rel,
    Rex,
    Theta,
    build,
    is_list,
    schema,
)

Terms = tuple[Rex, ...]


class Order(enum.Enum):
    """How much of the order of a relation's rows has to be kept."""

    #: None of it: the reader makes a bag.
    FREE = "free"
    #: As the type says: a list keeps its order, a bag has none.
    TYPED = "typed"
    #: All of it, also of a bag: LIMIT reads the rows.
    KEPT = "kept"


#: A handler yields (node, conditions to push into it, order to keep), and is sent the new node.
Asking = Generator[tuple[Node, Terms, Order], Any, Any]


def pushed_join(node: Join, wanted: Terms, order: Order, mode: Mode) -> Asking:
    """Push conditions into a join."""
    if node.lateral:
        return (yield from _lateral(node, wanted, order, mode))
    if node.capture is Capture.INNER:
        return (yield from (_inner if _is_flat(node, mode) else _separate)(node, wanted, order, mode))
    return (yield from (_separate if node.capture.tests else _outer)(node, wanted, order, mode))


def _is_flat(join: Join, mode: Mode) -> bool:
    """Can an inner join be flattened: are its conditions free of errors, so that they may run in any order? A join with
    a strategy stays as it is."""
    kind = join.type
    return (
        join.strategy is None
        and not may_fail(kind, mode)
        and not (isinstance(kind, Equi) and any(key.same for key in kind.keys))
    )


def _sides(wanted: Terms, width: int, mode: Mode) -> tuple[list[Rex], list[Rex], list[Rex]]:
    """The conditions on the left row alone, on the right row alone, and the others, with all that may fail."""
    found: tuple[list[Rex], list[Rex], list[Rex]] = ([], [], [])
    for rex in wanted:
        used = columns_of(rex)
        if not used or may_fail(rex, mode):
            found[2].append(rex)
        else:
            found[0 if max(used) < width else 1 if min(used) >= width else 2].append(rex)
    return found


def _on_right(conditions: Sequence[Rex], width: int) -> Terms:
    """Conditions on the right row, renumbered for the right relation alone."""
    return tuple(renumbered(rex, lambda ordinal: ordinal - width) for rex in conditions)


def _lateral(node: Join, wanted: Terms, order: Order, mode: Mode) -> Asking:
    """Conditions on the left row alone move to the left. If only the run can tell whether the rows are a list, nothing
    moves: that may depend on the right sides of all left rows."""
    kind: JoinType = yield node.type, (), Order.TYPED
    movable = order is Order.FREE or is_list(node) is not None
    left, _, _ = _sides(wanted if movable else (), len(schema(node.left)), mode)
    kept = [rex for rex in wanted if not any(rex is moved for moved in left)]
    source: Rel = yield node.left, tuple(left), order
    beside: Rel = yield node.right, (), order
    return filtered(node.replace(type=kind, left=source, right=beside), kept)


def _separate(node: Join, wanted: Terms, order: Order, mode: Mode) -> Asking:
    """An inner join whose condition may fail, or that has a strategy, is not flattened. Neither is a semi, anti or mark
    join; of its condition, terms on the right row alone move to the right, and equalities become keys."""
    kind: JoinType = yield node.type, (), Order.TYPED
    width = len(schema(node.left))
    left, right, others = _sides(wanted, width, mode)
    if node.capture.tests:
        others = [rex for rex in wanted if not any(rex is moved for moved in left)]
        right = []
        if isinstance(kind, Theta) and not may_fail(kind, mode):
            within = terms(kind.condition)
            right = _sides(tuple(within), width, mode)[1]
            gone = {id(rex) for rex in right}
            kind = _keyed(node, kind, [rex for rex in within if id(rex) not in gone], width, mode)
    elif node.strategy is not None and isinstance(kind, Theta) and not may_fail(kind, mode):
        kind = _keyed(node, kind, terms(kind.condition), width, mode)
    source: Rel = yield node.left, tuple(left), order
    beside: Rel = yield node.right, _on_right(right, width), order
    return filtered(node.replace(type=kind, left=source, right=beside), others)


def _outer(node: Join, wanted: Terms, order: Order, mode: Mode) -> Asking:
    """Outer joins: conditions from above move to the side whose rows are all kept, terms of the join's own condition
    to the other side."""
    kind: JoinType = yield node.type, (), Order.TYPED
    width = len(schema(node.left))
    above = _sides(wanted, width, mode)
    left = [] if node.capture.pads_left else above[0]
    right = [] if node.capture.pads_right else above[1]
    moved = {id(rex) for rex in (*left, *right)}
    if isinstance(kind, Theta):
        within = _sides(tuple(terms(kind.condition)), width, mode)
        taken: list[Rex] = []
        if node.capture is Capture.LEFT:
            right, taken = [*within[1], *right], within[1]
        elif node.capture is Capture.RIGHT:
            left, taken = [*within[0], *left], within[0]
        gone = {id(rex) for rex in taken}
        kind = _keyed(node, kind, [rex for rex in terms(kind.condition) if id(rex) not in gone], width, mode)
    source: Rel = yield node.left, tuple(left), order
    beside: Rel = yield node.right, _on_right(right, width), order
    made = node.replace(type=kind, left=source, right=beside)
    return filtered(made, [rex for rex in wanted if id(rex) not in moved])


def _keyed(join: Join, kind: Theta, conditions: list[Rex], width: int, mode: Mode) -> JoinType:
    """The join type of these conditions: equalities between the two sides as keys, the others as the residual. A nested
    loop has no keys."""
    if join.strategy is JoinStrategy.NESTED_LOOP:
        return kind.replace(condition=all_of(conditions) if conditions else build.lit(True))
    keys: list[JoinKey] = []
    rest: list[Rex] = []
    for rex in conditions:
        key = None if may_fail(rex, mode) or has_query(rex) else _key(rex, width)
        if key is None:
            rest.append(rex)
        else:
            keys.append(JoinKey(key[0], *_on_right(key[1:], width)).at(rex.where))
    if keys:
        return Equi(kind.capture, keys=tuple(keys), residual=all_of(rest) if rest else None).at(kind.where)
    return kind.replace(condition=all_of(rest) if rest else build.lit(True))


def _key(rex: Rex, width: int) -> tuple[Rex, Rex] | None:
    """The operands of an equality between the two sides, the left side's first; None for any other condition."""
    if not isinstance(rex, Call) or rex.fn.name != "eq":
        return None
    a, b = rex.values
    sides = [{ordinal >= width for ordinal in columns_of(side)} for side in (a, b)]
    if sides == [{False}, {True}]:
        return a, b
    return (b, a) if sides == [{True}, {False}] else None


# ---------------------------------------------------------------------------------------------------------------------
# Inner joins


@dataclass(eq=False)
class _Leaf:
    """One of the flattened relations: its place in the list, the ordinal of its first column in the row of all, and the
    conditions on it alone."""

    place: int
    rel: Rel
    first: int
    own: list[Rex] = field(default_factory=list)

    @property
    def width(self) -> int:
        return len(schema(self.rel))


@dataclass(eq=False)
class _Condition:
    """A condition on several relations, given by their places. For an equality, `sides` has each operand with the
    places that it needs."""

    rex: Rex
    places: frozenset[int]
    sides: tuple[tuple[Rex, frozenset[int]], ...] = ()
    done: bool = False

    def key(self, there: set[int], next_: int) -> tuple[Rex, Rex] | None:
        """The operands over the relations joined so far and over the next one, if the condition is a key of the
        join."""
        for (a, left), (b, right) in (self.sides, self.sides[::-1]) if self.sides and not self.done else ():
            if left <= there and right == {next_}:
                return a, b
        return None


def _inner(node: Join, wanted: Terms, order: Order, mode: Mode) -> Asking:
    leaves, found = _flattened(node, mode)
    conditions: list[Rex] = []
    for rex in found:
        conditions.append((yield rex, (), Order.TYPED))
    owner = {leaf.first + i: leaf.place for leaf in leaves for i in range(leaf.width)}
    between: list[_Condition] = []
    kept: list[Rex] = []
    for rex in [*conditions, *wanted]:
        places = frozenset(owner[ordinal] for ordinal in columns_of(rex))
        if not places or may_fail(rex, mode) or has_query(rex):
            kept.append(rex)
        elif len(places) == 1:
            (place,) = places
            first = leaves[place].first
            leaves[place].own.append(renumbered(rex, lambda ordinal, first=first: ordinal - first))  # type: ignore[misc]
        else:
            between.append(_Condition(rex, places, _equality(rex, owner)))
    for leaf in leaves:
        leaf.rel = yield leaf.rel, tuple(leaf.own), order
    movable = order is Order.FREE or (order is Order.TYPED and is_list(node) is False)
    groups = _groups(leaves, between) if movable else [leaves]
    made, layout = _joined(groups, between, node)
    made = _restored(filtered(made, [layout.placed(rex) for rex in kept]), layout, node)
    return node if _is_same(made, node) else made


def _is_same(made: Rel, node: Rel) -> bool:
    """Are these the same joins of the same relations?"""
    stack = [(made, node)]
    while stack:
        new, old = stack.pop()
        if new is old:
            continue
        if not isinstance(new, Join) or not isinstance(old, Join) or new.type != old.type or old.lateral:
            return False
        stack += [(new.left, old.left), (new.right, old.right)]
    return True


def _flattened(root: Join, mode: Mode) -> tuple[list[_Leaf], list[Rex]]:
    """The joined relations, in order, and all conditions of the joins, over the row of all relations."""
    leaves: list[_Leaf] = []
    conditions: list[Rex] = []
    stack: list[tuple[Rel, int]] = [(root, 0)]
    while stack:
        rel, first = stack.pop()
        found: list[Rex] = []
        if isinstance(rel, Filter) and not may_fail(rel.predicate, mode):
            found = terms(rel.predicate)
            stack.append((rel.input, first))
        elif isinstance(rel, Join) and not rel.lateral and rel.capture is Capture.INNER and _is_flat(rel, mode):
            width = len(schema(rel.left))
            found = _conditions(rel.type, width)
            stack += [(rel.right, first + width), (rel.left, first)]
        else:
            leaves.append(_Leaf(len(leaves), rel, first))
        for rex in found:
            there = renumbered(rex, lambda ordinal, first=first: ordinal + first) if first else rex  # type: ignore[misc]
            conditions += factored(there)
    return leaves, conditions


def _conditions(kind: JoinType, width: int) -> list[Rex]:
    if isinstance(kind, Theta):
        return terms(kind.condition)
    if not isinstance(kind, Equi):
        return []
    keys = [build.call("eq", key.left, renumbered(key.right, lambda ordinal: ordinal + width)) for key in kind.keys]
    return [*keys, *(terms(kind.residual) if kind.residual is not None else [])]


def _equality(rex: Rex, owner: dict[int, int]) -> tuple[tuple[Rex, frozenset[int]], ...]:
    """The operands of an equality, each with the places that it needs; () if an operand needs none or they overlap."""
    if not isinstance(rex, Call) or rex.fn.name != "eq":
        return ()
    sides = [(side, frozenset(owner[ordinal] for ordinal in columns_of(side))) for side in rex.values]
    return tuple(sides) if all(places for _, places in sides) and not sides[0][1] & sides[1][1] else ()


def _groups(leaves: list[_Leaf], between: list[_Condition]) -> list[list[_Leaf]]:
    """The relations in groups. In a group each is connected by a condition with those before it; nothing connects two
    groups."""
    waiting, about = list(leaves), _conditions_by_place(leaves, between)
    groups: list[list[_Leaf]] = []
    while waiting:
        group = [waiting.pop(0)]
        there = {group[0].place}
        while (following := _next(there, waiting, about)) is not None:
            waiting.remove(following)
            group.append(following)
            there.add(following.place)
        groups.append(group)
    return groups


def _conditions_by_place(leaves: list[_Leaf], between: list[_Condition]) -> dict[int, list[_Condition]]:
    """The conditions on each relation, by its place. A condition on no relation is listed for all of them."""
    by_place: dict[int, list[_Condition]] = {leaf.place: [] for leaf in leaves}
    for condition in between:
        for place in condition.places or by_place:
            by_place[place].append(condition)
    return by_place


def _next(there: set[int], waiting: list[_Leaf], about: dict[int, list[_Condition]]) -> _Leaf | None:
    """The first relation that a key connects, else the first that makes another condition complete."""
    for leaf in waiting:
        if any(condition.key(there, leaf.place) for condition in about[leaf.place]):
            return leaf
    for leaf in waiting:
        if any(c.places and c.places - {leaf.place} <= there for c in about[leaf.place]):
            return leaf
    return None


def _joined(groups: list[list[_Leaf]], between: list[_Condition], node: Join) -> tuple[Rel, _Layout]:
    """Join the relations of each group, from the left, and then the groups by cross products."""
    about = _conditions_by_place([leaf for group in groups for leaf in group], between)
    rel, layout = _chain([([leaf], leaf.rel) for leaf in groups[0]], about, node)
    parts = [(layout.leaves, rel)]
    for group in groups[1:]:
        rel, layout = _chain([([leaf], leaf.rel) for leaf in group], about, node)
        parts.append((layout.leaves, rel))
    return _chain(parts, about, node)


def _chain(parts: list[tuple[list[_Leaf], Rel]], about: dict[int, list[_Condition]], node: Join) -> tuple[Rel, _Layout]:
    leaves, rel = parts[0]
    layout = _Layout()
    layout.add(leaves)
    for leaves, next_ in parts[1:]:
        rel = _step(rel, layout, next_, leaves, about, node)
    return rel, layout


class _Layout:
    """The relations joined so far, in their order, and where each column of the row of all is in their row."""

    def __init__(self) -> None:
        self.leaves: list[_Leaf] = []
        self.places: set[int] = set()
        self.ordinals: dict[int, int] = {}

    def add(self, leaves: list[_Leaf]) -> None:
        self.leaves.extend(leaves)
        for leaf in leaves:
            self.places.add(leaf.place)
            for i in range(leaf.width):
                self.ordinals[leaf.first + i] = len(self.ordinals)

    def placed(self, rex: Rex) -> Rex:
        """A condition over the row of all relations, renumbered for the row of those joined so far."""
        return renumbered(rex, self.ordinals.__getitem__)


def _step(
    rel: Rel, layout: _Layout, next_: Rel, leaves: list[_Leaf], about: dict[int, list[_Condition]], node: Join
) -> Rel:
    """Join one more relation: by keys if there are any, else by the conditions that are complete now, else a cross
    product."""
    keys: list[JoinKey] = []
    for condition in about[leaves[0].place] if len(leaves) == 1 else ():
        found = condition.key(layout.places, leaves[0].place)
        if found is not None:
            condition.done = True
            right = renumbered(found[1], lambda ordinal: ordinal - leaves[0].first)
            keys.append(JoinKey(layout.placed(found[0]), right).at(condition.rex.where))
    layout.add(leaves)
    rest: list[Rex] = []
    for leaf in leaves:
        for condition in about[leaf.place]:
            if not condition.done and condition.places <= layout.places:
                condition.done = True
                rest.append(layout.placed(condition.rex))
    kind: JoinType = Cross()
    if keys:
        kind = Equi(Capture.INNER, keys=tuple(keys))
    elif rest:
        kind, rest = Theta(Capture.INNER, all_of(rest)), []
    return filtered(Join(kind, rel, next_).at(node.where), rest)


def _restored(rel: Rel, layout: _Layout, node: Join) -> Rel:
    """Put the columns back into the order of the original join."""
    made = build.emit(rel, [layout.ordinals[i] for i in range(len(layout.ordinals))])
    return made if made is rel else made.at(node.where)
