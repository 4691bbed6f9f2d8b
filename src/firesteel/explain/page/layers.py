"""Texts of a plan, joined with its operators.

A reader notes where each node was read from. So a text is cut at its operators by reading it: the text that a plan was
planned from, or one that was written from the plan and read again, whose operators are then matched with the plan's.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from firesteel.errors import redacted
from firesteel.explain.page.model import Layer, Segment
from firesteel.explain.page.operators import Found
from firesteel.node import Node
from firesteel.plan import Rel
from firesteel.source import Place, Source, Span

#: Characters of a text that are shown.
MAX_TEXT = 1_000_000


class Range(NamedTuple):
    """A range of a text that was read as a part of an operator."""

    start: int
    end: int
    operator: int


def unlinked(name: str, title: str, text: str, note: str = "") -> Layer:
    """A text of which nobody knows what belongs to which operator."""
    return Layer(name, title, (Segment(redacted(text[:MAX_TEXT])),) if text else (), _noted(note, text))


def linked(name: str, title: str, text: str, ranges: Iterable[Range], note: str = "") -> Layer:
    """A text, cut so that every piece belongs to the operators with the smallest range around it."""
    shown = text[:MAX_TEXT]
    pieces = [Segment(redacted(shown[start:end]), owners) for start, end, owners in _pieces(len(shown), ranges)]
    if redacted(shown) != "".join(piece.text for piece in pieces):  # a secret is in two pieces
        return unlinked(name, title, text, note)
    return Layer(name, title, tuple(pieces), _noted(note, text))


def _noted(note: str, text: str) -> str:
    cut = f"the first {MAX_TEXT:,} of {len(text):,} characters" if len(text) > MAX_TEXT else ""
    return "; ".join(filter(None, (redacted(note), cut)))


def _pieces(length: int, ranges: Iterable[Range]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    owners: dict[tuple[int, int], dict[int, None]] = {}
    for start, end, operator in ranges:
        if 0 <= start < min(end, length):
            owners.setdefault((start, min(end, length)), {})[operator] = None
    waiting = sorted(owners, reverse=True)
    borders = sorted({0, length, *(border for one in owners for border in one)})
    around: list[tuple[int, int, int]] = []  # length, start and end of the ranges that have begun, the smallest first
    last: tuple[int, int, tuple[int, ...]] | None = None
    for start, end in pairwise(borders):
        while waiting and waiting[-1][0] <= start:
            a, b = waiting.pop()
            heappush(around, (b - a, a, b))
        while around and around[0][2] <= start:
            heappop(around)
        who = tuple(owners[around[0][1:]]) if around else ()
        if last is not None and last[2] == who:
            last = (last[0], end, who)
            continue
        if last is not None:
            yield last
        last = (start, end, who)
    if last is not None:
        yield last


# ---------------------------------------------------------------------------------------------------------------------
# Where operators were read from


def own_ranges(found: Sequence[Found], source: Source, numbers: Mapping[int, int] | None = None) -> Iterator[Range]:
    """The ranges of a text that operators and their expressions were read from. One that has no text but that of a
    query below it (the scan of a subquery in FROM) has the query's. `numbers` are those of the operators that they
    stand for, if these are others."""
    spans = {one.id: _own_spans(one, source) for one in found}
    lent: set[int] = set()
    for one in reversed(found):  # what is below stands behind
        is_query = not isinstance(one.node, Rel) or one.id in lent
        if one.parent is not None and is_query and spans[one.id] and not spans[one.parent]:
            spans[one.parent] = spans[one.id]
            lent.add(one.parent)
    for one in found:
        number = one.id if numbers is None else numbers.get(one.id)
        if number is not None:
            yield from (Range(span.start, span.end, number) for span in spans[one.id])


def _own_spans(one: Found, source: Source) -> list[Span]:
    """The ranges of an operator; its expressions count if it has none itself."""
    if one.same_as is not None:
        return []
    for nodes in ([one.node], [node for node, _ in one.own]):
        spans = [span for span in map(span_of, nodes) if span is not None and span.source.text == source.text]
        if spans:
            return spans
    return []


def span_of(node: Node) -> Span | None:
    """The range of a text that a node was read from."""
    return node.where.span if isinstance(node.where, Place) else node.where


def matched(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> dict[int, int]:
    """Which of ours each of theirs is: both are lists of kinds in the order of the tree. All, if the lists are equal,
    else as many as can be had in order."""
    if list(ours) == list(theirs):
        return {place: place for place in range(len(ours))}
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    return {block.b + i: block.a + i for block in blocks for i in range(block.size)}


__all__ = ["MAX_TEXT", "Range", "linked", "matched", "own_ranges", "span_of", "unlinked"]
