"""Functions of our own extensions, both ways: PartiQL's functions, and those that stand for nodes of our algebra.

A PartiQL function is called by the name of its row; the types of its arguments are the parameters, and the output type
is what it gives. The functions of the algebra are declared here once, each with how its node is taken apart and built.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.plan import build
from firesteel.rules import PlanRule
from firesteel.substrait.extensions import Extensions
from firesteel.substrait.message import Message
from firesteel.substrait.own_messages import ALGEBRA_URN, PARTIQL_URN
from firesteel.substrait.types import read_type

#: An argument as a message has it: a value, a type, or a name.
Argument = p.Rex | t.Type | str


# ---------------------------------------------------------------------------------------------------------------------
# PartiQL's functions


def is_plain(fn: p.Fn, args: Sequence[Any]) -> bool:
    """Does its name, with these arguments, the result and the choices, say all of a function?"""
    if ":" in fn.name or functions.find(fn.name) is None:
        return False
    return fn == build.typed_fn(fn.name, args, fn.returns, [(one.name, one.value) for one in fn.choices])


def _plain(name: str, message: Message, args: Sequence[Any], extensions: Extensions) -> p.Fn:
    if functions.find(name) is None:
        raise PlanRule.OWN_MESSAGE.broken(f"PartiQL has no function '{name}'", where=message.where)
    if any(not isinstance(one, p.Rex | t.Type) for one in args):
        raise PlanRule.OWN_MESSAGE.broken(f"'{name}' takes values and types", where=message.where)
    choices = [(one.name, one.preference[0]) for one in message.options if one.preference]
    return build.typed_fn(name, args, _returns(message, extensions), choices)


def _returns(message: Message, extensions: Extensions) -> t.Type:
    if message.output_type.which("kind") is None:
        raise PlanRule.OWN_MESSAGE.broken("a function of ours without its output type", where=message.where)
    return read_type(message.output_type, extensions)


def scalar(message: Message, args: Sequence[Any], extensions: Extensions) -> p.Rex | None:
    """The expression that a call of a function of ours is; None for other functions."""
    declared = extensions.function(message.function_reference, message.where)
    if declared.urn == PARTIQL_URN:
        return p.Call(_plain(declared.name, message, args, extensions), tuple(args))
    if declared.urn != ALGEBRA_URN:
        return None
    made = NODES.get(declared.name)
    if made is None:
        raise PlanRule.OWN_MESSAGE.broken(f"our algebra has no function '{declared.name}'", where=message.where)
    choices = tuple([p.Choice(one.name, one.preference[0]) for one in message.options if one.preference])
    try:
        return made[1](list(args), _returns(message, extensions), choices)
    except FiresteelError as error:
        raise error.located(message.where) from None
    except (IndexError, TypeError, ValueError, AttributeError, KeyError):
        raise PlanRule.OWN_MESSAGE.broken(
            f"'{declared.name}' of our algebra does not take these arguments", where=message.where
        ) from None


def over_rows(
    message: Message, args: Sequence[Any], extensions: Extensions
) -> tuple[p.Fn, tuple[p.Rex | t.Type, ...]] | None:
    """The function and the arguments of an aggregate or window call of a PartiQL function; None for other functions."""
    declared = extensions.function(message.function_reference, message.where)
    if declared.urn != PARTIQL_URN:
        return None
    return _plain(declared.name, message, args, extensions), tuple(args)


# ---------------------------------------------------------------------------------------------------------------------
# Nodes of the algebra

Taken = list[Argument]
Built = Callable[[list[Any], t.Type, tuple[p.Choice, ...]], p.Rex]


def _rex(value: Any) -> p.Rex:
    if not isinstance(value, p.Rex):
        raise TypeError(value)
    return value


def _take_path(rex: p.Path) -> Taken:
    taken: Taken = [rex.root]
    for step in rex.steps:
        if isinstance(step, p.Key):
            taken += ["OPTIONAL_KEY" if step.optional else "KEY", step.key]
        else:
            taken.append("ELEMENTS" if isinstance(step, p.Wildcard) else "ATTRIBUTES")
    return taken


def _build_path(args: list[Any], type_: t.Type, _: Any) -> p.Rex:
    root, *rest = args
    steps: list[p.Step] = []
    at = iter(rest)
    for name in at:
        match name:
            case "KEY" | "OPTIONAL_KEY":
                steps.append(p.Key(_rex(next(at, None)), optional=name == "OPTIONAL_KEY"))
            case "ELEMENTS":
                steps.append(p.Wildcard())
            case "ATTRIBUTES":
                steps.append(p.UnpivotStep())
            case _:
                raise ValueError(name)
    return p.Path(type_, _rex(root), tuple(steps))


def _build_struct(args: list[Any], type_: t.Type, _: Any) -> p.Rex:
    pairs = zip(map(_rex, args[::2]), map(_rex, args[1::2]), strict=True)
    return p.Struct(type_, tuple(p.Pair(key, value) for key, value in pairs))


def _take_case(rex: p.Case) -> Taken:
    taken: Taken = ["MATCH", rex.match] if rex.match is not None else []
    for branch in rex.branches:
        taken += [branch.when, branch.then]
    return taken + (["DEFAULT", rex.default] if rex.default is not None else [])


def _build_case(args: list[Any], type_: t.Type, _: Any) -> p.Rex:
    match: p.Rex | None = None
    default: p.Rex | None = None
    if args and args[0] == "MATCH":
        match, args = _rex(args[1]), args[2:]
    if len(args) > 1 and args[-2] == "DEFAULT":
        default, args = _rex(args[-1]), args[:-2]
    pairs = zip(map(_rex, args[::2]), map(_rex, args[1::2]), strict=True)
    return p.Case(type_, match, tuple(p.Branch(when, then) for when, then in pairs), default=default)


def _build_var(args: list[Any], type_: t.Type, _: Any) -> p.Rex:
    (var,) = args
    if not isinstance(var, p.Var):
        raise TypeError(var)
    return var.replace(type=type_)


def _take_call(rex: p.Call) -> Taken:
    """The name and the options of a function, then for each parameter its kind and its type, and then the arguments."""
    taken: Taken = [rex.fn.name, str(int(rex.fn.opts))]
    for parameter in rex.fn.params:
        taken += ["TYPE" if isinstance(parameter, p.TypeParam) else "VALUE", parameter.type]
    return [*taken, "ARGUMENTS", *rex.args]


def _build_call(args: list[Any], type_: t.Type, choices: tuple[p.Choice, ...]) -> p.Rex:
    name, opts, *rest = args
    end = rest.index("ARGUMENTS")
    kinds: dict[str, type[p.TypeParam | p.ValueParam]] = {"TYPE": p.TypeParam, "VALUE": p.ValueParam}
    params = tuple(kinds[kind](given) for kind, given in zip(rest[:end:2], rest[1:end:2], strict=True))
    if not isinstance(name, str) or any(not isinstance(one, p.Rex | t.Type) for one in rest[end + 1 :]):
        raise TypeError(name)
    fn = p.Fn(name, p.FnOption(int(opts)), params, type_, choices=choices)
    return p.Call(fn, tuple(rest[end + 1 :]))


def _one_name(args: list[Any]) -> str:
    (name,) = args
    if not isinstance(name, str):
        raise TypeError(name)
    return name


def _build_parameter(args: list[Any], type_: t.Type, _: Any) -> p.Rex:
    ordinal, *default = args
    return p.Parameter(type_, int(ordinal), default=_rex(default[0]) if default else None)


#: For each function: the class of its node, what the arguments are, and the node that they make.
NODES: dict[str, tuple[Callable[[Any], Taken], Built]] = {
    "path": (_take_path, _build_path),
    "struct": (lambda rex: [part for pair in rex.pairs for part in (pair.key, pair.value)], _build_struct),
    "collection": (
        lambda rex: list(rex.items),
        lambda args, type_, _: p.Collection(type_, tuple(map(_rex, args))),
    ),
    "case": (_take_case, _build_case),
    "coll_to_scalar": (lambda rex: [rex.query], lambda args, _, __: p.CollToScalar(*map(_rex, args))),
    "var": (lambda rex: [rex], _build_var),
    "call": (_take_call, _build_call),
    "global": (lambda rex: [str(rex.ordinal)], lambda args, type_, _: p.Global(type_, int(_one_name(args)))),
    "unresolved": (lambda rex: [rex.name], lambda args, type_, _: p.UnresolvedVar(type_, _one_name(args))),
    "parameter": (
        lambda rex: [str(rex.ordinal), *([rex.default] if rex.default is not None else [])],
        _build_parameter,
    ),
}


def taken(rex: p.Rex) -> Taken:
    """The arguments of the function of our algebra that stands for a node."""
    return NODES[rex.tag][0](rex)
