"""Which parts of the rows of a table a plan touches: a reader of files without a schema need not build the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Name:
    """The name of an attribute as the plan spells it. Unless `exact`, it also matches in another case; an attribute in
    this spelling is preferred."""

    text: str
    exact: bool


@dataclass(frozen=True)
class PathTree:
    """The parts of a value that a plan touches.

    `whole`: the complete value is used (returned, compared, tested for its type, passed to a function). All of it has
    to be read, whatever `fields` and `elements` say.
    `fields`: the attributes that paths lead into, each with its own tree.
    `elements`: the tree of the elements, if the value is ranged over (FROM, `[*]`) or indexed. In permissive mode
    ranging over a value that is no collection gives the value itself: then these are paths of the value.
    `indexed`: the position of elements matters (AT, `[n]`), or the plan asks whether there are any.
    If all are empty, only the presence or the number of such values matters.

    A path `r.a.b` depends on what `a` is: it is MISSING where `a` is a number, and NULL where `a` is NULL. A reader
    that reads `a` as a struct has to keep these cases apart, or to read `a` as a VARIANT.
    """

    whole: bool = False
    fields: Mapping[Name, PathTree] = field(default_factory=dict)
    elements: PathTree | None = None
    indexed: bool = False


WHOLE = PathTree(whole=True)


def touches(tree: PathTree, name: str) -> bool:
    """Does the plan touch an attribute of this name?"""
    return bool(below(trees_of(tree), name)) or any(one.whole for one in trees_of(tree))


def trees_of(tree: PathTree | None) -> list[PathTree]:
    """The trees that hold for a value that is no collection: ranging over it gives the value itself."""
    found: list[PathTree] = []
    while tree is not None:
        found.append(tree)
        tree = tree.elements
    return found


def below(trees: list[PathTree], name: str) -> list[PathTree]:
    """The trees of the attribute of this name in a struct that has all of these trees."""
    folded = name.lower()
    return [inner for tree in trees for key, inner in tree.fields.items() if key.text.lower() == folded]
