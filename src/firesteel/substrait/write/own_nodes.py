"""Nodes that Substrait has no message for: written as `firesteel.Node`, by the declarations of the nodes.

`lower/own_nodes.py` reads them, and says how they are laid out.
"""

from __future__ import annotations

import enum
from collections.abc import Collection
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.ion import dumps
from firesteel.node import Node, canonical, fields
from firesteel.substrait import own_calls, own_messages
from firesteel.substrait.message import Message, message
from firesteel.substrait.own_messages import MAX_LEVELS
from firesteel.substrait.write.base import Row, Writer, Writing, common, row_over


def own_relation(writer: Writer, node: p.Rel, row: Row) -> Writing:
    """A relation as one of an extension, with the node as its detail."""
    if isinstance(node, p.Scan | p.ScanIndexed | p.Unpivot):
        detail = yield from own_node(writer, node, row, without=("rex",))
        source = yield from _one_value(writer, node.rex, row)
        return "extension_single", message("ExtensionSingleRel", common=common(), input=source, detail=_any(detail))
    rels = p.inputs(node)
    sources: list[Message] = []
    beside = row
    for rel in rels:
        sources.append((yield rel, beside))
        beside = row_over(row, rel) if isinstance(node, p.Join) and node.lateral else row
    detail = yield from own_node(writer, node, row_over(row, *rels))
    if len(sources) == 1:
        return "extension_single", message("ExtensionSingleRel", common=common(), input=sources[0], detail=_any(detail))
    return "extension_multi", message("ExtensionMultiRel", common=common(), inputs=sources, detail=_any(detail))


def _any(node: Message) -> Message:
    return own_messages.packed(own_messages.NODE, node)


def _one_value(writer: Writer, rex: p.Rex, row: Row) -> Writing:
    """A virtual table of one row with one value, which sees what the leaf sees."""
    value = yield rex, Row(outer=row, is_leaf=True)
    return one_value_table(writer, value, rex.type)


def one_value_table(writer: Writer, value: Message, type_: t.Type) -> Message:
    """A virtual table of one row with one column, `_1`."""
    rows = message("ReadRel.VirtualTable", expressions=[message("Expression.Nested.Struct", fields=[value])])
    struct = message("Type.Struct", types=[writer.type(type_)], nullability="NULLABILITY_REQUIRED")
    read = message(
        "ReadRel",
        common=common(),
        base_schema=message("NamedStruct", names=["_1", *names_inside(type_)], struct=struct),
        virtual_table=rows,
    )
    return message("Rel", read=read)


def names_inside(type_: t.Type) -> list[str]:
    """The names of the fields inside a type, depth first, as a schema lists them."""
    found: list[str] = []
    stack: list[t.Type | t.Field] = [type_]
    while stack:
        match stack.pop():
            case t.Field() as field:
                found.append(field.name or "")
                stack.append(field.type)
            case t.Struct() as struct:
                stack.extend(reversed(struct.fields))
            case t.Array() as array:
                stack.append(array.element)
            case t.Map() as map_:
                stack += [map_.value, map_.key]
    return found


def has_unnamed(type_: t.Type) -> bool:
    """Is there a field without a name in what a schema lists the names of?"""
    stack: list[t.Type | t.Field] = [type_]
    while stack:
        match stack.pop():
            case t.Field(name=None):
                return True
            case t.Field() as field:
                stack.append(field.type)
            case t.Struct() as struct:
                stack.extend(struct.fields)
            case t.Array() as array:
                stack.append(array.element)
            case t.Map() as map_:
                stack += [map_.key, map_.value]
    return False


def own_node(writer: Writer, node: Node, row: Row, *, without: Collection[str] = ()) -> Writing:
    """A node with its fields, except relations: those are inputs. Fields with their defaults are left out."""
    made: list[Message] = []
    for spec in fields(type(node)):
        value = getattr(node, spec.name)
        if spec.name in without or isinstance(value, p.Rel):
            continue
        if spec.named and canonical(value) == canonical(spec.default):
            continue
        given = yield from _field(writer, value, _seen(node, spec.name, row), spec.annotation is Any)
        made.append(message("firesteel.Node.Field", name=spec.name, **given))
    return message("firesteel.Node", kind_name=type(node).__name__, fields=made)


def _seen(node: Node, name: str, row: Row) -> Row:
    """The row that a field sees: the keys of a join see one side each. `_JoinRow` knows where the right one begins."""
    if isinstance(node, p.Join):
        return _JoinRow(row.columns, row.outer, split=len(p.schema(node.left)))
    if isinstance(node, p.JoinKey) and isinstance(row, _JoinRow):
        return Row(row.columns[: row.split] if name == "left" else row.columns[row.split :], row.outer)
    return row


class _JoinRow(Row):
    """The row of both sides of a join."""

    def __init__(self, columns: tuple[t.Type, ...], outer: Row | None, *, split: int) -> None:
        super().__init__(columns, outer)
        object.__setattr__(self, "split", split)

    split: int


def whole_node(writer: Writer, node: Node, level: int = 0) -> Writing:
    """A node with all that is in it, relations and expressions too, by declarations alone. So a document's part that no
    relation holds can be written, and a plan that means nothing."""
    made: list[Message] = []
    for spec in fields(type(node)):
        value = getattr(node, spec.name)
        if spec.named and canonical(value) == canonical(spec.default):
            continue
        given = yield from _field(writer, value, None, spec.annotation is Any, level)
        made.append(message("firesteel.Node.Field", name=spec.name, **given))
    return message("firesteel.Node", kind_name=type(node).__name__, fields=made)


def _inner(writer: Writer, node: Node, row: Row | None, level: int) -> Writing:
    """A node in a field: without a row, whole."""
    if row is not None:
        return (yield from own_node(writer, node, row))
    if level >= MAX_LEVELS:
        raise UnsupportedError(
            f"nodes outside of relations that nest more than {MAX_LEVELS} levels deep", where=node.where
        )
    return (yield from whole_node(writer, node, level + 1))


def _field(writer: Writer, value: Any, row: Row | None, is_value: bool, level: int = 0) -> Writing:
    """The value of a field, as the part of a message that it is. Without a row expressions are nodes like others."""
    if is_value:
        return {"ion": dumps(value, binary=True)}
    match value:
        case None:
            return {}
        case p.Rex() if row is not None:
            return {"expression": (yield value, row)}
        case t.Type():
            return {"type": writer.type(value)}
        case Node():
            return {"node": (yield from _inner(writer, value, row, level))}
        case tuple():
            items: list[Message] = []
            for one in value:
                given = yield from _field(writer, one, row, False, level + 1)
                items.append(message("firesteel.Node.Field", **given))
            return {"list": message("firesteel.Node.List", items=items)}
        case p.FnOption():
            return {"integer": int(value)}
        case enum.Enum():
            return {"choice": f"{type(value).__name__}.{value.name}"}
        case bool():
            return {"flag": value}
        case int() if -(1 << 63) <= value < 1 << 63:
            return {"integer": value}
        case float():
            return {"number": value}
        case str():
            return {"text": str(value)}
    return {"ion": dumps(value, binary=True)}


# ---------------------------------------------------------------------------------------------------------------------
# Expressions


def own_function(writer: Writer, rex: p.Rex, row: Row) -> Writing:
    """An expression as a call of the function of our algebra that stands for its node."""
    if writer.target.portable:
        raise writer.refuse(rex)
    arguments: list[Message] = []
    for one in own_calls.taken(rex):
        arguments.append((yield from argument(writer, one, row)))
    choices = rex.fn.choices if isinstance(rex, p.Call) else ()
    return call(writer, own_messages.ALGEBRA_URN, rex.tag, arguments, rex.type, choices)


def argument(writer: Writer, given: p.Rex | t.Type | str, row: Row) -> Writing:
    """An argument of a function."""
    match given:
        case str() if writer.target.names_as_text:
            text = message("Expression", literal=message("Expression.Literal", string=given))
            return message("FunctionArgument", value=text)
        case str():
            return message("FunctionArgument", enum=given)
        case t.Type():
            return message("FunctionArgument", type=writer.type(given))
    return message("FunctionArgument", value=(yield given, row))


def call(
    writer: Writer,
    urn: str,
    name: str,
    arguments: list[Message],
    returns: t.Type,
    choices: tuple[p.Choice, ...] = (),
    signature: str | None = None,
) -> Message:
    """A scalar call."""
    parts = called(writer, urn, name, arguments, returns, choices, signature)
    return message("Expression", scalar_function=message("Expression.ScalarFunction", **parts))


def called(
    writer: Writer,
    urn: str,
    name: str,
    arguments: list[Message],
    returns: t.Type,
    choices: tuple[p.Choice, ...] = (),
    signature: str | None = None,
) -> dict[str, Any]:
    """What calls of all kinds say: the function, its arguments, its options and its output type."""
    if signature is None:
        kinds = {"value": "any", "type": "type", "enum": "req"}
        signature = "_".join(kinds[one.which("arg_type") or ""] for one in arguments)
    return {
        "function_reference": writer.anchors.function(urn, name, signature),
        "arguments": arguments,
        "output_type": writer.type(returns),
        "options": [message("FunctionOption", name=one.name, preference=[one.value]) for one in choices],
    }


def own_query(writer: Writer, rex: p.Select | p.Pivot, row: Row) -> Writing:
    """An expression with a relation, as a scalar subquery of a relation of ours that gives its value."""
    if writer.target.portable:
        raise writer.refuse(rex)
    source = yield rex.input, row
    detail = yield from own_node(writer, rex, row_over(row, rex.input))
    single = message("ExtensionSingleRel", common=common(), input=source, detail=_any(detail))
    scalar = message("Expression.Subquery.Scalar", input=message("Rel", extension_single=single))
    return message("Expression", subquery=message("Expression.Subquery", scalar=scalar))
