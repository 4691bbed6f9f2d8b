"""Matching in time that grows with the pattern times the text, by Thompson's and Pike's method.

All ways through the pattern go over the text side by side, the best first; two that meet at the same instruction are
one from then on. The result is the one that a backtracking matcher would find first.
"""

from __future__ import annotations

import re
from functools import lru_cache

from firesteel.errors import EvaluationError
from firesteel.evaluate.regex.program import AtPlace, Done, Instruction, Jump, Save, TakeChar
from firesteel.evaluate.regex.syntax import shown

#: The steps that the matches of one pattern in one text may take, some seconds.
BUDGET = 5_000_000

Spans = tuple[int, ...]


class Machine:
    """One pattern over one text."""

    def __init__(self, pattern: str, code: list[Instruction], flags: int, groups: int, text: str) -> None:
        self.pattern = pattern
        self.code = code
        self.flags = flags
        self.empty: Spans = (-1,) * (2 * groups + 2)
        self.text = text
        self.left = BUDGET

    def search(self, start: int) -> Spans | None:
        """Begin and end of the leftmost match and of its groups; -1 where a group took no part."""
        best: Spans | None = None
        threads: dict[int, Spans] = {}
        at = start
        while True:
            if best is None:
                self._follow(0, at, (at, *self.empty[1:]), threads)
            symbol = self.text[at : at + 1]
            following: dict[int, Spans] = {}
            for pc, spans in threads.items():
                instruction = self.code[pc]
                if isinstance(instruction, Done):
                    best = (spans[0], at, *spans[2:])
                    break  # what comes later in the list is worse
                if isinstance(instruction, TakeChar) and symbol and _takes(instruction.text, self.flags, symbol):
                    self._follow(pc + 1, at + 1, spans, following)
            threads = following
            at += 1
            if at > len(self.text) or (best is not None and not threads):
                return best

    def _follow(self, pc: int, at: int, spans: Spans, threads: dict[int, Spans]) -> None:
        """The instructions that can be reached without taking a character, in the order of their preference."""
        stack = [(pc, spans)]
        while stack:
            pc, spans = stack.pop()
            if pc in threads:
                continue
            self.left -= 1
            if self.left < 0:
                took = f"more than {BUDGET:,} steps over {len(self.text):,} characters"
                raise EvaluationError(f"matching '{shown(self.pattern)}' takes {took}", help="a shorter text")
            threads[pc] = spans
            match self.code[pc]:
                case Jump(targets=targets):
                    stack.extend((target, spans) for target in reversed(targets))
                case Save(slot=slot):
                    stack.append((pc + 1, (*spans[:slot], at, *spans[slot + 1 :])))
                case AtPlace(text=test) if _one(test, self.flags).match(self.text, at):
                    stack.append((pc + 1, spans))


@lru_cache(100_000)
def _takes(text: str, flags: int, symbol: str) -> bool:
    return _one(text, flags).match(symbol) is not None


@lru_cache(1_000)
def _one(text: str, flags: int) -> re.Pattern[str]:
    return re.compile(text, flags)
