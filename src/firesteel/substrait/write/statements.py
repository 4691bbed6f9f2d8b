"""Statements as relation trees: roots, writes, definitions; and what a tree alone does not say of its statement.

A query for a value that is no set of rows, the mode of a statement, and the columns of a view are in `PlanDetails`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError, PlanError, UnsupportedError
from firesteel.plan import build
from firesteel.plan.fit import as_declared
from firesteel.source import Place
from firesteel.substrait.message import Message, message
from firesteel.substrait.own_messages import WRITE, packed
from firesteel.substrait.write.base import TOP, Row, Writer, common
from firesteel.substrait.write.own_nodes import has_unnamed, names_inside, one_value_table
from firesteel.substrait.write.reads import named_struct

#: What the details say of a statement. Empty: the tree says it all.
Said = dict[str, Any]


def tree_of(writer: Writer, statement: p.Statement) -> tuple[Message, Said]:
    """The relation tree of a statement, and what it does not say."""
    handler = STATEMENTS.get(type(statement))
    if handler is None:
        raise UnsupportedError(f"the statement '{statement.tag}' as a relation of Substrait", where=statement.where)
    return handler(writer, statement)


def _mode(statement: Any) -> Said:
    return {} if statement.mode is p.Mode.STRICT else {"mode": f"MODE_{statement.mode.name}"}


def _root(writer: Writer, statement: p.Root) -> tuple[Message, Said]:
    return _rooted(writer, statement.input, list(statement.names)), _mode(statement)


def _rooted(writer: Writer, rel: p.Rel, names: list[str]) -> Message:
    width = len(p.schema(rel))
    if len(names) != width:
        raise PlanError(f"{len(names)} names for {width} columns", where=rel.where)
    made = message("RelRoot", input=writer.write(rel), names=_all_names(rel, names))
    return message("PlanRel", root=made)


def _all_names(rel: p.Rel, names: list[str]) -> list[str]:
    """The names of columns and of the fields inside them, depth first. A root has one name for each column."""
    types = [field.type for field in p.schema(rel)]
    if any(map(has_unnamed, types)):
        raise PlanError("a struct with a field that has no name, in a root", where=rel.where)
    return [name for column, type_ in zip(names, types, strict=True) for name in (column, *names_inside(type_))]


# ---------------------------------------------------------------------------------------------------------------------
# Values


def _query(writer: Writer, statement: p.Query) -> tuple[Message, Said]:
    source, names, said = _answer(writer, statement.rex)
    return message("PlanRel", root=message("RelRoot", input=source, names=names)), {**_mode(statement), **said}


def _answer(writer: Writer, rex: p.Rex) -> tuple[Message, list[str], Said]:
    """A relation that says the value of an expression: the rows of a query, or one row with the value."""
    if isinstance(rex, p.Select):
        values, names = _columns(rex.constructor)
        answer = "ANSWER_ELEMENTS" if names is None else "ANSWER_SELECT"
        rows = p.Project(tuple(values), rex.input)
        said: Said = {"answer": answer, "type": writer.type(rex.type)}
        return writer.write(rows), _all_names(rows, names or ["_1"]) if values else [], said
    value = writer.write(rex, Row(outer=TOP, is_leaf=True))
    return one_value_table(writer, value, rex.type), ["_1", *names_inside(rex.type)], {"answer": "ANSWER_VALUE"}


def _columns(constructor: p.Rex) -> tuple[list[p.Rex], list[str] | None]:
    """The values and the names of a struct that a query makes of every row; of another value, only that."""
    if isinstance(constructor, p.Struct):
        pairs = [(pair.key.value if isinstance(pair.key, p.Lit) else None, pair.value) for pair in constructor.pairs]
        names = [name for name, _ in pairs if isinstance(name, str)]
        if len(names) == len(pairs) and build.struct(zip(names, [v for _, v in pairs], strict=True)) == constructor:
            return [value for _, value in pairs], names
    return [constructor], None


def _view(writer: Writer, statement: p.CreateView) -> tuple[Message, Said]:
    source, names, said = _answer(writer, statement.query)
    op = "DDL_OP_CREATE_OR_REPLACE" if statement.replace_existing else "DDL_OP_CREATE"
    target = _named(statement.name.split("."), statement)
    made = message(
        "DdlRel",
        named_object=target,
        table_schema=message("NamedStruct", names=names),
        object="DDL_OBJECT_VIEW",
        op=op,
        view_definition=source,
        common=common(),
    )
    return _doing("ddl", made), {**_mode(statement), **said, "columns": list(statement.columns)}


# ---------------------------------------------------------------------------------------------------------------------
# Tables


_CREATE_MODES = {
    p.IfExists.ERROR: "CREATE_MODE_ERROR_IF_EXISTS",
    p.IfExists.REPLACE: "CREATE_MODE_REPLACE_IF_EXISTS",
    p.IfExists.APPEND: "CREATE_MODE_APPEND_IF_EXISTS",
    p.IfExists.IGNORE: "CREATE_MODE_IGNORE_IF_EXISTS",
}


def _named(path: list[str], statement: p.Statement) -> Message:
    """What a statement is about, by its name."""
    if not path:
        raise PlanError(f"'{statement.tag}' of nothing that has a name", where=statement.where)
    return message("NamedObjectWrite", names=path)


def _schema(writer: Writer, statement: p.CreateTable | p.Insert | p.WriteFiles) -> Message:
    """The columns of a table, which have names."""
    if any(field.name is None or has_unnamed(field.type) for field in statement.columns):
        raise PlanError("a table with a column that has no name", where=statement.where)
    return named_struct(writer, statement.columns)


def _create(writer: Writer, statement: p.CreateTable) -> tuple[Message, Said]:
    schema = _schema(writer, statement)
    target = _named(list(statement.path), statement)
    if statement.pin and statement.input is not None:
        table = message("firesteel.Write.VirtualTable", names=list(statement.path), pin=True)
        return _operator(writer, statement, statement.input, virtual_table=table)
    if statement.input is not None:
        return _write_rel(writer, statement, statement.input, named_table=target)
    if statement.pin:
        raise UnsupportedError("an empty table that is pinned: Substrait has no such operation", where=statement.where)
    ops = {p.IfExists.ERROR: "DDL_OP_CREATE", p.IfExists.REPLACE: "DDL_OP_CREATE_OR_REPLACE"}
    if statement.exists not in ops:
        raise UnsupportedError(
            f"an empty table, and '{statement.exists.value}' where there is one: Substrait has no such operation",
            where=statement.where,
        )
    made = message(
        "DdlRel",
        named_object=target,
        table_schema=schema,
        object="DDL_OBJECT_TABLE",
        op=ops[statement.exists],
        common=common(),
    )
    return _doing("ddl", made), _mode(statement)


def _write_files(writer: Writer, statement: p.WriteFiles) -> tuple[Message, Said]:
    rotation = () if statement.rotation is None else (statement.rotation,)
    for ordinal in (*statement.described_by, *statement.mask, *rotation):
        if not 0 <= ordinal < len(statement.columns):
            raise PlanError(f"no field {ordinal}: there are {len(statement.columns)}", where=statement.where)
    given = {"path": statement.location, "format": statement.format, "compression": statement.compression}
    files = message("firesteel.Write.Files", **given)
    extra: dict[str, Any] = {}
    if statement.mask:
        items = [message("Expression.MaskExpression.StructItem", field=i) for i in statement.mask]
        select = message("Expression.MaskExpression.StructSelect", struct_items=items)
        extra["mask"] = message("Expression.MaskExpression", select=select)
    if statement.described_by:
        extra["rotation_description"] = [_reference(i) for i in statement.described_by]
    if statement.rotation is not None:
        extra["rotation_indicator"] = _reference(statement.rotation)
    return _operator(writer, statement, statement.input, files=files, **extra)


def _reference(ordinal: int) -> Message:
    field = message("Expression.ReferenceSegment.StructField", field=ordinal)
    segment = message("Expression.ReferenceSegment", struct_field=field)
    root = message("Expression.FieldReference.RootReference")
    return message("Expression.FieldReference", direct_reference=segment, root_reference=root)


def _operator(
    writer: Writer, statement: p.CreateTable | p.WriteFiles, rel: p.Rel, **given: Any
) -> tuple[Message, Said]:
    """A write to files or to a virtual table: the message of ours, as the detail of an extension table."""
    detail = packed(WRITE, message(WRITE, **given))
    return _write_rel(writer, statement, rel, extension_table=message("ExtensionObject", detail=detail))


def _write_rel(
    writer: Writer, statement: p.CreateTable | p.WriteFiles, rel: p.Rel, **target: Message
) -> tuple[Message, Said]:
    """A write of rows to what did not exist before, or is replaced, or added to."""
    source, said = _source(writer, rel, statement.columns)
    made = message(
        "WriteRel",
        **target,
        table_schema=_schema(writer, statement),
        op="WRITE_OP_CTAS",
        create_mode=_CREATE_MODES[statement.exists],
        input=source,
        output="OUTPUT_MODE_NO_OUTPUT",
        common=common(),
    )
    return _doing("write", made), {**_mode(statement), **said}


def _insert(writer: Writer, statement: p.Insert) -> tuple[Message, Said]:
    source, said = _source(writer, statement.input, statement.columns)
    made = message(
        "WriteRel",
        named_table=_named(list(statement.path), statement),
        table_schema=_schema(writer, statement),
        op="WRITE_OP_INSERT",
        input=source,
        output="OUTPUT_MODE_NO_OUTPUT",
        common=common(),
    )
    return _doing("write", made), {**_mode(statement), **said}


def _source(writer: Writer, rel: p.Rel, columns: t.Schema) -> tuple[Message, Said]:
    """The rows that are written. A reader fits them to the columns of the table: that is not written where it is what
    the statement has already; if the statement has something else, its rows are written as they are."""
    if isinstance(rel, p.Project) and rel.hints is None and rel.declared is None:
        try:
            if as_declared(rel.input, columns, Place(())) == rel:
                return writer.write(rel.input), {}
        except FiresteelError:
            pass
    return writer.write(rel), {"as_is": True}


def _drop(writer: Writer, statement: p.Drop) -> tuple[Message, Said]:
    made = message(
        "DdlRel",
        named_object=_named(list(statement.path), statement),
        object="DDL_OBJECT_VIEW" if statement.view else "DDL_OBJECT_TABLE",
        op="DDL_OP_DROP_IF_EXIST" if statement.if_exists else "DDL_OP_DROP",
        common=common(),
    )
    return _doing("ddl", made), {}


def _doing(kind: str, made: Message) -> Message:
    return message("PlanRel", rel=message("Rel", **{kind: made}))


#: How each class of statements is written.
STATEMENTS: dict[type[p.Statement], Callable[[Writer, Any], tuple[Message, Said]]] = {
    p.Root: _root,
    p.Query: _query,
    p.CreateView: _view,
    p.CreateTable: _create,
    p.Insert: _insert,
    p.Drop: _drop,
    p.WriteFiles: _write_files,
}
