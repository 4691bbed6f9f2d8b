"""`explode` in a projection: a row for each element of an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.spark.frames.base import Column, Frame, Reader, Scope, refuse
from firesteel.spark.frames.columns.choices import coalesce
from firesteel.spark.frames.columns.expressions import expression

_GENERATORS = ("explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer", "stack")


def expand(reader: Reader, frame: Frame, messages: Sequence[Any]) -> tuple[Frame, list[Any]]:
    """The frame with the column of an `explode` behind the others, and what is to be projected, which may name that
    column by its place."""
    made: list[Any] = []
    for one in messages:
        alias = one.alias.name if one.WhichOneof("expr_type") == "alias" else ()
        inner = one.alias.expr if alias else one
        name = inner.unresolved_function.function_name.lower()
        if inner.WhichOneof("expr_type") != "unresolved_function" or name not in _GENERATORS:
            made.append(one)
            continue
        if name not in ("explode", "explode_outer"):
            raise refuse(f"'{name}'", "explode can be said")
        place = len(frame.columns)
        array = expression(reader, inner.unresolved_function.arguments[0], Scope(frame))
        frame = _exploded(frame, array, Column(alias[0] if alias else "col"), outer=name == "explode_outer")
        made.append(place)
    return frame, made


def _exploded(frame: Frame, array: p.Rex, column: Column, *, outer: bool) -> Frame:
    if not isinstance(array.type, t.Array):
        raise refuse(f"'explode' of {t.proper(array.type)}")
    none = p.Lit(t.proper(array.type), [])
    elements = p.Scan(coalesce(array, none) if array.type.nullable else array, names=(column.name,))
    how: p.JoinType = p.Theta(p.Capture.LEFT, p.Lit(t.BOOL, True)) if outer else p.Cross()
    return Frame(p.Join(how, frame.rel, elements, lateral=True), (*frame.columns, column))
