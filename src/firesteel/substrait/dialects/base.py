"""What a dialect is: rows, each with its reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from firesteel import types as t
from firesteel.functions.catalog import Function
from firesteel.functions.datafusion import Aggregate
from firesteel.functions.substrait.names import STANDARD_NAMES, Names

if TYPE_CHECKING:  # they are made from the dialect of a plan
    from firesteel.substrait.extensions import Extensions
    from firesteel.substrait.message import Message


class Shape(Enum):
    """Where producers write relations, types and expressions in another way than the specification has it."""

    PROJECT_REPLACES = "a project relation without `common` gives its expressions only"
    EVERY_PAIR = "a join without an expression joins every pair of rows"
    GROUPING_MASK = "several grouping sets give the distinct keys, a mask of the keys left out, and the measures"
    OWN_TYPES = "the declared type of a call is that of the producer's engine; the derived one is kept"
    LOOSE_TYPES = "the declared type of a call may be unrelated to it; the derived one is kept"
    MEAN_DIGITS = "the mean of decimals has four digits more than its argument"
    UNSIGNED = "variation 1 of an integer type, which is not declared, is the unsigned integer of as many bits"
    DICTIONARY = "variation 1 of a map, which is not declared, is a dictionary: its type is that of the values"
    NAN_LAST = "a sort by a float has NaN as the greatest value"
    CASE_BASE = "a first clause of `if_then` without a result is what the other clauses are compared with"
    NOT_LIKE = "`not_equal` of a text and a literal with `%` is NOT LIKE"
    WIDE_DECIMALS = "a decimal of more than 38 digits is one of 38 digits"


@dataclass(frozen=True)
class Given:
    """A call that a rewrite is asked about."""

    name: str
    message: Message
    args: tuple[Any, ...]
    extensions: Extensions


#: The expression that a call means; None if it is none that the rewrite knows.
Rewrite = Callable[[Given], Any]


@dataclass(frozen=True)
class Rule:
    """A rewrite of calls, and why it is done."""

    rewrite: Rewrite
    reason: str


@dataclass(frozen=True)
class Difference:
    """Why a function of the producer's own is not the standard one of its name, and for which arguments."""

    reason: str
    applies: Callable[[Sequence[Any]], bool] = lambda args: True


#: What a function gives for arguments, where the plan does not declare it.
Result = Callable[[Sequence[Any]], t.Type]


@dataclass(frozen=True, eq=False)
class Dialect:
    """How to read the plans of a producer."""

    name: str
    #: What the name of the producer contains, in lower case.
    producers: tuple[str, ...] = ()
    #: The first Substrait version that it is for, and the first that it is not for.
    since: tuple[int, int] = (0, 0)
    until: tuple[int, int] | None = None
    #: Each shape that it writes, with the reason.
    shapes: Mapping[Shape, str] = field(default_factory=dict)
    #: Names that stand for standard functions.
    names: Names = STANDARD_NAMES
    #: Types that it writes as types of an extension which it does not declare.
    types: Mapping[str, t.Type] = field(default_factory=dict)
    #: Calls that mean another expression, by the function's name.
    rules: Mapping[str, Rule] = field(default_factory=dict)
    #: Functions of its own.
    scalars: Mapping[str, Function] = field(default_factory=dict)
    aggregates: Mapping[str, Aggregate] = field(default_factory=dict)
    #: Those that mean something else than the standard function of the name. All others are asked for only if no
    #: standard function takes the arguments.
    different: Mapping[str, Difference] = field(default_factory=dict)
    #: The types of scalar functions of its own that it does not declare.
    undeclared: Mapping[str, Result] = field(default_factory=dict)
    #: A cast that the standard does not have, or has with another meaning; None for all others.
    cast: Callable[[Any, t.Type, str], Any] | None = None

    @staticmethod
    def standard() -> Dialect:
        """The specification as it is written."""
        return Dialect("spec")

    def writes(self, shape: Shape) -> bool:
        """Does it write that?"""
        return shape in self.shapes

    def covers(self, producer: str, version: tuple[int, int]) -> bool:
        """Is it the dialect of that producer (in lower case), in that version of Substrait?"""
        if not any(name in producer for name in self.producers) or version < self.since:
            return False
        return self.until is None or version < self.until
