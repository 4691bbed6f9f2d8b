"""Expressions, by the names and in the parameter order of the PartiQL Plan document."""

from __future__ import annotations

import enum
from dataclasses import KW_ONLY
from typing import Any as Value

from firesteel import types as t
from firesteel.node import Node
from firesteel.plan.base import Rel, Rex
from firesteel.types import Type


class Lit(Rex, tag="lit"):
    """A literal."""

    type: Type
    value: Value


class Var(Rex, tag="var"):
    """A column of the row at hand, or of the `depth`-th one around it."""

    type: Type
    ordinal: int
    _: KW_ONLY
    depth: int = 0


class UnresolvedVar(Rex, tag="unresolved"):
    """A variable that a document names and does not resolve: `(var t::?)`. It can be written back, and not run."""

    type: Type
    name: str


class Global(Rex, tag="global"):
    """A binding of the database environment: the `ordinal`-th global of the plan."""

    type: Type
    ordinal: int


class Parameter(Rex, tag="parameter"):
    """A value that is given when the plan is run, or else is the one that the plan itself has for it."""

    type: Type
    ordinal: int
    _: KW_ONLY
    default: Rex | None = None


class Step(Node):
    """One step of a path."""


class Key(Step, tag="step"):
    """Into a struct by name, or into an array by index, as the key's static type says.

    A key of type `symbol` matches in any case, one of another text type exactly; any other key is an index. An
    `optional` step that leads nowhere is MISSING in strict mode too.
    """

    key: Rex
    _: KW_ONLY
    optional: bool = False


class Wildcard(Step, tag="wildcard"):
    """`[*]`: every element."""


class UnpivotStep(Step, tag="unpivot_step"):
    """`.*`: every attribute's value."""


class Path(Rex, tag="path"):
    """Steps into a value."""

    type: Type
    root: Rex
    steps: tuple[Step, ...]


class FnOption(enum.IntFlag):
    """The option bits of a function, as the document numbers them."""

    NONE = 0x00
    IMPLICIT_CAST = 0x01
    PROPAGATE = 0x10


class ValueParam(Node, tag="v", atom=True):
    """A parameter that takes a value."""

    type: Type


class TypeParam(Node, tag="t", atom=True):
    """A parameter that takes a type."""

    type: Type


class Choice(Node, tag="choice", atom=True):
    """What a call chooses of its function: the value of an option (`overflow`: `ERROR`), or of an argument that is one
    of a few names (`component`: `YEAR`)."""

    name: str
    value: str


class Fn(Node, tag="fn", atom=True):
    """A function's signature: what a call refers to. Its meaning is the catalogue's row of that name."""

    name: str
    opts: FnOption
    params: tuple[ValueParam | TypeParam, ...]
    returns: Type
    _: KW_ONLY
    choices: tuple[Choice, ...] = ()

    def choice(self, name: str) -> str | None:
        """What is chosen under that name."""
        return next((one.value for one in self.choices if one.name == name), None)


class Call(Rex, tag="call"):
    """A function applied to arguments, each a value or a type."""

    fn: Fn
    args: tuple[Rex | Type, ...]

    @property
    def type(self) -> Type:
        return self.fn.returns

    @property
    def values(self) -> tuple[Rex, ...]:
        """The arguments that are values."""
        return tuple(arg for arg in self.args if isinstance(arg, Rex))


class Branch(Node):
    """WHEN and THEN."""

    when: Rex
    then: Rex


class Case(Rex, tag="case"):
    """The first branch that holds: whose `when` equals `match`, or is true where there is none; else `default`."""

    type: Type
    match: Rex | None
    branches: tuple[Branch, ...]
    _: KW_ONLY
    default: Rex | None = None


class Collection(Rex, tag="collection"):
    """A collection of the kind that its type says. MISSING elements stay."""

    type: Type
    items: tuple[Rex, ...]


class Pair(Node):
    """An attribute under construction."""

    key: Rex
    value: Rex


class Struct(Rex, tag="struct"):
    """A struct. Attributes that are MISSING are left out; a key that is not text is an error, or left out."""

    type: Type
    pairs: tuple[Pair, ...]


class Pivot(Rex, tag="pivot"):
    """One struct from a relation: an attribute from every row."""

    type: Type
    key: Rex
    value: Rex
    input: Rel


class CollToScalar(Rex, tag="coll_to_scalar"):
    """A subquery as a scalar: the one attribute of its one row, NULL of no row, else MISSING (strict: an error)."""

    query: Rex

    @property
    def type(self) -> Type:
        element = self.query.type.element if isinstance(self.query.type, t.Collection) else t.ANY
        if isinstance(element, t.Struct) and len(element.fields) == 1 and not element.open:
            return t.union((element.fields[0].type, t.NULL, t.MISSING))
        return t.ANY


class Select(Rex, tag="select"):
    """A value from every row. A bag or an array, as its type says; of type `any` it is what its input is."""

    type: Type
    constructor: Rex
    input: Rel
