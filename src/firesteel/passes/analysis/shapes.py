"""Parts of values: which are touched (`PathTree`), and which a plan's expressions are (`Shape`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Name:
    """The name of an attribute as a plan spells it: just this one if `exact`, else in any case, this spelling first."""

    text: str
    exact: bool


@dataclass(frozen=True)
class PathTree:
    """What of a value is touched.

    `whole`: the value as it is (it is given out, compared, tested for its type, handed to a function). All of it has
    to be read; what stands in `fields` and `elements` beside it says no more.
    `fields`: the attributes that paths lead into, each with what is touched of it.
    `elements`: what is touched of the elements, if the value is ranged over (FROM, `[*]`) or indexed. In permissive
    mode ranging over what is no collection gives the value itself: there the elements' paths are paths of the value.
    `indexed`: elements are also told by their place (AT, `[n]`), or it is asked whether there are any.
    Nothing of all that: only that the value is there, or how many there are, is touched.

    A path of two steps asks more of the first than that it is a struct: `r.a.b` is MISSING where `a` is a number, NULL
    where it is NULL. A reader that reads `a` as a struct has to keep these apart, or reads `a` as a VARIANT.
    """

    whole: bool = False
    fields: Mapping[Name, PathTree] = field(default_factory=dict)
    elements: PathTree | None = None
    indexed: bool = False


WHOLE = PathTree(whole=True)


@dataclass(eq=False)
class Trie:
    """A `PathTree` on its way."""

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
        """What is touched of the elements of a global."""
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
    """What a value may be: parts of globals, a struct made of such, a collection of such."""

    tries: tuple[Trie, ...] = ()
    pairs: tuple[tuple[str, Shape], ...] = ()
    elements: tuple[Shape, ...] = ()

    def use(self) -> None:
        """The value is needed as it is."""
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
        """The value, whose elements are told apart."""
        for trie in self.tries:
            trie.indexed = True
        return self

    def element(self) -> Shape:
        """An element; of what is no collection, the value itself."""
        own = Shape(tuple(trie.element() for trie in self.tries), self.pairs)
        return merged([own, *self.elements])


NOTHING = Shape()


def merged(shapes: Sequence[Shape]) -> Shape:
    """What may be any of them."""
    some = [shape for shape in shapes if shape.tries or shape.pairs or shape.elements]
    if len(some) <= 1:
        return some[0] if some else NOTHING
    return Shape(
        tuple(dict.fromkeys(trie for shape in some for trie in shape.tries)),
        tuple(pair for shape in some for pair in shape.pairs),
        tuple(part for shape in some for part in shape.elements),
    )
