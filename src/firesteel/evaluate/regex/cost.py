"""How long could a backtracking matcher take? A bound on its steps over a text of `n` characters, from above.

Such a matcher tries one way after the other. Where the next character leaves only one way, it does not matter. Where
two ways take the same character, both may be walked to their ends: outside of repetitions this adds up; a repetition
that can be left by a character that it could also take leaves at each of `n` places; and if both ways stay in the same
repetition, the ways double with every character. `(a+)+b` and `(a|a)*b` are of the last kind.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from firesteel.evaluate.regex.program import START, AtPlace, Done, Instruction, Jump, TakeChar

#: The cost of a pattern without a bound.
ENDLESS = 10**30
#: Patterns with more ways than this are not looked at.
_MOST_WAYS = 100_000

#: Characters that stand for all: ASCII, and beyond it letters, digits, marks and spaces of many scripts.
_SAMPLE = "".join(map(chr, (*range(0x250), *range(0x250, 0xD800, 61), 0x2028, 0x2029, 0xFEFF, 0x1D7CE, 0x1F4A9)))


class _Unbounded(Exception):
    """There are too many ways, or a repetition of nothing."""


class Cost:
    """The ways through a program, from each of its characters to the next."""

    def __init__(self, code: list[Instruction], flags: int) -> None:
        self.code = code
        self.flags = flags
        #: Once nothing can fail any more, no way is ever taken back; a place can fail.
        self.anchored = bool(code) and code[_entry(code)] == START
        self.sure = sum(isinstance(one, AtPlace) for one in code) <= self.anchored
        beyond = {symbol for one in code if isinstance(one, TakeChar) for symbol in one.text if ord(symbol) > 127}
        near = {chr(min(max(ord(symbol) + i, 0), 0x10FFFF)) for symbol in beyond for i in (-1, 0, 1)}
        self.sample = _SAMPLE + "".join(sorted(near))
        try:
            self.ways: dict[int, Counter[int]] | None = self._ways()
        except _Unbounded:
            self.ways = None

    def steps(self, n: int) -> int:
        if self.ways is None:
            return ENDLESS
        costs: dict[int, int] = {}
        chars = [pc for pc in self.ways if pc >= 0]
        for pc in reversed(chars):
            if pc not in costs:
                loop = self._loop(pc)
                members = [other for other in chars if self._loop(other) == loop] if loop else [pc]
                cost = self._looping(members, costs, n) if loop else 1 + self._worst(self.ways[pc], costs)
                costs.update(dict.fromkeys(members, min(cost, ENDLESS)))
        once = 1 + self._worst(self.ways[-1], costs)
        return min(ENDLESS, once if self.anchored else once * n)

    def _looping(self, members: list[int], costs: dict[int, int], n: int) -> int:
        """What a repetition costs, with all that may follow it."""
        assert self.ways is not None
        inside = set(members)
        often = once = 0
        for pc in members:
            stays = {to: times for to, times in self.ways[pc].items() if to in inside}
            leaves = {to: times for to, times in self.ways[pc].items() if to not in inside}
            taken = 0
            for to, times in stays.items():
                if times > 1 or taken & self._mask(to):
                    return ENDLESS
                taken |= self._mask(to)
            doubtful = {to: times for to, times in leaves.items() if self._mask(to) & taken and not self._succeeds(to)}
            often = max(often, self._worst(doubtful, costs))
            once = max(once, self._worst(leaves, costs))
        return n * (1 + often) + once

    def _worst(self, ways: Counter[int] | dict[int, int], costs: dict[int, int]) -> int:
        """The steps of all ways that the same character opens, for the worst character."""
        by_mask: Counter[int] = Counter()
        for to, times in ways.items():
            by_mask[self._mask(to)] += times * costs.get(to, 1)
        return max((sum(cost for other, cost in by_mask.items() if mask & other) for mask in by_mask), default=0)

    def _succeeds(self, pc: int) -> bool:
        """Is the match certain, once this character is taken?"""
        assert self.ways is not None
        return self.sure and any(isinstance(self.code[to], Done) for to in self.ways.get(pc, ()))

    def _loop(self, pc: int) -> int:
        one = self.code[pc]
        return one.loop if isinstance(one, TakeChar) else 0

    def _mask(self, pc: int) -> int:
        one = self.code[pc]
        return _mask(one.text, self.flags, self.sample) if isinstance(one, TakeChar) else 0

    def _ways(self) -> dict[int, Counter[int]]:
        """From the start (-1) and behind each character: what may be next, and in how many ways."""
        known: dict[int, Counter[int]] = {}
        budget = _MOST_WAYS
        for pc in range(len(self.code)):
            self._close(pc, known)
            budget -= len(known[pc])
            if budget < 0:
                raise _Unbounded
        found = {-1: known[0]}
        found |= {pc: known[pc + 1] for pc, one in enumerate(self.code) if isinstance(one, TakeChar)}
        return found

    def _close(self, root: int, known: dict[int, Counter[int]]) -> None:
        stack, open_ = [root], set()
        while stack:
            pc = stack[-1]
            one = self.code[pc]
            if pc in known or isinstance(one, TakeChar | Done):
                known.setdefault(pc, Counter([pc]))
                stack.pop()
                continue
            targets = one.targets if isinstance(one, Jump) else [pc + 1]
            missing = [to for to in targets if to not in known]
            if not missing:
                ways: Counter[int] = Counter()
                for to in targets:
                    ways.update(known[to])
                known[pc] = ways
                stack.pop()
            elif pc in open_:
                raise _Unbounded
            else:
                open_.add(pc)
                stack.extend(missing)


def _entry(code: list[Instruction]) -> int:
    """The first instruction that is no begin of a group."""
    return next(pc for pc, one in enumerate(code) if isinstance(one, TakeChar | AtPlace | Jump | Done))


@lru_cache(1_000)
def _mask(text: str, flags: int, sample: str) -> int:
    """The characters of the sample that this matches, a bit for each."""
    found = 0
    for match in re.finditer(text, sample, flags):
        found |= 1 << match.start()
    return found
