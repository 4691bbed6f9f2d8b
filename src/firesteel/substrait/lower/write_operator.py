"""The write operator of Substrait's documents: files and virtual tables, by a message of ours (`firesteel.Write`).

It is the detail of the extension table that a `WriteRel` writes to. Substrait's own message writes to tables by name.
"""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.plan import build
from firesteel.plan.fit import as_declared
from firesteel.rules import NameRule, PlanRule, ReferenceRule
from firesteel.substrait.lower.base import Lowerer
from firesteel.substrait.lower.column_names import depth_first, named_schema, root_names
from firesteel.substrait.lower.masks import apply_mask, mask_fields
from firesteel.substrait.lower.plan_details import mode
from firesteel.substrait.message import Message
from firesteel.substrait.own_messages import WRITE, opened, type_name


def is_operator(message: Message) -> bool:
    """Does a `WriteRel` have the message of ours?"""
    return message.which("write_type") == "extension_table" and type_name(message.extension_table.detail) == WRITE


def lower_operator(
    lowerer: Lowerer, message: Message, rel: p.Rel, exists: p.IfExists, said: Message | None
) -> p.CreateTable | p.WriteFiles:
    """The statement that a write of ours is, over its input."""
    write = opened(message.extension_table.detail)
    kind = write.which("definition")
    if kind is None:
        raise PlanRule.REQUIRED.broken("a write that does not say where to", where=write.where)
    rel, columns = _named(lowerer, message, write, rel, said)
    rel, columns, kept = _masked(write, rel, columns)
    described = tuple(_ordinal(one, columns) for one in write.rotation_description)
    rotation = _ordinal(write.rotation_indicator, columns) if write.has("rotation_indicator") else None
    if kind == "files":
        files = write.files
        return p.WriteFiles(
            files.given.get("path", ""),  # `path` of a message is its place in the plan
            files.format,
            columns,
            rel,
            described_by=described,
            rotation=rotation,
            mask=kept,
            compression=files.compression,
            exists=exists,
            mode=mode(said),
        ).at(message.where)
    if described or rotation is not None:
        raise UnsupportedError("a virtual table that is rotated", where=write.where)
    if not write.virtual_table.names:
        raise PlanRule.REQUIRED.broken("a virtual table without a name", where=write.where)
    if kept:
        columns = tuple(columns[i] for i in kept)
        rel = build.emit(rel, kept)
    path = tuple(write.virtual_table.names)
    made = p.CreateTable(path, columns, rel, exists=exists, pin=write.virtual_table.pin, mode=mode(said))
    return made.at(message.where)


def _named(
    lowerer: Lowerer, message: Message, write: Message, rel: p.Rel, said: Message | None
) -> tuple[p.Rel, t.Schema]:
    """The input under the names that the write gives it: of a schema, or listed breadth first."""
    if message.has("table_schema"):
        schema = named_schema(message.table_schema, lowerer.extensions)
        return rel if said is not None and said.as_is else as_declared(rel, schema, message.where), schema
    types = [column.type for column in p.schema(rel)]
    names = depth_first(types, write.field_names, write.where)
    if names:
        rel, given = root_names(rel, names, write.where)
    else:
        given = tuple(column.name or f"_{i}" for i, column in enumerate(p.schema(rel), 1))
    if len(given) != len(types):
        raise NameRule.WRITE_NAMES.broken(f"{len(given)} names for {len(types)} columns", where=write.where)
    pairs = zip(given, p.schema(rel), strict=True)
    return rel, tuple(t.Field(name, column.type) for name, column in pairs)


def _masked(write: Message, rel: p.Rel, columns: t.Schema) -> tuple[p.Rel, t.Schema, tuple[int, ...]]:
    """The input with what the mask leaves of each column, and the columns that it selects. The others stay: they may
    say when a file ends, and what it is called."""
    if not write.has("mask"):
        return rel, columns, ()
    selected = mask_fields(write.mask.select, len(columns))
    inner = dict(selected)
    exprs = [apply_mask(build.column(rel, i), inner.get(i)) for i in range(len(columns))]
    if any(mask is not None for mask in inner.values()):
        rel = p.Project(tuple(exprs), rel).at(write.where)
        columns = tuple(t.Field(column.name, expr.type) for column, expr in zip(columns, exprs, strict=True))
    return rel, columns, tuple(i for i, _ in selected)


def _ordinal(reference: Message, columns: t.Schema) -> int:
    """The column that a reference names."""
    segment = reference.direct_reference
    if segment.which("reference_type") != "struct_field" or segment.struct_field.has("child"):
        raise UnsupportedError("a rotation by something that is no column", where=reference.where)
    field: int = segment.struct_field.field
    if not 0 <= field < len(columns):
        raise ReferenceRule.FIELD.broken(f"no field {field}: the row has {len(columns)}", where=reference.where)
    return field
