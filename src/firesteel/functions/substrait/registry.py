"""Functions of other extensions than Substrait's own: the user registers their types and how they are computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.functions.changes import changed
from firesteel.functions.properties import Kind, Origin
from firesteel.functions.substrait.declarations import Declaration, Implementation, Parameter
from firesteel.functions.substrait.rows import REGISTERED, row
from firesteel.functions.substrait.shapes import SIMPLE, SIZED, numbers, shape


@dataclass(frozen=True)
class Registered:
    """A registered function: its Python implementation, and its Spark column expression if there is one."""

    declaration: Declaration
    function: Callable[..., Any] | None = None
    column: Callable[..., Any] | None = None
    #: Of a comparison function: a Spark column that sorts as the function compares.
    sort_key: Callable[[Any], Any] | None = None


_FUNCTIONS: dict[str, Registered] = {}


def register(
    urn: str,
    name: str,
    function: Callable[..., Any] | None = None,
    *,
    returns: str | t.Type,
    takes: Sequence[str | t.Type] | None = None,
    column: Callable[..., Any] | None = None,
    nullability: str = "MIRROR",
    sort_key: Callable[[Any], Any] | None = None,
    replace: bool = False,
) -> str:
    """Register a scalar function of an extension. Returns the name of its row.

    `function` computes it from Python values, `column` builds a Spark column from Spark columns; without `column` Spark
    runs `function` in its Python workers. Types are in the notation of Substrait's extension files (`"i64"`,
    `"list<any1>"`); without `takes` it takes any arguments. If an argument is NULL the result is NULL and the function
    is not called, unless `nullability` is `DECLARED_OUTPUT`.

    A function of two values that gives -1, 0 or 1 can be what a plan sorts by. Spark then ranks the distinct values in
    one Python process, unless there is a `sort_key`: a Spark column, made from the column of values, that sorts as the
    function compares (`sort_key=lambda text: F.lower(text)`).
    """
    name = name.lower()
    key = f"{urn}:{name}"
    if function is None and column is None:
        raise PlanError(f"'{key}' is registered without anything that computes it")
    if key in _FUNCTIONS and not replace:
        raise PlanError(f"there is already a function '{key}'")
    try:
        taken = tuple(Parameter(f"arg{i}", shape(_written(one))) for i, one in enumerate(takes or ["any"]))
        shape(_written(returns).splitlines()[-1].strip())
    except (ValueError, IndexError) as error:
        raise PlanError(f"cannot read the declaration of '{key}': {error}") from None
    form = Implementation(taken, _written(returns), nullability, 0 if takes is None else None)
    add(Registered(Declaration(key, Kind.SCALAR, (form,)), function, column, sort_key))
    return key


def add(made: Registered) -> None:
    """Add a registered function, also one that was registered in another process."""
    declared = made.declaration
    _FUNCTIONS[declared.name] = made
    own = any(form.nullability != "MIRROR" for form in declared.implementations)
    REGISTERED[declared.name] = row(declared, own=own, origin=Origin.USER)
    changed()


def unregister(urn: str, name: str) -> None:
    """Forget a function."""
    key = f"{urn}:{name.lower()}"
    _FUNCTIONS.pop(key, None)
    REGISTERED.pop(key, None)
    changed()


def registered(key: str) -> Registered | None:
    """The registered function of that row name."""
    return _FUNCTIONS.get(key)


def declaration(key: str) -> Declaration | None:
    """The declaration of the registered function of that row name."""
    found = _FUNCTIONS.get(key)
    return None if found is None else found.declaration


def _written(type_: str | t.Type) -> str:
    return type_ if isinstance(type_, str) else written(type_)


def written(type_: t.Type) -> str:
    """A type in the notation of declarations."""
    plain = t.proper(type_)
    mark = "?" if type_.nullable else ""
    simple = next((name for name, one in SIMPLE.items() if one == plain), None)
    if simple:
        return simple + mark
    if isinstance(plain, t.Array):
        return f"list{mark}<{written(plain.element)}>"
    for name in SIZED:
        found = numbers(name, plain)
        if found is not None:
            return f"{name}{mark}<{','.join(map(str, found))}>"
    raise PlanError(f"a registered function has nothing to do with {type_}")
