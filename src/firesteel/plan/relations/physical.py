"""Physical relations: how rows are spread over partitions and put together again, and what is promised of a table.

The other physical relations are logical ones with a strategy: see `Join`, `Aggregate` and `Window` in `rel.py`.
"""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Any as Value

from firesteel import types as t
from firesteel.node import Node
from firesteel.plan.base import NamingRel, Rel, Rex
from firesteel.plan.field_paths import emitted, field_path, read_fields
from firesteel.plan.properties import (
    Basis,
    Distribution,
    FieldPath,
    Partitioned,
    Properties,
    Singleton,
)
from firesteel.plan.relations.rel import SameRows, SortSpec, order_fields
from firesteel.plan.rex import Choice
from firesteel.types import Schema, Type

# ---------------------------------------------------------------------------------------------------------------------
# Exchange


class ExchangeKind(Node):
    """To which partitions an exchange sends a row."""


class Scatter(ExchangeKind, tag="scatter"):
    """To the one that a hash of these fields gives: the same for equal values of equal types, in every exchange with
    the same number of partitions."""

    fields: tuple[Rex, ...]


class SingleBucket(ExchangeKind, tag="single_bucket"):
    """To the one whose number the expression gives. It is taken modulo the number of partitions, unless it is
    `constrained`: then a number that is no partition's is an error."""

    expression: Rex
    _: KW_ONLY
    constrained: bool = False


class MultiBucket(ExchangeKind, tag="multi_bucket"):
    """To all whose numbers are in the list that the expression gives."""

    expression: Rex
    _: KW_ONLY
    constrained: bool = False


class Broadcast(ExchangeKind, tag="broadcast"):
    """To all of them."""


class RoundRobin(ExchangeKind, tag="round_robin"):
    """To each in turn; if it is `exact`, row by row, otherwise in any batches of about the same size."""

    _: KW_ONLY
    exact: bool = False


class Target(Node, tag="target"):
    """Where some partitions go: to a location, or to what `value` means to whoever made the plan."""

    partitions: tuple[int, ...]
    _: KW_ONLY
    uri: str | None = None
    value: Value = None


class Exchange(Rel, tag="exchange"):
    """The rows of the input, in other partitions. Without a number of partitions the engine chooses one.

    A row that is sent to several partitions is a row in each of them. If it is `numbered`, a column more (int32) has
    the number of the partition that a row is in.
    """

    kind: ExchangeKind
    input: Rel
    _: KW_ONLY
    partitions: int | None = None
    targets: tuple[Target, ...] = ()
    numbered: bool = False

    def derive_schema(self, inputs: list[Schema]) -> Schema:
        return inputs[0] + ((t.Field(None, t.INT32),) if self.numbered else ())

    @property
    def copies(self) -> bool:
        """May it send a row to several partitions?"""
        return isinstance(self.kind, Broadcast | MultiBucket)

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        return inputs[0].distributed(self._distribution())

    def _distribution(self) -> Distribution | None:
        if self.partitions == 1:
            return Singleton()
        match self.kind:
            case Scatter(fields=rexes):
                fields = read_fields(rexes)
            case SingleBucket(expression=rex):
                fields = read_fields([rex])
            case _:
                return None
        return None if fields is None else Partitioned(frozenset(frozenset([path]) for path in fields))


# ---------------------------------------------------------------------------------------------------------------------
# Captures


class MergingCapture(SameRows, tag="merging_capture"):
    """The rows of all partitions as one stream, merged so that they stay in order. `blocking` says whether it waits for
    all of them first; Spark always does."""

    input: Rel
    _: KW_ONLY
    blocking: bool = False


class SimpleCapture(Rel, tag="simple_capture"):
    """The rows of all partitions as they come, in any order."""

    input: Rel

    def derive_is_list(self, _: list[bool | None]) -> bool:
        return False

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        return inputs[0].without_order()


# ---------------------------------------------------------------------------------------------------------------------
# Top-N and expand


class TopN(Rel, tag="top_n"):
    """The first rows in the order of the keys: a sort and a fetch in one. With `ties` it also gives the rows that are
    equal to the last one in all keys. The counts see no row."""

    specs: tuple[SortSpec, ...]
    count: Rex
    input: Rel
    _: KW_ONLY
    skip: Rex | None = None
    ties: bool = False

    def derive_is_list(self, _: list[bool | None]) -> bool:
        return True

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        return inputs[0].ordered_by(order_fields(self.specs))


class ExpandField(Node):
    """A field of an expand."""

    def type_of(self, count: int) -> Type:
        """The type of the field, if there are so many duplicates of a row."""
        raise NotImplementedError


class Consistent(ExpandField, tag="consistent"):
    """A field that is the same in all duplicates of a row."""

    value: Rex

    def type_of(self, count: int) -> Type:
        return self.value.type


class Switching(ExpandField, tag="switching"):
    """A field that has another value in each duplicate; NULL where there are more duplicates than values."""

    duplicates: tuple[Rex, ...]

    def type_of(self, count: int) -> Type:
        filled = [t.NULL] if len(self.duplicates) < count else []
        return t.union([*(rex.type for rex in self.duplicates), *filled])


class Expand(NamingRel, tag="expand"):
    """Duplicates of every row, as many as the longest switching field has, one after the other: the fields, and then
    the number of the duplicate, counted from 0 (int32)."""

    fields: tuple[ExpandField, ...]
    input: Rel

    def derive_schema(self, _: list[Schema]) -> Schema:
        return self.named([*(field.type_of(self.count) for field in self.fields), t.INT32])

    @property
    def count(self) -> int:
        """How many duplicates there are of a row."""
        return max((len(one.duplicates) for one in self.fields if isinstance(one, Switching)), default=1)

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        exprs = [one.value if isinstance(one, Consistent) else None for one in self.fields]
        return emitted(inputs[0], [*exprs, None])


# ---------------------------------------------------------------------------------------------------------------------
# Promises


class Promised(Rel, tag="promised"):
    """The rows of the input, of which the plan or the owner of a table promises an order and a distribution. The keys
    of the order and of `partitioned` are fields. If it is `verified`, the rows are checked when they are read.
    `options` are the name and value pairs of a read."""

    order: tuple[SortSpec, ...]
    input: Rel
    _: KW_ONLY
    partitioned: tuple[Rex, ...] = ()
    singleton: bool = False
    verified: bool = False
    options: tuple[Choice, ...] = ()

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        """What is promised, and where nothing is promised, what is known of the input."""
        basis = Basis.VERIFIED if self.verified else Basis.DECLARED
        found = inputs[0]
        if self.order:
            found = found.ordered_by(order_fields(self.order), basis)
        if self.singleton:
            found = found.distributed(Singleton(basis))
        elif self.partitioned:
            paths = [field_path(rex) for rex in self.partitioned]
            known: list[FieldPath] = [path for path in paths if path is not None]
            if len(known) == len(paths):
                found = found.distributed(Partitioned(frozenset(frozenset([path]) for path in known), basis))
        return found
