"""Joins: each by the message of its strategy.

If reading the message would give another join, a node of ours in the message says which join it is. It is an
optimization: the condition in the message means the same to whoever does not know it.
"""

from __future__ import annotations

from functools import reduce

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.node import Node
from firesteel.plan import build
from firesteel.plan.scope import replaced
from firesteel.source import Place
from firesteel.substrait import own_messages
from firesteel.substrait.lower.base import require_comparable
from firesteel.substrait.lower.relations.joins import CAPTURES, COMPARED, marked_by
from firesteel.substrait.message import Message, message
from firesteel.substrait.write.base import Row, Writer, Writing, common, relation, row_over
from firesteel.substrait.write.own_nodes import own_node
from firesteel.substrait.write.reads import optimization
from firesteel.substrait.write.references import field_reference

#: The names of the types; each has its own number in every message.
_TYPES = {capture: name for name, (capture, swapped) in reversed(CAPTURES.items()) if not swapped}
_KEYED = {p.JoinStrategy.HASH: ("hash_join", "HashJoinRel"), p.JoinStrategy.MERGE: ("merge_join", "MergeJoinRel")}
_TRUE = p.Lit(t.BOOL, True)


@relation(p.Join)
def _join(writer: Writer, node: p.Join, row: Row) -> Writing:
    return join(writer, node, row, marks=False)


def join(writer: Writer, node: p.Join, row: Row, *, marks: bool) -> Writing:
    """A join. One that marks its rows has Substrait's mark if it is `marks`: the columns of `marked_join`."""
    left = yield node.left, row
    right = yield node.right, row_over(row, node.left) if node.lateral else row
    sides = {"common": common(), "left": left, "right": right}
    inner = row_over(row, node.left, node.right)
    label = f"JOIN_TYPE_{_TYPES[node.capture]}"
    keys = _keys(writer, node, row) if node.strategy in _KEYED and not node.lateral else None
    if keys is not None and node.strategy is not None:
        kind, name = _KEYED[node.strategy]
        made = message(name, type=label, keys=keys, **sides)
        assert isinstance(node.type, p.Equi)
        if node.type.residual is not None:
            made.given["residual_expression"] = yield node.type.residual, inner
        if node.strategy is p.JoinStrategy.HASH:
            made.given.update(message(name, build_input=f"BUILD_INPUT_{node.build.name}").given)
        exact = marks or node.capture is not p.Capture.LEFT_MARK
        exact &= node.strategy is p.JoinStrategy.HASH or node.build is p.Side.RIGHT
    elif isinstance(node.type, p.Cross) and not node.lateral and node.strategy is not p.JoinStrategy.NESTED_LOOP:
        kind, made = "cross", message("CrossRel", **sides)
        exact = node.strategy is None and node.build is p.Side.RIGHT
    else:
        kind, name = _by_condition(node)
        condition = joined_by(node)
        made = message(name, type=label, **sides)
        if not (kind == "nested_loop_join" and isinstance(node.type, p.Cross)):
            made.given["expression"] = yield condition, inner
        exact = _is_exact(node, condition, kind, marks)
    if not exact and marks:
        return None
    if not exact:
        if writer.target.portable:
            raise writer.refuse(node)
        said = yield from own_node(writer, node, inner)
        made.given["advanced_extension"] = optimization(own_messages.NODE, said)
    return kind, made


def _by_condition(node: p.Join) -> tuple[str, str]:
    if node.lateral:
        return "lateral_join", "LateralJoinRel"
    if node.strategy is p.JoinStrategy.NESTED_LOOP:
        return "nested_loop_join", "NestedLoopJoinRel"
    return "join", "JoinRel"


def marked_join(node: p.Project) -> p.Join | None:
    """The join that a projection gives Substrait's mark of; None for any other projection."""
    below = node.input
    if not isinstance(below, p.Join) or below.capture is not p.Capture.LEFT_MARK or node.names:
        return None
    for made in (below, below.left):
        if isinstance(made, p.Join) and made.capture is p.Capture.LEFT_MARK and made.hints is None:
            condition = joined_by(made)
            again = _moved(condition, 1, len(p.schema(made.left))) if condition.type.nullable else None
            if marked_by(made, again) == node:
                return made
    return None


def _is_exact(node: p.Join, condition: p.Rex, kind: str, marks: bool) -> bool:
    """Is the join read as it is from its type and its condition?"""
    wanted = p.JoinStrategy.NESTED_LOOP if kind == "nested_loop_join" else None
    if node.strategy is not wanted or node.build is not p.Side.RIGHT:
        return False
    if node.capture is p.Capture.LEFT_MARK and not marks:
        return False
    if node.lateral and node.capture.pads_left:
        return False
    if isinstance(node.type, p.Cross):
        return True
    every = condition == _TRUE and node.capture is p.Capture.INNER  # read as a cross product
    return isinstance(node.type, p.Theta) and not every and isinstance(condition.type, t.Bool | t.Null | t.Any)


def _keys(writer: Writer, node: p.Join, row: Row) -> list[Message] | None:
    """The keys of a join whose sides are compared by their fields; None if some are no fields."""
    if not isinstance(node.type, p.Equi) or not node.type.keys:
        return None
    left, right = row_over(row, node.left), row_over(row, node.right)
    made: list[Message] = []
    for key in node.type.keys:
        pair = field_reference(writer, key.left, left), field_reference(writer, key.right, right)
        alike = t.proper(key.left.type) == t.proper(key.right.type)
        if pair[0] is None or pair[1] is None or (key.same and not alike) or not _comparable(key):
            return None
        label = "SIMPLE_COMPARISON_TYPE_IS_NOT_DISTINCT_FROM" if key.same else "SIMPLE_COMPARISON_TYPE_EQ"
        comparison = message("ComparisonJoinKey.ComparisonType", simple=label)
        made.append(message("ComparisonJoinKey", left=pair[0], right=pair[1], comparison=comparison))
    return made


def _comparable(key: p.JoinKey) -> bool:
    try:
        require_comparable(key.left, key.right, Place(()))
    except FiresteelError:
        return False
    return True


def joined_by(node: p.Join) -> p.Rex:
    """The condition of a join over the left row and then the right row."""
    match node.type:
        case p.Theta(condition=condition):
            return condition
        case p.Equi(keys=keys, residual=residual):
            width = len(p.schema(node.left))
            terms = [
                COMPARED["IS_NOT_DISTINCT_FROM" if key.same else "EQ"](key.left, _moved(key.right, width))
                for key in keys
            ]
            terms += [residual] if residual is not None else []
            return reduce(lambda made, rex: build.call("and", made, rex), terms) if terms else _TRUE
    return _TRUE


def _moved(rex: p.Rex, by: int, start: int = 0) -> p.Rex:
    """An expression as it reads with so many columns more before those from one on: over both rows, if it is over the
    right row."""

    def move(node: Node, level: int) -> Node | None:
        moves = isinstance(node, p.Var) and node.depth == level and node.ordinal >= start
        return node.replace(ordinal=node.ordinal + by) if moves and isinstance(node, p.Var) else None

    return replaced(rex, move)
