"""Joins: which rows are paired, which are kept, and how."""

from __future__ import annotations

import enum
from dataclasses import KW_ONLY

from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.node import Node
from firesteel.plan.base import Rel, Rex
from firesteel.plan.properties import Partitioned, Properties, Singleton
from firesteel.plan.schema import schema
from firesteel.types import Field, Schema

#: A limit, because joining a shared relation with itself repeatedly doubles the columns each time.
MAX_COLUMNS = 20_000


class Capture(enum.IntEnum):
    """Which rows a join keeps. The document's codes; its LEFT_OUTER, RIGHT_OUTER and FULL_OUTER are synonyms.

    The last four are ours. Three give no right columns: the left rows that have a match, those that have none, and all
    of them with a column more that says whether they have one. LEFT_SINGLE is LEFT, and a second match is an error.
    """

    INNER = 1
    LEFT = 2
    RIGHT = 4
    FULL = 6
    LEFT_SEMI = 8
    LEFT_ANTI = 9
    LEFT_MARK = 10
    LEFT_SINGLE = 11

    @property
    def pads_left(self) -> bool:
        return self in (Capture.RIGHT, Capture.FULL)

    @property
    def pads_right(self) -> bool:
        return self in (Capture.LEFT, Capture.FULL, Capture.LEFT_SINGLE)

    @property
    def tests(self) -> bool:
        """Does the join only ask whether a left row has a match?"""
        return self in (Capture.LEFT_SEMI, Capture.LEFT_ANTI, Capture.LEFT_MARK)


class JoinType(Node):
    """What pairs the rows of a join."""


class Cross(JoinType, tag="cross"):
    """Every left row with every right row."""


class JoinKey(Node):
    """Two keys that must be equal: one of the left row, one of the right row.

    Equal is what `=` is true of; with `same` it is deep equality, NULL with NULL and MISSING with MISSING.
    """

    left: Rex
    right: Rex
    _: KW_ONLY
    same: bool = False


class Equi(JoinType, tag="equi"):
    """Rows whose keys are equal, and of which the residual condition, over the left row and then the right row, is
    true."""

    capture: Capture
    _: KW_ONLY
    keys: tuple[JoinKey, ...] = ()
    residual: Rex | None = None


class Theta(JoinType, tag="theta"):
    """Rows of which the condition, over the left row and then the right row, is true."""

    capture: Capture
    condition: Rex


class JoinStrategy(enum.Enum):
    """How a join finds its pairs. HASH builds a hash table of one side and probes it with the rows of the other. MERGE
    goes through both sides, which have to be ordered by the keys. NESTED_LOOP tries all pairs. BROADCAST sends one side
    to every partition of the other. Without a strategy the engine decides."""

    HASH = "hash"
    MERGE = "merge"
    NESTED_LOOP = "nested_loop"
    BROADCAST = "broadcast"


class Side(enum.Enum):
    """A side of a join."""

    LEFT = "left"
    RIGHT = "right"


class Join(Rel, tag="join"):
    """Rows of the left and the right, side by side. If `lateral`, the right sees the left row at depth 0."""

    type: JoinType
    left: Rel
    right: Rel
    _: KW_ONLY
    lateral: bool = False
    strategy: JoinStrategy | None = None
    #: The side that a HASH join builds its table of, or that a BROADCAST join sends around.
    build: Side = Side.RIGHT

    def derive_schema(self, inputs: list[Schema]) -> Schema:
        left, right = inputs
        if self.capture.tests:
            return left + ((Field(None, t.BOOL),) if self.capture is Capture.LEFT_MARK else ())
        if self.capture.pads_left:
            left = _padded(left)
        if self.capture.pads_right:
            right = _padded(right)
        if len(left) + len(right) > MAX_COLUMNS:
            raise PlanError(f"a relation has more than {MAX_COLUMNS:,} columns", where=self.where)
        return left + right

    def derive_is_list(self, inputs: list[bool | None]) -> bool | None:
        """A physical join keeps what the specification says. Any other is a list if both sides are."""
        left, right = inputs
        if self.strategy is not None:
            return left if self.keeps_left_order else False
        if self.capture.tests:
            return left
        if self.capture.pads_left:
            return False
        return None if left is None or right is None else left and right

    @property
    def capture(self) -> Capture:
        return self.type.capture if isinstance(self.type, Equi | Theta) else Capture.INNER

    @property
    def keeps_left_order(self) -> bool:
        """Does it give its rows in the order of the left rows? An inner hash join that probes with the left does."""
        return self.strategy is JoinStrategy.HASH and self.build is Side.RIGHT and self.capture is Capture.INNER

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        """The distribution of the side whose rows all stay; an inner join has the left's, or else the right's. There is
        one partition only if both sides have one."""
        left, right = inputs[0], inputs[1].shifted(len(schema(self.left)))
        sides = [left.distribution, right.distribution]
        if all(isinstance(side, Singleton) for side in sides):
            kept = left.distribution
        else:
            found = [side if isinstance(side, Partitioned) else None for side in sides]
            kept = found[1] if self.capture is Capture.RIGHT else found[0]
            if kept is None and not self.capture.tests and not self.capture.pads_right:
                kept = found[1]
        order = left.order if self.keeps_left_order else ()
        return Properties(order, left.order_basis, kept)


def _padded(columns: Schema) -> Schema:
    return tuple(Field(field.name, t.padded(field.type)) for field in columns)
