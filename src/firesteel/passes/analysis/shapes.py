"""The data structures of `paths.py`: a `Trie` becomes the `PathTree` of a table, and a `Shape` says which parts of
which tables the value of an expression may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from firesteel.tables.touched import WHOLE, Name, PathTree


@dataclass(eq=False)
class Trie:
    """A `PathTree` under construction. `met`: the plan refers to the global that this is the tree of."""

    whole: bool = False
    fields: dict[Name, Trie] = field(default_factory=dict)
    elements: Trie | None = None
    indexed: bool = False
    met: bool = False

    def attribute(self, name: Name) -> Trie:
        return self.fields.setdefault(name, Trie())

    def element(self) -> Trie:
        if self.elements is None:
            self.elements = Trie()
        return self.elements

    def rows(self) -> PathTree:
        """The tree of the rows, if this is the tree of a global."""
        if self.whole or self.fields:
            return WHOLE
        return self.elements.tree() if self.elements is not None else PathTree()

    def tree(self) -> PathTree:
        made: dict[int, PathTree] = {}
        stack = [self]
        while stack:
            trie = stack[-1]
            below = [*trie.fields.values(), *([trie.elements] if trie.elements is not None else [])]
            waiting = [kid for kid in below if id(kid) not in made]
            stack.extend(waiting)
            if not waiting:
                stack.pop()
                elements = made[id(trie.elements)] if trie.elements is not None else None
                fields = {name: made[id(kid)] for name, kid in trie.fields.items()}
                made[id(trie)] = PathTree(trie.whole, fields, elements, trie.indexed)
        return made[id(self)]


@dataclass(frozen=True, eq=False)
class Shape:
    """What the value of an expression may be: a part of a global (`tries`), a struct of shapes (`pairs`), or a
    collection of shapes (`elements`)."""

    tries: tuple[Trie, ...] = ()
    pairs: tuple[tuple[str, Shape], ...] = ()
    elements: tuple[Shape, ...] = ()

    def use(self) -> None:
        """Note that the complete value is used."""
        seen: set[int] = set()
        stack = [self]
        while stack:
            shape = stack.pop()
            if id(shape) in seen:
                continue
            seen.add(id(shape))
            for trie in shape.tries:
                trie.whole = True
            stack.extend(part for _, part in shape.pairs)
            stack.extend(shape.elements)

    def attribute(self, name: Name) -> Shape:
        fits = [
            part
            for key, part in self.pairs
            if key == name.text or (not name.exact and key.lower() == name.text.lower())
        ]
        return merged([Shape(tuple(trie.attribute(name) for trie in self.tries)), *fits])

    def index(self) -> Shape:
        """Note that the positions of the elements matter. Returns this shape."""
        for trie in self.tries:
            trie.indexed = True
        return self

    def element(self) -> Shape:
        """The shape of an element. A value that is no collection counts as its only element."""
        own = Shape(tuple(trie.element() for trie in self.tries), self.pairs)
        return merged([own, *self.elements])


NOTHING = Shape()


def merged(shapes: Sequence[Shape]) -> Shape:
    """The shape of a value that may be any of these (the branches of a CASE)."""
    some = [shape for shape in shapes if shape.tries or shape.pairs or shape.elements]
    if len(some) <= 1:
        return some[0] if some else NOTHING
    return Shape(
        tuple(dict.fromkeys(trie for shape in some for trie in shape.tries)),
        tuple(pair for shape in some for pair in shape.pairs),
        tuple(part for shape in some for part in shape.elements),
    )
