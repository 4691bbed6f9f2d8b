"""Subqueries: scalars, membership, existence, comparisons with all rows."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.plan.build import present
from firesteel.plan.scope import shifted
from firesteel.rules import ExpressionRule, PlanRule
from firesteel.substrait.lower import own_nodes
from firesteel.substrait.lower.base import FieldScope, Lowerer, Lowering, expression, require_comparable, require_field
from firesteel.substrait.message import Message


@expression("subquery")
def _subquery(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    kind = message.which("subquery_type")
    if kind is None:
        raise PlanRule.SAYS_NOTHING.broken("a subquery that says nothing", where=message.where)
    inner = getattr(message, kind)
    if kind == "scalar" and own_nodes.is_query(inner.input):
        made = yield from own_nodes.query(lowerer, inner.input.extension_single, scope)
    else:
        made = yield from _KINDS[kind](inner, scope)
    return made.at(message.where)


def _scalar(message: Message, scope: FieldScope) -> Lowering:
    rel = yield require_field(message, "input"), scope
    _of_width(rel, 1, message)
    return p.CollToScalar(rows_of(rel))


def rows_of(rel: p.Rel) -> p.Rex:
    """The rows as structs."""
    width = len(p.schema(rel))
    return build.select(build.struct((f"_{i + 1}", build.column(rel, i)) for i in range(width)), rel, t.Bag)


def values_of(rel: p.Rel) -> p.Rex:
    """The values of the one column."""
    return build.select(build.column(rel, 0), rel, t.Bag)


def _of_width(rel: p.Rel, width: int, message: Message) -> None:
    found = len(p.schema(rel))
    if found != width:
        raise ExpressionRule.SUBQUERY.broken(
            f"a subquery of {found} columns, where there are {width} to compare", where=message.where
        )


def _in(message: Message, scope: FieldScope) -> Lowering:
    needles: list[p.Rex] = []
    for one in message.needles:
        needles.append((yield one, scope))
    if not needles:
        raise PlanRule.EMPTY.broken("nothing is looked for", where=message.where)
    rel = yield require_field(message, "haystack"), scope
    _of_width(rel, len(needles), message)
    for i, (needle, one) in enumerate(zip(needles, message.needles, strict=True)):
        require_comparable(build.column(rel, i), needle, one.where)
    if len(needles) == 1:
        return present("in_collection", needles[0], values_of(rel))
    return _in_rows(needles, rel)


def _in_rows(needles: list[p.Rex], rel: p.Rel) -> p.Rex:
    """Several needles: true if a row equals them, else NULL if one might, else false."""

    def some(wanted: p.Rex) -> p.Rex:
        return build.call("exists", rows_of(p.Filter(wanted, rel)))

    same: p.Rex | None = None
    for i, needle in enumerate(needles):
        one = build.call("eq", _outwards(needle), build.column(rel, i))
        same = one if same is None else build.call("and", same, one)
    assert same is not None
    true, false = p.Lit(t.BOOL, True), p.Lit(t.BOOL, False)
    if not same.type.nullable:
        return some(same)
    unknown = p.Lit(t.Bool(nullable=True), None)
    branches = (p.Branch(some(same), true), p.Branch(some(build.call("is_null", same)), unknown))
    return p.Case(t.Bool(nullable=True), None, branches, default=false)


def _outwards(rex: p.Rex) -> p.Rex:
    """An expression as it is seen from one row further in."""
    return shifted(rex, 1)


def _exists(message: Message, scope: FieldScope) -> Lowering:
    rel = yield require_field(message, "tuples"), scope
    match message.label("predicate_op"):
        case "PREDICATE_OP_EXISTS":
            return present("exists", rows_of(rel))
        case "PREDICATE_OP_UNIQUE":
            return _unique(rel)
    raise PlanRule.NOT_SAID.broken("a predicate on rows that does not say which", where=message.where)


def _unique(rel: p.Rel) -> p.Rex:
    """UNIQUE: no row occurs twice. As in SQL, a row with a NULL equals no row."""
    width = len(p.schema(rel))
    keys = tuple(build.column(rel, i) for i in range(width))
    proper: p.Rel = rel
    for i, key in enumerate(keys):
        if key.type.nullable:
            proper = p.Filter(build.call("not", build.call("is_null", build.column(proper, i))), proper)
    grouped = p.Aggregate(p.Strategy.FULL, (build.agg("count_star"),), keys, proper)
    twice = p.Filter(build.call("gt", build.column(grouped, width), build.lit(1)), grouped)
    return build.call("not", build.call("exists", rows_of(twice)))


COMPARISONS = {"EQ": "eq", "NE": "ne", "LT": "lt", "GT": "gt", "LE": "lte", "GE": "gte"}


def _compared(message: Message, scope: FieldScope) -> Lowering:
    left = yield require_field(message, "left"), scope
    rel = yield require_field(message, "right"), scope
    _of_width(rel, 1, message)
    require_comparable(build.column(rel, 0), left, message.left.where)
    name = COMPARISONS.get(message.label("comparison_op").removeprefix("COMPARISON_OP_"))
    how = message.label("reduction_op").removeprefix("REDUCTION_OP_").lower()
    if name is None or how not in ("any", "all"):
        raise PlanRule.NOT_SAID.broken("a comparison with rows that does not say which", where=message.where)
    return present(f"{name}_{how}", left, values_of(rel))


_KINDS = {"scalar": _scalar, "in_predicate": _in, "set_predicate": _exists, "set_comparison": _compared}
