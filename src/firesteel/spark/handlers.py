"""The table of handlers: how each class of nodes is compiled, and which are not, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel.errors import UnsupportedError
from firesteel.node import Node
from firesteel.plan import Rex

Handler = Callable[[Any, Any], Any]

#: A handler returns what a node is compiled to, or is a generator that first yields requests (`yield child, scope`)
#: and is sent what the children were compiled to.
HANDLERS: dict[type[Node], Handler] = {}

#: How relations are compiled over the collections of one row (`nested.py`), inside an expression or a lateral join.
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


def dispatch(node: Node, scope: Any, nested: bool = False) -> Any:
    """Ask the handler of a node; what has none is refused by name."""
    table, reasons = (NESTED, UNSUPPORTED_NESTED) if nested else (HANDLERS, UNSUPPORTED)
    handler = table.get(type(node))
    if handler is None:
        reason = reasons.get(type(node), "it has no handler")
        raise UnsupportedError(f"'{node.tag or type(node).__name__}' on Spark: {reason}", where=node.where)
    shares = getattr(scope, "shares", None)
    if shares is not None and not nested and isinstance(node, Rex) and shares(node):
        return scope.share(node, handler)
    return handler(node, scope)
