"""Writing Ion text: each scalar, and the layout."""

from __future__ import annotations

import importlib
from decimal import Decimal
from textwrap import dedent

import pytest

from firesteel.errors import UnsupportedError
from firesteel.ion import Element, Kind
from firesteel.values import Timestamp

#: The room; the name `firesteel.ion` is the function of the public interface.
ion = importlib.import_module("firesteel.ion")

WRITES: list[tuple[Element, str]] = [
    (ion.null(), "null"),
    (ion.null(Kind.STRUCT), "null.struct"),
    (ion.bool_(True), "true"),
    (ion.int_(-7), "-7"),
    (ion.int_(1 << 20_000), hex(1 << 20_000)),
    (ion.float_(1), "1.0e0"),
    (ion.float_(-0.0), "-0.0e0"),
    (ion.float_(1e22), "1e+22"),
    (ion.float_(float("nan")), "nan"),
    (ion.float_(float("inf")), "+inf"),
    (ion.float_(float("-inf")), "-inf"),
    (ion.decimal("1"), "1."),
    (ion.decimal("-0"), "-0."),
    (ion.decimal("1.50"), "1.50"),
    (ion.decimal("-0.0012"), "-0.0012"),
    (ion.decimal("0.00"), "0.00"),
    (ion.decimal("1E+3"), "1d3"),
    (ion.decimal("12E-30"), "12d-30"),
    (ion.decimal("1234567890" * 6 + ".00"), "1234567890" * 6 + ".00"),
    (ion.timestamp(Timestamp(987, precision="year")), "0987T"),
    (ion.timestamp(Timestamp(2020, 2, precision="month")), "2020-02T"),
    (ion.timestamp(Timestamp(2020, 2, 3, precision="day")), "2020-02-03"),
    (ion.timestamp(Timestamp(2020, 2, 3, 4, 5, offset=0, precision="minute")), "2020-02-03T04:05Z"),
    (ion.timestamp(Timestamp(2020, 2, 3, 4, 5, Decimal("6.70"))), "2020-02-03T04:05:06.70-00:00"),
    (ion.timestamp(Timestamp(2020, 2, 3, 4, 5, Decimal("1E-9"), -90)), "2020-02-03T04:05:00.000000001-01:30"),
    (ion.sym("a_1$"), "a_1$"),
    (ion.sym("null"), "'null'"),
    (ion.sym("nan"), "'nan'"),
    (ion.sym("$12"), "'$12'"),
    (ion.sym("$x"), "$x"),
    (ion.sym("$ion_1_0"), "'$ion_1_0'"),
    (ion.sym("+"), "'+'"),
    (ion.sym(""), "''"),
    (ion.sym("it's\n"), "'it\\'s\\n'"),
    (ion.sexp(ion.sym("+"), ion.sym("->"), ion.sym("//"), ion.sym("a/*")), "(+ -> '//' 'a/*')"),
    (ion.sexp(ion.sym("?").annotate("t"), ion.sym("x").annotate("+")), "(t::? '+'::x)"),
    (ion.string('é"\\\t\0\x7f\ufeff\u0085'), '"é\\"\\\\\\t\\0\\x7f\\ufeff\\x85"'),
    (ion.blob(b"hi"), "{{aGk=}}"),
    (ion.clob(b'a"\\\n\xff'), '{{"a\\"\\\\\\n\\xff"}}'),
    (ion.list_([ion.int_(1), ion.list_()]), "[1, []]"),
    (ion.struct([("a", ion.sym("+")), ("b c", ion.sexp()), ("null", ion.struct())]), "{a: '+', 'b c': (), 'null': {}}"),
    (ion.int_(1).annotate("a", "b c", "true"), "a::'b c'::'true'::1"),
]  # fmt: skip


@pytest.mark.parametrize(("element", "text"), WRITES, ids=[text[:30] for _, text in WRITES])
def test_writes(element: Element, text: str) -> None:
    assert ion.write([element], indent=False) == text
    assert ion.write([element]) == text
    if len(text) < 5000:  # longer ints are written, and not read
        assert ion.read(text) == [element]


def test_each_value_has_its_line() -> None:
    assert ion.write([ion.int_(1), ion.sym("a")], indent=False) == "1\na"
    assert ion.write([]) == ""


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize(
    "element",
    [
        ion.string("\ud800"),
        ion.sym("\ud800"),
        ion.struct([("\ud800", ion.null())]),
        ion.decimal(Decimal("NaN")),
        ion.timestamp(Timestamp(10000, offset=0)),
    ],
)
def test_what_ion_cannot_say_is_unsupported(element: Element, binary: bool) -> None:
    with pytest.raises(UnsupportedError):
        ion.write([element], binary=binary)  # type: ignore[call-overload]


def test_layout() -> None:
    text = dedent(
        """\
        (plan
          (version 0 1)
          (statement
            (query
              (select
                ($type 10)
                (struct
                  ($type 14)
                  (((lit ($type 6) "a") (var ($type 0) 0)) ((lit ($type 6) "b") (var ($type 0) 1))))
                (scan
                  label::(($type 0))
                  (lit 'some long name that nobody would want to read in a plan' "and a text" 1.23456789
                    "and more text"
                    (var T::?))))))
          {
            name: "a struct that does not fit on the line on which it would begin",
            list: [
              "short items are on lines of their own when the list is too long for one",
              "as here",
              (a b)
            ],
            empty: []
          })
        {a: 1}"""
    )
    elements = ion.read(text)
    assert ion.write(elements) == text
    assert ion.read(ion.write(elements, indent=False)) == elements
    assert max(map(len, text.splitlines())) <= 100


def test_the_layout_of_a_deep_document_is_not_quadratic() -> None:
    [element] = ion.read("(a " * 20_000 + ")" * 20_000)
    assert len(ion.write([element])) < 20_000 * 70
