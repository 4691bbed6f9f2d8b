"""Statements and the plan around them."""

from __future__ import annotations

import enum
from dataclasses import KW_ONLY
from typing import Any as Value

from firesteel.plan.base import PlanNode, Rel, Rex, Statement
from firesteel.plan.rex import Fn
from firesteel.types import Type


class Mode(enum.Enum):
    """What an expression does that cannot: gives MISSING, or raises an error."""

    PERMISSIVE = "permissive"
    STRICT = "strict"


class Query(Statement, tag="query"):
    """The value of an expression."""

    rex: Rex
    _: KW_ONLY
    mode: Mode = Mode.PERMISSIVE


class Root(Statement, tag="root"):
    """The rows of a relation, with names at this edge."""

    names: tuple[str, ...]
    input: Rel
    _: KW_ONLY
    mode: Mode = Mode.PERMISSIVE


class CreateView(Statement, tag="create_view"):
    """A name for a query."""

    name: str
    query: Rex
    _: KW_ONLY
    columns: tuple[str, ...] = ()
    mode: Mode = Mode.PERMISSIVE


class GlobalBinding(PlanNode):
    """A global that the plan refers to: its qualified name and its type."""

    path: tuple[str, ...]
    type: Type

    @property
    def name(self) -> str:
        return ".".join(self.path)


class Constant(PlanNode):
    """A named constant of a document."""

    name: str | None
    value: Value


class Definition(PlanNode):
    """A labelled node of a document."""

    label: str
    node: PlanNode


class Plan(PlanNode, tag="plan"):
    """A statement, and what it refers to: the document's parts beside it are kept as they were declared."""

    statement: Statement
    _: KW_ONLY
    globals: tuple[GlobalBinding, ...] = ()
    version: tuple[int, int] = (0, 1)
    imports: tuple[str, ...] = ("partiql",)
    types: tuple[Type, ...] = ()
    fns: tuple[Fn, ...] = ()
    constants: tuple[Constant, ...] = ()
    definitions: tuple[Definition, ...] = ()
