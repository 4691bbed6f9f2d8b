"""Reads: the columns of a table or of files, and rows that are written out in the plan."""

from __future__ import annotations

from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import FiresteelError
from firesteel.plan.fit import attribute, rename_value_fields
from firesteel.substrait import own_messages
from firesteel.substrait.lower.column_names import in_any_case
from firesteel.substrait.message import Message, message
from firesteel.substrait.types import FIELD
from firesteel.substrait.write.base import Row, Writer, Writing, common, relation
from firesteel.substrait.write.calls import positional
from firesteel.substrait.write.own_nodes import has_unnamed, names_inside
from firesteel.substrait.write.references import field_reference


def named_struct(writer: Writer, columns: t.Schema) -> Message:
    """A schema: the types, and the names of columns and of the fields inside them, depth first."""
    names: list[str] = []
    for field in columns:
        names += [field.name or "", *names_inside(field.type)]
    types = [writer.type(positional(field.type)) for field in columns]
    struct = message("Type.Struct", types=types, nullability="NULLABILITY_REQUIRED")
    return message("NamedStruct", names=names, struct=struct)


def read(writer: Writer, node: p.Rel, row: Row) -> Writing | None:
    """The message of a relation that reading a `ReadRel` gives; None for any other one."""
    if not isinstance(node, p.Project) or not isinstance(node.input, p.Scan) or node.input.identified:
        return None
    scan = node.input
    if scan.names or scan.hints is not None or scan.declared is not None or (node.hints and node.hints.names):
        return None
    match scan.rex:
        case p.Global():
            return _table(writer, node, scan.rex)
        case p.Lit(type=t.Bag(element=t.Struct() as type_), value=values.Bag() as rows):
            return _virtual(writer, node, type_, rows, row)
        case p.Collection(type=t.Bag(element=t.Struct() as type_), items=items):
            return _virtual(writer, node, type_, items, row)
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Tables


def _table(writer: Writer, node: p.Project, source: p.Global) -> Writing:
    """A table with the columns that its type declares, or with some of them, by a mask."""
    yield from ()
    globals_ = writer.plan.globals
    binding = globals_[source.ordinal] if 0 <= source.ordinal < len(globals_) else None
    if binding is None or binding.type != source.type or not isinstance(source.type, t.Bag):
        return None
    if source.type != t.Bag(source.type.element):  # of values that may be absent
        return None
    element = source.type.element
    if not isinstance(element, t.Struct) or element.open or element.absent or not element.fields:
        return None
    names = [field.name for field in element.fields]
    if len(set(names)) != len(names) or any(field.type.missable or not field.name for field in element.fields):
        return None
    if has_unnamed(element):
        return None
    ordinals = _ordinals(writer, node, element)
    if ordinals is None or sorted(set(ordinals)) != ordinals:
        return None
    place = _place(binding, element)
    if place is None:
        return None
    mask = None if ordinals == list(range(len(names))) else _mask(ordinals)
    _meet(writer, binding)
    made = common()
    if node.names != tuple([names[i] for i in ordinals]):
        made.given["hint"] = message("RelCommon.Hint", output_names=list(node.names))
    return message("ReadRel", common=made, base_schema=named_struct(writer, element.fields), projection=mask, **place)


def _ordinals(writer: Writer, node: p.Project, element: t.Struct) -> list[int] | None:
    """Which columns of the table a projection gives; None if it gives something else."""
    row = p.Var(element, 0)
    places: dict[p.Rex, int] = {}
    for i, field in enumerate(element.fields):
        made = attribute(row, field.name or "")
        assert isinstance(made, p.Path)
        places[made if writer.exact_names else in_any_case(made)] = i
    found = [places.get(expr, -1) for expr in node.exprs]
    return None if -1 in found or len(node.names) != len(found) else found


def _mask(ordinals: list[int]) -> Message:
    items = [message("Expression.MaskExpression.StructItem", field=i) for i in ordinals]
    select = message("Expression.MaskExpression.StructSelect", struct_items=items)
    return message("Expression.MaskExpression", select=select, maintain_singular_struct=True)


def _meet(writer: Writer, binding: p.GlobalBinding) -> None:
    """Note that a reader meets a global here."""
    if binding not in writer.read_globals:
        writer.read_globals.append(binding)


def _place(binding: p.GlobalBinding, element: t.Struct) -> dict[str, Message] | None:
    """What is read: a table by its name, or files."""
    if binding.files is None:
        return {"named_table": message("ReadRel.NamedTable", names=list(binding.path))}
    files = binding.files
    names = tuple([field.name or "" for field in element.fields]) if files.text else ()
    if binding.path != (files.label,) or files.names != names:
        return None
    items = [_file(item, files) for item in files.items]
    return {"local_files": message("ReadRel.LocalFiles", items=items)}


_FORMATS = {"parquet": "ParquetReadOptions", "orc": "OrcReadOptions", "arrow": "ArrowReadOptions"}


def _file(item: p.FileItem, files: p.Files) -> Message:
    kind = "ReadRel.LocalFiles.FileOrFiles"
    options: dict[str, Any]
    if files.text is not None:
        text = files.text
        made = message(
            f"{kind}.DelimiterSeparatedTextReadOptions",
            field_delimiter=text.delimiter,
            quote=text.quote,
            escape=text.escape,
            header_lines_to_skip=text.skip,
            value_treated_as_null=text.null,
        )
        options = {"text": made}
    else:
        name = _FORMATS.get(files.format, f"{files.format.capitalize()}ReadOptions")
        options = {files.format: message(f"{kind}.{name}")}
    return message(kind, **{f"uri_{item.kind}": item.path}, start=item.start, length=item.length or 0, **options)


# ---------------------------------------------------------------------------------------------------------------------
# Rows in the plan


def _virtual(writer: Writer, node: p.Project, type_: t.Struct, rows: Any, row: Row) -> Writing:
    """Rows that are written out, each a struct of literals or of expressions."""
    if type_.open or type_.absent or [f.name for f in type_.fields] != [FIELD(i + 1) for i in range(len(type_.fields))]:
        return None
    found = p.Var(type_, 0)
    exprs = []
    for field in type_.fields:
        made = attribute(found, field.name or "")
        exprs.append(made if writer.exact_names or not isinstance(made, p.Path) else in_any_case(made))
    if list(node.exprs) != exprs or len(node.names) != len(exprs):
        return None
    columns = tuple([t.Field(name, field.type) for name, field in zip(node.names, type_.fields, strict=True)])
    if not columns or any(has_unnamed(column.type) for column in columns):
        return None
    leaf = Row(outer=row, is_leaf=True)
    made_rows: list[Message] = []
    for one in rows:
        fields = _row_fields(one, type_)
        if fields is None:
            return None
        expressions: list[Message] = []
        for rex in fields:
            if isinstance(rex, p.Lit):
                literal = _column_literal(writer, rex)
                if literal is None:
                    return None
                expressions.append(message("Expression", literal=literal))
            else:
                expressions.append((yield rex, leaf))
        made_rows.append(message("Expression.Nested.Struct", fields=expressions))
    table = message("ReadRel.VirtualTable", expressions=made_rows)
    return message("ReadRel", common=common(), base_schema=named_struct(writer, columns), virtual_table=table)


def _row_fields(one: Any, type_: t.Struct) -> list[p.Rex] | None:
    """The values of a row: of a struct that is a value, or of one that is computed and has just the column types."""
    if isinstance(one, values.Struct):
        pairs = [(key, p.Lit(field.type, value)) for field, (key, value) in zip(type_.fields, one.pairs, strict=False)]
        rexes: list[p.Rex] = [rex for _, rex in pairs]
        keys: list[str | None] = [key for key, _ in one.pairs]
    elif isinstance(one, p.Struct):
        keys = [pair.key.value if isinstance(pair.key, p.Lit) else None for pair in one.pairs]
        rexes = [pair.value for pair in one.pairs]
        if any(pair.key.type != t.STRING for pair in one.pairs) or one.type != _struct_type(rexes):
            return None
        if any(isinstance(rex, p.Lit) and rex.type != f.type for rex, f in zip(rexes, type_.fields, strict=False)):
            return None
    else:
        return None
    return rexes if keys == [field.name for field in type_.fields] else None


def _struct_type(rexes: list[p.Rex]) -> t.Type:
    return t.Struct(tuple([t.Field(FIELD(i), rex.type) for i, rex in enumerate(rexes, 1)]), open=False)


def _column_literal(writer: Writer, rex: p.Lit) -> Message | None:
    """A literal of a column. Its structs have no names: a reader takes them from the column."""
    plain = positional(rex.type)
    try:
        value = rename_value_fields(rex.value, plain)
    except (FiresteelError, ValueError):
        return None
    if rex.value is None and not rex.type.nullable:
        return None
    return writer.literal(plain, value)


# ---------------------------------------------------------------------------------------------------------------------


@relation(p.Scan, p.ScanIndexed, p.Unpivot)
def _leaf(writer: Writer, node: p.Rel, row: Row) -> None:
    """A leaf of any expression is a relation of ours."""


@relation(p.Promised)
def _promised(writer: Writer, node: p.Promised, row: Row) -> Writing:
    """What a plan promises of a read is an optimization of its message."""
    inner = node.input
    reading = read(writer, inner, row)
    made = None if reading is None else (yield from reading)
    if made is None or node.verified or inner.hints is not None or inner.declared is not None:
        return None
    columns = Row(tuple([field.type for field in p.schema(inner)]))
    orders: list[Message] = []
    for spec in node.order:
        field = field_reference(writer, spec.key, columns)
        if field is None or spec.comparator is not None:
            return None
        direction = f"SORT_DIRECTION_{spec.order.name}"
        orders.append(message("firesteel.ReadProperties.SortField", field=field, direction=direction))
    fields = [field_reference(writer, rex, columns) for rex in node.partitioned]
    if None in fields or (node.singleton and fields):
        return None
    distribution = None
    if fields or node.singleton:
        label = "DISTRIBUTION_TYPE_SINGLETON" if node.singleton else "DISTRIBUTION_TYPE_PARTITIONED"
        distribution = message("firesteel.ReadProperties.Distribution", type=label, fields=fields)
    options = [message("firesteel.ReadProperties.Property", name=one.name, value=one.value) for one in node.options]
    promise = message("firesteel.ReadProperties", orderedness=orders, distribution=distribution, properties=options)
    made.given["advanced_extension"] = optimization(own_messages.READ_PROPERTIES, promise)
    return "read", made


def optimization(name: str, made: Message) -> Message:
    """A message of ours as the optimization of another: who does not know it gives the same rows."""
    return message("extensions.AdvancedExtension", optimization=[own_messages.packed(name, made)])
