"""The syntax tree to text: the inverse of the parser. Reading the text gives the same tree again.

Each class of nodes has a handler, which asks for its parts with the power that stands around them: a part whose
operator binds less closely is put in parentheses. The powers are the parser's.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import Any

from firesteel.errors import UnsupportedError
from firesteel.node import Node, drive
from firesteel.partiql import ast
from firesteel.partiql.parse.expressions import AND, COMPARISON, CONCAT, NOT, OR, PRODUCT, SUM
from firesteel.partiql.write.layout import Doc, Piece, bracketed, joined, row

SIGN, PRIMARY = PRODUCT + 1, PRODUCT + 2

#: What may stand at a place: a query without parentheses; that, but no VALUES, whose commas would be taken for the
#: list's; or only an expression.
QUERY, ELEMENT, EXPRESSION = -2, -1, 0

#: The operators between two operands: how closely they bind, and their text.
BINARY: dict[str, tuple[int, str]] = {
    "or": (OR, "OR"),
    "and": (AND, "AND"),
    "eq": (COMPARISON, "="),
    "ne": (COMPARISON, "<>"),
    "lt": (COMPARISON, "<"),
    "lte": (COMPARISON, "<="),
    "gt": (COMPARISON, ">"),
    "gte": (COMPARISON, ">="),
    "overlaps": (COMPARISON, "OVERLAPS"),
    "concat": (CONCAT, "||"),
    "bitwise_and": (CONCAT, "&"),
    "plus": (SUM, "+"),
    "minus": (SUM, "-"),
    "times": (PRODUCT, "*"),
    "divide": (PRODUCT, "/"),
    "modulo": (PRODUCT, "%"),
}
UNARY: dict[str, tuple[int, str]] = {"not": (NOT, "NOT "), "neg": (SIGN, "-"), "pos": (SIGN, "+")}

_COMPARISONS = (ast.Is, ast.IsType, ast.Between, ast.In, ast.Like, ast.Quantified)
_QUERIES = (ast.Select, ast.SetOp, ast.Query, ast.Table)

Printing = Generator[tuple[Node, int], Doc, Piece]
Handler = Callable[[Any], Piece | Printing]
HANDLERS: dict[type[Node], Handler] = {}


def prints(*classes: type[Node]) -> Callable[[Handler], Handler]:
    """Register what prints these classes: a function, or a generator that asks for (part, power around it)."""

    def register(handler: Handler) -> Handler:
        for cls in classes:
            HANDLERS[cls] = handler
        return handler

    return register


def print_doc(node: Node) -> Doc:
    """The pieces of a node's text."""
    made: Doc = drive(_dispatch, node, QUERY)
    return made


def _dispatch(node: Node, floor: int) -> Any:
    handler = HANDLERS.get(type(node))
    if handler is None:
        raise UnsupportedError(f"'{node.tag}' has no text", where=node.where)
    made = handler(node)
    if power(node) > floor:
        return made
    return _in_parentheses(made)


def _in_parentheses(made: Piece | Printing) -> Any:
    if isinstance(made, Generator):
        return _parenthesised(made)
    return bracketed("(", made, ")")


def _parenthesised(handler: Printing) -> Printing:
    return bracketed("(", (yield from handler), ")")


def power(node: Node) -> int:
    """How closely the outermost operator of an expression binds."""
    if isinstance(node, ast.Operator):
        return (BINARY.get(node.name) or UNARY[node.name])[0]
    if isinstance(node, _COMPARISONS):
        return COMPARISON
    if isinstance(node, _QUERIES):
        return EXPRESSION
    return ELEMENT if isinstance(node, ast.Values) else PRIMARY


def all_of(nodes: Iterable[Node], floor: int) -> Generator[tuple[Node, int], Doc, list[Piece]]:
    """The texts of several parts."""
    made: list[Piece] = []
    for node in nodes:
        made.append((yield node, floor))
    return made


def listed(nodes: Iterable[Node], floor: int = EXPRESSION) -> Generator[tuple[Node, int], Doc, Doc]:
    """Parts with commas between them."""
    return joined((yield from all_of(nodes, floor)), ", ")


def call(head: str, inside: Piece) -> Doc:
    """`HEAD(inside)`."""
    return row(head, bracketed("(", inside, ")"))
