"""Calls of Substrait functions: finds the function that a message calls, and builds the expression.

A call becomes a PartiQL function where both mean the same for these argument types (`equal` becomes `eq`), because
passes (joins, filter pushdown, decorrelation) know PartiQL's functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError, UnsupportedError
from firesteel.functions import Kind
from firesteel.functions import substrait as standard
from firesteel.functions.substrait.coercion import bare
from firesteel.plan import build
from firesteel.plan.fit import rename_fields
from firesteel.rules import CallRule
from firesteel.substrait import own_calls
from firesteel.substrait.dialects import calls as dialect_calls
from firesteel.substrait.extensions import Extensions
from firesteel.substrait.message import Message
from firesteel.substrait.outputs import as_declared


@dataclass(frozen=True)
class Lambda:
    """An argument that is a function: its body sees the parameters as a row of its own."""

    parameters: tuple[t.Type, ...]
    body: p.Rex

    @property
    def type(self) -> t.Type:
        return t.Function(self.parameters, self.body.type)


#: A value, a type, the name of an enumeration argument (`YEAR`), or a lambda.
CallArgument = p.Rex | t.Type | str | Lambda


def scalar(message: Message, args: Sequence[CallArgument], extensions: Extensions) -> p.Rex:
    """A scalar call."""
    own = own_calls.scalar(message, args, extensions)
    if own is not None:
        return own.at(message.where)
    meant = dialect_calls.scalar(message, args, extensions)
    if meant is not None:
        return meant.at(message.where)
    try:
        found = _resolved(message, Kind.SCALAR, args, extensions)
    except FiresteelError:
        other = dialect_calls.own_scalar(message, args, extensions)
        if other is None:
            raise
        return other.at(message.where)
    values = named_alike(_values(found, args))
    if any(isinstance(one, p.Lit) and isinstance(one.type, t.Function) for one in values):  # no function: NULL
        return p.Lit(t.absent(found.returns, nullable=True), None).at(message.where)
    if any(isinstance(one, Lambda) for one in values):
        return _with_lambda(found, values, message).at(message.where)
    return plain_call(found, [one for one in values if not isinstance(one, Lambda)]).at(message.where)


def plain_call(found: standard.Resolved, values: Sequence[p.Rex | t.Type]) -> p.Rex:
    """The expression that a call without lambdas is read as; PartiQL's function where it means the same."""
    return _ours(found, values) or p.Call(_fn(found, values), tuple(values))


def aggregate(
    message: Message, args: Sequence[CallArgument], extensions: Extensions, order: tuple[p.SortSpec, ...] = ()
) -> p.Agg:
    """An aggregate call, without its filter."""
    _phase(message)
    own = own_calls.over_rows(message, args, extensions)
    if own is not None:
        return p.Agg(*own, distinct=_is_distinct(message), order=order).at(message.where)
    args = dialect_calls.arguments(message, args, extensions)
    found = _over_rows(message, Kind.AGGREGATE, args, extensions)
    kept = order if found.keeps_order else ()
    return p.Agg(found.fn, found.values, distinct=_is_distinct(message), order=kept).at(message.where)


def _over_rows(
    message: Message, kind: Kind, args: Sequence[CallArgument], extensions: Extensions
) -> dialect_calls.OverRows:
    """An aggregate or window call: of a standard function, else of one of the producer's own."""
    differing = dialect_calls.differing_aggregate(message, args, extensions)
    if differing is not None:
        return differing
    try:
        found = _resolved(message, kind, args, extensions)
    except FiresteelError:
        other = dialect_calls.own_aggregate(message, args, extensions)
        if other is None:
            raise
        return other
    return dialect_calls.OverRows(*over_rows(found, args), keeps_order(found))


def keeps_order(found: standard.Resolved) -> bool:
    """Does the result of an aggregate depend on the order of its rows?"""
    return found.implementation.ordered or found.row.name in _ORDERED


def over_rows(found: standard.Resolved, args: Sequence[CallArgument]) -> tuple[p.Fn, tuple[p.Rex | t.Type, ...]]:
    """The function and the arguments of an aggregate or window call; PartiQL's function where it means the same."""
    values = tuple(one for one in _values(found, args) if not isinstance(one, Lambda))
    fn = _fn(found, values)
    ours = AGGREGATES.get(found.row.name)
    if ours is None:
        return fn, values
    return fn.replace(name="count_star" if ours == "count" and not values else ours, choices=()), values


def _is_distinct(message: Message) -> bool:
    return message.label("invocation") == "AGGREGATION_INVOCATION_DISTINCT"


def window(
    message: Message,
    args: Sequence[CallArgument],
    extensions: Extensions,
    partition: tuple[p.Rex, ...],
    order: tuple[p.SortSpec, ...],
    frame: p.Frame | None,
) -> p.WindowCall:
    """A call over a window."""
    _phase(message)
    own = own_calls.over_rows(message, args, extensions)
    if own is None:
        found = _over_rows(message, Kind.WINDOW, args, extensions)
        own = found.fn, found.values
    fn, values = own
    return p.WindowCall(fn, values, partition, order, frame=frame, distinct=_is_distinct(message)).at(message.where)


def comparator(message: Message, type_: t.Type, extensions: Extensions) -> p.Fn:
    """The function that a sort field compares values of this type by: a registered one, of two values, that gives a
    negative number, 0 or a positive one."""
    declared = extensions.function(message.comparison_function_reference, message.where)
    given = [type_, type_]
    try:
        found = standard.resolve(declared.urn, declared.name, declared.signature, Kind.SCALAR, given, [])
    except UnsupportedError:
        found = None
    if found is None or standard.registered(found.row.name) is None:
        raise UnsupportedError(
            f"an order by the comparison function '{declared.name}', which nobody has registered",
            where=message.where,
            help="fs.register_function(urn, name, function, returns='i32') says how it compares two values",
        )
    if any(target is not None for target in found.casts):
        raise CallRule.COMPARATOR.broken(
            f"'{declared.name}' does not compare values of the type {type_}", where=message.where
        )
    if not isinstance(found.returns, t.Integer):
        raise CallRule.COMPARATOR.broken(
            f"a comparison gives an integer, and '{declared.name}' a {found.returns}", where=message.where
        )
    return _fn(found, [p.Var(type_, 0), p.Var(type_, 0)])


# ---------------------------------------------------------------------------------------------------------------------
# Resolving


def _resolved(message: Message, kind: Kind, args: Sequence[CallArgument], extensions: Extensions) -> standard.Resolved:
    declared = extensions.function(message.function_reference, message.where)
    if any(isinstance(one, t.Type) for one in args):  # no standard function takes a type
        raise CallRule.SIGNATURE.broken(f"'{declared.name}' takes no type as an argument", where=message.where)
    options = [(one.name, list(one.preference)) for one in message.options]
    given = [as_argument(one) for one in args]
    names = extensions.dialect.names
    try:
        found = standard.resolve(declared.urn, declared.name, declared.signature, kind, given, options, names)
    except FiresteelError as error:
        raise error.located(message.where) from None
    found = as_declared(message, kind, found, given, extensions)
    for repair in found.repairs:
        extensions.note(replace(repair, where=message.where))
    return found


def as_argument(given: CallArgument) -> standard.Argument:
    """An argument as functions are resolved by it."""
    if isinstance(given, str):
        return standard.EnumValue(given)
    if isinstance(given, p.Lit):
        return standard.Constant(given.type, given.value)
    return given if isinstance(given, t.Type) else given.type


#: The phases that aggregate rows to final results; an unspecified phase means the same.
_WHOLE = ("AGGREGATION_PHASE_UNSPECIFIED", "AGGREGATION_PHASE_INITIAL_TO_RESULT")


def _phase(message: Message) -> None:
    phase = message.label("phase")
    if phase not in _WHOLE:
        said = phase.removeprefix("AGGREGATION_PHASE_")
        raise UnsupportedError(
            f"the aggregation phase {said}: intermediate states are each engine's own", where=message.where
        )


# ---------------------------------------------------------------------------------------------------------------------
# Building


def _values(found: standard.Resolved, args: Sequence[CallArgument]) -> list[p.Rex | t.Type | Lambda]:
    """The arguments that are values, cast to the parameter types. An enumeration name given as text is not a value."""
    names = {i for i, one in enumerate(found.implementation.parameters) if one.shape is None}
    given = [one for one in args if not isinstance(one, str)]
    extra = len(given) - len(found.casts)
    if extra > 0:  # enumeration names given as text come before the values
        given = [one for i, one in enumerate(args) if not isinstance(one, str) and i not in names]
        if len(given) != len(found.casts):
            given = [one for one in args if not isinstance(one, str)][extra:]
    made: list[p.Rex | t.Type | Lambda] = []
    for one, target in zip(given, found.casts, strict=True):
        made.append(build.substrait_cast(one, target) if target is not None and isinstance(one, p.Rex) else one)
    return made


def named_alike(values: Sequence[Any]) -> list[Any]:
    """Values of structs with the names of the first one that is no literal: Substrait's types have no names, so that
    structs are compared by position."""
    nested = [one for one in values if isinstance(one, p.Rex) and isinstance(one.type, t.Struct | t.Array)]
    target = next((one.type for one in nested if not isinstance(one, p.Lit)), None)
    if target is None or len(nested) < 2:
        return list(values)
    return [
        rename_fields(one, target) if isinstance(one, p.Rex) and bare(one.type) == bare(target) else one
        for one in values
    ]


def _fn(found: standard.Resolved, args: Sequence[p.Rex | t.Type]) -> p.Fn:
    return build.typed_fn(found.row.name, args, found.returns, found.choices)


# Functions that PartiQL has with the same meaning.

_ORDERED_TYPES = (t.Number, t.Text, t.Bool, t.Date, t.Time, t.Timestamp)
_EQUAL_TYPES = (*_ORDERED_TYPES, t.Uuid, t.Interval, t.Octets)
Build = Callable[..., p.Rex]

#: Functions of Substrait, each with the PartiQL function that means the same of booleans and NULL.
_SAME_LOGIC = {
    "boolean:and": "and",
    "boolean:or": "or",
    "boolean:not": "not",
    "comparison:is_null": "is_null",
    "comparison:is_true": "is_true",
    "comparison:is_false": "is_false",
}
#: Functions of Substrait that are NOT of a PartiQL function.
NEGATED = {
    "comparison:is_not_null": "is_null",
    "comparison:is_not_true": "is_true",
    "comparison:is_not_false": "is_false",
}
_SAME_EQUALITY = {"comparison:equal": "eq", "comparison:not_equal": "ne"}
_COMPARISONS = ("lt", "lte", "gt", "gte")
_SAME_ORDER = {
    **{f"{stem}:{name}": name for stem in ("comparison", "datetime") for name in _COMPARISONS},
    "comparison:between": "between",
}
_SAME_OTHERS = {"string:like": "like", "comparison:coalesce": "coalesce"}
#: The PartiQL function that a function of Substrait becomes if it means the same for the types at hand.
SAME: dict[str, str] = {**_SAME_LOGIC, **_SAME_EQUALITY, **_SAME_ORDER, **_SAME_OTHERS}


def _negated(name: str) -> Build:
    return lambda a: build.call("not", build.call(name, a))


def _built(same: dict[str, str]) -> dict[str, Build]:
    return {row: partial(build.call, name) for row, name in same.items()}


_LOGIC: dict[str, Build] = {
    **_built(_SAME_LOGIC),
    **{row: _negated(name) for row, name in NEGATED.items()},
    "boolean:and": lambda *args: _chained("and", args, True),
    "boolean:or": lambda *args: _chained("or", args, False),
}


def _chained(name: str, args: Sequence[p.Rex], nothing: bool) -> p.Rex:
    """`and` and `or` take any number of arguments; of one argument, the call is that argument."""
    if len(args) > 1:
        return build.call(name, *args)
    return args[0] if args else p.Lit(t.BOOL, nothing)


_EQUALITY, _ORDER = _built(_SAME_EQUALITY), _built(_SAME_ORDER)

#: Aggregates that become PartiQL's, for any ordered type.
AGGREGATES: dict[str, str] = {
    "aggregate_generic:count": "count",
    "boolean:bool_and": "every",
    "boolean:bool_or": "any",
    **{f"{stem}:{name}": name for stem in ("arithmetic", "arithmetic_decimal", "datetime") for name in ("min", "max")},
}
#: Aggregates that depend on the order of rows although their declaration does not say so.
_ORDERED = frozenset(["aggregate_generic:any_value"])


#: Scalar functions that may become PartiQL's.
PARTIQL = frozenset([*SAME, *NEGATED])


def _ours(found: standard.Resolved, args: Sequence[p.Rex | t.Type]) -> p.Rex | None:
    """The call as a PartiQL function, if one means the same. It keeps the type derived for the Substrait call."""
    name = found.row.name
    for table, kinds in ((_LOGIC, None), (_EQUALITY, _EQUAL_TYPES), (_ORDER, _ORDERED_TYPES)):
        if name in table:
            if kinds is not None and not all(isinstance(one, p.Rex) and isinstance(one.type, kinds) for one in args):
                return None
            return build.exactly(table[name](*args), found.returns)
    if name == "string:like" and not found.choices:
        return build.exactly(build.call("like", *args), found.returns)
    if name == "comparison:coalesce" and len({t.proper(one.type) for one in args if isinstance(one, p.Rex)}) == 1:
        return p.Call(_fn(found, args).replace(name="coalesce"), tuple(args))
    return None


# Lambdas become a SELECT over the list, which every engine can run.


_MATCHES = {"list:any_match": "any_true", "list:all_match": "all_true"}
_LAMBDAS = ("list:transform", "list:filter", *_MATCHES)


def _with_lambda(found: standard.Resolved, values: Sequence[p.Rex | t.Type | Lambda], message: Message) -> p.Rex:
    source, function = (*values, None, None)[:2]
    if found.row.name not in _LAMBDAS or not isinstance(source, p.Rex) or not isinstance(function, Lambda):
        raise CallRule.LAMBDA.broken(f"'{found.row.name}' does not take a function there", where=message.where)
    if isinstance(source.type, t.Null):
        return p.Lit(t.absent(found.returns, nullable=True), None)
    if len(function.parameters) != 1:
        raise UnsupportedError(
            f"'{found.row.name}' with a function of {len(function.parameters)} parameters", where=message.where
        )
    present = t.proper(source.type)
    assert isinstance(present, t.Array)
    scan = p.Scan(_present(source, present), names=("_1",))
    element = p.Var(present.element, 0)
    if found.row.name == "list:filter":
        made: p.Rex = p.Select(t.Array(present.element), element, p.Filter(function.body, scan))
    else:
        made = p.Select(t.Array(function.body.type), function.body, scan)
        if found.row.name in _MATCHES:
            made = build.substrait_expression(
                _MATCHES[found.row.name], (made,), t.Bool(nullable=function.body.type.nullable)
            )
    if not source.type.nullable:
        return made
    absent = build.call("is_null", source)
    nothing = p.Lit(t.absent(found.returns, nullable=True), None)
    return p.Case(t.absent(found.returns, nullable=True), None, (p.Branch(absent, nothing),), default=made)


def _present(source: p.Rex, type_: t.Array) -> p.Rex:
    """The list, which is looked at only where it is not NULL, with a type that says so."""
    if not source.type.nullable:
        return source
    made = build.call("coalesce", source, p.Lit(type_, []))
    return made.replace(fn=made.fn.replace(returns=type_))
