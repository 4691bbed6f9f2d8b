"""The table of handlers: how each class of nodes is compiled, and which are not, and why."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, NoReturn

from firesteel.errors import UnsupportedError
from firesteel.node import Node
from firesteel.plan import Rex
from firesteel.spark.core import fallback
from firesteel.spark.core.scope import Scope

Handler = Callable[[Any, Any], Any]

#: A handler returns what a node is compiled to, or is a generator that first yields requests (`yield child, scope`)
#: and is sent what the children were compiled to.
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


def _refused(node: Node, _: Any) -> NoReturn:
    reason = UNSUPPORTED.get(type(node), "it has no handler")
    raise UnsupportedError(f"'{node.tag or type(node).__name__}' on Spark: {reason}", where=node.where)


def _refused_nested(node: Node, _: Any) -> NoReturn:
    reason = UNSUPPORTED_NESTED.get(type(node), "it has no handler")
    raise UnsupportedError(f"'{node.tag or type(node).__name__}' on Spark: {reason}", where=node.where)


def dispatch(node: Node, scope: Any, nested: bool = False) -> Any:
    """Ask the handler of a node; what has none is refused by name."""
    handler = (NESTED if nested else HANDLERS).get(type(node)) or (_refused_nested if nested else _refused)
    if nested or not isinstance(node, Rex) or (scope.stages is None and not scope.sides):
        return handler(node, scope)
    if scope.sides:
        return _attempted_beside(node, scope, handler)
    if scope.shares(node):
        return scope.share(node, lambda node, scope: _attempted(node, scope, handler))
    return _attempted(node, scope, handler)


def _attempted(node: Rex, scope: Scope, handler: Handler) -> Any:
    """An expression, where there is a place to bind what it is made of: natively, or else in Python."""
    assert scope.stages is not None
    since = len(scope.run.fallbacks)
    try:
        made = handler(node, scope)
    except UnsupportedError as error:
        return fallback.instead(node, scope, error, since)
    if isinstance(made, Generator):
        return _waiting(node, scope, made, since)
    scope.stages.remember(node, scope.guard, made)
    return made


def _waiting(node: Rex, scope: Scope, made: Generator[Any, Any, Any], since: int) -> Generator[Any, Any, Any]:
    """The same of a handler that asks for what is below."""
    assert scope.stages is not None
    shared = len(scope.stages.nodes)
    try:
        expr = yield from made
    except UnsupportedError as error:
        scope.stages.forget(shared)
        return fallback.instead(node, scope, error, since)
    if len(scope.run.fallbacks) == since:
        scope.stages.remember(node, scope.guard, expr)
    return expr


def _attempted_beside(node: Rex, scope: Scope, handler: Handler) -> Generator[Any, Any, Any]:
    """An expression in the condition of a join: what it is made of can only be bound below that."""
    since = len(scope.run.fallbacks)
    try:
        made = handler(node, scope)
        return (yield from made) if isinstance(made, Generator) else made
    except UnsupportedError as error:
        return fallback.beside(node, scope, error, since)
