"""The generator itself: what it makes depends on the seed only, and what fails is made smaller."""

from __future__ import annotations

import firesteel as fs
from tests.differential.pieces import Piece, shrink
from tests.differential.queries import statement


def test_a_seed_is_a_statement() -> None:
    assert [statement(seed).text() for seed in range(40)] == [statement(seed).text() for seed in range(40)]


def test_statements_parse_and_have_every_clause() -> None:
    texts = [statement(seed).text() for seed in range(400)]
    for text in texts:
        fs.parse(text)
    words = "DISTINCT WHERE GROUP HAVING ORDER LIMIT OFFSET LET UNPIVOT PIVOT AT LEFT RIGHT FULL CROSS UNION INTERSECT"
    words += " EXCEPT OVER EXCLUDE EXISTS IN ANY ALL CASE CAST LIKE BETWEEN WITH MISSING"
    found = " ".join(texts)
    assert not [word for word in words.split() if f"{word} " not in found and f"{word}(" not in found]


def test_what_fails_is_made_smaller() -> None:
    def fails(piece: Piece) -> bool:
        return "GROUP BY" in piece.text()

    seed = next(seed for seed in range(100) if fails(statement(seed)))
    smaller = shrink(statement(seed), fails, tries=2000)
    fs.parse(smaller.text())
    assert fails(smaller)
    assert smaller.size() < statement(seed).size()
