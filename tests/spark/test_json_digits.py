"""Numbers of JSON files: JSON has no notion of scale, so zeros at the end do not count, on either engine."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import firesteel as fs
from firesteel import values
from firesteel.ion import dumps

pytestmark = pytest.mark.spark

NUMBERS = [
    "4.50",
    "10.0",
    "1e2",
    "1.0e1",
    "100.00",
    "0.0",
    "-0.0",
    "0",
    "0.10",
    "-7.500",
    "0.00000010",
    "120",
    "1200.00",
]
#: Of more digits than fit beside others into a product; the last is an integer beyond 64 bits.
LONG = ["12345678901234567890.50", "0.1000000000000000000000000000000000", "12345678901234567890"]

#: Queries over all numbers, and over those that are no floats and not long: sums of floats depend on their order.
AS_THEY_ARE = (
    "SELECT t.i, t.x FROM t AS t",
    "SELECT VALUE t.l FROM t AS t",
    "SELECT VALUE t.s FROM t AS t",
    "SELECT VALUE [t.x] FROM t AS t",
    "SELECT x, COUNT(*) AS n FROM t AS t GROUP BY t.x AS x",
    "SELECT DISTINCT VALUE t.x FROM t AS t",
    "SELECT VALUE e FROM t AS t, t.l AS e",
)
COMPUTED = (
    "SELECT VALUE [3 * t.x, t.x + 1.50, t.x * t.x, t.x / 8, ABS(t.x)] FROM t AS t WHERE t.d",
    "SELECT k, SUM(t.x) AS s, AVG(t.x) AS a FROM t AS t WHERE t.d GROUP BY t.k AS k",
    "SELECT k, MIN(t.x) AS l, MAX(t.x) AS h FROM t AS t WHERE t.d GROUP BY t.k AS k",
)


def numbers(rng: random.Random) -> list[str]:
    """Numbers with and without zeros at their ends."""
    made = [
        f"{rng.choice(('', '-'))}{rng.randrange(1000)}.{rng.randrange(1000)}{'0' * rng.randrange(4)}" for _ in range(20)
    ]
    return [*NUMBERS, *LONG, *made]


def texts(session: fs.Session, query: str) -> list[str]:
    """The items of a bag as Ion, sorted."""
    found = session.query(query).value()
    assert isinstance(found, values.Bag)
    return sorted(map(dumps, found.items))


def lines() -> list[str]:
    """A line for each number: it stands in several places, and in a text, where it is none."""
    found = []
    for i, x in enumerate(numbers(random.Random(7))):
        short = str("e" not in x and x not in LONG).lower()
        inner = f'[{x}, {{"a": {x}}}]'
        found.append(f'{{"i": {i}, "k": {i % 3}, "d": {short}, "x":{x} , "l": {inner}, "s": "\\"{x}, 1.50]"}}')
    return found


def test_both_engines_show_the_same_digits(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(lines()))
    pair = (fs.connect(engine="reference"), fs.connect(spark=spark, in_process=False, fallback="refuse"))
    for session in pair:
        session.register("t", str(path))
    found = [[texts(session, query) for query in (*AS_THEY_ARE, *COMPUTED)] for session in pair]
    assert found[0] == found[1]


def test_zeros_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join([*NUMBERS, "12345678901234567890", "0.1" + 50 * "0"]))
    session = fs.connect(engine="reference")
    session.register("t", str(path))
    text = session.query("SELECT VALUE v FROM t AS v").to_ion()
    assert text == (
        "$bag::[4.5, 10.0, 100.0e0, 10.0e0, 100.0, 0.0, 0.0, 0, 0.1, -7.5, 0.0000001, 120, 1200.0, "
        "12345678901234567890., 0.1]"
    )
