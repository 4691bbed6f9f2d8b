"""Small plan builders that all ways share."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from decimal import Decimal
from typing import Any

from firesteel import functions, values
from firesteel import types as t
from firesteel.functions import OfNothing
from firesteel.node import Node
from firesteel.passes.analysis.conditions import all_of
from firesteel.passes.decorrelate.scopes import width
from firesteel.plan import (
    Agg,
    Aggregate,
    Capture,
    Cross,
    Equi,
    Join,
    JoinKey,
    JoinType,
    Lit,
    Mode,
    Project,
    Rel,
    Rex,
    Scan,
    Strategy,
    Theta,
    Var,
    build,
    schema,
)

#: One way to decorrelate a subquery. It yields relations to be decorrelated first. It returns the outer rows with more
#: columns, and the expression that replaces the subquery; or None if the way does not fit the subquery.
Way = Generator[tuple[Node], Any, "tuple[Rel, Rex] | None"]

#: One row of no columns.
ONE = Project((), Scan(build.lit([None])))


def column(rel: Rel, ordinal: int) -> Var:
    return Var(schema(rel)[ordinal].type, ordinal)


def grouped(rel: Rel, aggs: Sequence[Agg], keys: Sequence[Rex] = (), names: Sequence[str] = ()) -> Aggregate:
    return Aggregate(Strategy.FULL, tuple(aggs), tuple(keys), rel, names=tuple(names))


def listed(rel: Rel, beside: Rel) -> Rel:
    """The relation as a list if `beside` is a list, so that their join stays a list. It must have at most one row for
    each row of `beside`."""
    return build.listed(rel, beside)


def beside(outer: Rel, one: Rel) -> Rel:
    """The outer rows, each with the columns of `one`, a relation of one row."""
    return Join(Cross(), outer, listed(one, outer))


def looked_up(outer: Rel, groups: Rel, keys: Sequence[JoinKey]) -> Rel:
    """The outer rows, each with the columns of the group that has the same keys, or with NULLs."""
    return Join(Equi(Capture.LEFT, keys=tuple(keys)), outer, listed(groups, outer))


def join_type(capture: Capture, keys: Sequence[JoinKey], conditions: Sequence[Rex]) -> JoinType:
    """The join type of these keys and conditions over both rows."""
    if keys:
        return Equi(capture, keys=tuple(keys), residual=all_of(conditions) if conditions else None)
    return Theta(capture, all_of(conditions) if conditions else build.lit(True))


def or_empty(bag: Rex) -> Rex:
    """The bag, or an empty one where the outer join found no match."""
    element = bag.type.element if isinstance(bag.type, t.Collection) else t.ANY
    return build.call("coalesce", bag, Lit(t.Bag(element), values.Bag()))


def or_nothing(agg: Agg, value: Rex) -> Rex:
    """The aggregate's value; where the outer join found no match, its value of no rows (0 for COUNT)."""
    row = functions.find(agg.fn.name)
    match row.of_nothing if row is not None else OfNothing.NULL:
        case OfNothing.EMPTY_BAG:
            return or_empty(value)
        case OfNothing.EMPTY_LIST:
            return build.call("coalesce", value, Lit(t.proper(agg.type), []))
        case OfNothing.ZERO:
            return build.call("coalesce", value, _number(0, agg.type))
        case OfNothing.ONE:
            return build.call("coalesce", value, _number(1, agg.type))
        case OfNothing.NULL:
            return value


def _number(value: int, type_: t.Type) -> Lit:
    if isinstance(type_, t.Float32 | t.Float64):
        return Lit(t.proper(type_), float(value))
    return Lit(t.proper(type_), Decimal(value)) if isinstance(type_, t.Decimal) else build.lit(value)


class Packed:
    """Several columns packed into one value, so that they can be collected, and unpacked again.

    A single column is not packed. Several become a struct. In strict mode a column that may be MISSING is put into an
    array of one element first: a MISSING attribute would be left out of the struct, and reading it would be an error.
    """

    def __init__(self, exprs: Sequence[Rex], mode: Mode) -> None:
        self._boxed = [mode is Mode.STRICT and (e.type.missable or isinstance(e.type, t.Any)) for e in exprs]
        self._alone = len(exprs) == 1
        self._types = [e.type for e in exprs]
        boxes = [build.collection(t.Array, [e]) if boxed else e for e, boxed in zip(exprs, self._boxed, strict=True)]
        self.value: Rex = exprs[0] if self._alone else build.struct((f"c{i}", e) for i, e in enumerate(boxes))

    def rel(self, bag: Rex) -> Rel:
        """The unpacked columns, as a relation over a collection of packed values."""
        scan = Scan(bag)
        item = column(scan, 0)
        if self._alone:
            return scan
        exprs = [build.path(item, f"c{i}", *([0] if boxed else [])) for i, boxed in enumerate(self._boxed)]
        return Project(tuple(exprs), scan)


def first_columns(rel: Rel, count: int) -> Rel:
    """The first `count` columns of the relation, without those that were added."""
    return build.emit(rel, range(count)) if width(rel) != count else rel
