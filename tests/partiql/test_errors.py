"""What the parser says where it cannot go on."""

from __future__ import annotations

import pytest

from firesteel import partiql
from firesteel.errors import ParseError
from firesteel.partiql import QueryError


def errors(text: str) -> tuple[ParseError, ...]:
    with pytest.raises(QueryError) as caught:
        partiql.parse(text)
    return caught.value.errors


def test_where_what_and_what_to_do() -> None:
    with pytest.raises(ParseError) as caught:
        partiql.parse("SELECT a\nFROM t\nWERE a = 1", "query.sql")
    assert str(caught.value) == (
        "FS100: expected the end of the query, found 'a'\n"
        "query.sql:3:6\n"
        "  WERE a = 1\n"
        "       ^\n"
        "  did you mean WHERE instead of WERE?"
    )


@pytest.mark.parametrize(
    ("text", "message", "help"),
    [
        ("SELECT a FORM t", "expected the end of the query, found 't'", "did you mean FROM instead of FORM?"),
        ("SELCT a FROM t", "expected the end of the query, found 'a'", "did you mean SELECT instead of SELCT?"),
        ("a LIKE b ECSAPE 'c'", None, "did you mean ESCAPE instead of ECSAPE?"),
        ("INTERVAL '1' DAYS", None, "did you mean DAY instead of DAYS?"),
        ("(SELECT a FORM t)", "expected ')', found 't'", "did you mean FROM instead of FORM?"),
        ("CAST(1 INT)", "expected 'AS', found 'INT'", None),
        ("SELECT FROM t", "expected an expression, found 'FROM'", 'FROM is a keyword; as a name it is written "FROM"'),
        ("SELECT a AS end", "expected a name after AS, found 'end'", 'END is a keyword; as a name it is written "end"'),
        ("SELECT VALUE FROM t", None, 'right after SELECT, a column of the name VALUE is written "value"'),
        ("[1,]", "expected an expression, found ']'", "a comma too many"),
        ("[1,,2]", "expected an expression, found ','", "a comma too many"),
        ("SELECT a, FROM t", None, 'a comma too many, or FROM is meant as a name: then write "FROM"'),
        ("(1", "expected ')', found the end of the text", "'(' at 1:1 is not closed"),
        ("f([1, 2)", "expected ']', found ')'", "'[' at 1:3 is not closed"),
        ("SELECT *, a FROM t", "'*' stands alone in a select list", "the attributes of one variable are written t.*"),
        ("SELECT a FROM t JOIN u", "expected 'ON', found the end of the text", "only a CROSS JOIN has no condition"),
        ("SELECT SELECT 1", None, "a query inside of an expression is put in parentheses"),
        ("SELECT 1; SELECT 2", "expected the end of the query, found 'SELECT'", "there is more than one statement"),
        ("DATE 2001", "expected a string, found '2001'", "as in DATE '2001-12-31'"),
        ("a = NOT b", None, "NOT binds less closely than the operator before it: use parentheses"),
        ("{'a': 1 'b': 2}", "expected '}', found the string 'b'", None),
        ("a NOT b", "expected 'IN', 'LIKE' or 'BETWEEN' after NOT, found 'b'", None),
        ("", "expected a query, found the end of the text", None),
    ],
)  # fmt: skip
def test_messages(text: str, message: str | None, help: str | None) -> None:
    (error,) = errors(text)
    assert message in (None, error.message)
    assert error.help == help


def test_several_errors_of_a_select_list() -> None:
    found = errors("SELECT a +, f(b c), [1 2], d, (e FROM t WHERE")
    assert [(error.message, error.span and error.span.start) for error in found] == [
        ("expected an expression, found ','", 10),
        ("expected ')', found 'c'", 16),
        ("expected ']', found '2'", 23),
        ("expected ')', found 'FROM'", 33),
    ]
    assert len(errors("SELECT a +, b FROM t WHERE")) == 2
    assert len(errors("SELECT (SELECT a + FROM t), b * FROM u")) == 2


def test_the_error_shows_all_of_them() -> None:
    with pytest.raises(ParseError) as caught:
        partiql.parse("SELECT a +, b * FROM t")
    assert str(caught.value).count("FS100") == 2
    assert caught.value.message == "expected an expression, found ','"


def test_errors_of_a_script() -> None:
    with pytest.raises(QueryError) as caught:
        partiql.parse_script("1 +; SELECT 1; (2; 3 4; 5")
    assert [error.message for error in caught.value.errors] == [
        "expected an expression, found ';'",
        "expected ')', found ';'",
        "expected ';' or the end of the text, found '4'",
    ]


def test_what_follows_from_an_error_is_not_another() -> None:
    assert [error.message for error in errors("SELECT a AS order")] == ["expected a name after AS, found 'order'"]


def test_there_is_an_end_to_errors() -> None:
    assert len(errors("SELECT " + ", ".join(["a +"] * 100))) == 20


def test_a_long_token_is_cut() -> None:
    (error,) = errors(f"1 '{'x' * 1000}'")
    assert len(error.message) < 120


def test_the_frames_of_the_parser_are_not_shown() -> None:
    with pytest.raises(ParseError) as caught:
        partiql.parse("((((((1 +")
    frames = 0
    trace = caught.value.__traceback__
    while trace is not None:
        frames, trace = frames + 1, trace.tb_next
    assert frames < 5
    assert caught.value.__context__ is None or caught.value.__suppress_context__
