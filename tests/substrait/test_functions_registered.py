"""A function of the user's, in a plan: one line, on both engines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import firesteel as fs
from firesteel import types as t
from firesteel.functions import substrait as standard
from tools.substrait_cases import Case, Literal
from tools.substrait_plans import scalar_plan

URN = "extension:acme:text"


def plan(*args: tuple[t.Type, Any]) -> bytes:
    """A call of the function with these arguments, over a table."""
    given = tuple(Literal(*one) for one in args)
    return scalar_plan([Case("", 0, "", "scalar", (URN,), "shout", given, expected=Literal(t.STRING, ""))])


@pytest.fixture
def shout() -> Iterator[None]:
    fs.register_function(URN, "shout", lambda text: text.upper() + "!", returns="string")
    yield
    standard.unregister(URN, "shout")


def answer(session: fs.Session, *args: tuple[t.Type, Any]) -> Any:
    return session.run(plan(*args)).to_python()[0]["c0"]


def test_on_the_reference_evaluator(shout: None) -> None:
    session = fs.connect(engine="reference")
    assert answer(session, (t.STRING, "ab")) == "AB!"
    assert answer(session, (t.String(nullable=True), None)) is None
    with pytest.raises(fs.EvaluationError, match="'int' object has no attribute 'upper'"):
        answer(session, (t.INT32, 7))


def test_one_that_is_registered_anew_is_called(shout: None) -> None:
    session = fs.connect(engine="reference")
    assert answer(session, (t.STRING, "ab")) == "AB!"
    fs.register_function(URN, "shout", lambda text: text * 2, returns="string", replace=True)
    assert answer(session, (t.STRING, "ab")) == "abab"


def test_another_one_of_the_same_name(shout: None) -> None:
    """What was known of the name before does not count any more."""
    session = fs.connect(engine="reference")
    assert answer(session, (t.STRING, "ab")) == "AB!"
    fs.register_function(URN, "shout", lambda text: len(text), returns="i64", takes=["string"], replace=True)
    with pytest.raises(fs.PlanError, match=r"gives int64, and not string"):
        answer(session, (t.STRING, "ab"))
    standard.unregister(URN, "shout")
    with pytest.raises(fs.UnsupportedError, match="shout"):
        answer(session, (t.STRING, "ab"))


def test_an_unknown_function_is_an_error_with_its_place() -> None:
    with pytest.raises(fs.UnsupportedError, match="scalar function 'extension:acme:text:shout'") as failure:
        answer(fs.connect(engine="reference"), (t.STRING, "ab"))
    assert "relations[0]/root/input/project/expressions[0]" in str(failure.value)


@pytest.mark.spark
def test_on_spark(shout: None, spark: Any) -> None:
    """In Python's workers; as a column where there is such a form."""
    from pyspark.sql import functions as F

    session = fs.connect(spark=spark, in_process=False)
    assert answer(session, (t.STRING, "ab")) == "AB!"
    assert answer(session, (t.String(nullable=True), None)) is None
    native = fs.connect(spark=spark, in_process=False, fallback="refuse")
    fs.register_function(URN, "shout", returns="string", column=lambda text: F.repeat(text, 2), replace=True)
    assert answer(native, (t.STRING, "ab")) == "abab"
