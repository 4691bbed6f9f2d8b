"""The way to a message in words: `root (a, b) > join left > right > read t > filter > gt > argument 1 > field 7`.

A path has the names of protobuf's fields and indices. The trail has the kinds of relations, the names of tables and
functions, and what a part is for. Parts of a list count from 1; a field keeps its ordinal, which counts from 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firesteel.substrait.message import Message

#: Of a longer trail, so many words are shown at the beginning and at the end.
_HEAD, _TAIL = 3, 12
_SEPARATOR = " > "
_INDEXED = re.compile(r"(\w+)\[(\d+)\]")

#: Steps that say nothing that the words around them do not say.
_SILENT = frozenset(
    [
        *("input", "value", "expr", "rel", "measure", "struct", "common", "left", "right"),
        *("direct_reference", "struct_field", "named_table", "virtual_table", "local_files"),
    ]
)
#: Steps that say which of several inputs.
_SIDES = ("JoinRel", "CrossRel", "HashJoinRel", "MergeJoinRel", "NestedLoopJoinRel", "LateralJoinRel")
#: Fields under another word, by the message that they are of.
_WORDS = {
    ("ReadRel", "base_schema"): "schema",
    ("VirtualTable", "values"): "row",
    ("VirtualTable", "expressions"): "row",
    ("Plan", "relations"): "tree",
    ("Emit", "output_mapping"): "column",
    ("AggregateRel", "grouping_expressions"): "key",
    ("IfThen", "ifs"): "case",
    ("SwitchExpression", "ifs"): "case",
}


def trail(message: Message, step: str = "") -> str:
    """The words from the plan to a message, or to a part of it that is none."""
    chain: list[Message] = []
    at: Message | None = message
    while at is not None and at.parent is not None:
        chain.append(at)
        at = at.parent
    last = [_part(message, step)] if step else []
    tail = [*_some(chain, _TAIL + 1), *last]
    if len(tail) <= _TAIL:
        return _SEPARATOR.join(tail)
    head = _some(chain[::-1], _HEAD, reverse=True)
    return _SEPARATOR.join([*head, "…", *tail[-_TAIL:]])


def _some(chain: list[Message], most: int, *, reverse: bool = False) -> list[str]:
    """The words of the first messages of a chain that have one; those of a chain that goes up are turned round."""
    found: list[str] = []
    for one in chain:
        word = _word(one)
        if word:
            found.append(word)
        if len(found) == most:
            break
    return found if reverse else found[::-1]


def _word(message: Message) -> str:
    parent = message.parent
    assert parent is not None
    if message.kind.short in ("Rel", "Expression"):  # what is in it says what it is
        return _part(parent, message.step)
    name = _NAMED.get(message.kind.short)
    if name is not None:
        return name(message)
    kind = message.step.replace("_", " ")
    if parent.kind.short == "Rel":
        return _relation(message, kind)
    return kind if parent.kind.short == "Expression" else _part(parent, message.step)


def _part(parent: Message, step: str) -> str:
    """A field of a message, or one entry of it."""
    found = _INDEXED.fullmatch(step)
    name, number = (found[1], int(found[2]) + 1) if found else (step, None)
    word = _WORDS.get((parent.kind.short, name))
    if word is None and name in _SILENT and not (parent.kind.short in _SIDES and name in ("left", "right")):
        return ""
    if number is None:
        return word or name.replace("_", " ")
    if (parent.kind.short, name) == ("Plan", "relations") and len(parent.relations) == 1:
        return ""
    if (parent.kind.short, name) == ("Struct", "types"):
        return _column(parent, number)
    return f"{word or name.removesuffix('s').replace('_', ' ')} {number}"


def _column(struct: Message, number: int) -> str:
    """A column of a schema by its name. Names of struct fields before it would be counted, too: then by its place."""
    schema = struct.parent
    flat = schema is not None and schema.kind.short == "NamedStruct" and len(schema.names) == len(struct.types)
    return f"column '{schema.names[number - 1]}'" if flat and schema is not None else f"column {number}"


def _relation(inner: Message, kind: str) -> str:
    """A relation with what tells it from others of its kind: its table, its type, its alias."""
    alias = inner.common.hint.alias if "common" in inner.kind.by_name else ""
    detail = _DETAILS.get(inner.kind.short, lambda _: "")(inner)
    return " ".join(word for word in (kind, detail, f"'{alias}'" if alias else "") if word)


def _label(message: Message, field: str, prefix: str) -> str:
    said = message.label(field).removeprefix(prefix).lower().replace("_", " ")
    return "" if said == "unspecified" else said


def _table(read: Message) -> str:
    kind = read.which("read_type") or ""
    return ".".join(read.named_table.names) if kind == "named_table" else kind.replace("_", " ")


_DETAILS: dict[str, Callable[[Message], str]] = {
    "ReadRel": _table,
    "SetRel": lambda one: _label(one, "op", "SET_OP_"),
    "WriteRel": lambda one: ".".join(one.named_table.names),
    "DdlRel": lambda one: ".".join(one.named_object.names),
    **dict.fromkeys(
        ("JoinRel", "HashJoinRel", "MergeJoinRel", "NestedLoopJoinRel", "LateralJoinRel"),
        lambda one: _label(one, "type", "JOIN_TYPE_"),
    ),
}


def _root(root: Message, most: int = 4) -> str:
    names = ", ".join(root.names[:most])
    return f"root ({names}{', …' if len(root.names) > most else ''})" if names else "root"


def _function(call: Message) -> str:
    """The name of the function that a call refers to, as the plan declares it, without the types behind it."""
    top = call
    while top.parent is not None:
        top = top.parent
    if "extensions" in top.kind.by_name:
        for one in top.extensions:
            if one.has("extension_function") and one.extension_function.function_anchor == call.function_reference:
                return str(one.extension_function.name).partition(":")[0] or "function"
    return f"function {call.function_reference}"


def _reference(reference: Message) -> str:
    segment = reference.direct_reference
    if segment.which("reference_type") != "struct_field":
        return "reference"
    return f"field {segment.struct_field.field}"


def _literal(literal: Message) -> str:
    return f"literal {literal.which('literal_type') or ''}".strip().replace("_", " ")


#: Messages that are known by something in them.
_NAMED: dict[str, Callable[[Message], str]] = {
    "RelRoot": _root,
    "ScalarFunction": _function,
    "WindowFunction": _function,
    "AggregateFunction": _function,
    "WindowRelFunction": _function,
    "FieldReference": _reference,
    "Literal": _literal,
    "ExtensionFunction": lambda one: f"function {one.name}",
    "ExtensionType": lambda one: f"type {one.name}",
}
