"""What relations rely on: a merge join, a streaming aggregate and a streaming window need inputs that are ordered.

`unmet_needs` compares what a relation needs with what is known of its input (`relation_properties`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firesteel.plan.base import Rel, Rex
from firesteel.plan.field_paths import field_path
from firesteel.plan.properties import (
    FieldPath,
    OrderField,
    SortOrder,
    Wanted,
    first_unordered,
    grouped_prefix,
)
from firesteel.plan.relations.join import Equi, Join, JoinStrategy, Theta
from firesteel.plan.relations.rel import Aggregate, SortSpec
from firesteel.plan.relations.window import Window, WindowMethod
from firesteel.plan.rex import Call, Var
from firesteel.plan.schema import relation_properties, schema


@dataclass(frozen=True)
class Need:
    """An order that a relation needs an input to have, and which it is not known to have: a sort by these specs would
    give it. No specs: no sort can. `side` is the field of the relation that has the input."""

    message: str
    input: Rel
    specs: tuple[SortSpec, ...] = ()
    side: str = "input"


def relies_on_order(rel: Rel) -> bool:
    """Does a relation need an input that is ordered?"""
    match rel:
        case Join(strategy=JoinStrategy.MERGE) | Window(method=WindowMethod.STREAMING):
            return True
        case Aggregate():
            return rel.keeps_order
        case _:
            return False


def unmet_needs(rel: Rel) -> Iterator[Need]:
    """The orders that a relation relies on and that do not hold, as far as the plan tells."""
    match rel:
        case Join(strategy=JoinStrategy.MERGE):
            yield from _merge_join(rel)
        case Aggregate() if rel.keeps_order:
            yield from _streaming_aggregate(rel)
        case Window(method=WindowMethod.STREAMING):
            yield from _streaming_window(rel)


# ---------------------------------------------------------------------------------------------------------------------
# Merge joins


def _merge_join(join: Join) -> Iterator[Need]:
    """Both inputs have to be ordered by the keys, in the same sequence of keys and in the same directions."""
    pairs = join_keys(join)
    if not pairs:
        yield Need("a merge join needs keys that are fields of its inputs", join.left, side="left")
        return
    left, right = relation_properties(join.left), relation_properties(join.right)
    arranged = _arranged(pairs, left.order, [path for path, _ in pairs])
    if arranged is None:
        arranged = _arranged([(b, a) for a, b in pairs], right.order, [path for _, path in pairs])
        arranged = None if arranged is None else [(b, a, order) for a, b, order in arranged]
    if arranged is None:
        arranged = [(a, b, SortOrder.ASC_NULLS_FIRST) for a, b in pairs]
    wanted_left, wanted_right = (
        [Wanted(a, order) for a, _, order in arranged],
        [Wanted(b, order) for _, b, order in arranged],
    )
    for side, rel, known, wanted in (
        ("left", join.left, left, wanted_left),
        ("right", join.right, right, wanted_right),
    ):
        missing = first_unordered(known, wanted)
        if missing is not None:
            message = f"the {side} input of a merge join is not ordered by its key {named(missing.path, rel)}"
            yield Need(message, rel, tuple(SortSpec(_rex(one.path, rel), one.order) for one in wanted), side)


def _arranged(
    pairs: list[tuple[FieldPath, FieldPath]], order: tuple[OrderField, ...], keys: list[FieldPath]
) -> list[tuple[FieldPath, FieldPath, SortOrder]] | None:
    """The pairs of keys, in the sequence in which the first key of each comes in an order, with its directions; None if
    the order does not begin with them."""
    left = dict(zip(keys, pairs, strict=True))
    found: list[tuple[FieldPath, FieldPath, SortOrder]] = []
    for one in order:
        if not left:
            break
        path = next((path for path in left if path in one.field), None)
        if path is None or one.order is SortOrder.CLUSTERED or one.comparator is not None:
            return None
        found.append((*left.pop(path), one.order))
    return None if left else found


def join_keys(join: Join) -> list[tuple[FieldPath, FieldPath]]:
    """The fields of the left and of the right that a join compares for equality."""
    width = len(schema(join.left))
    found: list[tuple[FieldPath, FieldPath]] = []
    match join.type:
        case Equi(keys=keys):
            paths = [(field_path(key.left), field_path(key.right)) for key in keys]
            found = [(a, b) for a, b in paths if a is not None and b is not None]
            return found if len(found) == len(paths) else []
        case Theta(condition=condition):
            for term in _terms(condition):
                match term:
                    case Call(fn=fn, args=(Rex() as one, Rex() as other)) if fn.name == "eq":
                        pair = _sided(field_path(one), field_path(other), width)
                        found += [pair] if pair is not None else []
    return found


def _terms(condition: Rex) -> Iterator[Rex]:
    stack = [condition]
    while stack:
        rex = stack.pop()
        if isinstance(rex, Call) and rex.fn.name == "and":
            stack.extend(reversed(rex.values))
        else:
            yield rex


def _sided(a: FieldPath | None, b: FieldPath | None, width: int) -> tuple[FieldPath, FieldPath] | None:
    """Two fields of a joined row, as fields of the left and of the right."""
    if a is None or b is None or not isinstance(a[0], int) or not isinstance(b[0], int):
        return None
    if a[0] >= width:
        a, b = b, a
    if not isinstance(a[0], int) or not isinstance(b[0], int) or a[0] >= width or b[0] < width:
        return None
    return a, (b[0] - width, *b[1:])


# ---------------------------------------------------------------------------------------------------------------------
# Aggregates and windows


def _streaming_aggregate(rel: Aggregate) -> Iterator[Need]:
    paths = [field_path(key) for key in rel.keys]
    known = relation_properties(rel.input)
    fields = [path for path in paths if path is not None]
    count = grouped_prefix(known, fields) if len(fields) == len(paths) else None
    if len(fields) < len(paths):
        yield Need("a streaming aggregate needs keys that are fields of its input", rel.input)
        return
    if count is None:
        given = ", ".join(named(path, rel.input) for path in fields)
        specs = tuple(SortSpec(key, SortOrder.ASC_NULLS_FIRST) for key in rel.keys)
        yield Need(f"the input of a streaming aggregate is not ordered by {given}", rel.input, specs)
        return
    for agg in rel.aggs:
        wanted = wanted_order(agg.order)
        missing = None if wanted is None else first_unordered(known.ordered_by(known.order[count:]), wanted)
        if wanted is None or missing is not None:
            yield Need(f"a streaming aggregate has its rows in another order than '{agg.fn.name}' asks for", rel.input)


def _streaming_window(rel: Window) -> Iterator[Need]:
    known = relation_properties(rel.input)
    for call in rel.calls:
        paths = [field_path(rex) for rex in call.partition]
        fields = [path for path in paths if path is not None]
        wanted = wanted_order(call.order)
        if len(fields) < len(paths) or wanted is None:
            yield Need("a streaming window needs keys that are fields of its input", rel.input)
            return
        count = grouped_prefix(known, fields)
        if count is None or first_unordered(known.ordered_by(known.order[count:]), wanted):
            specs = tuple(SortSpec(rex, SortOrder.ASC_NULLS_FIRST) for rex in call.partition) + call.order
            keys = "its partition and sort keys" if call.partition and call.order else "its keys"
            yield Need(f"the input of a streaming window is not ordered by {keys}", rel.input, specs)
            return


def wanted_order(specs: tuple[SortSpec, ...]) -> list[Wanted] | None:
    """The order that sort keys ask for, if all of them are fields."""
    found: list[Wanted] = []
    for spec in specs:
        path = field_path(spec.key)
        if path is None:
            return None
        found.append(Wanted(path, spec.order, spec.comparator.name if spec.comparator else None))
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Fields


def named(path: FieldPath, rel: Rel) -> str:
    """A field for people: by the name of its column, or by its ordinal."""
    ordinal, *steps = path
    columns = schema(rel)
    known = columns[ordinal].name if isinstance(ordinal, int) and ordinal < len(columns) else None
    return ".".join([known or f"${ordinal}", *map(str, steps)])


def _rex(path: FieldPath, rel: Rel) -> Rex:
    """The expression that gives a field of a relation."""
    from firesteel.plan import build

    ordinal, *names = path
    assert isinstance(ordinal, int)
    column = Var(schema(rel)[ordinal].type, ordinal)
    return build.path(column, *map(str, names)) if names else column
