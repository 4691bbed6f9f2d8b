"""Grouping sets: which keys there are, which of them a set has, and which columns an aggregate of several sets gives.

Today expressions are listed once, and sets refer to them; in the old form each set had its own, and those that are
equal as messages are one. By the specification the columns are the keys, the measures, and the index of the set. Two
producers lay them out differently, which shows only in how the relations above refer to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from firesteel.errors import first_of
from firesteel.repair import RepairKind
from firesteel.rules import ReferenceRule
from firesteel.substrait.dialects.base import Dialect, Shape
from firesteel.substrait.message import Message


class Layout(Enum):
    """The columns of an aggregate of several grouping sets."""

    #: The keys as they are listed, the measures, the index of the set: what the specification says.
    SPECIFIED = "specified"
    #: The distinct keys and the measures: an old Isthmus, and an old DataFusion.
    NO_INDEX = "no set index"
    #: The distinct keys, a mask of those that a set leaves out, the measures: DataFusion.
    MASK = "grouping mask"


_REPAIRS = {Layout.NO_INDEX: RepairKind.NO_SET_INDEX, Layout.MASK: RepairKind.GROUPING_MASK}


@dataclass(frozen=True)
class GroupingSets:
    """The keys of an aggregate, and for each grouping set the ordinals of those in it."""

    keys: tuple[Message, ...]
    sets: tuple[tuple[int, ...], ...]
    layout: Layout = Layout.SPECIFIED
    #: The repair that reading it in this way is.
    repair: RepairKind | None = None


def read_grouping(aggregate: Message, dialect: Dialect) -> GroupingSets:
    """How an aggregate groups."""
    found = _listed(aggregate) if aggregate.grouping_expressions else _once(aggregate)
    if len(found.sets) < 2:
        return _one_set(aggregate, found, dialect)
    layout, certain = _layout(aggregate, found, dialect)
    if layout is Layout.SPECIFIED:
        return found if certain else replace(found, repair=RepairKind.GROUPING_DOUBT)
    return replace(_distinct(found), layout=layout, repair=_REPAIRS[layout])


def _one_set(aggregate: Message, found: GroupingSets, dialect: Dialect) -> GroupingSets:
    """One grouping set. A producer that counts columns of its own engine may have equal keys as one column."""
    distinct = _distinct(found)
    if len(distinct.keys) == len(found.keys) or not dialect.writes(Shape.GROUPING_MASK):
        return found
    if _counted(aggregate) != len(distinct.keys) + len(aggregate.measures):
        return found
    return replace(distinct, repair=RepairKind.EQUAL_KEYS)


def _listed(aggregate: Message) -> GroupingSets:
    listed = tuple(aggregate.grouping_expressions)
    wrong = [
        ReferenceRule.GROUPING_FIELD.broken(
            f"no grouping expression {ordinal}: there are {len(listed)}",
            where=one.where_in(f"expression_references[{i}]"),
        )
        for one in aggregate.groupings
        for i, ordinal in enumerate(one.expression_references)
        if not 0 <= ordinal < len(listed)
    ]
    if wrong:
        raise first_of(wrong)
    sets = tuple(tuple(one.expression_references) for one in aggregate.groupings)
    return GroupingSets(listed, sets or (tuple(range(len(listed))),))


def _once(aggregate: Message) -> GroupingSets:
    """The old form, in which each set lists its own expressions."""
    listed: list[Message] = []
    sets: list[tuple[int, ...]] = []
    for one in aggregate.groupings:
        sets.append(tuple(range(len(listed), len(listed) + len(one.grouping_expressions))))
        listed += one.grouping_expressions
    return _distinct(GroupingSets(tuple(listed), tuple(sets) or ((),)))


def _distinct(found: GroupingSets) -> GroupingSets:
    """The same, with equal expressions as one key, in the order of their first appearance."""
    keys: list[Message] = []
    places: list[int] = []
    for one in found.keys:
        known = next((i for i, other in enumerate(keys) if other == one), None)
        places.append(len(keys) if known is None else known)
        keys += [one] if known is None else []
    sets = tuple(tuple(dict.fromkeys(places[i] for i in ordinals)) for ordinals in found.sets)
    return replace(found, keys=tuple(keys), sets=sets)


def _layout(aggregate: Message, found: GroupingSets, dialect: Dialect) -> tuple[Layout, bool]:
    """The layout that the relations above an aggregate expect, else the one that its producer writes; and whether that
    is certain."""
    distinct, measures = len(_distinct(found).keys), len(aggregate.measures)
    widths = {
        Layout.SPECIFIED: len(found.keys) + measures + 1,
        Layout.MASK: distinct + 1 + measures,
        Layout.NO_INDEX: distinct + measures,
    }
    repeated = distinct < len(found.keys)
    if dialect.writes(Shape.GROUPING_MASK) or (repeated and _in_both_forms(aggregate)):
        likely = [Layout.MASK, Layout.NO_INDEX]
        if not aggregate.grouping_expressions:  # in the old form DataFusion had no mask
            likely.reverse()
    elif aggregate.grouping_expressions:
        likely = [Layout.SPECIFIED, *([Layout.MASK] if repeated else [])]
    else:
        likely = [Layout.SPECIFIED, Layout.NO_INDEX]
    counted = _counted(aggregate)
    fitting = [layout for layout in likely if widths[layout] == counted]
    if fitting:
        return fitting[0], True
    return likely[0], not (likely[0] is Layout.SPECIFIED and repeated)


def _in_both_forms(aggregate: Message) -> bool:
    """Are the expressions of the sets written in the old form beside today's? DataFusion does so."""
    return any(one.grouping_expressions for one in aggregate.groupings)


def _counted(aggregate: Message) -> int | None:
    """How many columns an aggregate has for the root above it, or for a projection that keeps just its expressions."""
    below, above = aggregate, _above(aggregate)
    while above is not None and above.kind.short in ("SortRel", "FetchRel", "FilterRel") and not _emits(below):
        below, above = above, _above(above)
    if above is None or _emits(below):
        return None
    if above.kind.short == "RelRoot":
        return len(above.names)
    if above.kind.short != "ProjectRel":
        return None
    kept: Sequence[int] = above.common.emit.output_mapping
    consecutive = bool(kept) and list(kept) == list(range(kept[0], kept[0] + len(above.expressions)))
    return kept[0] if consecutive else None


def _emits(relation: Message) -> bool:
    return relation.common.which("emit_kind") == "emit"


def _above(relation: Message) -> Message | None:
    """The message that a relation is the input of: between them is the `Rel` that says of which kind it is."""
    rel = relation.parent
    return rel.parent if rel is not None and rel.step == "input" else None
