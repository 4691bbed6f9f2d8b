"""The arguments of functions: values, types, names of enumerations, lambdas."""

from __future__ import annotations

from firesteel.errors import UnsupportedError
from firesteel.rules import AnchorRule, PlanRule
from firesteel.substrait import calls
from firesteel.substrait.lower.base import FieldScope, Lowerer, Lowering
from firesteel.substrait.message import Message
from firesteel.substrait.types import read_type


def arguments(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    """The arguments of a function's call, in order, whichever version wrote them."""
    found: list[object] = []
    for one in message.arguments:
        match one.which("arg_type"):
            case "value":
                value: Message = one.given["value"]
                found.append((yield from _lambda(lowerer, value, scope)) if _is_lambda(value) else (yield value, scope))
            case "type":
                found.append(read_type(one.type, lowerer.extensions))
            case "enum":
                found.append(one.enum)
            case _:
                raise PlanRule.SAYS_NOTHING.broken("an argument that says nothing", where=one.where)
    if message.given.get("args"):
        if message.arguments:
            raise PlanRule.TWO_FORMS.broken(
                "a function with arguments of the old form beside the new", where=message.where
            )
        for one in message.args:
            if one.which("rex_type") == "enum":
                found.append(one.enum.specified if one.enum.which("enum_kind") == "specified" else "")
            else:
                found.append((yield from _lambda(lowerer, one, scope)) if _is_lambda(one) else (yield one, scope))
    return found


def _is_lambda(message: Message) -> bool:
    return message.has("lambda") or message.has("named_lambda_reference")


def _lambda(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    given = message.given.get("lambda") or named_lambda(lowerer, message.named_lambda_reference)
    return (yield from lowered_lambda(lowerer, given, scope))


def named_lambda(lowerer: Lowerer, reference: Message) -> Message:
    """The lambda that a plan declares beside its relations."""
    found = lowerer.lambdas.get(reference.lambda_reference)
    if found is None:
        raise AnchorRule.LAMBDA_ANCHOR.broken(
            f"no lambda is declared with the anchor {reference.lambda_reference}", where=reference.where
        )
    return found


def lowered_lambda(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    """A lambda: its body sees its parameters as the row at hand, and the rows outside around that."""
    if id(message) in lowerer.inlining:
        raise UnsupportedError("a lambda that calls itself", where=message.where)
    parameters = tuple(read_type(one, lowerer.extensions) for one in message.parameters.types)
    lowerer.inlining.add(id(message))
    body = yield message.body, FieldScope(parameters, scope, is_lambda=True)
    lowerer.inlining.discard(id(message))
    return calls.Lambda(parameters, body)


__all__ = ["arguments", "lowered_lambda", "named_lambda"]
