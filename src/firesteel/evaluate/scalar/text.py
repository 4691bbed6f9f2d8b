"""Functions on text. Positions count code points, from one; a symbol acts as its name, a clob as its text."""

from __future__ import annotations

import re
from functools import lru_cache

from firesteel.errors import EvaluationError
from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.scalar.compare import text
from firesteel.values import Clob

Text = str | Clob


#: Longer results are refused, because they would fill the memory.
LONGEST = 1 << 26


def within(length: int) -> None:
    """Refuse a text that would become so long, before it is made."""
    if length > LONGEST:
        raise EvaluationError(f"a text of {length:,} characters", help=f"the longest has {LONGEST:,}")


def concat(*parts: Text) -> str:
    given = [text(part) for part in parts]
    within(sum(map(len, given)))
    return "".join(given)


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
    whole, part, other = text(value), text(old), text(new)
    within(replaced_length(whole, part, other))
    return whole.replace(part, other)


def replaced_length(whole: str, part: str, other: str) -> int:
    return len(whole) + whole.count(part) * max(0, len(other) - len(part))


def left(value: Text, count: int) -> str:
    return text(value)[: _not_negative(count)]


def right(value: Text, count: int) -> str:
    whole = text(value)
    return whole[max(0, len(whole) - _not_negative(count)) :]


def _not_negative(count: int) -> int:
    if count < 0:
        raise Forgivable("a number of characters is not negative")
    return count


def repeat(value: Text, count: int) -> str:
    whole = text(value)
    within(len(whole) * _not_negative(count))
    return whole * count


def lpad(value: Text, length: int, filler: Text = " ") -> str:
    return _filler(value, length, filler) + text(value)[:length]


def rpad(value: Text, length: int, filler: Text = " ") -> str:
    return text(value)[: _not_negative(length)] + _filler(value, length, filler)


def _filler(value: Text, length: int, filler: Text) -> str:
    """What makes the text as long as that; nothing if it is long enough, or if there is nothing to fill it with."""
    within(_not_negative(length))
    characters, lacking = text(filler), max(0, length - len(text(value)))
    return (characters * (lacking // len(characters) + 1))[:lacking] if characters else ""


def split(value: Text, separator: Text) -> list[str]:
    whole, mark = text(value), text(separator)
    return whole.split(mark) if mark else [whole]


def position(part: Text, whole: Text) -> int:
    return text(whole).find(text(part)) + 1


# ---------------------------------------------------------------------------------------------------------------------
# LIKE


class _Segment:
    """What stands between two `%`: characters, or with None any one."""

    def __init__(self, symbols: list[str | None]) -> None:
        self.length = len(symbols)
        wild = None in symbols
        self.plain = "" if wild else "".join(map(str, symbols))
        written = "".join("." if symbol is None else re.escape(symbol) for symbol in symbols)
        self.pattern = re.compile(written, re.DOTALL) if wild else None

    def at(self, subject: str, place: int) -> bool:
        if self.pattern is None:
            return place >= 0 and subject.startswith(self.plain, place)
        return place >= 0 and self.pattern.match(subject, place) is not None

    def find(self, subject: str, start: int, end: int) -> int:
        """The first place that ends before `end`, or -1."""
        if self.pattern is None:
            return subject.find(self.plain, start, end)
        found = self.pattern.search(subject, start, max(start, end))
        return -1 if found is None else found.start()


def like(value: Text, pattern: Text, escape: Text | None = None) -> bool:
    """Finds the segments between `%`s one after the other, leftmost first, without backtracking."""
    subject = text(value)
    first, *rest = _segments(text(pattern), None if escape is None else text(escape))
    if not first.at(subject, 0):
        return False
    if not rest:
        return len(subject) == first.length
    *middle, last = rest
    place, end = first.length, len(subject) - last.length
    for segment in middle:
        place = segment.find(subject, place, end)
        if place < 0:
            return False
        place += segment.length
    return place <= end and last.at(subject, end)


def ilike(value: Text, pattern: Text, escape: Text | None = None) -> bool:
    return like(lower(value), lower(pattern), None if escape is None else lower(escape))


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
    return tuple(map(_Segment, segments))
