"""The pass `decorrelate`: it rewrites the relations of a plan one by one, inputs first."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from firesteel import types as t
from firesteel.node import Node, children, drive, rebuild
from firesteel.passes.analysis.conditions import all_of, filtered, terms
from firesteel.passes.analysis.failing import may_fail
from firesteel.passes.analysis.node_memo import has_table
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.passes.decorrelate.buckets import bucketed, simply_bucketed
from firesteel.passes.decorrelate.conditions import (
    join_terms,
    park_right_columns,
    unpark_right_columns,
    widened,
    without_tables,
)
from firesteel.passes.decorrelate.domain import by_domain, lateral_by_domain
from firesteel.passes.decorrelate.hoist import hoisted
from firesteel.passes.decorrelate.matched import condition_met, grouped_by_key, lateral_matched, marked
from firesteel.passes.decorrelate.parts import ONE, Way, first_columns
from firesteel.passes.decorrelate.scopes import sees, spine, width
from firesteel.passes.decorrelate.sites import Site, first_site, is_collection, replace_site
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

#: A handler yields the relations below its node, is sent them rewritten, and returns the new node.
Decorrelating = Generator[tuple[Node], Any, Any]


@plan_pass(Phase.LOWER)
def decorrelate(plan: Plan, _: Context) -> Plan:
    """Make joins of queries over tables inside expressions."""
    statement = plan.statement
    if not isinstance(statement, Query | Root) or not has_table(statement):
        return plan
    flat = flatten_scans(plan)
    made = drive(_Lowering(statement.mode).lower, flat.statement)
    if made is flat.statement:
        return plan
    return infer_types(flat.replace(statement=made))


def _is_settled(rel: Rel) -> bool:
    """Is there nothing to do: are all its tables scanned, and in no other expression?"""
    for part in spine(rel):
        if isinstance(part, Scan | ScanIndexed) and isinstance(part.rex, Global):
            continue
        if any(has_table(kid) for kid in children(part) if not isinstance(kid, Rel)):
            return False
        if isinstance(part, Join) and part.lateral and has_table(part.right):
            return False
    return True


class _Lowering:
    """The handlers, for a plan of one mode."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode

    def lower(self, node: Node) -> Any:
        """Choose the handler of a statement or relation."""
        if isinstance(node, Query):
            return self._query(node)
        if isinstance(node, Root):
            return self._root(node)
        assert isinstance(node, Rel)
        if _is_settled(node):
            return node
        if isinstance(node, Scan | ScanIndexed | Unpivot):
            return self._leaf(node)
        if isinstance(node, Filter):
            return self._filter(node)
        if isinstance(node, Join):
            return self._lateral(node) if node.lateral else self._join(node)
        return self._over(node)

    # Statements ------------------------------------------------------------------------------------------------------

    def _root(self, root: Root) -> Decorrelating:
        return root.replace(input=(yield (root.input,)))

    def _query(self, query: Query) -> Decorrelating:
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
        # A scalar subquery of one row with one attribute. If the value is MISSING the struct has no attribute, and the
        # scalar is MISSING too.
        one = Select(t.Bag(t.ANY), build.struct([("_1", value)]), outer)
        return query.replace(rex=CollToScalar(one).at(rex.where))

    def _selected(self, rex: Select | Pivot) -> Decorrelating:
        source: Rel = yield (rex.input,)
        own = [kid for kid in children(rex) if not isinstance(kid, Rel)]
        outer, made = yield from self.extend(source, own)
        supply = iter(made)
        return rebuild(rex, [outer if isinstance(kid, Rel) else next(supply) for kid in children(rex)])

    # Relations -------------------------------------------------------------------------------------------------------

    def _leaf(self, leaf: Scan | ScanIndexed | Unpivot) -> Decorrelating:
        """A scan of an expression over tables: `ONE` row gets the tables joined, and the scan becomes lateral."""
        outer, (rex,) = yield from self.extend(ONE, [leaf.rex])
        if outer is ONE:
            return leaf
        joined = Join(Cross(), outer, leaf.replace(rex=rex), lateral=True)
        return build.emit(joined, range(width(outer), width(joined)))

    def _over(self, rel: Rel) -> Decorrelating:
        """Any other relation. Only those in the list below get more columns for what their expressions ask of
        tables."""
        kids = []
        for kid in children(rel):
            kids.append((yield (kid,)) if isinstance(kid, Rel) else kid)
        sources = [kid for kid in kids if isinstance(kid, Rel)]
        if len(sources) != 1 or not isinstance(rel, Project | Aggregate | Sort | Window):
            return rebuild(rel, kids)  # other relations may mean something else if the row has more columns
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

    def _filter(self, rel: Filter) -> Decorrelating:
        source: Rel = yield (rel.input,)
        return (yield from self.where(source, terms(rel.predicate)))

    def where(self, source: Rel, conditions: Sequence[Rex]) -> Decorrelating:
        """The rows for which all conditions are true. Conditions without tables come first, unless they may fail and
        one before them has a table."""
        before: list[Rex] = []
        after: list[Rex] = []
        for condition in conditions:
            early = not has_table(condition) and not (after and may_fail(condition, self.mode))
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

    def _join(self, join: Join) -> Decorrelating:
        left: Rel = yield (join.left,)
        right: Rel = yield (join.right,)
        join = join.replace(left=left, right=right)
        if not has_table(join.type):
            return join
        if join.capture is not Capture.INNER:
            return self._with_whole_tables(join)
        kind, asked = without_tables(join.type, width(left), self.mode)
        return (yield from self.where(join.replace(type=kind), asked))

    def _lateral(self, join: Join) -> Decorrelating:
        join = join.replace(left=(yield (join.left,)))
        if not sees(join.right, 0):
            return (yield (join.replace(right=shifted(join.right, -1), lateral=False),))
        if has_table(join.type) and join.capture is Capture.INNER:
            kind, asked = without_tables(join.type, width(join.left), self.mode)
            made: Rel = yield (join.replace(type=kind),)
            return (yield from self.where(made, asked))
        for way in () if has_table(join.type) else (lateral_matched, lateral_by_domain):
            found: Rel | None = way(join, self.mode)
            if found is not None:
                return (yield (found,))
        return self._with_whole_tables(join)

    def _with_whole_tables(self, join: Join) -> Rel:
        """Join the tables of a lateral right side, and of a condition that must stay in the join, to the left rows as
        whole collections."""
        outer, right, kind = join.left, join.right, join.type
        before = width(outer)
        if join.lateral and has_table(right):
            outer, query = whole_tables(outer, Select(t.BAG, build.lit(True), right), self.mode)
            right = query.input
            kind = widened(kind, before, width(outer))
        if has_table(kind):
            condition = park_right_columns(all_of(join_terms(kind, width(outer))), width(outer))
            outer, condition = whole_tables(outer, condition, self.mode)
            kind = Theta(join.capture, unpark_right_columns(condition, width(outer)))
        made = join.replace(type=kind, left=outer, right=right)
        return build.emit(made, [*range(before), *range(width(outer), width(made))])

    # Expressions -----------------------------------------------------------------------------------------------------

    def extend(self, outer: Rel, parts: Sequence[Node]) -> Generator[tuple[Node], Any, tuple[Rel, list[Any]]]:
        """The rows with more columns, one for each subquery over a table in the expressions; and the expressions with
        these columns in place of the subqueries."""
        work: list[Node] = list(parts)
        known: dict[Rex, Rex] = {}
        for i in range(len(work)):
            while (site := first_site(work[i])) is not None:
                rex = site.rex
                if rex not in known:
                    outer, known[rex] = yield from self._solve(outer, site)
                work[i] = replace_site(work[i], site, known[rex])
        return outer, work

    def _solve(self, outer: Rel, site: Site) -> Generator[tuple[Node], Any, tuple[Rel, Rex]]:
        """Take the first way that is right for a subquery."""
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
