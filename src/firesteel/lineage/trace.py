"""From a plan to the lineage of its statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.lineage.expressions import EXPRESSIONS, Asking, Env, everything, opened
from firesteel.lineage.flow import NO_LINKS, Flow, Links, Rows, merged
from firesteel.lineage.model import (
    ATTRIBUTES,
    ELEMENTS,
    Column,
    Input,
    Lineage,
    Link,
    Source,
    TablePaths,
    Use,
    field_text,
    inputs_of,
)
from firesteel.lineage.relations import RELATIONS, unknown_relation
from firesteel.node import Node, children, drive, walk

#: Columns that are told apart, parts of columns included. What is beyond that is told as one column.
MAX_COLUMNS = 10_000
#: The name of the only column of an answer whose elements are no structs.
ONLY = "_1"


def trace(plan: p.Plan) -> list[Lineage]:
    """The lineage of every statement that gives or keeps rows."""
    return [made for statement in plan.statements if (made := _statement(statement, plan)) is not None]


def column_inputs(plan: p.Plan) -> dict[int, list[tuple[Input, ...]]]:
    """The sources of every column of every relation, by the relation's identity: those of its value, not those that
    decide which rows there are. Beyond `MAX_COLUMNS` columns nothing is said."""
    found: dict[int, list[tuple[Input, ...]]] = {}
    room = MAX_COLUMNS
    for statement in plan.statements:
        done: _Known = {}
        for root in children(statement):
            _flow(root, plan, done)
        for (node, _), (rows, _) in done.items():
            if isinstance(rows, Rows) and len(rows.columns) <= room:
                room -= len(rows.columns)
                found[node] = [inputs_of(column.all_links()) for column in rows.columns]
    return found


def _statement(statement: p.Statement, plan: p.Plan) -> Lineage | None:
    match statement:
        case p.Query(rex=rex):
            return _of_value(rex, plan, None)
        case p.CreateView(name=name, query=rex):
            made = _of_value(rex, plan, name)
            return made if not statement.columns else _renamed(made, statement.columns)
        case p.Root(names=names, input=rel):
            return _of_rows(rel, names, plan, None)
        case p.CreateTable(input=p.Rel() as rel, columns=columns) | p.Insert(input=rel, columns=columns):
            return _of_rows(rel, [column.name or "" for column in columns], plan, statement.name)
        case p.WriteFiles(input=rel, columns=columns):
            return _of_rows(rel, [column.name or "" for column in columns], plan, statement.location)
        case _:
            return None


def _renamed(made: Lineage, names: tuple[str, ...]) -> Lineage:
    """The columns of a view that gives them names of its own."""
    tops = list(dict.fromkeys(_top(one.name) for one in made.columns))
    new = dict(zip(tops, names, strict=False))
    columns = [
        Column(new.get(_top(one.name), _top(one.name)) + one.name[len(_top(one.name)) :], one.inputs)
        for one in made.columns
    ]
    return Lineage(tuple(columns), made.rows, made.tables, made.target)


def _top(name: str) -> str:
    return name.partition(".")[0].partition("[")[0]


def _of_value(rex: p.Rex, plan: p.Plan, target: str | None) -> Lineage:
    """The lineage of a value: that of its elements, where it is a collection."""
    flow: Flow = _flow(rex, plan)
    type_ = rex.type
    is_collection = bool(flow.elements) or (isinstance(type_, t.Collection) and not flow.pairs)
    if not is_collection:
        return _lineage(_row_parts(flow, type_), NO_LINKS, rex, plan, target)
    element = type_.element if isinstance(type_, t.Collection) else t.ANY
    return _lineage(_row_parts(flow.element(), element), flow.indirect, rex, plan, target)


def _of_rows(rel: p.Rel, names: Iterable[str], plan: p.Plan, target: str | None) -> Lineage:
    rows: Rows = _flow(rel, plan)
    parts = [part for name, column in zip(names, rows.columns, strict=False) for part in _parts((name,), column)]
    return _lineage(parts, rows.links, rel, plan, target)


def _lineage(
    parts: Iterable[tuple[tuple[str, ...], Links]], rows: Links, root: Node, plan: p.Plan, target: str | None
) -> Lineage:
    listed = list(parts)
    used = {plan.globals[one.ordinal] for one in walk(root, p.Global)}
    links = {*rows, *(link for _, own in listed for link in own)}
    tables = []
    for binding in sorted(used, key=lambda one: _name(one)):
        fields = {link.source.field for link in links if link.source.table == _name(binding)}
        tables.append(TablePaths(_name(binding), tuple(sorted(fields))))
    columns = tuple(Column(field_text(path), inputs_of(own - rows)) for path, own in listed)
    return Lineage(columns, inputs_of(rows), tuple(tables), target)


def _name(binding: p.GlobalBinding) -> str:
    return binding.files.label if binding.files is not None else binding.name


# ---------------------------------------------------------------------------------------------------------------------
# From a node to its flow


#: What is known of a node in an environment, by their identities; the environment is kept alive with it.
_Known = dict[tuple[int, int], tuple[Any, Env | None]]


def _flow(root: Node, plan: p.Plan, done: _Known | None = None) -> Any:
    """The flow of an expression, or the rows of a relation. `done` gets those of all nodes below, too."""
    done = {} if done is None else done

    def dispatch(node: Node, env: Env | None) -> Any:
        known = done.get((id(node), id(env)))
        return known[0] if known is not None else remember(node, env)

    def remember(node: Node, env: Env | None) -> Asking:
        if isinstance(node, p.Global):
            found: Any = _global(plan.globals[node.ordinal])
        elif isinstance(node, p.Rel):
            found = yield from RELATIONS.get(type(node), unknown_relation)(node, env)
        else:
            found = yield from EXPRESSIONS.get(type(node), everything)(node, env)
        done[id(node), id(env)] = (found, env)
        return found

    return drive(dispatch, root, None)


def _global(binding: p.GlobalBinding) -> Flow:
    return Flow(frozenset([Link(Source(_name(binding), (), binding.files is not None), Use.IDENTITY)]))


# ---------------------------------------------------------------------------------------------------------------------
# From a flow to columns


def _row_parts(flow: Flow, type_: t.Type) -> Iterator[tuple[tuple[str, ...], Links]]:
    """The columns of a row. One that is a table's, of a known type, has the columns of the table. A value that is no
    struct is the column `_1`, as it is in Arrow tables."""
    row = opened(flow, type_)
    is_struct = bool(row.pairs) or isinstance(t.proper(type_), t.Struct)
    return _parts(() if is_struct else (ONLY,), row)


def _parts(path: tuple[str, ...], flow: Flow) -> Iterator[tuple[tuple[str, ...], Links]]:
    """The parts of a column, where the plan constructs it: a path and its links. What decides about a whole takes part
    in all its parts."""
    count = 0
    stack: list[tuple[tuple[str, ...], Flow, Links]] = [(path, flow, NO_LINKS)]
    while stack:
        at, part, around = stack.pop()
        if count + len(stack) >= MAX_COLUMNS or not (part.pairs or part.elements):
            yield at, part.all_links() | around
            count += 1
        else:
            below = [((*at, name), inner, around | part.indirect) for name, inner in _below(part)]
            stack.extend(reversed(below))


def _below(flow: Flow) -> list[tuple[str, Flow]]:
    """The parts of a value, those of one name as one."""
    found: dict[str, list[Flow]] = {}
    for name, part in (*flow.pairs, *((ELEMENTS, element) for element in flow.elements)):
        found.setdefault(name, []).append(part)
    if flow.direct:
        found.setdefault(ATTRIBUTES if flow.pairs else ELEMENTS, []).append(Flow(flow.direct))
    return [(name, merged(parts)) for name, parts in found.items()]
