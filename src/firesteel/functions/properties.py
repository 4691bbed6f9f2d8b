"""The enums of a catalogue row: what it says about its function besides names and signatures.

Passes and engines read these fields. The default is the worst case: the function may raise an error in both modes,
evaluates all its arguments, and can tell equal values apart.
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

    Functions of Substrait and of users do not know MISSING, and their calls carry resolved types. A user may register
    another function under the same name, so plans with a user's function are not cached.
    """

    PARTIQL = "partiql"
    SUBSTRAIT = "substrait"
    USER = "user"


class Fails(enum.Enum):
    """When a call may raise an error. Passes do not make a call that may fail run for more rows: a filter with such a
    call stays above a join."""

    #: Never, for no arguments: `is_null`, `eq`.
    NEVER = enum.auto()
    #: In strict mode, if an argument may have a wrong type: `upper(t.a)` where `t.a` may be an integer. In permissive
    #: mode the result is MISSING.
    WRONG_TYPES = enum.auto()
    #: In strict mode, also for arguments of the right types: `overlay` with a position outside the text. In permissive
    #: mode the result is MISSING.
    FORGIVEN = enum.auto()
    #: In both modes. For numbers the only reason is an overflow: `plus`, `sum`.
    OVERFLOW = enum.auto()
    #: In both modes. For numbers the only reasons are an overflow and a division by zero: `divide`, `modulo`.
    DIVISION = enum.auto()
    #: In both modes, for any reason.
    MAYBE = enum.auto()


class Lazy(enum.Enum):
    """When a call stops evaluating its arguments, which it takes from left to right."""

    UNTIL_FALSE = enum.auto()
    UNTIL_TRUE = enum.auto()
    #: At the first one that is neither NULL nor MISSING.
    UNTIL_PRESENT = enum.auto()


class OfNothing(enum.Enum):
    """The result of an aggregate over no rows."""

    NULL = enum.auto()
    ZERO = enum.auto()
    ONE = enum.auto()
    EMPTY_BAG = enum.auto()
    EMPTY_LIST = enum.auto()
