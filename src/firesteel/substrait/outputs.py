"""The result type of a call whose plan declares one: the declared type, if some overload of the function returns it.

`divide` of integers that is declared to give `fp64` is the division of floats, and `avg` of decimals declared so is the
mean of floats; a mean of decimals has as many digits as are declared. If no overload returns the declared type, the
plan is refused, because the specification has the type "exactly as derived". For a producer that is known to declare
other types the derived type is kept, and that is reported as a repair; unrelated types are refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel import types as t
from firesteel.functions import Kind
from firesteel.functions import substrait as standard
from firesteel.repair import RepairKind
from firesteel.rules import CallRule
from firesteel.substrait.dialects.base import Shape
from firesteel.substrait.extensions import Extensions
from firesteel.substrait.message import Message
from firesteel.substrait.types import read_type

#: Functions whose result has as many digits as the declared type.
ANY_DIGITS = ("arithmetic_decimal:avg",)
#: DataFusion's mean of decimals has this many more digits than its argument.
_MEAN_DIGITS = 4
_MOST_DIGITS = 38


def as_declared(
    message: Message,
    kind: Kind,
    found: standard.Resolved,
    arguments: Sequence[standard.Argument],
    extensions: Extensions,
) -> standard.Resolved:
    """The call as the message declares what it gives."""
    if not message.has("output_type") or message.output_type.which("kind") is None:
        return _undeclared(message, found, extensions)
    said, given = read_type(message.output_type, extensions), found.returns
    if standard.bare(said) == standard.bare(given):  # nullability is derived, not taken from the declaration
        return found
    if not isinstance(said, t.Text):
        other = standard.giving(found, kind, arguments, said)
        if other is not None:
            extensions.repair(
                RepairKind.OVERLOAD,
                message.where,
                function=other.row.name,
                declared=t.proper(said),
                form=other.implementation,
            )
            return other
    if isinstance(said, t.Decimal) and found.row.name in ANY_DIGITS:
        types = {"given": t.proper(given), "declared": t.proper(said)}
        extensions.repair(RepairKind.DIGITS, message.where, function=found.row.name, **types)
        return replace(found, returns=t.absent(said, nullable=given.nullable))
    by_letter = not extensions.dialect.writes(Shape.OWN_TYPES) and not isinstance(given, t.Null)
    if by_letter or not (_alike(said, given) or extensions.dialect.writes(Shape.LOOSE_TYPES)):
        raise CallRule.OUTPUT_TYPE.broken(
            f"'{found.row.name}' gives {given}, and not {said}",
            where=message.where,
            help=f"the 'output_type' of a call is what the function gives; cast the result to have {t.proper(said)}",
        )
    kind_ = RepairKind.OUTPUT_LOSS if standard.loses(said, given) else RepairKind.OUTPUT
    extensions.repair(kind_, message.where, function=found.row.name, given=given, declared=said)
    return found


def _undeclared(message: Message, found: standard.Resolved, extensions: Extensions) -> standard.Resolved:
    """DataFusion declares no result type for aggregates: the mean of decimals has DataFusion's own type."""
    source = found.arguments[0] if found.arguments else None
    if found.row.name not in ANY_DIGITS or not isinstance(source, t.Decimal):
        return found
    if not extensions.dialect.writes(Shape.MEAN_DIGITS):
        return found
    precision, scale = source.precision or _MOST_DIGITS, source.scale or 0
    meant = t.Decimal(min(_MOST_DIGITS, precision + _MEAN_DIGITS), min(_MOST_DIGITS, scale + _MEAN_DIGITS))
    extensions.repair(RepairKind.UNDECLARED_MEAN, message.where, function=found.row.name, given=meant)
    return replace(found, returns=t.absent(meant, nullable=found.returns.nullable))


def _alike(a: t.Type, b: t.Type) -> bool:
    """Types of one family, which producers confuse."""
    families: tuple[type[t.Type], ...] = (t.Number, t.Text, t.Octets, t.Temporal, t.Array, t.Struct, t.Map)
    return any(isinstance(a, one) and isinstance(b, one) for one in families) or isinstance(b, t.Null)
