"""Joins: twelve types, and the physical ones, which are the same with a strategy."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from functools import partial
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.plan import build
from firesteel.repair import RepairKind
from firesteel.substrait.lower.base import (
    FieldScope,
    Lowerer,
    Lowering,
    anchor_of,
    columns,
    relation,
    require_boolean,
    require_comparable,
    require_field,
    scope_over,
)
from firesteel.substrait.message import Message

#: The types by their names, which all join relations share; their numbers differ. True: left and right are swapped.
CAPTURES: dict[str, tuple[p.Capture, bool]] = {
    "INNER": (p.Capture.INNER, False),
    "OUTER": (p.Capture.FULL, False),
    "LEFT": (p.Capture.LEFT, False),
    "RIGHT": (p.Capture.RIGHT, False),
    "LEFT_SEMI": (p.Capture.LEFT_SEMI, False),
    "LEFT_ANTI": (p.Capture.LEFT_ANTI, False),
    "LEFT_SINGLE": (p.Capture.LEFT_SINGLE, False),
    "LEFT_MARK": (p.Capture.LEFT_MARK, False),
    "RIGHT_SEMI": (p.Capture.LEFT_SEMI, True),
    "RIGHT_ANTI": (p.Capture.LEFT_ANTI, True),
    "RIGHT_SINGLE": (p.Capture.LEFT_SINGLE, True),
    "RIGHT_MARK": (p.Capture.LEFT_MARK, True),
    # As they were called before there were right ones.
    "SEMI": (p.Capture.LEFT_SEMI, False),
    "ANTI": (p.Capture.LEFT_ANTI, False),
    "SINGLE": (p.Capture.LEFT_SINGLE, False),
}


def _capture(message: Message) -> tuple[p.Capture, bool]:
    name = message.label("type").removeprefix("JOIN_TYPE_")
    if name not in CAPTURES:
        raise PlanError("a join that does not say of which type", where=message.where)
    return CAPTURES[name]


@relation("cross")
def _cross(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    left = yield require_field(message, "left"), scope
    right = yield require_field(message, "right"), scope
    return p.Join(p.Cross(), left, right)


@relation("nested_loop_join")  # without a post-join filter; no condition matches every pair
@relation("join")
def _join(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    left = yield require_field(message, "left"), scope
    right = yield require_field(message, "right"), scope
    sides = _Sides(message, scope, left, right, *_capture(message))
    made = yield from sides.joined(_expression(lowerer, message))
    return (yield from _post_filtered(made, message, scope))


def _expression(lowerer: Lowerer, message: Message) -> Message | None:
    """The condition of a join. Every join but a nested loop must have one, at least the literal true."""
    if not message.has("expression") and message.kind.short != "NestedLoopJoinRel":
        if "datafusion" not in lowerer.extensions.producer:
            return require_field(message, "expression")
        lowerer.repair(RepairKind.EVERY_PAIR, message.where)
    return message.given.get("expression")


@relation("lateral_join")
def _lateral(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    """The right side sees the left row as the row around it: the anchor of the join, too, is that of its left row."""
    left_message = require_field(message, "left")
    left = yield left_message, scope
    row = scope_over(scope, (left, left_message))
    if message.common.has("rel_anchor"):
        row = replace(row, anchors={**row.anchors, message.common.rel_anchor: 0})
    right = yield require_field(message, "right"), row
    capture, swapped = _capture(message)
    if swapped or capture.pads_left:
        raise PlanError("a lateral join has no right side without a left row", where=message.where)
    sides = _Sides(message, scope, left, right, capture, False, lateral=True)
    made = yield from sides.joined(_expression(lowerer, message))
    return (yield from _post_filtered(made, message, scope))


def _post_filtered(rel: p.Rel, message: Message, scope: FieldScope) -> Lowering:
    """The post-join filter sees the columns that the join gives."""
    if not message.has("post_join_filter"):
        return rel
    found = yield message.post_join_filter, FieldScope(columns(rel), scope)
    return p.Filter(require_boolean(found, message.post_join_filter), rel).at(message.where)


class _Sides:
    """The two sides of a join, swapped for right semi, anti, single and mark joins."""

    def __init__(
        self,
        message: Message,
        scope: FieldScope,
        left: p.Rel,
        right: p.Rel,
        capture: p.Capture,
        swapped: bool,
        lateral: bool = False,
    ) -> None:
        self.message, self.scope, self.capture, self.swapped, self.lateral = message, scope, capture, swapped, lateral
        self.left, self.right = left, right
        self.widths = len(p.schema(left)), len(p.schema(right))

    def _row(self, extra: int = 0) -> FieldScope:
        """What the condition sees: the columns as the plan counts them, and where they are in the row at hand, which
        has some more between the two sides."""
        width, other = self.widths
        ordinals = [*range(width), *range(width + extra, width + extra + other)]
        if self.swapped:
            ordinals = [*range(other + extra, other + extra + width), *range(other)]
        anchors: dict[int, int] = {}
        for name, offset in (("left", 0), ("right", width)):
            anchor = anchor_of(getattr(self.message, name))
            if anchor is not None:
                anchors[anchor] = offset
        return FieldScope(columns(self.left, self.right), self.scope, anchors, ordinals=tuple(ordinals))

    def joined(self, expression: Message | None) -> Lowering:
        """The join by a condition; without one every pair matches."""

        def ask(extra: int) -> Generator[Any, Any, p.Rex]:
            if expression is None:
                return p.Lit(t.BOOL, True)
            return require_boolean((yield expression, self._row(extra)), expression)

        return (yield from self.joined_by(ask))

    def joined_by(self, ask: Any) -> Lowering:
        found: p.Rex = yield from ask(0)
        first, second = (self.right, self.left) if self.swapped else (self.left, self.right)
        made = self._join(found, first, second)
        if self.capture is p.Capture.LEFT_MARK:
            return (yield from self._marked(made, found, first, second, ask))
        if self.capture is p.Capture.LEFT_SINGLE and self.swapped:
            width, other = self.widths
            return build.emit(made, [*range(other, other + width), *range(other)])
        return made

    def _join(self, found: p.Rex, first: p.Rel, second: p.Rel) -> p.Rel:
        always = isinstance(found, p.Lit) and found.value is True
        kind = p.Cross() if always and self.capture is p.Capture.INNER else p.Theta(self.capture, found)
        return p.Join(kind.at(self.message.where), first, second, lateral=self.lateral)

    def _marked(self, made: p.Rel, found: p.Rex, first: p.Rel, second: p.Rel, ask: Any) -> Lowering:
        """The mark is NULL where no condition is true and one is NULL: a second mark tells. It is always nullable."""
        width = len(p.schema(first))
        marked, bool_ = made, t.Bool(nullable=True)
        if found.type.nullable:
            unknown = build.call("is_null", (yield from ask(1)))
            marked = p.Join(p.Theta(p.Capture.LEFT_MARK, unknown), made, second, lateral=self.lateral)
        branches = [p.Branch(build.column(marked, width), p.Lit(t.BOOL, True))]
        if found.type.nullable:
            branches.append(p.Branch(build.column(marked, width + 1), p.Lit(bool_, None)))
        value = p.Case(bool_, None, tuple(branches), default=p.Lit(t.BOOL, False))
        return p.Project((*(build.column(marked, i) for i in range(width)), value), marked).at(self.message.where)


# ---------------------------------------------------------------------------------------------------------------------
# Physical joins


def _keyed(lowerer: Lowerer, message: Message, scope: FieldScope, *, probes: bool = False) -> Lowering:
    """A join by keys: fields of the left that are compared with fields of the right. One that `probes` the right with
    the left rows, one after the other, keeps their order if it is an inner join."""
    keys = _keys(message)
    left = yield require_field(message, "left"), scope
    right = yield require_field(message, "right"), scope
    if probes and message.label("type") == "JOIN_TYPE_INNER":
        right = build.listed(right, left)
    sides = _Sides(message, scope, left, right, *_capture(message))

    def ask(extra: int) -> Generator[Any, Any, p.Rex]:
        row = sides._row(extra)
        terms: list[p.Rex] = []
        for one, other, comparison in keys:
            a = _field(one, row, 0, sides.widths[0])
            b = _field(other, row, sides.widths[0], sides.widths[1])
            require_comparable(a, b, other.where)
            terms.append(_compared(lowerer, comparison, a, b, message))
        if message.has("residual_expression"):
            residual = message.residual_expression
            terms.append(require_boolean((yield residual, row), residual))
        made = terms[0]
        for term in terms[1:]:
            made = build.call("and", made, term)
        return made

    made = yield from sides.joined_by(ask)
    return (yield from _post_filtered(made, message, scope))


relation("hash_join")(partial(_keyed, probes=True))
relation("merge_join")(_keyed)


def _keys(message: Message) -> list[tuple[Message, Message, Message | None]]:
    if not message.keys and not message.left_keys and not message.right_keys:
        raise PlanError(
            f"{message.kind.short} without keys", where=message.where, help="a join by an expression has none"
        )
    if message.keys:
        return [(key.left, key.right, key.comparison) for key in message.keys]
    if len(message.left_keys) != len(message.right_keys):
        raise PlanError(
            f"{len(message.left_keys)} left keys and {len(message.right_keys)} right ones", where=message.where
        )
    return [(a, b, None) for a, b in zip(message.left_keys, message.right_keys, strict=True)]


def _field(reference: Message, row: FieldScope, start: int, width: int) -> p.Rex:
    """A key is a field of its own side."""
    segment = reference.direct_reference
    if reference.which("reference_type") != "direct_reference" or segment.which("reference_type") != "struct_field":
        raise UnsupportedError("a join key that is no field of its side", where=reference.where)
    if segment.struct_field.has("child"):
        raise UnsupportedError("a join key inside of a field", where=reference.where)
    ordinal = segment.struct_field.field
    if not 0 <= ordinal < width:
        raise PlanError(f"no field {ordinal}: the side has {width}", where=reference.where)
    return row.variable(start + ordinal, 0)


def _compared(lowerer: Lowerer, comparison: Message | None, a: p.Rex, b: p.Rex, message: Message) -> p.Rex:
    if comparison is not None and comparison.which("inner_type") == "custom_function_reference":
        declared = lowerer.extensions.function(comparison.custom_function_reference, comparison.where)
        raise UnsupportedError(f"keys compared by the function '{declared.name}'", where=comparison.where)
    label = "EQ" if comparison is None else comparison.label("simple").removeprefix("SIMPLE_COMPARISON_TYPE_")
    if label in ("EQ", "UNSPECIFIED"):
        return build.call("eq", a, b)
    null = build.call("and", build.call("is_null", a), build.call("is_null", b))
    if label == "IS_NOT_DISTINCT_FROM":
        same = build.call("coalesce", build.call("eq", a, b), p.Lit(t.BOOL, False))
        return build.call("or", same, null)
    if label == "MIGHT_EQUAL":
        either = build.call("or", build.call("is_null", a), build.call("is_null", b))
        return build.call("or", build.call("coalesce", build.call("eq", a, b), p.Lit(t.BOOL, False)), either)
    raise PlanError(f"keys compared by '{label}'", where=message.where)
