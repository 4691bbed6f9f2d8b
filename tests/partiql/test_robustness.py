"""Whatever the text is: a tree, or a ParseError whose spans lie inside of it."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firesteel import partiql
from firesteel.errors import ParseError
from firesteel.node import walk
from firesteel.partiql import QueryError
from firesteel.partiql.parse.keywords import KEYWORDS

SEEDS = [
    "SELECT DISTINCT a.b AS x, t.*, COUNT(*) FROM t AS t AT i BY k, u JOIN v ON x = y LEFT CROSS JOIN UNPIVOT w AS p",
    "SELECT VALUE {'a': [1, <<2.5>>], b: `{c: 1}`} FROM t LET 1 AS z WHERE a IN (1, 2) AND NOT b LIKE 'c%' ESCAPE '#'",
    "SELECT g FROM t GROUP PARTIAL BY a AS k, b GROUP AS g HAVING COUNT(DISTINCT x) > 1 ORDER BY a DESC NULLS LAST",
    "WITH RECURSIVE a (b) AS (SELECT 1) SELECT * EXCLUDE t.a[*].b, t.c[0].* FROM a UNION ALL (TABLE b) OFFSET 2",
    "CASE a WHEN 1 THEN CAST(b AS DECIMAL(5, 2)) ELSE TRIM(BOTH 'x' FROM c) || SUBSTRING(d FROM 1 FOR 2) END IS NULL",
    "sum(x) FILTER (WHERE a) OVER (w PARTITION BY a ORDER BY c ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING)",
    "PIVOT v AT a FROM UNPIVOT {'a': 1} AS v AT a WHERE x BETWEEN -1 AND +2 OR y = ANY (SELECT 1) -- a comment\n",
    "INTERVAL '1-2' YEAR TO MONTH + DATE '2020-01-01' + TIME (3) WITH TIME ZONE '1:2:3' /* two */ OVERLAPS (?, ?)",
    "(g MATCH ANY SHORTEST TRAIL p = (a:A|!B WHERE a.x) -[e:%]->{1,3} ((x)~(y))+ , <-> WHERE a.b)",
    "CREATE OR REPLACE VIEW a.b AS SELECT CAST(x AS STRUCT<a: LIST<LIST<INT>>>) FROM \"q\"\"u\".'s''t'[a || 'b'];",
    "EXPLAIN (a b) EXTRACT(year FROM x) + DATE_ADD(month, 1, @y) - POSITION('a' IN b) * OVERLAY(a PLACING b FROM 1)",
]

OPERATORS = "( ) [ ] { } << >> , . ; : ? @ = <> < > <= + - * / % || & | ! ~ ' \" ` -- /* */"
PIECES = [*sorted(KEYWORDS), *OPERATORS.split()]
PIECES += ["a", '"b"', "'c'", "1", "1.5", "1e0", "`1`", "\n", " ", "é", "\x00", "$", "0x1", "💩", "\ud800", "``", "''"]


def check(text: str) -> None:
    try:
        tree = partiql.parse(text)
    except ParseError as error:
        found = error.errors if isinstance(error, QueryError) else (error,)
        assert found
        for one in found:
            assert one.span is not None
            assert 0 <= one.span.start <= one.span.end <= len(text)
            assert str(one)
    else:
        for node in walk(tree):
            assert node.where is not None
            assert 0 <= node.where.start <= node.where.end <= len(text)


def mutated(random_: random.Random) -> str:
    """A query with some of its pieces removed, repeated, swapped or replaced."""
    text = random_.choice(SEEDS)
    tokens = [text[token.start : token.end] + " " for token in partiql.tokenize(text)]
    for _ in range(random_.randint(1, 4)):
        place = random_.randrange(len(tokens))
        match random_.randrange(6):
            case 0:
                del tokens[place : place + random_.randint(1, 3)]
            case 1:
                tokens.insert(place, random_.choice(PIECES) + random_.choice(["", " "]))
            case 2:
                tokens[place] = random_.choice(PIECES) + random_.choice(["", " "])
            case 3:
                other = random_.randrange(len(tokens))
                tokens[place], tokens[other] = tokens[other], tokens[place]
            case 4:
                tokens[place:place] = tokens[place : place + random_.randint(1, 10)]
            case _:
                joined = "".join(tokens)
                cut = random_.randrange(len(joined) + 1)
                tokens = [
                    joined[:cut],
                    random_.choice(["", random_.choice(PIECES)]),
                    joined[cut + random_.randint(0, 2) :],
                ]
        if not tokens:
            tokens = [""]
    return "".join(tokens)


def test_mutated_queries() -> None:
    random_ = random.Random(2024)
    for _ in range(1_000):
        check(mutated(random_))


@pytest.mark.slow
def test_many_mutated_queries() -> None:
    random_ = random.Random(7)
    for _ in range(10_000):
        check(mutated(random_))


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
@settings(max_examples=300, deadline=None)
def test_any_words(text: str) -> None:
    check(text)


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
@example("\ufeffSELECT 1")
def test_any_text(text: str) -> None:
    check(text)


@given(st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_bytes(data: bytes) -> None:
    check(data.decode("latin-1"))
    check(data.decode("utf-8", "surrogateescape"))


def test_the_seeds_parse() -> None:
    for seed in SEEDS:
        partiql.parse(seed)
