"""An expression on one line, close to PartiQL's syntax; a subquery is a reference to the tree below."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from firesteel import types as t
from firesteel import values
from firesteel.ion import dumps
from firesteel.node import Node, drive
from firesteel.plan import (
    Agg,
    Branch,
    Call,
    Case,
    Collection,
    CollToScalar,
    Global,
    GlobalBinding,
    JoinKey,
    Key,
    Lit,
    Pair,
    Path,
    Pivot,
    Select,
    SortSpec,
    Struct,
    UnpivotStep,
    UnresolvedVar,
    Var,
    Wildcard,
)
from firesteel.plan.scope import RowScope
from firesteel.source import Place

#: Longer expressions are cut: the tree is for reading.
WIDTH = 160

_INFIX = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "divide": "/",
    "modulo": "%",
    "concat": "||",
    "eq": "=",
    "ne": "<>",
    "lt": "<",
    "lte": "<=",
    "gt": ">",
    "gte": ">=",
    "and": "AND",
    "or": "OR",
    "in_collection": "IN",
    "like": "LIKE",
}
_PREFIX = {"neg": "-", "pos": "+", "not": "NOT "}
_POSTFIX = {"is_null": " IS NULL", "is_missing": " IS MISSING"}
_BRACKETS: dict[type[t.Type], tuple[str, str]] = {t.Bag: ("<<", ">>"), t.Array: ("[", "]"), t.Sexp: ("sexp(", ")")}

Text = Generator[tuple[Node, RowScope | None], str, str]


def write(node: Node, scope: RowScope | None, globals_: Sequence[GlobalBinding], subqueries: list[Node]) -> str:
    """One line for an expression, or for what holds expressions (an aggregate, a sort key).

    Subqueries are not written out: each is added to `subqueries` and referred to by its number.
    """

    def one(node: Node, scope: RowScope | None) -> Any:
        if isinstance(node, Select | Pivot):
            if not any(known is node for known in subqueries):
                subqueries.append(node)
            return f"#{1 + next(i for i, known in enumerate(subqueries) if known is node)}"
        if isinstance(node, Global):
            known_ = 0 <= node.ordinal < len(globals_)
            return globals_[node.ordinal].name if known_ else f"global {node.ordinal}?"
        return _cut(node, scope)

    return str(drive(one, node, scope))


def brief(node: Node, scope: RowScope | None, globals_: Sequence[GlobalBinding]) -> str:
    """An expression on its own: its source text if it has one, else as this module prints it."""
    span = node.where.span if isinstance(node.where, Place) else node.where
    text = " ".join(span.text.split()) if span is not None else write(node, scope, globals_, [])
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _cut(node: Node, scope: RowScope | None) -> Text:
    text = yield from _write(node, scope)
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _all(nodes: Sequence[Node], scope: RowScope | None) -> Generator[tuple[Node, RowScope | None], str, list[str]]:
    texts = []
    for node in nodes:
        texts.append((yield node, scope))
        if sum(map(len, texts)) > WIDTH:
            break
    return texts


def _write(node: Node, scope: RowScope | None) -> Text:
    match node:
        case Lit(value=value):
            return literal(value)
        case Var(ordinal=ordinal, depth=depth):
            field = scope.field(ordinal, depth) if scope else None
            name = field.name if field and field.name else f"${ordinal}"
            return "^" * depth + name
        case UnresolvedVar(name=name):
            return f"{name}?"
        case Path(root=root, steps=steps):
            text = yield root, scope
            for step in steps:
                text += yield step, scope
            return text
        case Key(key=Lit(value=str() as name, type=key_type)):
            return f".{name}" if isinstance(key_type, t.Symbol) else f'."{name}"'
        case Key(key=key):
            return f"[{(yield key, scope)}]"
        case Wildcard():
            return "[*]"
        case UnpivotStep():
            return ".*"
        case Call(fn=fn, args=args) | Agg(fn=fn, args=args):
            return (yield from _call(node, fn.name, args, scope))
        case Case(match=match_, branches=branches, default=default):
            head = f" {(yield match_, scope)}" if match_ else ""
            arms = " ".join((yield from _all(branches, scope)))
            tail = f" ELSE {(yield default, scope)}" if default else ""
            return f"CASE{head} {arms}{tail} END"
        case Branch(when=when, then=then):
            return f"WHEN {(yield when, scope)} THEN {(yield then, scope)}"
        case Collection(type=type_, items=items):
            left, right = _BRACKETS.get(type(type_), ("collection(", ")"))
            return left + ", ".join((yield from _all(items, scope))) + right
        case Struct(pairs=pairs):
            return "{" + ", ".join((yield from _all(pairs, scope))) + "}"
        case Pair(key=key, value=value):
            return f"{(yield key, scope)}: {(yield value, scope)}"
        case CollToScalar(query=query):
            return f"scalar({(yield query, scope)})"
        case SortSpec(key=key, order=order, comparator=comparator):
            by = f" by {comparator.name}" if comparator is not None else ""
            return f"{(yield key, scope)} {order.name.lower().replace('_', ' ')}{by}"
        case JoinKey(left=left_key, right=right_key) if scope is not None and scope.split is not None:
            left = yield left_key, RowScope(scope.columns[: scope.split], scope.outer)
            right = yield right_key, RowScope(scope.columns[scope.split :], scope.outer)
            return f"{left} {'is' if node.same else '='} {right}"
        case _:
            return f"⟨{node.tag or type(node).__name__}⟩"


def _call(node: Node, name: str, args: Sequence[Any], scope: RowScope | None) -> Text:
    texts: list[str] = []
    for arg in args:
        texts.append(str(arg) if isinstance(arg, t.Type) else (yield arg, scope))
        if sum(map(len, texts)) > WIDTH:
            break
    if name in _INFIX and len(texts) > 1:
        return "(" + f" {_INFIX[name]} ".join(texts) + ")"
    if name in _PREFIX and len(texts) == 1:
        return f"{_PREFIX[name]}{texts[0]}"
    if name in _POSTFIX and len(texts) == 1:
        return texts[0] + _POSTFIX[name]
    distinct = "DISTINCT " if isinstance(node, Agg) and node.distinct else ""
    return f"{name}({distinct}{', '.join(texts)})"


def literal(value: values.Value) -> str:
    """A literal, short."""
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if value is None:
        return "NULL"
    if value is values.MISSING:
        return "MISSING"
    text = str(dumps(value))
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"
