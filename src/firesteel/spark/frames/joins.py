"""Joins of frames: by a condition, by names of columns, or of all pairs."""

from __future__ import annotations

from functools import reduce
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.spark.frames.base import Column, Frame, Reader, Scope, places, refuse
from firesteel.spark.frames.columns.choices import coalesce
from firesteel.spark.frames.columns.coercion import alike
from firesteel.spark.frames.columns.expressions import expression

_CAPTURES = {
    1: p.Capture.INNER,
    2: p.Capture.FULL,
    3: p.Capture.LEFT,
    4: p.Capture.RIGHT,
    5: p.Capture.LEFT_ANTI,
    6: p.Capture.LEFT_SEMI,
    7: p.Capture.INNER,
}


def join_frame(reader: Reader, message: Any, left: Frame, right: Frame) -> Frame:
    capture = _CAPTURES.get(message.join_type)
    if capture is None or message.HasField("join_data_type"):
        raise refuse("a join of structs, or of no kind")
    both = Frame(p.Join(p.Cross(), left.rel, right.rel), left.columns + right.columns)
    if message.using_columns:
        return _using(reader, message.using_columns, capture, left, right, both)
    condition: p.Rex = p.Lit(t.BOOL, True)
    if message.HasField("join_condition"):
        condition = expression(reader, message.join_condition, Scope(both))
    elif capture is p.Capture.INNER:
        return both
    rel = p.Join(p.Theta(capture, condition), left.rel, right.rel)
    return Frame(rel, left.columns if capture.tests else both.columns)


def _using(reader: Reader, names: Any, capture: p.Capture, left: Frame, right: Frame, both: Frame) -> Frame:
    """A join by names gives each of them once: of the side whose rows all stay, of both for a full join."""
    width = len(left.columns)
    pairs = [(places(reader, left, name)[0], places(reader, right, name)[0]) for name in names]
    equal = [build.present("eq", *alike([both.var(a), both.var(width + b)])) for a, b in pairs]
    condition = reduce(lambda a, b: build.present("and", a, b), equal)
    rel = p.Join(p.Theta(capture, condition), left.rel, right.rel)
    if capture.tests:
        return Frame(rel, left.columns)
    joined = Frame(rel, both.columns)
    keys: list[p.Rex] = []
    columns: list[Column] = []
    for a, b in pairs:
        if capture is p.Capture.FULL:
            keys.append(coalesce(joined.var(a), joined.var(width + b)))
            columns.append(Column(left.columns[a].name))
        else:
            place = width + b if capture is p.Capture.RIGHT else a
            keys.append(joined.var(place))
            columns.append(both.columns[place])
    used = {a for a, _ in pairs} | {width + b for _, b in pairs}
    rest = [i for i in range(len(both.columns)) if i not in used]
    return joined.project([*keys, *map(joined.var, rest)], [*columns, *(both.columns[i] for i in rest)])
