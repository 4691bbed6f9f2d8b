"""What a plan says of how it runs, which forms that only say what is computed have no words for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from firesteel import plan as p
from firesteel.errors import UnsupportedError
from firesteel.node import Node, transform, walk

#: Fields of relations that say how and not what.
_HOW = ("strategy", "method")


def losses(node: p.Plan, *, has_mode: bool = True) -> list[str]:
    """What is dropped of a plan, each sort once. `has_mode`: does the form say that a plan is strict?"""
    found = Counter(_lost(node, has_mode))
    return [text if count == 1 else f"{text} ({count} times)" for text, count in found.items()]


def ensure_nothing(lost: Sequence[str], form: str) -> None:
    """UnsupportedError if something is lost in the form of that name."""
    if lost:
        said = "; ".join(lost)
        raise UnsupportedError(f"as {form} the plan would lose: {said}", help="say --lossy (lossy=True) to drop that")


def without_how(node: p.Plan) -> p.Plan:
    """The plan without what `losses` names. What changes the answer stays, to be refused by name."""
    return transform(node, _plain, p.Rel)


def _lost(node: p.Plan, has_mode: bool) -> Iterator[str]:
    if not has_mode and any(getattr(one, "mode", None) is p.Mode.STRICT for one in node.statements):
        yield "the mode 'strict'"
    for definition in node.definitions:
        yield f"the label '{definition.label}'"
    for constant in node.constants:
        yield f"the name '{constant.name}' of a constant" if constant.name else "a constant without a name"
    for rel in walk(node.statement, p.Rel):
        if _plain(rel) is not rel and not isinstance(rel, p.Aggregate | p.Window):
            yield f"the relation '{rel.tag}'"
        if rel.hints is not None:
            yield f"hints of '{rel.tag}'"
        if rel.declared is not None:
            yield f"the declared schema of '{rel.tag}'"
        for field in _HOW:
            how: Any = getattr(rel, field, None)
            if isinstance(how, p.JoinStrategy | p.AggregateMethod | p.WindowMethod):
                yield f"the {field} '{how.value}' of '{rel.tag}'"


def _plain(rel: Node) -> Node:
    match rel:
        case p.Exchange() if rel.copies or rel.numbered:
            return rel
        case p.Aggregate() | p.Window() if rel.method is not None:
            return rel.replace(method=None)
        case p.TopN(specs=specs, count=count, input=source, skip=skip, ties=False):
            rows: p.Rel = p.Sort(specs, source)
            return p.Limit(count, rows if skip is None else p.Offset(skip, rows)).at(rel.where)
        case p.Exchange() | p.MergingCapture() | p.SimpleCapture() | p.Promised():
            return rel.input
    return rel
