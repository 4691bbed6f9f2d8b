"""The two sorts of plan nodes: relations and expressions.

Scope. A binding tuple is positional: `Var(ordinal)` is a column of the row at hand. An expression of a relation with
inputs sees that relation's input row (of a join, left then right) at depth 0, and what the relation itself sees at
depth 1 and up. An expression of a leaf (`scan`, `unpivot`) sees what the leaf sees: at the top nothing, inside an
expression that expression's row, on the right of a lateral join the left row.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING

from firesteel.errors import PlanError
from firesteel.node import Node
from firesteel.plan.properties import UNKNOWN, Properties
from firesteel.types import Field, Schema, Type


class PlanNode(Node):
    """Anything that a plan is made of."""


class Rex(PlanNode):
    """An expression: gives a value."""

    if TYPE_CHECKING:

        @property
        def type(self) -> Type:
            """The static type of the value."""


class Hints(Node, atom=True):
    """What a plan estimates of a relation's rows and how it calls them. Nothing of it changes the result."""

    _: KW_ONLY
    #: About how many rows there are, and of how many bytes each.
    row_count: float | None = None
    record_size: float | None = None
    #: What the plan calls the relation and its columns.
    alias: str | None = None
    names: tuple[str, ...] = ()


class Rel(PlanNode):
    """A relation: gives a bindings collection.

    Its schema follows from what it is (`plan.schema`). `declared` is a schema that a document states and that differs
    from that: it is kept, written back and checked by `check`, and otherwise ignored.
    """

    _: KW_ONLY
    declared: Schema | None = None
    hints: Hints | None = None

    # What follows from what a relation is, given the same of its inputs. `plan/schema.py` asks, once per node.

    def derive_schema(self, inputs: list[Schema]) -> Schema:
        """The columns: those of the only input, unless a relation says otherwise."""
        if len(inputs) != 1:
            raise PlanError(f"the columns of '{self.tag}' are not known", where=self.where)
        return inputs[0]

    def derive_is_list(self, inputs: list[bool | None]) -> bool | None:
        """Are the rows a list (True) or a bag (False)? None where only the run can tell. As the only input's rows,
        unless a relation says otherwise."""
        return inputs[0] if len(inputs) == 1 else None

    def derive_properties(self, _inputs: list[Properties]) -> Properties:
        """What is known of the order of the rows and of their partitions. Nothing, unless a relation says more."""
        return UNKNOWN


class NamingRel(Rel):
    """A relation that makes columns; `names` are for people and for the edges of a plan."""

    _: KW_ONLY
    names: tuple[str, ...] = ()

    def derive_schema(self, inputs: list[Schema]) -> Schema:
        raise NotImplementedError(f"{type(self).__name__} makes columns and does not say which")

    def named(self, types: Iterable[Type]) -> Schema:
        """Columns of these types, with the relation's names if there are as many."""
        listed = list(types)
        names = self.names if len(self.names) == len(listed) else (None,) * len(listed)
        return tuple(map(Field, names, listed))


class Statement(PlanNode):
    """What a plan does."""
