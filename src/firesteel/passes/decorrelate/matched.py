"""Subqueries as joins with their input: semi, anti and mark joins, joins with groups, lateral joins."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from firesteel import types as t
from firesteel.node import Node
from firesteel.passes.analysis.columns import over
from firesteel.passes.analysis.conditions import filtered
from firesteel.passes.analysis.failing import may_fail
from firesteel.passes.analysis.node_memo import has_table
from firesteel.passes.decorrelate.conditions import join_terms, keys_among
from firesteel.passes.decorrelate.parts import (
    Way,
    beside,
    column,
    grouped,
    join_type,
    looked_up,
    or_nothing,
)
from firesteel.passes.decorrelate.pull import Pulled, pulled
from firesteel.passes.decorrelate.risk import risky
from firesteel.passes.decorrelate.scopes import ranges_over_table, rebased, sees, side_by_side, width
from firesteel.passes.decorrelate.sites import comparison_with_elements
from firesteel.plan import (
    Agg,
    Aggregate,
    Branch,
    Call,
    Capture,
    Case,
    CollToScalar,
    Distinct,
    Join,
    JoinKey,
    Limit,
    Lit,
    Mode,
    Project,
    Rel,
    Rex,
    Select,
    Sort,
    Strategy,
    Struct,
    Var,
    build,
)
from firesteel.plan.scope import shifted

Joined = Generator[tuple[Node], Any, "Rel | None"]


# ---------------------------------------------------------------------------------------------------------------------
# Semi and anti joins


def condition_met(outer: Rel, condition: Rex, mode: Mode) -> Joined:
    """The rows for which a condition is true that is EXISTS, IN or a comparison with ANY or ALL, or NOT of one: a semi
    or an anti join. None if the condition is something else."""
    negated, test = False, condition
    while isinstance(test, Call) and test.fn.name == "not":
        negated, (test,) = not negated, test.values
    if not isinstance(test, Call) or not test.args or not isinstance(test.args[-1], Select):
        return None
    query = test.args[-1]
    if not ranges_over_table(query.input):
        return None
    if test.fn.name == "exists":
        found = _exists(query, mode)
        if found is None or not found.conditions:
            return None
        capture = Capture.LEFT_ANTI if negated else Capture.LEFT_SEMI
        return (yield from _paired(outer, capture, found, found.conditions, mode))
    comparison = comparison_with_elements(test.fn)
    if comparison is None:
        return None
    return (yield from _compared(outer, test, comparison, query, negated, mode))


def _exists(query: Select, mode: Mode) -> Pulled | None:
    """The input of the query, as far as it decides whether there is a row: without projection, order and DISTINCT."""
    rel = query.input
    while True:
        match rel:
            case Project() | Sort() | Distinct():
                rel = rel.input
            case Limit(count=Lit(value=int() as count)) if count > 0:
                rel = rel.input
            case _:
                return _careful(rel, mode)


def _careful(rel: Rel, mode: Mode) -> Pulled | None:
    """Pull up the conditions of a relation. Those that may raise an error are pulled up too, so that they still run
    only for pairs of rows."""
    found = pulled(rel, mode)
    if found is not None and risky(found.rel, mode):
        found = pulled(rel, mode, lazy=True)
        return None if found is None or risky(found.rel, mode) else found
    return found


def _paired(outer: Rel, capture: Capture, found: Pulled, conditions: Sequence[Rex], mode: Mode) -> Joined:
    keys, rest = keys_among(conditions, mode)
    right: Rel = yield (found.rel,)
    return Join(join_type(capture, keys, [side_by_side(rex, width(outer)) for rex in rest]), outer, right)


def _compared(outer: Rel, test: Call, comparison: tuple[str, str], query: Select, negated: bool, mode: Mode) -> Joined:
    """`x op ANY` is true if some pair is true (semi join), `x op ALL` if no pair is false or NULL (anti join); negated,
    it is the other way round."""
    name, quantifier = comparison
    value, rel, item = test.args[0], query.input, query.constructor
    assert isinstance(value, Rex)
    while isinstance(rel, Sort | Distinct):
        rel = rel.input
    if has_table(value) or (has_table(item) and sees(item, 1)):
        return None
    if has_table(item) or (not sees(item, 1) and not risky(item, mode)):
        rel, item = Project((item,), rel), Var(item.type, 0)
    found = _careful(rel, mode)
    pair: Rex = build.call(name, shifted(value, 1), item)
    # The comparison stops at the first element that decides it. A join compares all pairs, so it must not fail.
    if found is None or (may_fail(pair, mode) and not (may_fail(value, mode) or may_fail(item, mode))):
        return None
    wanted = (quantifier == "any") is not negated
    if not wanted:
        pair = _not_false(pair) if negated else _not_true(pair)
    elif negated:
        pair = build.call("not", pair)
    capture = Capture.LEFT_SEMI if wanted else Capture.LEFT_ANTI
    return (yield from _paired(outer, capture, found, [*found.conditions, pair], mode))


def _not_false(pair: Rex) -> Rex:
    return build.call("or", pair, build.call("is_null", pair)) if pair.type.absent else pair


def _not_true(pair: Rex) -> Rex:
    denied = build.call("not", pair)
    return build.call("or", denied, build.call("is_null", pair)) if pair.type.absent else denied


def marked(outer: Rel, rex: Rex, lazy: bool, mode: Mode) -> Way:
    """EXISTS as a column: a mark join tells whether the row has a match."""
    if not isinstance(rex, Call) or rex.fn.name != "exists" or not isinstance(rex.args[0], Select):
        return None
    found = _exists(rex.args[0], mode)
    if found is None or not found.conditions or (lazy and any(risky(c, mode) for c in found.conditions)):
        return None
    made = yield from _paired(outer, Capture.LEFT_MARK, found, found.conditions, mode)
    assert made is not None
    return made, column(made, width(outer))


# ---------------------------------------------------------------------------------------------------------------------
# Aggregates


def grouped_by_key(outer: Rel, rex: Rex, lazy: bool, mode: Mode) -> Way:
    """A scalar subquery of aggregates whose rows are tied to the outer row by equalities, or by nothing: it is grouped
    by these keys and joined.

    A row without a match gets NULL from the outer join, which is right for most aggregates; a COUNT is made 0.
    """
    asked = scalar_aggregate(rex)
    if asked is None:
        return None
    value, rel = asked
    found = pulled(rel.input, mode)
    if found is None or any(sees(agg, 1) for agg in rel.aggs):
        return None
    keys, rest = keys_among(found.conditions, mode)
    if rest or not all(groups_by(key.right.type) for key in keys):
        return None
    if risky(found.rel, mode) or any(risky(agg, mode) for agg in rel.aggs):
        return None
    if not keys and not sees(value, 1) and not risky(value, mode):
        one: Rel = yield (Project((value,), grouped(found.rel, rel.aggs)),)
        made = beside(outer, one)
        return made, column(made, width(outer))
    groups: Rel = yield (grouped(found.rel, rel.aggs, [key.right for key in keys]),)
    if keys:
        tied = [JoinKey(key.left, column(groups, i)) for i, key in enumerate(keys)]
        made = looked_up(outer, groups, tied)
    else:
        made = beside(outer, groups)
    first = width(outer) + len(keys)
    return made, with_aggregates(value, made, rel.aggs, first, padded=bool(keys))


def scalar_aggregate(rex: Rex) -> tuple[Rex, Aggregate] | None:
    """A scalar subquery that always has one row because it aggregates without keys: the expression over the aggregates,
    and the aggregate relation."""
    match rex:
        case CollToScalar(query=Select(constructor=Struct(pairs=(pair,)), input=rel)):
            if not isinstance(pair.key, Lit) or not isinstance(pair.key.value, str):
                return None
            value = pair.value
        case _:
            return None
    while isinstance(rel, Project):
        value, rel = over(value, rel.exprs), rel.input
    if not isinstance(rel, Aggregate) or rel.keys or rel.strategy is not Strategy.FULL or has_table(value):
        return None
    return value, rel


def with_aggregates(value: Rex, made: Rel, aggs: Sequence[Agg], first: int, *, padded: bool) -> Rex:
    """An expression over the row of the aggregates, moved to the joined row, where they begin at column `first`."""

    def change(row: int, var: Var) -> Rex:
        if row:
            return var.replace(depth=row - 1)
        agg = column(made, first + var.ordinal)
        return or_nothing(aggs[var.ordinal], agg) if padded else agg

    return rebased(value, change)


def groups_by(type_: t.Type) -> bool:
    """Does GROUP BY put two values of the type into one group exactly if they are `=`? Not for containers, in which
    NULL is `=` to MISSING, and not for dates with timestamps: a date is `=` to the timestamp of its midnight."""
    kinds = {type(member) for member in t.members(type_)}
    if not all(issubclass(kind, _SCALARS) for kind in kinds):
        return False
    return not {t.Date, t.Timestamp} <= kinds


_SCALARS = (t.Number, t.Bool, t.Text, t.Temporal, t.Null, t.Missing)


# ---------------------------------------------------------------------------------------------------------------------
# Lateral joins


def lateral_matched(join: Join, mode: Mode) -> Rel | None:
    """A lateral join whose right side reads the left row only in conditions and in its projection: it becomes a join on
    those conditions with a projection above it. The result is still to be decorrelated."""
    exprs: Sequence[Rex] | None = None
    rel = join.right
    while isinstance(rel, Project):
        exprs = rel.exprs if exprs is None else [over(expr, rel.exprs) for expr in exprs]
        rel = rel.input
    found = _careful(rel, mode)
    if found is None:
        return None
    left = join.left
    before, beside_ = width(left), width(rel)
    if exprs is None:
        exprs = [build.column(rel, i) for i in range(beside_)]
    made_of = [side_by_side(expr, before) for expr in exprs]
    own = [over(term, [*(column(left, i) for i in range(before)), *made_of]) for term in join_terms(join.type, before)]
    keys, rest = keys_among(found.conditions, mode)
    conditions = [side_by_side(rex, before) for rex in rest]
    right = found.rel
    columns = tuple(column(left, i) for i in range(before))
    if join.capture is Capture.INNER:
        made: Rel = filtered(Join(join_type(Capture.INNER, keys, conditions), left, right).at(join.where), own)
        return Project((*columns, *made_of), made)
    if join.capture.tests:
        return Join(join_type(join.capture, keys, [*conditions, *own]), left, right).at(join.where)
    marker = Project((*(column(right, i) for i in range(width(right))), build.lit(True)), right)
    made = Join(join_type(Capture.LEFT, keys, [*conditions, *own]), left, marker).at(join.where)
    there = build.call("is_null", column(made, width(made) - 1))
    nothing = Branch(there, build.lit(None))
    padded = [Case(t.union((expr.type, t.NULL)), None, (nothing,), default=expr) for expr in made_of]
    return Project((*columns, *padded), made)
