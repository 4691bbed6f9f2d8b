"""The logical relations, except reads and joins: each by the message that is read as just that node."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel.functions import Kind
from firesteel.plan.fit import names_of
from firesteel.plan.type_fit import lossless
from firesteel.substrait import own_messages
from firesteel.substrait.lower.relations.aggregates import grouped
from firesteel.substrait.lower.relations.grouping import GroupingSets
from firesteel.substrait.message import Message, message
from firesteel.substrait.write import calls
from firesteel.substrait.write.base import Row, Writer, Writing, common, relation, row_over
from firesteel.substrait.write.joins import join, marked_join
from firesteel.substrait.write.reads import optimization, read


@relation(p.Filter)
def _filter(writer: Writer, node: p.Filter, row: Row) -> Writing:
    if not isinstance(node.predicate.type, t.Bool | t.Null | t.Any | t.Union | t.Missing):
        return None
    source = yield node.input, row
    condition = yield node.predicate, row_over(row, node.input)
    return "filter", message("FilterRel", common=common(), input=source, condition=condition)


@relation(p.Project)
def _project(writer: Writer, node: p.Project, row: Row) -> Writing:
    reading = read(writer, node, row)
    made = None if reading is None else (yield from reading)
    if made is not None:
        return "read", made
    marked = marked_join(node)
    said = None if marked is None else (yield from join(writer, marked, row, marks=True))
    if said is not None:
        return said
    source = yield node.input, row
    inner = row_over(row, node.input)
    exprs: list[Message] = []
    for expr in node.exprs:
        exprs.append((yield expr, inner))
    width = len(inner.columns)
    kept = list(range(width, width + len(exprs)))
    return "project", message("ProjectRel", common=common(kept), input=source, expressions=exprs)


# ---------------------------------------------------------------------------------------------------------------------
# Order


def sort_fields(writer: Writer, specs: tuple[p.SortSpec, ...], row: Row, *, compares: bool = True) -> Writing:
    """Sort fields; None if one compares by a function that no message names."""
    made: list[Message] = []
    for spec in specs:
        kind: dict[str, str | int] = {"direction": f"SORT_DIRECTION_{spec.order.name}"}
        if spec.comparator is not None:
            anchor = calls.comparator(writer, spec) if compares else None
            if anchor is None:
                return None
            kind = {"comparison_function_reference": anchor}
        made.append(message("SortField", expr=(yield spec.key, row), **kind))
    return made


@relation(p.Sort)
def _sort(writer: Writer, node: p.Sort, row: Row) -> Writing:
    sorts = yield from sort_fields(writer, node.specs, row_over(row, node.input))
    if not sorts:
        return None
    return "sort", message("SortRel", common=common(), input=(yield node.input, row), sorts=sorts)


def _is_count(rex: p.Rex, *, offset: bool) -> bool:
    """Is it a number of rows that a fetch is read with as it is?"""
    if not isinstance(rex.type, t.Integer) or rex.type.nullable:
        return False
    return not isinstance(rex, p.Lit) or (isinstance(rex.value, int) and rex.value >= (1 if offset else 0))


@relation(p.Limit)
def _limit(writer: Writer, node: p.Limit, row: Row) -> Writing:
    if not _is_count(node.count, offset=False):
        return None
    below, skip = node.input, _skipped(node.input)
    if skip is not None:
        (below,) = p.inputs(below)
    counts = Row(outer=row)
    parts = {"count_expr": (yield node.count, counts)}
    if skip is not None:
        parts["offset_expr"] = yield skip, counts
    return "fetch", message("FetchRel", common=common(), input=(yield below, row), **parts)


def _skipped(rel: p.Rel) -> p.Rex | None:
    """How many rows are left out first, if that is said in the same message."""
    if not isinstance(rel, p.Offset) or rel.hints is not None or rel.declared is not None:
        return None
    return rel.count if _is_count(rel.count, offset=True) else None


@relation(p.Offset)
def _offset(writer: Writer, node: p.Offset, row: Row) -> Writing:
    if not _is_count(node.count, offset=True):
        return None
    count = yield node.count, Row(outer=row)
    return "fetch", message("FetchRel", common=common(), input=(yield node.input, row), offset_expr=count)


# ---------------------------------------------------------------------------------------------------------------------
# Sets


_SET_OPS: dict[tuple[type[p.SetRel], p.Quantifier], str] = {
    (p.Union, p.Quantifier.ALL): "SET_OP_UNION_ALL",
    (p.Except, p.Quantifier.DISTINCT): "SET_OP_MINUS_PRIMARY",
    (p.Except, p.Quantifier.ALL): "SET_OP_MINUS_PRIMARY_ALL",
    (p.Intersect, p.Quantifier.DISTINCT): "SET_OP_INTERSECTION_MULTISET",
    (p.Intersect, p.Quantifier.ALL): "SET_OP_INTERSECTION_MULTISET_ALL",
}
#: The operations that a chain of may be one relation of: those of the first with each of the others in turn.
_CHAINED = (
    *("SET_OP_UNION_ALL", "SET_OP_UNION_DISTINCT", "SET_OP_MINUS_PRIMARY_ALL"),
    *("SET_OP_INTERSECTION_MULTISET", "SET_OP_INTERSECTION_MULTISET_ALL"),
)


@relation(p.Union, p.Intersect, p.Except)
def _set(writer: Writer, node: p.SetRel, row: Row) -> Writing:
    sets = grouping_sets(node) if writer.target.grouping_sets else None
    if sets is not None:
        return (yield from _aggregated(writer, *sets, row))
    op = _SET_OPS.get((type(node), node.quantifier))
    return (yield from _set_of(writer, op, node, row)) if op is not None else None


@relation(p.Distinct)
def _distinct(writer: Writer, node: p.Distinct, row: Row) -> Writing:
    below = node.input
    plain = below.hints is None and below.declared is None
    if not plain or not isinstance(below, p.Union) or below.quantifier is not p.Quantifier.ALL:
        return None
    return (yield from _set_of(writer, "SET_OP_UNION_DISTINCT", below, row))


def _set_of(writer: Writer, op: str, node: p.SetRel, row: Row) -> Writing:
    """A relation of two inputs or more: a chain of one operation is one relation, but for parts that are shared."""
    rels = [node.right]
    first: p.Rel = node.left
    if op in _CHAINED:
        while isinstance(first, type(node)) and first.quantifier is node.quantifier and first.hints is None:
            if first.declared is not None or writer.uses(first) > 1:
                break
            rels.append(first.right)
            first = first.left
    rels.append(first)
    rels.reverse()
    if not all(_matches(rel, first) for rel in rels[1:]):
        return None
    sources: list[Message] = []
    for rel in rels:
        sources.append((yield rel, row))
    return "set", message("SetRel", common=common(), inputs=sources, op=op)


def _matches(rel: p.Rel, first: p.Rel) -> bool:
    """Has an input the columns of the first one, so that a reader leaves it as it is?"""
    given, wanted = p.schema(rel), p.schema(first)
    return len(given) == len(wanted) and all(
        _meets(a.type, b.type) and names_of(a.type) == names_of(b.type) for a, b in zip(given, wanted, strict=True)
    )


def _meets(a: t.Type, b: t.Type) -> bool:
    """May columns of these types stand side by side in a set?"""
    return isinstance(a, t.Null) or isinstance(b, t.Null) or lossless(a, b) or lossless(b, a)


@relation(p.Shared)
def _shared(writer: Writer, node: p.Shared, row: Row) -> tuple[str, Message] | None:
    """A relation that is a tree of the plan of its own, by its number."""
    if not node.name.isdecimal() or writer.trees.get(int(node.name)) is not node.input:
        return None
    return "reference", message("ReferenceRel", subtree_ordinal=int(node.name))


@relation(p.Exclude)
def _exclude(writer: Writer, node: p.Exclude, row: Row) -> None:
    """A relation of ours."""


# ---------------------------------------------------------------------------------------------------------------------
# Aggregates


@relation(p.Aggregate)
def _aggregate(writer: Writer, node: p.Aggregate, row: Row) -> Writing:
    sets = (tuple(range(len(node.keys))),) if node.keys else ()
    return _aggregated(writer, node, sets, row)


def _aggregated(writer: Writer, node: p.Aggregate, sets: tuple[tuple[int, ...], ...], row: Row) -> Writing:
    """An aggregate of some grouping sets of its keys."""
    if node.strategy is not p.Strategy.FULL or not (node.keys or node.aggs):
        return None
    inner = row_over(row, node.input)
    measures: list[Message] = []
    for agg in node.aggs:
        made = yield from _measure(writer, agg, inner)
        if made is None:
            return None
        measures.append(made)
    keys: list[Message] = []
    for key in node.keys:
        keys.append((yield key, inner))
    groupings = [message("AggregateRel.Grouping", expression_references=list(ordinals)) for ordinals in sets]
    extension = None
    if node.method is not None:
        strategy = message("firesteel.AggregateStrategy", method=f"METHOD_{node.method.name}")
        extension = optimization(own_messages.AGGREGATE_STRATEGY, strategy)
    return "aggregate", message(
        "AggregateRel",
        common=common(),
        input=(yield node.input, row),
        grouping_expressions=keys,
        groupings=groupings,
        measures=measures,
        advanced_extension=extension,
    )


def grouping_sets(node: p.SetRel) -> tuple[p.Aggregate, tuple[tuple[int, ...], ...]] | None:
    """The aggregate of all keys, and the keys of each set, of a union that several grouping sets are read as."""
    parts: list[p.Project] = []
    below: p.Rel = node
    while isinstance(below, p.Union):
        if not _is_part(below.right):
            return None
        assert isinstance(below.right, p.Project)
        parts.append(below.right)
        below = below.left
    if not isinstance(below, p.Project) or not _is_part(below):
        return None
    parts = [below, *reversed(parts)]
    aggregates = [part.input for part in parts if isinstance(part.input, p.Aggregate)]
    aggs = min((one.aggs for one in aggregates), key=len)
    width = len(below.exprs) - len(aggs) - 1
    keys: dict[int, p.Rex] = {}
    sets: list[tuple[int, ...]] = []
    for part, one in zip(parts, aggregates, strict=True):
        chosen = {expr.ordinal: i for i, expr in enumerate(part.exprs[:width]) if isinstance(expr, p.Var)}
        if sorted(chosen) != list(range(len(one.keys))):
            return None
        sets.append(tuple(chosen[i] for i in range(len(one.keys))))
        keys.update(zip(sets[-1], one.keys, strict=True))
    found = tuple([keys[i] for i in range(width) if i in keys])
    if len(found) != width or len(set(found)) != width:
        return None
    groups = GroupingSets((), tuple(sets))
    if grouped(aggregates[0].input, found, aggs, groups, aggregates[0].method) != node:
        return None
    return aggregates[0].replace(aggs=aggs, keys=found), tuple(sets)


def _is_part(rel: p.Rel) -> bool:
    """May it be one of several grouping sets?"""
    return isinstance(rel, p.Project) and isinstance(rel.input, p.Aggregate) and rel.hints is None


def _measure(writer: Writer, agg: p.Agg, row: Row) -> Writing:
    parts = yield from calls.over_rows(writer, agg.fn, agg.args, row, Kind.AGGREGATE, bool(agg.order))
    sorts = yield from sort_fields(writer, agg.order, row, compares=False)
    if parts is None or sorts is None:
        return None
    distinct = "AGGREGATION_INVOCATION_DISTINCT" if agg.distinct else "AGGREGATION_INVOCATION_ALL"
    made = message(
        "AggregateFunction", sorts=sorts, invocation=distinct, phase="AGGREGATION_PHASE_INITIAL_TO_RESULT", **parts
    )
    if agg.filter is None:
        return message("AggregateRel.Measure", measure=made)
    if not isinstance(agg.filter.type, t.Bool | t.Null | t.Any | t.Union | t.Missing):
        return None
    return message("AggregateRel.Measure", measure=made, filter=(yield agg.filter, row))
