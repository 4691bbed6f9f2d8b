"""Match arguments with a form of a function, and derive the result type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from firesteel import types as t
from firesteel.functions.substrait.coercion import UNBOUNDED, coercion, common
from firesteel.functions.substrait.declarations import Implementation, Parameter
from firesteel.functions.substrait.shapes import SIMPLE, SIZED, UNSIGNED, Shape, derive, numbers


@dataclass(frozen=True)
class EnumValue:
    """An enum argument: a name such as `YEAR`."""

    name: str


@dataclass(frozen=True)
class Constant:
    """An argument that is a literal: some result types depend on its value."""

    type: t.Type
    value: object


Argument = t.Type | EnumValue | Constant


def type_of(argument: Argument) -> t.Type | None:
    """The type of an argument; None for an enum argument."""
    if isinstance(argument, EnumValue):
        return None
    return argument.type if isinstance(argument, Constant) else argument


@dataclass
class Match:
    """How arguments fit a form: the cost of the casts, and what the type variables of the form stand for."""

    form: Implementation
    cost: int = 0
    chosen: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    #: For each type variable (`any1`) the types of its arguments; and, apart, those inside containers (`list<any1>`).
    types: dict[str, list[t.Type]] = field(default_factory=dict)
    inner: dict[str, list[t.Type]] = field(default_factory=dict)
    #: For each type variable the types of string literals among its arguments: beside dates they may mean dates.
    quoted: dict[str, list[t.Type]] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    nullable: bool = False
    #: Each value argument's type with its parameter, in order; enum arguments are left out.
    values: list[tuple[t.Type, Parameter]] = field(default_factory=list)


def match(form: Implementation, arguments: Sequence[Argument]) -> Match | None:
    """How the arguments fit the form; None if they do not."""
    if not form.takes(len(arguments)):
        return None
    made = Match(form)
    for i, argument in enumerate(arguments):
        if not _argument(made, form.parameter(i), argument):
            return None
    _unquote(made)
    for types in (made.types, made.inner):
        for found in types.values():
            if common(found) is None:
                return None
    if not _united(made):
        return None
    for found in made.types.values():
        made.cost += len({t.proper(one) for one in found if not isinstance(one, t.Null)}) > 1
    _complete(made)
    return made


def _united(made: Match) -> bool:
    """Make a type variable that is an argument and also inside a container one type: that inside, because elements
    cannot be cast. Example: `index_in(any1, list<any1>)`."""
    for name in made.types.keys() & made.inner.keys():
        inside, both = common(made.inner[name]), common([*made.types[name], *made.inner[name]])
        if both is None or (inside != t.NULL and both != inside):
            return False
        made.types[name] = [*made.types[name], *made.inner[name]]
    return True


def _unquote(made: Match) -> None:
    """Give string literals the type of the other arguments of their type variable, if that is a date or a time."""
    for name, found in made.quoted.items():
        beside = made.types.setdefault(name, [])
        if beside and all(isinstance(one, t.Date | t.Time | t.Timestamp) for one in beside):
            made.cost += 2
        else:
            beside.extend(found)


def _complete(made: Match) -> None:
    """Fill in default parameters (precision, scale, length) where the only argument is a NULL without a type."""
    for parameter in form_shapes(made.form):
        for i, one in enumerate(parameter.parameters if parameter.name in SIZED else ()):
            if isinstance(one, Shape):
                made.numbers.setdefault(one.name, _DEFAULTS.get(parameter.name, (6,))[i])


def form_shapes(form: Implementation) -> list[Shape]:
    """The shapes of the value parameters."""
    return [one.shape for one in form.parameters if one.shape is not None]


def _argument(made: Match, parameter: Parameter, argument: Argument) -> bool:
    if parameter.shape is None:
        return _name(made, parameter, argument)
    type_ = type_of(argument)
    if type_ is None:
        return False
    if isinstance(argument, Constant) and isinstance(argument.value, int):
        made.constants[parameter.name] = argument.value
    made.values.append((type_, parameter))
    made.nullable |= type_.nullable
    if made.form.nullability == "DISCRETE" and type_.nullable != parameter.shape.nullable:
        return False
    if parameter.shape.variable and isinstance(argument, Constant) and isinstance(argument.value, str):
        made.quoted.setdefault(parameter.shape.name, []).append(type_)
        return True
    return _fits(made, parameter.shape, type_, made.types)


def _name(made: Match, parameter: Parameter, argument: Argument) -> bool:
    """Match an enum argument; producers also write it as a string."""
    if isinstance(argument, Constant) and isinstance(argument.value, str):
        made.cost += 1
        given = argument.value.upper()
    elif isinstance(argument, EnumValue):
        given = argument.name.upper()
    else:
        return False
    if given not in parameter.names:
        return False
    made.chosen[parameter.name] = given
    return True


def _fits(made: Match, shape: Shape, type_: t.Type, types: dict[str, list[t.Type]]) -> bool:
    plain = t.proper(type_)
    if shape.variable:
        if shape.name != "any":
            types.setdefault(shape.name, []).append(type_)
        return True
    if isinstance(plain, t.Null):
        return True
    if shape.name in SIZED:
        return _sized(made, shape, plain)
    if shape.name == "list" and isinstance(plain, t.Array):
        return _inside(made, shape.parameters[:1], (plain.element,))
    if shape.name == "map" and isinstance(plain, t.Map):
        return _inside(made, shape.parameters, (plain.key, plain.value))
    if shape.name == "func" and isinstance(plain, t.Function):
        return _inside(made, shape.parameters, (*plain.parameters, plain.returns))
    if shape.name.startswith("u!"):
        return isinstance(plain, t.UserDefined) and plain.name == shape.name.removeprefix("u!")
    if shape.name in SIMPLE:
        if plain == SIMPLE[shape.name]:
            return True
        found = coercion(plain, shape.name)
        made.cost += found[0] if found else 0
        return found is not None
    return False


def _inside(made: Match, shapes: Sequence[Shape | int], types: Sequence[t.Type]) -> bool:
    if len(shapes) != len(types):
        return False
    pairs = zip(shapes, types, strict=True)
    return all(_fits(made, shape, type_, made.inner) for shape, type_ in pairs if isinstance(shape, Shape))


def _sized(made: Match, shape: Shape, type_: t.Type) -> bool:
    found = numbers(shape.name, type_)
    if found is None:
        other = coercion(type_, shape.name)
        if other is None:
            return False
        made.cost += other[0]
        found = other[1]
    for parameter, number in zip(shape.parameters, found, strict=True):
        if isinstance(parameter, int):
            if parameter != number:
                return False
        elif made.numbers.setdefault(parameter.name, number) != number:
            made.cost += 1
            made.numbers[parameter.name] = max(number, made.numbers[parameter.name])
    return True


# ---------------------------------------------------------------------------------------------------------------------
# Types after all arguments were matched


def targets(made: Match) -> list[t.Type | None]:
    """For each value argument the type that it has to be cast to, or None if it needs no cast."""
    return [_target(made, type_, parameter) for type_, parameter in made.values]


def _target(made: Match, type_: t.Type, parameter: Parameter) -> t.Type | None:
    shape = parameter.shape
    assert shape is not None
    if shape.name == "any" or shape.name in ("func", "map"):
        return None
    wanted = build(shape, made)
    plain = t.proper(type_)
    if isinstance(plain, t.Null):
        return None if isinstance(wanted, t.Null) else t.absent(wanted, nullable=True)
    if t.proper(wanted) == plain or (isinstance(plain, t.Text) and isinstance(wanted, t.Text)):
        return None
    if isinstance(plain, t.Array | t.Struct | t.Map | t.UserDefined | t.Octets):
        return None
    return t.absent(wanted, nullable=type_.nullable)


_DEFAULTS = {"decimal": (38, 0), "varchar": (UNBOUNDED,), "fixedchar": (1,), "fixedbinary": (1,)}


def build(shape: Shape, made: Match, known: dict[str, int] | None = None) -> t.Type:
    """The type that a shape stands for."""
    numbers_ = made.numbers if known is None else known
    if shape.variable:
        return _variable(shape, made.types, made) if shape.name in made.types else _inner(shape, made)
    if shape.name in SIZED:
        usual = _DEFAULTS.get(shape.name, (6,))
        given = enumerate(shape.parameters)
        plain = SIZED[shape.name][0](
            *(one if isinstance(one, int) else numbers_.get(one.name, usual[i]) for i, one in given)
        )
    elif shape.name == "list":
        plain = t.Array(_built_inside(shape.parameters[0], made, numbers_))
    elif shape.name == "map":
        plain = t.Map(*(_built_inside(one, made, numbers_) for one in shape.parameters))
    elif shape.name.startswith("u!"):
        plain = t.UserDefined(_urn(shape, made), shape.name.removeprefix("u!"))
    else:
        plain = SIMPLE[shape.name]
    return t.absent(plain, nullable=shape.nullable)


def _urn(shape: Shape, made: Match) -> str:
    name = shape.name.removeprefix("u!")
    given = (type_ for type_, _ in made.values if isinstance(type_, t.UserDefined))
    return next((type_.urn for type_ in given if type_.urn), UNSIGNED if name[1:].isdigit() else "")


def _built_inside(shape: Shape | int, made: Match, numbers_: dict[str, int]) -> t.Type:
    assert isinstance(shape, Shape)
    return _inner(shape, made) if shape.variable else build(shape, made, numbers_)


def _variable(shape: Shape, types: dict[str, list[t.Type]], made: Match) -> t.Type:
    found = types[shape.name]
    plain = common(found) or t.NULL
    return t.absent(plain, nullable=shape.nullable or any(one.nullable for one in found))


def _inner(shape: Shape, made: Match) -> t.Type:
    """The type that a type variable stands for inside a container, with the nullability that it has there."""
    if shape.name in made.inner:
        return _variable(shape, made.inner, made)
    found = common(made.types.get(shape.name, ())) or t.NULL
    return t.absent(found, nullable=shape.nullable)


def returned(made: Match) -> t.Type:
    """The declared type of the call. With MIRROR nullability the caller decides whether it is nullable."""
    last, known = derive(made.form.returns, made.numbers, made.constants)
    return build(last, made, known)
