"""Merge a projection into the one relation that reads it.

    select {'n': v.n}                                select {'n': t.a}
    └─ project {'n': t.a, 'm': t.b + 1}      →       └─ scan t
       └─ scan t

Structs that were only built for a path to read them disappear that way. Nothing is computed more often than before: an
expression that costs something is merged only if it is read once. SORT, LIMIT and OFFSET move below the projection.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from typing import Any

from firesteel.node import Node, children, has, transform, uses, walk
from firesteel.passes.analysis.columns import over
from firesteel.passes.analysis.navigate import navigated, shortened
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import (
    Aggregate,
    Key,
    Limit,
    Lit,
    Mode,
    Offset,
    Path,
    Pivot,
    Plan,
    Project,
    Rel,
    Rex,
    Select,
    Sort,
    Struct,
    Var,
)
from firesteel.plan.scope import levels

#: Only projections whose expressions have fewer nodes than this are merged.
MAX_NODES = 130


@plan_pass(Phase.OPTIMIZE)
def merge_projections(plan: Plan, _: Context) -> Plan:
    """Merge a projection into the one relation that reads it."""
    if not has(plan, Project):
        return plan
    mode = getattr(plan.statement, "mode", Mode.PERMISSIVE)
    shared = {id_ for id_, count in uses(plan, Project).items() if count > 1}
    return transform(plan, lambda node: _merge(node, mode, shared), Rel, Select, Pivot)


def _merge(node: Node, mode: Mode, shared: set[int]) -> Node:
    source = getattr(node, "input", None)
    if not isinstance(source, Project) or id(source) in shared:
        return node
    match node:
        case Limit() | Offset():
            return source.replace(input=node.replace(input=source.input))
        case Sort(specs=specs):
            keys = [spec.key for spec in specs]
            if not _at_most(keys, source.exprs, mode, 0):
                return node
            new = tuple(spec.replace(key=_read(spec.key, source.exprs, mode)) for spec in specs)
            return source.replace(input=node.replace(specs=new, input=source.input))
        case Select() | Pivot() | Project() | Aggregate():
            return _through(node, source, mode)
        case _:
            return node


def _through(node: Rel | Rex, source: Project, mode: Mode) -> Node:
    """The node over the projection's input, with the projection's expressions in place of the columns."""
    own = [kid for kid in children(node) if kid is not source]
    if not _is_small(source.exprs) or not _at_most(own, source.exprs, mode, 1):
        return node
    changes: dict[str, object] = {}
    for name in node.part_names:
        part = getattr(node, name)
        if part is source:
            changes[name] = source.input
        elif isinstance(part, Node) and not part.atom:
            changes[name] = _read(part, source.exprs, mode)
        elif isinstance(part, tuple) and part and isinstance(part[0], Node) and not part[0].atom:
            changes[name] = tuple(_read(item, source.exprs, mode) for item in part)
    return node.replace(**changes)


def _is_small(exprs: tuple[Rex, ...]) -> bool:
    """Do the expressions have few nodes? In a long chain of projections each merge would copy larger expressions."""
    return sum(1 for _ in islice(chain.from_iterable(map(walk, exprs)), MAX_NODES)) < MAX_NODES


def _read(node: Node, exprs: tuple[Rex, ...], mode: Mode) -> Any:
    if isinstance(node, Var) and node.depth == 0:
        return navigated(exprs[node.ordinal], mode)
    return navigated(over(node, exprs), mode)


# ---------------------------------------------------------------------------------------------------------------------
# How often a projection's expressions are read


def _at_most(readers: list[Node] | list[Rex], exprs: tuple[Rex, ...], mode: Mode, times: int) -> bool:
    """Is every expression that costs something read at most so many times?"""
    reads: Counter[int] = Counter()
    parts: dict[int, Rex] = {}
    stack: list[tuple[Node, int]] = [(node, 0) for node in readers]
    while stack:
        node, level = stack.pop()
        root = node.root if isinstance(node, Path) else node
        if not isinstance(root, Var) or root.depth != level:
            stack.extend(levels(node, level))
            continue
        if isinstance(node, Path):
            stack.extend((step, level) for step in node.steps)
        for part in _parts(_reached(node, exprs[root.ordinal], mode)):
            reads[id(part)] += 1 if level == 0 else 2  # inside a subquery it is read once for each of its rows
            parts[id(part)] = part
    return all(_is_free(part) or reads[id_] <= times for id_, part in parts.items())


def _reached(node: Node, expr: Rex, mode: Mode) -> Rex:
    """The part of a column's expression that has to be computed for a variable, or for a path into it."""
    if not isinstance(node, Path):
        return expr
    made = shortened(Path(node.type, expr, node.steps), mode)
    return made.root if isinstance(made, Path) and not isinstance(made.root, Var | Lit) else made


def _parts(rex: Rex) -> list[Rex]:
    """The expression, and if it builds a struct, the expressions of its attributes, at any depth."""
    found: list[Rex] = []
    stack = [rex]
    while stack:
        part = stack.pop()
        found.append(part)
        if isinstance(part, Struct):
            stack.extend(pair.value for pair in part.pairs)
    return found


def _is_free(rex: Rex) -> bool:
    """Does it cost nothing: a column, a literal, or a path into one?"""
    while isinstance(rex, Path):
        if not all(isinstance(step, Key) and isinstance(step.key, Lit) for step in rex.steps):
            return False
        rex = rex.root
    return isinstance(rex, Var | Lit)
