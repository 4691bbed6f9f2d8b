"""Joins: twelve types, and the physical ones, which are the same with a strategy."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.plan import build
from firesteel.repair import RepairKind
from firesteel.rules import RelationRule
from firesteel.substrait import own_messages
from firesteel.substrait.dialects.base import Shape
from firesteel.substrait.lower import own_nodes
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
from firesteel.substrait.lower.expressions.references import input_field
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
        raise RelationRule.JOIN_TYPE.broken("a join that does not say of which type", where=message.where)
    return CAPTURES[name]


@relation("cross")
def _cross(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    left = yield require_field(message, "left"), scope
    right = yield require_field(message, "right"), scope
    said = own_messages.find(message, own_messages.NODE)
    if said is not None:
        return (yield from own_nodes.join(lowerer, said, scope, left, right))
    return p.Join(p.Cross(), left, right)


def _join(lowerer: Lowerer, message: Message, scope: FieldScope, *, strategy: p.JoinStrategy | None = None) -> Lowering:
    left = yield require_field(message, "left"), scope
    right = yield require_field(message, "right"), scope
    said = own_messages.find(message, own_messages.NODE)
    if said is not None:
        return (yield from own_nodes.join(lowerer, said, scope, left, right))
    sides = _Sides(message, scope, left, right, *_capture(message), strategy=strategy)
    made = yield from sides.joined(_expression(lowerer, message))
    return (yield from _post_filtered(made, message, scope))


relation("join")(_join)
# Without a post-join filter; no condition matches every pair.
relation("nested_loop_join")(partial(_join, strategy=p.JoinStrategy.NESTED_LOOP))


def _expression(lowerer: Lowerer, message: Message) -> Message | None:
    """The condition of a join. Every join but a nested loop must have one, at least the literal true."""
    if not message.has("expression") and message.kind.short != "NestedLoopJoinRel":
        if not lowerer.extensions.dialect.writes(Shape.EVERY_PAIR):
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
    said = own_messages.find(message, own_messages.NODE)
    if said is not None:
        return (yield from own_nodes.join(lowerer, said, scope, left, right))
    capture, swapped = _capture(message)
    if swapped or capture.pads_left:
        raise RelationRule.JOIN_TYPE.broken("a lateral join has no right side without a left row", where=message.where)
    sides = _Sides(message, scope, left, right, capture, False, lateral=True)
    made = yield from sides.joined(_expression(lowerer, message))
    return (yield from _post_filtered(made, message, scope))


def _post_filtered(rel: p.Rel, message: Message, scope: FieldScope) -> Lowering:
    """The post-join filter sees the columns that the join gives."""
    if not message.has("post_join_filter"):
        return rel
    found = yield message.post_join_filter, FieldScope(columns(rel), scope)
    return p.Filter(require_boolean(found, message.post_join_filter), rel).at(message.where)


@dataclass(frozen=True)
class _Term:
    """A part of a join's condition, over the row of both sides; and the two keys, if it says that they are equal."""

    rex: p.Rex
    key: p.JoinKey | None = None


#: Gives the terms of a condition, over a row with so many columns more between the two sides.
_Ask = Callable[[int], Generator[object, p.Rex, list[_Term]]]


class _Sides:
    """The two sides of a join, swapped for right semi, anti, single and mark joins. A hash join builds its table of
    the side `build`, as the plan counts the sides."""

    def __init__(
        self,
        message: Message,
        scope: FieldScope,
        left: p.Rel,
        right: p.Rel,
        capture: p.Capture,
        swapped: bool,
        *,
        lateral: bool = False,
        strategy: p.JoinStrategy | None = None,
        build: p.Side = p.Side.RIGHT,
    ) -> None:
        self.message, self.scope, self.capture, self.swapped, self.lateral = message, scope, capture, swapped, lateral
        self.left, self.right = left, right
        self.widths = len(p.schema(left)), len(p.schema(right))
        self.strategy = strategy
        self.build = _OTHER[build] if swapped and strategy is p.JoinStrategy.HASH else build

    def row(self, extra: int = 0) -> FieldScope:
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

        def ask(extra: int) -> Generator[object, p.Rex, list[_Term]]:
            if expression is None:
                return []
            return [_Term(require_boolean((yield expression, self.row(extra)), expression))]

        return (yield from self.joined_by(ask))

    def joined_by(self, ask: _Ask) -> Lowering:
        terms = yield from ask(0)
        first, second = (self.right, self.left) if self.swapped else (self.left, self.right)
        made = self._join(terms, first, second)
        if self.capture is p.Capture.LEFT_MARK:
            return (yield from self._marked(made, _all_of(terms), ask))
        if self.capture is p.Capture.LEFT_SINGLE and self.swapped:
            width, other = self.widths
            return build.emit(made, [*range(other, other + width), *range(other)])
        return made

    def _join(self, terms: Sequence[_Term], first: p.Rel, second: p.Rel) -> p.Join:
        keys = tuple(term.key for term in terms if term.key is not None)
        rest = [term for term in terms if term.key is None]
        strategy, condition = self.strategy, _all_of(terms)
        kind: p.JoinType
        if keys:
            kind = p.Equi(self.capture, keys=keys, residual=_all_of(rest) if rest else None)
        else:
            always = isinstance(condition, p.Lit) and condition.value is True
            kind = p.Cross() if always and self.capture is p.Capture.INNER else p.Theta(self.capture, condition)
            if strategy is p.JoinStrategy.MERGE:  # no key tells where a match begins: all pairs are tried
                strategy = p.JoinStrategy.NESTED_LOOP
        kind = kind.at(self.message.where)
        return p.Join(kind, first, second, lateral=self.lateral, strategy=strategy, build=self.build)

    def _marked(self, made: p.Join, found: p.Rex, ask: _Ask) -> Lowering:
        """The mark is NULL where no condition is true and one is NULL: a second mark tells. It is always nullable."""
        again = _all_of((yield from ask(1))) if found.type.nullable else None
        return marked_by(made, again).at(self.message.where)


def marked_by(made: p.Join, again: p.Rex | None) -> p.Project:
    """The rows of a join that marks them, with Substrait's mark. `again` is the condition, if it may be NULL, over the
    left row, its mark and the right row."""
    width = len(p.schema(made.left))
    marked, bool_ = made, t.Bool(nullable=True)
    if again is not None:
        unknown = p.Theta(p.Capture.LEFT_MARK, build.call("is_null", again))
        marked = p.Join(unknown, made, made.right, lateral=made.lateral)
    branches = [p.Branch(build.column(marked, width), p.Lit(t.BOOL, True))]
    if again is not None:
        branches.append(p.Branch(build.column(marked, width + 1), p.Lit(bool_, None)))
    value = p.Case(bool_, None, tuple(branches), default=p.Lit(t.BOOL, False))
    return p.Project((*(build.column(marked, i) for i in range(width)), value), marked)


_OTHER = {p.Side.LEFT: p.Side.RIGHT, p.Side.RIGHT: p.Side.LEFT}


def _all_of(terms: Sequence[_Term]) -> p.Rex:
    """The condition of all terms; true, if there are none."""
    if not terms:
        return p.Lit(t.BOOL, True)
    return reduce(lambda made, rex: build.call("and", made, rex), [term.rex for term in terms])


# ---------------------------------------------------------------------------------------------------------------------
# Joins by keys


def _keyed(lowerer: Lowerer, message: Message, scope: FieldScope, *, strategy: p.JoinStrategy) -> Lowering:
    """A hash or merge join: fields of the left are compared with fields of the right."""
    pairs = _keys(message)
    left = yield require_field(message, "left"), scope
    right = yield require_field(message, "right"), scope
    said = own_messages.find(message, own_messages.NODE)
    if said is not None:
        return (yield from own_nodes.join(lowerer, said, scope, left, right))
    side = _BUILDS.get(message.label("build_input"), p.Side.RIGHT) if message.has("build_input") else p.Side.RIGHT
    sides = _Sides(message, scope, left, right, *_capture(message), strategy=strategy, build=side)

    def ask(extra: int) -> Generator[object, p.Rex, list[_Term]]:
        row = sides.row(extra)
        terms = [_term(lowerer, sides, row, pair) for pair in pairs]
        if message.has("residual_expression"):
            residual = message.residual_expression
            terms.append(_Term(require_boolean((yield residual, row), residual)))
        return terms

    made = yield from sides.joined_by(ask)
    return (yield from _post_filtered(made, message, scope))


relation("hash_join")(partial(_keyed, strategy=p.JoinStrategy.HASH))
relation("merge_join")(partial(_keyed, strategy=p.JoinStrategy.MERGE))

_BUILDS = {"BUILD_INPUT_LEFT": p.Side.LEFT, "BUILD_INPUT_RIGHT": p.Side.RIGHT}

#: References to the two keys, and how they are compared.
_Pair = tuple[Message, Message, Message | None]


def _keys(message: Message) -> list[_Pair]:
    if not message.keys and not message.left_keys and not message.right_keys:
        raise RelationRule.JOIN_KEYS.broken(
            f"{message.kind.short} without keys", where=message.where, help="a join by an expression has none"
        )
    if message.keys:
        return [(key.left, key.right, key.comparison) for key in message.keys]
    if len(message.left_keys) != len(message.right_keys):
        raise RelationRule.JOIN_KEYS.broken(
            f"{len(message.left_keys)} left keys and {len(message.right_keys)} right ones", where=message.where
        )
    return [(a, b, None) for a, b in zip(message.left_keys, message.right_keys, strict=True)]


def _term(lowerer: Lowerer, sides: _Sides, row: FieldScope, pair: _Pair) -> _Term:
    """What a pair of keys says, as a condition and, if it is an equality, as a key of the join."""
    one, other, comparison = pair
    width, beside = sides.widths
    a = input_field(lowerer, one, row, 0, width)
    b = input_field(lowerer, other, row, width, beside)
    require_comparable(a, b, other.where)
    label = _comparison(lowerer, comparison)
    rex = COMPARED[label](a, b)
    alike = t.proper(a.type) == t.proper(b.type)
    if label != "EQ" and not (label == "IS_NOT_DISTINCT_FROM" and alike):
        return _Term(rex)
    inner = [
        input_field(lowerer, reference, FieldScope(columns(rel), sides.scope))
        for reference, rel in ((one, sides.left), (other, sides.right))
    ]
    if sides.swapped:
        inner.reverse()
    return _Term(rex, p.JoinKey(*inner, same=label != "EQ").at(one.where))


def _comparison(lowerer: Lowerer, comparison: Message | None) -> str:
    """How keys are compared. What is not said is equality."""
    if comparison is None:
        return "EQ"
    if comparison.which("inner_type") == "custom_function_reference":
        declared = lowerer.extensions.function(comparison.custom_function_reference, comparison.where)
        raise UnsupportedError(f"keys compared by the function '{declared.name}'", where=comparison.where)
    label = comparison.label("simple").removeprefix("SIMPLE_COMPARISON_TYPE_")
    if label == "UNSPECIFIED":
        return "EQ"
    if label not in COMPARED:
        raise RelationRule.JOIN_KEYS.broken(f"keys compared by '{label}'", where=comparison.where)
    return label


def _equal(a: p.Rex, b: p.Rex) -> p.Rex:
    return build.call("coalesce", build.call("eq", a, b), p.Lit(t.BOOL, False))


def _null(combined: str, a: p.Rex, b: p.Rex) -> p.Rex:
    return build.call(combined, build.call("is_null", a), build.call("is_null", b))


COMPARED: dict[str, Callable[[p.Rex, p.Rex], p.Rex]] = {
    "EQ": partial(build.call, "eq"),
    "IS_NOT_DISTINCT_FROM": lambda a, b: build.call("or", _equal(a, b), _null("and", a, b)),
    "MIGHT_EQUAL": lambda a, b: build.call("or", _equal(a, b), _null("or", a, b)),
}
