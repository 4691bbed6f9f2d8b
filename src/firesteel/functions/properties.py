"""What a row of the catalogue can say of its function, beside names and signatures.

Passes and engines read these fields. A row that does not say otherwise is treated as the worst case: the function may
raise an error in both modes, it evaluates all its arguments, and it can tell apart values that are equal.
"""

from __future__ import annotations

import enum


class Kind(enum.Enum):
    """How a function is called."""

    SCALAR = "scalar"
    AGGREGATE = "aggregate"
    WINDOW = "window"


class Origin(enum.Enum):
    """Whose function it is: PartiQL's, one of Substrait's standard extensions, or one that a user has registered.

    Substrait's functions and a user's know no MISSING, and their calls carry the types that they were resolved to. A
    user's function may be registered anew, so that a plan with one is not kept from one run to the next.
    """

    PARTIQL = "partiql"
    SUBSTRAIT = "substrait"
    USER = "user"


class Fails(enum.Enum):
    """When a call may raise an error of its own. What may, is not evaluated for rows that it was not evaluated for
    before: a filter that may fail stays above a join."""

    #: Never, whatever the arguments are: `is_null`, `eq`.
    NEVER = enum.auto()
    #: In strict mode, if the types of the arguments do not rule it out: `upper(t.a)` where `t.a` may be an integer. In
    #: permissive mode the result is MISSING.
    WRONG_TYPES = enum.auto()
    #: In strict mode, also of the right types: `overlay` of a position that is not in the text.
    FORGIVEN = enum.auto()
    #: In both modes, and of numbers only because the result has no room: `plus`, `sum`.
    OVERFLOW = enum.auto()
    #: In both modes, and of numbers only by overflow or because the second one is zero: `divide`, `modulo`.
    DIVISION = enum.auto()
    #: In both modes, for any reason.
    MAYBE = enum.auto()


class Lazy(enum.Enum):
    """When a call stops looking at its arguments, which it takes from left to right."""

    UNTIL_FALSE = enum.auto()
    UNTIL_TRUE = enum.auto()
    #: At the first one that is neither NULL nor MISSING.
    UNTIL_PRESENT = enum.auto()


class OfNothing(enum.Enum):
    """What an aggregate gives of no rows at all."""

    NULL = enum.auto()
    ZERO = enum.auto()
    ONE = enum.auto()
    EMPTY_BAG = enum.auto()
