"""The built-in types: what `(import (partiql))` brings, in the order of their ordinals.

The document numbers types in three ways that contradict each other. This order makes its two whole plans right as
they stand: 0 is any, 6 string, 7 symbol, 10 bag, 14 struct. Ordinals never change; new types go to the end.
"""

from __future__ import annotations

from decimal import Decimal

from firesteel import types as t
from firesteel.plan import Constant

BUILTIN: tuple[t.Type, ...] = (
    t.ANY,
    t.MISSING,
    t.NULL,
    t.DECIMAL,
    t.BOOL,
    t.INT,
    t.STRING,
    t.SYMBOL,
    t.FLOAT64,
    t.FLOAT32,
    t.BAG,
    t.ARRAY,
    t.SEXP,
    t.DATE,
    t.STRUCT,
    t.TIME,
    t.TIMESTAMP,
    t.INTERVAL,
    t.INT8,
    t.INT16,
    t.INT32,
    t.INT64,
    t.Char(),
    t.Bit(),
    t.Binary(),
    t.Byte(),
    t.BLOB,
    t.CLOB,
    t.Uuid(),
    t.Graph(),
)

ORDINALS: dict[t.Type, int] = {type_: ordinal for ordinal, type_ in enumerate(BUILTIN)}

BY_NAME: dict[str, t.Type] = {type_.tag: type_ for type_ in BUILTIN}

#: Other names of types, most of them the document's own.
ALIASES = {"tuple": "struct", "list": "array", "float": "float64", "boolean": "bool", "integer": "int"}

#: What the document's header declares besides types, and `(import (partiql))` brings by name: names for several types,
#: and constants. `any` is a type of its own here.
UNIONS: dict[str, t.Type] = {
    "numeric": t.union((t.INT8, t.INT16, t.INT32, t.INT64, t.INT, t.DECIMAL, t.FLOAT32, t.FLOAT64)),
    "text": t.union((t.Char(), t.STRING, t.SYMBOL)),
}
CONSTANTS: dict[str, Constant] = {"pi": Constant("pi", Decimal("3.14159265"))}


def proper_name(name: str) -> str:
    """The name that a type goes by here."""
    return ALIASES.get(name, name)


def union_name(type_: t.Type, ordinal: int) -> str:
    """A name for a union, which needs one: `string_or_null`, or `union_31` where the list would be long."""
    parts = [member.tag for member in t.members(type_) if not isinstance(member, t.Null | t.Missing)]
    if type_.nullable:
        parts.append("null")
    if type_.missable:
        parts.append("missing")
    return "_or_".join(parts) if len(parts) <= 3 else f"union_{ordinal}"
