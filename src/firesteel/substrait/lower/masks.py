"""Masks: the parts of a nested value that are wanted, of a read's schema or of a reference."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.plan import build
from firesteel.substrait.lower.edges import attribute, unless_null
from firesteel.substrait.message import Message


def chosen(mask: Message, width: int) -> list[tuple[int, Message | None]]:
    """The ordinals that a struct's mask selects, in its order, each with the mask of what is inside."""
    found = []
    for item in mask.struct_items:
        if not 0 <= item.field < width:
            raise PlanError(f"no field {item.field}: there are {width}", where=item.where)
        found.append((item.field, item.child if item.has("child") else None))
    return found


def masked(rex: p.Rex, mask: Message | None) -> p.Rex:
    """A value reduced to what the mask selects of it."""
    if mask is None:
        return rex
    match mask.which("type"):
        case "struct":
            return _struct(rex, mask.struct)
        case "list":
            return _list(rex, mask.list)
        case "map":
            raise UnsupportedError("a mask on the keys of a map", where=mask.where)
    raise PlanError("a mask that selects nothing", where=mask.where)


def _struct(rex: p.Rex, mask: Message) -> p.Rex:
    if not isinstance(rex.type, t.Struct):
        raise PlanError(f"a mask of a struct on a {rex.type}", where=mask.where)
    fields = rex.type.fields
    pairs: list[tuple[str | p.Rex, p.Rex]] = []
    for ordinal, inner in chosen(mask, len(fields)):
        name = fields[ordinal].name or ""
        pairs.append((name, masked(attribute(rex, name), inner)))
    return unless_null(rex, build.struct(pairs))


def _list(rex: p.Rex, mask: Message) -> p.Rex:
    if not isinstance(rex.type, t.Array):
        raise PlanError(f"a mask of a list on a {rex.type}", where=mask.where)
    if mask.selection:
        return _selected(rex, mask)
    element = masked(p.Var(rex.type.element, 0), mask.child if mask.has("child") else None)
    return unless_null(rex, build.select(element, p.Scan(rex), t.Array))


def _selected(rex: p.Rex, mask: Message) -> p.Rex:
    """Elements by their places: one, or a slice up to its end, which is not part of it."""
    assert isinstance(rex.type, t.Array)
    item, *others = mask.selection
    sliced = item.which("type") == "slice"
    low, high = (item.slice.start, item.slice.end - 1) if sliced else (item.item.field,) * 2
    if low < 0 or high < (-1 if sliced else 0):
        raise UnsupportedError("a mask that counts from the end of a list", where=item.where)
    if others:
        raise UnsupportedError("a mask with several parts of a list", where=mask.where)
    within = build.call("between", p.Var(t.INT64, 1), build.lit(low), build.lit(high))
    element = masked(p.Var(rex.type.element, 0), mask.child if mask.has("child") else None)
    return unless_null(rex, build.select(element, p.Filter(within, p.ScanIndexed(rex)), t.Array))
