"""The parser's position among the tokens, and its error messages.

The parser is one class in layers, a file each: `Cursor` < `Types` < `Literals` < `Forms` < `Expressions` < `Graphs` <
`Sources` < `Queries` < `Statements`. A layer calls the ones below it, and those above through the methods that are
declared here.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, NoReturn

from firesteel.errors import ParseError
from firesteel.partiql.ast import Expr, GraphMatch, Name, SortKey
from firesteel.partiql.parse.keywords import NAMES, RESERVED
from firesteel.partiql.parse.lexer import Tokens
from firesteel.source import Span

#: How deeply brackets, CASEs and joins may be nested. Python's frames are on the heap, some 10 of them for a level.
MAX_NESTING = 20_000

#: How many errors are collected before the parser gives up.
MAX_ERRORS = 20

#: How far beyond the last token the parser may look.
LOOKAHEAD = 4

_BRACKETS = {"(": ")", "[": "]", "{": "}", "<<": ">>"}
_CLOSERS = frozenset(_BRACKETS.values())


class QueryError(ParseError):
    """The text is not PartiQL. `errors` are all that were found, in the order of the text; the first one speaks."""

    def __init__(self, errors: list[ParseError]) -> None:
        first = errors[0]
        super().__init__(first.message, where=first.where, help=first.help)
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *map(str, self.errors[1:])])


class Cursor:
    """A place among the tokens."""

    def __init__(self, tokens: Tokens) -> None:
        self.source = tokens.source
        self.kinds = tokens.kinds + ["end"] * LOOKAHEAD
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.ends = tokens.ends
        self.at = 0
        self.depth = 0
        self.parameters = 0
        self.errors: list[ParseError] = []
        self._noted = -1
        self._partners: dict[int, int] | None = None

    # What the layers above bring.

    def expression(self, floor: int = 0) -> Expr:
        raise NotImplementedError

    def element(self) -> Expr:
        raise NotImplementedError

    def query(self) -> Expr:
        raise NotImplementedError

    def query_after(self, first: int, term: Expr) -> Expr:
        raise NotImplementedError

    def match(self, first: int, graph: Expr, many: bool) -> GraphMatch:
        raise NotImplementedError

    def order_by(self) -> tuple[SortKey, ...]:
        raise NotImplementedError

    # -----------------------------------------------------------------------------------------------------------------
    # Moving on

    def span(self, first: int) -> Any:
        """From the token at `first` to the last one that was read: the fields of a span, for `where=`."""
        return (self.source, self.starts[first], self.ends[self.at - 1])

    def span_to(self, first: int, last: int) -> Any:
        """From one token to another."""
        return (self.source, self.starts[first], self.ends[last])

    def accept(self, kind: str) -> bool:
        """Read a token if it is of that kind."""
        if self.kinds[self.at] == kind:
            self.at += 1
            return True
        return False

    def accept_any(self, *kinds: str) -> str | None:
        """Read a token if it is of one of these kinds."""
        kind = self.kinds[self.at]
        if kind in kinds:
            self.at += 1
            return kind
        return None

    def expect(self, kind: str) -> None:
        if self.kinds[self.at] != kind:
            self.expected(f"'{kind}'", (kind,))
        self.at += 1

    def expect_any(self, *kinds: str) -> str:
        kind = self.accept_any(*kinds)
        if kind is None:
            quoted = [f"'{kind}'" for kind in kinds]
            self.expected(" or ".join([", ".join(quoted[:-1]), quoted[-1]]), kinds)
        return kind

    def integer(self) -> int:
        """A literal that counts something: a length, a precision."""
        if self.kinds[self.at] != "int":
            self.expected("an integer")
        if len(self.texts[self.at]) > 18:
            self.fail("an integer of at most 18 digits is expected here")
        self.at += 1
        return int(self.texts[self.at - 1])

    def integers(self) -> tuple[int, ...]:
        """Integers in parentheses."""
        self.expect("(")
        found = [self.integer()]
        while self.accept(","):
            found.append(self.integer())
        self.expect(")")
        return tuple(found)

    # -----------------------------------------------------------------------------------------------------------------
    # Names

    def name(self, what: str = "a name") -> Name:
        kind = self.kinds[self.at]
        if kind not in NAMES:
            self.expected(what)
        text = self.texts[self.at]
        self.at += 1
        if kind == "quoted":
            return Name(unquote(text), quoted=True, where=self.span(self.at - 1))
        return Name(text, where=self.span(self.at - 1))

    def names(self) -> tuple[Name, ...]:
        """Names in parentheses."""
        self.expect("(")
        found = [self.name()]
        while self.accept(","):
            found.append(self.name())
        self.expect(")")
        return tuple(found)

    def alias(self) -> Name | None:
        """What `AS name`, or a name alone, calls the thing before it."""
        kind = self.kinds[self.at]
        if kind == "AS":
            self.at += 1
            return self.name("a name after AS")
        return self.name() if kind in NAMES else None

    # -----------------------------------------------------------------------------------------------------------------
    # Brackets

    def deeper(self) -> None:
        """Enter one level of nesting; the caller has to leave it."""
        self.depth += 1
        if self.depth > MAX_NESTING:
            where = Span(self.source, self.starts[self.at], self.ends[self.at])
            self.errors.append(ParseError(f"nested more than {MAX_NESTING:,} deep", where=where))
            raise QueryError(self.errors)

    def partner(self, at: int) -> int:
        """Where the bracket at that place is closed, or the end of the text."""
        if self._partners is None:
            self._partners = {}
            stack: list[int] = []
            for place, kind in enumerate(self.kinds):
                if kind in _BRACKETS:
                    stack.append(place)
                elif kind in _CLOSERS and stack and _BRACKETS[self.kinds[stack[-1]]] == kind:
                    self._partners[stack.pop()] = place
        return self._partners.get(at, len(self.starts) - 1)

    # -----------------------------------------------------------------------------------------------------------------
    # Errors

    def fail(self, message: str, at: int | None = None, help: str | None = None) -> NoReturn:
        at = self.at if at is None else at
        raise ParseError(message, where=Span(self.source, self.starts[at], self.ends[at]), help=help)

    def expected(self, what: str, words: tuple[str, ...] = (), help: str | None = None) -> NoReturn:
        """Something else has to stand here."""
        self.fail(f"expected {what}, found {self.found()}", help=help or self._help(what, words))

    def found(self) -> str:
        kind, text = self.kinds[self.at], self.texts[self.at]
        if kind == "end":
            return "the end of the text"
        if kind == "string":
            return f"the string {shorten(text)}"
        return shorten(text) if kind == "quoted" else f"'{shorten(text)}'"

    def _help(self, what: str, words: tuple[str, ...]) -> str | None:
        """A misspelt keyword, a keyword for a name, a bracket left open: what is the likeliest?"""
        at, kind, text = self.at, self.kinds[self.at], self.texts[self.at]
        before = self.kinds[at - 1] if at else "end"
        elsewhere = self._written_elsewhere()
        if elsewhere is not None:
            return elsewhere
        # Where a certain word is expected, what stands here may be meant as it; else one word or the last is any other.
        words = tuple(word for word in words if word.isalpha())
        for place, known in ((at, words),) if words else ((at, _MISSPELT), (at - 1, _MISSPELT)):
            if place >= 0 and self.kinds[place] == "name":
                near = get_close_matches(self.texts[place].upper(), known, n=1, cutoff=0.75)
                if near:
                    return f"did you mean {near[0]} instead of {self.texts[place]}?"
        if before == "=" == kind:
            return "equality is written with one ="
        if what.endswith(("end of the text", "end of the query")) and kind in ("name", "quoted", "string", "int", "."):
            return "is a comma or an operator missing before it?"
        if before == "," and kind in RESERVED:
            return f'a comma too many, or {text.upper()} is meant as a name: then write "{text}"'
        if before == "," and (kind == "," or kind in _CLOSERS):
            return "a comma too many"
        if kind in RESERVED and what.startswith(("a name", "an expression")):
            return f'{text.upper()} is a keyword; as a name it is written "{text}"'
        return self._unclosed() if kind == "end" or kind in _CLOSERS else None

    def _written_elsewhere(self) -> str | None:
        """What to write instead, if the words or signs here are those of another database."""
        here = [self.texts[place].upper() for place in range(max(self.at - 1, 0), min(self.at + 2, len(self.texts)))]
        pairs = (" ".join(here[i : i + 2]) for i in range(len(here)))
        return next((_ELSEWHERE[words] for words in (*pairs, *here[:-1]) if words in _ELSEWHERE), None)

    def _unclosed(self) -> str | None:
        """The bracket that should have been closed here, unless it is."""
        stack: list[int] = []
        for place in range(self.at):
            kind = self.kinds[place]
            if kind in _BRACKETS:
                stack.append(place)
            elif kind in _CLOSERS and stack and _BRACKETS[self.kinds[stack[-1]]] == kind:
                stack.pop()
        if not stack or _BRACKETS[self.kinds[stack[-1]]] == self.kinds[self.at]:
            return None
        line, column = self.source.line_column(self.starts[stack[-1]])
        return f"'{self.texts[stack[-1]]}' at {line}:{column} is not closed"

    def note(self, error: ParseError) -> None:
        """Remember an error, unless it follows from the one before."""
        if isinstance(error, QueryError):
            raise error
        if not self.errors or self.at > self._noted + 1:
            self.errors.append(error.with_traceback(None))
        self._noted = self.at
        if len(self.errors) >= MAX_ERRORS or self.kinds[self.at] == "end":
            raise QueryError(self.errors)

    def recover(self, error: ParseError, first: int, depth: int, stops: frozenset[str]) -> None:
        """Note an error in what began at `first`; go on at the next of `stops` behind it that is not in brackets."""
        self.note(error)
        reached = self.at
        place = first
        while self.kinds[place] != "end":
            kind = self.kinds[place]
            if place >= reached and (kind in stops or kind in _CLOSERS):
                break
            place = self.partner(place) if kind in _BRACKETS else place
            place += self.kinds[place] != "end"
        self.at = max(place, reached)
        self.depth = depth


#: The keywords that a misspelt word may be meant as: those that start a clause, and the long ones.
_PATTERN = "REGEXP_LIKE(x, pattern) matches a regular expression"
#: Words and signs of other databases, and what they are here.
_ELSEWHERE = {
    **dict.fromkeys(("RLIKE", "REGEXP", "SIMILAR TO", "~"), _PATTERN),
    "QUALIFY": "a query in FROM has the window function, and WHERE around it the condition",
    ": :": "a cast is written CAST(x AS INT)",
    "* *": "a power is written POWER(x, y)",
    "/ /": "/ of two integers truncates",
    "IS DISTINCT": "write NOT (a = b), and what NULL means: OR a IS NULL",
    "EXCLUDE (": "EXCLUDE t.a, t.b: paths, without brackets",
}
_MISSPELT = sorted(word for word in RESERVED if len(word) > 3)


def unquote(text: str) -> str:
    """What a string or a quoted name says."""
    quote = text[0]
    inner = text[1:-1]
    return inner.replace(quote * 2, quote) if quote in inner else inner


def shorten(text: str, width: int = 40) -> str:
    """A token for a message: one line, and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 3] + "..."
