"""What a plan is compiled to: closures over the rows in scope.

`compile_node` turns a node into a Python function once, by the handler of its class; running it is calling it. Handlers
are generators that ask for their children (`node.drive`), so that compiling does not use the Python stack. Running
does nest calls, but calls from Python to Python live on the heap; `depth_limit.py` sets the limit. A closure must
therefore call other closures directly or in a loop, and never through C (`map`, `sorted(key=...)`, a generator).
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.evaluate import collector
from firesteel.evaluate.depth_limit import survey
from firesteel.node import Node, drive
from firesteel.plan import Global, Lit, Rel, Rex, Select, Var
from firesteel.plan.scope import free_rows
from firesteel.source import Place, Span
from firesteel.values import MISSING, Value

if TYPE_CHECKING:
    from firesteel.evaluate.meter import Meter
    from firesteel.tables import Table
    from firesteel.tables.touched import PathTree

Row = tuple[Value, ...]
Fail = Callable[..., Value]


class Env:
    """The rows in scope: the one at hand and, outwards, those around it."""

    __slots__ = ("memo", "outer", "row")

    memo: dict[int, Any]  # results of shared subplans for these rows; created when the first of them runs

    def __init__(self, row: Row = (), outer: Env | None = None) -> None:
        self.row = row
        self.outer = outer


class Rows(NamedTuple):
    """What a relation gives: its rows, and whether their order means something (a list) or not (a bag)."""

    rows: list[Row]
    ordered: bool


RexClosure = Callable[[Env], Value]
RelClosure = Callable[[Env], Rows]


class Forgivable(Exception):
    """An error that permissive mode turns into MISSING. Other errors are errors in both modes."""


class CompileContext:
    """What handlers know beside their node: the mode, and the tables behind the plan's globals."""

    def __init__(
        self,
        strict: bool,
        tables: Sequence[Table] = (),
        now: datetime.datetime | None = None,
        shared: dict[str, Any] | None = None,
        touched: Mapping[int, PathTree] | None = None,
        meter: Meter | None = None,
    ) -> None:
        self.meter = meter
        self.strict = strict
        #: The parts of tables that the plan touches; without an entry, all of a table is read.
        self.touched: Mapping[int, PathTree] = touched or {}
        #: Rows of shared relations, by their names.
        self.shared: dict[str, Rows] = {} if shared is None else shared
        self.tables = tables
        #: Does the plan call functions of a user's? Those may make cycles of objects.
        self.calls_users = False
        self._now = now
        self._read: dict[int, Value] = {}

    @cached_property
    def now(self) -> datetime.datetime:
        """The time of the run, in UTC. It stays the same for the whole run, also in Spark's workers."""
        return self._now or datetime.datetime.now(datetime.UTC)

    def table(self, ordinal: int) -> Value:
        """The value of a global; its table is read when it is first needed, and then no more."""
        if ordinal not in self._read:
            table, touched = self.tables[ordinal], self.touched.get(ordinal)
            with collector.paused():
                self._read[ordinal] = table.read() if touched is None else table.read(touched)
        return self._read[ordinal]

    def failing(self, where: Span | Place | None) -> Fail:
        """What to return when a value is wrong: `fail("no attribute '{}'", name)` is MISSING, or raises."""
        if not self.strict:
            return forgive

        def fail(message: str, *parts: object) -> NoReturn:
            raise EvaluationError(message.format(*parts), where=where)

        return fail


def forgive(*_: object) -> Value:
    return MISSING


Handler = Callable[[Any, CompileContext], Any]

#: How each class of nodes is compiled. A handler returns the closure, or is a generator that first yields requests
#: (`yield child, context`) and is sent what the children were compiled to.
HANDLERS: dict[type[Node], Handler] = {}

#: The classes that are not compiled, and why.
UNSUPPORTED: dict[type[Node], str] = {}


def handles(cls: type[Node]) -> Callable[[Handler], Handler]:
    """Register the handler of a class."""

    def register(handler: Handler) -> Handler:
        HANDLERS[cls] = handler
        return handler

    return register


def compile_node(root: Node, context: CompileContext) -> tuple[Any, int]:
    """What a node is compiled to, and how deep it is. A shared subplan is compiled once, and runs once for the same
    rows in scope: else a small document could ask for an endless run. A query without correlation runs once."""
    levels, shared = survey(root)
    done: dict[int, Any] = {}

    def dispatch(node: Node, context: CompileContext) -> Any:
        return done[id(node)] if id(node) in done else remember(node, context)

    def remember(node: Node, context: CompileContext) -> Generator[Any, Any, Any]:
        handler = HANDLERS.get(type(node))
        if handler is None:
            reason = UNSUPPORTED.get(type(node), "the reference evaluator does not know it")
            raise UnsupportedError(f"cannot evaluate '{node.tag or type(node).__name__}': {reason}", where=node.where)
        made = handler(node, context)
        if isinstance(made, Generator):
            made = yield from made
        if context.meter is not None:
            made = context.meter.around(node, made)
        if isinstance(node, Select) and node is not root and not free_rows(node):
            made = _lasting(made)
        elif id(node) in shared and isinstance(node, Rex | Rel) and not isinstance(node, Lit | Var | Global):
            made = _once(made, id(node))
        done[id(node)] = made
        return made

    return drive(dispatch, root, context), levels


def _lasting(made: Callable[[Env], Value]) -> Callable[[Env], Value]:
    """An uncorrelated query has one result for all outer rows: it runs once, when it is first needed."""
    found: list[Value] = []

    def run(env: Env) -> Value:
        if not found:
            found.append(made(env))
        return found[0]

    return run


def _once(made: Callable[[Env], Any], key: int) -> Callable[[Env], Any]:
    def run(env: Env) -> Any:
        try:
            memo = env.memo
        except AttributeError:
            memo = env.memo = {}
        if key not in memo:
            memo[key] = made(env)
        return memo[key]

    return run
