"""Generated data: tables of every kind, with and without a schema."""

from __future__ import annotations

import datetime
import random
from decimal import Decimal
from typing import Any

from firesteel.values import MISSING, Bag, Struct, Timestamp

TEXTS = ["", "a", "b", "ab", "Abc", "zebra", "naïve", "日本", "a%b", "x_y", " pad ", "10", "1.5", "true", "😀z"]
NUMBERS: list[Any] = [0, 1, 2, 3, -1, 7, 10, 100, Decimal("1.5"), Decimal("-0.25"), 2.5, 0.0, -3.75, 2**40]
DATES = [datetime.date(2024, 2, 29), datetime.date(1999, 12, 31), datetime.date(2020, 1, 1)]
TIMESTAMPS = [
    Timestamp(2024, 2, 29, 12, 30, Decimal("15.5")),
    Timestamp(1999, 12, 31, 23, 59, Decimal(59)),
    Timestamp(2020, 1, 1, 0, 0, Decimal(0)),
]


def environment(seed: int) -> dict[str, Any]:
    """Tables by name. What a query may count on is in `COLUMNS`."""
    rng = random.Random(seed)
    return {
        "t": Bag([_typed(rng, i) for i in range(rng.randint(4, 9))]),
        "u": [_typed(rng, i) for i in range(rng.randint(0, 5))],
        "m": Bag([_mixed(rng, i) for i in range(rng.randint(3, 8))]),
        "v": Bag([_anything(rng, 2) for _ in range(rng.randint(1, 6))]),
        "w": [_anything(rng, 1) for _ in range(rng.randint(0, 5))],
        "none": Bag([]),
    }


def _typed(rng: random.Random, i: int) -> Struct:
    """A row of a table with a schema: a column has one type, and NULLs."""
    return Struct(
        [
            ("id", i),
            ("a", rng.choice([0, 1, 2, 3, -5])),
            ("b", _or_null(rng, rng.choice([1, 2, 3, 7]))),
            ("s", _or_null(rng, rng.choice(TEXTS))),
            ("d", Decimal(rng.randint(-200, 200)).scaleb(-2)),
            ("f", rng.randint(-8, 8) / 4),
            ("p", _or_null(rng, rng.choice([True, False]))),
            ("dt", _or_null(rng, rng.choice(DATES))),
            ("ts", rng.choice(TIMESTAMPS)),
            ("xs", [rng.randint(0, 4) for _ in range(rng.randint(0, 3))]),
            ("os", [Struct([("k", j), ("q", rng.choice(TEXTS))]) for j in range(rng.randint(0, 3))]),
            ("n", Struct([("x", rng.randint(0, 3)), ("y", rng.choice(TEXTS))])),
        ]
    )


def _mixed(rng: random.Random, i: int) -> Struct:
    """A row of a table without one: the same names, and any value, or none."""
    pairs: list[tuple[str, Any]] = [("id", i)]
    for name in ("a", "b", "s", "xs", "os", "n"):
        if rng.random() < 0.8:
            pairs.append((name, _like(rng, name) if rng.random() < 0.6 else _anything(rng, 1)))
    return Struct([pair for pair in pairs if pair[1] is not MISSING])


def _like(rng: random.Random, name: str) -> Any:
    """What the name makes one expect."""
    match name:
        case "a" | "b":
            return rng.choice(NUMBERS)
        case "s":
            return rng.choice(TEXTS)
        case "xs":
            return [rng.choice(NUMBERS) for _ in range(rng.randint(0, 3))]
        case "os":
            return Bag([Struct([("k", j), ("q", _anything(rng, 0))]) for j in range(rng.randint(0, 3))])
        case _:
            return Struct([("x", rng.choice(NUMBERS)), ("y", _anything(rng, 0))])


def _or_null(rng: random.Random, value: Any) -> Any:
    return None if rng.random() < 0.2 else value


def _anything(rng: random.Random, depth: int) -> Any:
    kind = rng.randrange(11 if depth else 7)
    match kind:
        case 0:
            return None
        case 1 | 2:
            return rng.choice(NUMBERS)
        case 3 | 4:
            return rng.choice(TEXTS)
        case 5:
            return rng.choice([True, False])
        case 6:
            return rng.choice([*DATES, *TIMESTAMPS])
        case 7 | 8:
            return [_anything(rng, depth - 1) for _ in range(rng.randint(0, 3))]
        case 9:
            return Bag([_anything(rng, depth - 1) for _ in range(rng.randint(0, 3))])
    return Struct([(name, _anything(rng, depth - 1)) for name in rng.sample(["x", "y", "k", "q"], rng.randint(0, 3))])
