"""Compute a relation that reads an outer row for all rows of a domain at once.

`pushed(domain, rel)` gives the rows of the lateral join of the two, without a lateral join: the columns of the domain,
then those of the relation. Rows of the domain are distinct. So GROUP BY, DISTINCT and row numbers work within each row
of the domain if the domain's columns are among their keys.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from firesteel import values
from firesteel.node import drive
from firesteel.passes.analysis.columns import renumbered
from firesteel.passes.analysis.conditions import filtered, terms
from firesteel.passes.decorrelate.conditions import join_terms, keys_among
from firesteel.passes.decorrelate.parts import column, grouped, join_type, or_nothing
from firesteel.passes.decorrelate.scopes import sees, side_by_side, width
from firesteel.plan import (
    Aggregate,
    Branch,
    Capture,
    Case,
    Cross,
    Distinct,
    Equi,
    Exclude,
    Filter,
    Join,
    JoinKey,
    JoinType,
    Limit,
    Lit,
    Mode,
    Offset,
    Project,
    Rel,
    Rex,
    Scan,
    ScanIndexed,
    SetRel,
    Sort,
    SortSpec,
    Strategy,
    Unpivot,
    Window,
    WindowCall,
    build,
    is_list,
)

Pushing = Generator[tuple[Rel], Any, "Rel | None"]


class Domain:
    """The distinct combinations of outer values, as a relation."""

    def __init__(self, rel: Rel) -> None:
        self.rel = rel
        self.width = width(rel)
        self._missable = [i for i in range(self.width) if column(rel, i).type.missable]

    def columns(self) -> tuple[Rex, ...]:
        """The domain's columns, as variables over a relation that begins with them."""
        return tuple(column(self.rel, i) for i in range(self.width))

    def keys(self) -> tuple[Rex, ...]:
        """The grouping keys. GROUP BY turns MISSING into NULL, so each column that may be MISSING has a flag beside
        it."""
        flags = (build.call("is_missing", column(self.rel, i)) for i in self._missable)
        return (*self.columns(), *flags)

    def restored(self, groups: Rel) -> tuple[Rex, ...]:
        """The domain's columns, MISSING included, from a relation that begins with the grouping keys."""
        columns: list[Rex] = [column(groups, i) for i in range(self.width)]
        for n, i in enumerate(self._missable):
            flag = column(groups, self.width + n)
            branches = (Branch(flag, build.lit(values.MISSING)),)
            columns[i] = Case(column(self.rel, i).type, None, branches, default=columns[i])
        return tuple(columns)

    def same(self, left: Sequence[Rex], right: Sequence[Rex]) -> tuple[JoinKey, ...]:
        """The join keys of rows with the same combination; NULL matches NULL, and MISSING matches MISSING."""
        return tuple(JoinKey(a, b, same=True) for a, b in zip(left, right, strict=True))


def pushed(domain: Domain, rel: Rel, mode: Mode) -> Rel | None:
    """The relation for all rows of the domain, or None if there is no such form."""

    def dispatch(rel: Rel) -> Any:
        if not sees(rel, 0):
            return Join(Cross(), domain.rel, rel)
        match rel:
            case Scan() | ScanIndexed() | Unpivot():
                return Join(Cross(), domain.rel, rel, lateral=True)
            case Filter():
                return _filter(rel, domain, mode)
            case Project():
                return _project(rel, domain)
            case Join():
                return _join(rel, domain)
            case Aggregate(strategy=Strategy.FULL):
                return _aggregate(rel, domain)
            case Distinct():
                return _rebuilt(rel, ("input",))
            case SetRel():
                return _rebuilt(rel, ("left", "right"))
            case Sort():
                return _unsorted(rel)
            case Limit() | Offset():
                return _limit(rel, domain)
            case Window():
                return _window(rel, domain)
            case Exclude():
                return _exclude(rel, domain)
            case _:
                return None

    found: Rel | None = drive(dispatch, rel)
    return found


def _unsorted(rel: Sort) -> Pushing:
    """Drop the sort. Whoever needs the order sorts the answers again."""
    found: Rel | None = yield (rel.input,)
    return found


def _rebuilt(rel: Rel, sides: tuple[str, ...]) -> Pushing:
    made: dict[str, Rel] = {}
    for side in sides:
        found: Rel | None = yield (getattr(rel, side),)
        if found is None:
            return None
        made[side] = found
    return rel.replace(**made)


def _filter(rel: Filter, domain: Domain, mode: Mode) -> Pushing:
    """If the input does not read the outer row, the conditions that do become the join with the domain."""
    if sees(rel.input, 0):
        below: Rel | None = yield (rel.input,)
        return None if below is None else Filter(side_by_side(rel.predicate, domain.width), below).at(rel.where)
    own = [term for term in terms(rel.predicate) if not sees(term, 1)]
    keys, rest = keys_among([term for term in terms(rel.predicate) if sees(term, 1)], mode)
    conditions = [side_by_side(term, domain.width) for term in rest]
    joined = Join(Equi(Capture.INNER, keys=tuple(keys)) if keys else Cross(), domain.rel, filtered(rel.input, own))
    return filtered(joined.at(rel.where), conditions)


def _project(rel: Project, domain: Domain) -> Pushing:
    below: Rel | None = yield (rel.input,)
    if below is None:
        return None
    exprs = tuple(side_by_side(expr, domain.width) for expr in rel.exprs)
    return Project((*domain.columns(), *exprs), below).at(rel.where)


def _join(rel: Join, domain: Domain) -> Pushing:
    if rel.capture.pads_left:
        return None
    left: Rel | None = yield (rel.left,)
    if left is None:
        return None
    extra = domain.width
    if rel.lateral:
        kind = join_type(rel.capture, (), [side_by_side(term, extra) for term in join_terms(rel.type, width(rel.left))])
        return rel.replace(type=kind, left=left, right=side_by_side(rel.right, extra))
    if isinstance(rel.type, Equi) and any(key.same for key in rel.type.keys):
        return None
    before = width(rel.left)
    conditions = [side_by_side(term, extra) for term in join_terms(rel.type, before)]
    if not sees(rel.right, 0):
        return rel.replace(type=_keyed(rel, conditions, extra), left=left)
    right: Rel | None = yield (rel.right,)
    if right is None:
        return None
    # Both sides begin with the domain's columns. They are the join keys, and the right side's copy is dropped.
    split = extra + before
    moved = [renumbered(term, lambda i: i + extra if i >= split else i) for term in conditions]
    keys = domain.same(domain.columns(), domain.columns())
    made = rel.replace(type=join_type(rel.capture, keys, moved), left=left, right=right)
    if rel.capture.tests:
        return made
    return build.emit(made, [*range(split), *range(split + extra, width(made))])


def _keyed(rel: Join, conditions: Sequence[Rex], extra: int) -> JoinType:
    """The join type after the left row got the domain's columns in front. Keys are kept if they read their own rows
    only."""
    kind = rel.type
    if isinstance(kind, Equi) and not any(sees(key.right, 1) for key in kind.keys):
        keys = tuple(key.replace(left=side_by_side(key.left, extra)) for key in kind.keys)
        residual = side_by_side(kind.residual, extra) if kind.residual is not None else None
        return kind.replace(keys=keys, residual=residual)
    if not conditions and rel.capture is Capture.INNER:
        return Cross()
    return join_type(rel.capture, (), conditions)


def _aggregate(rel: Aggregate, domain: Domain) -> Pushing:
    """Groups within each combination. Without keys there is one group per combination, even if it has no rows."""
    below: Rel | None = yield (rel.input,)
    if below is None:
        return None
    own = domain.keys()
    keys = [side_by_side(key, domain.width) for key in rel.keys]
    aggs = [side_by_side(agg, domain.width) for agg in rel.aggs]
    groups = grouped(below, aggs, [*own, *keys])
    first = len(own)
    if rel.keys:
        rest = [column(groups, i) for i in range(first, width(groups))]
        return Project((*domain.restored(groups), *rest), groups).at(rel.where)
    tied = domain.same(domain.columns(), domain.restored(groups))
    made = Join(Equi(Capture.LEFT, keys=tied), domain.rel, groups)
    start = domain.width + first
    found = [or_nothing(agg, column(made, start + i)) for i, agg in enumerate(rel.aggs)]
    return Project((*domain.columns(), *found), made).at(rel.where)


def _limit(rel: Limit | Offset, domain: Domain) -> Pushing:
    """LIMIT and OFFSET within each combination, by row numbers."""
    counts: list[tuple[Limit | Offset, int]] = []
    below: Rel = rel
    while isinstance(below, Limit | Offset):
        if not isinstance(below.count, Lit) or type(below.count.value) is not int or below.count.value < 0:
            return None
        counts.append((below, below.count.value))
        below = below.input
    specs: tuple[SortSpec, ...] = ()
    if isinstance(below, Sort):
        specs, below = below.specs, below.input
    found: Rel | None = yield (below,)
    if found is None or is_list(below) is not False:
        return None
    order = tuple(side_by_side(spec, domain.width) for spec in specs)
    number = WindowCall(build.signature("row_number", ()), (), domain.keys(), order)
    numbered = Window((number,), found)
    place = column(numbered, width(found))
    conditions: list[Rex] = []
    skipped = 0
    for step, count in reversed(counts):
        if isinstance(step, Offset):
            skipped += count
            conditions.append(build.call("gt", place, build.lit(skipped)))
        else:
            conditions.append(build.call("lte", place, build.lit(skipped + count)))
    return build.emit(filtered(numbered, conditions), range(width(found)))


def _window(rel: Window, domain: Domain) -> Pushing:
    below: Rel | None = yield (rel.input,)
    if below is None:
        return None
    calls = []
    for call in rel.calls:
        moved = side_by_side(call, domain.width)
        calls.append(moved.replace(partition=(*domain.keys(), *moved.partition)))
    return rel.replace(calls=tuple(calls), input=below)


def _exclude(rel: Exclude, domain: Domain) -> Pushing:
    below: Rel | None = yield (rel.input,)
    if below is None:
        return None
    paths = tuple(path.replace(ordinal=path.ordinal + domain.width) for path in rel.paths)
    return rel.replace(paths=paths, input=below)
