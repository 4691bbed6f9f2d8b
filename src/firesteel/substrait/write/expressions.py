"""Expressions: literals, choices, constructors, casts, subqueries; calls and references are beside it."""

from __future__ import annotations

from collections.abc import Iterable

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError, UnsupportedError
from firesteel.evaluate.substrait import casts
from firesteel.plan import build
from firesteel.plan.build import present
from firesteel.plan.fit import named_like
from firesteel.plan.type_fit import alike
from firesteel.source import Place
from firesteel.substrait.literal_fit import require_fit
from firesteel.substrait.lower.base import require_comparable
from firesteel.substrait.lower.expressions.calls import choice, list_of, map_of
from firesteel.substrait.lower.expressions.subqueries import COMPARISONS, rows_of, values_of
from firesteel.substrait.message import Message, message
from firesteel.substrait.types import FIELD
from firesteel.substrait.write import calls
from firesteel.substrait.write.base import Row, Writer, Writing, expression
from firesteel.substrait.write.own_nodes import own_function, own_query
from firesteel.substrait.write.references import chain

_NOWHERE = Place(())


@expression(p.Lit)
def _literal(writer: Writer, rex: p.Lit, row: Row) -> Message:
    try:
        return message("Expression", literal=writer.literal(rex.type, rex.value))
    except FiresteelError as error:
        raise error.located(rex.where) if rex.where is not None else error from None


@expression(p.UnresolvedVar, p.Global)
def _named(writer: Writer, rex: p.UnresolvedVar | p.Global, row: Row) -> Writing:
    writer.counts_globals |= isinstance(rex, p.Global)
    return own_function(writer, rex, row)


@expression(p.Parameter)
def _parameter(writer: Writer, rex: p.Parameter, row: Row) -> Message | Writing:
    default = rex.default
    if not 0 <= rex.ordinal < 1 << 32:
        return own_function(writer, rex, row)
    if default is not None:
        known = writer.parameters.get(rex.ordinal)
        if not isinstance(default, p.Lit) or (known is not None and known != default):
            return own_function(writer, rex, row)
        if not alike(default.type, rex.type) or not _fits(default, rex.type):
            return own_function(writer, rex, row)
        writer.parameters[rex.ordinal] = default
    made = message("DynamicParameter", type=writer.type(rex.type), parameter_reference=rex.ordinal)
    return message("Expression", dynamic_parameter=made)


def _fits(default: p.Lit, type_: t.Type) -> bool:
    """Is it a value that a reader takes for a parameter of that type?"""
    try:
        require_fit(default.value, type_, message("DynamicParameter"))
    except (FiresteelError, AttributeError, TypeError, ValueError):
        return False
    return True


@expression(p.Case)
def _case(writer: Writer, rex: p.Case, row: Row) -> Writing:
    if not _is_choice(rex):
        return (yield from own_function(writer, rex, row))
    ifs: list[Message] = []
    name = "IfThen.IfClause" if rex.match is None else "SwitchExpression.IfValue"
    for branch in rex.branches:
        if rex.match is None:
            when: Message = yield _certain(writer, branch.when), row
        else:
            assert isinstance(branch.when, p.Lit)
            when = writer.literal(branch.when.type, branch.when.value)
        ifs.append(message(f"Expression.{name}", **{"if": when, "then": (yield branch.then, row)}))
    assert rex.default is not None
    parts = {"ifs": ifs, "else": (yield rex.default, row)}
    if rex.match is None:
        return message("Expression", if_then=message("Expression.IfThen", **parts))
    switch = message("Expression.SwitchExpression", match=(yield rex.match, row), **parts)
    return message("Expression", switch_expression=switch)


def _certain(writer: Writer, condition: p.Rex) -> p.Rex:
    """A condition, which may not be NULL for a consumer that gives NULL then instead of going on."""
    if writer.target.certain_conditions and condition.type.nullable:
        said = f"a condition of CASE that may be NULL in a plan for '{writer.target.name}', which gives NULL then"
        raise UnsupportedError(said, where=condition.where, help="coalesce(condition, false) may not be NULL")
    return condition


def _is_choice(rex: p.Case) -> bool:
    """Is a case read from Substrait's conditions, or its comparisons with literals?"""
    if rex.default is None or not rex.branches:
        return False
    whens = [branch.when for branch in rex.branches]
    try:
        if rex.match is None:
            if not all(isinstance(when.type, t.Bool | t.Null | t.Any | t.Union | t.Missing) for when in whens):
                return False
        else:
            if not all(isinstance(when, p.Lit) for when in whens):
                return False
            if not _comparable(rex.match, whens):
                return False
        return choice(rex.match, list(rex.branches), rex.default, None) == rex
    except FiresteelError:
        return False


@expression(p.Struct)
def _struct(writer: Writer, rex: p.Struct, row: Row) -> Writing:
    keys = [pair.key for pair in rex.pairs]
    named = all(key == p.Lit(t.STRING, FIELD(i)) for i, key in enumerate(keys, 1))
    values: list[tuple[str | p.Rex, p.Rex]] = [(FIELD(i), pair.value) for i, pair in enumerate(rex.pairs, 1)]
    if not named or build.struct(values) != rex:
        return (yield from own_function(writer, rex, row))
    fields: list[Message] = []
    for pair in rex.pairs:
        fields.append((yield pair.value, row))
    struct = message("Expression.Nested.Struct", fields=fields)
    return message("Expression", nested=message("Expression.Nested", struct=struct))


@expression(p.Collection)
def _collection(writer: Writer, rex: p.Collection, row: Row) -> Writing:
    try:
        is_list = bool(rex.items) and list_of(list(rex.items), None) == rex
    except FiresteelError:
        is_list = False
    if not is_list:
        return (yield from own_function(writer, rex, row))
    values: list[Message] = []
    for item in rex.items:
        values.append((yield item, row))
    nested = message("Expression.Nested", list=message("Expression.Nested.List", values=values))
    return message("Expression", nested=nested)


# ---------------------------------------------------------------------------------------------------------------------
# Calls that are no functions of Substrait's


@expression(p.Call)
def _call(writer: Writer, rex: p.Call, row: Row) -> Writing:
    handler = _SPECIAL.get(rex.fn.name)
    made = None if handler is None else (yield from handler(writer, rex, row))
    return made if made is not None else (yield from calls.scalar(writer, rex, row))


def _cast(writer: Writer, rex: p.Call, row: Row) -> Writing:
    value, type_ = (*rex.args, None, None)[:2]
    failure = rex.fn.choice("failure")
    if not isinstance(value, p.Rex) or not isinstance(type_, t.Type) or failure not in ("THROW", "NULL"):
        return None
    try:
        casts.build(value.type, type_)
        plain = calls.positional(type_)
        if build.substrait_cast(value, named_like(plain, value.type), failure=failure) != rex:
            return None
    except FiresteelError:
        return None
    behavior = "FAILURE_BEHAVIOR_RETURN_NULL" if failure == "NULL" else "FAILURE_BEHAVIOR_THROW_EXCEPTION"
    wanted = writer.type(t.absent(plain, nullable=rex.type.nullable))
    made = message("Expression.Cast", type=wanted, input=(yield value, row), failure_behavior=behavior)
    return message("Expression", cast=made)


def _map(writer: Writer, rex: p.Call, row: Row) -> Writing:
    keys, values = list(rex.values[::2]), list(rex.values[1::2])
    try:
        if not keys or map_of(keys, values, None) != rex:
            return None
    except FiresteelError:
        return None
    entries: list[Message] = []
    for key, value in zip(keys, values, strict=True):
        entries.append(message("Expression.Nested.Map.KeyValue", key=(yield key, row), value=(yield value, row)))
    nested = message("Expression.Nested", map=message("Expression.Nested.Map", key_values=entries))
    return message("Expression", nested=nested)


# ---------------------------------------------------------------------------------------------------------------------
# Subqueries


@expression(p.Select, p.Pivot)
def _query(writer: Writer, rex: p.Select | p.Pivot, row: Row) -> Writing:
    return own_query(writer, rex, row)


@expression(p.CollToScalar)
def _scalar(writer: Writer, rex: p.CollToScalar, row: Row) -> Writing:
    rel = _rows(rex.query, 1)
    if rel is None:
        return (yield from own_function(writer, rex, row))
    scalar = message("Expression.Subquery.Scalar", input=(yield rel, row))
    return message("Expression", subquery=message("Expression.Subquery", scalar=scalar))


def _rows(query: p.Rex | t.Type | None, width: int | None = None) -> p.Rel | None:
    """The relation of a query for its rows, as a subquery is read."""
    if not isinstance(query, p.Select) or query != rows_of(query.input):
        return None
    return query.input if width is None or len(p.schema(query.input)) == width else None


def _values(query: p.Rex | t.Type | None) -> p.Rel | None:
    """The relation of a query for the values of its one column."""
    if not isinstance(query, p.Select) or len(p.schema(query.input)) != 1 or query != values_of(query.input):
        return None
    return query.input


def _is_present(rex: p.Call) -> bool:
    """Is it the call that a reader makes of the function, over data without MISSING?"""
    return len(rex.values) == len(rex.args) and present(rex.fn.name, *rex.values) == rex


def _exists(writer: Writer, rex: p.Call, row: Row) -> Writing:
    rel = _rows(rex.args[0]) if len(rex.args) == 1 else None
    if rel is None or not _is_present(rex):
        return None
    tuples = yield rel, row
    made = message("Expression.Subquery.SetPredicate", predicate_op="PREDICATE_OP_EXISTS", tuples=tuples)
    return message("Expression", subquery=message("Expression.Subquery", set_predicate=made))


def _in(writer: Writer, rex: p.Call, row: Row) -> Writing:
    needle, found = (*rex.args, None, None)[:2]
    if not isinstance(needle, p.Rex) or not isinstance(found, p.Rex) or not _is_present(rex):
        return None
    rel = _values(found)
    if rel is not None and _comparable(needle, [build.column(rel, 0)]):
        made = message("Expression.Subquery.InPredicate", needles=[(yield needle, row)], haystack=(yield rel, row))
        return message("Expression", subquery=message("Expression.Subquery", in_predicate=made))
    if not isinstance(found, p.Collection) or not found.items or found != build.collection(t.Array, found.items):
        return None
    if not _comparable(needle, found.items):
        return None
    value: Message = yield needle, row
    options: list[Message] = []
    for one in found.items:
        options.append((yield one, row))
    return message("Expression", singular_or_list=message("Expression.SingularOrList", value=value, options=options))


def _comparable(value: p.Rex, others: Iterable[p.Rex]) -> bool:
    try:
        for one in others:
            require_comparable(value, one, _NOWHERE)
    except FiresteelError:
        return False
    return True


def _compared(writer: Writer, rex: p.Call, row: Row) -> Writing:
    name, _, how = rex.fn.name.rpartition("_")
    left, query = (*rex.args, None, None)[:2]
    rel = _values(query)
    if rel is None or not isinstance(left, p.Rex) or not _is_present(rex):
        return None
    if not _comparable(left, [build.column(rel, 0)]):
        return None
    op = next(op for op, known in COMPARISONS.items() if known == name)
    made = message(
        "Expression.Subquery.SetComparison",
        reduction_op=f"REDUCTION_OP_{how.upper()}",
        comparison_op=f"COMPARISON_OP_{op}",
        left=(yield left, row),
        right=(yield rel, row),
    )
    return message("Expression", subquery=message("Expression.Subquery", set_comparison=made))


_SPECIAL = {
    "expression:cast": _cast,
    "expression:map": _map,
    "expression:list_element": chain,
    "expression:map_value": chain,
    "exists": _exists,
    "in_collection": _in,
    **{f"{name}_{how}": _compared for name in COMPARISONS.values() for how in ("any", "all")},
}
