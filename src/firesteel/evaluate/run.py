"""Running plans and expressions."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from firesteel.errors import FiresteelError, PlanError, UnsupportedError
from firesteel.evaluate import depth_limit
from firesteel.evaluate.base import CompileContext, Env, RelClosure, Row, compile_node
from firesteel.plan import CreateView, Mode, Plan, Query, Rex, Root
from firesteel.values import Bag, Struct, Value

if TYPE_CHECKING:
    from firesteel.tables import Table


def evaluate(plan: Plan, tables: Sequence[Table] = (), shared: dict[str, Any] | None = None) -> Value:
    """The value of a plan's statement; `tables[i]` is the table of `plan.globals[i]`. `shared` is kept between the
    statements of one plan."""
    statement = plan.statement
    if isinstance(statement, Query):
        rex, levels = compile_node(statement.rex, _context(statement.mode, tables))
        return depth_limit.run(lambda: rex(Env()), levels)
    if isinstance(statement, Root):
        rel, levels = compile_node(statement.input, _context(statement.mode, tables, shared=shared))
        return depth_limit.run(lambda: _named(statement, rel), levels)
    if isinstance(statement, CreateView):
        raise UnsupportedError(f"creating the view '{statement.name}' is for a session to do", where=statement.where)
    raise UnsupportedError(f"cannot evaluate a '{statement.tag}' statement", where=statement.where)


def expression(rex: Rex, mode: Mode, globals: Sequence[Table] = ()) -> Callable[[Sequence[Row]], Value]:
    """A function of the rows in scope, the innermost first: what folds constants, and runs row by row elsewhere."""
    closure, levels = compile_node(rex, _context(mode, globals))

    def value(scope: Sequence[Row]) -> Value:
        env: Env | None = None
        for row in reversed(scope):
            env = Env(row, env)
        inner = env or Env()
        return depth_limit.run(lambda: closure(inner), levels)

    return value


def each(
    rex: Rex, mode: Mode, globals: Sequence[Table] = (), now: datetime.datetime | None = None
) -> Callable[[Iterable[Row]], list[Value | FiresteelError]]:
    """A function of many rows, each the only one in scope: the value of each, or the error that it makes."""
    closure, levels = compile_node(rex, _context(mode, globals, now))

    def outcomes(rows: Iterable[Row]) -> list[Value | FiresteelError]:
        found: list[Value | FiresteelError] = []
        for row in rows:
            try:
                found.append(closure(Env(row)))
            except FiresteelError as error:
                found.append(error)
        return found

    return lambda rows: depth_limit.run(lambda: outcomes(rows), levels)


def _context(
    mode: Mode,
    tables: Sequence[Table],
    now: datetime.datetime | None = None,
    shared: dict[str, Any] | None = None,
) -> CompileContext:
    return CompileContext(mode is Mode.STRICT, tables, now, shared)


def _named(root: Root, rel: RelClosure) -> Value:
    """The rows as structs: at this edge every column is there, MISSING or not."""
    rows, ordered = rel(Env())
    for row in rows[:1]:
        if len(row) != len(root.names):
            raise PlanError(f"{len(root.names)} names for {len(row)} columns", where=root.where)
    structs = [Struct(zip(root.names, row, strict=True)) for row in rows]
    return structs if ordered else Bag(structs)
