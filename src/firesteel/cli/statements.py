"""Texts of several statements, parted by semicolons: what the shell needs while somebody types."""

from __future__ import annotations

from firesteel.errors import ParseError
from firesteel.partiql import Token, tokenize


def split(text: str) -> list[str]:
    """The statements of a text, without their semicolons. A semicolon in a string, a quoted name, an Ion literal or a
    comment parts nothing. What is behind the last one is a statement, too, if it is more than space and comments."""
    tokens, whole = _tokens(text)
    found: list[str] = []
    start, filled = 0, False
    for token in tokens:
        if token.kind != ";":
            filled = filled or token.kind != "end"
            continue
        if filled:
            found.append(text[start : token.start].strip())
        start, filled = token.end, False
    if filled or not whole:
        found.append(text[start:].strip())
    return found


def split_in_place(text: str) -> list[str]:
    """The statements of a text, each behind as many lines and columns as it has before it, so that an error in it names
    its place in the text."""
    found: list[str] = []
    end = 0
    for one in split(text):
        start = text.index(one, end)
        end = start + len(one)
        line = text.rfind("\n", 0, start) + 1
        found.append("\n" * text.count("\n", 0, start) + " " * (start - line) + one)
    return found


def is_complete(text: str) -> bool:
    """Does the text end with a semicolon, so that nothing is to come? What is never closed is not complete."""
    tokens, whole = _tokens(text)
    kinds = [token.kind for token in tokens if token.kind != "end"]
    return whole and bool(kinds) and kinds[-1] == ";"


def _tokens(text: str) -> tuple[list[Token], bool]:
    """The tokens of a text up to the first that is invalid or never closed, and whether these are all."""
    try:
        return list(tokenize(text)), True
    except ParseError as error:
        end = 0 if error.span is None else error.span.start
        return list(tokenize(text[:end])), False


__all__ = ["is_complete", "split", "split_in_place"]
