"""LET: additional columns of the row.

Several LETs become one projection as long as none refers to another, and variables that are not used any more are
dropped. Otherwise `n` LETs would make `n` projections of up to `n` columns.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from firesteel import plan as p
from firesteel.node import Node, walk
from firesteel.partiql import ast
from firesteel.partiql.lower.scope import Binding, NameFrame, NameScope
from firesteel.plan import build


def lower_lets(
    node: ast.Select, after: Iterable[Node], rel: p.Rel, frame: NameFrame, outer: NameScope
) -> Generator[Any, Any, tuple[p.Rel, NameFrame]]:
    """The relation with a column for each LET, and the names of its row. `after` is what stands behind the block."""
    if not node.lets:
        return rel, frame
    said = [_mentioned([let.value]) for let in node.lets]
    last = {name: i for i, names in enumerate(said) for name in names}
    rest = [part for part in _behind(node) if isinstance(part, Node)]
    last |= dict.fromkeys(_mentioned([*rest, *after]), len(said))
    everything = node.group is not None and node.group.name is not None
    pending: dict[str, p.Rex] = {}
    for i, let in enumerate(node.lets):
        if let.name.text in pending or any(name.lower() in said[i] for name in pending):
            rel, frame = _extended(rel, frame, pending, None if everything else {n for n in last if last[n] >= i})
            pending = {}
        pending[let.name.text] = yield let.value, outer.inner(frame), "value"
    return _extended(rel, frame, pending, None) if pending else (rel, frame)


def _behind(node: ast.Select) -> list[Any]:
    """The clauses of a block that come after LET."""
    return [node.projection, node.filter, node.group, node.having, *node.windows, *node.exclude]


def _mentioned(nodes: Iterable[Node]) -> set[str]:
    return {var.name.lower() for node in nodes for var in walk(node, ast.Var)}


def _extended(rel: p.Rel, frame: NameFrame, lets: dict[str, p.Rex], wanted: set[str] | None) -> tuple[p.Rel, NameFrame]:
    """More columns beside those that are there, but for those of LET that nobody wants any more; a name that is there
    already now means the new one."""
    columns = p.schema(rel)
    kept = [b for b in frame.bindings if b.name not in lets]
    if wanted is not None:
        kept = [b for b in kept if b.role != "let" or b.name.lower() in wanted]
    # Columns of FROM stay, named or not.
    lasting = {b.ordinal for b in kept} | (
        {*range(len(columns))} - {b.ordinal for b in frame.bindings if b.role == "let"}
    )
    places = {old: new for new, old in enumerate(sorted(lasting))}
    names = [columns[i].name or f"${places[i]}" for i in places]
    exprs: list[p.Rex] = [build.column(rel, i) for i in places]
    bindings = [Binding(b.name, places[b.ordinal], b.type, b.role) for b in kept]
    for name, value in lets.items():
        bindings.append(Binding(name, len(exprs), value.type, "let"))
        names.append(name)
        exprs.append(value)
    return p.Project(tuple(exprs), rel, names=tuple(names)), NameFrame(bindings, len(exprs))
