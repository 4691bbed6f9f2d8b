"""Relation trees as statements: roots give rows, writes and definitions change tables, others are only referred to."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import PlanError, UnsupportedError
from firesteel.plan import build
from firesteel.plan.fit import as_declared, named_like
from firesteel.repair import RepairKind
from firesteel.rules import NameRule, PlanRule
from firesteel.substrait.lower.base import FieldScope, Lowerer, apply_emit, require_field
from firesteel.substrait.lower.column_names import named_schema, root_names
from firesteel.substrait.lower.open_trees import OpenTree, is_open
from firesteel.substrait.lower.plan_details import answer_of, mode, selected, value
from firesteel.substrait.lower.relations.reads import table_named
from firesteel.substrait.lower.write_operator import is_operator, lower_operator
from firesteel.substrait.message import Message

TOP = FieldScope()


def statements(lowerer: Lowerer, tree: Message, said: Message | None = None) -> tuple[p.Statement, ...]:
    """What a relation tree of the plan does, and what its details say of it. A subtree alone does nothing: a later tree
    may refer to it."""
    lowerer.detached_rels = list(tree.detached_rels)
    lowerer.detached_expressions = list(tree.detached_expressions)
    kind = tree.which("rel_type")
    if kind is None:
        raise PlanRule.SAYS_NOTHING.broken("a relation tree that says nothing", where=tree.where)
    rel: Message = require_field(tree.root, "input") if kind == "root" else tree.rel
    doing = rel.which("rel_type")
    if doing in _DOING:
        lowerer.trees.append(_nothing(rel))
        done = _DOING[doing](lowerer, getattr(rel, doing), said)
        _remember(lowerer, done)
        answer = _written(done, rel.write, tree) if kind == "root" and doing == "write" else None
        return (done,) if answer is None else (answer, done)
    if kind == "rel" and is_open(lowerer, tree):
        lowerer.open_trees[len(lowerer.trees)] = OpenTree(tree, rel)
        lowerer.trees.append(_nothing(rel))
        return ()
    if answer_of(said) and said is not None:
        lowerer.trees.append(_nothing(rel))
        return (p.Query(_answered(lowerer, rel, tree.root.names, said), mode=mode(said)).at(tree.where),)
    made: p.Rel = lowerer.lower(rel, TOP)
    lowerer.trees.append(made)
    return () if kind == "rel" else (_root(made, tree.root).replace(mode=mode(said)),)


def _answered(lowerer: Lowerer, rel: Message, names: list[str], said: Message) -> p.Rex:
    """The value that the rows of a relation say."""
    if answer_of(said) == "VALUE":
        return value(lowerer, rel, TOP)
    return selected(lowerer, lowerer.lower(rel, TOP), names, said)


def _root(rel: p.Rel, root: Message) -> p.Root:
    """The rows of a relation under the names of a root."""
    rel, names = root_names(rel, root.names, root.where)
    width = len(p.schema(rel))
    if len(names) != width:
        raise NameRule.ROOT_NAMES.broken(f"{len(names)} names for {width} columns", where=root.where)
    return p.Root(names, rel, mode=p.Mode.STRICT).at(root.where)


def _nothing(rel: Message) -> p.Rel:
    """The stand-in for a tree without a result: no rows, no columns."""
    return p.Project((), p.Scan(p.Lit(t.Bag(t.STRUCT), values.Bag()))).at(rel.where)


def _remember(lowerer: Lowerer, done: p.Statement) -> None:
    """What the trees behind this one see of the names that it makes or drops, whatever they stand for now."""
    match done:
        case p.CreateTable(exists=p.IfExists.ERROR | p.IfExists.REPLACE):
            fields = tuple(t.Field(one.name, t.absent(one.type, nullable=True)) for one in done.columns)
            lowerer.created[".".join(done.path).lower()] = t.Bag(t.Struct(fields, open=False))
        case p.CreateView():
            lowerer.created[done.name.lower()] = done.query.type
        case p.Drop():
            lowerer.created[".".join(done.path).lower()] = None


# ---------------------------------------------------------------------------------------------------------------------
# Writes


_EXISTS = {
    "CREATE_MODE_UNSPECIFIED": p.IfExists.ERROR,
    "CREATE_MODE_ERROR_IF_EXISTS": p.IfExists.ERROR,
    "CREATE_MODE_REPLACE_IF_EXISTS": p.IfExists.REPLACE,
    "CREATE_MODE_APPEND_IF_EXISTS": p.IfExists.APPEND,
    "CREATE_MODE_IGNORE_IF_EXISTS": p.IfExists.IGNORE,
}


def _write(lowerer: Lowerer, message: Message, said: Message | None) -> p.Statement:
    if is_operator(message):
        return _operator(lowerer, message, said)
    path = _target(message, message.which("write_type"), "named_table")
    op = message.label("op").removeprefix("WRITE_OP_")
    if op not in ("INSERT", "CTAS"):
        raise UnsupportedError(
            f"{op.lower()} of rows of '{'.'.join(path)}': a table is changed in place by the format that holds it",
            where=message.where,
        )
    if _gives_records(message) and message.label("create_mode") == "CREATE_MODE_IGNORE_IF_EXISTS":
        raise UnsupportedError(
            "a write that gives back the records it wrote, and may write none",
            where=message.where,
            help="without CREATE_MODE_IGNORE_IF_EXISTS the records are known before the table is created",
        )
    source = require_field(message, "input")
    rel: p.Rel = lowerer.lower(source, TOP)
    schema = _columns(lowerer, message, rel)
    if op == "INSERT":
        path, known = _existing(lowerer, path, message)
        if not message.has("table_schema") and len(known) == len(schema):
            lowerer.repair(RepairKind.WRITE_BY_PLACE, message.where)
            pairs = zip(known, schema, strict=True)
            schema = tuple(t.Field(one.name, named_like(mine.type, one.type)) for one, mine in pairs)
    rel = rel if said is not None and said.as_is else as_declared(rel, schema, source.where)
    if op == "CTAS":
        exists = _EXISTS.get(message.label("create_mode"))
        if exists is None:
            raise PlanRule.NOT_SAID.broken("a table that is created in no known mode", where=message.where)
        return p.CreateTable(path, schema, rel, exists=exists, mode=mode(said)).at(message.where)
    return p.Insert(path, schema, rel, mode=mode(said)).at(message.where)


def _operator(lowerer: Lowerer, message: Message, said: Message | None) -> p.Statement:
    op = message.label("op").removeprefix("WRITE_OP_")
    exists = p.IfExists.APPEND if op == "INSERT" else _EXISTS.get(message.label("create_mode"))
    if exists is None or op not in ("INSERT", "CTAS", "UNSPECIFIED"):
        raise UnsupportedError(f"{op.lower()} of files or of a virtual table", where=message.where)
    rel: p.Rel = lowerer.lower(require_field(message, "input"), TOP)
    return lower_operator(lowerer, message, rel, exists, said)


def _gives_records(message: Message) -> bool:
    return message.label("output") == "OUTPUT_MODE_MODIFIED_RECORDS"


def _written(done: p.Statement, message: Message, tree: Message) -> p.Root | None:
    """The answer of a root over a write: the records that it writes, or no rows with the columns of those.

    It stands before the write, because a query that reads the table it adds to has to see that as it was. A write
    without output has no answer if another root of the plan may have one, or if the root does not name its columns,
    as many producers do not.
    """
    assert isinstance(done, p.Insert | p.CreateTable | p.WriteFiles)
    assert done.input is not None
    assert tree.parent is not None
    rel = apply_emit(done.input, message)
    if _gives_records(message):
        return _root(rel, tree.root)
    roots = [one for one in tree.parent.relations if one.which("rel_type") == "root"]
    if len(roots) > 1 or not tree.root.names:
        return None
    try:
        return _root(p.Filter(p.Lit(t.BOOL, False), rel).at(message.where), tree.root)
    except PlanError:
        return None


def _existing(lowerer: Lowerer, path: tuple[str, ...], message: Message) -> tuple[tuple[str, ...], t.Schema]:
    """The name of the table that is meant, and its columns where they are known."""
    made = lowerer.created.get(".".join(path).lower())
    found = (
        (path, made) if made is not None or lowerer.catalog is None else table_named(lowerer, path, message.named_table)
    )
    type_ = found[1] if found is not None else None
    element = type_.element if isinstance(type_, t.Bag) else None
    columns = element.fields if isinstance(element, t.Struct) and not element.open else ()
    return found[0] if found is not None else path, columns


def _columns(lowerer: Lowerer, message: Message, rel: p.Rel) -> t.Schema:
    if message.has("table_schema"):
        return named_schema(message.table_schema, lowerer.extensions)
    return tuple(t.Field(column.name or f"_{i}", column.type) for i, column in enumerate(p.schema(rel), 1))


def _target(message: Message, kind: str | None, named: str) -> tuple[str, ...]:
    if kind != named:
        raise UnsupportedError(f"a target of the kind '{kind}'", where=message.where)
    path = tuple(getattr(message, named).names)
    if not path:
        raise PlanRule.REQUIRED.broken("a target without a name", where=message.where)
    return path


# ---------------------------------------------------------------------------------------------------------------------
# Definitions


def _define(lowerer: Lowerer, message: Message, said: Message | None) -> p.Statement:
    path = _target(message, message.which("write_type"), "named_object")
    thing = message.label("object").removeprefix("DDL_OBJECT_")
    op = message.label("op").removeprefix("DDL_OP_")
    if thing not in ("TABLE", "VIEW"):
        raise PlanRule.NOT_SAID.broken("a definition that does not say of what", where=message.where)
    if op in ("DROP", "DROP_IF_EXIST"):
        return p.Drop(path, view=thing == "VIEW", if_exists=op == "DROP_IF_EXIST").at(message.where)
    if op not in ("CREATE", "CREATE_OR_REPLACE"):
        raise UnsupportedError(f"{op.lower()} of a {thing.lower()}", where=message.where)
    replace = op == "CREATE_OR_REPLACE"
    if thing == "VIEW":
        return _view(lowerer, path, message, replace, said)
    if message.table_defaults.fields:
        raise UnsupportedError("a table with default values", where=message.where)
    schema = named_schema(require_field(message, "table_schema"), lowerer.extensions)
    exists = p.IfExists.REPLACE if replace else p.IfExists.ERROR
    return p.CreateTable(path, schema, None, exists=exists, mode=mode(said)).at(message.where)


def _view(
    lowerer: Lowerer, path: tuple[str, ...], message: Message, replace: bool, said: Message | None
) -> p.Statement:
    definition = require_field(message, "view_definition")
    if answer_of(said) and said is not None:
        query = _answered(lowerer, definition, message.table_schema.names, said)
        columns, name = tuple(said.columns), ".".join(path)
        view = p.CreateView(name, query, columns=columns, mode=mode(said), replace_existing=replace)
        return view.at(message.where)
    rel: p.Rel = lowerer.lower(definition, TOP)
    schema = _columns(lowerer, message, rel)
    rel = as_declared(rel, schema, definition.where)
    row = build.struct((field.name or "", build.column(rel, i)) for i, field in enumerate(schema))
    query = build.select(row, rel)
    return p.CreateView(".".join(path), query, mode=p.Mode.STRICT, replace_existing=replace).at(message.where)


_DOING = {"write": _write, "ddl": _define}
