"""Reads: named tables, rows written out in the plan, files; the columns as the plan declares them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import FiresteelError, UnsupportedError, first_of
from firesteel.plan import build
from firesteel.plan.fit import as_declared, attribute, fit, rename_fields, rename_value_fields
from firesteel.plan.type_fit import alike
from firesteel.repair import RepairKind
from firesteel.rules import NameRule, PlanRule, RelationRule, TypeRule
from firesteel.substrait.literal_fit import require_fit
from firesteel.substrait.literals import read_literal
from firesteel.substrait.lower.base import FieldScope, Lowerer, Lowering, relation, require_boolean, scope_over
from firesteel.substrait.lower.column_names import named_schema
from firesteel.substrait.lower.masks import apply_mask, mask_fields
from firesteel.substrait.lower.relations.extension_relations import lower_extension
from firesteel.substrait.lower.relations.promises import promised
from firesteel.substrait.message import Message, of_kinds


@relation("read")
def _read(lowerer: Lowerer, read: Message, scope: FieldScope) -> Lowering:
    kind = read.which("read_type")
    if kind is None:
        raise PlanRule.SAYS_NOTHING.broken("a read that does not say of what", where=read.where)
    if kind == "virtual_table":
        rel = yield from _virtual(lowerer, read, scope)
    elif kind == "named_table":
        rel = _named(lowerer, read)
    elif kind == "extension_table":
        rel = lower_extension(read.extension_table.detail, ())
        schema = _schema(lowerer, read)
        rel = rel if schema is None else as_declared(rel, schema, read.base_schema.where)
    elif kind == "local_files":
        rel = _files(lowerer, read)
    else:
        raise UnsupportedError(f"a read of the kind '{kind}'", where=read.where)
    assert read.parent is not None  # filters see the columns before the mask
    inner = scope_over(scope, (rel, read.parent))
    if read.has("projection") and isinstance(rel, p.Project) and kind != "extension_table":
        kept = _mentioned(lowerer, rel, read)
        places = {old: new for new, old in enumerate(kept)}
        rel = rel.replace(exprs=tuple([rel.exprs[i] for i in kept]), names=tuple([rel.names[i] for i in kept]))
        inner = replace(inner, ordinals=tuple([places.get(i, -1) for i in range(len(inner.columns))]))
    for name in FILTERS:
        if read.has(name):
            message = getattr(read, name)
            rel = p.Filter(require_boolean((yield message, inner), message), rel).at(message.where)
    rel = apply_projection(rel, read, inner.ordinals) if read.has("projection") else rel
    return promised(lowerer, rel, read)


#: The conditions of a read.
FILTERS = ("filter", "best_effort_filter")


def _mentioned(lowerer: Lowerer, rel: p.Project, read: Message) -> list[int]:
    """The columns of a table that the read's mask or filters use, and those whose cast may fail, which is an error of
    the read. All columns, if a filter refers to something elsewhere in the plan."""
    fields = {item.field for item in read.projection.select.struct_items}
    for name in FILTERS:
        if read.has(name):
            found = of_kinds(getattr(read, name), "StructField", "StructItem", "Subquery")
            if found["Subquery"] or lowerer.lambdas or lowerer.detached_expressions:
                return list(range(len(rel.exprs)))
            fields.update(one.field for messages in found.values() for one in messages)
    return [i for i, rex in enumerate(rel.exprs) if i in fields or not isinstance(rex, p.Path)]


def apply_projection(rel: p.Rel, read: Message, places: Sequence[int] | None = None) -> p.Rel:
    """The columns, and parts of columns, that the mask of a read wants; `places` says where each column of the table
    is in the relation, if they are not there in their order."""
    columns = p.schema(rel)
    places = range(len(columns)) if places is None else places
    wanted = [(places[ordinal], inner) for ordinal, inner in mask_fields(read.projection.select, len(places))]
    if isinstance(rel, p.Project) and wanted == [(i, None) for i in range(len(columns))]:
        return rel
    exprs = tuple([apply_mask(build.column(rel, place), inner) for place, inner in wanted])
    names = tuple([columns[place].name or "" for place, _ in wanted])
    return p.Project(exprs, rel, names=names).at(read.projection.where)


def _schema(lowerer: Lowerer, read: Message) -> t.Schema | None:
    """The declared columns; None where a producer gives their names only."""
    base = read.base_schema
    if base.names and not base.struct.types:
        return None
    kind = read.which("read_type")
    if not read.has("base_schema") and kind != "virtual_table":
        if kind == "extension_table":  # the registered function says its columns
            return None
        raise PlanRule.REQUIRED.broken("a read without a schema", where=read.where)
    schema = named_schema(base, lowerer.extensions)
    names = [field.name for field in schema]
    twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) != len(names) else None
    if twice is not None and kind != "virtual_table":
        raise NameRule.SAME_NAME.broken(f"two columns are named '{twice}'", where=base.where)
    return schema


# ---------------------------------------------------------------------------------------------------------------------
# Named tables


def _named(lowerer: Lowerer, read: Message) -> p.Rel:
    path = tuple(read.named_table.names)
    if not path:
        raise PlanRule.REQUIRED.broken("a table without a name", where=read.named_table.where)
    made = ".".join(path).lower()
    if made in lowerer.created:
        type_ = lowerer.created[made]
        return _scanned(lowerer, read, p.GlobalBinding(path, type_ or t.ANY).at(read.where), type_)
    found = table_named(lowerer, path, read.named_table)
    name, type_ = found or (path, None)
    return _scanned(lowerer, read, p.GlobalBinding(name, type_ or t.ANY).at(read.where), type_)


def table_named(lowerer: Lowerer, path: tuple[str, ...], message: Message) -> tuple[tuple[str, ...], t.Type] | None:
    """The table of the catalog that a plan names, its name and its type."""
    if lowerer.catalog is None:
        return None
    quoted = [(name, False) for name in path]
    found = lowerer.catalog.find(quoted) or lowerer.catalog.find_outside(quoted)
    if found is None and len(path) > 1:  # a catalog's and a schema's name before the table's
        found = lowerer.catalog.find([(path[-1], False)])
        if found is not None:
            lowerer.repair(RepairKind.TABLE_PATH, message.where, path=".".join(path), table=".".join(found[0]))
    return found


def _scanned(lowerer: Lowerer, read: Message, binding: p.GlobalBinding, found: t.Type | None) -> p.Rel:
    """The declared columns of a table whose type is known, or not yet."""
    schema = _schema(lowerer, read)
    if found is None:
        if schema is None:
            raise TypeRule.TABLE_TYPE.broken(
                f"the plan does not say what types the columns of '{binding.name}' have",
                where=read.base_schema.where,
                help="register the table: its columns have types",
            )
        binding = binding.replace(type=t.Bag(t.Struct(schema, open=False)))
    source = p.Global(binding.type, _ordinal(lowerer, binding)).at(read.where)
    scan = p.Scan(source).at(read.where)
    row = build.column(scan, 0)
    known = {column.name for column in row.type.fields} if isinstance(row.type, t.Struct) else set()
    exprs, names = [], []
    declared = schema if schema is not None else [t.Field(name, t.ANY) for name in read.base_schema.names]
    for field in declared:
        name = field.name or ""
        rex = attribute(row, _matching(row.type, known, name, binding, read))
        if binding.files is not None and binding.files.text is not None:
            rex = _of_text(lowerer, rex, field, read)
        exprs.append(rex if isinstance(field.type, t.Any) else fit(rex, field.type, name, read.base_schema.where))
        names.append(name)
    if schema is None:
        lowerer.repair(RepairKind.UNTYPED_SCHEMA, read.base_schema.where)
    return p.Project(tuple(exprs), scan, names=tuple(names)).at(read.where)


def _ordinal(lowerer: Lowerer, binding: p.GlobalBinding) -> int:
    for i, known in enumerate(lowerer.globals):
        if known.path == binding.path and known == binding:  # cheaper than comparing types
            return i
    lowerer.globals.append(binding)
    return len(lowerer.globals) - 1


def _matching(row: t.Type, known: set[str | None], name: str, binding: p.GlobalBinding, read: Message) -> str:
    """The name of the column in the data, of which these are known: the same, or the one that differs in case only."""
    if name in known or not isinstance(row, t.Struct):
        return name
    names = [field.name for field in row.fields]
    close = [other for other in names if other is not None and other.lower() == name.lower()]
    if len(close) == 1:
        return close[0]
    if row.open and not close:
        return name
    why = f"several columns are named so but for case: {', '.join(close)}" if close else f"it has {_few(names)}"
    raise TypeRule.TABLE_TYPE.broken(f"'{binding.name}' has no column '{name}'", where=read.base_schema.where, help=why)


def _few(names: list[str | None], most: int = 12) -> str:
    shown = ", ".join(str(name) for name in names[:most])
    return f"{shown} and {len(names) - most} others" if len(names) > most else shown or "no columns"


# ---------------------------------------------------------------------------------------------------------------------
# Rows in the plan


def _virtual(lowerer: Lowerer, read: Message, scope: FieldScope) -> Lowering:
    table = read.virtual_table
    schema = _schema(lowerer, read)
    if schema is None or (not schema and table.values):
        schema = _of_first_row(lowerer, read)
    type_ = t.Struct(tuple(t.Field(f"_{i}", field.type) for i, field in enumerate(schema, 1)), open=False)
    leaf = FieldScope(outer=scope, is_leaf=True)
    rows: list[p.Rex] = []
    wrong: list[FiresteelError] = []
    for row in [*table.values, *table.expressions]:
        if len(row.fields) != len(schema):
            wrong.append(
                RelationRule.ROW.broken(f"a row of {len(row.fields)} values for {len(schema)} columns", where=row.where)
            )
            continue
        fields: list[p.Rex] = []
        for message, field in zip(row.fields, schema, strict=True):
            try:
                if message.kind.short == "Literal":
                    rex: p.Rex = p.Lit(*read_literal(message, lowerer.extensions)).at(message.where)
                else:
                    rex = yield message, leaf
                unknown = isinstance(rex, p.UnresolvedVar)  # in place of an expression that is a problem of its own
                fields.append(rex if unknown else _of_column(rex, field, message))
            except FiresteelError as error:
                wrong.append(error)
        rows.append(build.struct((f"_{i}", rex) for i, rex in enumerate(fields, 1)))
    if wrong:
        raise first_of(wrong)
    scan = p.Scan(_collected(rows, type_)).at(read.where)
    row_ = p.Var(type_, 0)
    exprs = tuple(attribute(row_, f"_{i}") for i in range(1, len(schema) + 1))
    return p.Project(exprs, scan, names=tuple(field.name or "" for field in schema)).at(read.where)


def _of_first_row(lowerer: Lowerer, read: Message) -> t.Schema:
    """What the values of a table say of its columns, where the plan declares none."""
    if not read.virtual_table.values:
        raise PlanRule.REQUIRED.broken("a virtual table whose schema has no types", where=read.base_schema.where)
    lowerer.repair(RepairKind.NO_SCHEMA, read.where)
    types = [read_literal(one, lowerer.extensions)[0] for one in read.virtual_table.values[0].fields]
    names = read.base_schema.names or [f"_{i}" for i in range(1, len(types) + 1)]
    return tuple(t.Field(name, t.absent(type_, nullable=True)) for name, type_ in zip(names, types, strict=False))


def _of_column(rex: p.Rex, field: t.Field, message: Message) -> p.Rex:
    """A value of a row as the value of that column."""
    if not alike(rex.type, field.type):
        raise RelationRule.ROW.broken(
            f"a {rex.type} in the column '{field.name}', which is a {field.type}", where=message.where
        )
    if isinstance(rex, p.Lit):
        return rex.replace(
            type=field.type, value=rename_value_fields(require_fit(rex.value, field.type, message), field.type)
        )
    return rename_fields(rex, field.type)


def _collected(rows: list[p.Rex], type_: t.Struct) -> p.Rex:
    """The rows as one value: a literal where all of them are written out."""
    if all(isinstance(pair.value, p.Lit) for row in rows if isinstance(row, p.Struct) for pair in row.pairs):
        made = [
            values.Struct([(pair.key.value, pair.value.value) for pair in row.pairs])  # type: ignore[attr-defined]
            for row in rows
            if isinstance(row, p.Struct)
        ]
        return p.Lit(t.Bag(type_), values.Bag(made))
    return p.Collection(t.Bag(type_), tuple(rows))


# ---------------------------------------------------------------------------------------------------------------------
# Files


_PATHS = ("uri_path", "uri_path_glob", "uri_file", "uri_folder")


def _files(lowerer: Lowerer, read: Message) -> p.Rel:
    """The rows of all files. Those of one format, written in one way, are one table; of several, all of them."""
    groups: dict[tuple[str, p.TextFormat | None], list[p.FileItem]] = {}
    for item in read.local_files.items:
        kind = item.which("path_type")
        if kind not in _PATHS:
            raise PlanRule.SAYS_NOTHING.broken("a file without a path", where=item.where)
        text = _text_format(item.text) if item.has("text") else None
        groups.setdefault((_format(item), text), []).append(
            p.FileItem(getattr(item, kind), kind.removeprefix("uri_"), start=item.start, length=item.length or None)
        )
    if not groups:
        raise PlanRule.EMPTY.broken("a read of no files", where=read.local_files.where)
    tables = [_opened(lowerer, read, format_, items, text) for (format_, text), items in groups.items()]
    return reduce(lambda left, right: p.Union(left, right).at(read.where), tables[1:], tables[0])


def _opened(
    lowerer: Lowerer, read: Message, format_: str, items: Sequence[p.FileItem], text: p.TextFormat | None
) -> p.Rel:
    names = tuple(field.name or "" for field in _schema(lowerer, read) or ()) if text else ()
    files = p.Files(format_, tuple(items), text=text, names=names).at(read.local_files.where)
    found = lowerer.catalog.open(files) if lowerer.catalog else None
    binding = p.GlobalBinding((files.label,), found or t.ANY, files=files).at(read.where)
    return _scanned(lowerer, read, binding, found)


def _format(item: Message) -> str:
    kind = item.which("file_format")
    if kind is None:
        labels = {1: "parquet"}
        found = labels.get(item.format)
        if found is None:
            raise PlanRule.SAYS_NOTHING.broken("a file whose format is not said", where=item.where)
        return found
    if kind in ("parquet", "orc", "arrow", "dwrf"):
        return kind
    if kind == "text":
        return "csv"
    raise UnsupportedError(f"files of the format '{kind}'", where=item.where)


def _text_format(text: Message) -> p.TextFormat:
    return p.TextFormat(
        delimiter=text.field_delimiter or ",",
        quote=text.quote,
        escape=text.escape,
        skip=text.header_lines_to_skip,
        null=text.value_treated_as_null if text.has("value_treated_as_null") else None,
    )


def _of_text(lowerer: Lowerer, rex: p.Rex, field: t.Field, read: Message) -> p.Rex:
    """Columns of text files are text. One is cast if the plan declares another type; text that cannot be cast is an
    error at run time."""
    if not isinstance(rex.type, t.Text) or isinstance(field.type, t.Text | t.Any):
        return rex
    lowerer.repair(RepairKind.TEXT_COLUMN, read.base_schema.where, column=field.name, declared=field.type)
    return build.substrait_cast(rex, t.absent(field.type, nullable=rex.type.nullable)).at(read.base_schema.where)
