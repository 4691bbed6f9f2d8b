"""Completes a node after everything below it is read: infers omitted types, resolves functions by their arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firesteel import plan
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.node import Node
from firesteel.partiql_plan.literals import fit
from firesteel.partiql_plan.read.trail import Trail
from firesteel.plan import (
    Fn,
    FnOption,
    Global,
    Lit,
    NamingRel,
    Rel,
    Rex,
    Scan,
    Select,
    TypeParam,
    ValueParam,
    Window,
    build,
)
from firesteel.values import Bag, Struct

if TYPE_CHECKING:
    from firesteel.partiql_plan.read.nodes import Reader


@dataclass(frozen=True)
class FnName:
    """A function that is only named; which one it is depends on the arguments."""

    name: str


def finish(reader: Reader, cls: type[Node], values: dict[str, Any], said: t.Schema | None, place: Trail) -> Any:
    """The node. Omitted types are inferred, or `any`."""
    complete = _COMPLETE.get(cls)
    if complete is not None:
        complete(reader, values)
    if "type" in values and values["type"] is None:
        values["type"] = t.ANY
    if isinstance(values.get("fn"), FnName):
        declared = (*reader.fns, *reader.imported_fns)
        values["fn"] = resolve(values["fn"].name, values["args"], declared)
    if said is not None and issubclass(cls, NamingRel) and "names" not in values:
        values["names"] = names_in(said[_inherited(cls, values) :])
    make: Any = cls
    node = make(**values, where=place)
    if said is not None and not agrees(said, plan.schema(node)):
        node = node.replace(declared=said)
    return node


def names_in(schema: t.Schema) -> tuple[str, ...]:
    """The names of the columns, where all have one."""
    names = tuple(field.name for field in schema if field.name is not None)
    return names if len(names) == len(schema) else ()


def _inherited(cls: type[Node], values: Mapping[str, Any]) -> int:
    """How many of a relation's columns are its input's, and not those that its names are the names of."""
    return len(plan.schema(values["input"])) if issubclass(cls, Window) else 0


def names_said(rel: Rel, columns: t.Schema) -> tuple[str, ...]:
    """The names that a reader will take from a relation's schema."""
    return names_in(columns[_inherited(type(rel), vars(rel)) :])


def agrees(said: t.Schema, actual: t.Schema) -> bool:
    """Does the schema in the document agree with the derived one? Columns may be unnamed."""
    return len(said) == len(actual) and all(
        a.type == b.type and (a.name is None or a.name == b.name) for a, b in zip(said, actual, strict=True)
    )


def _lit(_reader: Reader, values: dict[str, Any]) -> None:
    if values["type"] is None:
        values["type"] = t.type_of(values["value"])
    else:
        values["value"] = fit(values["value"], values["type"])


def _global(reader: Reader, values: dict[str, Any]) -> None:
    ordinal = values["ordinal"]
    if values["type"] is None and 0 <= ordinal < len(reader.globals):
        values["type"] = reader.globals[ordinal].type


def resolve(name: str, args: Sequence[Rex | t.Type], declared: Iterable[Fn] = ()) -> Fn:
    """The function of a name: a declared one, the catalogue's, else one that `check` will name."""
    for fn in declared:
        if fn.name == name and len(fn.params) == len(args):
            return fn
    try:
        return build.signature(name, args)
    except PlanError:
        params = tuple(TypeParam(arg) if isinstance(arg, t.Type) else ValueParam(t.ANY) for arg in args)
        return Fn(name, FnOption.NONE, params, t.ANY)


def _select(_reader: Reader, values: dict[str, Any]) -> None:
    """Without a relation there is one row, as in SQL; without a constructor the columns become a struct."""
    if values["input"] is None:
        values["input"] = Scan(build.lit(Bag([Struct()])))
    if values["constructor"] is None:
        columns = plan.schema(values["input"])
        pairs = [(field.name or f"_{i + 1}", plan.Var(field.type, i)) for i, field in enumerate(columns)]
        values["constructor"] = build.struct(pairs)


_COMPLETE: dict[type[Node], Callable[[Reader, dict[str, Any]], None]] = {
    Lit: _lit,
    Global: _global,
    Select: _select,
}
