"""From a statement to its operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from firesteel import types as t
from firesteel.errors import redacted
from firesteel.explain import physical
from firesteel.explain.page.model import Column, Layer, Measured, Operator, Origin, Path, PlanView
from firesteel.explain.rex import brief
from firesteel.explain.text import head
from firesteel.node import Node
from firesteel.plan import (
    Aggregate,
    Distinct,
    Exclude,
    Expand,
    Filter,
    Global,
    GlobalBinding,
    Join,
    Limit,
    NamingRel,
    Offset,
    Pivot,
    Plan,
    Project,
    Query,
    Rel,
    Scan,
    ScanIndexed,
    Select,
    SetRel,
    Sort,
    Statement,
    TopN,
    Unpivot,
    Window,
    schema,
)
from firesteel.plan.scope import RowScope, scoped_children
from firesteel.repair import Repair
from firesteel.source import Place

#: Operators and columns of an operator that are shown; a note says what is left out.
MAX_OPERATORS, MAX_COLUMNS = 5_000, 200
#: Longer texts of operators and types are cut.
MAX_LINE = 2_000
#: Expressions of one operator that are looked at.
_MAX_OWN = 20_000

#: What a node has to be to be an operator: what `explain` draws a line for.
_OPERATORS = (Rel, Select, Pivot, Statement)

#: What an operator is called in all forms, where it is not simply a relation.
_KINDS: tuple[tuple[type[Node] | tuple[type[Node], ...], str], ...] = (
    (Statement, "statement"),
    ((Select, Pivot), "select"),
    ((Scan, ScanIndexed, Unpivot), "scan"),
    ((Filter, Exclude), "filter"),
    ((Project, Expand), "project"),
    (Join, "join"),
    ((Aggregate, Distinct), "aggregate"),
    ((Sort, TopN), "sort"),
    ((Limit, Offset), "limit"),
    (Window, "window"),
    (SetRel, "set"),
)


@dataclass(frozen=True)
class Facts:
    """What others know of a plan's nodes: those that are meant are told by identity."""

    in_python: Sequence[tuple[Node, str]] = ()
    notes: Sequence[tuple[Node, str]] = ()
    repairs: Sequence[Repair] = ()
    #: Where the columns of a relation come from, by the relation's identity.
    origins: Mapping[int, Sequence[tuple[Origin, ...]]] = field(default_factory=dict)
    #: How many rows the tables have, by their names.
    table_rows: Mapping[str, int] = field(default_factory=dict)
    measured: Mapping[Path, Measured] = field(default_factory=dict)


class Found(NamedTuple):
    """An operator as a node, with the expressions and other parts that are its own."""

    id: int
    node: Node
    path: Path
    parent: int | None
    scope: RowScope | None
    own: tuple[tuple[Node, RowScope | None], ...]
    same_as: int | None


class _Waiting(NamedTuple):
    node: Node
    scope: RowScope | None
    path: Path
    parent: int | None


def all_operators(root: Node, most: int = MAX_OPERATORS) -> list[Found]:
    """The operators of a statement, each before those below it. One that is used twice is entered once."""
    found: list[Found] = []
    known: dict[int, int] = {}
    stack = [_Waiting(root, None, (), None)]
    while stack and len(found) < most:
        node, scope, path, parent = stack.pop()
        number = len(found)
        first = known.setdefault(id(node), number)
        if first != number:
            found.append(Found(number, node, path, parent, scope, (), first))
            continue
        own, below = _parts(node, scope, path, number)
        found.append(Found(number, node, path, parent, scope, tuple(own), None))
        stack.extend(reversed(below))
    return found


def _parts(
    operator: Node, around: RowScope | None, path: Path, number: int
) -> tuple[list[tuple[Node, RowScope | None]], list[_Waiting]]:
    """What is the operator's own, and the operators below."""
    own: list[tuple[Node, RowScope | None]] = []
    below: list[_Waiting] = []
    seen: set[int] = set()
    stack = _kids(operator, around, path)
    while stack and len(own) < _MAX_OWN:
        node, scope, at = stack.pop()
        if isinstance(node, _OPERATORS):
            below.append(_Waiting(node, scope, at, number))
        elif id(node) not in seen:
            seen.add(id(node))
            own.append((node, scope))
            stack.extend(_kids(node, scope, at))
    return own, below


def _kids(node: Node, scope: RowScope | None, path: Path) -> list[tuple[Node, RowScope | None, Path]]:
    """The children, the last first."""
    listed = enumerate(scoped_children(node, scope))
    return [(kid, inner, (*path, number)) for number, (kid, inner) in listed][::-1]


# ---------------------------------------------------------------------------------------------------------------------
# What is known of them


def view_of(
    plan: Plan,
    title: str,
    found: Sequence[Found],
    facts: Facts,
    *,
    layers: Sequence[Layer] = (),
    engine: str = "",
    notes: Sequence[str] = (),
) -> PlanView:
    """The view of a plan of one statement, with the operators that `all_operators` found in it."""
    told = _Told(plan, facts, found)
    operators = tuple(map(told.operator, found))
    more = [f"only the first {MAX_OPERATORS:,} operators are shown"] if len(found) >= MAX_OPERATORS else []
    said = [*notes, *told.placeless, *more]
    return PlanView(redacted(title), operators, tuple(layers), engine, tuple(map(redacted, said)))


class _Told:
    """The facts by operator."""

    def __init__(self, plan: Plan, facts: Facts, found: Sequence[Found]) -> None:
        self._globals = plan.globals
        self._facts = facts
        self._labels: dict[int, str] = {}
        self._owner: dict[int, tuple[Found, RowScope | None]] = {}
        for one in found:
            if one.same_as is None:
                self._owner[id(one.node)] = (one, one.scope)
                self._owner.update((id(node), (one, scope)) for node, scope in one.own)
        self._numbers = {id(one.node): one.id for one in found if one.same_as is None}
        self._python: dict[int, list[str]] = {}
        self._notes: dict[int, list[str]] = {}
        for marks, into in ((facts.in_python, self._python), (facts.notes, self._notes)):
            for node, text in marks:
                self._mark(node, text, into)
        self._repairs: dict[int, list[str]] = {}
        #: Repairs that belong to no operator.
        self.placeless: list[str] = []
        self._place_repairs(found)

    def _mark(self, node: Node, text: str, into: dict[int, list[str]]) -> None:
        owner = self._owner.get(id(node))
        if owner is not None:
            one, scope = owner
            what = "" if node is one.node else f"{brief(node, scope, self._globals)}: "
            into.setdefault(one.id, []).append(redacted(what + text))

    def _place_repairs(self, found: Sequence[Found]) -> None:
        """Every repair is of the operator that was read from where it is, or from the nearest place around it."""
        places: dict[tuple[str, ...], int] = {}
        for one in found if self._facts.repairs else ():
            for node in (one.node, *(node for node, _ in one.own)):
                if isinstance(node.where, Place):
                    places.setdefault(node.where.path, one.id)
        for repair in self._facts.repairs:
            path = repair.where.path if repair.where is not None else ()
            prefixes = (path[:length] for length in range(len(path), 0, -1))
            number = next((places[prefix] for prefix in prefixes if prefix in places), None)
            text = redacted(f"{repair.code}: {repair.message}")
            (self.placeless if number is None else self._repairs.setdefault(number, [])).append(text)

    def operator(self, one: Found) -> Operator:
        node, facts = one.node, self._facts
        text, subqueries = head(node, one.scope, self._globals)
        if one.same_as is None:
            self._labels.update((id(query), f"#{number}") for number, query in enumerate(subqueries, 1))
        columns = _columns(node, facts.origins.get(id(node), ()))
        return Operator(
            one.id,
            one.path,
            one.parent,
            node.tag or type(node).__name__.lower(),
            kind_of(node),
            _cut(text),
            self._labels.get(id(node), ""),
            columns[:MAX_COLUMNS],
            max(0, len(columns) - MAX_COLUMNS),
            redacted(physical.properties(node).strip("{}")) if isinstance(node, Rel) else "",
            tuple(self._python.get(one.id, ())),
            tuple(self._notes.get(one.id, ())),
            tuple(self._repairs.get(one.id, ())),
            redacted(str(node.where)) if node.where is not None else "",
            self._estimated(node),
            facts.measured.get(one.path),
            one.same_as,
        )

    def _estimated(self, node: Node) -> float | None:
        """What the plan says of a relation, or its table, if it scans one."""
        if isinstance(node, Rel) and node.hints is not None and node.hints.row_count is not None:
            return node.hints.row_count
        if isinstance(node, Scan | ScanIndexed) and isinstance(node.rex, Global):
            return self._facts.table_rows.get(_name(self._globals, node.rex.ordinal))
        return None


def _name(globals_: Sequence[GlobalBinding], ordinal: int) -> str:
    return globals_[ordinal].name if 0 <= ordinal < len(globals_) else ""


def kind_of(node: Node) -> str:
    """The kind of an operator."""
    found = (kind for classes, kind in _KINDS if isinstance(node, classes))
    return next(found, "exchange" if isinstance(node, Rel) and not isinstance(node, NamingRel) else "other")


def _columns(node: Node, origins: Sequence[tuple[Origin, ...]]) -> tuple[Column, ...]:
    """The columns of a relation, or of the rows of a SELECT or a query."""
    if isinstance(node, Rel):
        fields: Sequence[t.Field] = schema(node)
    else:
        rex = node.rex if isinstance(node, Query) else node
        type_ = rex.type if isinstance(rex, Select | Pivot) else t.ANY
        row = type_.element if isinstance(type_, t.Collection) else type_
        fields = row.fields if isinstance(row, t.Struct) else ()
    given = [*origins, *[()] * len(fields)]
    return tuple(
        Column(_cut(one.name or f"${place}"), _cut(str(one.type)), given[place]) for place, one in enumerate(fields)
    )


def _cut(text: str) -> str:
    text = redacted(text)
    return text if len(text) <= MAX_LINE else text[: MAX_LINE - 1] + "…"


__all__ = ["MAX_OPERATORS", "Facts", "Found", "all_operators", "kind_of", "view_of"]
