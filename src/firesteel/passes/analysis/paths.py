"""Which paths of a table's rows a plan touches. A source without a schema (JSON lines, Ion) reads only these.

    SELECT o.id, i.sku FROM orders AS o, o.items AS i WHERE o.customer.country = 'DE'

touches `id`, `items[*].sku` and `customer.country` of the rows of `orders`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.node import Node, children, drive
from firesteel.passes.analysis.shapes import NOTHING, Shape, Trie, merged
from firesteel.plan import Global, Plan, inputs
from firesteel.tables.touched import WHOLE, Name, PathTree

__all__ = ["WHOLE", "Name", "PathTree", "touched_paths"]


def touched_paths(plan: Plan) -> dict[int, PathTree]:
    """The touched paths of each global that the plan refers to, by its ordinal. A row is an element of the global's
    value. A global that is not only scanned (`FROM t`), or is scanned with record identifiers (BY), is `WHOLE`."""
    tries = [Trie() for _ in plan.globals]
    done: dict[tuple[int, int], tuple[Any, _Env | None]] = {}

    def dispatch(node: Node, env: _Env | None) -> Any:
        known = done.get((id(node), id(env)))
        return known[0] if known is not None else remember(node, env)

    def remember(node: Node, env: _Env | None) -> _Asking:
        if isinstance(node, Global):
            tries[node.ordinal].met = True
            found: Any = Shape((tries[node.ordinal],))
        elif isinstance(node, p.Var):
            found = _column(node, env)
        else:
            found = yield from _HANDLERS.get(type(node), _everything)(node, env)
        done[id(node), id(env)] = (found, env)  # keeps `env` alive, so that its id is not used again
        return found

    drive(dispatch, plan.statement, None)
    return {i: trie.rows() for i, trie in enumerate(tries) if trie.met}


class _Env:
    """The rows in scope."""

    def __init__(self, row: tuple[Shape, ...], outer: _Env | None) -> None:
        self.row = row
        self.outer = outer


_Asking = Generator[tuple[Node, "_Env | None"], Any, Any]


# ---------------------------------------------------------------------------------------------------------------------
# Expressions


def _everything(node: Node, env: _Env | None) -> _Asking:
    """The default: the node uses its parts as whole values, so all of them is touched. This also holds for a class
    without a handler; the expressions of such a relation see the rows of its inputs, as `plan.base` says."""
    sources = inputs(node) if isinstance(node, p.Rel | p.Rex) else []
    row: tuple[Shape, ...] = ()
    for source in sources:
        row += yield source, env
    for column in row:
        column.use()
    inner = _Env(row, env) if sources else env
    for kid in children(node):
        if not isinstance(kid, p.Rel):
            shape = yield kid, inner
            if isinstance(shape, Shape):
                shape.use()
    return (NOTHING,) * len(p.schema(node)) if isinstance(node, p.Rel) else NOTHING


def _column(node: p.Var, env: _Env | None) -> Shape:
    for _ in range(node.depth):
        env = env.outer if env is not None else None
    return env.row[node.ordinal] if env is not None and node.ordinal < len(env.row) else NOTHING


def _call(node: p.Call, env: _Env | None) -> _Asking:
    """EXISTS touches nothing of the elements, it only asks whether there is one; IS NULL nothing of the value."""
    row = functions.find(node.fn.name)
    if row is not None and row.asks_for_presence:
        (arg,) = node.values
        yield arg, env
        return NOTHING
    if row is not None and row.asks_for_elements:
        (arg,) = node.values
        found = yield arg.input if isinstance(arg, p.Select) else arg, env
        if isinstance(found, Shape):
            found.index()
        return NOTHING
    return (yield from _everything(node, env))


def _path(node: p.Path, env: _Env | None) -> _Asking:
    shape: Shape = yield node.root, env
    ranged = False
    for step in node.steps:
        match step:
            case p.Key(key=p.Lit(type=t.Text() as type_, value=str() as text)):
                exact = not isinstance(type_, t.Symbol)
                shape = shape.attribute(Name(str(text), exact))
            case p.Key(key=key):
                (yield key, env).use()
                if not isinstance(key.type, t.Text):
                    shape = shape.index().element()
                else:
                    shape.use()
                    shape = NOTHING
            case p.Wildcard():
                ranged, shape = True, shape.index().element()
            case _:
                shape.use()
                yield step, env
                ranged, shape = True, NOTHING
    return Shape(elements=(shape,)) if ranged else shape


def _case(node: p.Case, env: _Env | None) -> _Asking:
    if node.match is not None:
        (yield node.match, env).use()
    results: list[Shape] = []
    for branch in node.branches:
        (yield branch.when, env).use()
        results.append((yield branch.then, env))
    if node.default is not None:
        results.append((yield node.default, env))
    return merged(results)


def _collection(node: p.Collection, env: _Env | None) -> _Asking:
    items: list[Shape] = []
    for item in node.items:
        items.append((yield item, env))
    return Shape(elements=tuple(items))


def _struct(node: p.Struct, env: _Env | None) -> _Asking:
    pairs: list[tuple[str, Shape]] = []
    for pair in node.pairs:
        (yield pair.key, env).use()
        value: Shape = yield pair.value, env
        if isinstance(pair.key, p.Lit):
            pairs.append((str(pair.key.value), value))
        else:
            value.use()
    return Shape(pairs=tuple(pairs))


def _select(node: p.Select, env: _Env | None) -> _Asking:
    row = yield node.input, env
    return Shape(elements=((yield node.constructor, _Env(row, env)),))


def _pivot(node: p.Pivot, env: _Env | None) -> _Asking:
    row = yield node.input, env
    inner = _Env(row, env)
    for part in (node.key, node.value):
        (yield part, inner).use()
    return NOTHING


def _scalar(node: p.CollToScalar, env: _Env | None) -> _Asking:
    """A scalar subquery gives the only attribute of its only row, whatever the attribute's name is."""
    query: Shape = yield node.query, env
    row = query.element()
    for trie in row.tries:
        trie.whole = True
    return merged([part for _, part in row.pairs])


# ---------------------------------------------------------------------------------------------------------------------
# Relations: a shape for every column


def _scan(node: p.Scan | p.ScanIndexed, env: _Env | None) -> _Asking:
    shape: Shape = yield node.rex, env
    if node.identified:
        shape.use()
    if isinstance(node, p.ScanIndexed):
        shape.index()
    return (shape.element(), *[NOTHING] * (len(p.schema(node)) - 1))


def _unpivot(node: p.Unpivot, env: _Env | None) -> _Asking:
    (yield node.rex, env).use()
    return (NOTHING, NOTHING)


def _project(node: p.Project, env: _Env | None) -> _Asking:
    inner = _Env((yield node.input, env), env)
    made: list[Shape] = []
    for expr in node.exprs:
        made.append((yield expr, inner))
    return tuple(made)


def _expand(node: p.Expand, env: _Env | None) -> _Asking:
    inner = _Env((yield node.input, env), env)
    made: list[Shape] = []
    for field in node.fields:
        parts: list[Shape] = []
        for rex in children(field):
            parts.append((yield rex, inner))
        made.append(merged(parts))
    return (*made, NOTHING)


def _promised(node: p.Promised, env: _Env | None) -> _Asking:
    """The keys of a promise are read only if it is verified."""
    return (yield node.input, env) if not node.verified else (yield from _one_input(node, env))


def _aggregate(node: p.Aggregate, env: _Env | None) -> _Asking:
    inner = _Env((yield node.input, env), env)
    for key in node.keys:
        (yield key, inner).use()
    made = [NOTHING] * len(node.keys)
    for agg in node.aggs:
        parts: list[Shape] = []
        for arg in agg.args:
            if isinstance(arg, p.Rex):
                parts.append((yield arg, inner))
        for read in (*(spec.key for spec in agg.order), *([] if agg.filter is None else [agg.filter])):
            (yield read, inner).use()
        collected = agg.fn.name == "collect" and not agg.distinct
        if not collected:
            for part in parts:
                part.use()
        made.append(Shape(elements=tuple(parts)) if collected else NOTHING)
    return tuple(made)


def _one_input(node: Any, env: _Env | None) -> _Asking:
    """A relation that passes on its input's columns; what its own expressions read is marked as used."""
    row: tuple[Shape, ...] = yield node.input, env
    inner = _Env((), env) if isinstance(node, p.Limit | p.Offset) else _Env(row, env)
    for kid in children(node):
        if kid is not node.input:
            shape = yield kid, inner
            if isinstance(shape, Shape):
                shape.use()
    if isinstance(node, p.Distinct | p.Shared):
        for column in row:
            column.use()
    if isinstance(node, p.Exclude):
        for path in node.paths:
            row[path.ordinal].use()
        excluded = {path.ordinal for path in node.paths}
        row = tuple(NOTHING if i in excluded else column for i, column in enumerate(row))
    return (*row, *[NOTHING] * (len(p.schema(node)) - len(row)))


def _set(node: p.SetRel, env: _Env | None) -> _Asking:
    left: tuple[Shape, ...] = yield node.left, env
    right: tuple[Shape, ...] = yield node.right, env
    if not isinstance(node, p.Union) or node.quantifier is p.Quantifier.DISTINCT:
        for column in (*left, *right):
            column.use()
    return tuple(merged(both) for both in zip(left, right, strict=False))


def _join(node: p.Join, env: _Env | None) -> _Asking:
    left: tuple[Shape, ...] = yield node.left, env
    right: tuple[Shape, ...] = yield node.right, _Env(left, env) if node.lateral else env
    both = _Env(left + right, env)
    if isinstance(node.type, p.Equi):
        sides = _Env(left, env), _Env(right, env)
        for key in node.type.keys:
            (yield key.left, sides[0]).use()
            (yield key.right, sides[1]).use()
        if node.type.residual is not None:
            (yield node.type.residual, both).use()
    else:
        yield node.type, both
        if not isinstance(node.type, p.Theta | p.Cross):
            for column in left + right:
                column.use()
    return (*left, NOTHING) if node.capture.tests else left + right


def _root(node: p.Root, env: _Env | None) -> _Asking:
    for column in (yield node.input, env):
        column.use()
    return NOTHING


_HANDLERS: dict[type[Node], Callable[..., _Asking]] = {
    p.Root: _root,
    p.Call: _call,
    p.Path: _path,
    p.Case: _case,
    p.Collection: _collection,
    p.Struct: _struct,
    p.Select: _select,
    p.Pivot: _pivot,
    p.CollToScalar: _scalar,
    p.Scan: _scan,
    p.ScanIndexed: _scan,
    p.Unpivot: _unpivot,
    p.Project: _project,
    p.Aggregate: _aggregate,
    p.Union: _set,
    p.Intersect: _set,
    p.Except: _set,
    p.Join: _join,
    p.Expand: _expand,
    p.Promised: _promised,
    **dict.fromkeys(
        (p.Filter, p.Sort, p.Distinct, p.Limit, p.Offset, p.TopN, p.Window, p.Exclude, p.Shared, p.Exchange), _one_input
    ),
    **dict.fromkeys((p.MergingCapture, p.SimpleCapture), _one_input),
}
