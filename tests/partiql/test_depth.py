"""Deep and long queries: parsed, or refused by name; never a RecursionError, and soon."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from firesteel import partiql
from firesteel.errors import ParseError
from firesteel.node import depth
from firesteel.partiql import MAX_NESTING

#: Each level is a call in the parser.
NESTED: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: "(" * n + "1" + ")" * n,
    "lists": lambda n: "[" * n + "]" * n,
    "bags": lambda n: "<<" * n + ">>" * n,
    "structs": lambda n: "{'a': " * n + "1" + "}" * n,
    "subqueries": lambda n: "(SELECT VALUE " * n + "1" + " FROM t)" * n,
    "subqueries in FROM": lambda n: "SELECT * FROM " + "(SELECT * FROM " * n + "t" + ")" * n,
    "subqueries in WHERE": lambda n: "SELECT 1" + " WHERE EXISTS (SELECT 1" * n + ")" * n,
    "WITH": lambda n: "WITH a AS (" * n + "SELECT 1" + ") SELECT 1" * n,
    "CASE": lambda n: "CASE WHEN a THEN " * n + "1" + " END" * n,
    "CASE of CASE": lambda n: "CASE " * n + "1" + " WHEN 1 THEN 1 END" * n,
    "calls": lambda n: "f(" * n + ")" * n,
    "casts": lambda n: "CAST(" * n + "1" + " AS INT)" * n,
    "indexes": lambda n: "a[" * n + "1" + "]" * n,
    "right operands": lambda n: "1 + (" * n + "1" + ")" * n,
    "every precedence": lambda n: "NOT a OR b AND c = d || e + f * - (" * n + "1" + ")" * n,
    "IN": lambda n: "a IN (" * n + "1" + ")" * n,
    "set operations": lambda n: "(" * n + "a" + " UNION b)" * n,
    "joins in parentheses": lambda n: "SELECT * FROM " + "(" * n + "a JOIN b ON c" + ")" * n,
    "joins to the right": lambda n: "SELECT * FROM a" + " JOIN (b" * n + " JOIN c ON d)" + " ON e)" * (n - 1) + " ON e",
    "joins without ON": lambda n: "SELECT * FROM a" + " JOIN a" * n + " ON x" * n,
    "windows": lambda n: "f() OVER (ORDER BY " * n + "1" + ")" * n,
    "types": lambda n: "CAST(a AS " + "LIST<" * n + "INT" + ">" * n + ")",
    "graph patterns": lambda n: "(g MATCH " + "(" * n + "(a)->(b)" + ")" * n + ")",
    "labels": lambda n: "(g MATCH (a:" + "(" * n + "a" + ")" * n + "))",
    "brackets left open": lambda n: "(" * n,
    "queries left open": lambda n: "SELECT (" * n,
    "FROM left open": lambda n: "SELECT * FROM (" * n,
}

#: Each of these is a loop in the parser, however long.
CHAINS: dict[str, Callable[[int], str]] = {
    "NOT": lambda n: "NOT " * n + "a",
    "signs": lambda n: "- " * n + "a",
    "sums": lambda n: "1" + " + 1" * n,
    "AND": lambda n: "a" + " AND a" * n,
    "OR and AND": lambda n: "a" + " OR a AND b" * n,
    "comparisons": lambda n: "a" + " = a" * n,
    "IS": lambda n: "a" + " IS NULL" * n,
    "BETWEEN": lambda n: "a" + " BETWEEN a AND a" * n,
    "paths": lambda n: "a" + ".b" * n,
    "UNION": lambda n: "a" + " UNION a" * n,
    "INTERSECT": lambda n: "a" + " INTERSECT a" * n,
    "commas": lambda n: "SELECT * FROM a" + ", a" * n,
    "joins": lambda n: "SELECT * FROM a" + " JOIN a ON b" * n,
    "items": lambda n: "SELECT a" + ", a" * n,
    "branches": lambda n: "CASE" + " WHEN a THEN b" * n + " END",
    "EXPLAIN": lambda n: "EXPLAIN " * n + "1",
    "negated labels": lambda n: "(g MATCH (a:" + "!" * n + "a))",
    "edges": lambda n: "(g MATCH " + "(a)->" * n + ")",
    "Ion": lambda n: "`" + "[" * n + "]" * n + "`",
}


#: Those that are run at full length each time; the others are shorter, unless slow tests are asked for.
FULL = {"parentheses", "lists", "subqueries", "CASE", "right operands", "brackets left open", "NOT", "sums", "AND"}


def sized(shapes: dict[str, Callable[[int], str]], short: int) -> list[Any]:
    full = [pytest.param(shape, 100_000, marks=[] if shape in FULL else pytest.mark.slow) for shape in shapes]
    return [*full, *[(shape, short) for shape in shapes if shape not in FULL]]


@pytest.mark.parametrize(("shape", "size"), sized(NESTED, MAX_NESTING + 1_000))
def test_beyond_the_bound(shape: str, size: int) -> None:
    text = NESTED[shape](size)
    start = time.perf_counter()
    with pytest.raises(ParseError) as caught:
        partiql.parse(text)
    assert time.perf_counter() - start < 30
    assert caught.value.message == f"nested more than {MAX_NESTING:,} deep"
    assert caught.value.span is not None


@pytest.mark.parametrize("shape", [shape for shape in NESTED if "left open" not in shape])
def test_below_the_bound(shape: str) -> None:
    tree = partiql.parse(NESTED[shape](MAX_NESTING // 2 - 10))
    if shape not in ("parentheses", "joins in parentheses", "labels"):
        assert depth(tree) > MAX_NESTING // 2 - 10


@pytest.mark.parametrize("shape", [shape for shape in NESTED if "left open" in shape])
def test_left_open_below_the_bound(shape: str) -> None:
    with pytest.raises(ParseError, match="expected an expression, found the end of the text"):
        partiql.parse(NESTED[shape](MAX_NESTING // 2 - 10))


@pytest.mark.parametrize(("shape", "size"), sized(CHAINS, 30_000))
def test_chains_have_no_bound(shape: str, size: int) -> None:
    start = time.perf_counter()
    tree = partiql.parse(CHAINS[shape](size))
    assert time.perf_counter() - start < 30
    assert isinstance(tree, partiql.ast.Statement)


def test_the_bound_is_exact_for_brackets() -> None:
    partiql.parse("[" * MAX_NESTING + "]" * MAX_NESTING)
    with pytest.raises(ParseError, match="nested more than"):
        partiql.parse("[" * (MAX_NESTING + 1) + "]" * (MAX_NESTING + 1))


def test_the_recursion_limit_is_put_back() -> None:
    limit = sys.getrecursionlimit()
    partiql.parse("[" * 5_000 + "]" * 5_000)
    assert sys.getrecursionlimit() == limit
    with pytest.raises(ParseError):
        partiql.parse("[" * 5_000)
    assert sys.getrecursionlimit() == limit


def test_called_from_deep_inside() -> None:
    """There is hardly any stack left, and still it is enough."""

    def dive(left: int) -> object:
        return dive(left - 1) if left else partiql.parse("SELECT f(a, [b]) FROM (SELECT 1) AS c")

    used = 0
    frame = sys._getframe()
    while frame is not None:
        used, frame = used + 1, frame.f_back  # type: ignore[assignment]
    room = sys.getrecursionlimit() - used
    for left in range(room - 60, room - 20):
        assert dive(left) == dive(0)


def test_in_threads_with_a_small_stack() -> None:
    """Threads that end at different times, so that each has to have asked for its own frames."""
    results: list[object] = []

    def work(times: int) -> None:
        try:
            for _ in range(times):
                tree = partiql.parse("[" * 15_000 + "]" * 15_000)
            results.append(tree)
        except BaseException as error:
            results.append(error)

    limit = sys.getrecursionlimit()
    size = threading.stack_size(256 * 1024)
    try:
        threads = [threading.Thread(target=work, args=[times]) for times in (1, 1, 2, 3)]
        for thread in threads:
            thread.start()
    finally:
        threading.stack_size(size)
    for thread in threads:
        thread.join()
    assert sys.getrecursionlimit() == limit
    assert len(results) == 4
    assert all(result == results[0] for result in results)
    assert not isinstance(results[0], BaseException)
