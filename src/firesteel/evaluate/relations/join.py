"""Joins: a join type says which right rows a left row pairs with; the join keeps, pads and concatenates."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Sequence
from typing import Any

from firesteel import plan as p
from firesteel.errors import EvaluationError, PlanError
from firesteel.evaluate.base import CompileContext, Env, RelClosure, RexClosure, Row, Rows, handles
from firesteel.evaluate.relations.rel import holds
from firesteel.evaluate.scalar.compare import equality_key
from firesteel.values import OWN_KEYS, absent, hash_key, hash_of

#: For every left row, the ordinals of the right rows it pairs with.
Pairing = Callable[[list[Row], list[Row], Env], list[Sequence[int]]]


@handles(p.Cross)
def _cross(_node: p.Cross, _context: CompileContext) -> Pairing:
    return lambda lefts, rights, env: [range(len(rights))] * len(lefts)


@handles(p.Theta)
def _theta(node: p.Theta, context: CompileContext) -> Generator[Any, Any, Pairing]:
    condition: RexClosure = yield node.condition, context
    fail = context.failing(node.condition.where or node.where)

    def pair(lefts: list[Row], rights: list[Row], env: Env) -> list[Sequence[int]]:
        found: list[Sequence[int]] = []
        for left in lefts:
            matches = []
            for i, right in enumerate(rights):
                if holds(condition(Env(left + right, env)), fail):
                    matches.append(i)
            found.append(matches)
        return found

    return pair


@handles(p.Equi)
def _equi(node: p.Equi, context: CompileContext) -> Generator[Any, Any, Pairing]:
    left_keys: list[_KeyClosure] = []
    right_keys: list[_KeyClosure] = []
    for pair_ in node.keys:
        left_keys.append(((yield pair_.left, context), pair_.same))
        right_keys.append(((yield pair_.right, context), pair_.same))
    residual: RexClosure | None = None
    if node.residual is not None:
        residual = yield node.residual, context
    fail = context.failing(node.residual.where if node.residual is not None else node.where)

    def pair(lefts: list[Row], rights: list[Row], env: Env) -> list[Sequence[int]]:
        by_key: dict[Hashable, list[int]] = {}
        for i, right in enumerate(rights):
            key = _join_key(right_keys, Env(right, env))
            if key is not None:
                by_key.setdefault(key, []).append(i)
        found: list[Sequence[int]] = []
        for left in lefts:
            key = _join_key(left_keys, Env(left, env))
            matches = [] if key is None else by_key.get(key, [])
            if residual is not None:
                matches = [i for i in matches if holds(residual(Env(left + rights[i], env)), fail)]
            found.append(matches)
        return found

    return pair


#: What a key is, and whether an absent one is the same as another.
_KeyClosure = tuple[RexClosure, bool]


def _join_key(exprs: list[_KeyClosure], env: Env) -> tuple[Hashable, ...] | None:
    """A hash key, equal where all join keys are equal; None if a key compared by `=` is absent and never matches."""
    made: list[Hashable] = []
    for expr, same in exprs:
        value = expr(env)
        if type(value) in OWN_KEYS:
            made.append(value)
        elif absent(value) and not same:
            return None
        else:
            made.append(hash_key(value) if same else hash_of(equality_key(value)))
    return tuple(made)


@handles(p.Join)
def _join(node: p.Join, context: CompileContext) -> Generator[Any, Any, RelClosure]:
    left: RelClosure = yield node.left, context
    right: RelClosure = yield node.right, context
    pair: Pairing = yield node.type, context
    capture = node.capture
    pads_left, pads_right = capture.pads_left, capture.pads_right
    keeps = node.keeps_left_order if node.strategy is not None else None
    #: A lateral join that pairs each row with all rows beside it, as `FROM t, t.items` does.
    every = isinstance(node.type, p.Cross) and capture is p.Capture.INNER
    no_left: Row = (None,) * len(p.schema(node.left))
    no_right: Row = (None,) * len(p.schema(node.right))

    def single(matches: Sequence[int]) -> None:
        if capture is p.Capture.LEFT_SINGLE and len(matches) > 1:
            raise EvaluationError("a row has more than one match in a join that allows one", where=node.where)

    def side_by_side(env: Env) -> Rows:
        (lefts, left_ordered), (rights, right_ordered) = left(env), right(env)
        if capture.tests:
            matched = [bool(matches) for matches in pair(lefts, rights, env)]
            return Rows(_tested(capture, lefts, matched), left_ordered and keeps is None)
        made: list[Row] = []
        unmatched = set(range(len(rights))) if pads_left else set()
        for row, matches in zip(lefts, pair(lefts, rights, env), strict=True):
            single(matches)
            made.extend([row + rights[i] for i in matches])
            if pads_right and not matches:
                made.append(row + no_right)
            if pads_left:
                unmatched.difference_update(matches)
        made.extend([no_left + rights[i] for i in sorted(unmatched)])
        return Rows(made, left_ordered and (right_ordered if keeps is None else keeps) and not pads_left)

    def lateral(env: Env) -> Rows:
        lefts, ordered = left(env)
        made: list[Row] = []
        for row in lefts:
            rights, right_ordered = right(Env(row, env))
            if every:
                made.extend([row + other for other in rights])
                ordered = ordered and right_ordered
                continue
            (matches,) = pair([row], rights, env)
            if capture.tests:
                made.extend(_tested(capture, [row], [bool(matches)]))
                continue
            single(matches)
            made.extend([row + rights[i] for i in matches])
            if pads_right and not matches:
                made.append(row + no_right)
            ordered = ordered and right_ordered
        return Rows(made, ordered)

    if node.lateral and pads_left:
        raise PlanError("a lateral join cannot keep right rows: there are none without a left row", where=node.where)
    return lateral if node.lateral else side_by_side


def _tested(capture: p.Capture, lefts: list[Row], matched: list[bool]) -> list[Row]:
    """Semi, anti and mark joins, which only ask whether a left row has a match."""
    if capture is p.Capture.LEFT_MARK:
        return [(*row, found) for row, found in zip(lefts, matched, strict=True)]
    wanted = capture is p.Capture.LEFT_SEMI
    return [row for row, found in zip(lefts, matched, strict=True) if found is wanted]
