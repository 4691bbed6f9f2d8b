"""The catalogue: rows, overloads, result types."""

from __future__ import annotations

import pytest

from firesteel import functions
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.functions.catalog import Signature
from firesteel.plan import build


def test_every_row_says_what_it_does() -> None:
    for row in functions.all_functions():
        assert row.doc[-1] in ".?", row.name
        assert row.signatures, row.name
        assert row.name == row.name.lower()
        assert functions.find(row.name) is row


def test_partiql_names_are_of_one_row_each() -> None:
    names = [name for row in functions.all_functions() for name in row.partiql]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("text", ["(number, number) -> numeric", "(any, any...) -> either", "(any, type) -> target~"])
def test_signatures_read_as_they_print(text: str) -> None:
    assert str(Signature.parse(text)) == text


@pytest.mark.parametrize("text", ["(nombre) -> int", "(number) -> nothing"])
def test_a_typo_in_a_signature_is_found_at_once(text: str) -> None:
    with pytest.raises(ValueError, match="unknown"):
        Signature.parse(text)


NULLABLE, MISSABLE = t.Int64(nullable=True), t.Int64(missable=True)


@pytest.mark.parametrize(
    ("name", "args", "result"),
    [
        ("plus", [t.INT64, t.INT64], "int64"),
        ("plus", [t.INT64, t.DECIMAL], "decimal"),
        ("plus", [NULLABLE, t.INT64], "int64?"),
        ("plus", [MISSABLE, NULLABLE], "int64?~"),
        ("plus", [t.INT64, t.STRING], "missing"),
        ("plus", [t.ANY, t.INT64], "union(decimal, float64, int64)?~"),
        ("eq", [t.INT64, t.STRING], "bool"),
        ("eq", [MISSABLE, t.STRING], "bool?"),
        ("lt", [t.INT64, t.DECIMAL], "bool"),
        ("lt", [t.INT64, t.STRING], "bool~"),
        ("lt", [t.DATE, t.DATE], "bool"),
        ("is_missing", [MISSABLE], "bool"),
        ("char_length", [t.SYMBOL], "int64"),
        ("cast", [t.STRING, t.INT64], "int64~"),
        ("count", [t.ANY], "int64"),
        ("sum", [t.INT64], "int64?"),
        ("avg", [t.INT64], "decimal?"),
        ("min", [t.STRING], "string?"),
        ("struct_concat", [t.Struct((t.Field("a", t.INT64),), open=False)] * 2, "struct(a int64, a int64)"),
    ],
)
def test_result_types(name: str, args: list[t.Type], result: str) -> None:
    row = functions.find(name)
    assert row is not None
    signature = functions.overload(row, args)
    assert signature is not None
    assert str(row.returns(args, signature)) == result


def test_a_call_says_what_it_wants() -> None:
    with pytest.raises(PlanError, match="no function 'uper'") as error:
        build.call("uper", build.lit("a"))
    assert "did you mean 'upper'?" in str(error.value)
    with pytest.raises(PlanError, match="'upper' does not take 2 arguments"):
        build.call("upper", build.lit("a"), build.lit("b"))
