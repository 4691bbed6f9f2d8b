"""Ion: text and binary to s-expressions and values, and back. The only room that imports `amazon.ion`.

    read, write         a document to elements and back: what was written, with spans (`element.py`)
    loads, dumps        a document of one value, in the conformance suite's notation (`values.py`, `notation.py`)
    iter_values         a data file to values, record by record, fast (`data.py`)
    to_value, from_value    an element to the value it stands for and back

Reading and writing use no recursion: documents may be nested a million deep. Everything that is wrong with a document
is a `ParseError` that says where; a version or a shared symbol table that is not at hand is an `UnsupportedError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firesteel.ion.document import dumps, iter_elements, loads, read, write
from firesteel.ion.element import (
    Element,
    Kind,
    blob,
    bool_,
    clob,
    decimal,
    float_,
    form,
    int_,
    list_,
    null,
    sexp,
    string,
    struct,
    sym,
    timestamp,
)
from firesteel.ion.values import from_value, to_value

if TYPE_CHECKING:
    from firesteel.ion.data import iter_values


def __getattr__(name: str) -> Any:
    """`iter_values` comes late: it needs `amazon.ion`, and few queries read Ion files."""
    if name != "iter_values":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from firesteel.ion.data import iter_values

    return iter_values


__all__ = [
    "read", "write", "iter_elements", "loads", "dumps", "iter_values", "to_value", "from_value",
    "Element", "Kind",
    "null", "bool_", "int_", "float_", "decimal", "timestamp", "sym", "string", "blob", "clob",
    "list_", "sexp", "form", "struct",
]  # fmt: skip
