"""Queries as trees of text, so that a failing one can be made smaller."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Piece:
    """A template, with `{}` for every part. `sort` says what may stand in its place: an `expr` for an `expr`."""

    sort: str
    template: str
    parts: tuple[Piece, ...] = ()
    #: May be left out.
    optional: bool = False
    #: Between parts, where there may be any number of them (one at least).
    between: str = ""

    def text(self) -> str:
        inner = [part.text() for part in self.parts]
        if self.between:
            return self.template.format(self.between.join(inner))
        return self.template.format(*inner)

    def size(self) -> int:
        return 1 + sum(part.size() for part in self.parts)


def expr(template: str, *parts: Piece) -> Piece:
    return Piece("expr", template, parts)


def atom(text: str) -> Piece:
    """Text that is an expression as it stands."""
    return Piece("expr", text.replace("{", "{{").replace("}", "}}"))


def clause(template: str, *parts: Piece) -> Piece:
    """What a query can do without."""
    return Piece("clause", template, parts, optional=True)


def listed(template: str, parts: list[Piece], between: str = ", ") -> Piece:
    """Parts of which some can be left out."""
    return Piece("list", template, tuple(parts), between=between)


NOTHING = Piece("clause", "")


def smaller(piece: Piece) -> Iterator[Piece]:
    """The piece with one thing less, in many ways; the boldest first."""
    if piece.optional:
        yield NOTHING
    if piece.sort == "expr" and piece.parts:
        yield from _inner(piece)
        yield atom("1")
    if piece.between and len(piece.parts) > 1:
        for i in range(len(piece.parts)):
            yield replace(piece, parts=piece.parts[:i] + piece.parts[i + 1 :])
    for i, part in enumerate(piece.parts):
        for less in smaller(part):
            yield replace(piece, parts=(*piece.parts[:i], less, *piece.parts[i + 1 :]))


def _inner(piece: Piece) -> Iterator[Piece]:
    """The expressions right inside an expression."""
    for part in piece.parts:
        if part.sort == "expr":
            yield part
        else:
            yield from _inner(part)


def shrink(piece: Piece, fails: Callable[[Piece], bool], tries: int = 200) -> Piece:
    """The smallest piece that can be found in so many tries and still fails."""
    found = True
    while found and tries > 0:
        found = False
        for less in sorted(smaller(piece), key=Piece.size):
            if tries <= 0:
                break
            tries -= 1
            if fails(less):
                piece, found = less, True
                break
    return piece
