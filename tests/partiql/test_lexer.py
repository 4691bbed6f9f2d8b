"""Text to tokens."""

from __future__ import annotations

import contextlib
import time

import pytest

from firesteel.errors import ParseError
from firesteel.partiql import tokenize
from firesteel.partiql.parse.keywords import KEYWORDS, RESERVED, UNRESERVED


def kinds(text: str) -> list[str]:
    return [token.kind for token in tokenize(text)][:-1]


def texts(text: str) -> list[str]:
    return [token.text for token in tokenize(text)][:-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n\t-- a comment", []),
        ("/* one */ a /* two\n*/ b", ["name", "name"]),
        ("/* /* */ a", ["name"]),
        ("select SELECT SeLeCt", ["SELECT"] * 3),
        ("a $b _c é d$1", ["name"] * 5),
        ("ſelect", ["name"]),  # its upper case is SELECT
        ('"a" "a""b" ""', ["quoted"] * 3),
        ("'a' 'it''s' '' 'a\nb'", ["string"] * 4),
        ("0 12 007", ["int"] * 3),
        ("1.5 .5 1. 0.0", ["decimal"] * 4),
        ("1e0 1E-5 1.5e+3 .5e1 1.e2", ["float"] * 5),
        ("a.b.c", ["name", ".", "name", ".", "name"]),
        ("a[0].b", ["name", "[", "int", "]", ".", "name"]),
        ("<<<<>>>>", ["<<", "<<", ">>", ">>"]),
        ("<<a>>=<<b>>", ["<<", "name", ">>", "=", "<<", "name", ">>"]),
        (
            "a<=b>=c<>d!=e<f>g",
            ["name", "<=", "name", ">=", "name", "<>", "name", "!=", "name", "<", "name", ">", "name"],
        ),
        ("a||b&c", ["name", "||", "name", "&", "name"]),
        ("a--b\n-c", ["name", "-", "name"]),
        ("a/b", ["name", "/", "name"]),
        ("(x)<-[y]->(z)~>", ["(", "name", ")", "<", "-", "[", "name", "]", "-", ">", "(", "name", ")", "~", ">"]),
        ("?@a;", ["?", "@", "name", ";"]),
    ],
)
def test_kinds(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    "ion",
    [
        "`1`",
        "``",
        '`"a`b"`',
        "`'a`b'`",
        "`'''a`'b'''`",
        r"`'a\'`b'`",
        r'`"a\"`b"`',
        "`[1, // a ` comment\n 2]`",
        "`/* ` */ 1`",
        "`{{ //8= }}`",
        '`{{"`"}}`',
        "`{a: {b: 1}}`",
        "`1 / 2`",
    ],
)
def test_ion_literals_end_at_their_own_backtick(ion: str) -> None:
    assert texts(f"a {ion} b") == ["a", ion, "b"]
    assert kinds(ion) == ["ion"]


def test_places() -> None:
    text = "  SELECT /* x */ 'a' -- y\n"
    tokens = tokenize(text)
    assert [(token.text, text[token.start : token.end]) for token in tokens] == [
        ("SELECT", "SELECT"),
        ("'a'", "'a'"),
        ("", ""),
    ]
    # What is missing at the end is missing right behind the last token.
    assert [token.start for token in tokens][-1] == text.index("'a'") + 3


@pytest.mark.parametrize(
    ("text", "message", "marked"),
    [
        ("a 'b", "unclosed string", "'"),
        ('a "b', "unclosed quoted name", '"'),
        ("a `b", "unclosed Ion literal", "`"),
        ("`1 // `", "unclosed Ion literal", "`"),
        ("`'a`", "unclosed Ion literal", "`"),
        ("1 /* b", "unclosed comment", "/*"),
        ("1abc", "'1abc' is neither a number nor a name", "1abc"),
        ("a = 0x1F", "'0x1F' is neither a number nor a name", "0x1F"),
        ("1.5a", "'1.5a' is neither a number nor a name", "1.5a"),
        ("a ^ b", "unknown character '^'", "^"),
        ("a # b", "unknown character '#'", "#"),
        ("\\", "unknown character '\\'", "\\"),
        ("a\x00b", "unknown character U+0000", "\x00"),
        ("a \ud800", "unknown character U+D800", "\ud800"),
    ],
)
def test_errors(text: str, message: str, marked: str) -> None:
    with pytest.raises(ParseError) as caught:
        tokenize(text)
    assert caught.value.message == message
    assert caught.value.span is not None
    assert caught.value.span.text == marked


def test_a_curly_quote_is_explained() -> None:
    with pytest.raises(ParseError, match='did you mean "') as caught:
        tokenize("SELECT “a”")
    assert caught.value.message == "unknown character '“'"


def test_words() -> None:
    assert not RESERVED & UNRESERVED
    assert all(word.isupper() for word in KEYWORDS)


@pytest.mark.parametrize("piece", ["/*", "`//", "`'", "`'''", "'", '"`', "1.a", "`/*", "`{{", "--", "(", "a", "-- x\n"])
def test_the_time_is_linear(piece: str) -> None:
    start = time.perf_counter()
    with contextlib.suppress(ParseError):
        tokenize(piece * 100_000)
    assert time.perf_counter() - start < 5
