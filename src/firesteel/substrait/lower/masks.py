"""Masks: the parts of a nested value that are wanted, of a read's schema or of a reference."""

from __future__ import annotations

import itertools

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError, first_of
from firesteel.plan import build
from firesteel.plan.fit import attribute, unless_null
from firesteel.rules import PlanRule, ReferenceRule
from firesteel.substrait.message import Message


def mask_fields(mask: Message, width: int) -> list[tuple[int, Message | None]]:
    """The ordinals that a struct's mask selects, in its order, each with the mask of what is inside."""
    wrong = [
        ReferenceRule.FIELD.broken(f"no field {item.field}: there are {width}", where=item.where)
        for item in mask.struct_items
        if not 0 <= item.field < width
    ]
    if wrong:
        raise first_of(wrong)
    return [(item.field, item.child if item.has("child") else None) for item in mask.struct_items]


def apply_mask(rex: p.Rex, mask: Message | None) -> p.Rex:
    """A value reduced to what the mask selects of it."""
    if mask is None:
        return rex
    match mask.which("type"):
        case "struct":
            return _struct(rex, mask.struct)
        case "list":
            return _list(rex, mask.list)
        case "map":
            return _map(rex, mask.map)
    raise PlanRule.SAYS_NOTHING.broken("a mask that selects nothing", where=mask.where)


def _struct(rex: p.Rex, mask: Message) -> p.Rex:
    if not isinstance(rex.type, t.Struct):
        raise ReferenceRule.REFERENCE_KIND.broken(f"a mask of a struct on a {rex.type}", where=mask.where)
    fields = rex.type.fields
    pairs: list[tuple[str | p.Rex, p.Rex]] = []
    for ordinal, inner in mask_fields(mask, len(fields)):
        name = fields[ordinal].name or ""
        pairs.append((name, apply_mask(attribute(rex, name), inner)))
    return unless_null(rex, build.struct(pairs))


def _list(rex: p.Rex, mask: Message) -> p.Rex:
    if not isinstance(rex.type, t.Array):
        raise ReferenceRule.REFERENCE_KIND.broken(f"a mask of a list on a {rex.type}", where=mask.where)
    if mask.selection:
        return _selected(rex, mask)
    element = apply_mask(p.Var(rex.type.element, 0), mask.child if mask.has("child") else None)
    return unless_null(rex, build.select(element, p.Scan(rex), t.Array))


def _selected(rex: p.Rex, mask: Message) -> p.Rex:
    """Elements by their places. A mask only leaves things out: parts that would move or repeat some are refused."""
    assert isinstance(rex.type, t.Array)
    parts = [_part(item) for item in mask.selection]
    if any(high >= low for (_, high), (low, _) in itertools.pairwise(parts)):
        raise UnsupportedError("a mask with parts of a list that overlap or are not in order", where=mask.where)
    within = [build.call("between", p.Var(t.INT64, 1), build.lit(low), build.lit(high)) for low, high in parts]
    wanted = within[0] if len(within) == 1 else build.call("or", *within)
    element = apply_mask(p.Var(rex.type.element, 0), mask.child if mask.has("child") else None)
    return unless_null(rex, build.select(element, p.Filter(wanted, p.ScanIndexed(rex)), t.Array))


def _part(item: Message) -> tuple[int, int]:
    """The first and the last place of one element, or of a slice up to its end, which is not part of it."""
    sliced = item.which("type") == "slice"
    low, high = (item.slice.start, item.slice.end - 1) if sliced else (item.item.field,) * 2
    if low < 0 or high < (-1 if sliced else 0):
        raise UnsupportedError("a mask that counts from the end of a list", where=item.where)
    return low, high


def _map(rex: p.Rex, mask: Message) -> p.Rex:
    """A map with the entry of one key, if it has it."""
    if not isinstance(rex.type, t.Map) or not isinstance(rex.type.key, t.Text):
        raise ReferenceRule.REFERENCE_KIND.broken(
            f"a mask of a map with keys of text on a {rex.type}", where=mask.where
        )
    if mask.which("select") != "key":
        raise UnsupportedError("a mask by a pattern of keys, whose form nobody has specified", where=mask.where)
    key = p.Lit(t.proper(rex.type.key), mask.key.map_key)
    found = build.substrait_expression("map_value", (rex, key), t.absent(rex.type.value, nullable=True))
    value = apply_mask(found, mask.child if mask.has("child") else None)
    type_ = t.Map(rex.type.key, t.absent(value.type, nullable=rex.type.value.nullable))
    return unless_null(rex, build.substrait_expression("map_entry", (rex, key, value), type_))
