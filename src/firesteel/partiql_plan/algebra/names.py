"""Which names an expression binds, and which joins are lateral: those whose right side refers to the left's names.

That has to be known before the plan is built, because a lateral join puts a row between the right side and whatever is
around the join, and a plan counts rows.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from firesteel.ion import Element
from firesteel.node import drive
from firesteel.partiql_plan.algebra.syntax import Parsed, error, is_type_argument, parse
from firesteel.partiql_plan.read.trail import Trail

Steps = Generator[Any, Any, Any]


@dataclass(frozen=True, eq=False)
class _Row:
    """The names that an expression sees, and those around it. `join`: the names of the left of this join."""

    names: tuple[str, ...]
    outer: _Row | None
    join: Element | None = None


class Names:
    """Every expression of a document taken apart, and its lateral joins."""

    def __init__(self, root: Element, *, bindings: bool) -> None:
        # By identity: an expression that is written twice is two expressions.
        self._parsed: dict[int, Parsed] = {}
        self._lateral: set[int] = set()
        place = Trail(None, "", None, root.span)
        drive(lambda steps: steps, self._visit(root, place, None, bindings))

    def parsed(self, element: Element) -> Parsed:
        return self._parsed[id(element)]

    def is_lateral(self, parsed: Parsed) -> bool:
        return id(parsed.element) in self._lateral

    def _visit(self, element: Element, place: Trail, row: _Row | None, bindings: bool) -> Steps:
        """The names that an expression binds, once all in it has been visited."""
        parsed = self._parsed[id(element)] = parse(element, place, bindings=bindings)
        if parsed.op == "id" and len(parsed.names) == 1:
            self._refer(str(parsed.names[0]), row)
        below: list[tuple[str, ...]] = []
        for index, source in enumerate(parsed.inputs):
            around = row
            if index == 1 and parsed.op in ("cross_join", "join"):
                around = _Row(below[0], row, element)
            step = "input" if len(parsed.inputs) == 1 else ("left", "right")[index]
            below.append((yield (self._visit(source, Trail(place, step, None, source.span), around, True),)))
        visible = tuple(name for names in below for name in names)
        inner = _Row(visible, row) if parsed.inputs else row
        if parsed.op in ("limit", "offset"):
            inner = _Row((), row)  # the count is the same for all rows
        for index, value in enumerate(parsed.values):
            if is_type_argument(value):
                if parsed.op != "call":
                    raise error("a type is no value", Trail(place, "values", index, value.span), "it goes into a call")
                continue
            if parsed.op == "map_let" and index:
                inner = _Row((*visible, *map(str, parsed.names[:index])), row)
            yield (self._visit(value, Trail(place, "values", index, value.span), inner, False),)
        return _distinct(_made(parsed, visible, below), parsed)

    def _refer(self, name: str, row: _Row | None) -> None:
        while row is not None:
            if name in row.names:
                if row.join is not None:
                    self._lateral.add(id(row.join))
                return
            row = row.outer


def _made(parsed: Parsed, visible: tuple[str, ...], below: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    names = tuple(name for name in parsed.names if name is not None)
    match parsed.op:
        case "unpivot":
            return names[::-1]  # the key comes first
        case "scan" | "project" | "group_by":
            return names
        case "map_let":
            return visible + names
        case "union" | "intersect" | "except":
            return below[0]
    return visible


def _distinct(names: tuple[str, ...], parsed: Parsed) -> tuple[str, ...]:
    """Binding tuples have no name twice."""
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None) if parsed.op != "id" else None
    if twice is not None:
        raise error(f"{parsed.op} binds the name '{twice}' twice", parsed.place, "give one of them another alias")
    return names
