"""The tokens of Ion text: what they look like, those that are rare, and what to say where there is none."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, NamedTuple, NoReturn

from firesteel.ion.element import Kind
from firesteel.ion.scalars import base64_octets, fail, long_unescaped, number, octets, shown, unescaped
from firesteel.source import Source

# Every repetition is possessive: backtracking would find nothing and cost much time.
_SPACE = r"(?:[ \t\n\r\v\f]++|//[^\n\r]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/)*+"
_WORD = r"[A-Za-z_$][A-Za-z0-9_$]*+"
#: Characters that have no place in a string; a tab, a vertical tab and a form feed do.
_CONTROL = r"\x00-\x08\x0a\x0d-\x1f"
_PLAIN_STRING = rf'"[^"\\{_CONTROL}]*+"'
#: What ends a number: whitespace, a bracket, a comma, a quote, a comment, or the end.
_STOP = r"""(?=[ \t\n\r\v\f{}\[\](),"']|/[/*]|\Z)"""

#: Space, then one of the common tokens: 1 a word, 2 the `::` after it, 3 a short int, 4 a string without escapes,
#: 5 an opening bracket, 6 a closing one, 7 a comma. Where there is none of them it matches the space alone.
TOKEN = re.compile(
    rf"{_SPACE}(?:({_WORD})({_SPACE}::)?|(-?(?:0|[1-9][0-9]{{0,17}}+){_STOP})|({_PLAIN_STRING})"
    r"|([\[(]|\{(?!\{))|([\])}])|(,))?"
)
#: The name of a field and its colon: 1 a word, 2 what a string without escapes says.
FIELD = re.compile(rf'{_SPACE}(?:({_WORD})|"([^"\\{_CONTROL}]*+)"){_SPACE}:(?!:)')
VERSION = re.compile(r"\$ion_[0-9]+_[0-9]+\Z")
NUMBERED = re.compile(r"\$[0-9]+")
OPERATOR = re.compile(r"[!#%&*+\-./;<=>?@^`|~]++")
WORD = re.compile(_WORD)

_SPACES = re.compile(_SPACE)
_COLON = re.compile(rf"{_SPACE}:(?!:)")
_COLONS = re.compile(rf"{_SPACE}::")
_NUMBER = re.compile(r"""-?[0-9](?:(?!/[/*])[^ \t\n\r\v\f{}\[\](),"'])*+""")
_INFINITY = re.compile(rf"[+-]inf{_STOP}")
_NULL_TYPE = re.compile(r"\.([A-Za-z0-9_$]*+)")
_STRING_BODY = re.compile(rf'(?:[^"\\{_CONTROL}]++|\\(?:\r\n|[^\x00]))*+')
_SYMBOL_BODY = re.compile(rf"(?:[^'\\{_CONTROL}]++|\\(?:\r\n|[^\x00]))*+")
_LONG_BODY = re.compile(r"(?:[^'\\\x00-\x08\x0e-\x1f]++|'(?!'')|\\[^\x00])*+")
_LOB_SPACE = re.compile(r"[ \t\n\r\v\f]*+")

OPENER = {"[": Kind.LIST, "(": Kind.SEXP, "{": Kind.STRUCT}
CLOSER = {Kind.LIST: "]", Kind.SEXP: ")", Kind.STRUCT: "}"}
_BRACKET = {kind: bracket for bracket, kind in OPENER.items()}
_NULLS = {kind.value: kind for kind in Kind}


class State(NamedTuple):
    """Where the reader is: in which container, opened where; the annotations and the field that wait for a value."""

    container: Kind | None
    opened: int
    names: list[str]
    field: str | None


class Rare:
    """The tokens that `TOKEN` and `FIELD` do not match, and the errors."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text

    # -----------------------------------------------------------------------------------------------------------------
    # Tokens

    def token(self, at: int, state: State) -> tuple[Kind | None, Any, int, bool]:
        """Kind, value and end of the token there, and whether it is an annotation; no kind at the end of the text."""
        text = self.text
        char = text[at : at + 1]
        if text.startswith("'''", at):
            value, end = self._long_string(at)
            return Kind.STRING, value, end, False
        if char == "'":
            value, end = self._quoted(at, _SYMBOL_BODY, "quoted symbol")
            colons = _COLONS.match(text, end)
            return Kind.SYMBOL, value, colons.end() if colons else end, colons is not None
        if char == '"':
            value, end = self._quoted(at, _STRING_BODY, "string")
            return Kind.STRING, value, end, False
        if char == "{":
            return (*self._lob(at), False)
        found = _NUMBER.match(text, at)
        if found:
            return (*number(self.source, at, found.end()), found.end(), False)
        found = _INFINITY.match(text, at)
        if found:
            return Kind.FLOAT, float(found[0]), found.end(), False
        found = OPERATOR.match(text, at)
        if found and state.container is Kind.SEXP and not text.startswith("/*", at):
            return Kind.SYMBOL, found[0], found.end(), False
        if char or state.container or state.names:
            self.unexpected(at, state)
        return None, None, at, False

    def null_type(self, at: int) -> tuple[Kind, int]:
        """The type after the word `null`, if there is a dot."""
        found = _NULL_TYPE.match(self.text, at)
        if found is None:
            return Kind.NULL, at
        if found[1] not in _NULLS:
            self._fail(at - 4, found.end(), f"null has no type {shown(found[1])}", f"its types: {', '.join(_NULLS)}")
        return _NULLS[found[1]], found.end()

    def field(self, at: int, opened: int) -> tuple[str | None, int]:
        """A field's name that is quoted in some way, and the end of its colon; no name where the struct ends."""
        at = self._after(_SPACES, at)
        char = self.text[at : at + 1]
        if char == "}":
            return None, at
        if self.text.startswith("'''", at):
            name, end = self._long_string(at)
        elif char == "'":
            name, end = self._quoted(at, _SYMBOL_BODY, "quoted symbol")
        elif char == '"':
            name, end = self._quoted(at, _STRING_BODY, "string")
        elif WORD.match(self.text, at):
            name, end = "", self._after(WORD, at)  # there is no colon, or FIELD had matched
        else:
            self._check_end(at, State(Kind.STRUCT, opened, [], None))
            help = "an operator is quoted to be a field's name" if OPERATOR.match(self.text, at) else None
            self._fail(at, at + 1, f"expected a field's name or '}}', found {self._found(at)}", help)
        colon = _COLON.match(self.text, end)
        if colon is None:
            at = self._after(_SPACES, end)
            self._check_end(at, State(Kind.STRUCT, opened, [], None))
            help = "a field's name has no annotations" if self.text.startswith("::", at) else None
            self._fail(at, at + 1, f"expected ':' after a field's name, found {self._found(at)}", help)
        return name, colon.end()

    def _after(self, pattern: re.Pattern[str], at: int) -> int:
        found = pattern.match(self.text, at)
        assert found is not None  # only asked of what may be empty, or has matched before
        return found.end()

    def _quoted(self, at: int, body: re.Pattern[str], what: str) -> tuple[str, int]:
        end = self._after(body, at + 1)
        self._expect_quote(at, end, 1, what)
        return unescaped(self.source, at + 1, end), end + 1

    def _long_string(self, at: int) -> tuple[str, int]:
        """Segments in triple quotes, one after the other, are one string."""
        pieces = []
        end = at
        while self.text.startswith("'''", at):
            end = self._after(_LONG_BODY, at + 3)
            self._expect_quote(at, end, 3, "long string")
            pieces.append(long_unescaped(self.source, at + 3, end))
            end += 3
            at = self._after(_SPACES, end)
        return "".join(pieces), end

    def _lob(self, at: int) -> tuple[Kind, bytes, int]:
        begin = self._after(_LOB_SPACE, at + 2)
        if self.text.startswith('"', begin):
            end = self._after(_STRING_BODY, begin + 1)
            self._expect_quote(begin, end, 1, "clob")
            value = octets(self.source, begin + 1, end, unescaped(self.source, begin + 1, end, octets=True))
            return Kind.CLOB, value, self._lob_end(at, self._after(_LOB_SPACE, end + 1))
        if self.text.startswith("'''", begin):
            pieces = []
            while self.text.startswith("'''", begin):
                end = self._after(_LONG_BODY, begin + 3)
                self._expect_quote(begin, end, 3, "clob")
                said = long_unescaped(self.source, begin + 3, end, octets=True)
                pieces.append(octets(self.source, begin + 3, end, said))
                begin = self._after(_LOB_SPACE, end + 3)
            return Kind.CLOB, b"".join(pieces), self._lob_end(at, begin)
        end = self.text.find("}", begin)
        end = end if end >= 0 else len(self.text)
        after = self._lob_end(at, end)
        return Kind.BLOB, base64_octets(self.source, begin, end), after

    def _lob_end(self, at: int, end: int) -> int:
        if end >= len(self.text):
            self._fail(at, at + 2, "unclosed '{{'", "expected '}}' before the end of the text")
        if not self.text.startswith("}}", end):
            self._fail(end, end + 1, f"expected '}}}}', found {self._found(end)}", "'{{' is closed by '}}'")
        return end + 2

    # -----------------------------------------------------------------------------------------------------------------
    # Errors

    def unexpected(self, at: int, state: State, after_item: bool = False) -> NoReturn:
        """What stands there may not stand there."""
        self._check_end(at, state)
        container, opened, names, field = state
        found, help = self._found(at), None
        closes = found in ("']'", "')'", "'}'")
        if closes and container is None and not names:
            self._fail(at, at + 1, f"{found} closes nothing")
        if names:
            help = f"the annotation {shown(names[-1])} needs a value"
        elif field is not None:
            help = f"the field {shown(field)} needs a value"
        elif closes and container is not None:
            line, column = self.source.line_column(opened)
            help = f"the '{_BRACKET[container]}' was opened at {line}:{column}"
        elif found == "','" and container not in (Kind.LIST, Kind.STRUCT):
            help = "commas stand in lists and structs only"
        elif self.text.startswith("::", at):
            help = "an annotation must be a symbol"
        elif OPERATOR.match(self.text, at):
            help = "an operator is a symbol in an s-expression only; elsewhere it is quoted"
        expected = "a value"
        if container is not None and (after_item or (closes and not names and field is None)):
            expected = ("',' or " if container is not Kind.SEXP else "") + f"'{CLOSER[container]}'"
        self._fail(at, at + 1, f"expected {expected}, found {found}", help)

    def keyword(self, start: int, end: int, what: str) -> NoReturn:
        word = self.text[start:end]
        self._fail(start, end, f"{word} must be quoted to be {what}", f"write '{word}'")

    def _check_end(self, at: int, state: State) -> None:
        """The text ends too early, or a comment never does."""
        if self.text.startswith("/*", at):
            self._fail(at, at + 2, "unclosed comment", "expected '*/' before the end of the text")
        if at >= len(self.text) and state.container is not None:
            help = f"expected '{CLOSER[state.container]}' before the end of the text"
            self._fail(state.opened, state.opened + 1, f"unclosed '{_BRACKET[state.container]}'", help)

    def _expect_quote(self, at: int, end: int, length: int, what: str) -> None:
        quote, found = self.text[at : at + length], self.text[end : end + 1]
        if self.text.startswith(quote, end):
            return
        if found in ("", "\\", "'"):
            self._fail(at, at + length, f"unclosed {what}", f"expected {quote} before the end of the text")
        if found in "\r\n":
            self._fail(at, end, f"unclosed {what}", f"expected {quote} before the end of the line; a line break is \\n")
        self._fail(end, end + 1, f"a control character in a {what}: U+{ord(found):04X}", f"write \\x{ord(found):02x}")

    def _found(self, at: int) -> str:
        """What stands there, for a message."""
        if at >= len(self.text):
            return "the end of the text"
        char = self.text[at]
        word = WORD.match(self.text, at) or _COLONS.match(self.text, at)
        if word:
            return shown(word[0])
        if char.isprintable():
            return f"'{char}'"
        return f"U+{ord(char):04X} {unicodedata.name(char, '')}".rstrip()

    def _fail(self, start: int, end: int, message: str, help: str | None = None) -> NoReturn:
        fail(self.source, start, end, message, help)
