"""Calls as PartiQL writes them: operators, predicates, forms with words between their arguments, functions by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel import functions
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.functions import users
from firesteel.partiql import ast
from firesteel.partiql.write import words
from firesteel.partiql.write.literals import type_syntax
from firesteel.partiql.write.printing import BINARY
from firesteel.plan import Call, Fn

#: An argument: a value as syntax, or a type.
Argument = ast.Expr | t.Type
Form = Callable[..., ast.Expr | None]


def call_syntax(call: Call, args: Sequence[Argument]) -> ast.Expr:
    """The call of these arguments."""
    fn = call.fn
    if fn.choices:
        raise no_form(fn)
    form = FORMS.get(fn.name)
    made = form(*args) if form is not None else None
    return made if made is not None else _by_name(fn, args)


def no_form(fn: Fn) -> UnsupportedError:
    """The error for a function that PartiQL has no name for."""
    said = f"{fn.name} with {', '.join(choice.name for choice in fn.choices)}" if fn.choices else fn.name
    return UnsupportedError(f"the function '{said}' has no form in PartiQL")


def function_of(fn: Fn) -> tuple[str, tuple[ast.Name, ...]]:
    """What PartiQL calls a function, and the qualifier before that."""
    row, user = functions.find(fn.name), users.find(fn.name)
    if user is not None and user.spark is not None:
        return user.spark, (ast.Name("spark"),)
    named = [name for name in row.partiql if words.is_word(name)] if row is not None else []
    if not named:
        raise no_form(fn)
    return named[0], ()


def _by_name(fn: Fn, args: Sequence[Argument]) -> ast.Expr:
    name, qualifier = function_of(fn)
    given = tuple(arg for arg in args if isinstance(arg, ast.Expr))
    if len(given) < len(args):
        raise no_form(fn)
    return ast.Call(name, given, qualifier=qualifier)


# ---------------------------------------------------------------------------------------------------------------------
# The forms. Each gives None where the arguments do not fit it: then the function is called by its name, if it has one.

_NEGATABLE = (ast.Is, ast.IsType, ast.Between, ast.In, ast.Like)


def _operator(name: str, least: int, most: int | None) -> Form:
    def form(*args: ast.Expr) -> ast.Expr | None:
        fits = least <= len(args) and (most is None or len(args) <= most)
        return ast.Operator(name, args) if fits else None

    return form


def _logic(name: str) -> Form:
    """AND and OR of one or no argument: TRUE or FALSE does not change them."""
    neutral = ast.Lit(name == "and")

    def form(*args: ast.Expr) -> ast.Expr:
        return ast.Operator(name, (*args, *[neutral] * (2 - len(args))))

    return form


def _not(value: ast.Expr) -> ast.Expr:
    if isinstance(value, _NEGATABLE) and not value.negated:
        return value.replace(negated=True)
    return ast.Operator("not", (value,))


def _is(what: str) -> Form:
    return lambda value: ast.Is(value, what)


def _in(value: ast.Expr, collection: ast.Expr) -> ast.Expr:
    if isinstance(collection, ast.List) and collection.items:
        collection = ast.Row(collection.items)
    return ast.In(value, collection)


def _like(*, ignores_case: bool) -> Form:
    def form(value: ast.Expr, pattern: ast.Expr, escape: ast.Expr | None = None) -> ast.Expr:
        return ast.Like(value, pattern, escape=escape, ignores_case=ignores_case)

    return form


def _trim(side: str | None) -> Form:
    def form(value: ast.Expr, characters: ast.Expr | None = None) -> ast.Expr:
        return ast.Trim(value, side=side, characters=characters)  # type: ignore[arg-type]

    return form


def _quantified(operator: str, quantifier: str) -> Form:
    return lambda value, collection: ast.Quantified(operator, quantifier, value, collection)  # type: ignore[arg-type]


def _extract(field: ast.Expr, value: ast.Expr) -> ast.Expr | None:
    named = _field(field)
    return ast.Extract(named, value) if named is not None else None


def _date_call(name: str) -> Form:
    def form(field: ast.Expr, left: ast.Expr, right: ast.Expr) -> ast.Expr | None:
        named = _field(field)
        return ast.DateCall(name, named, left, right) if named is not None else None

    return form


def _field(node: ast.Expr) -> str | None:
    return node.value.lower() if isinstance(node, ast.Lit) and isinstance(node.value, str) else None


def _cast(value: ast.Expr, type_: t.Type) -> ast.Expr:
    if isinstance(type_, t.Interval) and type_.unit in _WIDEST:
        return ast.Cast(value, ast.IntervalType(_WIDEST[type_.unit]))
    return ast.Cast(value, type_syntax(type_))


_WIDEST = {
    "year_month": ast.IntervalQualifier("year", "month", precision=9),
    "day_time": ast.IntervalQualifier("day", "second", precision=9, digits=9),
}


def _fit_interval(value: ast.Expr, *fit: ast.Expr) -> ast.Expr | None:
    """CAST to an interval: the cast, and then what its fields have room for."""
    said = [one.value for one in fit if isinstance(one, ast.Lit)]
    if not isinstance(value, ast.Cast) or not isinstance(value.type, ast.IntervalType) or len(said) != 4:
        return None
    start, end, digits, fraction = said
    seconds = fraction if end == "second" else None
    qualifier = ast.IntervalQualifier(start, end if end != start else None, precision=digits, digits=seconds)
    return ast.Cast(value.value, ast.IntervalType(qualifier))


FORMS: dict[str, Form] = {
    **{name: _operator(name, 2, 2) for name in BINARY},
    "and": _logic("and"),
    "or": _logic("or"),
    "not": _not,
    "neg": _operator("neg", 1, 1),
    "pos": _operator("pos", 1, 1),
    **{f"is_{what}": _is(what) for what in ("null", "missing", "true", "false")},
    "is_type": lambda value, type_: ast.IsType(value, type_syntax(type_)),
    "between": ast.Between,
    "in_collection": _in,
    "like": _like(ignores_case=False),
    "ilike": _like(ignores_case=True),
    "cast": _cast,
    "can_cast": lambda value, type_: ast.CanCast(value, type_syntax(type_)),
    "can_lossless_cast": lambda value, type_: ast.CanCast(value, type_syntax(type_), lossless=True),
    "fit_interval": _fit_interval,
    "trim": _trim(None),
    "ltrim": _trim("leading"),
    "rtrim": _trim("trailing"),
    "extract": _extract,
    "extract_second": lambda value: ast.Extract("second", value),
    "date_add": _date_call("date_add"),
    "date_diff": _date_call("date_diff"),
    **{
        f"{operator}_{quantifier}": _quantified(operator, quantifier)
        for operator in ("eq", "ne", "lt", "lte", "gt", "gte")
        for quantifier in ("any", "all")
    },
}
