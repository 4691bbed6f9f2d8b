"""Which part of an s-expression is which parameter of a node."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from firesteel.errors import PlanError
from firesteel.ion.element import Element, Kind, null
from firesteel.partiql_plan.forms import Form, Slot
from firesteel.partiql_plan.read.trail import Trail
from firesteel.partiql_plan.vocabulary import parameter_is_extension

#: Marks a parameter that an alternative form omits. It is compared by identity, so no document can contain it.
LEFT_OUT = null()

#: The parent's place, the parameter's name, and its number among several. A place is made of it when one is needed.
Spot = tuple[Trail | None, str, int | None]


def trail(spot: Spot, element: Element) -> Trail:
    """The place of an element."""
    return Trail(*spot, element.span)


def error(message: str, element: Element, spot: Spot, help: str | None = None) -> PlanError:
    """A located error."""
    return PlanError(message, where=trail(spot, element), help=help)


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """The help for a near miss."""
    close = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean '{close[0]}'?" if close else None


def needs_extension(what: str, place: Trail) -> PlanError:
    """The error for what goes beyond the document without saying so."""
    return PlanError(f"{what} goes beyond the document", where=place, help="say (import (partiql) (firesteel))")


class Matched:
    """The parts of a node: what it says its schema is, and the element (for a named one, its form) of each slot."""

    __slots__ = ("schema", "slots")

    def __init__(self, schema: Element | None, slots: list[tuple[Slot, Element | tuple[Element, ...]]]) -> None:
        self.schema = schema
        self.slots = slots


def match(form: Form, element: Element, place: Trail, extensions: bool) -> Matched:
    """The parts of an element by the slots of a form; PlanError where they do not fit."""
    items = element.tail if form.tag else element.value
    named: dict[str, Element] = {}
    ordered: list[Element] = []
    for item in items:
        name = item.head if item.kind is Kind.SEXP and form.named else None
        if name is None or name not in form.named:
            ordered.append(item)
            continue
        if name in named:
            raise PlanError(f"{form.tag} has two parameters ({name} ...)", where=place)
        if not extensions and parameter_is_extension(form.cls, name):
            raise needs_extension(f"the parameter ({name} ...) of {form.tag}", place)
        named[name] = item
    slots = _present(form, len(ordered) - form.schema)
    schema: Element | None = None
    if form.schema:
        if slots is not None:
            schema, *ordered = ordered
        else:
            slots, schema = _present(form, len(ordered)), LEFT_OUT
    if slots is None:
        raise _arity(form, len(ordered), place)
    found: list[tuple[Slot, Element | tuple[Element, ...]]] = list(zip(slots, ordered, strict=False))
    if slots and slots[-1].variadic and slots[-1] in form.tail:
        found[len(slots) - 1 :] = [(slots[-1], tuple(ordered[len(slots) - 1 :]))]
    found.extend((slot, LEFT_OUT) for slot in form.in_order if slot.skippable and slot not in slots)
    found.extend((form.named[name], _spliced(form.named[name], item, place)) for name, item in named.items())
    return Matched(schema, found)


def _present(form: Form, count: int) -> list[Slot] | None:
    """The slots that so many parameters fill: all, or all but those that may be left out. None if none would."""
    slots = list(form.in_order)
    if form.tail and form.tail[-1].variadic:
        return slots if count >= len(slots) - 1 else None
    if count == len(slots):
        return slots
    if count == len(slots) - sum(slot.skippable for slot in slots):
        return [slot for slot in slots if not slot.skippable]
    while len(slots) > count >= 0 and not slots[-1].required:
        slots.pop()
    return slots if len(slots) == count else None


def _arity(form: Form, count: int, place: Trail) -> PlanError:
    # A relation's schema may be left out, so it does not count here.
    open_ended = bool(form.tail) and form.tail[-1].variadic
    least = sum(slot.required and not slot.skippable for slot in form.in_order) - open_ended
    most = len(form.in_order)
    if open_ended:
        wanted = f"at least {least}"
    else:
        wanted = f"{least}" if least == most else f"{least} to {most}"
    wanted += " parameter" if wanted == "1" else " parameters"
    beside = " besides its schema" if form.schema else ""
    given = count - form.schema if count > most else count
    what = form.tag or "this"
    return PlanError(f"{what} takes {wanted}{beside}, not {given}", where=place, help=f"its form is {form}")


def _spliced(slot: Slot, item: Element, place: Trail) -> Element | tuple[Element, ...]:
    """What a named parameter is given: several things if it takes several, else one."""
    if slot.variadic:
        return item.tail
    if len(item.tail) != 1:
        given = len(item.tail)
        raise PlanError(
            f"({slot.name} ...) takes one value, not {given}", where=Trail(place, slot.name, None, item.span)
        )
    return item.tail[0]
