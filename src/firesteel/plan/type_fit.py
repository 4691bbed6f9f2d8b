"""Compares a given type with a declared one: can it be cast without loss, is it close enough, is it narrower?"""

from __future__ import annotations

from collections.abc import Callable

from firesteel import types as t


def lossless(given: t.Type, wanted: t.Type) -> bool:
    """Can every value of the given type be cast to the wanted type without loss?"""
    return _throughout(given, wanted, lambda a, b: t.proper(a) == t.proper(b) or _lossless(a, b))


def alike(given: t.Type, wanted: t.Type) -> bool:
    """May a value of the one type stand where the other is declared? Lengths and digits are looser than the kind."""
    return _throughout(given, wanted, _alike)


def _throughout(given: t.Type, wanted: t.Type, holds: Callable[[t.Type, t.Type], bool]) -> bool:
    """Does it hold of two types, or, where both hold others in the same way, of all that are in them?"""
    stack = [(given, wanted)]
    while stack:
        match stack.pop():
            case t.Struct() as a, t.Struct() as b if len(a.fields) == len(b.fields):
                stack.extend((x.type, y.type) for x, y in zip(a.fields, b.fields, strict=True))
            case t.Array() as a, t.Array() as b:
                stack.append((a.element, b.element))
            case t.Map() as a, t.Map() as b:
                stack += [(a.key, b.key), (a.value, b.value)]
            case a, b if not holds(a, b):
                return False
    return True


def _alike(a: t.Type, b: t.Type) -> bool:
    match a, b:
        case (t.Text(), t.Text()) | (t.Null(), _):
            return True
        case t.Decimal(), t.Decimal():
            return a.scale == b.scale
        case t.UserDefined(), t.UserDefined():
            return a.name == b.name
        case t.Struct(), _:  # of another number of fields
            return False
    return type(a) is type(b)


def narrower(given: t.Type, wanted: t.Type) -> bool:
    """Is the declared type one of fewer digits, so that a value either fits or does not?"""
    if isinstance(given, t.Integer) and isinstance(wanted, t.Integer):
        return not t.within(given, wanted)
    if isinstance(given, t.Decimal) and isinstance(wanted, t.Decimal) and given.precision and wanted.precision:
        return (given.scale or 0) <= (wanted.scale or 0) and not t.within(given, wanted)
    return False


_DIGITS = {8: 3, 16: 5, 32: 10, 64: 19}
_EXACT_FLOAT_BITS = {t.Float32: 24, t.Float64: 53}


def _lossless(a: t.Type, b: t.Type) -> bool:
    match a, b:
        case (t.Integer(), t.Integer()) | (t.Decimal(), t.Decimal()) | (t.Float32(), t.Float64()):
            return t.within(t.proper(a), t.proper(b))
        case t.Integer(), t.Decimal(precision=int(digits)):
            return a.bits is not None and _DIGITS[a.bits] <= digits - (b.scale or 0)
        case t.Integer(), t.Float32() | t.Float64():
            return a.bits is not None and a.bits <= _EXACT_FLOAT_BITS[type(b)]
        case t.Text(), t.Text():
            return True  # a declared length is not enforced: nothing is padded or cut
        case t.Octets(), t.Octets():
            return not isinstance(a, t.Clob) and not isinstance(b, t.Clob)
        case t.Time() | t.Timestamp(), t.Time() | t.Timestamp():
            same = type(a) is type(b) and a.zone == b.zone
            return same and (b.precision is None or (a.precision is not None and a.precision <= b.precision))
        case t.Interval(), t.Interval():
            return a.unit == b.unit
        case t.Text(), t.Uuid():
            return True
    return False


def shaped_alike(a: t.Type, b: t.Type) -> bool:
    """Do both types have the same shape in a column, apart from names and lengths?"""
    if isinstance(a, t.Text) and isinstance(b, t.Text):
        return True
    if isinstance(a, t.Octets) and isinstance(b, t.Octets):
        return True
    return t.proper(a) == t.proper(b)
