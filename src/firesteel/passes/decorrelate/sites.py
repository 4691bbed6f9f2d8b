"""Find the subqueries over tables in an expression, in the order in which they are evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firesteel import functions
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.node import Node
from firesteel.passes.analysis.node_memo import has_table
from firesteel.passes.decorrelate.scopes import N, ranges_over_table
from firesteel.plan import Branch, Call, Case, CollToScalar, Fn, Global, Pivot, Rex, Scan, ScanIndexed, Select
from firesteel.plan.scope import free_rows, levels, replaced, shifted


def comparison_with_elements(fn: Fn) -> tuple[str, str] | None:
    """If the function compares a value with the elements of a collection: the comparison, and `any` or `all`. For
    `x > ANY (...)` that is ("gt", "any")."""
    row = functions.find(fn.name)
    return None if row is None else row.compares


def is_lazy(fn: Fn) -> bool:
    """May it leave arguments unevaluated, as AND, OR and COALESCE do?"""
    row = functions.find(fn.name)
    return row is not None and row.lazy is not None


@dataclass(frozen=True)
class Site:
    """A subquery over a table, or a table, inside an expression."""

    node: Rex
    #: How many queries over collections of the row it is nested in: the difference in depth to the expression.
    level: int
    #: Is it possibly not evaluated for some rows (a branch of CASE, the second operand of AND)?
    lazy: bool

    @property
    def rex(self) -> Rex:
        """The subquery, shifted to the depth of the expression. It reads none of the rows in between."""
        return shifted(self.node, -self.level)


def query_of(rex: Node) -> Select | Pivot | None:
    """The query inside an expression that may be replaced as a whole: a scalar subquery, EXISTS, IN."""
    match rex:
        case Select() | Pivot():
            return rex
        case CollToScalar(query=Select() as query):
            return query
        case Call(fn=fn, args=(Select() as query,)) if fn.name == "exists":
            return query
        case Call(fn=fn, args=(_, Select() as query)) if comparison_with_elements(fn) is not None:
            return query
        case _:
            return None


def first_site(root: Node) -> Site | None:
    """The first subquery over a table that reads no row of a query inside the expression. For one that does, its table
    is the site."""
    stack = [(root, 0, False)]
    while stack:
        node, level, lazy = stack.pop()
        if not has_table(node):
            continue
        if isinstance(node, Global):
            if is_collection(node):
                return Site(node, level, lazy)
            continue
        if isinstance(node, Scan | ScanIndexed) and node.identified and isinstance(node.rex, Global):
            raise UnsupportedError("BY of a table, in a query that looks at a row within another", where=node.where)
        query = query_of(node)
        if query is not None and isinstance(node, Rex) and _hoistable(node, query, level):
            return Site(node, level, lazy)
        stack.extend(reversed(list(_below(node, level, lazy))))
    return None


def is_collection(table: Global) -> bool:
    """Is the global known to be a bag or an array? Any other value is small, and an engine can treat it as a
    literal."""
    return isinstance(table.type, t.Bag | t.Array) and not table.type.absent


def _hoistable(node: Rex, query: Select | Pivot, level: int) -> bool:
    if not ranges_over_table(query.input) or any(row < level for row in free_rows(node)):
        return False
    own = [part for part in node.parts() if isinstance(part, Rex) and part is not query] if node is not query else []
    args = [arg for arg in node.values if arg is not query] if isinstance(node, Call) else own
    return not any(map(has_table, args))


def _below(node: Node, level: int, lazy: bool) -> Iterator[tuple[Node, int, bool]]:
    kids = levels(node, level)
    if isinstance(node, Call) and is_lazy(node.fn):
        yield from ((kid, below, lazy or i > 0) for i, (kid, below) in enumerate(kids))
    elif isinstance(node, Case):
        start = 1 if node.match is not None else 0
        yield from ((kid, below, lazy or i > start) for i, (kid, below) in enumerate(kids))
    elif isinstance(node, Branch):
        yield (node.when, level, lazy)
        yield (node.then, level, True)
    elif isinstance(node, Select | Pivot):
        yield from ((kid, below, True) for kid, below in kids)
    else:
        yield from ((kid, below, lazy) for kid, below in kids)


def replace_site(root: N, site: Site, value: Rex) -> N:
    """The expression with a value in place of the site."""

    def change(node: Node, level: int) -> Node | None:
        return shifted(value, level) if node is site.node and level == site.level else None

    return replaced(root, change)
