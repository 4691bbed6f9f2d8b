"""JSON lines whose values drift as in real data: most paths have one type, some have two, some are null or absent."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

Make = Callable[[random.Random], object]

_WORDS = ("low", "high", "ünï", "1", "null", 'a "quoted" {word}', "")
SCALARS: dict[str, Make] = {
    "int": lambda rng: rng.randrange(-50, 50),
    "long": lambda rng: rng.randrange(10**10, 10**17),
    "decimal": lambda rng: rng.randrange(1, 1000) / 8,
    "bool": lambda rng: rng.random() < 0.5,
    "string": lambda rng: rng.choice(_WORDS),
    "float": lambda rng: rng.choice((1e30, 2.5e-12, 3e22)),
}


def scalar(rng: random.Random) -> Make:
    """How the values of one path are made: of one type mostly, of two at times; null at times."""
    kinds = rng.sample(list(SCALARS), 1 if rng.random() < 0.7 else 2)
    if rng.random() < 0.25:
        kinds = ["int", "decimal"]
    nulls = rng.random() < 0.25
    return lambda inner: None if nulls and inner.random() < 0.2 else SCALARS[inner.choice(kinds)](inner)


def fields(rng: random.Random, makes: dict[str, Make]) -> Make:
    """Objects with these fields, some of them absent at times."""
    optional = {name for name in makes if rng.random() < 0.3}

    def make(inner: random.Random) -> object:
        there = [name for name in makes if name not in optional or inner.random() < 0.7]
        return {name: makes[name](inner) for name in there}

    return make


def array(element: Make) -> Make:
    return lambda inner: [element(inner) for _ in range(inner.randrange(4))]


def lines(seed: int, count: int = 40) -> list[str]:
    """Lines of objects with `k`, `x`, `y`, `o.a`, `o.b`, `l[*].q`, `l[*].p` and `s[*]`."""
    rng = random.Random(seed)
    line = fields(
        rng,
        {
            "k": lambda inner: inner.randrange(4),
            "x": scalar(rng),
            "y": scalar(rng),
            "o": fields(rng, {"a": scalar(rng), "b": scalar(rng)}),
            "l": array(fields(rng, {"q": scalar(rng), "p": scalar(rng)})),
            "s": array(scalar(rng)),
        },
    )
    return [json.dumps(line(rng), ensure_ascii=rng.random() < 0.5) for _ in range(count)]
