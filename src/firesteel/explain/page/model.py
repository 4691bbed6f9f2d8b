"""What one sees of a plan: its operators, what is known of each, and the texts of the plan, cut where operators begin
and end. It is built once, and every form (HTML, SVG, DOT, Mermaid, JSON, pev2) is drawn from it.

An operator is a statement, a relation or a SELECT. Its identity is its path: the numbers of the children on the way
from the statement down to it; `(0, 1)` is the second child of the first one. Within a view it goes by a number, its
place in the list of operators, where it stands behind the one above it.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Path = tuple[int, ...]


@dataclass(frozen=True)
class Measured:
    """What a run told of an operator, as far as the engine tells it."""

    rows: int | None = None
    milliseconds: float | None = None


@dataclass(frozen=True)
class Origin:
    """A source of a column (`orders.items[*].qty`), and how it takes part (`aggregated`, `filtered by`)."""

    source: str
    uses: tuple[str, ...]
    #: Are the values of the column made from the source's? Otherwise it only decides about rows.
    is_direct: bool = True


@dataclass(frozen=True)
class Column:
    """A column of an operator."""

    name: str
    type: str
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True)
class Operator:
    """A statement, a relation or a SELECT."""

    id: int
    path: Path
    #: The operator above; None for the statement.
    parent: int | None
    #: The tag of its class, and what it belongs to: `scan`, `filter`, `join` ...
    tag: str
    kind: str
    #: The operator on one line, as `explain` prints it.
    text: str
    #: What stands before it where it is no input: `#1` for the first subquery of the operator above.
    label: str = ""
    columns: tuple[Column, ...] = ()
    #: How many columns are left out.
    more_columns: int = 0
    #: The order and the distribution of its rows; empty if nothing is known.
    properties: str = ""
    #: What runs in Python, each with the reason.
    in_python: tuple[str, ...] = ()
    #: What else is known: the shape of a file.
    notes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    #: Where it was read from.
    place: str = ""
    #: About how many rows the plan or its tables say that there are.
    estimated_rows: float | None = None
    measured: Measured | None = None
    #: A shared relation is described once; here is where.
    same_as: int | None = None

    @property
    def described_at(self) -> int:
        """The number of the operator that describes it: its own, unless it is shared."""
        return self.id if self.same_as is None else self.same_as


@dataclass(frozen=True)
class Segment:
    """A piece of a text, and the operators that it belongs to."""

    text: str
    operators: tuple[int, ...] = ()


@dataclass(frozen=True)
class Layer:
    """The plan in one notation. One that cannot be had has no segments, and a note says why."""

    name: str
    title: str
    segments: tuple[Segment, ...] = ()
    note: str = ""

    @property
    def text(self) -> str:
        return "".join(segment.text for segment in self.segments)


@dataclass(frozen=True)
class PlanView:
    """A statement of a plan."""

    title: str
    operators: tuple[Operator, ...]
    layers: tuple[Layer, ...] = ()
    engine: str = ""
    #: What concerns the statement as a whole: repairs without a place, warnings, what was left out.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """Where two plans differ. `pairs` are the operators of the first and second view that correspond to each other,
    with whether they are the same; an operator in no pair is in one of the plans only."""

    pairs: tuple[tuple[int, int, bool], ...]
    #: The path of each difference, and what both plans have there.
    differences: tuple[tuple[str, str | None, str | None], ...] = ()


@dataclass(frozen=True, repr=False)
class PlanPage:
    """A plan to look at, or two beside each other. In a notebook it shows itself."""

    title: str
    views: tuple[PlanView, ...]
    comparison: Comparison | None = None

    def to_html(self) -> str:
        """One page that needs no network: the layers as columns, with the same operator marked in all of them."""
        from firesteel.explain.page.html import page_html

        return page_html(self)

    def to_svg(self) -> str:
        """The operators as a picture."""
        from firesteel.explain.page.svg import page_svg

        return page_svg(self)

    def to_dot(self) -> str:
        """The operators as a graph for Graphviz."""
        from firesteel.explain.page.dot import page_dot

        return page_dot(self)

    def to_mermaid(self) -> str:
        """The operators as a flowchart for Mermaid."""
        from firesteel.explain.page.mermaid import page_mermaid

        return page_mermaid(self)

    def to_pev2(self) -> str:
        """The operators in the JSON of PostgreSQL's EXPLAIN, which pev2 and other viewers take."""
        from firesteel.explain.page.pev2 import page_pev2

        return page_pev2(self)

    def to_python(self) -> dict[str, Any]:
        """All that is known, as plain lists and dicts; docs/plans-as-pages.md describes them."""
        made: dict[str, Any] = {"title": self.title, "views": [plain(view) for view in self.views]}
        if self.comparison is not None:
            made["comparison"] = plain(self.comparison)
        return made

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_python(), indent=2, ensure_ascii=False)

    def _repr_html_(self) -> str:
        from firesteel.explain.page.html import page_frame

        return page_frame(self)

    def __repr__(self) -> str:
        count = sum(len(view.operators) for view in self.views)
        return f"<PlanPage: {self.title}; {count} operator{'' if count == 1 else 's'}>"


def plain(value: Any) -> Any:
    """Dataclasses as dicts, tuples as lists. What is empty or not known is left out."""
    if dataclasses.is_dataclass(value):
        pairs = ((one.name, getattr(value, one.name)) for one in dataclasses.fields(value))
        return {name: _named(name, item) for name, item in pairs if name == "path" or item not in (None, "", ())}
    return list(map(plain, value)) if isinstance(value, tuple) else value


def _named(name: str, item: Any) -> Any:
    return path_text(item) if name == "path" else plain(item)


def path_text(path: Path) -> str:
    """A path as text: `/` is the statement, `/0/1` the second child of its first."""
    return "/" + "/".join(map(str, path))


def tree_of(operators: tuple[Operator, ...]) -> Mapping[int | None, list[Operator]]:
    """The operators below each, by its number; that below None is the statement."""
    below: dict[int | None, list[Operator]] = {}
    for one in operators:
        below.setdefault(one.parent, []).append(one)
    return below


__all__ = [
    "Column",
    "Comparison",
    "Layer",
    "Measured",
    "Operator",
    "Origin",
    "Path",
    "PlanPage",
    "PlanView",
    "Segment",
    "path_text",
    "plain",
    "tree_of",
]
