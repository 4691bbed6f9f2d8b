"""Values of what a decoder of JSON made: only the parts that a plan touches.

The decoder of the standard library is written in C, and is fast as long as it calls no function of Python for every
object and every number. So it makes dicts, lists and `NumberText`, and the values are made here, of few of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from firesteel.tables.touched import PathTree, below, trees_of
from firesteel.values import Value, struct_of

Pick = Callable[[Any], Value]


class NumberText(str):
    """A number with a point or an exponent, as it is written."""

    __slots__ = ()


_DIGITS = 38
_LONG = 1 << 63
#: At most so many different lists of keys are remembered: objects may have keys that are data.
_MOST_LAYOUTS = 1_000


def number(text: str) -> Decimal | float:
    """A number that is no integer of 64 bits: a decimal, if 38 digits are enough and it has no exponent, or a float."""
    if "e" not in text and "E" not in text:
        if len(text) <= _DIGITS and text[-1] != "0":
            return Decimal(text)
        whole, point, fraction = text.partition(".")
        found = Decimal(f"{whole}.{fraction.rstrip('0') or '0'}" if point else text)
        _, digits, exponent = found.as_tuple()
        assert isinstance(exponent, int)
        if max(len(digits), -exponent) <= _DIGITS:
            return found or abs(found)
    return float(text)


def everything(item: Any) -> Value:
    """The value of all that was decoded."""
    kind = type(item)
    if kind is NumberText:
        return number(item)
    if kind is dict:
        return struct_of([(name, one if type(one) is str else everything(one)) for name, one in item.items()])
    if kind is list:
        return [one if type(one) is str else everything(one) for one in item]
    if kind is int and not -_LONG <= item < _LONG:
        return number(str(item))
    return item


def picking(trees: Sequence[PathTree]) -> Pick:
    """A function that makes the value of what was decoded, with what these trees touch. The functions for its parts are
    made when the parts are first met: a plan may have paths that are longer than any data."""
    if any(tree.whole for tree in trees):
        return everything
    own = [one for tree in trees for one in trees_of(tree)]
    if any(tree.whole for tree in own):  # an element of it is used, and what is no list is its own element
        return everything
    elements = [tree.elements for tree in trees if tree.elements is not None]
    counted = any(tree.indexed for tree in own)  # EXISTS and CARDINALITY ask for the attributes of an object, too
    layouts: dict[tuple[str, ...], list[tuple[str, Pick]]] = {}
    picks: dict[str, Pick] = {}
    inner: list[Pick] = []

    def layout(keys: tuple[str, ...]) -> list[tuple[str, Pick]]:
        """The attributes that are touched in an object with these keys."""
        found: list[tuple[str, Pick]] = []
        for key in keys:
            touched = below(own, key)
            if touched:
                if key not in picks:
                    picks[key] = picking(touched)
                found.append((key, picks[key]))
        if len(layouts) < _MOST_LAYOUTS:
            layouts[keys] = found
        return found

    def pick(item: Any) -> Value:
        if type(item) is dict:
            if counted:
                return everything(item)
            keys = tuple(item)
            touched = layouts.get(keys)
            if touched is None:
                touched = layout(keys)
            return struct_of([(key, make(item[key])) for key, make in touched])
        if type(item) is list:
            if not inner:
                inner.append(picking(elements))
            element = inner[0]
            return [element(one) for one in item]
        return everything(item)

    return pick


__all__ = ["NumberText", "Pick", "everything", "number", "picking"]
