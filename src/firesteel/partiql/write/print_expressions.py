"""How expressions and types are printed."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from firesteel.errors import UnsupportedError
from firesteel.ion import dumps
from firesteel.partiql import ast
from firesteel.partiql.parse.expressions import COMPARISON
from firesteel.partiql.parse.keywords import RESERVED
from firesteel.partiql.write import words
from firesteel.partiql.write.layout import LINE, SOFT, Doc, Piece, bracketed, group, joined, row
from firesteel.partiql.write.printing import (
    BINARY,
    ELEMENT,
    EXPRESSION,
    QUERY,
    SIGN,
    UNARY,
    Printing,
    all_of,
    call,
    listed,
    prints,
)
from firesteel.values import MISSING

# ---------------------------------------------------------------------------------------------------------------------
# Literals


@prints(ast.Lit)
def _lit(node: ast.Lit) -> str:
    value = node.value
    for constant, text in _CONSTANTS:
        if value is constant:
            return text
    if type(value) is int and value >= 0:
        return str(value)
    if type(value) is str:
        return words.string(value)
    if type(value) is float and 0 <= value < float("inf") and str(value)[0] != "-":
        text = repr(value)
        return text if "e" in text else f"{text}e0"
    if type(value) is Decimal and value.is_finite() and not value.is_signed() and -_PLACES < value.as_tuple()[2] <= 0:  # type: ignore[operator]
        text = f"{value:f}"
        return text if "." in text else f"{text}."
    return f"`{dumps(value)}`"


_CONSTANTS: tuple[tuple[Any, str], ...] = ((None, "NULL"), (MISSING, "MISSING"), (True, "TRUE"), (False, "FALSE"))
#: A decimal with more places behind the point is written with an exponent, as Ion.
_PLACES = 60


@prints(ast.DateLit)
def _date(node: ast.DateLit) -> str:
    return f"DATE {words.string(node.text)}"


@prints(ast.TimeLit, ast.TimestampLit)
def _time(node: ast.TimeLit | ast.TimestampLit) -> str:
    head = "TIME" if isinstance(node, ast.TimeLit) else "TIMESTAMP"
    return f"{head}{_sizes(node.precision)}{_ZONES[node.zone]} {words.string(node.text)}"


_ZONES = {None: "", True: " WITH TIME ZONE", False: " WITHOUT TIME ZONE"}


def _sizes(*sizes: int | None) -> str:
    given = [str(size) for size in sizes if size is not None]
    return f" ({', '.join(given)})" if given else ""


@prints(ast.IntervalLit)
def _interval(node: ast.IntervalLit) -> str:
    sign = "-" if node.negative else ""
    return f"INTERVAL {sign}{words.string(node.text)} {_qualifier(node.qualifier)}"


def _qualifier(node: ast.IntervalQualifier) -> str:
    start = node.start.upper()
    if node.end is None:
        return start + _sizes(node.precision, node.digits)
    return f"{start}{_sizes(node.precision)} TO {node.end.upper()}{_sizes(node.digits)}"


@prints(ast.Parameter)
def _parameter(node: ast.Parameter) -> str:
    return "?"


# ---------------------------------------------------------------------------------------------------------------------
# Variables, paths, constructors


@prints(ast.Name)
def _name(node: ast.Name) -> str:
    return words.name(node.text, node.quoted)


@prints(ast.Var)
def _var(node: ast.Var) -> str:
    return ("@" if node.local else "") + words.name(node.name, node.quoted)


@prints(ast.Path)
def _path(node: ast.Path) -> Printing:
    # Parentheses leave no trace but around a path, which would go on, and around numbers and the like, which need them.
    bare = isinstance(node.root, ast.Var | ast.Call | ast.Subquery | ast.List | ast.Bag | ast.Struct)
    root: Piece = yield node.root, EXPRESSION
    return row(root if bare else bracketed("(", root, ")"), *(yield from all_of(node.steps, EXPRESSION)))


@prints(ast.Field)
def _field(node: ast.Field) -> str:
    return "." + words.name(node.name, node.quoted)


@prints(ast.Index)
def _index(node: ast.Index) -> Printing:
    return row("[", (yield node.key, ELEMENT), "]")


@prints(ast.EachElement)
def _each_element(node: ast.EachElement) -> str:
    return "[*]"


@prints(ast.EachAttribute)
def _each_attribute(node: ast.EachAttribute) -> str:
    return ".*"


_BRACKETS = {ast.List: ("[", "]"), ast.Bag: ("<<", ">>"), ast.Sexp: ("SEXP(", ")")}


@prints(ast.List, ast.Bag, ast.Sexp)
def _collection(node: ast.List | ast.Bag | ast.Sexp) -> Printing:
    opening, closing = _BRACKETS[type(node)]
    items = yield from all_of(node.items, ELEMENT)
    return bracketed(opening, joined(items, ",", LINE), closing) if items else opening + closing


@prints(ast.Row)
def _row(node: ast.Row) -> Printing:
    items = yield from all_of(node.items, ELEMENT)
    return bracketed("(" if len(items) > 1 else "ROW(", joined(items, ",", LINE), ")")


@prints(ast.Struct)
def _struct(node: ast.Struct) -> Printing:
    pairs = yield from all_of(node.pairs, EXPRESSION)
    return bracketed("{", joined(pairs, ",", LINE), "}") if pairs else "{}"


@prints(ast.Pair)
def _pair(node: ast.Pair) -> Printing:
    return row((yield node.name, EXPRESSION), ": ", (yield node.value, ELEMENT))


@prints(ast.Values)
def _values(node: ast.Values) -> Printing:
    rows: list[Piece] = []
    for one in node.rows:
        rows.append(bracketed("(", (yield from listed(one.items, ELEMENT)), ")"))
    return row("VALUES ", joined(rows, ", "))


# ---------------------------------------------------------------------------------------------------------------------
# Operators and predicates


@prints(ast.Operator)
def _operator(node: ast.Operator) -> Printing:
    if node.name in UNARY:
        own, text = UNARY[node.name]
        # A sign before a sign is put in parentheses: two minus signs would start a comment.
        return row(text, (yield node.args[0], own if own == SIGN else own - 1))
    own, text = BINARY[node.name]
    if node.name in ("and", "or"):
        return group(joined((yield from all_of(node.args, own)), LINE, f"{text} "))
    left, right = node.args
    return row((yield left, own - 1), f" {text} ", (yield right, own))


def _not(node: Any) -> str:
    return " NOT" if node.negated else ""


@prints(ast.Is)
def _is(node: ast.Is) -> Printing:
    return row((yield node.value, COMPARISON - 1), f" IS{_not(node)} {node.what.upper()}")


@prints(ast.IsType)
def _is_type(node: ast.IsType) -> Printing:
    return row((yield node.value, COMPARISON - 1), f" IS{_not(node)} ", (yield node.type, EXPRESSION))


@prints(ast.Between)
def _between(node: ast.Between) -> Printing:
    value = yield node.value, COMPARISON - 1
    low = yield node.low, COMPARISON
    return row(value, f"{_not(node)} BETWEEN ", low, " AND ", (yield node.high, COMPARISON))


@prints(ast.In)
def _in(node: ast.In) -> Printing:
    value = yield node.value, COMPARISON - 1
    match node.collection:
        case ast.Row(items=(one,)) if not isinstance(one, ast.Row | ast.Subquery):
            among: Piece = bracketed("(", (yield one, QUERY), ")")
        case ast.Operator() | ast.Is() | ast.In() | ast.Like() | ast.Between() as test:
            raise UnsupportedError("IN among what a comparison gives has no text", where=test.where)
        case _:
            # Parentheses around any other collection would make it the only element.
            among = yield node.collection, QUERY
    return row(value, f"{_not(node)} IN ", among)


@prints(ast.Like)
def _like(node: ast.Like) -> Printing:
    value = yield node.value, COMPARISON - 1
    pattern = yield node.pattern, COMPARISON
    escape = row(" ESCAPE ", (yield node.escape, COMPARISON)) if node.escape is not None else ""
    return row(value, f"{_not(node)} {'ILIKE' if node.ignores_case else 'LIKE'} ", pattern, escape)


@prints(ast.Quantified)
def _quantified(node: ast.Quantified) -> Printing:
    value = yield node.value, COMPARISON - 1
    among: Piece = yield node.collection, EXPRESSION
    own = isinstance(node.collection, ast.Subquery) or (
        isinstance(node.collection, ast.Row) and len(node.collection.items) > 1
    )
    shown = among if own else bracketed("(", among, ")")
    return row(value, f" {BINARY[node.operator][1]} {node.quantifier.upper()} ", shown)


@prints(ast.Case)
def _case(node: ast.Case) -> Printing:
    operand: tuple[Piece, ...] = (" ", (yield node.operand, EXPRESSION)) if node.operand is not None else ()
    branches = yield from all_of(node.branches, EXPRESSION)
    default: tuple[Piece, ...] = ()
    if node.default is not None:
        default = (LINE, "ELSE ", (yield node.default, EXPRESSION))
    inner = Doc([LINE, joined(branches, LINE), *default], indent=1)
    return group("CASE", *operand, inner, LINE, "END")


@prints(ast.When)
def _when(node: ast.When) -> Printing:
    return row("WHEN ", (yield node.condition, EXPRESSION), " THEN ", (yield node.result, EXPRESSION))


# ---------------------------------------------------------------------------------------------------------------------
# Calls

#: Functions whose names are read as something else, unless they are quoted.
_FORMS = frozenset(
    ["trim", "extract", "date_add", "date_diff", "list", "sexp", "row", "can_cast", "can_lossless_cast", "any", "some"]
)
_CURRENT = frozenset(["current_date", "current_time", "current_timestamp", "current_user"])
#: Reserved words that are functions.
_CALLED = frozenset({"LEFT", "RIGHT"})


def function_name(name: str) -> str:
    """A function's name before a parenthesis: in upper case if it is a plain word."""
    plain = words.is_word(name) and name.isascii() and name == name.lower() and name not in _FORMS | _CURRENT
    return name.upper() if plain and name.upper() not in RESERVED - _CALLED else words.quoted(name)


@prints(ast.Call)
def _call(node: ast.Call) -> Printing:
    if node.name in _CURRENT and not node.args:
        return node.name.upper()
    head = ".".join([*(words.name(part.text, part.quoted) for part in node.qualifier), function_name(node.name)])
    first = COMPARISON if node.name == "position" else ELEMENT  # its IN would be taken for the one between arguments
    args = [*(yield from all_of(node.args[:1], first)), *(yield from all_of(node.args[1:], ELEMENT))]
    quantifier = f"{node.quantifier.upper()} " if node.quantifier else ""
    inside: Piece = "*" if node.star else row(quantifier, joined(args, ",", LINE))
    made: list[Piece] = [call(head, inside) if args or node.star else f"{head}()"]
    if node.order:
        made += [" WITHIN GROUP (ORDER BY ", (yield from listed(node.order)), ")"]
    if node.filter is not None:
        made += [" FILTER (WHERE ", (yield node.filter, EXPRESSION), ")"]
    if node.nulls is not None:
        made.append(f" {node.nulls.upper()} NULLS")
    if node.over is not None:
        made += [" OVER ", (yield node.over, EXPRESSION)]
    return Doc(made)


@prints(ast.Cast)
def _cast(node: ast.Cast) -> Printing:
    return call("CAST", row((yield node.value, ELEMENT), " AS ", (yield node.type, EXPRESSION)))


@prints(ast.CanCast)
def _can_cast(node: ast.CanCast) -> Printing:
    head = "CAN_LOSSLESS_CAST" if node.lossless else "CAN_CAST"
    return call(head, row((yield node.value, ELEMENT), " AS ", (yield node.type, EXPRESSION)))


@prints(ast.Trim)
def _trim(node: ast.Trim) -> Printing:
    side = f"{node.side.upper()} " if node.side else ""
    characters: Piece = row((yield node.characters, EXPRESSION), " ") if node.characters is not None else ""
    start: Piece = row(side, characters, "FROM ") if node.side or node.characters is not None else ""
    return call("TRIM", row(start, (yield node.value, EXPRESSION)))


@prints(ast.Extract)
def _extract(node: ast.Extract) -> Printing:
    return call("EXTRACT", row(f"{node.field.upper()} FROM ", (yield node.value, EXPRESSION)))


@prints(ast.DateCall)
def _date_call(node: ast.DateCall) -> Printing:
    left = yield node.left, ELEMENT
    return call(node.name.upper(), row(f"{node.field.upper()}, ", left, ", ", (yield node.right, ELEMENT)))


# ---------------------------------------------------------------------------------------------------------------------
# Windows


@prints(ast.Window)
def _window(node: ast.Window) -> Printing:
    parts: list[Piece] = [words.name(node.name.text, node.name.quoted)] if node.name is not None else []
    if node.name is not None and node == ast.Window(node.name):
        return parts[0]
    if node.partition:
        parts.append(row("PARTITION BY ", (yield from listed(node.partition))))
    if node.order:
        parts.append(row("ORDER BY ", (yield from listed(node.order))))
    if node.frame is not None:
        parts.append((yield node.frame, EXPRESSION))
    return group("(", Doc([SOFT, joined(parts, LINE)], indent=1), SOFT, ")") if parts else "()"


@prints(ast.Frame)
def _frame(node: ast.Frame) -> Printing:
    start = yield node.start, EXPRESSION
    bounds: Piece = start if node.end is None else row("BETWEEN ", start, " AND ", (yield node.end, EXPRESSION))
    exclude = f" EXCLUDE {node.exclude.upper()}" if node.exclude else ""
    return row(f"{node.unit.upper()} ", bounds, exclude)


@prints(ast.Bound)
def _bound(node: ast.Bound) -> Printing:
    if node.side == "current":
        return "CURRENT ROW"
    offset: Piece = "UNBOUNDED" if node.offset is None else (yield node.offset, EXPRESSION)
    return row(offset, f" {node.side.upper()}")


@prints(ast.SortKey)
def _sort_key(node: ast.SortKey) -> Printing:
    direction = f" {node.direction.upper()}" if node.direction else ""
    nulls = f" NULLS {node.nulls.upper()}" if node.nulls else ""
    return row((yield node.key, EXPRESSION), direction + nulls)


# ---------------------------------------------------------------------------------------------------------------------
# Types


@prints(ast.TypeName)
def _type_name(node: ast.TypeName) -> str:
    if node.quoted:
        return words.quoted(node.name)
    return node.name + _sizes(*node.parameters) + _ZONES[node.zone]


@prints(ast.IntervalType)
def _interval_type(node: ast.IntervalType) -> str:
    return f"INTERVAL {_qualifier(node.qualifier)}"


@prints(ast.CollectionType)
def _collection_type(node: ast.CollectionType) -> Printing:
    return row(f"{node.name}<", (yield node.element, EXPRESSION), ">")


@prints(ast.StructType)
def _struct_type(node: ast.StructType) -> Printing:
    return row("STRUCT<", (yield from listed(node.fields)), ">")


@prints(ast.FieldType)
def _field_type(node: ast.FieldType) -> Printing:
    optional, required = " OPTIONAL" if node.optional else "", " NOT NULL" if node.required else ""
    head = words.name(node.name.text, node.name.quoted) + optional
    return row(f"{head}: ", (yield node.type, EXPRESSION), required)
