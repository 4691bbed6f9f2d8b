"""Which expressions of a plan run in Python, and why: noted while compiling, shown by `explain` and `plan_report`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from firesteel import plan as p


class Fallback(NamedTuple):
    """An expression, or a relation inside a row, that runs in Python, and why."""

    node: p.Rex | p.Rel
    reason: str


@dataclass
class FallbackLog:
    """The fallbacks of one plan, in the order of compiling."""

    _entries: list[Fallback] = field(default_factory=list)

    def __iter__(self) -> Iterator[Fallback]:
        return iter(self._entries)

    def __bool__(self) -> bool:
        return bool(self._entries)

    def add(self, fallback: Fallback) -> None:
        self._entries.append(fallback)

    def begin(self) -> Attempt:
        """Begin to compile something that may not become part of the plan after all."""
        return Attempt(self._entries, len(self._entries))


@dataclass(frozen=True)
class Attempt:
    """The compilation of one node: the fallbacks that were noted since it began."""

    _entries: list[Fallback]
    _before: int

    @property
    def is_native(self) -> bool:
        """Does all of it run in Spark?"""
        return len(self._entries) == self._before

    def abandon(self) -> None:
        """Drop what was noted: the compiled node is not used."""
        del self._entries[self._before :]

    def becomes(self, fallback: Fallback) -> None:
        """The whole node runs in Python, and what was noted below it is part of that."""
        self.abandon()
        self._entries.append(fallback)
