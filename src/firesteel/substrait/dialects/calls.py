"""Calls as a plan's dialect has them: rewritten to other expressions, or of functions of the producer's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.plan import build
from firesteel.repair import RepairKind
from firesteel.substrait.dialects.base import Given, Rule
from firesteel.substrait.dialects.datafusion_calls import declared_type, values
from firesteel.substrait.extensions import Extensions
from firesteel.substrait.message import Message


@dataclass(frozen=True)
class OverRows:
    """An aggregate or window call: its function, its arguments, and whether the order of the rows matters."""

    fn: p.Fn
    values: tuple[p.Rex | t.Type, ...]
    keeps_order: bool


def _given(message: Message, args: Sequence[Any], extensions: Extensions) -> Given | None:
    """The call, if its function is of no extension, so that it goes by its name."""
    declared = extensions.function(message.function_reference, message.where)
    if declared.urn is not None:
        return None
    return Given(declared.name.lower(), message, tuple(args), extensions)


def scalar(message: Message, args: Sequence[Any], extensions: Extensions) -> p.Rex | None:
    """The expression that a call means by a rule of the dialect, or by a function of its own that the standard has
    with another meaning; None for all other calls."""
    given = _given(message, args, extensions)
    if given is None:
        return None
    rule = extensions.dialect.rules.get(given.name)
    made = None if rule is None else _applied(rule, given)
    if made is not None or not _differs(given):
        return made
    return own_scalar(message, args, extensions)


def _differs(given: Given) -> bool:
    """Does the function mean something else than the standard one of its name, for these arguments?"""
    found = given.extensions.dialect.different.get(given.name)
    return found is not None and found.applies(given.args)


def _applied(rule: Rule, given: Given) -> p.Rex | None:
    noted = len(given.extensions.repairs)
    try:
        made: p.Rex | None = rule.rewrite(given)
    except FiresteelError as error:
        raise error.located(given.message.where) from None
    if made is not None and len(given.extensions.repairs) == noted:
        given.extensions.repair(RepairKind.REWRITTEN, given.message.where, name=given.name, why=rule.reason)
    return made


def own_scalar(message: Message, args: Sequence[Any], extensions: Extensions) -> p.Rex | None:
    """The call of a function of the producer's own, of the type that the plan declares; None if it has none of that
    name which takes so many arguments."""
    given = _given(message, args, extensions)
    row = None if given is None else extensions.dialect.scalars.get(given.name)
    if given is None or row is None or not any(one.takes(len(args)) for one in row.signatures):
        return None
    found = values(given)
    type_ = None if found is None else declared_type(given) or _undeclared(given)
    if type_ is None or found is None:
        return None
    extensions.repair(RepairKind.OWN_FUNCTION, message.where, name=given.name, dialect=extensions.dialect.name)
    return p.Call(build.typed_fn(row.name, found, t.absent(type_, nullable=True)), tuple(found))


def _undeclared(given: Given) -> t.Type | None:
    result = given.extensions.dialect.undeclared.get(given.name)
    return None if result is None else result(given.args)


def differing_aggregate(message: Message, args: Sequence[Any], extensions: Extensions) -> OverRows | None:
    """The call of an aggregate of the producer's own that the standard has with another meaning."""
    given = _given(message, args, extensions)
    return own_aggregate(message, args, extensions) if given is not None and _differs(given) else None


def own_aggregate(message: Message, args: Sequence[Any], extensions: Extensions) -> OverRows | None:
    """The call of an aggregate of the producer's own; None if it has none that takes the arguments."""
    given = _given(message, args, extensions)
    known = None if given is None else extensions.dialect.aggregates.get(given.name)
    found = None if given is None else values(given)
    if given is None or known is None or found is None:
        return None
    returns = known.result([one.type for one in found]) if found else None
    if returns is None or not any(one.takes(len(found)) for one in known.row.signatures):
        return None
    extensions.repair(RepairKind.OWN_FUNCTION, message.where, name=given.name, dialect=extensions.dialect.name)
    choices = (("direction", "DESC"),) if _is_descending(message) else ()
    return OverRows(build.typed_fn(known.row.name, found, returns, choices), tuple(found), known.ordered)


def _is_descending(message: Message) -> bool:
    """Is the order of an aggregate's rows, of which only the first key counts for percentiles, from high to low?"""
    return bool(message.sorts) and "DESC" in message.sorts[0].label("direction")


def arguments(message: Message, args: Sequence[Any], extensions: Extensions) -> Sequence[Any]:
    """The arguments of an aggregate, with those that the producer leaves out."""
    given = _given(message, args, extensions)
    rule = None if given is None else extensions.dialect.rules.get(given.name)
    made = None if given is None or rule is None else rule.rewrite(given)
    return made if isinstance(made, tuple) else args
