"""Where two plans in normal form differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from firesteel import plan as p
from firesteel.compare.normal_form import JUNCTIONS, SYMMETRIC
from firesteel.explain import line
from firesteel.node import Node, canonical
from firesteel.plan import inputs
from firesteel.plan.scope import RowScope, scoped_children

#: Differences that are listed; two plans that have nothing in common differ in one place.
MAX_DIFFERENCES = 1_000


@dataclass(frozen=True)
class Difference:
    """A place where the plans differ: the way to it from the root, and what each plan has there. None: nothing."""

    path: tuple[str, ...]
    left: str | None
    right: str | None

    def __str__(self) -> str:
        lines = [f"at {' / '.join(self.path) or 'the plan'}"]
        lines += [f"  - {self.left}"] if self.left is not None else []
        lines += [f"  + {self.right}"] if self.right is not None else []
        return "\n".join(lines)


class _Place(NamedTuple):
    """A node, and the rows that it sees."""

    node: Any
    scope: RowScope | None


class _Pair(NamedTuple):
    left: _Place
    right: _Place
    path: tuple[str, ...]


def differences(left: p.Plan, right: p.Plan) -> list[Difference]:
    """All places where two plans in normal form differ, from the top."""
    found: list[Difference] = []
    texts = _Texts(left.globals)
    stack = [_Pair(_Place(left.statement, None), _Place(right.statement, None), ())]
    while stack and len(found) < MAX_DIFFERENCES:
        pair = stack.pop()
        if pair.left.node != pair.right.node:
            below = _compared(pair, found, texts)
            stack.extend(reversed(below))
    return found


class _Texts(NamedTuple):
    globals: tuple[p.GlobalBinding, ...]

    def of(self, value: Any, scope: RowScope | None = None) -> str:
        if isinstance(value, Node) and not value.atom:
            return line(value, scope, self.globals)
        name = getattr(value, "name", None)
        return str(name).lower() if isinstance(name, str) else str(value)


def _compared(pair: _Pair, found: list[Difference], texts: _Texts) -> list[_Pair]:
    """Note what differs in two nodes themselves; return the pairs below them."""
    (a, left), (b, right), path = pair
    junction = _junction(a, b)
    if junction is not None:
        return list(_operands(pair, junction, found, texts))
    if type(a) is not type(b):
        return _other_sort(pair, found, texts)
    if isinstance(a, p.Lit | p.Var | p.Global) or (isinstance(a, p.Call) and a.fn != b.fn):
        found.append(Difference(path, texts.of(a, left), texts.of(b, right)))
        return []
    scopes = {id(kid): scope for kid, scope in (*scoped_children(a, left), *scoped_children(b, right))}
    below: list[_Pair] = []
    for name in a.part_names:
        one, other = getattr(a, name), getattr(b, name)
        step = (*path, f"{_label(a)}.{name}")
        if name == "names" and isinstance(a, p.NamingRel):
            continue
        if isinstance(one, Node) and isinstance(other, Node) and not one.atom:
            below.append(_Pair(_Place(one, scopes.get(id(one))), _Place(other, scopes.get(id(other))), step))
        elif isinstance(one, tuple) and any(isinstance(item, Node) and not item.atom for item in (*one, *other)):
            free = isinstance(a, p.Call) and a.fn.name in JUNCTIONS | SYMMETRIC
            below += _aligned((one, other), free, step, scopes, found, texts)
        elif canonical(one) != canonical(other):
            found.append(Difference(step, _said(one, left, texts), _said(other, right, texts)))
    return below


def _junction(a: Any, b: Any) -> str | None:
    """The AND or OR that only one of two conditions is, while the other is one of its operands."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, p.Call) and one.fn.name in JUNCTIONS and other in one.args:
            return one.fn.name
    return None


def _operands(pair: _Pair, name: str, found: list[Difference], texts: _Texts) -> Iterator[_Pair]:
    (a, left), (b, right), path = pair
    sides = [one.args if isinstance(one, p.Call) and one.fn.name == name else (one,) for one in (a, b)]
    scopes = {id(kid): scope for side, scope in zip(sides, (left, right), strict=True) for kid in side}
    return _aligned((sides[0], sides[1]), True, (*path, f"{name}.args"), scopes, found, texts)


def _said(value: Any, scope: RowScope | None, texts: _Texts) -> str | None:
    return None if value is None else texts.of(value, scope)


def _label(node: Node) -> str:
    return node.fn.name if isinstance(node, p.Call) else node.tag or type(node).__name__.lower()


def _other_sort(pair: _Pair, found: list[Difference], texts: _Texts) -> list[_Pair]:
    """Nodes of two classes. A relation that only one of the plans has is noted, and what is below it compared."""
    (a, left), (b, right), path = pair
    if isinstance(a, p.Rel) and isinstance(b, p.Rel):
        only_a, only_b = len(inputs(a)) == 1, len(inputs(b)) == 1
        if only_a and isinstance(inputs(a)[0], type(b)):
            found.append(Difference(path, texts.of(a, left), None))
            return [_Pair(_Place(inputs(a)[0], left), pair.right, path)]
        if only_b and isinstance(inputs(b)[0], type(a)):
            found.append(Difference(path, None, texts.of(b, right)))
            return [_Pair(pair.left, _Place(inputs(b)[0], right), path)]
    found.append(Difference(path, texts.of(a, left), texts.of(b, right)))
    return []


def _aligned(
    both: tuple[tuple[Any, ...], tuple[Any, ...]],
    free: bool,
    step: tuple[str, ...],
    scopes: dict[int, RowScope | None],
    found: list[Difference],
    texts: _Texts,
) -> Iterator[_Pair]:
    """Pairs of the items of two tuples. Where there are more in one, or where their order is `free`, those that both
    have are left out first."""
    one, other = both
    numbered, others = list(enumerate(one)), list(enumerate(other))
    if free or len(one) != len(other):
        common = Counter(one) & Counter(other)
        numbered, others = _without(numbered, common), _without(others, common)
    *way, last = step
    for left, right in zip_longest(numbered, others):
        place = (*way, f"{last}[{(left or right)[0]}]")
        if left is None or right is None:
            sides = [None if side is None else texts.of(side[1], scopes.get(id(side[1]))) for side in (left, right)]
            found.append(Difference(place, sides[0], sides[1]))
        elif isinstance(left[1], Node) and isinstance(right[1], Node) and not left[1].atom:
            a, b = (_Place(side[1], scopes.get(id(side[1]))) for side in (left, right))
            yield _Pair(a, b, place)
        elif left[1] != right[1]:
            found.append(Difference(place, texts.of(left[1]), texts.of(right[1])))


def _without(items: list[tuple[int, Any]], common: Counter[Any]) -> list[tuple[int, Any]]:
    left = Counter(common)
    kept: list[tuple[int, Any]] = []
    for place, item in items:
        if left[item]:
            left[item] -= 1
        else:
            kept.append((place, item))
    return kept
