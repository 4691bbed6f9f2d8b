"""Functions on text. Positions count code points, from one; a symbol acts as its name, a clob as its text."""

from __future__ import annotations

from functools import lru_cache

from firesteel.errors import EvaluationError
from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.compare import text
from firesteel.values import Clob

Text = str | Clob


def concat(a: Text, b: Text) -> str:
    return text(a) + text(b)


def char_length(value: Text) -> int:
    return len(text(value))


def upper(value: Text) -> str:
    return text(value).upper()


def lower(value: Text) -> str:
    return text(value).lower()


def octet_length(value: Text | bytes) -> int:
    return len(value.encode()) if isinstance(value, str) else len(value)


def bit_length(value: Text | bytes) -> int:
    return 8 * octet_length(value)


def trim(value: Text, characters: Text = " ") -> str:
    return text(value).strip(text(characters))


def ltrim(value: Text, characters: Text = " ") -> str:
    return text(value).lstrip(text(characters))


def rtrim(value: Text, characters: Text = " ") -> str:
    return text(value).rstrip(text(characters))


def substring(value: Text, start: int, length: int | None = None) -> str:
    """SQL's: the part of the text that lies in positions `start` up to `start + length`, wherever those are."""
    whole = text(value)
    if length is not None and length < 0:
        raise Forgivable("a substring cannot have a negative length")
    end = len(whole) if length is None else start + length - 1
    return whole[max(start - 1, 0) : max(end, 0)]


def overlay(value: Text, part: Text, start: int, length: int | None = None) -> str:
    """The part in the place of as much as it is long, unless another length is given."""
    whole, new = text(value), text(part)
    size = len(new) if length is None else length
    if start < 1 or size < 0:
        raise Forgivable("an overlay starts at 1 or later, and its length is not negative")
    return whole[: start - 1] + new + whole[start - 1 + size :]


def replace(value: Text, old: Text, new: Text) -> str:
    return text(value).replace(text(old), text(new))


def position(part: Text, whole: Text) -> int:
    return text(whole).find(text(part)) + 1


# ---------------------------------------------------------------------------------------------------------------------
# LIKE

#: What a character of a segment matches: itself, or with None any.
_Segment = tuple[str | None, ...]


def like(value: Text, pattern: Text, escape: Text | None = None) -> bool:
    """Segments between `%`s are found one after the other, leftmost first, which never has to go back."""
    subject = text(value)
    first, *rest = _segments(text(pattern), None if escape is None else text(escape))
    if not _at(subject, 0, first):
        return False
    if not rest:
        return len(subject) == len(first)
    *middle, last = rest
    place, end = len(first), len(subject) - len(last)
    for segment in middle:
        place = _find(subject, place, end, segment)
        if place < 0:
            return False
        place += len(segment)
    return place <= end and _at(subject, end, last)


@lru_cache(maxsize=256)
def _segments(pattern: str, escape: str | None) -> tuple[_Segment, ...]:
    """The pattern, split at its `%`s. A wrong escape is an error in both modes."""
    if escape is not None and len(escape) != 1:
        raise EvaluationError(f"ESCAPE takes one character, not {len(escape)}")
    segments: list[list[str | None]] = [[]]
    symbols = iter(pattern)
    for symbol in symbols:
        if symbol == escape:
            escaped = next(symbols, "")
            if escaped not in ("%", "_", escape):
                raise EvaluationError(f"'{pattern}' escapes neither '%' nor '_' nor '{escape}'")
            segments[-1].append(escaped)
        elif symbol == "%":
            segments.append([])
        else:
            segments[-1].append(None if symbol == "_" else symbol)
    return tuple(map(tuple, segments))


def _at(subject: str, place: int, segment: _Segment) -> bool:
    if len(subject) - place < len(segment):
        return False
    return all(symbol is None or subject[place + i] == symbol for i, symbol in enumerate(segment))


def _find(subject: str, start: int, end: int, segment: _Segment) -> int:
    """The first place of a segment that ends before `end`, or -1."""
    if None not in segment:
        return subject.find("".join(map(str, segment)), start, end)
    return next((i for i in range(start, end - len(segment) + 1) if _at(subject, i, segment)), -1)
