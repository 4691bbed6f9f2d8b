"""One form for plans that mean the same.

The optimizing passes fold constants, merge and push down filters, merge projections and drop columns that nobody reads.
What is left is arranged: operands of AND, OR, `=` and `+` in one order, `a > b` as `b < a`, keys of joins and
groups in one order. Names of columns, hints and static types, which follow from the rest, are left out.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.compare.sort_key import SortKey, sort_key
from firesteel.errors import FiresteelError
from firesteel.node import Node, children, fold, rebuild, transform, walk
from firesteel.passes import optimize, retyped
from firesteel.passes.analysis.conditions import terms
from firesteel.plan import build

N = TypeVar("N", bound=Node)

#: Functions whose two arguments can be swapped.
SYMMETRIC = frozenset(
    ["eq", "ne", "plus", "times", "comparison:equal", "comparison:not_equal", "arithmetic:add", "arithmetic:multiply"]
)
#: Comparisons that are written as another one, with their arguments swapped.
MIRRORED = {"gt": "lt", "gte": "lte", "comparison:gt": "comparison:lt", "comparison:gte": "comparison:lte"}
JUNCTIONS = frozenset(["and", "or"])
#: Passes that choose how to compute the same rows: they would hide what a plan asks for.
PHYSICAL = ("drop_sorts", "drop_exchanges", "balance_chains", "top_n", "push_limits")


def normal_forms(left: p.Plan, right: p.Plan) -> tuple[p.Plan, p.Plan]:
    """Both plans in the form in which they are compared. They get one list of globals, so that a global has the same
    ordinal in both."""
    used = {plan.globals[one.ordinal] for plan in (left, right) for one in walk(plan.statement, p.Global)}
    bindings: dict[tuple[object, ...], p.GlobalBinding] = {}
    for one in sorted(used, key=lambda one: (one.path, repr(one.files))):
        bindings.setdefault((one.path, one.files), one)
    ordinals = {key: ordinal for ordinal, key in enumerate(bindings)}
    return _normal(left, ordinals, tuple(bindings.values())), _normal(right, ordinals, tuple(bindings.values()))


def _normal(plan: p.Plan, ordinals: dict[tuple[object, ...], int], bindings: tuple[p.GlobalBinding, ...]) -> p.Plan:
    def numbered(one: p.Global) -> p.Global:
        binding = plan.globals[one.ordinal]
        return one.replace(ordinal=ordinals[binding.path, binding.files])

    statements = [transform(statement, numbered, p.Global) for statement in plan.statements]
    made = [_statement(p.Plan(statement, globals=bindings)) for statement in statements]
    one = p.Script(tuple(made)) if isinstance(plan.statement, p.Script) else made[0]
    return p.Plan(one, globals=bindings)


def _statement(plan: p.Plan) -> p.Statement:
    """The normal form of one statement. One that cannot be typed, because it is wrong, is only arranged."""
    try:
        typed = retyped(_rewritten(plan, _unfolded), [one.type for one in plan.globals])
        plan = optimize(typed, PHYSICAL)
    except FiresteelError:
        pass
    return _rewritten(transform(plan.statement, _bare), lambda node: _arranged(node, plan.globals))


def _rewritten(root: N, f: Callable[[Any], Node]) -> N:
    """The node with `f` of all nodes in it, from below. A chain of AND (or OR) is one node with all of its operands, so
    that a thousand conditions are sorted once, and not once for each of them."""

    def made(node: Node, kids: list[Any]) -> Any:
        name = _junction(node)
        if name is None or not isinstance(node, p.Call):
            return f(rebuild(node, kids))
        operands = tuple(term for kid in kids for term in terms(kid, name))
        if not operands:  # TRUE AND TRUE
            return node
        same = len(operands) == len(node.args) and all(map(operator.is_, operands, node.args))
        return f(node if same else node.replace(args=operands))

    found: N = fold(root, made, _below)
    return found


def _junction(node: Node) -> str | None:
    """AND or OR, if the node is one with expressions only."""
    return node.fn.name if isinstance(node, p.Call) and node.fn.name in JUNCTIONS else None


def _below(node: Node) -> list[Node]:
    name = _junction(node)
    return children(node) if name is None or not isinstance(node, p.Call) else list(terms(node, name))


# ---------------------------------------------------------------------------------------------------------------------
# Before the passes


def _unfolded(node: Node) -> Node:
    """A relation that stands for several, as these; groups and conditions in one order, so that passes see one."""
    match node:
        case p.TopN(ties=False):
            skipped = p.Sort(node.specs, node.input)
            return p.Limit(node.count, skipped if node.skip is None else p.Offset(node.skip, skipped))
        case p.Aggregate():
            return _sorted_groups(node)
        case p.Call(fn=p.Fn(name=name), args=args) if name in JUNCTIONS and len(args) > 1:
            return build.call(name, *_ordered(node.values))
        case _:
            return node


def _sorted_groups(node: p.Aggregate) -> p.Rel:
    """The aggregate with keys and calls in one order, and a projection that gives its columns in theirs."""
    keys = sorted(range(len(node.keys)), key=lambda i: _named_nothing(node.keys[i]))
    aggs = sorted(range(len(node.aggs)), key=lambda i: _named_nothing(node.aggs[i]))
    if keys == list(range(len(keys))) and aggs == list(range(len(aggs))):
        return node
    made = node.replace(keys=tuple(node.keys[i] for i in keys), aggs=tuple(node.aggs[i] for i in aggs), names=())
    order = [*keys, *(len(keys) + i for i in aggs)]
    places = {old: new for new, old in enumerate(order)}
    columns = p.schema(made)
    return p.Project(tuple(p.Var(columns[places[i]].type, places[i]) for i in range(len(order))), made)


def _named_nothing(node: Node) -> SortKey:
    """The key of a node by which an alias makes no difference."""
    return sort_key(transform(node, _bare))


# ---------------------------------------------------------------------------------------------------------------------
# After the passes: what follows from the rest is left out


def _bare(node: Node) -> Node:
    """The node without names, hints, and types that follow from its parts."""
    changes: dict[str, object] = {}
    if isinstance(node, p.Rel):
        changes = {"declared": None, "hints": None}
    if isinstance(node, p.NamingRel):
        changes["names"] = ()
    match node:
        case p.Var() | p.Global() | p.Path() | p.Case() | p.Struct() | p.Pivot() | p.UnresolvedVar():
            changes["type"] = t.ANY
        case p.Collection() | p.Select():
            changes["type"] = _kind(node.type)
        case p.Call() | p.Agg() | p.WindowCall():
            changes["fn"] = p.Fn(node.fn.name, p.FnOption.NONE, (), t.ANY, choices=node.fn.choices)
        case p.Shared():
            changes["name"] = ""
        case p.Key(key=p.Lit(type=t.Symbol(), value=str() as text) as key):
            changes["key"] = key.replace(value=text.lower())
        case p.Lit(type=t.Type() as type_):
            changes["type"] = t.proper(type_)
    return node.replace(**changes) if changes else node


def _kind(type_: t.Type) -> t.Type:
    """A bag or an array of anything."""
    match type_:
        case t.Bag() | t.Array() | t.Sexp():
            return type(type_)(t.ANY)
        case _:
            return t.ANY


# ---------------------------------------------------------------------------------------------------------------------
# After the passes: one order


def _arranged(node: Node, bindings: tuple[p.GlobalBinding, ...]) -> Node:
    """A bare node, its parts in one order where their order says nothing."""
    match node:
        case p.Call():
            return _arranged_call(node)
        case p.Equi(keys=keys):
            return node.replace(keys=_ordered(keys))
        case p.Union(left=left, right=right) | p.Intersect(left=left, right=right) if sort_key(right) < sort_key(left):
            return node.replace(left=right, right=left)
        case p.Project(exprs=exprs, input=input_) if _is_identity(exprs, len(p.schema(input_))):
            return input_
        case p.Scan(rex=rex) | p.ScanIndexed(rex=rex):
            return node.replace(names=(_title(rex, bindings), *("at", "by")[: len(p.schema(node)) - 1]))
        case _:
            return node


def _arranged_call(node: p.Call) -> p.Rex:
    name = node.fn.name
    if name in JUNCTIONS:
        operands = _ordered(dict.fromkeys(node.values))
        return operands[0] if len(operands) == 1 else node.replace(args=operands)
    if name in MIRRORED:
        return node.replace(fn=node.fn.replace(name=MIRRORED[name]), args=node.args[::-1])
    if name in SYMMETRIC:
        return node.replace(args=_ordered(node.args))
    row = functions.find(name)
    if row is not None and row.compares == ("eq", "any"):
        args = [arg.replace(items=_ordered(arg.items)) if isinstance(arg, p.Collection) else arg for arg in node.args]
        return node.replace(args=tuple(args))
    return node


def _ordered(nodes: Iterable[N]) -> tuple[N, ...]:
    return tuple(sorted(nodes, key=sort_key))


def _is_identity(exprs: tuple[p.Rex, ...], width: int) -> bool:
    return len(exprs) == width and all(
        isinstance(rex, p.Var) and not rex.depth and rex.ordinal == i for i, rex in enumerate(exprs)
    )


def _title(rex: p.Rex, bindings: tuple[p.GlobalBinding, ...]) -> str:
    """What a scanned column is called, whatever its alias was."""
    match rex:
        case p.Global(ordinal=ordinal):
            return bindings[ordinal].name.rpartition(".")[2]
        case p.Path(steps=(*_, p.Key(key=p.Lit(value=str() as text)))):
            return str(text)
        case _:
            return "row"
