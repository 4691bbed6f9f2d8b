"""A pattern that is ready to match: by Python's own matcher where that cannot take long, else by `machine`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from firesteel.errors import UnsupportedError
from firesteel.evaluate.regex.cost import Cost
from firesteel.evaluate.regex.machine import Machine, Spans
from firesteel.evaluate.regex.program import program
from firesteel.evaluate.regex.syntax import (
    Capture,
    CaseRule,
    Concat,
    Look,
    One,
    Options,
    Repetition,
    Tree,
    java,
    parts,
    python,
    read,
    shown,
)

#: The steps that Python's matcher may be asked for, about a second.
_AT_ONCE = 100_000_000
#: The steps of looking around at one place.
_LOOKING = 10_000
#: What a backtracking matcher elsewhere may take over a text of this length: as good as its square.
_TYPICAL, _ELSEWHERE = 1_000, 10_000_000

_Search = Callable[[int], Spans | None]
_FLAGS = {
    CaseRule.SENSITIVE: 0,
    CaseRule.INSENSITIVE: re.IGNORECASE,
    CaseRule.INSENSITIVE_ASCII: re.IGNORECASE | re.ASCII,
}


@dataclass(frozen=True, slots=True)
class RegexMatch:
    """Where a match and its groups begin and end, two numbers for each; -1 where a group took no part."""

    text: str
    spans: Spans

    @property
    def start(self) -> int:
        return self.spans[0]

    @property
    def end(self) -> int:
        return self.spans[1]

    @property
    def groups(self) -> int:
        return len(self.spans) // 2 - 1

    def group(self, number: int) -> str | None:
        start, end = self.spans[2 * number : 2 * number + 2]
        return None if start < 0 else self.text[start:end]


class Regex:
    """A pattern with its options."""

    def __init__(self, text: str, options: Options) -> None:
        self.pattern = read(text, options)
        self.groups = self.pattern.groups
        self.flags = int(_FLAGS[self.pattern.case])
        self.code = program(self.pattern.tree, text)
        self._cost = Cost(self.code, self.flags)
        #: What looking around costs, wherever it is done: it goes over a bounded number of characters.
        looks = [part.item for part in parts(self.pattern.tree) if isinstance(part, Look)]
        self._looking = 1 + sum(Cost(program(look, text), self.flags).steps(1) for look in looks)
        if self._looking > _LOOKING:
            raise UnsupportedError(f"the regular expression '{shown(text)}' looks around in too many ways")
        self._steps: dict[int, int] = {}
        self._python: re.Pattern[str] | None = None

    def matches(self, text: str) -> Iterator[RegexMatch]:
        """From left to right. Behind an empty match the search goes on one character later, as in Java."""
        search = self._backtracking(text) if self.steps(len(text)) <= _AT_ONCE else self._linear(text)
        at = 0
        while at <= len(text):
            spans = search(at)
            if spans is None:
                return
            yield RegexMatch(text, spans)
            at = spans[1] + (spans[0] == spans[1])

    def steps(self, length: int) -> int:
        """A bound on what a backtracking matcher takes over a text that is about so long."""
        n = 1 << length.bit_length()
        if n not in self._steps:
            self._steps[n] = self._cost.steps(n) * self._looking
        return self._steps[n]

    def _linear(self, text: str) -> _Search:
        return Machine(self.pattern.text, self.code, self.flags, self.groups, text).search

    def _backtracking(self, text: str) -> _Search:
        if self._python is None:
            self._python = re.compile(python(self.pattern.tree), self.flags)
        found = self._python

        def search(at: int) -> Spans | None:
            match = found.search(text, at)
            return None if match is None else tuple(place for span in match.regs for place in span)

        return search

    @property
    def java(self) -> str | None:
        """The pattern for Java's matcher; None where that could take too long, or overflow its stack."""
        tame = self.steps(_TYPICAL) <= _ELSEWHERE and not _recurses(self.pattern.tree)
        return java(self.pattern) if tame else None


def _recurses(tree: Tree) -> bool:
    """Does Java need its stack for every repetition? It does for what is not always of the same length."""
    return any(isinstance(part, Repetition) and part.high is None and not _plain(part.item) for part in parts(tree))


def _plain(tree: Tree) -> bool:
    """A row of characters, without a choice."""
    return all(isinstance(part, One | Concat | Capture) for part in parts(tree))


@lru_cache(512)
def compile_regex(text: str, options: Options) -> Regex:
    return Regex(text, options)
