"""EXCLUDE: rows with parts of their values left out."""

from __future__ import annotations

from dataclasses import KW_ONLY

from firesteel import types as t
from firesteel.node import Node
from firesteel.plan.base import Rel
from firesteel.plan.properties import FieldPath, Properties
from firesteel.types import Field, Schema


class ExcludeStep(Node):
    """A step of an EXCLUDE path."""


class ExcludeField(ExcludeStep, tag="exclude_field"):
    """The attributes of this name; of any case unless `exact`."""

    name: str
    _: KW_ONLY
    exact: bool = False


class ExcludeIndex(ExcludeStep, tag="exclude_index"):
    """The element at this index."""

    index: int


class ExcludeElements(ExcludeStep, tag="exclude_elements"):
    """`[*]`: every element."""


class ExcludeAttributes(ExcludeStep, tag="exclude_attributes"):
    """`.*`: every attribute."""


class ExcludePath(Node, tag="exclude_path"):
    """What is left out of a column: where the steps lead."""

    ordinal: int
    steps: tuple[ExcludeStep, ...]


class Exclude(Rel, tag="exclude"):
    """The rows with parts of their values left out."""

    paths: tuple[ExcludePath, ...]
    input: Rel

    def derive_schema(self, inputs: list[Schema]) -> Schema:
        touched = {path.ordinal for path in self.paths}
        return tuple(Field(f.name, t.ANY) if i in touched else f for i, f in enumerate(inputs[0]))

    def derive_properties(self, inputs: list[Properties]) -> Properties:
        """Fields of the columns that parts are left out of are not known any more."""
        touched = {path.ordinal for path in self.paths}

        def move(path: FieldPath) -> list[FieldPath]:
            return [] if path[0] in touched else [path]

        return inputs[0].mapped(move)
