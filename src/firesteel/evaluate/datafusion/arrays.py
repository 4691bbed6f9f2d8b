"""DataFusion's functions of lists. Places count from 1; a negative one is from the end."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.display import plain_float_text
from firesteel.evaluate.datafusion.fit import plain, whole
from firesteel.evaluate.datafusion.order import order
from firesteel.evaluate.scalar.text import within
from firesteel.evaluate.substrait.casts import build
from firesteel.evaluate.substrait.integers import Factory
from firesteel.values import Key, Struct, Value, key

List = list[Value]
#: What counts as all occurrences.
_ALL = 2**63


def distinct(items: Iterable[Value]) -> List:
    """The first of each of the different values."""
    found: dict[Key, Value] = {}
    for one in items:
        found.setdefault(key(one), one)
    return list(found.values())


def _append(items: List | None, value: Value) -> List:
    return [*(items or []), value]


def _concat(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., List | None]:
    """The elements of all; a list of elements among lists of lists is one element."""
    depth = depth_of(fn.returns)
    missing = [depth - depth_of(type_) for type_ in types]

    def apply(*lists: List | None) -> List | None:
        there = [_wrapped(one, more) for one, more in zip(lists, missing, strict=True) if more > 0 or one is not None]
        return [item for one in there for item in one] if there else None

    return apply


def _wrapped(items: Value, times: int) -> List:
    for _ in range(times):
        items = [items]
    return items  # type: ignore[no-any-return]


def _has(items: List | None, value: Value) -> bool | None:
    if items is None or value is None:
        return None
    return any(key(one) == key(value) for one in items if one is not None)


def _has_all(items: List, wanted: List) -> bool:
    known = {key(one) for one in items}
    return all(key(one) in known for one in wanted)


def _has_any(items: List, wanted: List) -> bool:
    known = {key(one) for one in items}
    return any(key(one) in known for one in wanted)


def _contains(items: List, value: Value) -> bool | None:
    """Spark's: NULL where the value is not found, but an element is NULL."""
    if any(key(one) == key(value) for one in items if one is not None):
        return True
    return None if None in items else False


def _dims(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[List], List | None]:
    """The lengths of a list, of its first element, of that one's; 0 of one that is not there."""
    depth = depth_of(types[0])
    return lambda items: _lengths(items, depth) if items else None


def _lengths(items: List, depth: int) -> List:
    found: List = []
    inner: Value = items
    for _ in range(depth):
        found.append(len(inner or []))
        inner = inner[0] if inner else None
    return found


def depth_of(type_: t.Type) -> int:
    """How many lists are inside each other."""
    count = 0
    while isinstance(type_, t.Array):
        count, type_ = count + 1, type_.element
    return count


def _depth(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[List], int]:
    count = depth_of(types[0])
    return lambda items: count


def _element(items: List, place: Value) -> Value:
    at = whole(place)
    if at == 0:
        return None
    at = at - 1 if at > 0 else at
    return items[at] if -len(items) <= at < len(items) else None


def _except(items: List, others: List) -> List:
    known = {key(one) for one in others}
    return distinct(one for one in items if key(one) not in known)


def _intersect(items: List, others: List) -> List:
    known = {key(one) for one in others}
    return distinct(one for one in items if key(one) in known)


def _union(a: List, b: List) -> List:
    return distinct([*a, *b])


def _length(items: Value, dimension: Value = 1) -> int | None:
    if items is None or dimension is None or dimension < 1:
        return None
    for _ in range(whole(dimension) - 1):
        items = items[0] if isinstance(items, list) and items else None
    return len(items) if isinstance(items, list) else None


def _count(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[Value], int]:
    """The elements of the innermost lists, or the entries of a map. A list that is NULL has none."""
    depth = depth_of(types[0])

    def apply(items: Value) -> int:
        if isinstance(items, Struct):
            return len(items.pairs)
        for _ in range(depth - 1):
            items = [one for inner in items if inner is not None for one in inner]
        return len(items)

    return apply


def _size(items: Value) -> int:
    return -1 if items is None else len(items.pairs if isinstance(items, Struct) else items)


def _present(items: List) -> List:
    return [one for one in items if one is not None]


def _position(items: List | None, value: Value, start: Value = 1) -> int | None:
    if items is None or start is None:
        return None
    if not 1 <= whole(start) <= len(items) + 1:
        raise EvaluationError(f"array_position from the place {start}: the list has {len(items)}")
    return next((i for i, one in enumerate(items, 1) if i >= start and key(one) == key(value)), None)


def _positions(items: List | None, value: Value) -> List | None:
    return None if items is None else [i for i, one in enumerate(items, 1) if key(one) == key(value)]


def _removed(items: List | None, value: Value, most: Value) -> List | None:
    if items is None or most is None or value is None:
        return None
    made: List = []
    for one in items:
        if most > 0 and key(one) == key(value):
            most -= 1
        else:
            made.append(one)
    return made


def _replaced(items: List | None, old: Value, new: Value, most: Value) -> List | None:
    if items is None or most is None:
        return None
    made: List = []
    for one in items:
        hit = most > 0 and key(one) == key(old)
        most -= hit
        made.append(new if hit else one)
    return made


def _repeat(value: Value, count: Value) -> List | None:
    if count is None:
        return None
    within(max(0, whole(count)))
    return [value] * max(0, whole(count))


def _resize(items: List | None, size: Value, filler: Value = None) -> List | None:
    if items is None or size is None:
        return None
    if size < 0:
        raise EvaluationError(f"array_resize to {size}")
    within(whole(size))
    return [*items, *[filler] * (whole(size) - len(items))][: whole(size)]


def _slice(items: List | None, start: Value, end: Value, step: Value = 1) -> List | None:
    if items is None or start is None or end is None or step is None:
        return None
    size, first, last, by = len(items), whole(start), whole(end), whole(step)
    if by == 0:
        raise EvaluationError("array_slice with a stride of 0")
    first = first + size if first < 0 else max(0, first - 1)
    last = last + size if last < 0 else last - 1
    first = max(0, first) if -size <= start else 0
    if last < 0 or (first >= size and by > 0):
        return []
    if by > 0:
        return items[first : min(size, last + 1) : by]
    if first >= size:
        return []
    return [items[i] for i in range(first, last - 1, by)] if first >= last else []


def _spark_slice(items: List, start: Value, count: Value) -> List:
    at = whole(start)
    if at == 0 or count < 0:
        raise EvaluationError("slice takes a place from 1 or from the end, and a length")
    at = at - 1 if at > 0 else len(items) + at
    return items[at : at + whole(count)] if 0 <= at < len(items) else []


def _sort(items: List | None, direction: str | None = "ASC", nulls: str | None = "NULLS FIRST") -> List | None:
    if items is None or direction is None or nulls is None:
        return None
    absent = [None] * sum(one is None for one in items)
    made = sorted(_present(items), key=order, reverse=direction.upper() == "DESC")
    return [*absent, *made] if nulls.upper() == "NULLS FIRST" else [*made, *absent]


def _writer(type_: t.Type) -> Callable[[Value], str]:
    if isinstance(type_, t.Float32 | t.Float64):
        return lambda value: plain_float_text(value, type_)
    cast: Callable[[Value], str] = build(type_, t.STRING)
    return cast


def _to_string(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., str | None]:
    type_ = types[0]
    while isinstance(type_, t.Array):
        type_ = type_.element
    write = _writer(type_)

    def apply(items: List | None, separator: str | None, null: str | None = None) -> str | None:
        if items is None or separator is None:
            return None
        texts: list[str] = []
        stack = list(reversed(items))
        while stack:
            one = stack.pop()
            if isinstance(one, list):
                stack.extend(reversed(one))
            elif one is not None:
                texts.append(write(one))
            elif null is not None:
                texts.append(null)
        return separator.join(texts)

    return apply


def _flatten(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[[List], List]:
    """The elements of inner lists; a list without inner lists is itself."""
    if isinstance(types[0], t.Array) and isinstance(types[0].element, t.Array):
        return lambda items: [one for inner in items if inner is not None for one in inner]
    return lambda items: items


def _string_to_array(text: str | None, separator: str | None, null: str | None = None) -> List | None:
    if text is None:
        return None
    if separator is None or not text:
        parts = list(text)
    else:
        parts = text.split(separator) if separator else [text]
    return [None if one == null else one for one in parts] if null is not None else list(parts)


def _zip(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., List | None]:
    def apply(*lists: List | None) -> List | None:
        if all(one is None for one in lists):
            return None
        size = max(len(one or []) for one in lists)
        return [
            Struct((f"_{i}", (one or [])[at] if at < len(one or []) else None) for i, one in enumerate(lists, 1))
            for at in range(size)
        ]

    return apply


def _numbers(items: Sequence[Value]) -> list[Any]:
    return [one for one in items if one is not None]


def _of_vectors(operation: Callable[[list[tuple[float, float]]], float | None]) -> Callable[[List, List], float | None]:
    """A function of two lists of numbers; NULL if an element is."""

    def apply(a: List, b: List) -> float | None:
        if len(a) != len(b):
            raise EvaluationError("two lists of different lengths")
        if None in a or None in b:
            return None
        return operation([(float(x), float(y)) for x, y in zip(a, b, strict=True)])

    return apply


def _cosine(pairs: list[tuple[float, float]]) -> float | None:
    size = math.sqrt(sum(x * x for x, _ in pairs)) * math.sqrt(sum(y * y for _, y in pairs))
    return 1 - sum(x * y for x, y in pairs) / size if size else None


def _normalize(items: List) -> List | None:
    if None in items:
        return None
    size = math.sqrt(sum(float(one) ** 2 for one in items))
    return [float(one) / size for one in items] if size else None if items else items


def _each(operation: Callable[[Any, Any], Value]) -> Callable[[List, List], List]:
    """An operation place by place; NULL where an element is."""

    def apply(a: List, b: List) -> List:
        if len(a) != len(b):
            raise EvaluationError("two lists of different lengths")
        return [None if x is None or y is None else operation(x, y) for x, y in zip(a, b, strict=True)]

    return apply


SCALARS: dict[str, Factory] = {
    "array_append": plain(_append),
    "array_prepend": plain(lambda value, items: [value, *(items or [])]),
    "array_concat": _concat,
    "array_has": plain(_has),
    "array_has_all": plain(_has_all),
    "array_has_any": plain(_has_any),
    "array_contains": plain(_contains),
    "array_distinct": plain(distinct),
    "array_dims": _dims,
    "array_ndims": _depth,
    "array_element": plain(_element),
    "array_any_value": plain(lambda items: next(iter(_present(items)), None)),
    "array_except": plain(_except),
    "array_intersect": plain(_intersect),
    "array_union": plain(_union),
    "array_subtract": plain(_each(lambda x, y: x - y)),
    "array_add": plain(_each(lambda x, y: x + y)),
    "array_scale": plain(lambda items, by: [None if one is None else one * by for one in items]),
    "array_avg": plain(lambda items: sum(_numbers(items)) / len(_numbers(items)) if _numbers(items) else None),
    "array_length": plain(_length),
    "cardinality": _count,
    "size": plain(_size),
    "empty": plain(lambda items: not items),
    "array_max": plain(lambda items: max(_present(items), key=order, default=None)),
    "array_min": plain(lambda items: min(_present(items), key=order, default=None)),
    "array_product": plain(lambda items: math.prod(_numbers(items)) if _numbers(items) else None),
    "array_sum": plain(lambda items: sum(_numbers(items)) if _numbers(items) else None),
    "inner_product": plain(_of_vectors(lambda pairs: sum(x * y for x, y in pairs))),
    "array_distance": plain(_of_vectors(lambda pairs: math.sqrt(sum((x - y) ** 2 for x, y in pairs)))),
    "cosine_distance": plain(_of_vectors(_cosine)),
    "array_normalize": plain(_normalize),
    "array_pop_back": plain(lambda items: items[:-1]),
    "array_pop_front": plain(lambda items: items[1:]),
    "array_position": plain(_position),
    "array_positions": plain(_positions),
    "array_remove": plain(lambda items, value: _removed(items, value, 1)),
    "array_remove_n": plain(_removed),
    "array_remove_all": plain(lambda items, value: _removed(items, value, _ALL)),
    "array_compact": plain(lambda items: None if items is None else _present(items)),
    "array_repeat": plain(_repeat),
    "array_replace": plain(lambda items, old, new: _replaced(items, old, new, 1)),
    "array_replace_n": plain(_replaced),
    "array_replace_all": plain(lambda items, old, new: _replaced(items, old, new, _ALL)),
    "array_resize": plain(_resize),
    "array_reverse": plain(lambda items: items[::-1]),
    "array_slice": plain(_slice),
    "slice": plain(_spark_slice),
    "array_sort": plain(_sort),
    "array_to_string": _to_string,
    "flatten": _flatten,
    "string_to_array": plain(_string_to_array),
    "arrays_zip": _zip,
}
