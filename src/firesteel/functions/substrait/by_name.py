"""Type calls of Substrait's functions that the algebra and Ion write by the row's name: `(call 'string:lower' x)`.

Unlike a call in a Substrait plan (`resolve.py`), such a call is not repaired: the arguments must have the types of a
form of the function, and whoever writes the call writes the casts. These functions treat MISSING as NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.functions.changes import state
from firesteel.functions.properties import Kind
from firesteel.functions.substrait import registry
from firesteel.functions.substrait.coercion import common
from firesteel.functions.substrait.declarations import Declaration, Implementation, Parameter, declarations
from firesteel.functions.substrait.matching import Argument, Constant, EnumValue, Match, match, targets, type_of
from firesteel.functions.substrait.nearest import nearest_forms
from firesteel.functions.substrait.options import choose
from firesteel.functions.substrait.resolve import call_type
from firesteel.functions.substrait.shapes import shape
from firesteel.node import Node, fold

#: Types that do not say what a value is. It may become known when tables are bound.
_OPEN = (t.Any, t.Union, t.Unresolved)

#: Types that Substrait does not have.
_FOREIGN = (t.Int, t.Symbol, t.Clob, t.Bit, t.Binary, t.Bag, t.Sexp, t.Graph)


def returned(
    name: str, values: Sequence[Argument], types: Sequence[t.Type], choices: Sequence[tuple[str, str]]
) -> t.Type:
    """The type of a call with these arguments (values or types); `any` if an argument's type is not known. PlanError if
    no form of the function takes the arguments without casts."""
    return _returned(name, tuple(map(_argument, values)), tuple(types), tuple(choices), state())


@lru_cache(maxsize=4096)
def _returned(
    name: str, values: tuple[Argument, ...], types: tuple[t.Type, ...], choices: tuple[tuple[str, str], ...], _: object
) -> t.Type:
    if name in _SPECIAL:
        return _SPECIAL[name](values, types, dict(choices))
    declared = declaration(name)
    if types:
        raise PlanError(f"'{name}' takes no type as an argument", help=_forms(declared, values))
    given = [type_of(one) or t.NULL for one in values]
    if any(is_open(one) for one in given):
        return t.ANY
    found = None if any(map(_is_foreign, given)) else _best(declared, values, dict(choices))
    if found is None:
        said = ", ".join([*map(str, given), *(f"{option} {value}" for option, value in choices)])
        raise PlanError(f"'{name}' does not take ({said})", help=_forms(declared, values))
    return call_type(declared, found)


def _argument(given: Argument) -> Argument:
    """The argument as matching needs it: MISSING is NULL, and only integer constants keep their value."""
    type_ = type_of(given) or t.NULL
    type_ = t.NULL if isinstance(type_, t.Null | t.Missing) else type_
    type_ = t.absent(type_, nullable=type_.absent, missable=False)
    number = isinstance(given, Constant) and type(given.value) is int
    return Constant(type_, given.value) if number and isinstance(given, Constant) else type_


def is_open(type_: t.Type) -> bool:
    """Is the type, or a type inside it, unknown?"""
    return bool(fold(type_, lambda node, inner: isinstance(node, _OPEN) or any(inner)))


def _is_foreign(type_: t.Type) -> bool:
    return bool(fold(type_, lambda node, inner: _alien(node) or any(inner)))


def _alien(node: Node) -> bool:
    match node:
        case t.Decimal() | t.Timestamp():
            return node.precision is None
        case t.Time():
            return node.precision is None or node.zone
        case t.Interval():
            return node.unit is None
        case t.Struct():
            return node.open
    return isinstance(node, _FOREIGN)


def _best(declared: Declaration, values: Sequence[Argument], choices: Mapping[str, str]) -> Match | None:
    """The form that takes the values without casts."""
    found: Match | None = None
    for form in declared.implementations:
        given = _with_names(form, values, choices)
        made = None if given is None else match(form, given)
        if made is None or (found is not None and found.cost <= made.cost):
            continue
        kept = zip((type_of(one) for one in values), targets(made), strict=True)
        if all(target is None or isinstance(type_, t.Null) for type_, target in kept):
            names = {one.name for one in form.parameters if one.shape is None}
            choose(declared.name, form, [(name, (value,)) for name, value in choices.items() if name not in names])
            found = made
    return found


def _with_names(form: Implementation, values: Sequence[Argument], choices: Mapping[str, str]) -> list[Argument] | None:
    """The arguments of a form in order: the values, and the choices in the places of its enum parameters."""
    rest = list(values)
    given: list[Argument] = []
    for parameter in form.parameters:
        if parameter.shape is None and parameter.name not in choices:
            return None
        if parameter.shape is None:
            given.append(EnumValue(choices[parameter.name]))
        elif rest:
            given.append(rest.pop(0))
    return given + rest


def declaration(name: str) -> Declaration:
    """The declaration of the function of that row name."""
    found = registry.declaration(name) or EXPRESSIONS.get(name) or declarations(name.partition(":")[0]).get(name)
    if found is None:
        raise PlanError(f"no function '{name}'")
    return found


def _forms(declared: Declaration, values: Sequence[Argument]) -> str:
    return f"{nearest_forms(declared.implementations, values)}; cast the arguments to such types"


def _cast(values: Sequence[Argument], types: Sequence[t.Type], choices: Mapping[str, str]) -> t.Type:
    if len(values) != 1 or len(types) != 1:
        raise PlanError(
            "'expression:cast' takes a value and a type", help="(call 'expression:cast' value (type int32))"
        )
    source = type_of(values[0])
    nullable = source is None or source.absent or choices.get("failure") == "NULL"
    return t.absent(types[0], nullable=nullable, missable=False)


def _map(values: Sequence[Argument], types: Sequence[t.Type], _: Mapping[str, str]) -> t.Type:
    given = [type_of(one) or t.NULL for one in values]
    if any(map(is_open, given)):
        return t.ANY
    key, value = common(given[::2]), common(given[1::2])
    if types or len(given) % 2 or not isinstance(key, t.Text) or value is None or any(map(_is_foreign, given)):
        said = ", ".join(map(str, given))
        raise PlanError(f"'expression:map' does not take ({said})", help="it takes keys, which are text, and values")
    return t.Map(key, t.absent(value, nullable=any(one.nullable for one in given[1::2])))


def _ranks(values: Sequence[Argument], types: Sequence[t.Type], choices: Mapping[str, str]) -> t.Type:
    given = type_of(values[0]) if len(values) == 1 else None
    if not isinstance(given, t.Collection) or types or "comparator" not in choices:
        raise PlanError(
            "'expression:ranks' takes a collection", help="its choice 'comparator' names a function that compares"
        )
    value = t.Field("v", t.absent(given.element, nullable=True, missable=False))
    return t.Array(t.Struct((value, t.Field("r", t.Int64(nullable=True))), open=False))


_SPECIAL: dict[str, Callable[[Sequence[Argument], Sequence[t.Type], Mapping[str, str]], t.Type]] = {
    "expression:cast": _cast,
    "expression:map": _map,
    "expression:ranks": _ranks,
}


def _expression(
    name: str, returns: str, *forms: tuple[str, ...], **options: tuple[str, ...]
) -> tuple[str, Declaration]:
    key = f"expression:{name}"
    made = [
        Implementation(
            tuple(Parameter(f"arg{i}", shape(one)) for i, one in enumerate(form)),
            returns,
            "DECLARED_OUTPUT",
            options=tuple(options.items()),
        )
        for form in forms
    ]
    return key, Declaration(key, Kind.SCALAR, tuple(made))


#: Substrait's expressions (casts, elements of lists ...), declared like its functions.
EXPRESSIONS: dict[str, Declaration] = dict(
    [
        _expression("list_element", "any1?", ("list<any1>", "i32"), ("list<any1>", "i64")),
        _expression("map_value", "any2?", ("map<any1,any2>", "any1")),
        _expression("map_entry", "map?<any1,any3>", ("map<any1,any2>", "any1", "any3")),
        _expression("any_true", "boolean?", ("list<boolean>",)),
        _expression("all_true", "boolean?", ("list<boolean>",)),
        _expression("at_most", "boolean?", ("i64", "i64"), unit=("RECORDS", "BYTES")),
    ]
)


# ---------------------------------------------------------------------------------------------------------------------
# Calls whose signature the plan spells out


def fits(given: t.Type, declared: t.Type) -> bool:
    """Is the type of the kind that a parameter or a result declares? Widths, precisions and flags may differ."""
    numbers: dict[object, int] = {}
    wanted = _kind(declared, numbers)
    return all(isinstance(one, t.Null | t.Missing) or _kind(one, numbers) == wanted for one in t.members(given))


def _kind(type_: t.Type, numbers: dict[object, int]) -> int:
    """A number that is the same for all types of a kind. Types may be nested deep, so they are not compared by
    recursion."""

    def number(node: Node, inner: list[int]) -> int:
        return numbers.setdefault((_head(node), *inner), len(numbers))

    return fold(type_, number)


_FAMILIES = (t.Text, t.Octets, t.Integer, t.Float32 | t.Float64)


def _head(node: Node) -> object:
    match node:
        case t.Interval():
            return t.Interval, node.unit
        case t.Timestamp():
            return t.Timestamp, node.zone
        case t.UserDefined():
            return t.UserDefined, node.name
    return next((family for family in _FAMILIES if isinstance(node, family)), type(node))


def judged(
    name: str,
    values: Sequence[Argument],
    types: Sequence[t.Type],
    choices: Sequence[tuple[str, str]],
    params: Sequence[t.Type],
    returns: t.Type,
) -> t.Type:
    """The type of a call with the parameters and the result that the plan declares; `any` if it is not known yet.
    PlanError if no form of the function has such a signature."""
    made = returned(name, values, types, choices)
    ensure_fitting(name, [type_of(one) or t.NULL for one in values], params)
    if not is_open(made) and not is_open(returns) and not fits(made, returns):
        raise PlanError(f"'{name}' gives a {made}, and is declared to give a {returns}")
    return made


def ensure_fitting(name: str, given: Sequence[t.Type], params: Sequence[t.Type]) -> None:
    """PlanError if an argument does not fit its declared parameter. An argument of unknown type is left to the run, and
    a cast takes any argument."""
    for i, (arg, param) in enumerate(zip(given, params, strict=False)):
        if name not in _SPECIAL and not is_open(param) and not is_open(arg) and not fits(arg, param):
            raise PlanError(f"argument {i + 1} of '{name}' is a {arg}, and is called a {param}")
