"""Extension relations: users register a function that builds them in the plan algebra."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel import plan as p
from firesteel.errors import FiresteelError, PlanError, UnsupportedError
from firesteel.functions.substrait import changed
from firesteel.rules import PlanRule, RelationRule
from firesteel.substrait import own_messages
from firesteel.substrait.lower import own_nodes
from firesteel.substrait.lower.base import FieldScope, Lowerer, Lowering, relation, require_field
from firesteel.substrait.message import Message

#: From the bytes of the message that an extension has for its relation, and its inputs, to a relation of the algebra.
Extended = Callable[[bytes, Sequence[p.Rel]], p.Rel]

_REGISTERED: dict[str, Extended] = {}


def register_relation(type_url: str, build: Extended) -> None:
    """Say what relations of an extension mean: those whose detail is a message of that type.

    `build` is given the bytes of that message and the relations that are the inputs, and returns a relation of
    `firesteel.plan`. A type is known by what comes after the last slash of its URL.
    """
    _REGISTERED[_name(type_url)] = build
    changed()


def _name(type_url: str) -> str:
    return type_url.rpartition("/")[2]


#: The captures, which Substrait has in its documents and not in its messages.
_CAPTURES: dict[str, Callable[[Message, p.Rel], p.Rel]] = {
    own_messages.MERGING_CAPTURE: lambda detail, rel: p.MergingCapture(rel, blocking=bool(detail.blocking)),
    own_messages.SIMPLE_CAPTURE: lambda _, rel: p.SimpleCapture(rel),
}


def lower_extension(detail: Message, inputs: Sequence[p.Rel]) -> p.Rel:
    """The relation that a detail stands for."""
    name = _name(detail.type_url)
    if not name:
        raise PlanRule.REQUIRED.broken("a relation of an extension that does not say which", where=detail.where)
    if name in _CAPTURES:
        if len(inputs) != 1:
            raise RelationRule.INPUTS.broken(f"'{name}' has one input, not {len(inputs)}", where=detail.where)
        return _CAPTURES[name](own_messages.opened(detail), inputs[0])
    build = _REGISTERED.get(name)
    if build is None:
        raise UnsupportedError(
            f"the relation '{name}' of an extension",
            where=detail.where,
            help="fs.register_relation(type_url, build) says what it means",
        )
    try:
        made = build(bytes(detail.value), inputs)
    except FiresteelError as error:
        raise error.located(detail.where) from None
    if not isinstance(made, p.Rel):
        raise PlanError(f"what is registered for '{name}' made no relation", where=detail.where)
    return made


@relation("extension_leaf")
def _leaf(lowerer: Lowerer, message: Message, scope: FieldScope) -> p.Rel | Lowering:
    detail = require_field(message, "detail")
    return own_nodes.relation(lowerer, detail, (), scope) if own_nodes.is_own(detail) else lower_extension(detail, ())


@relation("extension_single")
def _single(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    detail = require_field(message, "detail")
    if own_nodes.is_own(detail):
        return (yield from own_nodes.relation(lowerer, detail, [require_field(message, "input")], scope))
    source = yield require_field(message, "input"), scope
    return lower_extension(detail, (source,))


@relation("extension_multi")
def _multi(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    detail = require_field(message, "detail")
    if own_nodes.is_own(detail):
        return (yield from own_nodes.relation(lowerer, detail, message.inputs, scope))
    sources: list[p.Rel] = []
    for one in message.inputs:
        sources.append((yield one, scope))
    return lower_extension(detail, sources)
