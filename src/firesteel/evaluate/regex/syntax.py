"""Patterns as trees: what Unicode's regular expressions (ICU), Java's and Python's have in common.

A tree is written for Java and for Python from the same table, so that `.`, `$` and `^` mean the same in both: Python
by itself knows one line terminator, the other two know five. Backreferences, atomic groups, possessive quantifiers and
lookaround over text of any length are refused by name: with them no matcher has a bound in time.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from firesteel.errors import EvaluationError, UnsupportedError

#: The nesting limit of groups, below what the Python stack allows.
DEEPEST = 50
#: What a bounded repetition may ask for: it becomes as many copies.
MOST = 1_000

_TERMINATORS = r"\n\r\x85\u2028\u2029"
_HORIZONTAL = r" \t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000"
_VERTICAL = r"\n\x0b\f\r\x85\u2028\u2029"

#: Tests of a place between two characters: what they are in Python, and in Java.
TESTS: dict[str, tuple[str, str]] = {
    "start": (r"\A", r"\A"),
    "line start": (r"(?:\A|(?<=[\n\x85\u2028\u2029])(?!\Z)|(?<=\r)(?!\n|\Z))", "(?m:^)"),
    "end": (r"\Z", r"\z"),
    "last line end": (rf"(?!(?<=\r)\n)(?=(?:\r\n|[{_TERMINATORS}])?\Z)", r"\Z"),
    "line end": (rf"(?!(?<=\r)\n)(?=[{_TERMINATORS}]|\Z)", "(?m:$)"),
    "word edge": (r"\b", r"\b"),
    "no word edge": (r"(?!\b)", r"\B"),
}
_TESTS = {"b": "word edge", "B": "no word edge", "A": "start", "z": "end", "Z": "last line end"}

#: Characters by their escapes; and classes by theirs, as what stands between brackets.
_CHARACTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}
_CLASSES = {**{name: f"\\{name}" for name in "dDwWsS"}, "h": _HORIZONTAL, "v": _VERTICAL}
_NEGATED = {"H": _HORIZONTAL, "V": _VERTICAL}
_HEX = {"x": 2, "u": 4, "U": 8}
_QUANTIFIERS = {"*": (0, None), "+": (1, None), "?": (0, 1)}

#: What follows `(?` where a group looks around, and takes nothing.
_LOOKS = ("=", "!", "<=", "<!")


class CaseRule(enum.Enum):
    """Does case matter? And if not, is that said of Unicode's letters, or of those of ASCII alone?"""

    SENSITIVE = ""
    INSENSITIVE = "i"
    INSENSITIVE_ASCII = "ia"


class Options(NamedTuple):
    case: CaseRule = CaseRule.SENSITIVE
    multiline: bool = False
    dotall: bool = False


@dataclass(frozen=True, slots=True)
class One:
    """One character, as Python and Java both write it: `a`, `\\.`, `[^0-9]`."""

    text: str


@dataclass(frozen=True, slots=True)
class Test:
    """A place, by its name in `TESTS`."""

    name: str


@dataclass(frozen=True, slots=True)
class Look:
    """A place, by what comes after it (`=`, `!`) or before it (`<=`, `<!`)."""

    sign: str
    item: Tree


@dataclass(frozen=True, slots=True)
class Concat:
    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Either:
    options: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Capture:
    item: Tree
    number: int


@dataclass(frozen=True, slots=True)
class Repetition:
    item: Tree
    low: int
    high: int | None
    greedy: bool


Tree = One | Test | Look | Concat | Either | Capture | Repetition


@dataclass(frozen=True, slots=True)
class Pattern:
    text: str
    tree: Tree
    groups: int
    case: CaseRule


def read(text: str, options: Options) -> Pattern:
    return _Reader(text, options).pattern()


class _Reader:
    """Reads from left to right; the groups that are open are a list, not Python's stack."""

    def __init__(self, text: str, options: Options) -> None:
        self.text = text
        self.at = 0
        self.options = options
        self.groups = 0
        #: The alternatives of every open group, the last one still growing; and its number, 0 where it only groups,
        #: or how it looks around.
        self.open: list[tuple[list[list[Tree]], int | str]] = [([[]], 0)]

    def pattern(self) -> Pattern:
        self._leading_flags()
        while self.at < len(self.text):
            self._step()
        if len(self.open) > 1:
            self.wrong("a group is not closed")
        return Pattern(self.text, _either(self.open[0][0]), self.groups, self.options.case)

    def wrong(self, why: str) -> NoReturn:
        raise EvaluationError(f"'{shown(self.text)}' is no regular expression: {why} (at {self.at + 1})")

    def refuse(self, what: str) -> NoReturn:
        raise UnsupportedError(f"the regular expression '{shown(self.text)}' has {what} (at {self.at + 1})")

    # The parts ---------------------------------------------------------------------------------------------------

    def _step(self) -> None:
        symbol = self._take()
        match symbol:
            case "(":
                self._begin()
            case ")":
                self._end()
            case "|":
                self.open[-1][0].append([])
            case "*" | "+" | "?" | "{":
                self._quantified(symbol)
            case "[":
                self._put(One(self._class()))
            case ".":
                self._put(One(r"[\s\S]" if self.options.dotall else f"[^{_TERMINATORS}]"))
            case "^":
                self._put(Test("line start" if self.options.multiline else "start"))
            case "$":
                self._put(Test("line end" if self.options.multiline else "last line end"))
            case "\\":
                self._escape()
            case _:
                self._put(One(quoted(symbol)))

    def _take(self) -> str:
        if self.at >= len(self.text):
            self.wrong("it ends too early")
        self.at += 1
        return self.text[self.at - 1]

    def _skips(self, text: str) -> bool:
        found = self.text.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def _put(self, item: Tree) -> None:
        self.open[-1][0][-1].append(item)

    def _until(self, end: str) -> str:
        there = self.text.find(end, self.at)
        if there < 0:
            self.wrong(f"'{end}' is missing")
        found, self.at = self.text[self.at : there], there + len(end)
        return found

    # Groups ------------------------------------------------------------------------------------------------------

    def _leading_flags(self) -> None:
        """`(?is)`: options of the whole pattern."""
        end = self.text.find(")")
        letters = self.text[2:end] if self.text.startswith("(?") else ""
        if not letters or not set(letters) <= set("ims"):
            return
        case, multiline, dotall = self.options
        case = CaseRule.INSENSITIVE if "i" in letters and case is CaseRule.SENSITIVE else case
        self.options = Options(case, multiline or "m" in letters, dotall or "s" in letters)
        self.at = end + 1

    def _begin(self) -> None:
        number: int | str = 0
        if self._skips("?"):
            if self._skips("#"):
                self._until(")")
                return
            if self._skips(">"):
                self.refuse("an atomic group")
            look = next((sign for sign in _LOOKS if self._skips(sign)), "")
            if look:
                number = look
            elif self._skips("<"):
                name = self._until(">")
                if not (name.isascii() and name.isalnum() and name[0].isalpha()):
                    self.wrong(f"'{shown(name)}' is no name of a group")
                number = self._number()
            elif not self._skips(":"):
                self.refuse("flags that do not stand at its beginning")
        else:
            number = self._number()
        if len(self.open) > DEEPEST:
            self.refuse(f"more than {DEEPEST} groups inside each other")
        self.open.append(([[]], number))

    def _number(self) -> int:
        self.groups += 1
        return self.groups

    def _end(self) -> None:
        if len(self.open) == 1:
            self.wrong("')' closes nothing")
        alternatives, number = self.open.pop()
        item = _either(alternatives)
        if isinstance(number, str):
            self._put(self._looking(number, item))
            return
        # A row of one tells `(?:a+)*` from `a+*`, which repeats nothing.
        self._put(
            Capture(item, number) if number else Concat((item,)) if isinstance(item, Test | Look | Repetition) else item
        )

    def _looking(self, sign: str, item: Tree) -> Look:
        for part in parts(item):
            if isinstance(part, Repetition) and part.high is None:
                self.refuse("lookaround over text of any length")
            if isinstance(part, Capture):
                self.refuse("a group inside lookaround")
        if "<" in sign and length(item) is None:
            self.refuse("lookbehind over text of different lengths")
        return Look(sign, item)

    def _quantified(self, symbol: str) -> None:
        items = self.open[-1][0][-1]
        low, high = self._counts() if symbol == "{" else _QUANTIFIERS[symbol]
        if not items or isinstance(items[-1], Test | Look | Repetition):
            self.wrong(f"there is nothing that '{symbol}' could repeat")
        if self._skips("+"):
            self.refuse("a possessive quantifier")
        items.append(Repetition(items.pop(), low, high, not self._skips("?")))

    def _counts(self) -> tuple[int, int | None]:
        first, comma, last = self._until("}").partition(",")
        if not _number(first) or (last and not _number(last)):
            self.wrong("braces hold one or two numbers")
        low, high = _count(first), (_count(last) if last else None) if comma else _count(first)
        if max(low, high or 0) > MOST:
            self.refuse(f"more than {MOST:,} repetitions")
        if high is not None and high < low:
            self.wrong("the first number is greater than the second")
        return low, high

    # Characters --------------------------------------------------------------------------------------------------

    def _escape(self) -> None:
        letter = self._take()
        if letter in _TESTS:
            self._put(Test(_TESTS[letter]))
        elif letter in _CLASSES:
            self._put(One(f"[{_CLASSES[letter]}]"))
        elif letter in _NEGATED:
            self._put(One(f"[^{_NEGATED[letter]}]"))
        elif letter == "Q":
            for symbol in self._until("\\E") if "\\E" in self.text[self.at :] else self._rest():
                self._put(One(quoted(symbol)))
        elif letter in "123456789k":
            self.refuse("a backreference")
        else:
            self._put(One(quoted(self._character(letter))))

    def _rest(self) -> str:
        found, self.at = self.text[self.at :], len(self.text)
        return found

    def _character(self, letter: str) -> str:
        """The character that an escape stands for."""
        if letter in _CHARACTERS:
            return _CHARACTERS[letter]
        if letter in _HEX or letter == "0":
            return self._by_number(letter)
        if letter in "pPNXRG":
            self.refuse(f"'\\{letter}', which names classes that are not known here")
        if letter.isascii() and letter.isalpha():
            self.wrong(f"'\\{letter}' is no escape")
        return letter

    def _by_number(self, letter: str) -> str:
        if letter == "x" and self._skips("{"):
            digits = self._until("}")
        elif letter == "0":
            digits = self.text[self.at : self.at + 3]
            digits = digits[: len(digits) - len(digits.lstrip("01234567"))]
            self.at += len(digits)
        else:
            digits = self.text[self.at : self.at + _HEX[letter]]
            self.at += len(digits)
        try:
            return chr(int(digits, 8 if letter == "0" else 16))
        except (ValueError, OverflowError):
            self.wrong(f"'{shown(digits)}' is the number of no character")

    def _class(self) -> str:
        """`[a-z\\d]`, rewritten so that both languages read it the same: no class inside a class, no `&&`."""
        parts = ["^" if self._skips("^") else ""]
        first = True
        while not self._skips("]") or first:
            if first and self.text[self.at - 1 : self.at] == "]":
                self.at -= 1
            first = False
            low = self._member(parts)
            if low is None:
                continue
            if self.text.startswith("-", self.at) and not self.text.startswith("-]", self.at):
                self._take()
                high = self._member(parts)
                if high is None or high < low:
                    self.wrong("a range goes from one character to a later one")
                parts.append(f"{quoted(low)}-{quoted(high)}")
            else:
                parts.append(quoted(low))
        return f"[{''.join(parts)}]"

    def _member(self, parts: list[str]) -> str | None:
        """A character; or None, where it is a class that has been put down."""
        if self.text.startswith(("[", "&&", "--"), self.at):
            self.refuse("classes inside a class, which are not known here")
        symbol = self._take()
        if symbol != "\\":
            return symbol
        letter = self._take()
        if letter in _NEGATED:
            self.refuse(f"'\\{letter}' inside a class")
        if letter in _CLASSES:
            parts.append(_CLASSES[letter])
            return None
        return "\b" if letter == "b" else self._character(letter)


def _either(alternatives: list[list[Tree]]) -> Tree:
    rows = [items[0] if len(items) == 1 else Concat(tuple(items)) for items in alternatives]
    return rows[0] if len(rows) == 1 else Either(tuple(rows))


def parts(tree: Tree) -> Iterator[Tree]:
    """The tree and all that is in it."""
    stack = [tree]
    while stack:
        one = stack.pop()
        yield one
        match one:
            case Concat(items=items) | Either(options=items):
                stack.extend(items)
            case Capture(item=item) | Repetition(item=item) | Look(item=item):
                stack.append(item)


def length(tree: Tree) -> int | None:
    """How many characters it takes, if that is always the same."""
    match tree:
        case One():
            return 1
        case Test() | Look():
            return 0
        case Capture(item=item):
            return length(item)
        case Concat(items=items):
            lengths = [length(item) for item in items]
            return None if None in lengths else sum(one or 0 for one in lengths)
        case Either(options=options):
            different = {length(option) for option in options}
            return different.pop() if len(different) == 1 else None
        case Repetition(item=item, low=low, high=high):
            one = length(item)
            return low * one if low == high and one is not None else None


def _number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _count(text: str) -> int:
    """The number, or one that is too large: text of thousands of digits is not converted."""
    digits = text.lstrip("0") or "0"
    return int(digits) if len(digits) < 10 else MOST + 1


def quoted(symbol: str) -> str:
    """A character as Python and Java both take it for itself, in a class or out of one."""
    if symbol.isalnum() or ord(symbol) > 127:
        return symbol
    return f"\\x{ord(symbol):02x}" if ord(symbol) < 32 or symbol == "\x7f" else f"\\{symbol}"


def shown(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:60]}..."


# Writing --------------------------------------------------------------------------------------------------------------


def python(tree: Tree) -> str:
    return _written(tree, 0)


def java(pattern: Pattern) -> str:
    """With Unicode's own classes where some are asked for, unless ASCII's letters are meant."""
    body = _written(pattern.tree, 1)
    flags = {"": "", "i": "iu", "ia": "i"}[pattern.case.value]
    if pattern.case is not CaseRule.INSENSITIVE_ASCII and any(f"\\{letter}" in body for letter in "dDwWsSbB"):
        flags += "U"
    return f"(?{flags}){body}" if flags else body


def _written(tree: Tree, language: int) -> str:
    match tree:
        case One(text=text):
            return text
        case Test(name=name):
            return TESTS[name][language]
        case Look(sign=sign, item=item):
            return f"(?{sign}{_written(item, language)})"
        case Concat(items=items):
            return "".join(_alone(item, language) for item in items)
        case Either(options=options):
            return "|".join(_written(option, language) for option in options)
        case Capture(item=item):
            return f"({_written(item, language)})"
        case Repetition(item=item, low=low, high=high, greedy=greedy):
            times = f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
            text = _written(item, language)
            text = text if isinstance(item, One | Capture) else f"(?:{text})"
            return f"{text}{times}{'' if greedy else '?'}"


def _alone(tree: Tree, language: int) -> str:
    text = _written(tree, language)
    return f"(?:{text})" if isinstance(tree, Either) else text
