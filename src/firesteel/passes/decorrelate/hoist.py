"""Subqueries that do not read the outer row: they are computed once and cross joined to the rows."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from firesteel import types as t
from firesteel.node import Node
from firesteel.passes.decorrelate.matched import grouped_by_key
from firesteel.passes.decorrelate.parts import Packed, Way, beside, column, grouped
from firesteel.passes.decorrelate.risk import risky
from firesteel.passes.decorrelate.scopes import sees, width
from firesteel.passes.decorrelate.sites import comparison_with_elements
from firesteel.plan import (
    Branch,
    Call,
    Capture,
    Case,
    CollToScalar,
    Equi,
    Global,
    Join,
    JoinKey,
    Limit,
    Mode,
    Offset,
    Pivot,
    Project,
    Rel,
    Rex,
    Scan,
    ScanIndexed,
    Select,
    Shared,
    Sort,
    Theta,
    build,
    is_list,
)
from firesteel.plan.scope import replaced


def hoisted(outer: Rel, rex: Rex, lazy: bool, mode: Mode) -> Way:
    """A subquery that does not read the outer row. If it may raise an error, its tables are made empty when there is no
    outer row, and a subquery that is not evaluated for every row is not hoisted."""
    query = _query(rex)
    if query is None or sees(query, 0):
        return None
    if risky(query, mode):
        if lazy:
            return None
        rex = rex if rex is query and isinstance(rex, Global) else replaced(rex, _gate(outer))
    match rex:
        case Call(fn=fn, args=(Select(input=rel),)) if fn.name == "exists":
            one = yield (grouped(Limit(build.lit(1), rel), [build.agg("count_star")]),)
            made = beside(outer, one)
            return made, build.call("gt", column(made, width(outer)), build.lit(0))
        case Call(fn=fn, args=(value, Select() as query)) if comparison_with_elements(fn) is not None:
            return (yield from _compared(outer, rex, value, query, lazy, mode))
        case CollToScalar(query=Select(constructor=constructor, input=rel)):
            found: tuple[Rel, Rex] | None = yield from grouped_by_key(outer, rex, lazy, mode)
            if found is not None:
                return found
            # Two rows are enough to tell that there is more than one.
            outer, bag = yield from _collected(outer, Limit(build.lit(2), Project((constructor,), rel)))
            return outer, CollToScalar(bag).at(rex.where)
        case Select():
            return (yield from _selected(outer, rex, mode))
        case Pivot():
            packed = Packed([rex.key, rex.value], mode)
            outer, bag = yield from _collected(outer, Project((packed.value,), rex.input))
            pairs = packed.rel(bag)
            return outer, rex.replace(key=column(pairs, 0), value=column(pairs, 1), input=pairs)
        case _:
            return None


def _query(rex: Rex) -> Rex | None:
    match rex:
        case Call(args=(*_, Select() as query)):
            return query
        case CollToScalar(query=query):
            return query
        case Select() | Pivot():
            return rex
        case _:
            return None


def _gate(outer: Rel) -> Any:
    """A rewrite that makes tables empty if there is no outer row."""

    def change(node: Node, level: int) -> Node | None:
        if level:
            return None
        if isinstance(node, Shared) or (isinstance(node, Scan | ScanIndexed) and isinstance(node.rex, Global)):
            return Join(Theta(Capture.LEFT_SEMI, build.lit(True)), node, outer)
        return None

    return change


def _collected(outer: Rel, rel: Rel) -> Generator[tuple[Node], Any, tuple[Rel, Rex]]:
    """The rows with one more column, a bag of all values of `rel`, a relation of one column."""
    source: Rel = yield (rel,)
    made = beside(outer, grouped(source, [build.agg("collect", column(source, 0))]))
    return made, column(made, width(outer))


def _selected(outer: Rel, query: Select, mode: Mode) -> Way:
    """A query that gives a collection. A bag is collected. A list is collected with its sort keys and sorted again,
    because `collect` does not keep the order."""
    if isinstance(query.type, t.Bag) or (not isinstance(query.type, t.Collection) and is_list(query.input) is False):
        return (yield from _collected(outer, Project((query.constructor,), query.input)))
    rel = query.input
    while isinstance(rel, Limit | Offset):
        rel = rel.input
    if not isinstance(rel, Sort) or is_list(rel.input) is not False:
        return None
    keys = [spec.key for spec in rel.specs]
    packed = Packed([query.constructor, *keys], mode)
    # The values are computed before LIMIT drops rows, so they must not fail.
    if risky(query.constructor, mode):
        return None
    outer, bag = yield from _collected(outer, Project((packed.value,), query.input))
    items = packed.rel(bag)
    specs = tuple(spec.replace(key=column(items, i + 1)) for i, spec in enumerate(rel.specs))
    return outer, query.replace(constructor=column(items, 0), input=Sort(specs, items))


def _compared(outer: Rel, test: Call, value: Any, query: Select, lazy: bool, mode: Mode) -> Way:
    """IN becomes a mark join: TRUE if there is a match; else NULL if the value or an element is NULL or MISSING. Other
    comparisons range over the collected values."""
    values = Project((query.constructor,), query.input)
    if comparison_with_elements(test.fn) != ("eq", "any") or (lazy and risky(value, mode)):
        outer, bag = yield from _collected(outer, values)
        return outer, test.replace(args=(value, bag))
    rows: Rel = yield (values,)
    item = column(rows, 0)
    made: Rel = Join(Equi(Capture.LEFT_MARK, keys=(JoinKey(value, item),)), outer, rows)
    mark = column(made, width(made) - 1)
    if not value.type.absent and not item.type.absent:
        return made, mark
    made = beside(made, grouped(rows, [build.agg("count_star"), build.agg("count", item)]))
    count, present = (column(made, width(made) - i) for i in (2, 1))
    unknown = build.call(
        "and",
        build.call("gt", count, build.lit(0)),
        build.call("or", build.call("is_null", value), build.call("lt", present, count)),
    )
    branches = (Branch(mark, build.lit(True)), Branch(unknown, build.lit(None)))
    return made, Case(t.absent(t.BOOL, nullable=True), None, branches, default=build.lit(False))
