"""Columns of Spark Connect as expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.node import drive
from firesteel.plan import build
from firesteel.plan.fit import unless_null
from firesteel.spark.frames.base import Reader, Reading, Scope, places, refuse, split_identifier
from firesteel.spark.frames.columns.aggregates import AGGREGATES, aggregate
from firesteel.spark.frames.columns.coercion import cast
from firesteel.spark.frames.columns.functions import FUNCTIONS, field_of, struct_of
from firesteel.spark.frames.columns.literals import literal, type_of
from firesteel.spark.frames.columns.windows import window
from firesteel.tables.typed.ddl import read_ddl

Handler = Callable[[Reader, Any, Scope], Any]


def expression(reader: Reader, message: Any, scope: Scope) -> p.Rex:
    """The expression that a message of a column says."""

    def dispatch(part: Any, inner: Scope) -> Any:
        kind = part.WhichOneof("expr_type")
        if kind not in _HANDLERS:
            raise refuse(_REFUSED.get(kind, f"a column of the kind '{kind}'"))
        return _HANDLERS[kind](reader, getattr(part, kind), inner)

    made: p.Rex = drive(dispatch, message, scope)
    return made


_REFUSED = {
    "expression_string": "a column that is SQL text (`expr`, `selectExpr`)",
    "unresolved_star": "a `*` there",
    "unresolved_regex": "columns by a regular expression",
    "common_inline_user_defined_function": "a Python function (UDF)",
    "call_function": "a function that is called by its name (`call_function`)",
    "subquery_expression": "a subquery in a column",
    "update_fields": "`withField` and `dropFields`",
}


def name_of(message: Any) -> str:
    """What Spark calls the column that an expression makes, as far as a plan needs it."""
    kind = message.WhichOneof("expr_type")
    if kind == "alias":
        return str(message.alias.name[0])
    if kind == "unresolved_attribute":
        return split_identifier(message.unresolved_attribute.unparsed_identifier)[-1]
    if kind == "unresolved_extract_value":
        return str(message.unresolved_extract_value.extraction.literal.string)
    if kind == "cast":
        return name_of(message.cast.expr)
    if kind == "literal":
        value = literal(message.literal).value
        return "NULL" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    if kind == "unresolved_function":
        call = message.unresolved_function
        args = [name_of(one) for one in call.arguments]
        if len(args) == 2 and not call.function_name.isidentifier():
            return f"({args[0]} {'=' if call.function_name == '==' else call.function_name} {args[1]})"
        return f"{call.function_name}({'DISTINCT ' if call.is_distinct else ''}{', '.join(args)})"
    if kind == "unresolved_star":
        return "1"
    return f"{kind}()"


def _literal(reader: Reader, message: Any, scope: Scope) -> p.Rex:
    return literal(message)


def _attribute(reader: Reader, message: Any, scope: Scope) -> p.Rex:
    plan_id = message.plan_id if message.HasField("plan_id") else None
    ordinal, fields = places(reader, scope.frame, message.unparsed_identifier, plan_id)
    rex: p.Rex = scope.column(ordinal)
    for name in fields:
        rex = field_of(rex, p.Lit(t.STRING, name))
    return rex


def _alias(reader: Reader, message: Any, scope: Scope) -> Reading:
    if len(message.name) > 1:
        raise refuse("several names for one column")
    return (yield message.expr, scope)


def _cast(reader: Reader, message: Any, scope: Scope) -> Reading:
    rex: p.Rex = yield message.expr, scope
    wanted = type_of(message.type) if message.HasField("type") else read_ddl(f"a {message.type_str}").fields[0].type
    target, given = t.proper(wanted), t.proper(rex.type)
    if not any(isinstance(given, one) and isinstance(target, others) for one, others in _CASTS) and given != target:
        raise refuse(f"a cast of {given} to {target}")
    failure = "NULL" if message.eval_mode == _TRY else "THROW"
    if isinstance(given, t.Float32 | t.Float64) and isinstance(target, t.Integer):
        return build.substrait_cast(_cut(rex), target, failure=failure)
    return cast(rex, target) if failure == "THROW" else build.substrait_cast(rex, target, failure=failure)


def _cut(rex: p.Rex) -> p.Rex:
    """A float without its fraction: Spark cuts where the standard rounds."""
    return build.present("trunc", rex)


_TRY = 3
_EXACT = (t.Integer, t.Decimal)
#: Which types are cast to which with Spark's meaning. Texts of floats and of timestamps are written otherwise.
_CASTS: tuple[tuple[Any, tuple[type[t.Type], ...]], ...] = (
    (t.Null, (t.Type,)),
    (t.Integer, (t.Number, t.Text)),
    (t.Decimal, (t.Number, t.Text)),
    (t.Float32, (t.Number,)),
    (t.Float64, (t.Number,)),
    (t.Bool, (t.Text,)),
    (t.Text, (t.Number, t.Text, t.Date, t.Bool)),
    (t.Date, (t.Text,)),
    (t.Timestamp, ()),
)


def _function(reader: Reader, message: Any, scope: Scope) -> Reading:
    name = message.function_name.lower()
    if name in AGGREGATES and scope.aggs is not None:
        return (yield from _aggregate(message, scope))
    if name in LAMBDAS:
        return (yield from LAMBDAS[name](message, scope))
    if name == "struct":
        args = []
        for one in message.arguments:
            args.append((yield one, scope))
        return struct_of([name_of(one) for one in message.arguments], args)
    if name not in FUNCTIONS:
        kind = "an aggregate there" if name in AGGREGATES else "the function"
        raise refuse(f"{kind} '{name}'", "say it with other functions, or register its result as a table")
    args = []
    for one in message.arguments:
        args.append((yield one, scope))
    if message.is_distinct:
        raise refuse(f"DISTINCT arguments of '{name}'")
    try:
        return FUNCTIONS[name](*args)
    except TypeError as error:
        given = ", ".join(str(one.type) for one in args)
        raise refuse(f"'{name}' of ({given})") from error
    except FiresteelError as error:
        if error.message.startswith("a plan of"):
            raise
        given = ", ".join(str(one.type) for one in args)
        raise refuse(f"'{name}' of ({given})", error.message) from error


def _aggregate(message: Any, scope: Scope) -> Reading:
    assert scope.aggs is not None
    args: list[p.Rex] = []
    for one in message.arguments:
        if one.WhichOneof("expr_type") == "unresolved_star":  # count(*)
            args.append(p.Lit(t.INT32, 1))
        else:
            args.append((yield one, scope.plain()))
    agg, call = aggregate(message.function_name.lower(), args, distinct=message.is_distinct)
    return call.result(scope.behind(scope.aggs, agg))


def _extract(reader: Reader, message: Any, scope: Scope) -> Reading:
    rex = yield message.child, scope
    key = yield message.extraction, scope
    return field_of(rex, key)


def _window(reader: Reader, message: Any, scope: Scope) -> Reading:
    return (yield from window(message, scope))


def _variable(reader: Reader, message: Any, scope: Scope) -> p.Rex:
    name = ".".join(message.name_parts)
    if name not in scope.variables:
        raise refuse(f"the variable '{name}' of no lambda around it")
    type_, ordinal, level = scope.variables[name]
    return p.Var(type_, ordinal, depth=scope.level - level)


# ---------------------------------------------------------------------------------------------------------------------
# Functions of lambdas become queries over the array.


def _lambda(message: Any, scope: Scope) -> Reading:
    """The array, the scope of the lambda's body, and the body."""
    array: p.Rex = yield message.arguments[0], scope
    if not isinstance(array.type, t.Array):
        raise refuse(f"'{message.function_name}' of {t.proper(array.type)}")
    function = message.arguments[1].lambda_function
    if len(message.arguments) != 2 or len(function.arguments) > 1:
        raise refuse(f"'{message.function_name}' with a lambda of several parameters")
    names = [".".join(one.name_parts) for one in function.arguments]
    inner = scope.inside([(names[0], array.type.element)])
    body = yield function.function, inner
    return array, body


def _transform(message: Any, scope: Scope) -> Reading:
    array, body = yield from _lambda(message, scope)
    return unless_null(array, p.Select(t.Array(body.type), body, p.Scan(array)))


def _filter(message: Any, scope: Scope) -> Reading:
    array, body = yield from _lambda(message, scope)
    kept = p.Filter(body, p.Scan(array))
    return unless_null(array, p.Select(t.absent(array.type, nullable=False), build.column(kept, 0), kept))


LAMBDAS = {"transform": _transform, "filter": _filter}

_HANDLERS: dict[str, Handler] = {
    "literal": _literal,
    "unresolved_attribute": _attribute,
    "alias": _alias,
    "cast": _cast,
    "unresolved_function": _function,
    "unresolved_extract_value": _extract,
    "unresolved_named_lambda_variable": _variable,
    "window": _window,
}
