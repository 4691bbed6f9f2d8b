"""The public PartiQL suite as far as it is a matter of syntax, and the TPC-H queries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from firesteel import partiql
from firesteel.errors import ParseError
from firesteel.node import all_nodes_in, walk
from firesteel.partiql import ast
from tests.conftest import record_suite
from tests.partiql.suite import Statement, statements

pytestmark = pytest.mark.conformance

DATA = ("partiql-tests-data", "partiql-tests-data-extended")


@pytest.fixture(scope="module")
def suite(outside: Callable[[str], Path]) -> list[Statement]:
    folder = outside("partiql-tests")
    return [statement for part in DATA if (folder / part).is_dir() for statement in statements(folder / part)]


def error_of(text: str) -> ParseError | None:
    try:
        partiql.parse(text)
    except ParseError as error:
        return error
    return None


def test_what_is_said_to_parse_does(suite: list[Statement]) -> None:
    chosen = [one for one in suite if "SyntaxSuccess" in one.results]
    assert chosen
    assert [(one.text, str(error)) for one in chosen if (error := error_of(one.text))] == []
    record_suite("partiql-tests syntax", len(chosen))


def test_what_is_said_not_to_parse_does_not(suite: list[Statement]) -> None:
    chosen = [one for one in suite if "SyntaxFail" in one.results]
    assert chosen
    assert [one.text for one in chosen if error_of(one.text) is None] == []
    record_suite("partiql-tests syntax", len(chosen))


def test_what_is_evaluated_parses(suite: list[Statement]) -> None:
    chosen = [one for one in suite if "EvaluationSuccess" in one.results]
    assert chosen
    failed = {one: error for one in chosen if (error := error_of(one.text))}
    assert [(one.text, str(error)) for one, error in failed.items() if not one.broken] == []
    assert all(one in failed for one in chosen if one.broken)


def test_a_statement_that_fails_later_parses(suite: list[Statement]) -> None:
    """An evaluation that fails is no error of syntax."""
    chosen = [one for one in suite if one.results == {"EvaluationFail"}]
    assert chosen
    assert [(one.text, str(error)) for one in chosen if (error := error_of(one.text))] == []


def test_spans_nest_and_read_the_same_alone(suite: list[Statement]) -> None:
    """The text of an expression's span, on its own, is that expression."""
    for one in suite[::3]:
        try:
            tree = partiql.parse(one.text)
        except ParseError:
            continue
        for node in walk(tree):
            where = node.where
            assert where is not None, (type(node), one.text)
            for below in all_nodes_in(node):
                assert below.where is not None
                assert where.start <= below.where.start <= below.where.end <= where.end, (below, one.text)
            if isinstance(node, ast.Expr) and not (isinstance(node, ast.Row) and len(node.items) < 2):
                again = partiql.parse(f"({where.text}\n)")
                assert isinstance(again, ast.QueryStatement)
                assert again.query == (node.query if isinstance(node, ast.Subquery) else node)


def test_tpch_parses(outside: Callable[[str], Path]) -> None:
    paths = sorted((outside("tpch") / "queries").glob("*.sql"))
    assert len(paths) == 22
    for path in paths:
        statement = partiql.parse(path.read_text(encoding="utf-8"), path.name)
        assert isinstance(statement, ast.QueryStatement)
    record_suite("tpch syntax", len(paths))
