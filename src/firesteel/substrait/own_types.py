"""Types that Substrait has not, as types of an extension of ours: `any`, bags, open structs, unions, MISSING.

A type goes by its tag, and its fields are the parameters, in the order of their declaration; fields that hold several
things come last. A struct has the parameter `open`, and then a name and a type for every field. `missable<T>` is the
type T of values that may be MISSING. One declaration (`types.py`) is read both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.node import FieldSpec, fields
from firesteel.rules import PlanRule
from firesteel.substrait.message import Message, message
from firesteel.substrait.own_messages import ALGEBRA_URN

#: Gives the anchor of a type of an extension, by its URN and its name.
DeclareType = Callable[[str, str], int]

#: The type of values that may be MISSING, of a type that says so of no other.
MISSABLE = "missable"
_FLAGS = ("nullable", "missable")


def _classes(root: type[t.Type]) -> dict[str, type[t.Type]]:
    found: dict[str, type[t.Type]] = {}
    for one in root.__subclasses__():
        if one.tag:
            found[one.tag] = one
        found |= _classes(one)
    return found


#: The classes of types, by their tags.
CLASSES: dict[str, type[t.Type]] = _classes(t.Type)


def _specs(cls: type[t.Type]) -> tuple[list[FieldSpec], FieldSpec | None]:
    """The fields with one value, and the one with several, if there is one."""
    own = [spec for spec in fields(cls) if spec.name not in _FLAGS]
    several = [spec for spec in own if str(spec.annotation).startswith("tuple[")]
    return [spec for spec in own if spec not in several], several[0] if several else None


def write_own_type(type_: t.Type, declare: DeclareType) -> Generator[Any, Any, Message]:
    """A type as a type of our extension; it asks for the types inside."""
    name, values = type_.tag, list[Any]()
    if type_.missable and not isinstance(type_, t.Any | t.Missing):
        name, values = MISSABLE, [type_.replace(missable=False)]
    else:
        single, several = _specs(type(type_))
        values = [getattr(type_, spec.name) for spec in single]
        for one in getattr(type_, several.name) if several else ():
            values += [one.name, one.type] if isinstance(one, t.Field) else [one]
    parameters = []
    for value in values:
        parameters.append(_parameter((yield value, declare) if isinstance(value, t.Type) else value))
    nullability = "NULLABILITY_NULLABLE" if type_.nullable else "NULLABILITY_REQUIRED"
    made = message(
        "Type.UserDefined",
        type_reference=declare(ALGEBRA_URN, name),
        nullability=nullability,
        type_parameters=parameters,
    )
    return message("Type", user_defined=made)


def _parameter(value: Message | bool | int | str | None) -> Message:
    match value:
        case None:
            empty = message("Type.Parameter").null
            return message("Type.Parameter", null=empty)
        case bool():
            return message("Type.Parameter", boolean=value)
        case int() if not -(1 << 63) <= value < 1 << 63:
            raise UnsupportedError(f"a type with the parameter {value}, which has more than 64 bits")
        case int():
            return message("Type.Parameter", integer=value)
        case str():
            return message("Type.Parameter", string=value)
    return message("Type.Parameter", data_type=value)


def read_own_type(given: Message, name: str, nullable: bool, extensions: Any) -> Generator[Any, Any, t.Type]:
    """The type that a type of our extension stands for."""
    values: list[Any] = []
    for one in given.type_parameters:
        kind = one.which("parameter")
        if kind == "data_type":
            values.append((yield one.data_type, extensions))
        else:
            values.append(None if kind in ("null", None) else getattr(one, kind))
    try:
        return _made(name, values, nullable)
    except (TypeError, ValueError, KeyError, IndexError):
        raise PlanRule.OWN_MESSAGE.broken(f"no type '{name}' of ours has such parameters", where=given.where) from None


def _made(name: str, values: list[Any], nullable: bool) -> t.Type:
    if name == MISSABLE:
        (inner,) = values
        if not isinstance(inner, t.Type):
            raise ValueError(name)
        return inner.replace(missable=True)
    cls = CLASSES[name]
    single, several = _specs(cls)
    parts: dict[str, Any] = {spec.name: values[i] for i, spec in enumerate(single)}
    rest = values[len(single) :]
    if cls is t.Struct:
        parts["fields"] = tuple(t.Field(*pair) for pair in zip(rest[::2], rest[1::2], strict=True))
    elif several is not None:
        parts[several.name] = tuple(rest)
    elif rest:
        raise ValueError(name)
    for spec in single:
        if not _fits(parts[spec.name], str(spec.annotation)):
            raise ValueError(spec.name)
    inside = [*parts.get("members", ()), *(parts.get("parameters", ()) if cls is t.Function else ())]
    for field in parts.get("fields", ()):
        inside.append(field.type if isinstance(field.name, str | None) else None)
    if any(not isinstance(one, t.Type) for one in inside):
        raise ValueError(name)
    return cls(**parts, nullable=nullable)


def _fits(value: Any, annotation: str) -> bool:
    """Is the value of the kind that the field takes?"""
    kinds = {"int": int, "bool": bool, "str": str, "Type": t.Type}
    if value is None:
        return "None" in annotation
    if isinstance(value, bool):
        return "bool" in annotation
    return any(word in annotation and isinstance(value, kind) for word, kind in kinds.items())
