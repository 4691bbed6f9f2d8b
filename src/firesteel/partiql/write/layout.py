"""Text that is put together from pieces and broken into lines at the end.

A `Group` is printed on one line if it fits there. If not, each `LINE` and `SOFT` that is directly in it becomes the end
of a line; groups inside of it decide for themselves. Pieces are joined once, so printing takes time linear in the
length of the text however deep it is nested.
"""

from __future__ import annotations

from collections.abc import Iterable

WIDTH = 100
_STEP = "  "


class Break:
    """A place where a line may end; on one line it is this text."""

    __slots__ = ("flat",)

    def __init__(self, flat: str) -> None:
        self.flat = flat


LINE, SOFT = Break(" "), Break("")


class Doc:
    """Pieces of text in order; `indent` is how much further in its lines begin."""

    __slots__ = ("indent", "is_group", "pieces", "width")

    def __init__(self, pieces: Iterable[Piece], *, is_group: bool = False, indent: int = 0) -> None:
        self.pieces = tuple(pieces)
        self.is_group = is_group
        self.indent = indent
        self.width = sum(_width(piece) for piece in self.pieces)


Piece = str | Break | Doc


def _width(piece: Piece) -> int:
    if isinstance(piece, Doc):
        return piece.width
    return len(piece.flat if isinstance(piece, Break) else piece)


def row(*pieces: Piece) -> Doc:
    """Pieces one after the other."""
    return Doc(pieces)


def group(*pieces: Piece, indent: int = 0) -> Doc:
    """Pieces that share a line, or have a line for each break."""
    return Doc(pieces, is_group=True, indent=indent)


def joined(items: Iterable[Piece], *between: Piece) -> Doc:
    """Items with something between them."""
    return Doc([piece for item in items for piece in (*between, item)][len(between) :])


def bracketed(opening: str, inside: Piece, closing: str) -> Doc:
    """Brackets on lines of their own, if what is in them does not fit."""
    return group(opening, Doc((SOFT, inside), indent=1), SOFT, closing)


def render(doc: Piece) -> str:
    """The text."""
    out: list[str] = []
    stack: list[tuple[Piece, int, bool]] = [(doc, 0, False)]
    while stack:
        piece, indent, broken = stack.pop()
        if isinstance(piece, str):
            out.append(piece)
        elif isinstance(piece, Break):
            out.append("\n" + _STEP * indent if broken else piece.flat)
        else:
            inner = indent + piece.indent
            if piece.is_group:
                broken = len(_STEP) * inner + piece.width > WIDTH
            stack.extend([(one, inner, broken) for one in reversed(piece.pieces)])
    return "".join(out)
