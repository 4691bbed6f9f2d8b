"""Hypothesis strategies of elements and values; shared by the tests of this folder."""

from __future__ import annotations

import datetime
from decimal import Decimal

from hypothesis import strategies as st

from firesteel.ion import Element, Kind
from firesteel.values import MISSING, Bag, Clob, Graph, Interval, Sexp, Struct, Symbol, Time, Timestamp

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
symbols = st.one_of(
    st.sampled_from(["a", "null", "true", "nan", "$1", "$12", "$ion", "+", "->", "?", "//", "/*", "", "a b", "é"]),
    texts,
)
ints = st.one_of(st.integers(-5, 5), st.integers(), st.integers(-(2**200), 2**200))
floats = st.floats()
#: As wide as `amazon.ion` reads them without dropping zeros at their end.
decimals = st.builds(
    lambda sign, digits, exponent: Decimal((sign, tuple(map(int, str(digits))), exponent)),
    st.integers(0, 1),
    st.integers(0, 10**34 - 1),
    st.integers(-50, 50),
)


@st.composite
def timestamps(draw: st.DrawFn, digits: int = 25) -> Timestamp:
    """Ion's timestamps: in any precision, with and without a known offset; what is not written has its default."""
    precision = draw(st.sampled_from(["year", "month", "day", "minute", "second"]))
    date = draw(st.dates(datetime.date(2, 1, 1), datetime.date(9998, 12, 31)))
    size = ["year", "month", "day", "minute", "second"].index(precision) + 1
    day = (date.year, date.month, date.day)[:size]
    if size < 4:
        return Timestamp(*day, precision=precision)
    second = draw(seconds(digits)) if size == 5 else Decimal(0)
    offset = draw(st.none() | st.integers(-1439, 1439))
    return Timestamp(*day, draw(st.integers(0, 23)), draw(st.integers(0, 59)), second, offset, precision)


@st.composite
def seconds(draw: st.DrawFn, digits: int = 25) -> Decimal:
    whole = draw(st.integers(0, 59))
    fraction = draw(st.text("0123456789", max_size=digits))
    return Decimal(f"{whole}.{fraction}" if fraction else whole)


def scalars(digits: int = 25) -> st.SearchStrategy[Element]:
    return st.one_of(
        st.builds(Element, st.just(Kind.NULL), st.sampled_from(list(Kind))),
        st.builds(Element, st.just(Kind.BOOL), st.booleans()),
        st.builds(Element, st.just(Kind.INT), ints),
        st.builds(Element, st.just(Kind.FLOAT), floats),
        st.builds(Element, st.just(Kind.DECIMAL), decimals),
        st.builds(Element, st.just(Kind.TIMESTAMP), timestamps(digits)),
        st.builds(Element, st.just(Kind.SYMBOL), symbols),
        st.builds(Element, st.just(Kind.STRING), texts),
        st.builds(Element, st.just(Kind.BLOB), st.binary(max_size=9)),
        st.builds(Element, st.just(Kind.CLOB), st.binary(max_size=9)),
    )


def elements(digits: int = 25, unique: bool = False) -> st.SearchStrategy[Element]:
    """Elements, few and shallow; `unique`: no field's name twice."""

    def pairs(items: list[tuple[str, Element]]) -> tuple[tuple[str, Element], ...]:
        return tuple(dict(items).items() if unique else items)

    def containers(inner: st.SearchStrategy[Element]) -> st.SearchStrategy[Element]:
        items = st.lists(inner, max_size=4).map(tuple)
        fields = st.lists(st.tuples(symbols, inner), max_size=4).map(pairs)
        names = st.lists(symbols, max_size=2).map(tuple)
        return st.one_of(
            st.builds(Element, st.just(Kind.LIST), items),
            st.builds(Element, st.just(Kind.SEXP), items),
            st.builds(Element, st.just(Kind.STRUCT), fields),
            st.builds(lambda element, names: element.annotate(*names), inner, names),
        )

    return st.recursive(scalars(digits), containers, max_leaves=12)


def values() -> st.SearchStrategy[object]:
    """Values of every sort that there is."""
    times = st.builds(Time, st.integers(0, 23), st.integers(0, 59), seconds(), st.none() | st.integers(-1439, 1439))
    leaves = st.one_of(
        st.none(),
        st.just(MISSING),
        st.booleans(),
        ints,
        floats,
        decimals,
        texts,
        symbols.map(Symbol),
        st.binary(max_size=5),
        st.binary(max_size=5).map(Clob),
        st.dates(),
        times,
        timestamps(),
        st.builds(Interval, st.just("year_month"), months=st.integers(-(10**6), 10**6)),
        st.builds(Interval, st.just("day_time"), nanos=st.integers(-(10**20), 10**20)),
        st.builds(Interval, st.just("compound"), months=st.integers(), nanos=st.integers()),
    )

    def containers(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
        items = st.lists(inner, max_size=4)
        structs = st.lists(st.tuples(texts, inner), max_size=4).map(Struct)
        return st.one_of(items, items.map(Sexp), items.map(Bag), structs, structs.map(Graph))

    return st.recursive(leaves, containers, max_leaves=10)
