"""Expressions, except references, subqueries and window functions."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.evaluate.substrait import casts
from firesteel.functions.substrait.coercion import common
from firesteel.node import Node
from firesteel.plan import build
from firesteel.plan.fit import named_like, names_of, rename_fields
from firesteel.plan.scope import replaced, shifted
from firesteel.plan.type_fit import alike
from firesteel.repair import RepairKind
from firesteel.rules import CallRule, ExpressionRule, LiteralRule, PlanRule
from firesteel.source import Place, Span
from firesteel.substrait import calls
from firesteel.substrait.dialects.base import Shape
from firesteel.substrait.literal_fit import require_fit
from firesteel.substrait.literals import read_literal
from firesteel.substrait.lower.base import (
    FieldScope,
    Lowerer,
    Lowering,
    expression,
    require_boolean,
    require_comparable,
    require_field,
)
from firesteel.substrait.lower.expressions.arguments import arguments, lowered_lambda, named_lambda
from firesteel.substrait.message import Message
from firesteel.substrait.types import FIELD, read_type


@expression("literal")
def _literal(lowerer: Lowerer, message: Message, scope: FieldScope) -> p.Rex:
    type_, value = read_literal(message, lowerer.extensions)
    return p.Lit(type_, value).at(message.where)


@expression("scalar_function")
def _scalar_function(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    args = yield from arguments(lowerer, message, scope)
    made: p.Rex = calls.scalar(message, args, lowerer.extensions)
    return made if made.where is not None else made.at(message.where)


@expression("cast")
def _cast(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    value = yield require_field(message, "input"), scope
    # A type has no names for the fields of a struct: those of the value stay.
    type_ = named_like(read_type(require_field(message, "type"), lowerer.extensions), value.type)
    failure = "NULL" if message.label("failure_behavior") == "FAILURE_BEHAVIOR_RETURN_NULL" else "THROW"
    meant = lowerer.extensions.dialect.cast
    made = None if meant is None else meant(value, type_, failure)
    if made is not None:
        return made.at(message.where)
    try:
        casts.build(value.type, type_)
    except UnsupportedError as error:  # there is no cast between these types
        raise error.located(message.where) from None
    return build.substrait_cast(value, type_, failure=failure).at(message.where)


# ---------------------------------------------------------------------------------------------------------------------
# Choices


@expression("if_then")
def _if_then(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    if not message.ifs:
        raise PlanRule.EMPTY.broken("an if without conditions", where=message.where)
    branches: list[p.Branch] = []
    clauses, match = list(message.ifs), None
    if lowerer.extensions.dialect.writes(Shape.CASE_BASE) and not clauses[0].has("then") and len(clauses) > 1:
        lowerer.repair(RepairKind.CASE_BASE, message.where)
        match = yield require_field(clauses.pop(0), "if"), scope
    for one in clauses:
        test = require_field(one, "if")
        if match is not None:
            when = yield test, scope
            require_comparable(match, when, test.where)
            branches.append(p.Branch(when, (yield require_field(one, "then"), scope)))
            continue
        when = require_boolean((yield test, scope), test)
        branches.append(p.Branch(when, (yield require_field(one, "then"), scope)))
    default = (yield getattr(message, "else"), scope) if message.has("else") else None
    return choice(match, branches, default, message.where)


@expression("switch_expression")
def _switch(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    match = yield require_field(message, "match"), scope
    if not message.ifs:
        raise PlanRule.EMPTY.broken("a switch without cases", where=message.where)
    branches: list[p.Branch] = []
    for one in message.ifs:
        literal = require_field(one, "if")
        when = p.Lit(*read_literal(literal, lowerer.extensions)).at(literal.where)
        require_comparable(match, when, literal.where)
        branches.append(p.Branch(when, (yield require_field(one, "then"), scope)))
    default = (yield getattr(message, "else"), scope) if message.has("else") else None
    return choice(match, branches, default, message.where)


def choice(match: p.Rex | None, branches: list[p.Branch], default: p.Rex | None, where: Place | Span | None) -> p.Rex:
    """A case whose results are of one type."""
    results = [branch.then for branch in branches] + ([default] if default is not None else [])
    type_ = _common(results, where)
    if default is None:
        type_ = t.absent(type_, nullable=True)
        default = p.Lit(type_, None)
    made = tuple(p.Branch(branch.when, _as(branch.then, type_)) for branch in branches)
    return p.Case(type_, match, made, default=_as(default, type_)).at(where)


def _common(rexes: list[p.Rex], where: Place | Span | None) -> t.Type:
    """The common type of several results."""
    found = common([rex.type for rex in rexes])
    if found is None:
        shown = " beside ".join(dict.fromkeys(str(rex.type) for rex in rexes))
        raise ExpressionRule.RESULTS.broken(f"{shown}: all results are of one type", where=where)
    return t.absent(found, nullable=any(rex.type.nullable for rex in rexes))


def _as(rex: p.Rex, type_: t.Type) -> p.Rex:
    """A result cast to that type: NULL gets the type, nested fields get its names."""
    if isinstance(rex.type, t.Null):
        return p.Lit(t.absent(type_, nullable=True), None).at(rex.where)
    if names_of(rex.type) != names_of(type_):
        return rename_fields(rex, type_)
    return build.substrait_cast(rex, t.proper(type_)) if not _is_text(rex, type_) else rex


def _is_text(rex: p.Rex, type_: t.Type) -> bool:
    """Texts of different lengths count as one type."""
    return isinstance(rex.type, t.Text) and isinstance(type_, t.Text)


# ---------------------------------------------------------------------------------------------------------------------
# Membership


@expression("singular_or_list")
def _one_of(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    value = yield require_field(message, "value"), scope
    options: list[p.Rex] = []
    for one in message.options:
        options.append((yield one, scope))
        require_comparable(value, options[-1], one.where)
    if not options:
        raise PlanRule.EMPTY.broken("a list without options", where=message.where)
    value, *options = calls.named_alike([value, *options])
    listed = build.collection(t.Array, options)
    return build.present("in_collection", value, listed).at(message.where)


@expression("multi_or_list")
def _row_of(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    row: list[p.Rex] = []
    for one in message.value:
        row.append((yield one, scope))
    either: p.Rex | None = None
    for record in message.options:
        if len(record.fields) != len(row):
            raise ExpressionRule.RECORD.broken(
                f"a record of {len(record.fields)} fields for {len(row)} values", where=record.where
            )
        both: p.Rex | None = None
        for value, one in zip(row, record.fields, strict=True):
            option = yield one, scope
            require_comparable(value, option, one.where)
            same = build.call("eq", value, option)
            both = same if both is None else build.call("and", both, same)
        assert both is not None
        either = both if either is None else build.call("or", either, both)
    if either is None:
        raise PlanRule.EMPTY.broken("a list without options", where=message.where)
    return either.at(message.where)


# ---------------------------------------------------------------------------------------------------------------------
# Constructors


@expression("nested")
def _nested(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    match message.which("nested_type"):
        case "struct":
            pairs: list[tuple[str | p.Rex, p.Rex]] = []
            for i, one in enumerate(message.struct.fields, 1):
                pairs.append((FIELD(i), (yield one, scope)))
            return build.struct(pairs).at(message.where)
        case "list":
            items: list[p.Rex] = []
            for one in message.list.values:
                items.append((yield one, scope))
            if not items:
                raise LiteralRule.EMPTY_COLLECTION.broken(
                    "a list without elements is a literal, which says their type", where=message.where
                )
            return list_of(items, message.where)
        case "map":
            keys: list[p.Rex] = []
            found: list[p.Rex] = []
            for one in message.map.key_values:
                keys.append((yield require_field(one, "key"), scope))
                found.append((yield require_field(one, "value"), scope))
            if not keys:
                raise LiteralRule.EMPTY_COLLECTION.broken(
                    "a map without entries is a literal, which says their types", where=message.where
                )
            return map_of(keys, found, message.where)
    raise PlanRule.SAYS_NOTHING.broken("a nested value that says nothing", where=message.where)


def list_of(items: list[p.Rex], where: Place | Span | None) -> p.Rex:
    """A list of values, which are of one type."""
    element = _common(items, where)
    return p.Collection(t.Array(element), tuple(_as(item, element) for item in items)).at(where)


def map_of(keys: list[p.Rex], found: list[p.Rex], where: Place | Span | None) -> p.Rex:
    """A map of keys and values, each of one type."""
    key, value = _common(keys, where), _common(found, where)
    if not isinstance(key, t.Text):
        raise UnsupportedError("a map whose keys are not text", where=where)
    entries = [part for k, v in zip(keys, found, strict=True) for part in (_as(k, key), _as(v, value))]
    return build.substrait_expression("map", entries, t.Map(t.proper(key), value)).at(where)


# ---------------------------------------------------------------------------------------------------------------------
# Lambdas, parameters, the time of the run


@expression("lambda")
def _lambda(lowerer: Lowerer, message: Message, scope: FieldScope) -> p.Rex:
    raise UnsupportedError("a lambda that is no argument of a function", where=message.where)


@expression("lambda_invocation")
def _invocation(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    """A lambda that is called at once: its body with the arguments in place of the parameters."""
    kind = message.which("lambda_type")
    target = getattr(message, "lambda") if kind == "lambda" else named_lambda(lowerer, message.named_lambda)
    args: list[p.Rex] = []
    for one in message.arguments.fields:
        args.append((yield one, scope))
    made = yield from lowered_lambda(lowerer, target, scope)
    if len(args) != len(made.parameters):
        raise CallRule.LAMBDA.broken(
            f"{len(args)} arguments for {len(made.parameters)} parameters", where=message.where
        )
    for arg, parameter in zip(args, made.parameters, strict=True):
        if not alike(arg.type, parameter):
            raise CallRule.LAMBDA.broken(f"a {arg.type} for a parameter that is a {parameter}", where=message.where)
    return _with_arguments(made.body, args)


def _with_arguments(body: p.Rex, args: list[p.Rex]) -> p.Rex:
    def put(node: Node, level: int) -> Node | None:
        if not isinstance(node, p.Var) or node.depth < level:
            return None
        return shifted(args[node.ordinal], level) if node.depth == level else node.replace(depth=node.depth - 1)

    return replaced(body, put)


@expression("dynamic_parameter")
def _parameter(lowerer: Lowerer, message: Message, scope: FieldScope) -> p.Rex:
    type_ = read_type(require_field(message, "type"), lowerer.extensions)
    ordinal = message.parameter_reference
    default = lowerer.parameters.get(ordinal)
    if default is not None:
        if not alike(default.type, type_):
            raise CallRule.PARAMETER.broken(
                f"parameter {ordinal} is a {type_}, and is given a {default.type}", where=message.where
            )
        require_fit(default.value, type_, message)
    return p.Parameter(type_, ordinal, default=default).at(message.where)


@expression("execution_context_variable")
def _variable(lowerer: Lowerer, message: Message, scope: FieldScope) -> p.Rex:
    kind = message.which("execution_context_variable_type")
    if kind is None:
        raise PlanRule.SAYS_NOTHING.broken("a variable that says nothing", where=message.where)
    if kind == "current_timezone":
        return p.Lit(t.STRING, "UTC").at(message.where)
    if kind == "current_date":
        return build.call("current_date").at(message.where)
    type_ = t.Timestamp(message.current_timestamp.precision, zone=True)
    return build.substrait_cast(build.call("current_timestamp"), type_).at(message.where)


@expression("enum")
def _enum(lowerer: Lowerer, message: Message, scope: FieldScope) -> p.Rex:
    raise ExpressionRule.OUT_OF_PLACE.broken("an enumeration that is no argument of a function", where=message.where)
