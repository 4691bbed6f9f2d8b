"""Ways to damage text, bytes and arguments; and to make a damaged input small again, so that a person can read it."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import TypeVar

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")

#: What readers have stumbled over: numbers beyond a type, odd text, brackets, words out of place.
PIECES = (
    *("0", "-1", "9223372036854775808", "1e999999999", "-0.0", "1d-999999999", "0x", "99999999999999999999999999999.9"),
    *("NaN", "null", "null.int", "true", "MISSING", "NULL", "", "''", '""', "``", "'", '"', "\\", "\x00", "\ufeff"),
    *("\ud800", "💩", "é" * 40, "{}", "[]", "()", "<<>>", "((((", "))))", "[[[[", "{{", "}}", "::", "$", "$0", "$99"),
    *(
        "2026-02-30",
        "2026-13-41T25:61:61Z",
        "0000-00-00",
        "9999-12-31T23:59:59.9999999999999Z",
        "%",
        "_",
        "*",
        "/*",
        "--",
    ),
    *(
        "CAST(a AS DECIMAL(0,99))",
        "DATE '2026-02-30'",
        "INTERVAL '1-99' YEAR TO MONTH",
        "LIKE '%_%' ESCAPE ''",
        "?",
        ";",
    ),
    *("(lit 1)", "(id a)", "(var 0)", "(type int)", "(call 'string:lower' (lit 1))", "bag", "any", "select", "x" * 300),
)
BYTES = (
    b"\x00",
    b"\xff",
    b"\xe0\x01\x00\xea",
    b"\x80" * 9,
    b"\xc3\x28",
    b"\r\n",
    b'"',
    b",",
    b"PAR1",
    b"\x1f\x8b",
    b"\n\n",
)

T = TypeVar("T", str, bytes)
Item = TypeVar("Item")


def text(given: str, chance: random.Random) -> str:
    """With one to four of its words dropped, doubled, swapped, replaced, or put elsewhere."""
    tokens = _TOKEN.findall(given)
    for _ in range(chance.choice((1, 1, 2, 4))):
        if not tokens:
            break
        i, j = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        match chance.randrange(7):
            case 0:
                del tokens[i : i + chance.choice((1, 1, 3, 20))]
            case 1:
                tokens[i], tokens[j] = tokens[j], tokens[i]
            case 2:
                tokens[i:i] = tokens[j : j + chance.randrange(1, 12)]
            case 3 | 4:
                tokens[i] = chance.choice(PIECES)
            case 5:
                tokens.insert(i, chance.choice(PIECES))
            case 6:
                tokens[i] = tokens[j]
    return "".join(tokens)


def octets(given: bytes, chance: random.Random) -> bytes:
    """With one to four bits flipped, bytes replaced, parts dropped, doubled or cut off."""
    out = bytearray(given)
    for _ in range(chance.choice((1, 1, 2, 4))):
        if not out:
            break
        i, j = chance.randrange(len(out)), chance.randrange(len(out))
        match chance.randrange(7):
            case 0 | 1:
                out[i] ^= 1 << chance.randrange(8)
            case 2:
                out[i] = chance.randrange(256)
            case 3:
                del out[i : i + chance.choice((1, 2, 8, 64))]
            case 4:
                out[i:i] = out[j : j + chance.randrange(1, 32)]
            case 5:
                out[i:i] = chance.choice(BYTES)
            case 6:
                del out[i:]
    return bytes(out)


def mixed(given: bytes, chance: random.Random) -> bytes:
    """As text half of the time, else as bytes: for formats that are text."""
    if chance.random() < 0.5:
        return octets(given, chance)
    return text(given.decode("utf-8", "surrogateescape"), chance).encode("utf-8", "surrogatepass")


def arguments(given: Sequence[str], chance: random.Random) -> list[str]:
    """A command line with one of its words dropped, doubled, swapped, or damaged."""
    words = list(given)
    disorder(words, chance, lambda word: text(word, chance))
    return words


def disorder(items: list[Item], chance: random.Random, damaged: Callable[[Item], Item]) -> None:
    """One of the items is dropped, doubled, swapped with another, or damaged."""
    i, j = chance.randrange(len(items)), chance.randrange(len(items))
    match chance.randrange(5):
        case 0:
            del items[i]
        case 1:
            items.insert(i, items[j])
        case 2:
            items[i], items[j] = items[j], items[i]
        case _:
            items[i] = damaged(items[i])


def smaller(given: T, fails: Callable[[T], bool], attempts: int = 400) -> T:
    """The input without what it does not need to fail: halves, quarters and so on are left out."""
    size = len(given) // 2
    while size and attempts > 0:
        at = 0
        while at < len(given) and attempts > 0:
            attempts -= 1
            shorter = given[:at] + given[at + size :]
            if fails(shorter):
                given = shorter
            else:
                at += size
        size //= 2
    return given
