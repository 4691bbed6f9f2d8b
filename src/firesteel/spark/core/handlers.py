"""How nodes are compiled: the tables of handlers, and what a handler may ask for.

A handler is a function of a node and its scope. One that needs its children compiled is a generator that asks for them,
so that deep plans do not use Python's stack:

    rows = yield from rows_of(node.input, outer)        # a relation: Rows
    value = yield from expr_of(node.predicate, scope)   # an expression: Expr
    items = yield from items_of(node.input, scope)      # a relation over a row's own collections: Items
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from firesteel import plan as p
from firesteel.errors import UnsupportedError
from firesteel.node import Node, drive
from firesteel.spark.core import fallback
from firesteel.spark.core.expr import Expr
from firesteel.spark.core.fallback_log import Attempt
from firesteel.spark.core.scope import Scope

if TYPE_CHECKING:
    from firesteel.spark.core.rows import Rows
    from firesteel.spark.relations.nested.items import Items

T = TypeVar("T")
Handler = Callable[[Any, Any], Any]

#: How relations, expressions, steps of paths, kinds of joins and calls of windows are compiled.
HANDLERS: dict[type[Node], Handler] = {}
#: How relations are compiled over the collections of one row (`relations/nested`), in an expression or a lateral join.
NESTED: dict[type[Node], Handler] = {}
#: The classes that are not compiled, and why.
UNSUPPORTED: dict[type[Node], str] = {}
#: The relations that are not compiled over the collections of one row.
UNSUPPORTED_NESTED: dict[type[Node], str] = {}


def handles(*classes: type[Node]) -> Callable[[Handler], Handler]:
    """Register the handler of classes."""
    return _register(HANDLERS, classes)


def handles_nested(*classes: type[Node]) -> Callable[[Handler], Handler]:
    """Register the handler of classes of relations inside a row."""
    return _register(NESTED, classes)


def _register(table: dict[type[Node], Handler], classes: tuple[type[Node], ...]) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        table.update(dict.fromkeys(classes, handler))
        return handler

    return register


# ---------------------------------------------------------------------------------------------------------------------
# Requests


@dataclass(frozen=True, eq=False, slots=True)
class RexRequest:
    """Compile this expression."""

    node: p.Rex
    scope: Scope


@dataclass(frozen=True, eq=False, slots=True)
class NodeRequest:
    """Compile this relation, or this part of one. What the context is depends on the class of the node."""

    node: Node
    context: Any


@dataclass(frozen=True, eq=False, slots=True)
class NestedRequest:
    """Compile this relation over the collections of one row."""

    node: p.Rel
    scope: Scope


Request = RexRequest | NodeRequest | NestedRequest
#: A handler under way: it yields requests, each in a tuple, as `node.drive` takes them.
Compiling = Generator[tuple[Request], Any, T]


def rows_of(node: p.Rel, scope: Scope) -> Compiling[Rows]:
    """Ask for a relation."""
    rows: Rows = yield (NodeRequest(node, scope),)
    return rows


def expr_of(node: p.Rex, scope: Scope) -> Compiling[Expr]:
    """Ask for an expression."""
    expr: Expr = yield (RexRequest(node, scope),)
    return expr


def items_of(node: p.Rel, scope: Scope) -> Compiling[Items]:
    """Ask for a relation over the collections of one row."""
    items: Items = yield (NestedRequest(node, scope),)
    return items


def part_of(node: Node, context: Any) -> Compiling[Any]:
    """Ask for a part of a relation or a path: a kind of join, a call of a window, a step."""
    return (yield (NodeRequest(node, context),))


def compile_rows(node: p.Rel, scope: Scope) -> Rows:
    """The relation, compiled at once."""
    rows: Rows = drive(dispatch, NodeRequest(node, scope))
    return rows


def compile_expr(node: p.Rex, scope: Scope) -> Expr:
    """The expression, compiled at once: for the callback by which PySpark builds a lambda, which cannot yield."""
    expr: Expr = drive(dispatch, RexRequest(node, scope))
    return expr


def compile_items(node: p.Rel, scope: Scope) -> Items:
    """The relation over the collections of one row, compiled at once."""
    items: Items = drive(dispatch, NestedRequest(node, scope))
    return items


# ---------------------------------------------------------------------------------------------------------------------
# Answering requests


def dispatch(request: Request) -> Any:
    """Call the handler of a node; a node without one is refused by name."""
    match request:
        case NestedRequest(node, scope):
            handler = NESTED.get(type(node))
            return handler(node, scope) if handler else _refuse(node, UNSUPPORTED_NESTED)
        case NodeRequest(node, context):
            handler = HANDLERS.get(type(node))
            return handler(node, context) if handler else _refuse(node, UNSUPPORTED)
    node, scope = request.node, request.scope
    handler = HANDLERS.get(type(node), _refuse_rex)
    if scope.stages is None:
        return _compile_in_join(node, scope, handler) if scope.sides else handler(node, scope)
    if scope.shares(node):
        return scope.share(node, lambda node, scope: _compile_or_fall_back(node, scope, handler))
    return _compile_or_fall_back(node, scope, handler)


def _refuse_rex(node: Node, _: Any) -> NoReturn:
    _refuse(node, UNSUPPORTED)


def _refuse(node: Node, reasons: dict[type[Node], str]) -> NoReturn:
    reason = reasons.get(type(node), "it has no handler")
    raise UnsupportedError(f"'{node.tag or type(node).__name__}' on Spark: {reason}", where=node.where)


def _compile_or_fall_back(node: p.Rex, scope: Scope, handler: Handler) -> Any:
    """Compile an expression in a scope that has stages: natively, or else to run in Python."""
    assert scope.stages is not None
    attempt = scope.run.fallbacks.begin()
    try:
        expr = handler(node, scope)
    except UnsupportedError as error:
        return fallback.run_in_python(node, scope, error, attempt)
    if isinstance(expr, Generator):
        return _finish_or_fall_back(node, scope, expr, attempt)
    scope.stages.remember(node, scope.guard, expr)
    return expr


def _finish_or_fall_back(node: p.Rex, scope: Scope, handler: Compiling[Expr], attempt: Attempt) -> Compiling[Expr]:
    """The same for a handler that is a generator."""
    assert scope.stages is not None
    shared = len(scope.stages.nodes)
    try:
        expr = yield from handler
    except UnsupportedError as error:
        scope.stages.forget(shared)
        return fallback.run_in_python(node, scope, error, attempt)
    if attempt.is_native:
        scope.stages.remember(node, scope.guard, expr)
    return expr


def _compile_in_join(node: p.Rex, scope: Scope, handler: Handler) -> Compiling[Expr]:
    """Compile an expression in the condition of a join: what runs in Python is bound below the join."""
    attempt = scope.run.fallbacks.begin()
    try:
        expr = handler(node, scope)
        return (yield from expr) if isinstance(expr, Generator) else expr
    except UnsupportedError as error:
        return fallback.run_in_python_below_join(node, scope, error, attempt)
