"""Calls: checks arguments and propagates NULL and MISSING as the catalogue's rows say, for all functions.

For a function that propagates: an argument of a wrong type is an error, even next to an absent one; else a MISSING
argument gives MISSING, else a NULL argument gives NULL; else the function is called.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from firesteel import functions
from firesteel import plan as p
from firesteel.errors import EvaluationError, FiresteelError, PlanError
from firesteel.evaluate.base import CompileContext, Env, Forgivable, RexClosure, handles
from firesteel.evaluate.kinds import EVERYTHING, FAMILIES, PRESENT, kind, show
from firesteel.evaluate.scalar.functions import CLOCK, LAZY, SCALARS, TYPED
from firesteel.evaluate.users import implementation
from firesteel.functions import users
from firesteel.types import Type
from firesteel.values import MISSING, Value, absent

#: The kinds of values that each parameter takes.
Takes = tuple[frozenset[type], ...]


@handles(p.Call)
def _call(node: p.Call, context: CompileContext) -> Generator[Any, Any, RexClosure]:
    row = functions.called(node.fn.name, functions.Kind.SCALAR, len(node.args), node.where)
    args: list[RexClosure] = []
    for arg in node.values:
        args.append((yield arg, context))
    if row.origin is not functions.Origin.PARTIQL:
        from firesteel.evaluate import substrait  # late: few plans have functions of Substrait

        return substrait.closure(node, row, args)
    fail = _failing(node, row, context)
    if row.name in LAZY:
        return LAZY[row.name](args, lambda message: fail(message, ()))
    if row.name in CLOCK:
        now = CLOCK[row.name](context.now)
        return lambda env: now
    if row.name in TYPED:
        types = [arg for arg in node.args if isinstance(arg, Type)]
        if len(types) != 1:
            raise PlanError(f"'{row.name}' takes one type, not {len(types)}", where=node.where)
        try:
            function = TYPED[row.name](types[0])
        except FiresteelError as error:
            raise error.located(node.where) from None
    else:
        user = users.find(row.name)
        try:
            function = SCALARS[row.name] if user is None else implementation(user)
            context.calls_users |= user is not None
        except FiresteelError as error:
            raise error.located(node.where) from None
    return _closure(function, args, _Parameters(row, node), fail, node)


#: What a call is given that has no literal.
_NOTHING = object()


def _literal(rex: object) -> object:
    """The value of a literal that is present, or nothing."""
    return rex.value if isinstance(rex, p.Lit) and not absent(rex.value) else _NOTHING


class _Parameters:
    """The signatures of a row that fit a call's number of arguments."""

    def __init__(self, row: functions.Function, node: p.Call) -> None:
        places = [i for i, arg in enumerate(node.args) if isinstance(arg, p.Rex)]
        fitting = [signature for signature in row.signatures if signature.takes(len(node.args))]
        self.name = row.title
        self.families = [[signature.param(i) for i in places] for signature in fitting]
        if row.propagates:
            self.takes: list[Takes] = [tuple(FAMILIES[f][0] for f in families) for families in self.families]
        else:
            self.takes = [(EVERYTHING,) * len(places)]
        #: What is tried first: the signature that takes anything, if there is one, else the first.
        self.usual = next((takes for takes in self.takes if set(takes) <= {EVERYTHING, PRESENT}), self.takes[0])

    def accept(self, given: Sequence[Value]) -> bool:
        """Is there a signature that takes these arguments, all present?"""
        return any(all(type(v) in kinds for v, kinds in zip(given, takes, strict=True)) for takes in self.takes)

    def otherwise(self, given: Sequence[Value]) -> Value:
        """The result for arguments that are absent or of a wrong type."""
        for takes in self.takes:
            if all(absent(v) or type(v) in kinds for v, kinds in zip(given, takes, strict=True)):
                return MISSING if any(v is MISSING for v in given) else None
        for i, value in enumerate(given):
            families = dict.fromkeys(families[i] for families in self.families)
            if not absent(value) and not any(type(value) in FAMILIES[family][0] for family in families):
                *others, last = (FAMILIES[family][1] for family in families)
                known = f"{', '.join(others)} and {last}" if others else last
                raise Forgivable(f"{self.name} takes {known}, not {kind(value)}")
        raise Forgivable(f"{self.name} does not take {', '.join(map(kind, given))}")


def _closure(
    function: Callable[..., Value],
    args: list[RexClosure],
    parameters: _Parameters,
    fail: Callable[[object, Sequence[Value]], Value],
    node: p.Call,
) -> RexClosure:
    """The call. One and two arguments, the common cases, have a fast path without a list."""
    usual, where = parameters.usual, node.where

    def otherwise(given: Sequence[Value]) -> Value:
        return function(*given) if parameters.accept(given) else parameters.otherwise(given)

    def unary(env: Env) -> Value:
        a = first(env)
        try:
            return function(a) if type(a) in takes_a else otherwise((a,))
        except Forgivable as error:
            return fail(error, (a,))
        except EvaluationError as error:
            error.located(where)
            raise

    def binary(env: Env) -> Value:
        a, b = first(env), second(env)
        try:
            return function(a, b) if type(a) in takes_a and type(b) in takes_b else otherwise((a, b))
        except Forgivable as error:
            return fail(error, (a, b))
        except EvaluationError as error:
            error.located(where)
            raise

    def beside_literal(env: Env) -> Value:
        a = first(env)
        try:
            return function(a, literal) if type(a) in takes_a else otherwise((a, literal))
        except Forgivable as error:
            return fail(error, (a, literal))
        except EvaluationError as error:
            error.located(where)
            raise

    def any_number(env: Env) -> Value:
        given = [arg(env) for arg in args]
        try:
            return otherwise(given)
        except Forgivable as error:
            return fail(error, given)
        except EvaluationError as error:
            error.located(where)
            raise

    if len(args) == 1:
        (first,), (takes_a,) = args, usual
        return unary
    if len(args) == 2:
        (first, second), (takes_a, takes_b) = args, usual
        return beside_literal if type(literal := _literal(node.values[1])) in takes_b else binary
    return any_number


def _failing(
    node: p.Call, row: functions.Function, context: CompileContext
) -> Callable[[object, Sequence[Value]], Value]:
    if not context.strict:
        return lambda error, given: MISSING

    def fail(error: object, given: Sequence[Value]) -> Value:
        # A lazy function has not evaluated its arguments; a cast has its own message.
        said = f"{_said(row, given)}: {error}" if given and row.name not in TYPED else str(error)
        raise EvaluationError(said, where=node.where)

    return fail


def _said(row: functions.Function, given: Sequence[Value]) -> str:
    """A call as it might have been written: `'a' + 1`, `upper(1)`."""
    shown = [show(value) for value in given]
    symbol = next((name for name in row.partiql if not name[0].isalpha()), None)
    return f" {symbol} ".join(shown) if symbol and len(shown) == 2 else f"{row.title}({', '.join(shown)})"
