"""The reader of the specification's function cases."""

from __future__ import annotations

from collections import Counter

from firesteel import types as t
from tools import substrait_cases as cases


def test_all_are_read() -> None:
    found = list(cases.load())
    assert Counter(case.kind for case in found) == {"scalar": 1_125, "aggregate": 186, "window": 6}
    assert sum(case.expected == cases.ERROR for case in found) == 49
    assert sum(case.expected == cases.UNDEFINED for case in found) == 8
    assert sum(bool(case.options) for case in found) == 164


def test_forms() -> None:
    by_text = {case.text: case for case in cases.load()}
    scalar = by_text["add(120::i8, 10::i8) [overflow:ERROR] = <!ERROR>"]
    assert scalar.args == (cases.Literal(t.INT8, 120), cases.Literal(t.INT8, 10))
    assert scalar.options == (("overflow", "ERROR"),)
    table = by_text["((42.0)) std_dev(SAMPLE::enum, col0::fp32) = Null::fp32?"]
    assert table.rows == ((42.0,),)
    assert table.args == (cases.Enum("SAMPLE"), cases.Column(0, t.FLOAT32))
    window = by_text["lag(col0, 2::i32) OVER f1 = (Null, Null, 1998, 1999)::i32?"]
    assert window.rows == ((1998,), (1999,), (2000,), (2001,))
    assert window.expected.value == [None, None, 1998, 1999]
