"""Literals: the document writes a bag as an Ion list, MISSING as null, a date as a timestamp; the type decides."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from firesteel import types as t
from firesteel.node import Node, children, drive, fold
from firesteel.values import MISSING, Bag, Sexp, Struct, Timestamp, Value


def fit(value: Value, type_: t.Type) -> Value:
    """The value that an Ion value means under a type: of the kind that the type says, where Ion has no such kind.

    What does not fit stays what it is: `check` judges it.
    """
    return drive(lambda steps: steps, _fit(value, type_)) if _changes(type_) else value


def _fit(value: Value, type_: t.Type) -> Generator[Any, Any, Any]:
    if isinstance(type_, t.Missing) and value is None:
        return MISSING
    if isinstance(type_, t.Date) and isinstance(value, Timestamp) and value.precision == "day":
        return value.date
    if isinstance(type_, t.Collection) and isinstance(value, list | Bag):
        items = list(value)
        if _changes(type_.element):
            for i, item in enumerate(items):
                items[i] = yield (_fit(item, type_.element),)
        if type(value) is list and isinstance(type_, t.Bag | t.Sexp):
            return Bag(items) if isinstance(type_, t.Bag) else Sexp(items)
        return type(value)(items)
    if isinstance(type_, t.Struct) and isinstance(value, Struct):
        pairs = []
        for name, item in value.pairs:
            listed = type_.field(name)
            if listed is not None and _changes(listed):
                item = yield (_fit(item, listed),)
            pairs.append((name, item))
        return Struct(pairs)
    return value


_CHANGING = (t.Missing, t.Date, t.Bag, t.Sexp)


def _changes(type_: t.Type) -> bool:
    """May a value have to be converted for this type? Cached per type; for most types it may not."""
    if "_changes" not in vars(type_):
        found = fold(type_, _changes_in, below=_below)
        assert isinstance(found, bool)
        vars(type_)["_changes"] = found
    known: bool = vars(type_)["_changes"]
    return known


def _below(node: Node) -> list[Node]:
    """Unions are left alone: which member a value belongs to is not for a reader to say."""
    return [] if isinstance(node, t.Union | t.Function | t.UserDefined | t.Map) else children(node)


def _changes_in(node: Node, below: list[bool]) -> bool:
    return isinstance(node, _CHANGING) or any(below)
