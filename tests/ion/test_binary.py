"""Ion binary: the bytes of each kind of value, both ways, and bytes that lie."""

from __future__ import annotations

import importlib
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.errors import ParseError, UnsupportedError
from firesteel.ion import Element, Kind
from firesteel.values import Timestamp
from tests.ion.strategies import elements
from tests.ion.test_errors import survives

#: The room; the name `firesteel.ion` is the function of the public interface.
ion = importlib.import_module("firesteel.ion")

MARKER = "e0 01 00 ea "


def octets(text: str) -> bytes:
    return bytes.fromhex(text)


# Values without symbols of their own, as Ion 1.0's specification has them.
BYTES: list[tuple[str, Element]] = [
    ("0f", ion.null()),
    ("1f", ion.null(Kind.BOOL)),
    ("df", ion.null(Kind.STRUCT)),
    ("10", ion.bool_(False)),
    ("11", ion.bool_(True)),
    ("20", ion.int_(0)),
    ("21 07", ion.int_(7)),
    ("32 01 00", ion.int_(-256)),
    ("48 3f f0 00 00 00 00 00 00", ion.float_(1)),
    ("50", ion.decimal("0")),
    ("51 c1", ion.decimal("0.0")),
    ("52 80 80", ion.decimal("-0")),
    ("52 c1 0f", ion.decimal("1.5")),
    ("53 c2 80 ff", ion.decimal("-2.55")),
    ("53 40 c0 01", ion.decimal("1E-64")),
    ("63 c0 0f e4", ion.timestamp(Timestamp(2020, precision="year"))),
    ("65 c0 0f e4 85 86", ion.timestamp(Timestamp(2020, 5, 6, precision="day"))),
    ("67 80 0f e4 85 86 87 88", ion.timestamp(Timestamp(2020, 5, 6, 7, 8, offset=0, precision="minute"))),
    ("6a bc 0f e4 85 86 87 88 89 c1 05",
     ion.timestamp(Timestamp(2020, 5, 6, 8, 8, Decimal("9.5"), offset=60))),
    ("71 04", ion.sym("name")),
    ("80", ion.string("")),
    ("82 c3 a9", ion.string("é")),
    ("8e 8e 61 61 61 61 61 61 61 61 61 61 61 61 61 61", ion.string("a" * 14)),
    ("92 68 69", ion.clob(b"hi")),
    ("a2 68 69", ion.blob(b"hi")),
    ("b0", ion.list_()),
    ("b3 20 b1 11", ion.list_([ion.int_(0), ion.list_([ion.bool_(True)])])),
    ("c2 71 04", ion.sexp(ion.sym("name"))),
    ("d0", ion.struct()),
    ("d4 84 20 85 10", ion.struct([("name", ion.int_(0)), ("version", ion.bool_(False))])),
    ("e4 82 84 85 20", ion.int_(0).annotate("name", "version")),
]  # fmt: skip


@pytest.mark.parametrize(("hex_", "element"), BYTES, ids=[hex_ for hex_, _ in BYTES])
def test_bytes(hex_: str, element: Element) -> None:
    assert ion.write([element], binary=True) == octets(MARKER + hex_)
    assert ion.read(octets(MARKER + hex_)) == [element]


READ_ONLY: list[tuple[str, list[Element]]] = [
    ("", []),
    ("00 01 ff 20", [ion.int_(0)]),  # padding
    ("d5 84 01 ff 85 20", [ion.struct([("version", ion.int_(0))])]),  # padding for a field
    ("0e 80 22 00 01", [ion.int_(1)]),
    ("40 44 3f 80 00 00", [ion.float_(0), ion.float_(1)]),
    ("d1 82 84 20", [ion.struct([("name", ion.int_(0))])]),  # sorted
    ("71 00 70", [ion.sym("$0"), ion.sym("$0")]),
    ("68 80 0f e4 85 86 87 88 89", [ion.timestamp(Timestamp(2020, 5, 6, 7, 8, Decimal(9), 0))]),
    ("e9 81 83 d6 87 b4 81 61 81 62 71 0b", [ion.sym("b")]),
    ("e9 81 83 d6 87 b4 81 61 81 62 e0 01 00 ea 71 04", [ion.sym("name")]),
    ("e7 81 83 d4 87 b2 81 61 71 0a e9 81 83 d6 86 71 03 87 b1 80 71 0a 71 0b",
     [ion.sym("a"), ion.sym("a"), ion.sym("")]),
    ("e7 81 83 d4 87 b2 81 61 71 0a e6 81 83 d3 87 b1 80 71 0a", [ion.sym("a"), ion.sym("")]),
]  # fmt: skip


@pytest.mark.parametrize(("hex_", "expected"), READ_ONLY, ids=[hex_ for hex_, _ in READ_ONLY])
def test_other_ways_to_write_it(hex_: str, expected: list[Element]) -> None:
    assert ion.read(octets(MARKER + hex_)) == expected


BAD: list[tuple[str, int, str]] = [
    ("21", 5, "expected 1 more byte, found 0"),
    ("8e 85 61", 6, "expected 5 more bytes, found 1"),
    ("8e 0f 0f 0f", 5, "expected more of a number, found the end"),
    ("8e" + "7f" * 10, 5, "a number of more than 9 bytes"),
    ("b2 21", 5, "expected 2 more bytes, found 1"),
    ("b3 b3 20 20", 6, "expected 3 more bytes, found 2"),
    ("b2 81 61 20 8e ff", 10, "expected 127 more bytes, found 0"),
    ("b1 21 07", 6, "expected 1 more byte, found 0"),
    ("12", 4, "expected true or false, found the byte 0x12"),
    ("31 00", 5, "expected a negative int, found 0"),
    ("41 00", 5, "expected a float of 0, 4 or 8 bytes, found 1"),
    ("f0", 4, "expected a value, found the unused type byte 0xf0"),
    ("71 0a", 5, "no symbol $10"),
    ("82 61 ff", 6, "expected UTF-8 in a string, found 0xff"),
    ("d2 84", 5, "expected 2 more bytes, found 1"),
    ("d1 81 84", 7, "expected the value of field 'name', found the end of the struct"),
    ("d2 8a 20", 6, "no symbol $10"),
    ("ef", 4, "expected a value, found annotations of nothing"),
    ("e3 80 84 20", 4, "expected annotations and a value in their wrapper"),
    ("e3 82 84 85", 4, "expected annotations and a value in their wrapper"),
    ("e4 81 84 20 20", 7, "annotations end at byte 9, the value they hold at byte 8"),
    ("e3 81 84 21 07", 7, "annotations end at byte 8, the value they hold at byte 9"),
    ("e3 81 84 00", 7, "expected a value after annotations, found padding"),
    ("e6 81 84 e3 81 85 20", 7, "expected a value, found annotations of annotations"),
    ("b1 e0", 6, "expected more of a number"),
    ("e0 01 00 eb", 4, "expected the version marker e0 01 00 ea, found e0 01 00 eb"),
    ("20 e0", 5, "expected the version marker e0 01 00 ea, found e0"),
    ("61 c0", 5, "expected a year"),
    ("66 80 0f e4 85 86 87", 5, "expected a minute after an hour"),
    ("64 c0 0f e4 8d", 5, "no timestamp: month must be in 1..12"),
    ("69 80 0f e4 85 86 87 88 bc", 5, "expected 9 more bytes"),
    ("68 80 0f e4 85 86 87 88 bc", 5, "no timestamp: second must be in 0..59"),
    ("6a 80 0f e4 85 86 87 88 89 80 01", 5, "no timestamp: 1 is no fraction of a second"),
    ("54 3f 7f ff 01", 8, "a decimal's exponent is out of range"),
]  # fmt: skip


@pytest.mark.parametrize(("hex_", "at", "message"), BAD, ids=[hex_ for hex_, *_ in BAD])
def test_bad_bytes(hex_: str, at: int, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        ion.read(octets(MARKER + hex_), "plan.10n")
    assert caught.value.message.startswith(f"plan.10n, byte {at}: {message}")


def test_too_long_an_int() -> None:
    with pytest.raises(ParseError, match="an int of 10,000 bytes"):
        ion.read(octets(MARKER + "2e 4e 90") + b"\x01" * 10_000)


def test_other_versions_and_shared_tables_are_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match=r"Ion 1\.1"):
        ion.read(octets("e0 01 01 ea 60"))
    shared = '$ion_symbol_table::{imports: [{name: "com.example", version: 2, max_id: 9}]}'
    [table] = ion.read("x::" + shared)
    document = ion.write([Element(Kind.STRUCT, table.value, ("$ion_symbol_table",))], binary=True)
    with pytest.raises(UnsupportedError, match=r"'com\.example' \(version 2\)"):
        ion.read(document)


def test_utc_leaves_the_years_that_there_are() -> None:
    for text in (
        "0001-01-01T00:00+01:00",
        "9999-12-31T23:59:59.9-23:59",
        "2020-03-01T00:00+00:01",
        "2000-12-31T23:59-12:00",
    ):
        document = ion.read(text)
        assert ion.read(ion.write(document, binary=True)) == document


@settings(deadline=None)
@given(st.data(), st.lists(elements(), max_size=3))
def test_damaged_bytes_are_read_or_refused(data: st.DataObject, document: list[Element]) -> None:
    written = bytearray(ion.write(document, binary=True))
    for _ in range(data.draw(st.integers(1, 3))):
        if len(written) > 4:
            at = data.draw(st.integers(4, len(written) - 1))
            written[at] = data.draw(st.integers(0, 255))
    survives(bytes(written[: data.draw(st.integers(4, len(written)))]))
