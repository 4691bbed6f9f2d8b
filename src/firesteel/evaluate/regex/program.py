"""Trees as instructions, which `machine` runs and `cost` counts."""

from __future__ import annotations

from dataclasses import dataclass, field

from firesteel.errors import UnsupportedError
from firesteel.evaluate.regex.syntax import Capture, Concat, Either, Look, One, Repetition, Test, Tree, python, shown

#: Instructions of one pattern.
LARGEST = 5_000


@dataclass(slots=True)
class TakeChar:
    """Take one character that `text` matches. `loop` is the outermost endless repetition around it, or 0."""

    text: str
    loop: int


@dataclass(slots=True)
class AtPlace:
    """Go on if this, in Python's notation, takes nothing here and matches."""

    text: str


@dataclass(slots=True)
class Save:
    """Note the place as the begin or end of a group."""

    slot: int


@dataclass(slots=True)
class Jump:
    """Go on at one of these, the best first."""

    targets: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Done:
    """The whole pattern has matched."""


Instruction = TakeChar | AtPlace | Save | Jump | Done


#: The place where the text begins.
START = AtPlace(python(Test("start")))


def program(tree: Tree, text: str) -> list[Instruction]:
    """The instructions of a tree; the text of the whole pattern is for the message if there are too many."""
    made = _Maker(text)
    made.put(tree, 0)
    made.add(Done())
    return made.code


class _Maker:
    def __init__(self, text: str) -> None:
        self.text = text
        self.code: list[Instruction] = []
        self.loops = 0

    def add(self, instruction: Instruction) -> None:
        if len(self.code) >= LARGEST:
            raise UnsupportedError(
                f"the regular expression '{shown(self.text)}' is too large: repetitions inside repetitions",
                help=f"written out it may have {LARGEST:,} parts",
            )
        self.code.append(instruction)

    def jump(self) -> Jump:
        made = Jump()
        self.add(made)
        return made

    @property
    def here(self) -> int:
        return len(self.code)

    def put(self, tree: Tree, loop: int) -> None:
        match tree:
            case One(text=text):
                self.add(TakeChar(text, loop))
            case Test() | Look():
                self.add(AtPlace(python(tree)))
            case Concat(items=items):
                for item in items:
                    self.put(item, loop)
            case Either(options=options):
                self._either(options, loop)
            case Capture(item=item, number=number):
                self.add(Save(2 * number))
                self.put(item, loop)
                self.add(Save(2 * number + 1))
            case Repetition():
                self._repeat(tree, loop)

    def _either(self, options: tuple[Tree, ...], loop: int) -> None:
        choice, ends = self.jump(), []
        for option in options:
            choice.targets.append(self.here)
            self.put(option, loop)
            ends.append(self.jump())
        for end in ends:
            end.targets.append(self.here)

    def _repeat(self, tree: Repetition, loop: int) -> None:
        """Copies: those that must be there, then those that may be, or one that repeats itself."""
        for _ in range(tree.low - 1 if tree.high is None else tree.low):
            self.put(tree.item, loop)
        if tree.high is None:
            self._endless(tree, loop)
            return
        choices = []
        for _ in range(tree.high - tree.low):
            choices.append(self.jump())
            choices[-1].targets.append(self.here)
            self.put(tree.item, loop)
        for choice in choices:
            self._choose(choice, self.here, tree.greedy)

    def _endless(self, tree: Repetition, loop: int) -> None:
        if not loop:
            self.loops += 1
            loop = self.loops
        skip = self.jump() if tree.low == 0 else None
        body = self.here
        self.put(tree.item, loop)
        again = self.jump()
        again.targets.append(body)
        self._choose(again, self.here, tree.greedy)
        if skip:
            skip.targets.append(body)
            self._choose(skip, self.here, tree.greedy)

    @staticmethod
    def _choose(jump: Jump, other: int, greedy: bool) -> None:
        jump.targets.insert(len(jump.targets) if greedy else 0, other)
