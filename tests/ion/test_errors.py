"""What is wrong is said, where it is, and never by another exception than ours."""

from __future__ import annotations

import importlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.errors import FiresteelError, ParseError
from firesteel.ion.text_reader import read_text

#: The room; the name `firesteel.ion` is the function of the public interface.
ion = importlib.import_module("firesteel.ion")

# The text, the line and column of the error, what it says, and its help or a part of it.
BAD: list[tuple[str, str, str, str | None]] = [
    ("[1,\n (2", "2:2", "unclosed '('", "expected ')' before the end"),
    ("[1,", "1:1", "unclosed '['", "expected ']'"),
    ("[1", "1:1", "unclosed '['", "expected ']'"),
    ("{a:", "1:1", "unclosed '{'", "expected '}'"),
    ("{a", "1:1", "unclosed '{'", "expected '}'"),
    ("{", "1:1", "unclosed '{'", "expected '}'"),
    ("(a (b)\n", "1:1", "unclosed '('", None),
    ("[1, 2)", "1:6", "expected ',' or ']', found ')'", "the '[' was opened at 1:1"),
    ("(\n a]", "2:3", "expected ')', found ']'", "the '(' was opened at 1:1"),
    ("{a:1]", "1:5", "expected ',' or '}', found ']'", "the '{' was opened at 1:1"),
    (")", "1:1", "')' closes nothing", None),
    ("1 }", "1:3", "'}' closes nothing", None),
    ("[1 2]", "1:4", "expected ',' or ']', found '2'", None),
    ("[a \"b\"]", "1:4", "expected ',' or ']', found '\"'", None),
    ("[a:b]", "1:3", "expected ',' or ']', found ':'", None),
    ("[,]", "1:2", "expected a value, found ','", None),
    ("[1,,2]", "1:4", "expected a value, found ','", None),
    ("(a, b)", "1:3", "expected a value, found ','", "lists and structs only"),
    ("1, 2", "1:2", "expected a value, found ','", "lists and structs only"),
    ("{a:1 b:2}", "1:6", "expected ',' or '}', found 'b'", None),
    ("{a:}", "1:4", "expected a value, found '}'", "the field 'a' needs a value"),
    ("{a:,}", "1:4", "expected a value, found ','", "the field 'a' needs a value"),
    ("{,}", "1:2", "expected a field's name or '}', found ','", None),
    ("{1:2}", "1:2", "expected a field's name or '}', found '1'", None),
    ("{+:2}", "1:2", "expected a field's name or '}', found '+'", "quoted"),
    ("{a 1}", "1:4", "expected ':' after a field's name, found '1'", None),
    ("{'a'::1}", "1:5", "expected ':' after a field's name, found '::'", "no annotations"),
    ("{a::b:1}", "1:3", "expected ':' after a field's name, found '::'", "no annotations"),
    ("{null:1}", "1:2", "null must be quoted to be a field's name", "write 'null'"),
    ("null::2", "1:1", "null must be quoted to be an annotation", "write 'null'"),
    ("(lit nan::2)", "1:6", "nan must be quoted to be an annotation", "write 'nan'"),
    ("a::", "1:4", "expected a value, found the end of the text", "the annotation 'a' needs a value"),
    ("[a::]", "1:5", "expected a value, found ']'", "the annotation 'a' needs a value"),
    ("[a::, 1]", "1:5", "expected a value, found ','", "the annotation 'a' needs a value"),
    ("'a'::)", "1:6", "expected a value, found ')'", "the annotation 'a' needs a value"),
    ('"a"::1', "1:4", "expected a value, found '::'", "an annotation must be a symbol"),
    ("null.int::1", "1:9", "expected a value, found '::'", "an annotation must be a symbol"),
    ("1::a", "1:1", "'1::a' is no number or timestamp", "an annotation must be a symbol"),
    ("null.foo", "1:1", "null has no type 'foo'", "its types: null, bool"),
    ("(null.)", "1:2", "null has no type ''", "its types"),
    ("a.b", "1:2", "expected a value, found '.'", "in an s-expression only"),
    ("[+]", "1:2", "expected a value, found '+'", "in an s-expression only"),
    ("01", "1:1", "'01' is no number or timestamp", "leading zeros"),
    ("1__0", "1:1", "'1__0' is no number or timestamp", "underscore"),
    ("1e", "1:1", "'1e' is no number or timestamp", "digits"),
    ("(a 3x)", "1:4", "'3x' is no number or timestamp", "followed by"),
    ("2020-01", "1:1", "'2020-01' is no number or timestamp", "a timestamp is written"),
    ("2020-13-01", "1:1", "'2020-13-01' is no timestamp: month must be in 1..12", None),
    ("2020-01-01T00:00:60Z", "1:1", "'2020-01-01T00:00:60Z' is no timestamp: second must be", None),
    ("2020-01-01T00:00+24:00", "1:1", "'+24:00' is no offset", "-23:59"),
    ("0000T", "1:1", "'0000T' is no timestamp: year 0", None),
    ("9" * 5000, "1:1", "an int of 5,000 digits", "4,300"),
    ("0x" + "f" * 5000, "1:1", "an int of 20,000 bits", None),
    ("0." + "9" * 5000, "1:1", "a decimal of 5,002 digits", "4,300"),
    ("1d999999999", "1:1", "a decimal's exponent is out of range", "999,999"),
    ("1d-99999999999999999999", "1:1", "a decimal's exponent is out of range", "999,999"),
    ("2020-01-01T00:00:00." + "1" * 5000 + "Z", "1:1", "a second of 5,003 digits", None),
    ('"abc', "1:1", "unclosed string", 'expected " before the end of the text'),
    ('"abc\\', "1:1", "unclosed string", 'expected "'),
    ('x "abc\n"', "1:3", "unclosed string", "before the end of the line"),
    ("'abc", "1:1", "unclosed quoted symbol", "expected '"),
    ("'''abc''", "1:1", "unclosed long string", "expected '''"),
    ('"a\0b"', "1:3", "a control character in a string: U+0000", "write \\x00"),
    ('"a\\q"', "1:3", "'\\q' begins no escape sequence", "hex digits"),
    ('"a\\u12"', "1:3", "'\\u' begins no escape sequence", "hex digits"),
    ('"\\U00110000"', "1:2", "no character has the number", None),
    ('"\\ud800"', "1:2", "half of a surrogate pair", "\\U"),
    ('"\ud800"', "1:2", "half of a surrogate pair", None),
    ("{{aGk}}", "1:3", "a blob's content is not base64", "padding"),
    ("{{ aGk= ", "1:1", "unclosed '{{'", "expected '}}'"),
    ("{{aGk=}", "1:7", "expected '}}', found '}'", None),
    ('{{"a" "b"}}', "1:7", "expected '}}', found '\"'", None),
    ('{{"é"}}', "1:4", "a clob holds ASCII only", "\\xHH"),
    ('{{"\\u0041"}}', "1:4", "'\\u' begins no escape sequence", "clob"),
    ("1 /* c", "1:3", "unclosed comment", "expected '*/'"),
    ("[1 /* c", "1:4", "unclosed comment", "expected '*/'"),
    ("{/* c", "1:2", "unclosed comment", "expected '*/'"),
    ("(/* c", "1:2", "unclosed comment", "expected '*/'"),
    ("a\0", "1:2", "expected a value, found U+0000", None),
    ("\xa01", "1:1", "expected a value, found U+00A0 NO-BREAK SPACE", None),
    ('$ion_symbol_table::{symbols:["a"]} $11', "1:36", "no symbol '$11'", "ends at $10"),
    ('$ion_symbol_table::{symbols:["a"]} $' + "9" * 5000, "1:36", "no symbol '$999", "ends at $10"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "where", "message", "help"), BAD, ids=[ascii(text[:25]) for text, *_ in BAD])
def test_bad_text(text: str, where: str, message: str, help: str | None) -> None:
    with pytest.raises(ParseError) as caught:
        read_text(text, "plan.ion")
    error = caught.value
    assert error.message.startswith(message)
    assert str(error.where) == f"plan.ion:{where}"
    assert help is None or (error.help is not None and help in error.help)
    assert "^" in str(error)
    assert len(error.message) < 200


def test_too_deep() -> None:
    document = ion.read("[" * 5 + "]" * 5, max_depth=5)
    with pytest.raises(ParseError, match="nested more than 5 deep") as caught:
        ion.read("[" * 6 + "]" * 6, max_depth=5)
    assert str(caught.value.where) == "<ion>:1:6"
    binary = ion.write(document, binary=True)
    assert ion.read(binary, max_depth=5) == document
    with pytest.raises(ParseError, match="byte 8: nested more than 4 deep"):
        ion.read(binary, max_depth=4)


def test_bytes_that_are_no_utf8() -> None:
    with pytest.raises(ParseError, match="expected UTF-8, found the byte 0xff") as caught:
        ion.read('é\n"'.encode() + b'\xff"')
    assert str(caught.value.where) == "<ion>:2:2"


@pytest.mark.parametrize(("text", "message"), [("", "found none"), ("// c", "found none"), ("1 2", "found another")])
def test_loads_wants_one_value(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        ion.loads(text)


def survives(data: str | bytes) -> None:
    """Either it is read, and then it can be written and read again, or it is an error of ours that can be shown."""
    try:
        elements = ion.read(data)
    except FiresteelError as error:
        str(error)
        return
    assert ion.read(ion.write(elements)) == elements
    assert ion.read(ion.write(elements, binary=True)) == elements


ION_ALPHABET = st.text("[](){}'\"\\:,/*ab01.-+ \n\r\0$_eTZx:u?é", max_size=30)
FRAGMENTS = ["'''", "::", "null", "null.int", "{{", "}}", "/*", "*/", "//", "\n", "2020-01-01T", "12:00Z", "\\u00e9"]
FRAGMENTS += ["a", "'b'", '"c"', "$10", "1.5", "-", "1e5", "nan", "[", "]", "(", ")", "{", "}", ",", ":", " "]
FRAGMENTS += ['$ion_symbol_table::{symbols:["a"]}', "$ion_1_0", "true", "+inf", "\ud800"]


@settings(deadline=None)
@given(st.text() | ION_ALPHABET | st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_any_text_is_read_or_refused(text: str) -> None:
    survives(text)


@settings(deadline=None)
@given(st.binary() | st.binary().map(lambda data: b"\xe0\x01\x00\xea" + data))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    survives(data)
