"""Set operations of frames, by the places of columns or by their names."""

from __future__ import annotations

from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.spark.frames.base import Column, Frame, Reader, Reading, refuse
from firesteel.spark.frames.columns.coercion import cast, common_type

_SETS: dict[int, type[p.SetRel]] = {1: p.Intersect, 2: p.Union, 3: p.Except}


def set_operation(reader: Reader, message: Any) -> Reading:
    left: Frame = yield (message.left_input,)
    right: Frame = yield (message.right_input,)
    if message.by_name:
        left, right = _by_name(left, right, add=message.allow_missing_columns)
    if len(left.columns) != len(right.columns):
        raise refuse("a set operation on frames of different widths")
    types = [common_type(a.type, b.type) for a, b in zip(p.schema(left.rel), p.schema(right.rel), strict=True)]
    sides = [
        frame.project([cast(frame.var(i), type_) for i, type_ in enumerate(types)], frame.columns)
        for frame in (left, right)
    ]
    quantifier = p.Quantifier.ALL if message.is_all else p.Quantifier.DISTINCT
    rel = _SETS[message.set_op_type](sides[0].rel, sides[1].rel, quantifier=quantifier)
    return Frame(rel, tuple(Column(one.name) for one in left.columns))


def _by_name(left: Frame, right: Frame, *, add: bool) -> tuple[Frame, Frame]:
    """Both frames with the columns of the left in order, and then those that only the right has."""
    wanted = [one.name for one in left.columns]
    wanted += [one.name for one in right.columns if not left.named(one.name)]
    sides = []
    for frame, other in ((left, right), (right, left)):
        exprs: list[p.Rex] = []
        for name in wanted:
            found = frame.named(name)
            if not found and not add:
                raise refuse(f"a union by name without the column '{name}'", "pass allowMissingColumns=True")
            there = other.named(name)
            missing = p.Lit(t.absent(other.var(there[0]).type, nullable=True), None) if not found else None
            exprs.append(frame.var(found[0]) if missing is None else missing)
        columns = [frame.columns[frame.named(name)[0]] if frame.named(name) else Column(name) for name in wanted]
        sides.append(frame.project(exprs, columns))
    return sides[0], sides[1]
