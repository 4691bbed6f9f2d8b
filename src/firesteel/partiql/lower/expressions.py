"""Expressions that are neither names nor queries."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from decimal import Context as DecimalContext

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import AnalysisError, PlanError, UnsupportedError
from firesteel.evaluate.scalar.dates import UNITS
from firesteel.functions.users import UserFunctions
from firesteel.partiql import ast
from firesteel.partiql.lower import warnings
from firesteel.partiql.lower.calls.familiar_names import hint
from firesteel.partiql.lower.calls.resolve import ensure_arguments, row_of, user_of
from firesteel.partiql.lower.context import Lowering, QueryContext, Want, lowers
from firesteel.partiql.lower.grouping import is_aggregate, lower_aggregate, lower_window
from firesteel.partiql.lower.names import is_guess
from firesteel.partiql.lower.scope import NameScope
from firesteel.partiql.lower.written import moments
from firesteel.partiql.lower.written.types import FINEST, interval_digits, interval_fields, lower_type
from firesteel.partiql.parse.keywords import DATE_FIELDS
from firesteel.plan import build

# ---------------------------------------------------------------------------------------------------------------------
# Literals and constructors


@lowers(ast.Lit)
def _lit(node: ast.Lit, scope: NameScope, want: Want, context: QueryContext) -> p.Rex:
    made = _literal(node.value)
    if isinstance(node.value, Decimal) and made.value != node.value:
        warnings.lost_digits(f"a decimal has {_DIGITS.prec} digits", node, context)
    return made


def _literal(value: values.Value) -> p.Lit:
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise AnalysisError(f"{value} takes more than 64 bits", help="write it as a decimal, with a point at its end")
    if not isinstance(value, Decimal):
        return build.lit(value)
    if value.is_finite() and value.adjusted() >= _DIGITS.prec:
        raise AnalysisError(f"more than {_DIGITS.prec} digits before the point", help="a float has room: 1e40")
    return build.lit(_DIGITS.plus(value))


#: Decimals carry 38 digits. More behind the point are rounded off; before the point there is no room for more.
_DIGITS = DecimalContext(prec=38, rounding=ROUND_HALF_EVEN)


@lowers(ast.DateLit, ast.TimeLit, ast.TimestampLit, ast.IntervalLit)
def _moment(node: ast.Expr, scope: NameScope, want: Want, context: QueryContext) -> p.Rex:
    value, type_ = moments.read(node)
    if moments.loses_digits(node):
        warnings.lost_digits(f"a second has {FINEST} digits behind the point", node, context)
    return build.lit(value, type_)


@lowers(ast.Parameter)
def _parameter(node: ast.Parameter, scope: NameScope, want: Want, context: QueryContext) -> p.Rex:
    if context.params is None or node.index >= len(context.params):
        count = len(context.params or ())
        raise AnalysisError(f"no value for parameter {node.index + 1}: {count} given", help="pass params=[...]")
    return build.lit(context.params[node.index])


def _all(nodes: Sequence[ast.Ast], scope: NameScope) -> Lowering:
    made = []
    for node in nodes:
        made.append((yield node, scope, "value"))
    return made


@lowers(ast.List, ast.Bag, ast.Sexp, ast.Row)
def _collection(
    node: ast.List | ast.Bag | ast.Sexp | ast.Row, scope: NameScope, want: Want, context: QueryContext
) -> Lowering:
    kind = {ast.Bag: t.Bag, ast.Sexp: t.Sexp}.get(type(node), t.Array)
    return build.collection(kind, (yield from _all(node.items, scope)))


@lowers(ast.Values)
def _values(node: ast.Values, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    return build.collection(t.Bag, (yield from _all(node.rows, scope)))


@lowers(ast.Struct)
def _struct(node: ast.Struct, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    pairs = []
    for pair in node.pairs:
        name = _attribute_name(pair.name, scope) or (yield pair.name, scope, "value")
        pairs.append((name, (yield pair.value, scope, "value")))
    return build.struct(pairs)


def _attribute_name(name: ast.Expr, scope: NameScope) -> p.Rex | None:
    """`{a: 1}`: an identifier that is not a variable is the attribute's name."""
    if isinstance(name, ast.Var) and scope.variable(name.name, name.quoted) is None:
        return build.lit(name.name)
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Operators and predicates


@lowers(ast.Operator)
def _operator(node: ast.Operator, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    match node:
        case ast.Operator(name="neg", args=(ast.Lit(value=int() as value),)) if type(value) is int:
            return _literal(-value)  # the least integer has no positive counterpart
    _doubt_quotes(node.args, scope, context)
    return build.call(node.name, *(yield from _all(node.args, scope)))


def _doubt_quotes(operands: Sequence[ast.Expr], scope: NameScope, context: QueryContext) -> None:
    warnings.quoted_name(operands, lambda var: is_guess(var, scope, context), context)


def _maybe_not(negated: bool, rex: p.Rex) -> p.Rex:
    return build.call("not", rex) if negated else rex


@lowers(ast.Is)
def _is(node: ast.Is, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    value = yield node.value, scope, "value"
    if node.what in ("null", "missing"):
        return _maybe_not(node.negated, build.call(f"is_{node.what}", value))
    if node.what == "unknown":
        return _maybe_not(node.negated, build.call("is_null", value))
    return _maybe_not(node.negated, build.call(f"is_{node.what}", value))


@lowers(ast.IsType)
def _is_type(node: ast.IsType, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    value = yield node.value, scope, "value"
    return _maybe_not(node.negated, build.call("is_type", value, lower_type(node.type)))


@lowers(ast.Between)
def _between(node: ast.Between, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    _doubt_quotes((node.value, node.low, node.high), scope, context)
    args = yield from _all((node.value, node.low, node.high), scope)
    return _maybe_not(node.negated, build.call("between", *args))


@lowers(ast.In)
def _in(node: ast.In, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    if isinstance(node.collection, ast.Row):
        _doubt_quotes((node.value, *node.collection.items), scope, context)
    value = yield node.value, scope, "value"
    collection = yield _unwrapped(node.collection), scope, "collection"
    return _maybe_not(node.negated, build.call("in_collection", value, collection))


def _unwrapped(collection: ast.Expr) -> ast.Expr:
    """`IN (VALUES ...)`: the VALUES are the collection, not its single element."""
    match collection:
        case ast.Row(items=(ast.Values() as rows,)):
            return rows
        case _:
            return collection


@lowers(ast.Like)
def _like(node: ast.Like, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    parts = [node.value, node.pattern, *([node.escape] if node.escape else [])]
    _doubt_quotes(parts, scope, context)
    name = "ilike" if node.ignores_case else "like"
    return _maybe_not(node.negated, build.call(name, *(yield from _all(parts, scope))))


@lowers(ast.Quantified)
def _quantified(node: ast.Quantified, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    value = yield node.value, scope, "value"
    collection = yield node.collection, scope, "collection"
    return build.call(f"{node.operator}_{node.quantifier}", value, collection)


@lowers(ast.Case)
def _case(node: ast.Case, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    operand = (yield node.operand, scope, "value") if node.operand else None
    branches = []
    for branch in node.branches:
        when = yield branch.condition, scope, "value"
        branches.append(p.Branch(when, (yield branch.result, scope, "value")))
    default = (yield node.default, scope, "value") if node.default else None
    types = [branch.then.type for branch in branches] + [default.type if default else t.NULL]
    return p.Case(t.union(types), operand, tuple(branches), default=default)


# ---------------------------------------------------------------------------------------------------------------------
# Calls


@lowers(ast.Call)
def _call(node: ast.Call, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    if node.over is not None:
        return (yield from lower_window(node, scope, context))
    if is_aggregate(node):
        return (yield from lower_aggregate(node, scope, context))
    distinct = node.quantifier == "distinct"
    row = row_of(node)
    special = (
        (node.qualifier and not node.row)
        or node.filter is not None
        or node.nulls is not None
        or node.star
        or node.order
    )
    if special or (distinct and (row is None or row.aggregate is None)):
        raise AnalysisError(f"'{node.name}' takes neither DISTINCT, FILTER, * nor a qualified name")
    if node.name == "coll_to_scalar":
        if len(node.args) != 1:
            raise AnalysisError(f"'coll_to_scalar' does not take {len(node.args)} arguments", help="it takes a query")
        wanted: Want = "source" if isinstance(node.args[0], ast.Query | ast.Select | ast.Subquery) else "value"
        return p.CollToScalar((yield node.args[0], scope, wanted))
    if node.name == "unix_timestamp" and not node.args:
        seconds = build.call("floor", build.call("unix_timestamp", build.call("current_timestamp")))
        return build.call("cast", seconds, t.INT64)
    if row is None:
        meant = context.users or UserFunctions()
        raise AnalysisError(f"no function '{node.name}'", help=hint(node.name, meant.suggestion(node.name)))
    wants: Want = "collection" if row.takes_collection else "value"
    args: list[p.Rex] = []
    for arg in node.args:
        unit = _unit(arg, scope) if row.name == "date_trunc" and not args else None
        args.append(unit or (yield arg, scope, wants))
    if distinct:
        args = [build.call("filter_distinct", arg) for arg in args]
    user = user_of(node)
    if user is not None:
        ensure_arguments(user, len(args), node)
    try:
        return build.call(row.name, *args)
    except PlanError as error:
        raise AnalysisError(error.message, help=error.help) from None


def _unit(arg: ast.Expr, scope: NameScope) -> p.Rex | None:
    """`DATE_TRUNC(month, x)`: a unit of time that is not a variable stands for its name."""
    name = _attribute_name(arg, scope)
    return name if isinstance(arg, ast.Var) and arg.name.lower() in UNITS else None


@lowers(ast.Cast)
def _cast(node: ast.Cast, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    made = build.call("cast", (yield node.value, scope, "value"), lower_type(node.type))
    if not isinstance(node.type, ast.IntervalType):
        return made
    fields, sizes = interval_fields(node.type.qualifier), interval_digits(node.type.qualifier)
    return build.call("fit_interval", made, *map(build.lit, (fields[0], fields[-1], *sizes)))


@lowers(ast.CanCast)
def _can_cast(node: ast.CanCast, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    name = "can_lossless_cast" if node.lossless else "can_cast"
    return build.call(name, (yield node.value, scope, "value"), lower_type(node.type))


@lowers(ast.Trim)
def _trim(node: ast.Trim, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    name = {"leading": "ltrim", "trailing": "rtrim"}.get(node.side or "", "trim")
    parts = [node.value, *([node.characters] if node.characters else [])]
    return build.call(name, *(yield from _all(parts, scope)))


@lowers(ast.Extract)
def _extract(node: ast.Extract, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    value = yield node.value, scope, "value"
    if node.field == "second":
        return build.call("extract_second", value)
    return build.call("extract", build.lit(node.field), value)


@lowers(ast.DateCall)
def _date_call(node: ast.DateCall, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    if node.field.upper() not in DATE_FIELDS:
        known = ", ".join(DATE_FIELDS)
        raise AnalysisError(f"{node.name} does not count in '{node.field}'", help=f"it counts in {known}")
    return build.call(node.name, build.lit(node.field), *(yield from _all((node.left, node.right), scope)))


@lowers(ast.GraphMatch)
def _graph(node: ast.GraphMatch, scope: NameScope, want: Want, context: QueryContext) -> p.Rex:
    raise UnsupportedError("MATCH over graphs is not supported yet", where=node.where)
