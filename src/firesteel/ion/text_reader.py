"""Ion text to elements, with spans.

One loop with its own stack, so that a document may be as deep as it likes (up to `MAX_DEPTH`). The common tokens are
one match of a regular expression each; the others, and all errors, take a detour through `Rare`.

Deviation: `$7` is the symbol with the text "$7", as plans name variables so; Ion reads it as the number of a symbol.
Numbers from 10 on are looked up once the text itself has brought a local symbol table.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from firesteel.errors import UnsupportedError
from firesteel.ion.element import Element, Kind
from firesteel.ion.scalars import fail, shown
from firesteel.ion.symbols import SYSTEM, SymbolTable, is_symbol_table
from firesteel.ion.text_tokens import CLOSER, FIELD, NUMBERED, OPENER, TOKEN, VERSION, Rare, State
from firesteel.source import Source, Span

#: How many brackets may be open at once.
MAX_DEPTH = 1_000_000

_LIST, _STRUCT, _INT, _STRING, _SYMBOL = Kind.LIST, Kind.STRUCT, Kind.INT, Kind.STRING, Kind.SYMBOL
_WORD, _ANNOTATION, _PLAIN_INT, _PLAIN_STRING, _OPEN, _CLOSE, _COMMA = range(1, 8)  # the groups of TOKEN

#: The unquoted words that are no symbols.
_KEYWORDS: dict[str, tuple[Kind, Any]] = {
    "null": (Kind.NULL, Kind.NULL),
    "true": (Kind.BOOL, True),
    "false": (Kind.BOOL, False),
    "nan": (Kind.FLOAT, float("nan")),
}


def read_text(text: str, name: str = "<ion>", max_depth: int | None = None) -> list[Element]:
    """Every value of an Ion text."""
    return list(iter_text(text, name, max_depth))


def iter_text(text: str, name: str = "<ion>", max_depth: int | None = None) -> Iterator[Element]:
    """Every value of an Ion text, as soon as it is read. Whatever is wrong with the text is a `ParseError`."""
    source = Source(text, name)
    _check_characters(source)
    limit = MAX_DEPTH if max_depth is None else max_depth
    rare = Rare(source)
    table: SymbolTable | None = None  # none was written

    # The innermost open container (None: the top level), where it was opened, its items; then what has been read of
    # the next item: its field name, its annotations and where it starts.
    container: Kind | None = None
    opened = 0
    items: list[Any] = []
    field: str | None = None
    names: list[str] = []
    start = -1
    after_item = False  # in a list or struct, where a comma has to come first
    outer: list[tuple[Kind | None, int, list[Any], str | None, list[str], int]] = []

    kind: Kind | None
    value: Any
    at = 1 if text[:1] == "\ufeff" else 0
    while True:
        if container is _STRUCT and field is None and not after_item:
            found = FIELD.match(text, at)
            if found is None:
                field, at = rare.field(at, opened)
            else:
                at = found.end()
                field = found[1]
                if field is None:
                    field = found[2]
                elif field in _KEYWORDS:
                    rare.keyword(found.start(1), found.end(1), "a field's name")
                elif table is not None:
                    field = _resolved(field, table, source, found.start(1))
            if field is not None:
                continue  # else the struct ends here

        found = TOKEN.match(text, at)
        assert found is not None  # it matches the empty text
        token = found.lastindex
        at = found.end()
        begin = at if token is None else found.start(_WORD if token == _ANNOTATION else token)

        if token == _COMMA:
            if not after_item:
                rare.unexpected(begin, State(container, opened, names, field))
            after_item = False
            continue

        if token == _CLOSE:
            if container is None or names or field is not None or found[token] != CLOSER[container]:
                rare.unexpected(begin, State(container, opened, names, field))
            kind, value = container, tuple(items)
            container, opened, items, field, names, start = outer.pop()
        else:
            if after_item:
                rare.unexpected(begin, State(container, opened, names, field), after_item=True)
            if start < 0:
                start = begin
            if token == _WORD:
                word = found[_WORD]
                if word in _KEYWORDS:
                    kind, value = _KEYWORDS[word]
                    if word == "null":
                        value, at = rare.null_type(at)
                elif container is None and not names and VERSION.match(word):
                    if word != "$ion_1_0":
                        raise UnsupportedError(f"'{word}': only Ion 1.0 is read", where=Span(source, begin, at))
                    table, start = None, -1
                    continue
                else:
                    kind, value = _SYMBOL, word if table is None else _resolved(word, table, source, begin)
            elif token == _ANNOTATION:
                word = found[_WORD]
                if word in _KEYWORDS:
                    rare.keyword(begin, found.end(_WORD), "an annotation")
                names.append(word if table is None else _resolved(word, table, source, begin))
                continue
            elif token == _PLAIN_INT:
                kind, value = _INT, int(found[token])
            elif token == _PLAIN_STRING:
                kind, value = _STRING, found[token][1:-1]
            elif token == _OPEN:
                if len(outer) >= limit:
                    fail(source, begin, at, f"nested more than {limit:,} deep")
                outer.append((container, opened, items, field, names, start))
                container, opened, items, field, names, start = OPENER[found[token]], begin, [], None, [], -1
                continue
            else:
                kind, value, at, more = rare.token(begin, State(container, opened, names, field))
                if more:
                    names.append(value)
                    continue
                if kind is None:
                    return

        element = Element(kind, value, tuple(names) if names else ())
        element._at = (source, start, at)
        start = -1
        if names:
            names = []
        if container is _STRUCT:
            items.append((field, element))
            field, after_item = None, True
        elif container is not None:
            items.append(element)
            after_item = container is _LIST
        else:
            after_item = False
            if is_symbol_table(element):
                table = table or SymbolTable()
                table.define(element)
            else:
                yield element


def _check_characters(source: Source) -> None:
    if source.text.isascii():
        return
    try:
        source.text.encode()
    except UnicodeEncodeError as error:
        fail(source, error.start, error.end, "half of a surrogate pair is no character")


def _resolved(word: str, table: SymbolTable, source: Source, at: int) -> str:
    """The text of an unquoted symbol: itself, unless it is a number that the text's own table has given away."""
    if not NUMBERED.fullmatch(word):
        return word
    number = int(word[1:12])  # more digits than that are beyond any table
    if number < len(SYSTEM):
        return word
    if number >= len(table):
        fail(source, at, at + len(word), f"no symbol {shown(word)}", f"the symbol table ends at ${len(table) - 1}")
    return table.text(number)
