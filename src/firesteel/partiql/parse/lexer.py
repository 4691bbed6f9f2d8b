"""PartiQL text to tokens.

The kind of a token is a string: a keyword in upper case (`SELECT`), an operator or bracket as written (`<=`), or one
of `name`, `quoted`, `string`, `int`, `decimal`, `float`, `ion`, and `end` for the one after the last.

One regular expression splits the text into tokens and what is skipped before each; where they stand follows from the
lengths of the pieces, what they are from a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple, NoReturn

from firesteel.errors import ParseError
from firesteel.partiql.parse.keywords import KEYWORDS
from firesteel.source import Source, Span

# Every repetition is possessive: backtracking would find nothing new and take quadratic time.
_SKIP = r"(?:\s++|--[^\r\n]*+|/\*(?>.*?\*/))*+"
_WORD = r"(?:[^\W\d]|\$)[\w$]*+"
_NUMBER = r"(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+(?![\w$])"
_STRING = r"'[^']*+(?:''[^']*+)*+'"
_QUOTED = r'"[^"]*+(?:""[^"]*+)*+"'
#: Ion's own strings, quoted symbols, blobs and comments may hold a backtick.
_ION = (
    r"`(?:[^`'\"/{]++"
    r"|'''(?:[^'\\]++|\\.|'(?!''))*+'''|'(?:[^'\\]++|\\.)*+'|\"(?:[^\"\\]++|\\.)*+\""
    r"|//[^\r\n]*+|/\*(?>.*?\*/)|\{\{[\sA-Za-z0-9+/=]*+\}\}|[{/])*+`"
)
_OPERATOR = r"<=|>=|<>|!=|\|\||<<|>>|/(?!\*)|\.(?![0-9])|[-+*%(),;:?@=<>\[\]{}~|&!]"

#: Invalid tokens, so that every text can be split: an unterminated comment or quotation (up to the end of the text, so
#: that it is searched once), a number that runs into a word, any other character.
_BAD = r"(?:/\*|['\"`]).*+|\.?[0-9][\w.$]*+|."

#: 1 what is skipped, 2 the token, which is empty at the end of the text.
_TOKEN = re.compile(rf"({_SKIP})({_WORD}|{_OPERATOR}|{_NUMBER}|{_STRING}|{_QUOTED}|{_ION}|{_BAD}|\Z)", re.DOTALL)

_OPERATORS = ("<=", ">=", "<>", "!=", "||", "<<", ">>", *"/.-+*%(),;:?@=<>[]{}~|&!")

_KNOWN: dict[str, str] = {
    **{operator: operator for operator in _OPERATORS},
    **{word: word for word in KEYWORDS},
    **{word.lower(): word for word in KEYWORDS},
}


class _Kinds(dict[str, str]):
    """The kind of a token by its text: those in the table, and those met in this text."""

    def __missing__(self, text: str) -> str:
        if text[0] in _QUOTATIONS:
            kind, is_closed = _QUOTATIONS[text[0]]
            kind = kind if is_closed(text) else "bad"
        elif _IS_WORD(text):
            # The upper case of some letters beyond ASCII is an ASCII one.
            kind = _KNOWN.get(text.upper(), "name") if text.isascii() else "name"
        elif _IS_NUMBER(text):
            kind = "float" if "e" in text or "E" in text else "decimal" if "." in text else "int"
        else:
            kind = "bad"
        self[text] = kind
        return kind


_QUOTATIONS = {
    "'": ("string", re.compile(_STRING).fullmatch),
    '"': ("quoted", re.compile(_QUOTED).fullmatch),
    "`": ("ion", re.compile(_ION, re.DOTALL).fullmatch),
}
_IS_WORD = re.compile(_WORD).fullmatch
_IS_NUMBER = re.compile(_NUMBER).fullmatch


class Token(NamedTuple):
    """A token as a caller sees it; the parser reads the lists."""

    kind: str
    text: str
    start: int
    end: int


class Tokens:
    """The tokens of a text, as parallel lists; the last is of the kind `end`."""

    __slots__ = ("source", "kinds", "texts", "starts", "ends")

    def __init__(self, source: Source, kinds: list[str], texts: list[str], starts: list[int], ends: list[int]) -> None:
        self.source = source
        self.kinds = kinds
        self.texts = texts
        self.starts = starts
        self.ends = ends

    def __len__(self) -> int:
        return len(self.kinds)

    def __iter__(self) -> Iterator[Token]:
        return map(Token, self.kinds, self.texts, self.starts, self.ends)


def tokenize(text: str, name: str = "<query>") -> Tokens:
    """The tokens of a text; ParseError for what is none."""
    source = Source(text, name)
    # What splits the text is all of it, so the pieces are: nothing, what is skipped, a token, nothing, ...
    pieces = _TOKEN.split(text)
    offsets = list(accumulate(map(len, pieces)))
    texts, starts, ends = pieces[2::3], offsets[1::3], offsets[2::3]
    while texts and not texts[-1]:
        del texts[-1], starts[-1], ends[-1]
    known = _Kinds(_KNOWN)
    kinds = [known[piece] for piece in texts]
    if "bad" in known.values():
        bad = kinds.index("bad")
        _fail(source, starts[bad], texts[bad])
    # The end is right behind the last token, not behind what follows it: that is where something is missing.
    last = ends[-1] if ends else 0
    kinds.append("end")
    texts.append("")
    starts.append(last)
    ends.append(last)
    return Tokens(source, kinds, texts, starts, ends)


def _fail(source: Source, start: int, text: str) -> NoReturn:
    """The error for an invalid token."""
    help = None
    opening = "/*" if text.startswith("/*") else text[0]
    if opening in _UNCLOSED:
        what, help = _UNCLOSED[opening]
        text, message = opening, f"unclosed {what}"
    elif len(text) > 1:
        message = f"'{text}' is neither a number nor a name"
        help = "a space is needed between a number and a word"
    elif text.isprintable():
        message = f"unknown character '{text}'"
        help = f"did you mean {_QUOTES[text]}?" if text in _QUOTES else None
    else:
        message = f"unknown character U+{ord(text):04X}"
    raise ParseError(message, where=Span(source, start, start + len(text)), help=help)


_UNCLOSED = {
    "'": ("string", "expected ' before the end of the text; a quote in a string is written twice"),
    '"': ("quoted name", 'expected " before the end of the text; a quote in a name is written twice'),
    "/*": ("comment", "expected */ before the end of the text"),
    "`": ("Ion literal", "expected ` before the end of the text, outside of Ion's strings and comments"),
}
_QUOTES = {"‘": "'", "’": "'", "“": '"', "”": '"', "´": "'"}
