"""Shorten paths into struct constructors: `{'a': x, 'b': y}.a` is `x`."""

from __future__ import annotations

from typing import TypeVar

from firesteel import types as t
from firesteel.node import Node, transform
from firesteel.plan import Key, Lit, Mode, Path, Rex, Struct

N = TypeVar("N", bound=Node)


def navigated(root: N, mode: Mode) -> N:
    """The subtree with all such paths in it shortened."""
    return transform(root, lambda node: shortened(node, mode), Path)


def shortened(path: Path, mode: Mode) -> Rex:
    """The path without its steps into struct constructors. A path whose root is a path becomes one path."""
    root: Rex = path.root
    steps = path.steps
    while steps and isinstance(root, Struct):
        found = _attribute(root, steps[0], mode)
        if found is None:
            break
        root, steps = found, steps[1:]
    if not steps:
        return root
    match root:
        case Path(root=start, steps=before) if all(isinstance(step, Key) for step in before):
            return Path(path.type, start, before + steps).at(path.where)
        case _:
            return path if root is path.root else Path(path.type, root, steps).at(path.where)


def _attribute(struct: Struct, step: Node, mode: Mode) -> Rex | None:
    """The expression of the attribute that a step leads to, if the constructor has exactly one of that name.

    In strict mode the step is kept if the expression may be MISSING: the struct then has no such attribute, and
    asking for it is an error.
    """
    if not isinstance(step, Key) or not _is_name(step.key):
        return None
    assert isinstance(step.key, Lit)
    any_case, name = isinstance(step.key.type, t.Symbol), str(step.key.value)
    if not all(_is_name(pair.key) for pair in struct.pairs):
        return None
    found = [
        pair.value for pair in struct.pairs if isinstance(pair.key, Lit) and _same(str(pair.key.value), name, any_case)
    ]
    if len(found) != 1 or (mode is Mode.STRICT and found[0].type.missable):
        return None
    return found[0]


def _is_name(key: Rex) -> bool:
    return isinstance(key, Lit) and isinstance(key.value, str) and isinstance(key.type, t.Text)


def _same(key: str, name: str, any_case: bool) -> bool:
    return key == name or (any_case and key.lower() == name.lower())
