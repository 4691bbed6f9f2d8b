"""Reading Ion text: what each notation means, and where it stands."""

from __future__ import annotations

import importlib
from decimal import Decimal

import pytest

from firesteel.errors import UnsupportedError
from firesteel.ion import Element, Kind
from firesteel.ion.text_reader import read_text
from firesteel.values import Timestamp

#: The room; the name `firesteel.ion` is the function of the public interface.
ion = importlib.import_module("firesteel.ion")

N, S = ion.int_, ion.sym
INF = float("inf")


def stamp(*fields: int, second: str = "0", offset: int | None = None, precision: str = "second") -> Element:
    year, month, day, hour, minute = (*fields, *(1, 1, 1, 0, 0)[len(fields) :])
    return ion.timestamp(Timestamp(year, month, day, hour, minute, Decimal(second), offset, precision))


READS: list[tuple[str, list[Element]]] = [
    ("", []),
    ("\ufeff1", [N(1)]),
    ("1 -1 0 -0 1_000 0x1F -0b101 0XfF", [N(1), N(-1), N(0), N(0), N(1000), N(31), N(-5), N(255)]),
    ("123456789012345678901234567890", [N(123456789012345678901234567890)]),
    ("1e0 -1.5E+3 1e400 nan +inf -inf", [ion.float_(x) for x in (1, -1500, INF, float("nan"), INF, -INF)]),
    ("1. -0. 1.50 1d3 15d-1 1_0.0_1 1.5D2",
     [ion.decimal(x) for x in ("1", "-0", "1.50", "1E3", "1.5", "10.01", "1.5E2")]),
    ("null null.null null.int null.sexp", [ion.null(), ion.null(), ion.null(Kind.INT), ion.null(Kind.SEXP)]),
    ("true false", [ion.bool_(True), ion.bool_(False)]),
    ("2020T 2020-05T 2020-05-06 2020-05-06T", [
        stamp(2020, precision="year"), stamp(2020, 5, precision="month"),
        stamp(2020, 5, 6, precision="day"), stamp(2020, 5, 6, precision="day"),
    ]),
    ("2020-05-06T07:08Z 2020-05-06T07:08-00:00", [
        stamp(2020, 5, 6, 7, 8, offset=0, precision="minute"), stamp(2020, 5, 6, 7, 8, precision="minute"),
    ]),
    ("2020-05-06T07:08:09.000+05:30", [stamp(2020, 5, 6, 7, 8, second="9.000", offset=330)]),
    ("2020-05-06T07:08:09.0123456789012345678901-23:59", [
        stamp(2020, 5, 6, 7, 8, second="9.0123456789012345678901", offset=-1439),
    ]),
    ("a $a a1 '' 'a b' '\\'' $7 $ion", [S("a"), S("$a"), S("a1"), S(""), S("a b"), S("'"), S("$7"), S("$ion")]),
    ('"" "a\\tb" "\\x41\\u00e9\\U0001F600\\ud83d\\ude00"', [ion.string(""), ion.string("a\tb"), ion.string("Aé😀😀")]),
    ('"a\\\nb" "\\0\\a\\b\\t\\n\\f\\r\\v\\?\\/\\\\"', [ion.string("ab"), ion.string("\0\a\b\t\n\f\r\v?/\\")]),
    ("'''a''' '''b'''/* c */'''c\r\nd''' \"e\"", [ion.string("abc\nd"), ion.string("e")]),
    ("'''it's \\''' ''quoted'' '''", [ion.string("it's ''' ''quoted'' ")]),
    ("'''\\\r\n\\r'''", [ion.string("\r")]),
    ("{{aGk=}} {{ aG\n k= }} {{}}", [ion.blob(b"hi"), ion.blob(b"hi"), ion.blob(b"")]),
    ('{{"hi\\xff"}} {{ \'\'\'a\'\'\' \'\'\'b\'\'\' }}', [ion.clob(b"hi\xff"), ion.clob(b"ab")]),
    ("[] [1] [1,2,] ()", [ion.list_(), ion.list_([N(1)]), ion.list_([N(1), N(2)]), ion.sexp()]),
    ("{} {a:1,'b c':2,\"d\":3,'''e''' '''f''':4,a:5,}", [
        ion.struct(),
        ion.struct([("a", N(1)), ("b c", N(2)), ("d", N(3)), ("ef", N(4)), ("a", N(5))]),
    ]),
    ("(a -> b ?)", [ion.form("a", S("->"), S("b"), S("?"))]),
    ("(t::? ?? * | a.b)", [ion.sexp(S("?").annotate("t"), S("??"), S("*"), S("|"), S("a"), S("."), S("b"))]),
    ("(a-1 - 1 --1 -a (+inf) +infx)", [
        ion.sexp(S("a"), N(-1), S("-"), N(1), S("--"), N(1), S("-"), S("a"),
                 ion.sexp(ion.float_(float("inf"))), S("+"), S("infx")),
    ]),
    ("a::1 a::'b c'::[x::y] a /* c */ :: 2", [
        N(1).annotate("a"), ion.list_([S("y").annotate("x")]).annotate("a", "b c"), N(2).annotate("a"),
    ]),
    ("'null'::1 {'null':1}", [N(1).annotate("null"), ion.struct([("null", N(1))])]),
    ("{a:'b'::{{aGk=}},c:{d:{}}}", [
        ion.struct([("a", ion.blob(b"hi").annotate("b")), ("c", ion.struct([("d", ion.struct())]))]),
    ]),
    ("1//c\n[2/**/,/***/3 // c\r]/* * / */", [N(1), ion.list_([N(2), N(3)])]),
    ("1\"a\"'b'[2]", [N(1), ion.string("a"), S("b"), ion.list_([N(2)])]),
    ("$ion_1_0 1 '$ion_1_0' a::$ion_1_0", [N(1), S("$ion_1_0"), S("$ion_1_0").annotate("a")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), READS, ids=[text[:30] for text, _ in READS])
def test_reads(text: str, expected: list[Element]) -> None:
    assert read_text(text) == expected


def test_symbol_numbers_are_text_without_a_table() -> None:
    [plan] = read_text("(project ($1 $2) $10::$11 {$12:$0})")
    assert plan.value[1].value == (S("$1"), S("$2"))
    assert plan.value[2] == S("$11").annotate("$10")
    assert plan.value[3] == ion.struct([("$12", S("$0"))])


def test_symbol_numbers_are_looked_up_in_the_texts_own_table() -> None:
    text = """
        $ion_symbol_table::{symbols: ["a", "b", null]}
        $10 $11::{$10: $12, $4: $1} '$10'
        $ion_symbol_table::{imports: $ion_symbol_table, symbols: ["c"]}
        $10 $13
        $ion_symbol_table::{symbols: ["d"]}
        $10
        $ion_1_0 $10
    """
    first, second, *rest = read_text(text)
    assert first == S("a")
    assert second == ion.struct([("a", S("$12")), ("$4", S("$1"))]).annotate("b")
    assert rest == [S("$10"), S("a"), S("c"), S("d"), S("$10")]


def test_a_shared_symbol_table_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match=r"'com\.example' \(version 2\)") as caught:
        read_text('$ion_symbol_table::{imports: [{name: "com.example", version: 2, max_id: 9}]} $10')
    assert caught.value.span is not None


def test_another_version_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedError, match=r"\$ion_1_1"):
        read_text("$ion_1_1 1")


def test_spans_cover_annotations_and_brackets() -> None:
    text = "  a::b :: ( c [1, \"x\"] 'd'::'''e''' /* c */ '''f''' {g: h::2.5})  null.int"
    outer, last = read_text(text)

    def spans(element: Element) -> list[str]:
        assert element.span is not None
        return [element.span.text, *(span for child in element.children for span in spans(child))]

    assert spans(outer) == [
        text[2 : text.index("  null")],
        "c", '[1, "x"]', "1", '"x"', "'d'::'''e''' /* c */ '''f'''", "{g: h::2.5}", "h::2.5",
    ]  # fmt: skip
    assert spans(last) == ["null.int"]
    assert str(last.span) == f"<ion>:1:{text.index('null') + 1}"


def test_helpers() -> None:
    [form] = read_text('(lit ($type 3) {a: 1, a: 2} note::"x")')
    assert form.head == "lit"
    assert form.is_form("lit")
    assert not form.is_form("var")
    kind, pairs, note = form.tail
    assert kind.head == "$type"
    assert pairs.field("a") == N(1)
    assert pairs.field("b") is None
    assert pairs.children == (N(1), N(2))
    assert (note.text, note.annotations, note.bare()) == ("x", ("note",), ion.string("x"))
    assert S("x").is_symbol("x")
    assert not S("x").is_symbol("y")
    assert not note.is_symbol()
    assert ion.sexp().head is ion.list_([S("a")]).head is N(1).head is None
    assert ion.null(Kind.INT).is_null
    assert repr(note) == "<note::string 'x'>"


def test_equality_is_by_what_would_be_written() -> None:
    def same(a: str, b: str) -> bool:
        (x,), (y,) = read_text(a), read_text(b)
        assert (x == y) <= (hash(x) == hash(y))
        return x == y

    assert same("nan", "nan")
    assert same("{a: [1, b::(c)]}", "{ 'a' : [ 1 , 'b'::(c), ] }")
    different = [("1.0", "1.00"), ("1.", "1"), ("0e0", "-0e0"), ("true", "1"), ('"a"', "a"), ("[1]", "(1)")]
    different += [
        ("a::1", "1"),
        ("{a:1,b:2}", "{b:2,a:1}"),
        ("null", "null.int"),
        ("2020T", "2020-01T"),
        ("[1]", "[1,1]"),
    ]
    different += [("2020-01-01T00:00Z", "2020-01-01T00:00-00:00"), ('{{"a"}}', "{{YQ==}}"), ("0.", "-0.")]
    assert not [pair for pair in different if same(*pair)]
