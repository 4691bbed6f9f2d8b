"""Checks that a literal fits the type that the plan declares: length, digits, NULL."""

from __future__ import annotations

from decimal import Decimal

from firesteel import types as t
from firesteel.rules import LiteralRule
from firesteel.substrait.message import Message
from firesteel.values import Value


def require_fit(value: Value, type_: t.Type, message: Message) -> Value:
    """The value itself, or a PlanError if it does not fit: a text that is too long, a decimal with too many digits,
    NULL in a required type. The caller has checked the kind (a text for a string)."""
    stack = [(value, type_)]
    while stack:
        one, wanted = stack.pop()
        if one is None:
            if not wanted.nullable and not isinstance(wanted, t.Null):
                raise LiteralRule.NULL.broken(f"NULL is no {wanted}", where=message.where)
        elif isinstance(wanted, t.Array):
            stack += [(item, wanted.element) for item in one]
        elif isinstance(wanted, t.Map):
            stack += [pair for key, item in one.pairs for pair in ((key, wanted.key), (item, wanted.value))]
        elif isinstance(wanted, t.Struct):
            stack += [(item, field.type) for (_, item), field in zip(one.pairs, wanted.fields, strict=True)]
        elif not _has_room(one, wanted):
            raise LiteralRule.LENGTH.broken(f"{_shown(one)} is no {t.proper(wanted)}", where=message.where)
    return value


def _has_room(value: Value, type_: t.Type) -> bool:
    match type_:
        case t.Char(length=length):
            return len(value) <= length
        case t.String(extent=int(length)):
            return len(value) <= length
        case t.Byte(length=length):
            return len(value) == length
        case t.Decimal(precision=int(precision)):
            return value.copy_abs() < Decimal((0, (1,), precision - (type_.scale or 0)))
    return True


def _shown(value: Value, most: int = 40) -> str:
    text = f"'{value}'" if isinstance(value, str) else repr(value) if isinstance(value, bytes) else str(value)
    return text if len(text) <= most else f"{text[:most]}…"
