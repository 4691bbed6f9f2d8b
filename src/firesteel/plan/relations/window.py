"""Window functions, by the names and in the parameter order of our extension of the PartiQL Plan document."""

from __future__ import annotations

import enum
from dataclasses import KW_ONLY

from firesteel.node import Node
from firesteel.plan.base import NamingRel, Rel, Rex
from firesteel.plan.properties import Properties
from firesteel.plan.relations.rel import SortSpec
from firesteel.plan.rex import Fn
from firesteel.types import Schema, Type


class FrameUnit(enum.Enum):
    """What the bounds of a window's frame count: rows, values of the sort key, or groups of equal ones."""

    ROWS = "rows"
    RANGE = "range"
    GROUPS = "groups"


class BoundSide(enum.Enum):
    """On which side of the current row a bound lies."""

    PRECEDING = "preceding"
    CURRENT = "current"
    FOLLOWING = "following"


class Bound(Node, tag="bound"):
    """An end of a frame; without an offset it is unbounded."""

    side: BoundSide
    offset: Rex | None


class Frame(Node, tag="frame"):
    """The rows around the current one that a window call sees."""

    unit: FrameUnit
    start: Bound
    end: Bound


class WindowCall(Node, tag="window_call"):
    """A function over the rows of the current row's partition. Without a frame: up to the current row's last peer
    where there is an order, else all of the partition."""

    fn: Fn
    args: tuple[Rex | Type, ...]
    partition: tuple[Rex, ...]
    order: tuple[SortSpec, ...]
    _: KW_ONLY
    frame: Frame | None = None
    distinct: bool = False

    @property
    def type(self) -> Type:
        return self.fn.returns


class WindowMethod(enum.Enum):
    """How window functions are computed. CONSISTENT: all calls share one partitioning and sorting, and the rows stay in
    the order of the input. HASHING builds a hash table of the partitions. STREAMING needs an input that is ordered by
    the partition keys and then by the sort keys. The last two give the rows in any order."""

    CONSISTENT = "consistent"
    HASHING = "hashing"
    STREAMING = "streaming"


class Window(NamingRel, tag="window"):
    """Every input row with a column more for each call; `names` are those of the calls. The rows are a bag; the method
    CONSISTENT gives a list where the input is one."""

    calls: tuple[WindowCall, ...]
    input: Rel
    _: KW_ONLY
    method: WindowMethod | None = None

    def derive_schema(self, inputs: list[Schema]) -> Schema:
        return inputs[0] + self.named(call.type for call in self.calls)

    def derive_is_list(self, inputs: list[bool | None]) -> bool | None:
        return inputs[0] if self.keeps_order else False

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        return inputs[0] if self.keeps_order else inputs[0].without_order()

    @property
    def keeps_order(self) -> bool:
        return self.method is WindowMethod.CONSISTENT
