"""Plans that somebody damaged: bits, bytes, fields, ordinals, types, parts in wrong places."""

from __future__ import annotations

import random
from collections.abc import Callable

from firesteel.substrait import Message, decode, encode
from firesteel.substrait.message import walk
from firesteel.substrait.schema import MessageField, schema

NUMBERS = (-(2**31), -1, 0, 1, 2, 3, 7, 99, 2**31 - 1)
TEXTS = ("", "a", "t", "nobody", "\x00", "é" * 50, "add:i64_i64", "2026-13-41")


def mutated(data: bytes, chance: random.Random) -> bytes:
    """The bytes of a plan with one to three things changed."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        way = chance.choice(WAYS)
        data = way(data, chance)
    return data


def _bits(data: bytes, chance: random.Random) -> bytes:
    out = bytearray(data)
    if out:
        at = chance.randrange(len(out))
        out[at] ^= 1 << chance.randrange(8)
    return bytes(out)


def _truncated(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _spliced(data: bytes, chance: random.Random) -> bytes:
    start, end = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    at = chance.randrange(len(data) + 1)
    return data[:at] + data[start : min(end, start + 64)] + data[at + chance.randrange(8) :]


def _in_the_tree(change: Callable[[Message, MessageField, random.Random, Message], None]) -> Callable[..., bytes]:
    """A change of one field of one message; bytes that are no plan stay as they are."""

    def way(data: bytes, chance: random.Random) -> bytes:
        try:
            plan = decode(data)
        except Exception:
            return data
        spots = [(one, field) for one in walk(plan) for field, _ in one]
        if not spots:
            return data
        one, field = chance.choice(spots)
        change(one, field, chance, plan)
        return encode(plan)

    return way


def _dropped(one: Message, field: MessageField, chance: random.Random, plan: Message) -> None:
    if field.repeated:
        one.given[field.name].pop(chance.randrange(len(one.given[field.name])))
        if not one.given[field.name]:
            del one.given[field.name]
    else:
        del one.given[field.name]


def _doubled(one: Message, field: MessageField, chance: random.Random, plan: Message) -> None:
    if field.repeated:
        values = one.given[field.name]
        values.insert(chance.randrange(len(values) + 1), chance.choice(values))


def _changed(one: Message, field: MessageField, chance: random.Random, plan: Message) -> None:
    """Another number, name or value; of a message another kind, or another one of the same type."""
    if field.kind == "message":
        _grafted(one, field, chance, plan)
        return
    new = _value(field, chance)
    if field.repeated:
        values = one.given[field.name]
        values[chance.randrange(len(values))] = new
    else:
        one.given[field.name] = new


def _value(field: MessageField, chance: random.Random) -> object:
    match field.kind:
        case "string":
            return chance.choice(TEXTS)
        case "bytes":
            return chance.randbytes(chance.randrange(20))
        case "bool":
            return chance.random() < 0.5
        case "double" | "float":
            return chance.choice((0.0, -1.5, float("inf"), float("nan")))
        case "enum":
            return chance.choice([*schema().enums[field.of].names, 99])
    return chance.choice(NUMBERS)


def _grafted(one: Message, field: MessageField, chance: random.Random, plan: Message) -> None:
    """Another message of that type, from elsewhere in the plan, or an empty one."""
    like = [other for other in walk(plan) if other.kind.name == field.of]
    name = field.of.removeprefix("substrait.")
    copied = decode(encode(chance.choice(like)), name) if chance.random() < 0.8 else decode(b"", name)
    if field.repeated:
        values = one.given[field.name]
        values[chance.randrange(len(values))] = copied
    else:
        one.given[field.name] = copied


def _other_kind(one: Message, field: MessageField, chance: random.Random, plan: Message) -> None:
    """Another field of the same group: another relation, expression, literal or type."""
    if not field.oneof:
        _changed(one, field, chance, plan)
        return
    other = chance.choice([known for known in one.kind.by_name.values() if known.oneof == field.oneof])
    if other.kind != "message":
        one.put(other, _value(other, chance))
        return
    like = [known for known in walk(plan) if known.kind.name == other.of]
    name = other.of.removeprefix("substrait.")
    if not name.startswith("google"):
        one.put(other, decode(encode(chance.choice(like)) if like else b"", name))


WAYS = (
    _bits,
    _truncated,
    _spliced,
    *(_in_the_tree(change) for change in (_dropped, _doubled, _changed, _changed, _changed, _other_kind, _other_kind)),
)
