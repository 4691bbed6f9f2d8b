"""The lowering: every relation of the plan in turn, its inputs first."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from firesteel import types as t
from firesteel.node import Node, children, drive, rebuild
from firesteel.passes.analysis.conditions import all_of, filtered, terms
from firesteel.passes.analysis.failing import may_fail
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.passes.decorrelate.buckets import bucketed, simply_bucketed
from firesteel.passes.decorrelate.conditions import apart, join_terms, together, widened, without_tables
from firesteel.passes.decorrelate.domain import by_domain, lateral_by_domain
from firesteel.passes.decorrelate.hoist import hoisted
from firesteel.passes.decorrelate.matched import condition_met, grouped_by_key, lateral_matched, marked
from firesteel.passes.decorrelate.parts import ONE, Way, first_columns
from firesteel.passes.decorrelate.scopes import sees, spine, tabled, width
from firesteel.passes.decorrelate.sites import Site, first_site, is_collection, placed
from firesteel.passes.decorrelate.whole import whole_tables
from firesteel.passes.infer_types import infer_types
from firesteel.passes.optimizer.flatten_scans import flatten_scans
from firesteel.plan import (
    Aggregate,
    Capture,
    CollToScalar,
    Cross,
    Filter,
    Global,
    Join,
    Mode,
    Pivot,
    Plan,
    Project,
    Query,
    Rel,
    Rex,
    Root,
    Scan,
    ScanIndexed,
    Select,
    Sort,
    Theta,
    Unpivot,
    Window,
    build,
)
from firesteel.plan.scope import shifted

Lowered = Generator[tuple[Node], Any, Any]


@plan_pass(Phase.LOWER)
def decorrelate(plan: Plan, _: Context) -> Plan:
    """Make joins of queries over tables inside expressions."""
    statement = plan.statement
    if not isinstance(statement, Query | Root) or not tabled(statement):
        return plan
    flat = flatten_scans(plan)
    made = drive(_Lowering(statement.mode).lower, flat.statement)
    if made is flat.statement:
        return plan
    return infer_types(flat.replace(statement=made))


def _settled(rel: Rel) -> bool:
    """Is there nothing to do? Its tables are scanned, and seen by no expression."""
    for part in spine(rel):
        if isinstance(part, Scan | ScanIndexed) and isinstance(part.rex, Global):
            continue
        if any(tabled(kid) for kid in children(part) if not isinstance(kid, Rel)):
            return False
        if isinstance(part, Join) and part.lateral and tabled(part.right):
            return False
    return True


class _Lowering:
    """What lowering one plan shares."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode

    def lower(self, node: Node) -> Any:
        """The node, lowered; a handler asks for what is below it."""
        if isinstance(node, Query):
            return self._query(node)
        if isinstance(node, Root):
            return self._root(node)
        assert isinstance(node, Rel)
        if _settled(node):
            return node
        if isinstance(node, Scan | ScanIndexed | Unpivot):
            return self._leaf(node)
        if isinstance(node, Filter):
            return self._filter(node)
        if isinstance(node, Join):
            return self._lateral(node) if node.lateral else self._join(node)
        return self._over(node)

    # Statements ------------------------------------------------------------------------------------------------------

    def _root(self, root: Root) -> Lowered:
        return root.replace(input=(yield (root.input,)))

    def _query(self, query: Query) -> Lowered:
        rex = query.rex
        match rex:
            case Global() if is_collection(rex):
                scan = Scan(rex)
                return query.replace(rex=Select(rex.type, build.column(scan, 0), scan))
            case Select() | Pivot():
                return query.replace(rex=(yield from self._selected(rex)))
            case CollToScalar(query=Select() as inner):
                made = yield from self._selected(inner)
                return query.replace(rex=rex.replace(query=made))
        if first_site(rex) is None:
            return query
        outer, (value,) = yield from self.extend(ONE, [rex])
        # One row of one attribute; without it where the value is MISSING, which comes to the same.
        one = Select(t.Bag(t.ANY), build.struct([("_1", value)]), outer)
        return query.replace(rex=CollToScalar(one).at(rex.where))

    def _selected(self, rex: Select | Pivot) -> Lowered:
        source: Rel = yield (rex.input,)
        own = [kid for kid in children(rex) if not isinstance(kid, Rel)]
        outer, made = yield from self.extend(source, own)
        supply = iter(made)
        return rebuild(rex, [outer if isinstance(kid, Rel) else next(supply) for kid in children(rex)])

    # Relations -------------------------------------------------------------------------------------------------------

    def _leaf(self, leaf: Scan | ScanIndexed | Unpivot) -> Lowered:
        """A scan of what an expression makes of tables: of the only row that has them beside it."""
        outer, (rex,) = yield from self.extend(ONE, [leaf.rex])
        if outer is ONE:
            return leaf
        joined = Join(Cross(), outer, leaf.replace(rex=rex), lateral=True)
        return build.emit(joined, range(width(outer), width(joined)))

    def _over(self, rel: Rel) -> Lowered:
        """A relation over others; its expressions see the row of the only one."""
        kids = []
        for kid in children(rel):
            kids.append((yield (kid,)) if isinstance(kid, Rel) else kid)
        sources = [kid for kid in kids if isinstance(kid, Rel)]
        if len(sources) != 1 or not isinstance(rel, Project | Aggregate | Sort | Window):
            return rebuild(rel, kids)  # another relation may mean something else of rows with more columns
        (source,) = sources
        outer, exprs = yield from self.extend(source, [kid for kid in kids if not isinstance(kid, Rel)])
        supply = iter(exprs)
        made = rebuild(rel, [outer if isinstance(kid, Rel) else next(supply) for kid in kids])
        if outer is source or isinstance(rel, Project | Aggregate):
            return made
        before = width(source)
        if isinstance(rel, Window):
            return build.emit(made, [*range(before), *range(width(outer), width(made))])
        return first_columns(made, before)

    def _filter(self, rel: Filter) -> Lowered:
        source: Rel = yield (rel.input,)
        return (yield from self.where(source, terms(rel.predicate)))

    def where(self, source: Rel, conditions: Sequence[Rex]) -> Lowered:
        """The rows for which all conditions are true; what asks no table is asked first, if it may be."""
        before: list[Rex] = []
        after: list[Rex] = []
        for condition in conditions:
            early = not tabled(condition) and not (after and may_fail(condition, self.mode))
            (before if early else after).append(condition)
        rel = filtered(source, before)
        for condition in after:
            met = yield from condition_met(rel, condition, self.mode)
            if met is None:
                outer, (value,) = yield from self.extend(rel, [condition])
                met = first_columns(Filter(value, outer).at(condition.where), width(rel))
            rel = met
        return rel

    # Joins -----------------------------------------------------------------------------------------------------------

    def _join(self, join: Join) -> Lowered:
        left: Rel = yield (join.left,)
        right: Rel = yield (join.right,)
        join = join.replace(left=left, right=right)
        if not tabled(join.type):
            return join
        if join.capture is not Capture.INNER:
            return self._with_whole_tables(join)
        kind, asked = without_tables(join.type, width(left), self.mode)
        return (yield from self.where(join.replace(type=kind), asked))

    def _lateral(self, join: Join) -> Lowered:
        join = join.replace(left=(yield (join.left,)))
        if not sees(join.right, 0):
            return (yield (join.replace(right=shifted(join.right, -1), lateral=False),))
        if tabled(join.type) and join.capture is Capture.INNER:
            kind, asked = without_tables(join.type, width(join.left), self.mode)
            made: Rel = yield (join.replace(type=kind),)
            return (yield from self.where(made, asked))
        for way in () if tabled(join.type) else (lateral_matched, lateral_by_domain):
            found: Rel | None = way(join, self.mode)
            if found is not None:
                return (yield (found,))
        return self._with_whole_tables(join)

    def _with_whole_tables(self, join: Join) -> Rel:
        """The tables of a condition that cannot be asked later, and of a lateral right side, beside the left rows."""
        outer, right, kind = join.left, join.right, join.type
        before = width(outer)
        if join.lateral and tabled(right):
            outer, query = whole_tables(outer, Select(t.BAG, build.lit(True), right), self.mode)
            right = query.input
            kind = widened(kind, before, width(outer))
        if tabled(kind):
            condition = apart(all_of(join_terms(kind, width(outer))), width(outer))
            outer, condition = whole_tables(outer, condition, self.mode)
            kind = Theta(join.capture, together(condition, width(outer)))
        made = join.replace(type=kind, left=outer, right=right)
        return build.emit(made, [*range(before), *range(width(outer), width(made))])

    # Expressions -----------------------------------------------------------------------------------------------------

    def extend(self, outer: Rel, parts: Sequence[Node]) -> Generator[tuple[Node], Any, tuple[Rel, list[Any]]]:
        """The rows with what expressions over them ask of tables beside them, and the expressions over that."""
        work: list[Node] = list(parts)
        known: dict[Rex, Rex] = {}
        for i in range(len(work)):
            while (site := first_site(work[i])) is not None:
                rex = site.rex
                if rex not in known:
                    outer, known[rex] = yield from self._solved(outer, site)
                work[i] = placed(work[i], site, known[rex])
        return outer, work

    def _solved(self, outer: Rel, site: Site) -> Generator[tuple[Node], Any, tuple[Rel, Rex]]:
        """The first way that is right for a query."""
        rex = site.rex
        for way in _WAYS:
            found: tuple[Rel, Rex] | None = yield from way(outer, rex, site.lazy, self.mode)
            if found is not None:
                return found
        return whole_tables(outer, rex, self.mode)


_WAYS: tuple[Callable[[Rel, Rex, bool, Mode], Way], ...] = (
    hoisted,
    marked,
    grouped_by_key,
    simply_bucketed,
    by_domain,
    bucketed,
)
