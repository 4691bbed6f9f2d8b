"""Calls: by Substrait's functions where reading such a call gives the same node again, else by functions of ours.

The names are those that the reader knows (`substrait/calls.py`, and the rows of the catalogue). Whether a call may be
written as a function of Substrait's is not guessed: the reader's own functions are asked what they would make of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.functions import Kind
from firesteel.functions import substrait as standard
from firesteel.functions.substrait.by_name import declaration
from firesteel.functions.substrait.declarations import Implementation, urn_of
from firesteel.node import fold, rebuild
from firesteel.substrait import calls, own_calls, own_messages
from firesteel.substrait.message import Message
from firesteel.substrait.outputs import ANY_DIGITS
from firesteel.substrait.types import has_no_names
from firesteel.substrait.write.base import Row, Writer, Writing
from firesteel.substrait.write.own_nodes import argument, call, called, own_function

#: What a call of Substrait's takes: values, and names where a form has an enumeration.
Given = list[p.Rex | str]


@dataclass(frozen=True)
class Standard:
    """A function of Substrait's that a call may be written as."""

    urn: str
    name: str
    form: Implementation
    given: Given
    found: standard.Resolved
    #: The choices that are options, and not arguments.
    options: tuple[p.Choice, ...]


def scalar(writer: Writer, rex: p.Call, row: Row) -> Writing:
    """A scalar call."""
    for candidate in _scalars(rex):
        arguments: list[Message] = []
        for one in candidate.given:
            if one not in writer.target.names_meant:
                arguments.append((yield from argument(writer, one, row)))
        returns = positional(rex.type)
        return call(
            writer, candidate.urn, candidate.name, arguments, returns, candidate.options, candidate.form.signature
        )
    if writer.target.portable or not own_calls.is_plain(rex.fn, rex.args):
        return (yield from own_function(writer, rex, row))
    arguments = []
    for arg in rex.args:
        arguments.append((yield from argument(writer, arg, row)))
    return call(writer, own_messages.PARTIQL_URN, rex.fn.name, arguments, rex.type, rex.fn.choices)


def _scalars(rex: p.Call) -> Iterator[Standard]:
    """The functions of Substrait's that a call would be read from."""
    for name, args in _names(rex):
        for candidate in _forms(name, args, rex.fn.choices, Kind.SCALAR):
            if calls.plain_call(candidate.found, args) == rex:
                yield candidate


def _names(rex: p.Call) -> Iterator[tuple[str, tuple[p.Rex, ...]]]:
    """The rows that a call may be one of, each with its arguments."""
    if len(rex.values) != len(rex.args):
        return
    if ":" in rex.fn.name:
        yield rex.fn.name, rex.values
        return
    if rex.fn.name == "not" and isinstance(inner := rex.args[0], p.Call):
        for row, name in calls.NEGATED.items():
            if name == inner.fn.name and len(inner.values) == len(inner.args):
                yield row, inner.values
    for row, name in calls.SAME.items():
        if name == rex.fn.name:
            yield row, rex.values


def _forms(name: str, args: Sequence[p.Rex], choices: Sequence[p.Choice], kind: Kind) -> Iterator[Standard]:
    """The forms of a function that take these arguments as they are."""
    urn, bare = urn_of(name)
    try:
        declared = declaration(name)
    except FiresteelError:
        return
    if not urn:
        return
    for form in declared.implementations:
        given = _given(form, args, choices)
        if given is None or not form.takes(len(given)):
            continue
        names = {one.name for one in form.parameters if one.shape is None}
        options = tuple([one for one in choices if one.name not in names])
        asked = [(one.name, [one.value]) for one in options]
        try:
            found = standard.resolve(urn, bare, form.signature, kind, [calls.as_argument(one) for one in given], asked)
        except FiresteelError:
            continue
        if found.row.name == name and found.implementation == form and not found.repairs:
            yield Standard(urn, bare, form, given, found, options)


def _given(form: Implementation, args: Sequence[p.Rex], choices: Sequence[p.Choice]) -> Given | None:
    """The arguments in the order of a form: choices stand where it has an enumeration."""
    chosen = {one.name: one.value for one in choices}
    rest = list(args)
    given: Given = []
    for parameter in form.parameters:
        if parameter.shape is None:
            if parameter.name not in chosen:
                return None
            given.append(chosen[parameter.name])
        elif rest:
            given.append(rest.pop(0))
    return given + list(rest)


def positional(type_: t.Type) -> t.Type:
    """The type with its structs' fields named by their positions: the names of a result follow from its arguments."""

    def one(node: Any, inner: list[Any]) -> Any:
        made = rebuild(node, inner)
        if isinstance(made, t.Struct) and not made.open and not has_no_names(made):
            named = enumerate(made.fields, 1)
            return made.replace(fields=tuple(t.Field(f"_{i}", field.type) for i, field in named))
        return made

    made: t.Type = fold(type_, one)
    return made


# ---------------------------------------------------------------------------------------------------------------------
# Aggregates and windows


def over_rows(
    writer: Writer, fn: p.Fn, args: tuple[p.Rex | t.Type, ...], row: Row, kind: Kind, ordered: bool = False
) -> Writing:
    """What an aggregate or window call says; None if no message says it."""
    found = _over_rows(fn, args, kind, ordered)
    if found is not None:
        arguments: list[Message] = []
        for one in found.given:
            arguments.append((yield from argument(writer, one, row)))
        returns = positional(fn.returns)
        return called(writer, found.urn, found.name, arguments, returns, found.options, found.form.signature)
    if writer.target.portable or not own_calls.is_plain(fn, args):
        return None
    arguments = []
    for arg in args:
        arguments.append((yield from argument(writer, arg, row)))
    return called(writer, own_messages.PARTIQL_URN, fn.name, arguments, fn.returns, fn.choices)


def _over_rows(fn: p.Fn, args: tuple[p.Rex | t.Type, ...], kind: Kind, ordered: bool) -> Standard | None:
    values = [one for one in args if isinstance(one, p.Rex)]
    if len(values) != len(args):
        return None
    plain = "count" if fn.name == "count_star" else fn.name
    names = [fn.name] if ":" in fn.name else [row for row, name in calls.AGGREGATES.items() if name == plain]
    for name in names:
        for candidate in _forms(name, values, fn.choices, kind):
            made, _ = calls.over_rows(candidate.found, candidate.given)
            if name in ANY_DIGITS and isinstance(fn.returns, t.Decimal):
                made = made.replace(returns=t.absent(fn.returns, nullable=made.returns.nullable))
            if made == fn and (not ordered or calls.keeps_order(candidate.found)):
                return candidate
    return None


def comparator(writer: Writer, spec: p.SortSpec) -> int | None:
    """The anchor of the function that a sort compares by; None if reading it would not give this order."""
    fn = spec.comparator
    assert fn is not None
    urn, name = urn_of(fn.name)
    if spec.order is not p.SortOrder.ASC_NULLS_FIRST or standard.registered(fn.name) is None:
        return None
    both = [p.Var(spec.key.type, 0), p.Var(spec.key.type, 0)]
    for candidate in _forms(fn.name, both, fn.choices, Kind.SCALAR):
        if calls.over_rows(candidate.found, both)[0] == fn:
            return writer.anchors.function(urn, name, candidate.form.signature)
    return None
