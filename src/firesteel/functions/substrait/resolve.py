"""Resolve a call: which function it means, and what it returns.

A call is resolved by its extension, its name and the types of its arguments. A producer may leave the extension out,
name a wrong one, or use its own name for the function: then the name and the arguments decide. Arguments whose types
do not match exactly are cast. Everything that was put right is listed in `repairs`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.functions.catalog import Function
from firesteel.functions.changes import state
from firesteel.functions.properties import Kind
from firesteel.functions.substrait import registry
from firesteel.functions.substrait.coercion import bare, loses
from firesteel.functions.substrait.declarations import (
    Declaration,
    Implementation,
    all_declarations,
    declarations,
    named,
    stem,
    stems,
)
from firesteel.functions.substrait.matching import (
    Argument,
    Constant,
    EnumValue,
    Match,
    match,
    returned,
    targets,
    type_of,
)
from firesteel.functions.substrait.names import STANDARD_NAMES, Names, fits, preference
from firesteel.functions.substrait.nearest import nearest_forms
from firesteel.functions.substrait.options import UNSUPPORTED, choose
from firesteel.functions.substrait.rows import NULLING, find
from firesteel.repair import Repair, RepairKind
from firesteel.rules import CallRule

Options = Sequence[tuple[str, Sequence[str]]]

_CASTS = (RepairKind.ARGUMENTS, RepairKind.ARGUMENTS_LOSS)


@dataclass(frozen=True)
class Resolved:
    """A resolved call: the row, the form of the function, the chosen options and the result type."""

    row: Function
    implementation: Implementation
    choices: tuple[tuple[str, str], ...]
    returns: t.Type
    #: For each value argument the type that it has to be cast to; None if it needs no cast.
    casts: tuple[t.Type | None, ...] = ()
    #: The types of the value arguments, before the casts.
    arguments: tuple[t.Type, ...] = ()
    #: What had to be put right. The caller adds the place.
    repairs: tuple[Repair, ...] = ()


def resolve(
    urn: str | None,
    name: str,
    signature: str | None,
    kind: Kind,
    arguments: Sequence[Argument],
    options: Options = (),
    names: Names = STANDARD_NAMES,
) -> Resolved:
    """The function that a call means. Without a URN it is found by its name, or by one of the other names."""
    chosen = tuple((option, tuple(preferences)) for option, preferences in options)
    given = tuple(map(_telling, arguments))
    return _resolved(urn, name.lower(), signature, kind, given, chosen, names, state())


def giving(found: Resolved, kind: Kind, arguments: Sequence[Argument], wanted: t.Type) -> Resolved | None:
    """The call with the form of its function that returns the wanted type and takes the arguments; None without one."""
    given = tuple(map(_telling, arguments))
    made = _giving(found.row.name, kind, given, bare(wanted), found.choices, state())
    if made is None:
        return None
    repairs = tuple(one for one in found.repairs if one.kind not in _CASTS)
    return replace(made, arguments=found.arguments, repairs=repairs)


@lru_cache(maxsize=4096)
def _giving(
    row: str,
    kind: Kind,
    given: tuple[Argument, ...],
    wanted: t.Type,
    choices: tuple[tuple[str, str], ...],
    _registered: object,
) -> Resolved | None:
    own, _, name = row.partition(":")
    if own not in stems():  # functions of other extensions are never replaced by standard ones
        return None
    declared = sorted(_declared(None, name, kind), key=lambda one: one.name.partition(":")[0] != own)
    best = _best(iter(declared), given, None, wanted)
    if best is None or best[0].name in UNSUPPORTED:
        return None
    form, match_ = best[0].name, best[1]
    try:
        options = [(key, (value,)) for key, value in choices if key not in match_.chosen]
        chosen = match_.chosen | choose(form, match_.form, options)
    except (PlanError, UnsupportedError):  # the form has no such option
        return None
    function = find(form)
    assert function is not None
    return Resolved(function, match_.form, tuple(chosen.items()), call_type(*best), tuple(targets(match_)))


def _telling(argument: Argument) -> Argument:
    """The argument without details that do not matter for resolving. A constant keeps its value if it is an integer,
    on which a type may depend, or a string, which may be an enum or a date."""
    return argument.type if isinstance(argument, Constant) and not isinstance(argument.value, int | str) else argument


@lru_cache(maxsize=4096)
def _resolved(
    urn: str | None,
    name: str,
    signature: str | None,
    kind: Kind,
    given: tuple[Argument, ...],
    options: Options,
    names: Names,
    _registered: object,
) -> Resolved:
    """Resolve a call, cached until something is registered: plans often repeat the same call."""
    repairs: list[Repair] = []
    arguments = _components(names.meant(name), given, repairs)
    best = _best(_declared(urn, name, kind), arguments, signature)
    if best is None or best[1].cost:
        best = _elsewhere(urn, name, kind, arguments, signature, repairs, best, names)
    if best is None:
        raise _refusal(urn, name, kind, arguments, names)
    declared, found = best
    if declared.name in UNSUPPORTED:
        raise UnsupportedError(f"function '{declared.name}': {UNSUPPORTED[declared.name]}")
    implied = [(option, (value,)) for option, value in names.implied.get(name, ())]
    chosen = found.chosen | choose(declared.name, found.form, (*options, *implied))
    row = find(declared.name)
    assert row is not None
    casts = tuple(targets(found))
    if any(casts):
        lost = any(loses(one, target) for (one, _), target in zip(found.values, casts, strict=True) if target)
        kind_ = RepairKind.ARGUMENTS_LOSS if lost else RepairKind.ARGUMENTS
        repairs.append(Repair.of(kind_, function=declared.name, form=found.form))
    types = tuple(type_ for type_, _ in found.values)
    return Resolved(row, found.form, tuple(chosen.items()), call_type(declared, found), casts, types, tuple(repairs))


Candidate = tuple[Declaration, Match]


def _declared(urn: str | None, name: str, kind: Kind) -> Iterator[Declaration]:
    """The functions of that name in the extension, or in all extensions if there is no URN."""
    if urn is None:
        found = [one for one in named(name) if fits(one.kind, kind)]
        yield from sorted(found, key=lambda one: preference(one.name.partition(":")[0]))
        return
    one = registry.declaration(f"{urn}:{name}") or declarations(stem(urn)).get(f"{stem(urn)}:{name}")
    if one is not None and fits(one.kind, kind):
        yield one


def _best(
    found: Iterator[Declaration], arguments: Sequence[Argument], signature: str | None, wanted: t.Type | None = None
) -> Candidate | None:
    """The form that takes the arguments with the cheapest casts; among equals, the one whose signature the plan names.
    Forms that return the wanted type are preferred."""
    best: tuple[tuple[int, bool, bool], Candidate] | None = None
    for declared in found:
        for form in declared.implementations:
            made = match(form, arguments)
            if made is None or (wanted is not None and not _gives(declared, made, wanted)):
                continue
            rank = (made.cost, bool(signature) and form.signature != signature, form.deprecated)
            if best is None or rank < best[0]:
                best = rank, (declared, made)
    return best[1] if best else None


def _gives(declared: Declaration, found: Match, wanted: t.Type) -> bool:
    try:
        return bare(call_type(declared, found)) == wanted
    except UnsupportedError:
        return False


def _elsewhere(
    urn: str | None,
    name: str,
    kind: Kind,
    arguments: Sequence[Argument],
    signature: str | None,
    repairs: list[Repair],
    best: Candidate | None,
    names: Names,
) -> Candidate | None:
    """A function of another extension with the same bare name, or an alias of it, if that fits better. Functions of
    extensions that are not the standard's are never replaced."""
    if urn is not None and stem(urn) not in stems():
        return best
    for candidate in (name, names.aliases.get(name)):
        if candidate is None or (candidate == name and urn is None):
            continue
        found = _best(_declared(None, candidate, kind), arguments, signature)
        if found is not None and (best is None or found[1].cost < best[1].cost):
            said = f"'{stem(urn)}:{name}'" if urn else f"'{name}'"
            repairs.append(Repair.of(RepairKind.ALIAS, name=said, function=found[0].name))
            return found
    return best


def _components(name: str, arguments: Sequence[Argument], repairs: list[Repair]) -> Sequence[Argument]:
    """Add the argument `ONE` to `extract` of a component with an index, such as a month. Older versions of Substrait
    did not have this argument, and counted from one."""
    if name != "extract" or len(arguments) < 2:
        return arguments
    first = arguments[0]
    component = first.name if isinstance(first, EnumValue) else first.value if isinstance(first, Constant) else None
    if not isinstance(component, str) or isinstance(arguments[1], EnumValue):
        return arguments
    if component.upper() in _PLAIN_COMPONENTS:
        meant = EnumValue(_PLAIN_COMPONENTS[component.upper()])
        return (meant, *arguments[1:])
    if component.upper() not in _INDEXED:
        return arguments
    repairs.append(Repair.of(RepairKind.ORIGIN))
    return (EnumValue(_INDEXED[component.upper()]), EnumValue("ONE"), *arguments[1:])


_PLAIN_COMPONENTS = {"EPOCH": "UNIX_TIME", "ISOYEAR": "ISO_YEAR"}
_INDEXED = {
    **{one: one for one in ("QUARTER", "MONTH", "DAY", "DAY_OF_YEAR", "ISO_WEEK", "US_WEEK")},
    **{one: one for one in ("MONDAY_DAY_OF_WEEK", "SUNDAY_DAY_OF_WEEK", "MONDAY_WEEK", "SUNDAY_WEEK")},
    "DOY": "DAY_OF_YEAR",
    "WEEK": "ISO_WEEK",
}


def call_type(declared: Declaration, found: Match) -> t.Type:
    """The result type of a call. It is nullable if the function may give NULL, even if the declaration says
    otherwise."""
    try:
        made = returned(found)
    except KeyError as error:
        said = f"the type of '{declared.name}' depends on {str(error.args[0]).replace('argument ', 'its argument ')}"
        raise UnsupportedError(f"{said}, which is no literal") from None
    nullable = made.nullable or declared.name in NULLING
    if found.form.nullability == "MIRROR":
        nullable = found.nullable or declared.name in NULLING
    return t.absent(made, nullable=nullable)


def _refusal(
    urn: str | None, name: str, kind: Kind, arguments: Sequence[Argument], others: Names
) -> PlanError | UnsupportedError:
    said = f"{stem(urn)}:{name}" if urn else name
    known = list(_declared(urn, name, kind))
    if not known and (urn is None or stem(urn) in stems()):
        known = list(_declared(None, others.meant(name), kind))
    if known:
        given = ", ".join(one.name if isinstance(one, EnumValue) else str(type_of(one)) for one in arguments)
        forms = [form for one in known for form in one.implementations]
        return CallRule.SIGNATURE.broken(f"'{said}' does not take ({given})", help=nearest_forms(forms, arguments))
    other = [one for one in Kind if one is not kind and any(True for _ in _declared(urn, name, one))]
    if other:
        help_ = f"it is one of kind '{other[0].value}'"
        return CallRule.FUNCTION_KIND.broken(f"'{said}' is no {kind.value} function", help=help_)
    if urn is not None and stem(urn) not in stems():
        help_ = "fs.register_function says what it means"
        return UnsupportedError(f"the {kind.value} function '{said}' of an extension", help=help_)
    every = [one.name for one in all_declarations() if fits(one.kind, kind)]
    near = {one.partition(":")[2]: one for one in every if urn is not None and one.startswith(f"{stem(urn)}:")}
    names = {one.partition(":")[2]: one for one in every} | near
    close = difflib.get_close_matches(name, near, 1) or difflib.get_close_matches(name, names, 1)
    # Without a URN the name may be a function of the producer's own; a standard extension has no undeclared functions.
    unknown, near_ = f"no {kind.value} function '{said}'", f"did you mean '{names[close[0]]}'?" if close else None
    if urn is not None:
        return CallRule.FUNCTION.broken(unknown, help=near_)
    return UnsupportedError(
        unknown, help=near_ or "fs.register_function says what a function of the producer's own means"
    )
