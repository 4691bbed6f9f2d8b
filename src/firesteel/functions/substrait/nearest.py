"""The forms of a function that are nearest to the arguments of a call, for the message that none of them fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firesteel import types as t
from firesteel.functions.substrait.declarations import Implementation, Parameter
from firesteel.functions.substrait.matching import Argument, EnumValue, type_of
from firesteel.functions.substrait.shapes import SIMPLE, SIZED, Shape

#: So many forms are shown.
_SHOWN = 3
#: The distance of an argument that is of the parameter's family, of one that is of another, and of one too many.
_FAMILY, _OTHER, _COUNT = 1, 4, 20
_FAMILIES: tuple[type[t.Type], ...] = (t.Number, t.Text, t.Octets, t.Temporal, t.Bool, t.Array, t.Map, t.Struct)


def nearest_forms(forms: Iterable[Implementation], arguments: Sequence[Argument]) -> str:
    """The nearest forms, and how many more there are: `it is (i64, i64) -> i64 or (fp64, fp64) -> fp64; 5 more`. Forms
    of the arguments' families come first, and others are shown only if there is no such form."""
    distances: dict[str, int] = {}
    for form in forms:
        distances.setdefault(str(form), _distance(form, arguments))
    ranked = sorted(distances, key=lambda text: distances[text])
    close = [text for text in ranked if distances[text] < _OTHER]
    shown = (close or ranked)[:_SHOWN]
    more = len(ranked) - len(shown)
    return f"it is {' or '.join(shown)}" + (f"; there are {more} more" if more else "")


def _distance(form: Implementation, arguments: Sequence[Argument]) -> int:
    wrong = 0 if form.takes(len(arguments)) else _COUNT * max(1, abs(len(arguments) - len(form.parameters)))
    if not form.parameters:
        return wrong
    return wrong + sum(_apart(form.parameter(i), one) for i, one in enumerate(arguments))


def _apart(parameter: Parameter, argument: Argument) -> int:
    type_ = type_of(argument)
    if parameter.shape is None or type_ is None:
        return 0 if isinstance(argument, EnumValue) and argument.name.upper() in parameter.names else _OTHER
    if parameter.shape.variable or isinstance(type_, t.Null):
        return _FAMILY
    kind = _kind(parameter.shape)
    if kind is None:
        return _OTHER
    if isinstance(type_, kind):
        return 0
    return _FAMILY if any(isinstance(type_, one) and issubclass(kind, one) for one in _FAMILIES) else _OTHER


#: The classes of containers, by the names of their shapes.
_CONTAINERS: dict[str, type[t.Type]] = {"list": t.Array, "map": t.Map, "struct": t.Struct, "func": t.Function}


def _kind(shape: Shape) -> type[t.Type] | None:
    """The class of the types that a shape stands for."""
    if shape.name in SIMPLE:
        return type(SIMPLE[shape.name])
    if shape.name in SIZED:
        return type(SIZED[shape.name][0](*(1 for _ in shape.parameters)))
    return _CONTAINERS.get(shape.name)
