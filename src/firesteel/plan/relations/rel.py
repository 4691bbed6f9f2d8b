"""Relations, by the names and in the parameter order of the PartiQL Plan document."""

from __future__ import annotations

import enum
from dataclasses import KW_ONLY

from firesteel import types as t
from firesteel.node import Node
from firesteel.plan.base import NamingRel, Rel, Rex
from firesteel.plan.field_paths import emitted, field_path
from firesteel.plan.properties import (
    UNKNOWN,
    OrderField,
    Properties,
    Singleton,
    SortOrder,
    same_distribution,
)
from firesteel.plan.rex import Fn
from firesteel.types import Field, Schema, Type


class Scan(NamingRel, tag="scan"):
    """A row for every element of a collection: (value), and with `identified` (value, record identifier).

    Anything else than a collection is one row; MISSING too. Strict: an error.
    """

    rex: Rex
    _: KW_ONLY
    identified: bool = False

    def derive_schema(self, _: list[Schema]) -> Schema:
        return self.named([element(self.rex.type), *([t.ANY] if self.identified else [])])

    def derive_is_list(self, _: list[bool | None]) -> bool | None:
        return _is_list(self.rex.type)


class ScanIndexed(NamingRel, tag="scan_indexed"):
    """`Scan` with the index beside the value: MISSING unless the collection is a list (strict: an error)."""

    rex: Rex
    _: KW_ONLY
    identified: bool = False

    def derive_schema(self, _: list[Schema]) -> Schema:
        type_ = self.rex.type
        index = t.absent(t.INT64, missable=not isinstance(type_, t.Array | t.Sexp) or type_.absent)
        return self.named([element(type_), index, *([t.ANY] if self.identified else [])])

    def derive_is_list(self, _: list[bool | None]) -> bool | None:
        return _is_list(self.rex.type)


class Unpivot(NamingRel, tag="unpivot"):
    """A row (key, value) for every attribute of a struct; of another value, one with the key `_1`; of MISSING, none."""

    rex: Rex

    def derive_schema(self, _: list[Schema]) -> Schema:
        return self.named([t.STRING, _attribute(self.rex.type)])

    def derive_is_list(self, _: list[bool | None]) -> bool:
        return False


class Project(NamingRel, tag="project"):
    """A row of these expressions for every input row."""

    exprs: tuple[Rex, ...]
    input: Rel

    def derive_schema(self, _: list[Schema]) -> Schema:
        return self.named(expr.type for expr in self.exprs)

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        return emitted(inputs[0], self.exprs)


class SameRows(Rel):
    """A relation of some of its input's rows, unchanged and in their partitions: orderedness and distribution stay."""

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        return inputs[0]


class Filter(SameRows, tag="filter"):
    """Keep the rows for which the predicate is true."""

    predicate: Rex
    input: Rel


class SortSpec(Node):
    """One sort key. A `comparator` is a function of two values that gives -1, 0 or 1; it takes the place of the order
    of the type, and `order` may reverse it."""

    key: Rex
    order: SortOrder
    _: KW_ONLY
    comparator: Fn | None = None


def order_fields(specs: tuple[SortSpec, ...]) -> tuple[OrderField, ...]:
    """The fields that a sort by these keys orders rows by: up to the first key that is not a field."""
    found: list[OrderField] = []
    for spec in specs:
        path = field_path(spec.key)
        if path is None:
            break
        found.append(OrderField(frozenset([path]), spec.order, spec.comparator.name if spec.comparator else None))
    return tuple(found)


class Sort(Rel, tag="sort"):
    """The rows as a list, stably sorted by the total order."""

    specs: tuple[SortSpec, ...]
    input: Rel

    def derive_is_list(self, _: list[bool | None]) -> bool:
        return True

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        return inputs[0].ordered_by(order_fields(self.specs))


class Strategy(enum.IntEnum):
    """How an aggregate groups: FULL is SQL's; PARTIAL (`GROUP PARTIAL BY`) leaves out rows with an absent key."""

    FULL = 0
    PARTIAL = 1


class Agg(Node, tag="agg"):
    """An aggregate call: of the rows that the filter is true of, in that order where the function asks for one."""

    fn: Fn
    args: tuple[Rex | Type, ...]
    _: KW_ONLY
    distinct: bool = False
    filter: Rex | None = None
    order: tuple[SortSpec, ...] = ()

    @property
    def type(self) -> Type:
        return self.fn.returns


class AggregateMethod(enum.Enum):
    """How groups are found. STREAMING needs rows with equal keys side by side, and keeps the order of the input."""

    HASH = "hash"
    STREAMING = "streaming"


class Aggregate(NamingRel, tag="aggregate"):
    """A row (keys, then aggregates) for every group; without keys one row, always."""

    strategy: Strategy
    aggs: tuple[Agg, ...]
    keys: tuple[Rex, ...]
    input: Rel
    _: KW_ONLY
    method: AggregateMethod | None = None

    def derive_schema(self, _: list[Schema]) -> Schema:
        return self.named([*(group_key(key.type) for key in self.keys), *(agg.type for agg in self.aggs)])

    def derive_is_list(self, inputs: list[bool | None]) -> bool | None:
        return inputs[0] if self.keeps_order else False

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        """The distribution stays if its fields are keys. A streaming aggregate keeps the order of its keys."""
        if not self.keys:
            return UNKNOWN.distributed(Singleton())
        kept = emitted(inputs[0], self.keys)
        return kept if self.method is AggregateMethod.STREAMING else kept.without_order()

    @property
    def keeps_order(self) -> bool:
        """Does it give its groups in the order of its input's rows?"""
        return self.method is AggregateMethod.STREAMING and bool(self.keys)


class Quantifier(enum.Enum):
    """ALL keeps duplicates, DISTINCT does not."""

    ALL = "all"
    DISTINCT = "distinct"


class SetRel(Rel):
    """The operators on two relations of one schema; rows are the same by deep equality, NULL with NULL."""

    left: Rel
    right: Rel
    _: KW_ONLY
    quantifier: Quantifier = Quantifier.ALL

    def derive_schema(self, inputs: list[Schema]) -> Schema:
        left, right = inputs
        if len(left) != len(right):
            return left
        return tuple(Field(a.name, self._combined(a.type, b.type)) for a, b in zip(left, right, strict=True))

    def _combined(self, left: Type, right: Type) -> Type:
        """The type of a column. MISSING and NULL are one here."""
        made = t.union((left, right))
        if left.missable or right.missable or isinstance(made, t.Any | t.Union | t.Null):
            return made
        return t.absent(made, nullable=self.may_be_null(left.nullable, right.nullable))

    def may_be_null(self, left: bool, right: bool) -> bool:
        """May a column be NULL, if it may be in the left and in the right?"""
        return left or right

    def derive_is_list(self, _: list[bool | None]) -> bool:
        return False

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        """The distribution stays if both inputs have the same."""
        return UNKNOWN.distributed(same_distribution(inputs[0].distribution, inputs[1].distribution))


class Union(SetRel, tag="union"):
    """The rows of both."""


class Intersect(SetRel, tag="intersect"):
    """The rows that both have, as often as both have them."""

    def may_be_null(self, left: bool, right: bool) -> bool:
        return left and right


class Except(SetRel, tag="except"):
    """The rows of the left, less those of the right."""

    def may_be_null(self, left: bool, right: bool) -> bool:
        return left


class Shared(SameRows, tag="shared"):
    """A relation that several places refer to by its name: it sees no row around it, and runs once for all of them."""

    name: str
    input: Rel


class Distinct(Rel, tag="distinct"):
    """Every row once: rows are the same by deep equality, NULL with NULL, MISSING with MISSING."""

    input: Rel

    def derive_is_list(self, _: list[bool | None]) -> bool:
        return False

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        return inputs[0].without_order()


class Limit(SameRows, tag="limit"):
    """The first rows, at most so many."""

    count: Rex
    input: Rel


class Offset(SameRows, tag="offset"):
    """All but the first rows."""

    count: Rex
    input: Rel


def element(type_: Type) -> Type:
    """The type of what a scan of a value of this type binds."""
    parts = [m.element if isinstance(m, t.Collection) else t.proper(m) for m in t.members(type_)]
    if type_.nullable and not isinstance(type_, t.Any):
        parts.append(t.NULL)
    if type_.missable and not isinstance(type_, t.Any):
        parts.append(t.MISSING)
    return t.union(parts)


def _is_list(type_: Type) -> bool | None:
    """Are the rows of a scan of a value of this type a list?"""
    kinds = {isinstance(member, t.Array | t.Sexp) for member in t.members(type_)}
    return None if isinstance(type_, t.Any) or len(kinds) > 1 else kinds.pop()


def _attribute(type_: t.Type) -> t.Type:
    """The type of what unpivoting a value of this type binds."""
    parts: list[t.Type] = []
    for member in t.members(type_):
        if isinstance(member, t.Struct) and not member.open:
            parts.extend(field.type for field in member.fields)
        elif isinstance(member, t.Struct):
            return t.ANY
        else:
            parts.append(t.proper(member))
    if type_.nullable and not isinstance(type_, t.Any):
        parts.append(t.NULL)
    return t.union(parts) if parts else t.ANY


def group_key(type_: t.Type) -> t.Type:
    """MISSING keys become NULL and share its group."""
    if isinstance(type_, t.Missing):
        return t.NULL
    return t.absent(type_, nullable=True, missable=False) if type_.missable else type_
