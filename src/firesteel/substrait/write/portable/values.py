"""Expressions in Substrait's functions: typed anew, from the columns of the portable relations up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import FiresteelError
from firesteel.functions import Kind
from firesteel.functions import substrait as standard
from firesteel.plan import build
from firesteel.plan.fit import attribute
from firesteel.substrait import calls
from firesteel.substrait.dialects import shared
from firesteel.substrait.lower.expressions.calls import choice
from firesteel.substrait.lower.expressions.subqueries import COMPARISONS, rows_of, values_of
from firesteel.substrait.write.portable.scope import Portable, Scope, Translating, portable, refusal

_MOST_DIGITS = 38

#: PartiQL's functions that give the same as a function of Substrait where neither fails: by the same name, or by one
#: that the reader takes for Substrait's.
_SAME = (
    *("plus", "minus", "times", "divide", "abs", "sqrt", "exp", "ln"),
    *("concat", "upper", "lower", "substring", "char_length", "octet_length", "nullif"),
)
#: The function of Substrait for each of them.
FUNCTIONS: dict[str, str] = {
    **{name: shared.NAMES.get(name, name) for name in _SAME},
    **{name: row.partition(":")[2] for row, name in calls.SAME.items()},
    "modulo": "modulus",
    "neg": "negate",
}
#: Aggregates, in the same way.
AGGREGATES: dict[str, str] = {
    "sum": "sum",
    "avg": "avg",
    "count_star": "count",
    **{name: row.partition(":")[2] for row, name in calls.AGGREGATES.items()},
}
#: The components of a moment.
_COMPONENTS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


# ---------------------------------------------------------------------------------------------------------------------
# Types and literals


def plain_type(type_: t.Type, node: p.Rex | None = None) -> t.Type:
    """A type that Substrait has: that of a column that is never MISSING."""
    made = t.absent(type_, nullable=type_.nullable or type_.missable, missable=False)
    match made:
        case t.Int():
            return t.Int64(nullable=made.nullable)
        case t.Symbol():
            return t.String(nullable=made.nullable)
        case t.Decimal(precision=None):
            return t.Decimal(_MOST_DIGITS, 10, nullable=made.nullable)
        case t.Time(precision=None) | t.Timestamp(precision=None):
            return made.replace(precision=6)
        case t.Any() | t.Union() | t.Missing() | t.Bag() | t.Sexp():
            raise refusal(node or p.Lit(type_, None), f"its type is {type_}")
    return made


@portable(p.Lit)
def _literal(_: Portable, rex: p.Lit, scope: Scope) -> p.Rex:
    value = rex.value
    if isinstance(value, values.Missing):
        return p.Lit(t.NULL, None).at(rex.where)
    if isinstance(value, Decimal) and not (isinstance(rex.type, t.Decimal) and rex.type.precision):
        return p.Lit(_digits(value), value).at(rex.where)
    if isinstance(value, list) and isinstance(rex.type, t.Array | t.Any):
        items = [_literal(_, p.Lit(t.type_of(one), one), scope) for one in value]
        return build.collection(t.Array, items).at(rex.where)
    if isinstance(value, values.Symbol):
        value = str(value)
    type_ = t.type_of(value) if isinstance(rex.type, t.Any | t.Union) else rex.type
    return p.Lit(plain_type(type_, rex), value).at(rex.where)


def _digits(value: Decimal) -> t.Type:
    """The type of a decimal that has just its digits."""
    _, digits, exponent = value.as_tuple()
    scale = max(0, -int(exponent))
    return t.Decimal(max(len(digits) + max(0, int(exponent)), scale, 1), scale)


# ---------------------------------------------------------------------------------------------------------------------
# References


@portable(p.Var)
def _variable(_: Portable, rex: p.Var, scope: Scope) -> p.Rex:
    return scope.at(rex.depth).value(rex.ordinal, rex.depth).at(rex.where)


@portable(p.Path)
def _path(_: Portable, rex: p.Path, scope: Scope) -> Translating:
    steps = list(rex.steps)
    made: p.Rex | None = None
    if isinstance(rex.root, p.Var):
        row = scope.at(rex.root.depth)
        cell = row.cells[rex.root.ordinal]
        if isinstance(cell, dict):
            made = row.column(cell[_named(list(cell), steps.pop(0), rex)], rex.root.depth)
    if made is None:
        made = yield rex.root, scope
    for step in steps:
        if not isinstance(made.type, t.Struct):
            raise refusal(rex, f"a step into a {made.type}")
        made = attribute(made, _named([field.name or "" for field in made.type.fields], step, rex))
    return made.at(rex.where)


def _named(names: Sequence[str], step: p.Step, rex: p.Path) -> str:
    """The field that a step leads to, by its name or, in any case, by the only one of it."""
    if isinstance(step, p.Key) and isinstance(step.key, p.Lit) and isinstance(step.key.value, str):
        name = str(step.key.value)
        close = [one for one in names if one.lower() == name.lower()]
        if name in names and not (isinstance(step.key.type, t.Symbol) and len(close) > 1):
            return name
        if isinstance(step.key.type, t.Symbol) and len(close) == 1:
            return close[0]
    raise refusal(rex, "a step that leads to no field")


# ---------------------------------------------------------------------------------------------------------------------
# Calls


@portable(p.Call)
def _call(work: Portable, rex: p.Call, scope: Scope) -> Translating:
    special = _SPECIAL.get(rex.fn.name)
    if special is not None:
        return (yield from special(work, rex, scope))
    args: list[p.Rex] = []
    for arg in rex.values:
        args.append((yield arg, scope))
    if ":" in rex.fn.name:  # a function of Substrait's: its arguments may have more digits than before
        bare = rex.fn.name.rpartition(":")[2]
        return called(bare, _with_choices(rex, args), rex)
    name = FUNCTIONS.get(rex.fn.name)
    if name is None or len(args) != len(rex.args):
        raise refusal(rex, f"Substrait has no function for '{rex.fn.name}'")
    return called(name, args, rex)


def _with_choices(rex: p.Call, args: list[p.Rex]) -> Sequence[p.Rex | str]:
    return [*(one.value for one in rex.fn.choices), *args]


def called(name: str, args: Sequence[p.Rex | str], rex: p.Rex) -> p.Rex:
    """A call of the function of that name which takes these arguments, cast where it has to be."""
    given = [calls.as_argument(one) for one in args]
    try:
        found = standard.resolve(None, name, None, Kind.SCALAR, given, [])
    except FiresteelError as error:
        raise refusal(rex, error.message) from None
    cast = [_fitted(one, target) for one, target in zip(_rexes(args), found.casts, strict=True)]
    return calls.plain_call(found, cast).at(rex.where)


def _rexes(args: Sequence[p.Rex | str]) -> list[p.Rex]:
    return [one for one in args if isinstance(one, p.Rex)]


def _fitted(rex: p.Rex, target: t.Type | None) -> p.Rex:
    """An argument as its parameter takes it; a number that is written out gets the type."""
    if target is None:
        return rex
    if isinstance(rex, p.Lit) and isinstance(rex.value, int) and not isinstance(rex.value, bool):
        wanted = t.proper(target)
        bits = wanted.bits if isinstance(wanted, t.Integer) else None
        if bits and -(1 << bits - 1) <= rex.value < 1 << bits - 1:
            return p.Lit(wanted, rex.value).at(rex.where)
    return build.substrait_cast(rex, target)


def _chain(work: Portable, rex: p.Call, scope: Scope) -> Translating:
    """AND and OR of any number of conditions."""
    args: list[p.Rex] = []
    for arg in rex.values:
        args.append((yield arg, scope))
    return called(rex.fn.name, args, rex)


def _cast(work: Portable, rex: p.Call, scope: Scope) -> Translating:
    value, type_ = rex.args
    assert isinstance(type_, t.Type)
    made = yield value, scope
    failure = rex.fn.choice("failure") or "THROW"
    return build.substrait_cast(made, t.proper(plain_type(type_, rex)), failure=failure).at(rex.where)


def _extract(work: Portable, rex: p.Call, scope: Scope) -> Translating:
    """A component of a moment: PartiQL names it by a text, Substrait by an argument of its own."""
    part, moment = rex.args
    name = str(part.value).upper() if isinstance(part, p.Lit) else ""
    if name not in _COMPONENTS:
        raise refusal(rex, "a component that is not known")
    made = yield moment, scope
    indexed = ["ONE"] if name in ("MONTH", "DAY") else []
    return called("extract", [name, *indexed, made], rex)


def _exists(work: Portable, rex: p.Call, scope: Scope) -> Translating:
    (query,) = rex.args
    if not isinstance(query, p.Select):
        raise refusal(rex, "of a value that is no query")
    made = yield query.input, scope
    return build.present("exists", rows_of(made.rel)).at(rex.where)


def _column(work: Portable, query: p.Rex, scope: Scope) -> Translating:
    """The relation of the one column that a query gives: its value, or the one attribute of its rows."""
    if not isinstance(query, p.Select):
        raise refusal(query, "a value that is no query")
    constructor = query.constructor
    if isinstance(constructor, p.Struct) and len(constructor.pairs) == 1:
        constructor = constructor.pairs[0].value
    made = yield p.Project((constructor,), query.input), scope
    rel = made.whole_columns()
    if len(p.schema(rel)) != 1:
        raise refusal(query, "a query of several columns as a value")
    return rel


def _in(work: Portable, rex: p.Call, scope: Scope) -> Translating:
    needle, found = rex.args
    value = yield needle, scope
    if isinstance(found, p.Select):
        rel = yield from _column(work, found, scope)
        return build.present("in_collection", value, values_of(rel)).at(rex.where)
    listed = yield found, scope
    if not isinstance(listed, p.Collection) or not listed.items:
        raise refusal(rex, "in a value that is not written out")
    options = [_same_type(one, value) for one in listed.items]
    return build.present("in_collection", value, build.collection(t.Array, options)).at(rex.where)


def _same_type(option: p.Rex, value: p.Rex) -> p.Rex:
    """An option with the type of the value that it is compared with."""
    if isinstance(option.type, t.Text) and isinstance(value.type, t.Text):
        return option
    return _fitted(option, t.proper(value.type)) if t.proper(option.type) != t.proper(value.type) else option


def _compared(work: Portable, rex: p.Call, scope: Scope) -> Translating:
    left, query = rex.args
    value = yield left, scope
    rel = yield from _column(work, query, scope)  # type: ignore[arg-type]
    return build.present(rex.fn.name, value, values_of(rel)).at(rex.where)


def _is_missing(work: Portable, rex: p.Call, scope: Scope) -> Translating:
    """Data with a schema has no MISSING."""
    yield from ()
    return p.Lit(t.BOOL, False).at(rex.where)


_SPECIAL: dict[str, Callable[[Portable, p.Call, Scope], Translating]] = {
    "and": _chain,
    "or": _chain,
    "cast": _cast,
    "expression:cast": _cast,
    "extract": _extract,
    "exists": _exists,
    "in_collection": _in,
    "is_missing": _is_missing,
    **{f"{name}_{how}": _compared for name in COMPARISONS.values() for how in ("any", "all")},
}


@portable(p.CollToScalar)
def _scalar(work: Portable, rex: p.CollToScalar, scope: Scope) -> Translating:
    rel = yield from _column(work, rex.query, scope)
    return p.CollToScalar(rows_of(rel)).at(rex.where)


# ---------------------------------------------------------------------------------------------------------------------
# Choices and constructors


@portable(p.Case)
def _case(work: Portable, rex: p.Case, scope: Scope) -> Translating:
    match = None if rex.match is None else (yield rex.match, scope)
    branches: list[p.Branch] = []
    for branch in rex.branches:
        when = yield branch.when, scope
        when = when if match is None else called("equal", [match, when], rex)
        branches.append(p.Branch(when, (yield branch.then, scope)))
    default = None if rex.default is None else (yield rex.default, scope)
    return choice(None, branches, default, rex.where)


@portable(p.Struct)
def _struct(work: Portable, rex: p.Struct, scope: Scope) -> Translating:
    pairs: list[tuple[str | p.Rex, p.Rex]] = []
    for pair in rex.pairs:
        if not isinstance(pair.key, p.Lit) or not isinstance(pair.key.value, str):
            raise refusal(rex, "a name that is computed")
        pairs.append((str(pair.key.value), (yield pair.value, scope)))
    return build.struct(pairs).at(rex.where)


@portable(p.Collection)
def _collection(work: Portable, rex: p.Collection, scope: Scope) -> Translating:
    items: list[p.Rex] = []
    for item in rex.items:
        items.append((yield item, scope))
    return build.collection(t.Array, items).at(rex.where)


@portable(p.Parameter)
def _parameter(work: Portable, rex: p.Parameter, scope: Scope) -> p.Rex:
    return rex.replace(type=plain_type(rex.type, rex))
