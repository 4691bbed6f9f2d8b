"""`fillna` and `dropna`: NaN counts as NULL there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.spark.frames.base import Column, Frame, Reader, Reading, places, refuse
from firesteel.spark.frames.columns.choices import coalesce, is_nan
from firesteel.spark.frames.columns.coercion import cast
from firesteel.spark.frames.columns.literals import literal


def _chosen(reader: Reader, frame: Frame, names: Sequence[str]) -> list[int]:
    return [places(reader, frame, name)[0] for name in names] or list(range(len(frame.columns)))


def fill_null(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)
    chosen = _chosen(reader, frame, message.cols)
    given = [literal(one) for one in message.values]
    fills = dict(zip(chosen, given if len(given) > 1 else given * len(chosen), strict=False))
    exprs: list[p.Rex] = []
    columns = list(frame.columns)
    for i in range(len(frame.columns)):
        var: p.Rex = frame.var(i)
        fill = fills.get(i)
        if fill is not None and any(isinstance(fill.type, one) and isinstance(var.type, one) for one in _FILLED):
            absent = build.present("or", build.present("is_null", var), is_nan(var))
            value = cast(fill, t.proper(var.type))
            type_ = t.absent(var.type, nullable=False)
            made = coalesce(var, value)
            if isinstance(var.type, t.Float32 | t.Float64):
                made = p.Case(type_, None, (p.Branch(absent, value),), default=build.exactly(var, type_))
            var, columns[i] = made, Column(columns[i].name)
        exprs.append(var)
    return frame.project(exprs, columns)


#: A fill value fills columns of its own family.
_FILLED = (t.Number, t.Text, t.Bool)


def drop_null(reader: Reader, message: Any) -> Reading:
    frame: Frame = yield (message.input,)
    there = []
    for i in _chosen(reader, frame, message.cols):
        var = frame.var(i)
        absent = build.present("is_null", var)
        absent = build.present("or", absent, is_nan(var)) if isinstance(var.type, t.Float32 | t.Float64) else absent
        there.append(build.present("not", absent))
    least = message.min_non_nulls if message.HasField("min_non_nulls") else len(there)
    if least not in (1, len(there)):
        raise refuse("`dropna` with a number of values", "how='any' and how='all' can be said")
    name = "and" if least == len(there) else "or"
    return frame.over(p.Filter(reduce(lambda a, b: build.present(name, a, b), there), frame.rel))
