"""Data files: what the C extension gives, and when our reader takes over."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from firesteel.errors import ParseError
from firesteel.ion import data
from firesteel.node import canonical
from firesteel.values import Bag, Value

#: The room; the name `firesteel.ion` is the function of the public interface.
ion = importlib.import_module("firesteel.ion")

# All of these come through the bare value model as they are.
KEPT = """
    1 -1 1.50 1e0 nan true null null.int "a" 'a b' a {{aGk=}} {{"hi"}} [1, [a]] (a + (b)) {a: 1, b: {}}
    x::1 x::1.50 x::1e0 x::true x::null.int x::"a" x::a x::{{aGk=}} x::{{"hi"}} x::[1] x::(a) x::{a: y::1}
    123456789012345678901234567890 1234567890123456789012345678901234. -0. -0e0 0d5
    2020T 2020-02T 2020-02-03 2020-02-03T04:05Z 2020-02-03T04:05-00:00 x::2020-02-03T04:05:06.000+01:30
    2020-02-03T04:05:06.7-00:00 2020-02-03T04:05:06.123456Z 2020-02-03T04:05:06.123456789Z
    0001-01-01T00:00:00+23:59 9999-12-31T23:59:59.999999-23:59
    $bag::[1, $missing::null] $date::{year: 2021, month: 8, day: 22} {a: $time::"04:05:06"} $ion::(a) $0
"""
# And these are read by us.
TAKEN_OVER = [
    "{a: 1, b: 2, a: 3}",
    "[{a: 1, a: 2}]",
    "2020-02-03T04:05:06.0123456789Z",
    "2020-02-03T04:05:06.000000000001Z",
    "{$0: 1}",
    "$10",
    "1/* c */",
    '"' + "x" * (1 << 25) + '"',
    "[" * 3000 + "]" * 3000,
    "\ufeff1",
]


@pytest.fixture
def taken_over(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Filled when our own reader is asked."""
    calls: list[str] = []

    def spy(*args: str) -> Iterator[ion.Element]:
        calls.append(args[1])
        return ion.iter_elements(*args)

    monkeypatch.setattr(data, "iter_elements", spy)
    return calls


def slowly(document: str | bytes) -> list[Value]:
    return [ion.to_value(element) for element in ion.read(document)]


@pytest.mark.parametrize("binary", [False, True])
def test_what_the_extension_gives(binary: bool, taken_over: list[str]) -> None:
    elements = ion.read(KEPT)
    if binary:  # nine digits of a second may be more, which cannot be seen in binary
        elements = [element for element in elements if getattr(element.value, "digits", 0) < 9]
    document = ion.write(elements, binary=True) if binary else KEPT
    assert canonical(list(ion.iter_values(document))) == canonical(slowly(document))
    assert not taken_over


@pytest.mark.parametrize("record", TAKEN_OVER, ids=[record[:30] for record in TAKEN_OVER])
def test_what_our_reader_takes_over(record: str, taken_over: list[str]) -> None:
    document = record if record.startswith("\ufeff") else f"0 first::1\n{record} [last]"
    assert canonical(list(ion.iter_values(document))) == canonical(slowly(document))
    assert bool(taken_over) == (record != "\ufeff1")
    binary = ion.write(ion.read(document), binary=True)
    assert canonical(list(ion.iter_values(binary))) == canonical(slowly(binary))


def test_numbers_of_symbols_are_ions_own() -> None:
    assert list(ion.iter_values("$4")) == ["name"]
    assert slowly("$4") == ["$4"]


def test_files(tmp_path: Path) -> None:
    values = [Bag([1, "é"]), None]
    text, binary = tmp_path / "a.ion", tmp_path / "a.10n"
    text.write_text("\n".join(map(ion.dumps, values)), "utf-8")
    binary.write_bytes(ion.write(map(ion.from_value, values), binary=True))
    for path in (text, binary):
        assert list(ion.iter_values(path)) == values
    with pytest.raises(FileNotFoundError):
        list(ion.iter_values(tmp_path / "none.ion"))


BAD: list[tuple[str | bytes, int, str, str | None]] = [
    ("1 {a: 2} {b: ", 2, "unclosed '{'", "<ion>:1:10"),
    ("1\n[2}", 1, "expected ',' or ']', found '}'", "<ion>:2:3"),
    ("1\n$date::{}", 1, "$date needs an int", "<ion>:2:1"),
    ("1 \ud800", 0, "half of a surrogate pair", "<ion>:1:3"),
    (b"1 \xff", 0, "expected UTF-8", "<ion>:1:3"),
    (b"\xe0\x01\x00\xea\x20\x21", 1, "<ion>, byte 6: expected 1 more byte", None),
]


@pytest.mark.parametrize(("document", "good", "message", "where"), BAD, ids=[ascii(document) for document, *_ in BAD])
def test_errors_are_ours_and_come_when_they_are_reached(
    document: str | bytes, good: int, message: str, where: str | None
) -> None:
    values = ion.iter_values(document)
    for _ in range(good):
        next(values)
    with pytest.raises(ParseError) as caught:
        list(values)
    assert caught.value.message.startswith(message)
    assert (str(caught.value.where) if caught.value.where else None) == where


def test_what_is_thrown_into_the_generator_goes_through() -> None:
    values = ion.iter_values("1 2 3")
    assert next(values) == 1
    with pytest.raises(KeyError):
        values.throw(KeyError("x"))  # type: ignore[attr-defined]
