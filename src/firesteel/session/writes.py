"""Statements that write: the rows for a table, cast to its columns, and the tables that rows can be added to.

Rows are computed first and added afterwards. A query that fails changes no table.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast, get_args

from firesteel import plan as p
from firesteel import tables, values
from firesteel import types as t
from firesteel.errors import AnalysisError, EvaluationError, FiresteelError, PlanError, UnsupportedError
from firesteel.node import Node, transform
from firesteel.plan import build
from firesteel.plan.fit import fit
from firesteel.policy import Kind, Policy
from firesteel.source import Place, Span
from firesteel.tables import Arrow, File, Memory, Table
from firesteel.tables.output.target import Output, output_of


def nullable(columns: t.Schema) -> t.Schema:
    """The columns of a table that is created from a query. All are nullable: rows with NULL may be added later."""
    return tuple(t.Field(column.name, loosened(column.type)) for column in columns)


def loosened(type_: t.Type) -> t.Type:
    """The type with all parts nullable, except the keys of maps. Values are stored in the same way."""

    def one(node: Node) -> Node:
        if isinstance(node, t.Map):
            node = node.replace(key=t.proper(node.key))
        return t.absent(node, nullable=True) if isinstance(node, t.Type) else node

    return transform(type_, one)


def view_query(view: p.CreateView) -> p.Rex:
    """The query of a view, its attributes under the names that the view gives its columns: one after the other."""
    query, names = view.query, view.columns
    if not names:
        return query
    match query:
        case p.Select(constructor=p.Struct(pairs=pairs)) if all(isinstance(pair.key, p.Lit) for pair in pairs):
            given = [pair.value for pair in pairs]
            rows, kind = query.input, query.type
        case p.Rex(type=t.Collection(element=t.Struct(fields=fields, open=False) as row) as kind):
            rows = p.Scan(query)
            given = [build.path(p.Var(row, 0), field.name or "") for field in fields]
        case _:
            raise UnsupportedError(
                f"the view '{view.name}' names its columns, and those of its query are not known",
                where=view.where,
                help="list them in its SELECT",
            )
    if len(given) != len(names):
        message = f"the view '{view.name}' has {len(names)} columns, and its query has {len(given)}"
        raise AnalysisError(message, where=view.where)
    made = build.struct(zip(names, given, strict=True))
    return p.Select(type(kind)(made.type) if isinstance(kind, t.Collection) else t.ANY, made, rows)


def made_names(node: p.Plan) -> set[str]:
    """The names of the tables and views that a plan creates, in lower case."""
    return {one.name.lower() for one in node.statements if isinstance(one, p.CreateTable | p.CreateView)}


def written(node: p.Plan, input_: p.Rel, columns: t.Schema) -> p.Plan:
    """A plan of the rows to write, with the names of the columns."""
    names = tuple(column.name or "" for column in columns)
    mode = getattr(node.statement, "mode", p.Mode.STRICT)
    return node.replace(statement=p.Root(names, input_, mode=mode).at(node.statement.where))


def kept_columns(root: p.Plan, declared: t.Schema) -> t.Schema:
    """The columns of a table of these rows: with the types of the rows, or the declared type where all are NULL."""
    assert isinstance(root.statement, p.Root | p.CreateTable)
    assert root.statement.input is not None
    found = p.schema(root.statement.input)
    return nullable(
        tuple(
            t.Field(one.name, one.type if isinstance(column.type, t.Null | t.Any | t.Union) else column.type)
            for one, column in zip(declared, found, strict=True)
        )
    )


def added(statement: p.Insert, name: str, table: Table) -> tuple[p.Rel, t.Schema]:
    """The rows to add to a table, and its columns. Columns are matched by name, ignoring case if that is unambiguous,
    and cast if no value can be lost. A column that is not given is NULL."""
    element = table.type.element if isinstance(table.type, t.Collection) else table.type
    if not isinstance(element, t.Struct) or element.open or any(field.type.missable for field in element.fields):
        return statement.input, statement.columns  # data without a schema takes any rows
    fields = element.fields
    if isinstance(table.source, Memory) and not table.source.declared:
        fields = nullable(fields)  # the type only describes the rows so far
    given = [column.name or "" for column in statement.columns]
    place = statement.where if isinstance(statement.where, Place) else Place(())
    used: set[int] = set()
    exprs: list[p.Rex] = []
    for field in fields:
        i = _named(given, field.name or "", name, statement.where)
        if i is not None:
            used.add(i)
            exprs.append(fit(build.column(statement.input, i), field.type, field.name or "", place))
        elif not field.type.nullable:
            raise PlanError(f"'{name}' needs a value for the column '{field.name}'", where=statement.where)
        else:
            exprs.append(p.Lit(t.absent(field.type, nullable=True), None))
    unused = next((i for i in range(len(given)) if i not in used), None)
    if unused is not None:
        known = ", ".join(str(field.name) for field in fields)
        raise PlanError(f"'{name}' has no column '{given[unused]}'", where=statement.where, help=f"it has {known}")
    names = tuple(field.name or "" for field in fields)
    return p.Project(tuple(exprs), statement.input, names=names).at(statement.where), fields


def _named(given: list[str], name: str, table: str, where: Span | Place | None) -> int | None:
    if name in given:
        return given.index(name)
    alike = [i for i, other in enumerate(given) if other.lower() == name.lower()]
    if len(alike) > 1:
        raise PlanError(f"several columns are named '{name}' of '{table}' but for case", where=where)
    return alike[0] if alike else None


def ensure_required(rows: list[values.Value], columns: t.Schema, where: Span | Place | None) -> None:
    """Raise an error for a NULL in a column that is declared without NULL."""
    names = [column.name or "" for column in columns if not column.type.nullable]
    for name in names:
        if any(isinstance(row, values.Struct) and row.get(name) is None for row in rows):
            raise EvaluationError(f"NULL for the column '{name}', which is declared without", where=where)


# ---------------------------------------------------------------------------------------------------------------------
# Tables that the user registered


def ensure_writable(table: Table, name: str, policy: Policy, where: Span | Place | None) -> None:
    """Raise an error if rows cannot be added to the table. This is checked before anything is computed."""
    match table.source:
        case File(path, format_):
            try:
                policy.ensure_writable(path)
            except FiresteelError as error:
                raise error.located(where) from None
            if format_ != "parquet":
                raise UnsupportedError(f"adding rows to '{name}': a file of the format '{format_}'", where=where)
        case Memory() | Arrow():
            if isinstance(table.record_id, tuple):
                raise UnsupportedError(f"adding rows to '{name}', whose records have identifiers", where=where)
        case source:
            raise UnsupportedError(
                f"adding rows to '{name}': a {type(source).__name__}", where=where, help="create a table from it first"
            )


def extended(table: Table, rows: list[values.Value]) -> Table:
    """The table with the rows added; those of a file were added to the file. What was promised of the rows before need
    not hold for these."""
    match table.source:
        case File():
            tables.append_rows(table.source, rows)
            return replace(table, promise=None)
        case Arrow(arrow):
            return replace(table, source=Arrow(tables.with_rows(arrow, rows)), promise=None)
        case Memory(value):
            items: list[Any] | None = values.items(value) if isinstance(value, list | values.Bag) else None
            if items is None:
                raise AnalysisError("rows cannot be added to a value that is no collection")
            made = [*items, *rows] if isinstance(value, list) else values.Bag([*items, *rows])
            return tables.memory(made, table.record_id if isinstance(table.record_id, str) else None)
    raise AssertionError(table.source)


def virtual_table(statement: p.Statement, name: str, pin: bool, mode: str) -> p.CreateTable:
    """The statement that writes the rows of a query to a virtual table."""
    exists = next((exists for exists, word in _MODES.items() if word == mode), None)
    if exists is None:
        raise UnsupportedError(f"no mode '{mode}' of writing", help=f"the modes are {', '.join(_MODES.values())}")
    pairs: list[tuple[str, p.Rex]]
    match statement:
        case p.Root(names, rel):
            pairs = [(text, build.column(rel, i)) for i, text in enumerate(names)]
        case p.Query(rex=p.Select(constructor=p.Struct(pairs=given), input=rel)) if all(
            isinstance(pair.key, p.Lit) and isinstance(pair.key.value, str) for pair in given
        ):
            pairs = [(str(pair.key.value), pair.value) for pair in given if isinstance(pair.key, p.Lit)]
        case _:
            raise UnsupportedError(
                "a virtual table of rows whose columns are not known", help="name the columns: SELECT t.a, t.b FROM ..."
            )
    names = tuple(text for text, _ in pairs)
    if len({text.lower() for text in names}) < len(names):
        raise PlanError(f"the names of the columns repeat: {', '.join(names)}")
    columns = tuple(t.Field(text, rex.type) for text, rex in pairs)
    rows = p.Project(tuple(rex for _, rex in pairs), rel, names=names)
    made = p.CreateTable(tuple(name.split(".")), columns, rows, exists=exists, pin=pin, mode=statement.mode)
    return made.at(statement.where)


# ---------------------------------------------------------------------------------------------------------------------
# Files that a plan names

#: What is done with files that are there already, in the words of `Result.write`.
_MODES = {
    p.IfExists.ERROR: "error",
    p.IfExists.REPLACE: "overwrite",
    p.IfExists.APPEND: "append",
    p.IfExists.IGNORE: "ignore",
}


def files_output(statement: p.WriteFiles, policy: Policy) -> Output:
    """Where a plan writes its rows to; PolicyError if it may not. This is checked before anything is computed."""
    names = [column.name or "" for column in statement.columns]
    described = {_column(names, i) for i in statement.described_by}
    try:
        output = output_of(
            policy.target(statement.location),
            statement.format.lower() or None,
            names,
            mode=_MODES[statement.exists],
            compression=statement.compression or None,
            rotate_by=None if statement.rotation is None else _column(names, statement.rotation),
            columns=[_column(names, i) for i in statement.mask] or None,
        )
        other = next((name for name in output.fields if name not in described), None)
        if other is not None:
            raise PlanError(f"'{{{other}}}' in a location: '{other}' is no rotation description field")
        if output.fields:  # the folder before the first field is replaced, so that files are made beside it, too
            policy.ensure_writable(output.folder.parent)
        return output
    except FiresteelError as error:
        raise error.located(statement.where) from None


def _column(names: list[str], ordinal: int) -> str:
    if not 0 <= ordinal < len(names):
        raise PlanError(f"no field {ordinal}: there are {len(names)}")
    return names[ordinal]


def named_files(files: p.Files, policy: Policy) -> tables.Parts:
    """The files at the locations that a plan names; PolicyError if one of them may not be read."""
    if files.format not in tables.PART_FORMATS:
        raise UnsupportedError(f"files of the format '{files.format}'")
    if not files.items:
        raise PlanError("a read of no files")
    if (files.format == "csv") is not (files.text is not None):
        raise PlanError(f"files of the format '{files.format}', and how text is written")
    strange = next((item for item in files.items if item.kind not in get_args(Kind)), None)
    if strange is not None:
        raise PlanError(f"'{strange.path}' is a '{strange.kind}', which is nothing known")
    parts = tuple(
        tables.Part(path, item.start, item.length)
        for item in files.items
        for path in policy.files(item.path, cast(Kind, item.kind))
    )
    text = files.text
    how = None
    if text is not None:
        signs = (text.delimiter, text.quote, text.escape)
        how = tables.Delimited(*signs, text.skip, text.null, policy.unpacking)
    return tables.Parts(files.format, parts, how, files.names)
