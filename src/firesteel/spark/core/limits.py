"""How deep a plan may nest on each kind of engine, and what is done so that deep ones still run.

Catalyst walks expressions and plans on the JVM's stack; Spark Connect sends them as protobuf messages, which may nest
100 levels. An expression that nests deeper than `height` is cut into stages, each a select of its own; a chain of
selects, filters and joins may be `operators` long. `tests/spark/runtime/test_engine.py` tests these limits.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.functions import Lazy
from firesteel.node import Node, children, fold, walk


@dataclass(frozen=True)
class Limits:
    """What an engine can take."""

    engine: str
    #: Where an expression is cut and bound to a name.
    height: int
    #: How deep an expression may nest where it cannot be cut.
    inline: int
    #: How many lambdas there may be around one another.
    lambdas: int
    #: How many expressions, and how many relations, may be nested in one another in a plan.
    rexes: int
    rels: int
    #: The number of operators (selects, filters, joins) that may be stacked on one another.
    operators: int

    @property
    def roomy(self) -> bool:
        """May a lambda hold a large expression, such as the key of a container?"""
        return self.inline >= 30


OWN = Limits("local Spark", height=40, inline=100, lambdas=4, rexes=400, rels=400, operators=800)
CLASSIC = Limits("this Spark session", height=20, inline=60, lambdas=3, rexes=150, rels=150, operators=300)
CONNECT = Limits("Spark Connect", height=10, inline=24, lambdas=2, rexes=60, rels=60, operators=120)

#: The most nodes of a plan. A shared node counts at every use, because Spark sees every use.
MAX_NODES = 200_000
#: Catalyst inlines the expressions of a chain of selects, so every 10 levels of an expression count as one relation.
_HIGH = 10


def ensure(root: Node, limits: Limits) -> None:
    """Refuse a plan that nests deeper than the engine allows, or has too many nodes, before compiling anything."""
    rexes, rels, size = fold(root, _measure)
    for found, limit, what in ((rexes, limits.rexes, "expressions"), (rels, limits.rels, "relations")):
        if found > limit:
            raise UnsupportedError(
                f"the plan's {what} nest {found} levels deep; {limits.engine} goes to {limit}", where=root.where
            )
    if size > MAX_NODES:
        raise UnsupportedError(
            f"the plan has {size} nodes, counting shared ones wherever they are used", where=root.where
        )


def _measure(node: Node, inner: list[tuple[int, int, int]]) -> tuple[int, int, int]:
    """The deepest chain of expressions, of relations, and the number of nodes."""
    if not inner:
        return int(isinstance(node, p.Rex)), int(isinstance(node, p.Rel)), 1
    rexes = own = rels = 0
    size = 1
    for kid, (high, below, count) in zip(children(node), inner, strict=True):
        rexes, rels, size = max(rexes, high), max(rels, below), size + count
        if not isinstance(kid, p.Rel):
            own = max(own, high)
    if isinstance(node, p.Rel):
        return rexes, rels + _added_depth(node) + own // _HIGH, size
    return rexes + (isinstance(node, p.Rex) and not _is_flat(node)), rels, size


def _added_depth(node: p.Rel) -> int:
    """How much deeper a relation is than its input: a filter over a filter adds nothing, they become one."""
    return 0 if isinstance(node, p.Filter) and isinstance(node.input, p.Filter) else 1


def _is_flat(node: Node) -> bool:
    """Is it an AND of ANDs, or an OR of ORs, of booleans? It is compiled as one AND or OR of many operands."""
    row = functions.find(node.fn.name) if isinstance(node, p.Call) else None
    if not isinstance(node, p.Call) or row is None or row.lazy not in (Lazy.UNTIL_FALSE, Lazy.UNTIL_TRUE):
        return False
    return any(isinstance(arg, p.Call) and arg.fn.name == node.fn.name for arg in node.args) and _is_boolean(node)


def _is_boolean(node: p.Call) -> bool:
    """Are all arguments booleans? Only then the brackets make no difference."""
    return all(isinstance(arg.type, t.Bool | t.Null | t.Missing) for arg in node.args if isinstance(arg, p.Rex))


def operands(node: p.Call) -> list[p.Rex | t.Type]:
    """The arguments of a call; nested ANDs, or nested ORs, of booleans are flattened, in order."""
    if not _is_flat(node):
        return list(node.args)
    found: list[p.Rex | t.Type] = []
    stack: list[p.Rex | t.Type] = list(reversed(node.args))
    while stack:
        arg = stack.pop()
        if isinstance(arg, p.Call) and arg.fn.name == node.fn.name and _is_boolean(arg):
            stack.extend(reversed(arg.args))
        else:
            found.append(arg)
    return found


def shared(root: Node) -> frozenset[int]:
    """The identities of the expressions, other than names and literals, that have more than one parent."""
    parents: Counter[int] = Counter()
    for node in walk(root):
        for child in children(node):
            if isinstance(child, p.Rex) and not isinstance(child, p.Var | p.Lit | p.Global):
                parents[id(child)] += 1
    return frozenset(node for node, count in parents.items() if count > 1)


__all__ = ["CLASSIC", "CONNECT", "MAX_NODES", "OWN", "Limits", "ensure", "operands", "shared"]
