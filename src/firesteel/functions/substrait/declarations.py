"""Read Substrait's own extension files from the installed package `substrait-extensions`. A file is read when one of
its functions is first needed. Descriptions are not kept, only what typing a call needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from firesteel.functions.properties import Kind
from firesteel.functions.substrait.shapes import Shape, shape

#: The prefix of the URNs of Substrait's own extensions.
STANDARD = "extension:io.substrait:"
#: The prefix that names of rows leave out: `functions_arithmetic` is `arithmetic`.
_PREFIX = "functions_"
_PACKAGE = "substrait_extensions.extensions"
_KINDS = {
    "scalar_functions": Kind.SCALAR,
    "aggregate_functions": Kind.AGGREGATE,
    "window_functions": Kind.WINDOW,
}


@dataclass(frozen=True)
class Parameter:
    """A parameter: a value of a type, or an enum (one of a few names)."""

    name: str
    shape: Shape | None = None
    names: tuple[str, ...] = ()
    constant: bool = False


@dataclass(frozen=True)
class Implementation:
    """One form of a function. `nullability` is MIRROR, DECLARED_OUTPUT or DISCRETE. `repeats` is set if the last
    parameter may come more than once: the minimum number of times."""

    parameters: tuple[Parameter, ...]
    returns: str
    nullability: str = "MIRROR"
    repeats: int | None = None
    #: The options with their possible values, the default first.
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ordered: bool = False
    deterministic: bool = True
    deprecated: bool = False

    def takes(self, count: int) -> bool:
        """May it be called with so many arguments, enum arguments included?"""
        if self.repeats is None:
            return count == len(self.parameters)
        return count >= len(self.parameters) - 1 + self.repeats

    def parameter(self, index: int) -> Parameter:
        return self.parameters[min(index, len(self.parameters) - 1)]

    @property
    def signature(self) -> str:
        """The short signature of the form, as plans write it: `i32_i32`, `dec_dec`, `req_any`."""
        return "_".join(
            "req" if one.shape is None else _SHORT.get(one.shape.name, _any(one)) for one in self.parameters
        )

    def __str__(self) -> str:
        shown = [" | ".join(one.names) if one.shape is None else str(one.shape) for one in self.parameters]
        last = str(self.returns.splitlines()[-1]).strip() if self.returns else ""
        return f"({', '.join(shown)}{'...' if self.repeats is not None else ''}) -> {last}"


def _any(parameter: Parameter) -> str:
    assert parameter.shape is not None
    return "any" if parameter.shape.variable else parameter.shape.name


_SHORT = {
    "boolean": "bool",
    "string": "str",
    "binary": "vbin",
    "timestamp": "ts",
    "timestamp_tz": "tstz",
    "interval_year": "iyear",
    "interval_day": "iday",
    "interval_compound": "icompound",
    "fixedchar": "fchar",
    "varchar": "vchar",
    "fixedbinary": "fbin",
    "decimal": "dec",
    "precision_time": "pt",
    "precision_timestamp": "pts",
    "precision_timestamp_tz": "ptstz",
}


@dataclass(frozen=True)
class Declaration:
    """A function with all its forms. `name` is the name of its row: `arithmetic:add`."""

    name: str
    kind: Kind
    implementations: tuple[Implementation, ...]


def stem(urn: str) -> str:
    """The first part of row names: the short name of a standard extension, else the URN."""
    return urn.removeprefix(STANDARD).removeprefix(_PREFIX) if urn.startswith(STANDARD) else urn


def urn_of(name: str) -> tuple[str, str]:
    """The URN and the bare name of the function of a row name, the other way round: `arithmetic:add`. A row of no
    extension has no URN."""
    start, _, bare = name.rpartition(":")
    if start not in stems():
        return ("" if start == "expression" else start), bare
    prefixed = (files(_PACKAGE) / f"{_PREFIX}{start}.yaml").is_file()
    return f"{STANDARD}{_PREFIX if prefixed else ''}{start}", bare


@cache
def stems() -> tuple[str, ...]:
    """The short names of the package's extensions."""
    names = [path.name for path in files(_PACKAGE).iterdir() if path.name.endswith(".yaml")]
    return tuple(sorted(stem(STANDARD + name.removesuffix(".yaml")) for name in names if "_schema" not in name))


@cache
def declarations(stem_: str) -> dict[str, Declaration]:
    """The functions of one of the package's extensions, by the names of their rows."""
    if stem_ not in stems():
        return {}
    path = files(_PACKAGE) / f"{_PREFIX}{stem_}.yaml"
    if not path.is_file():
        path = files(_PACKAGE) / f"{stem_}.yaml"
    import yaml  # late: only plans of Substrait need the declarations

    # The C loader is eight times as fast, but not every build of PyYAML has it.
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    document = yaml.load(path.read_text(encoding="utf-8"), loader)
    found: dict[str, Declaration] = {}
    for section, kind in _KINDS.items():
        for function in document.get(section, ()):
            name = f"{stem_}:{function['name'].lower()}"
            forms = tuple(_implementation(one) for one in function["impls"])
            known = found[name].implementations if name in found else ()  # a function may be declared in parts
            found[name] = Declaration(name, kind, known + forms)
    return found


def all_declarations() -> Iterator[Declaration]:
    """Every function of the package."""
    for one in stems():
        yield from declarations(one).values()


@cache
def _by_bare_name() -> dict[str, tuple[Declaration, ...]]:
    found: dict[str, tuple[Declaration, ...]] = {}
    for one in all_declarations():
        name = one.name.partition(":")[2]
        found[name] = (*found.get(name, ()), one)
    return found


def named(name: str) -> tuple[Declaration, ...]:
    """The functions of that bare name (`add`), in all extensions."""
    return _by_bare_name().get(name, ())


def _implementation(given: dict[str, Any]) -> Implementation:
    variadic = given.get("variadic")
    return Implementation(
        tuple(_parameter(i, one) for i, one in enumerate(given.get("args", ()))),
        given["return"],
        given.get("nullability", "MIRROR"),
        None if variadic is None else variadic.get("min", 0),
        tuple((name.lower(), tuple(map(str, one["values"]))) for name, one in given.get("options", {}).items()),
        given.get("ordered", False),
        given.get("deterministic", True),
        "deprecated" in given,
    )


def _parameter(index: int, given: dict[str, Any]) -> Parameter:
    name = given.get("name", f"arg{index}").lower()
    if "options" in given:
        return Parameter(name, names=tuple(map(str, given["options"])))
    return Parameter(name, shape(given["value"]), constant=given.get("constant", False))
