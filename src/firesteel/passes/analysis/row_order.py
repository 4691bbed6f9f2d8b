"""How much a reader depends on the order of the rows that it reads. A sort may be dropped if nobody depends on it.

root                                 a list of rows: TYPED
└─ sort b
   └─ aggregate count(*) by b        a bag, in which the order of the input does not matter: FREE
      └─ sort a                      nobody needs this sort
"""

from __future__ import annotations

import enum

from firesteel import functions
from firesteel import types as t
from firesteel.node import Node
from firesteel.plan import (
    Agg,
    Aggregate,
    Distinct,
    Exchange,
    Exclude,
    Expand,
    Filter,
    Join,
    JoinStrategy,
    MergingCapture,
    Project,
    Promised,
    Quantifier,
    Rel,
    Root,
    Select,
    SetRel,
    SimpleCapture,
    Sort,
    Union,
    Window,
    WindowMethod,
    is_list,
    schema,
)


class Need(enum.Enum):
    """What a reader needs of the order of rows."""

    #: Nothing.
    FREE = "free"
    #: The order that rows are known to have within each partition. Whether they are a list does not matter.
    RELIED = "relied"
    #: As the type says: a list keeps its order, a bag has none.
    TYPED = "typed"
    #: All of it, also of a bag: LIMIT reads the rows.
    KEPT = "kept"


def need_of(rel: Rel, asked: Need) -> Need:
    """What is really needed of a relation, if that is asked: nothing, if it depends on the type and the rows are a
    bag."""
    return Need.FREE if asked is Need.TYPED and is_list(rel) is False else asked


def needs_below(node: Node, need: Need) -> dict[str, Need]:
    """What a node needs of its inputs, by the names of its fields, if its own readers need so much of its rows."""
    match node:
        case Join():
            return _join(node, need)
        case Select(type=t.Bag()):
            return {"input": Need.FREE}
        case Root():
            return {"input": Need.TYPED}
        case Select(input=source) if is_list(source) is True:
            return {"input": Need.TYPED}
        case SetRel():
            below = _bag(need) if _keeps_all(node) or _same_if_equal(node) else Need.KEPT
            return {"left": below, "right": below}
        case Rel() if isinstance(getattr(node, "input", None), Rel):
            return {"input": _only_input(node, need)}
        case _:
            return {}


def _only_input(rel: Rel, need: Need) -> Need:
    match rel:
        case Filter() | Project() | Exclude() | Exchange() | MergingCapture() | Expand():
            return need
        case Promised():
            return Need.KEPT if rel.verified else need
        case SimpleCapture():
            return _bag(need)
        case Distinct():
            return _bag(need) if _same_if_equal(rel) else Need.KEPT
        case Aggregate():
            return _aggregate(rel, need)
        case Window(method=WindowMethod.STREAMING):
            return Need.RELIED
        case Sort() | Window():  # rows with equal keys follow in the order of the input, if it is a list
            return Need.KEPT if need is Need.KEPT else Need.TYPED
        case _:  # LIMIT, and relations that are not known
            return Need.KEPT


def _bag(need: Need) -> Need:
    """What is needed below a relation that gives a bag. If a LIMIT takes some of its rows, they should stay the same
    ones, so the rows below may not get into another order."""
    return Need.FREE if need in (Need.FREE, Need.TYPED) else Need.RELIED


def _join(join: Join, need: Need) -> dict[str, Need]:
    if join.strategy is None:
        return {"left": need, "right": Need.FREE if join.capture.tests else need}
    if join.strategy is JoinStrategy.MERGE:
        return {"left": Need.RELIED, "right": Need.RELIED}
    return {"left": need if join.keeps_left_order else _bag(need), "right": _bag(need)}


def _aggregate(rel: Aggregate, need: Need) -> Need:
    """The key of a group is that of its first row: 1 or 1.0, if both are there."""
    if not all(map(_ignores_order, rel.aggs)) or not all(is_same_if_equal(key.type) for key in rel.keys):
        return Need.KEPT
    if not rel.keeps_order:
        return _bag(need)
    return Need.RELIED if need is Need.FREE else need


def _ignores_order(agg: Agg) -> bool:
    """Is the result the same for the rows in any order? A number of values, a truth value and a bag are; a minimum is
    one of several equal values."""
    row = functions.find(agg.fn.name)
    if row is None or not row.ignores_order or agg.order:
        return False
    if isinstance(agg.type, t.Bag) and not agg.distinct:
        return True
    types = [arg if isinstance(arg, t.Type) else arg.type for arg in agg.args]
    return isinstance(t.proper(agg.type), t.Integer | t.Bool) or all(map(is_same_if_equal, types))


def _keeps_all(rel: SetRel) -> bool:
    """Is it UNION ALL, which compares no rows?"""
    return isinstance(rel, Union) and rel.quantifier is Quantifier.ALL


def _same_if_equal(rel: Rel) -> bool:
    return all(is_same_if_equal(field.type) for field in schema(rel))


def is_same_if_equal(type_: t.Type) -> bool:
    """Are equal values of the type the same value? 1.0 and 1.00 are equal decimals, unless they have to be of one
    scale; sums of floats depend on their order."""
    stack = [type_]
    while stack:
        for member in t.members(stack.pop()):
            match member:
                case t.Bool() | t.Integer() | t.String() | t.Date() | t.Null():
                    continue
                case t.Decimal(scale=int()):
                    continue
                case t.Struct(open=False, fields=fields):
                    stack.extend(field.type for field in fields)
                case _:
                    return False
    return True


__all__ = ["Need", "is_same_if_equal", "need_of", "needs_below"]
