"""Running plans and expressions."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from firesteel.errors import FiresteelError, PlanError, UnsupportedError
from firesteel.evaluate import collector, depth_limit
from firesteel.evaluate.base import CompileContext, Env, RelClosure, Row, compile_node
from firesteel.plan import CreateView, Mode, Plan, Query, Rex, Root
from firesteel.values import Bag, Struct, Value

if TYPE_CHECKING:
    from firesteel.evaluate.meter import Meter
    from firesteel.tables import Table
    from firesteel.tables.touched import PathTree


def evaluate(
    plan: Plan,
    tables: Sequence[Table] = (),
    shared: dict[str, Any] | None = None,
    touched: Mapping[int, PathTree] | None = None,
    meter: Meter | None = None,
) -> Value:
    """The value of a plan's statement; `tables[i]` is the table of `plan.globals[i]`, and `touched[i]` what the plan
    touches of its rows. `shared` is kept between the statements of one plan. With a `meter`, operators are measured."""
    statement = plan.statement
    if isinstance(statement, Query):
        context = _context(statement.mode, tables, touched=touched, meter=meter)
        rex, levels = compile_node(statement.rex, context)
        return _run(lambda: rex(Env()), levels, context)
    if isinstance(statement, Root):
        context = _context(statement.mode, tables, shared=shared, touched=touched, meter=meter)
        rel, levels = compile_node(statement.input, context)
        return _run(lambda: _named(statement, rel), levels, context)
    if isinstance(statement, CreateView):
        raise UnsupportedError(f"creating the view '{statement.name}' is for a session to do", where=statement.where)
    raise UnsupportedError(f"cannot evaluate a '{statement.tag}' statement", where=statement.where)


def _run(work: Callable[[], Value], levels: int, context: CompileContext) -> Value:
    with nullcontext() if context.calls_users else collector.paused():
        return depth_limit.run(work, levels)


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
    touched: Mapping[int, PathTree] | None = None,
    meter: Meter | None = None,
) -> CompileContext:
    return CompileContext(mode is Mode.STRICT, tables, now, shared, touched, meter)


def _named(root: Root, rel: RelClosure) -> Value:
    """The rows as structs: at this edge every column is there, MISSING or not."""
    rows, ordered = rel(Env())
    for row in rows[:1]:
        if len(row) != len(root.names):
            raise PlanError(f"{len(root.names)} names for {len(row)} columns", where=root.where)
    structs = [Struct(zip(root.names, row, strict=True)) for row in rows]
    return structs if ordered else Bag(structs)
