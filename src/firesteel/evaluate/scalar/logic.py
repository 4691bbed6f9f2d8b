"""Kleene's logic, where MISSING counts as NULL; and the functions that get more than the values of their arguments.

Those (`LAZY`) get closures for their arguments, and a function that handles a wrong value as the mode says. They
evaluate arguments from left to right and only as many as they need. An operand of AND that is not a boolean is an
error, unless an operand before it has decided the result: `false AND 1` is false, `1 AND false` is wrong.
"""

from __future__ import annotations

from collections.abc import Callable

from firesteel.evaluate.base import Env, Forgivable, RexClosure
from firesteel.evaluate.kinds import COLLECTIONS, kind
from firesteel.evaluate.scalar import compare
from firesteel.values import MISSING, Bag, Value, absent

#: Given closures for the arguments and what to do with a wrong one, the closure of the call.
Lazy = Callable[[list[RexClosure], Callable[[str], Value]], RexClosure]


def _kleene(name: str, decisive: bool) -> Lazy:
    """`and` is decided by a false operand, `or` by a true one."""

    def build(args: list[RexClosure], fail: Callable[[str], Value]) -> RexClosure:
        def run(env: Env) -> Value:
            unknown = False
            for arg in args:
                value = arg(env)
                if value is decisive:
                    return decisive
                if value is None or value is MISSING:
                    unknown = True
                elif value is not (not decisive):
                    return fail(f"{name} takes booleans, not {kind(value)}")
            return None if unknown else not decisive

        return run

    return build


def coalesce(args: list[RexClosure], _: Callable[[str], Value]) -> RexClosure:
    """Of nothing but absent arguments, NULL if one is NULL, else MISSING."""

    def run(env: Env) -> Value:
        result: Value = MISSING
        for arg in args:
            value = arg(env)
            if value is not None and value is not MISSING:
                return value
            if value is None:
                result = None
        return result

    return run


def _quantified(holds: Callable[[Value, Value], bool | None], decisive: bool) -> Lazy:
    """A comparison with every element of a collection: AND of all, OR of any. A wrong one counts as NULL if it may."""

    def build(args: list[RexClosure], fail: Callable[[str], Value]) -> RexClosure:
        left, right = args

        def run(env: Env) -> Value:
            value, collection = left(env), right(env)
            if absent(collection):
                return collection
            if type(collection) not in COLLECTIONS:
                return fail(f"ANY and ALL take collections, not {kind(collection)}")
            unknown = False
            for item in collection:
                try:
                    held = None if absent(value) or absent(item) else holds(value, item)
                except Forgivable as error:
                    fail(str(error))
                    held = None
                if held is decisive:
                    return decisive
                unknown = unknown or held is None
            return None if unknown else not decisive

        return run

    return build


def as_bag(args: list[RexClosure], fail: Callable[[str], Value]) -> RexClosure:
    """What OUTER set operators make of their operands; strictly, only collections are."""
    (arg,) = args

    def run(env: Env) -> Value:
        value = arg(env)
        if type(value) in COLLECTIONS:
            return Bag(value)
        fail(f"a set operator takes collections, not {kind(value)}")
        return Bag() if absent(value) else Bag([value])

    return run


LAZY: dict[str, Lazy] = {
    "and": _kleene("AND", False),
    "or": _kleene("OR", True),
    "coalesce": coalesce,
    **{f"{name}_any": _quantified(holds, True) for name, holds in compare.COMPARISONS.items()},
    **{f"{name}_all": _quantified(holds, False) for name, holds in compare.COMPARISONS.items()},
    "as_bag": as_bag,
}


# ---------------------------------------------------------------------------------------------------------------------
# Functions of values


def negate(value: Value) -> bool | None:
    if value is None or value is MISSING:
        return None
    if not isinstance(value, bool):
        raise Forgivable(f"NOT takes booleans, not {kind(value)}")
    return not value


def all_of(*held: bool | None) -> bool | None:
    return False if False in held else None if None in held else True


def any_of(*held: bool | None) -> bool | None:
    return True if True in held else None if None in held else False


def is_truth(truth: bool) -> Callable[[Value], bool]:
    """IS TRUE, IS FALSE: what is absent is neither."""

    def test(value: Value) -> bool:
        if not absent(value) and not isinstance(value, bool):
            raise Forgivable(f"IS {str(truth).upper()} takes booleans, not {kind(value)}")
        return value is truth

    return test
