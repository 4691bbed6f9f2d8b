"""Symbol tables: what the number of a symbol stands for."""

from __future__ import annotations

from firesteel.errors import UnsupportedError
from firesteel.ion.element import Element, Kind

SYMBOL_TABLE = "$ion_symbol_table"

#: Ion 1.0's own symbols, by number; number 0 has no text.
SYSTEM: tuple[str | None, ...] = (
    None,
    "$ion",
    "$ion_1_0",
    SYMBOL_TABLE,
    "name",
    "version",
    "imports",
    "symbols",
    "max_id",
    "$ion_shared_symbol_table",
)


def is_symbol_table(element: Element) -> bool:
    """A struct with this annotation at the top level is a symbol table for what follows, not data."""
    return element.kind is Kind.STRUCT and element.annotations[:1] == (SYMBOL_TABLE,)


class SymbolTable:
    """The symbols of a stream at one point of it."""

    def __init__(self) -> None:
        self.texts = list(SYSTEM)

    def __len__(self) -> int:
        return len(self.texts)

    def text(self, number: int) -> str:
        """The text of a symbol; one that has none reads as it is written in text, `$0`. IndexError beyond the table."""
        text = self.texts[number]
        return text if text is not None else f"${number}"

    def define(self, table: Element) -> None:
        """Take over a local symbol table, which replaces this one or, if it imports it, adds to it."""
        imports = table.field("imports")
        if imports is None or not imports.is_symbol(SYMBOL_TABLE):
            self.texts = list(SYSTEM)
        if imports is not None and imports.kind is Kind.LIST:
            for one in imports.value:
                _refuse_shared(one)
        symbols = table.field("symbols")
        if symbols is not None and symbols.kind is Kind.LIST:
            self.texts.extend(item.value if item.kind is Kind.STRING else None for item in symbols.value)


def _refuse_shared(one: Element) -> None:
    name, version, size = one.field("name"), one.field("version"), one.field("max_id")
    if name is None or name.kind is not Kind.STRING or name.value in ("", "$ion"):
        return  # the specification ignores these
    if size is not None and size.kind is Kind.INT and size.value == 0:
        return
    number = version.value if version is not None and version.kind is Kind.INT else 1
    raise UnsupportedError(
        f"the shared symbol table '{name.value}' (version {number}) is not at hand",
        where=one.span,
        help="write the document with local symbols only",
    )
