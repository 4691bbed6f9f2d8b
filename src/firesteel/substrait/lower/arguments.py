"""The arguments of functions: values, types, names of enumerations, lambdas."""

from __future__ import annotations

from firesteel.errors import PlanError, UnsupportedError
from firesteel.substrait import calls
from firesteel.substrait.lower.base import Lowering, Plans, Scope
from firesteel.substrait.message import Message
from firesteel.substrait.types import read_type


def arguments(plans: Plans, message: Message, scope: Scope) -> Lowering:
    """The arguments of a function's call, in order, whichever version wrote them."""
    found: list[object] = []
    for one in message.arguments:
        match one.which("arg_type"):
            case "value":
                value: Message = one.given["value"]
                found.append((yield from _lambda(plans, value, scope)) if _is_lambda(value) else (yield value, scope))
            case "type":
                found.append(read_type(one.type, plans.extensions))
            case "enum":
                found.append(one.enum)
            case _:
                raise PlanError("an argument that says nothing", where=one.where)
    if message.given.get("args"):
        if message.arguments:
            raise PlanError("a function with arguments of the old form beside the new", where=message.where)
        for one in message.args:
            if one.which("rex_type") == "enum":
                found.append(one.enum.specified if one.enum.which("enum_kind") == "specified" else "")
            else:
                found.append((yield from _lambda(plans, one, scope)) if _is_lambda(one) else (yield one, scope))
    return found


def _is_lambda(message: Message) -> bool:
    return message.has("lambda") or message.has("named_lambda_reference")


def _lambda(plans: Plans, message: Message, scope: Scope) -> Lowering:
    given = message.given.get("lambda") or named_lambda(plans, message.named_lambda_reference)
    return (yield from lowered_lambda(plans, given, scope))


def named_lambda(plans: Plans, reference: Message) -> Message:
    """The lambda that a plan declares beside its relations."""
    found = plans.lambdas.get(reference.lambda_reference)
    if found is None:
        raise PlanError(f"no lambda is declared with the anchor {reference.lambda_reference}", where=reference.where)
    return found


def lowered_lambda(plans: Plans, message: Message, scope: Scope) -> Lowering:
    """A lambda: its body sees its parameters as the row at hand, and the rows outside around that."""
    if id(message) in plans.inlining:
        raise UnsupportedError("a lambda that calls itself", where=message.where)
    parameters = tuple(read_type(one, plans.extensions) for one in message.parameters.types)
    plans.inlining.add(id(message))
    body = yield message.body, Scope(parameters, scope, is_lambda=True)
    plans.inlining.discard(id(message))
    return calls.Lambda(parameters, body)


__all__ = ["arguments", "lowered_lambda", "named_lambda"]
