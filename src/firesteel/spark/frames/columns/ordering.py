"""Keys to sort by. In Spark NaN is greater than all numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.spark.frames.base import Reading, Scope
from firesteel.spark.frames.columns.choices import is_nan

_ASCENDING, _DESCENDING = 1, 2
_FIRST, _LAST = 1, 2
_ORDERS = {
    (_ASCENDING, _FIRST): p.SortOrder.ASC_NULLS_FIRST,
    (_ASCENDING, _LAST): p.SortOrder.ASC_NULLS_LAST,
    (_DESCENDING, _FIRST): p.SortOrder.DESC_NULLS_FIRST,
    (_DESCENDING, _LAST): p.SortOrder.DESC_NULLS_LAST,
}


def sort_specs(messages: Iterable[Any], scope: Scope) -> Reading:
    """The keys of a sort. NULL comes first where nothing is said, and last in a descending order."""
    found: list[p.SortSpec] = []
    for one in messages:
        key = yield one.child, scope
        direction = one.direction or _ASCENDING
        nulls = one.null_ordering or (_FIRST if direction == _ASCENDING else _LAST)
        order = _ORDERS[direction, nulls]
        if isinstance(key.type, t.Float32 | t.Float64):
            null_first = nulls == _FIRST
            absent = p.SortOrder.DESC_NULLS_FIRST if null_first else p.SortOrder.ASC_NULLS_FIRST
            if key.type.nullable:
                found.append(p.SortSpec(build.present("is_null", key), absent))
            nan = p.SortOrder.ASC_NULLS_FIRST if direction == _ASCENDING else p.SortOrder.DESC_NULLS_FIRST
            found.append(p.SortSpec(is_nan(key), nan))
        found.append(p.SortSpec(key, order))
    return tuple(found)
