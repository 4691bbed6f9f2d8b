"""DuckDB's dialect: plans in the form that its extension writes, with functions by their bare names."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import firesteel as fs

TABLE = pa.table(
    {
        "a": pa.array([1, None], pa.int64()),
        "b": pa.array([-3.5, 0.5]),
        "c": pa.array([Decimal("2.50"), Decimal("-2.50")], pa.decimal128(10, 2)),
        "s": pa.array(["ab", "bc"]),
    }
)
_TYPES: list[dict[str, Any]] = [{"i64": {}}, {"fp64": {}}, {"decimal": {"precision": 10, "scale": 2}}, {"string": {}}]
_PLACES = {"a": 0, "b": 1, "c": 2, "s": 3}


def _argument(value: Any) -> dict[str, Any]:
    if value in _PLACES:
        field = {"directReference": {"structField": {"field": _PLACES[value]}}, "rootReference": {}}
        return {"value": {"selection": field}}
    return {"value": {"literal": {"i64": str(value)} if isinstance(value, int) else {"string": value}}}


def _plan(input_: dict[str, Any], function: str) -> str:
    declared = {"extensionFunction": {"functionAnchor": 1, "name": function}}
    root = {"input": input_, "names": ["x"]}
    return json.dumps(
        {"version": {"minorNumber": 53, "producer": "DuckDB"}, "extensions": [declared], "relations": [{"root": root}]}
    )


def _read() -> dict[str, Any]:
    nullable = [{kind: {**one, "nullability": "NULLABILITY_NULLABLE"}} for t in _TYPES for kind, one in t.items()]
    struct = {"types": nullable, "nullability": "NULLABILITY_REQUIRED"}
    return {"read": {"baseSchema": {"names": list(_PLACES), "struct": struct}, "namedTable": {"names": ["t"]}}}


def _answer(plan: str) -> list[Any]:
    session = fs.connect(engine="reference")
    session.register("t", TABLE)
    return [row["x"] for row in session.run(plan).to_python()]


@pytest.mark.parametrize(
    ("function", "arguments", "type_", "values"),
    [
        ("subtract", ["a"], "i64", [-1, None]),
        ("-", ["b"], "fp64", [3.5, -0.5]),
        ("constant_or_null", ["s", "a"], "string", ["ab", None]),
        ("||", ["s", "s"], "string", ["abab", "bcbc"]),
        ("%", ["a", 2], "i64", [1, None]),
        ("^@", ["s", "ab"], "bool", [True, False]),
        ("~~*", ["s", "A%"], "bool", [True, False]),
        ("!~~", ["s", "a%"], "bool", [False, True]),
        ("greatest", ["a", 0], "i64", [1, 0]),
        ("concat", ["s", "x"], "string", ["abx", "bcx"]),
        ("left", ["s", -1], "string", ["a", "b"]),
        ("trim", ["s"], "string", ["ab", "bc"]),
    ],
)
def test_a_function_by_its_name(function: str, arguments: list[Any], type_: str, values: list[Any]) -> None:
    output = {type_: {"nullability": "NULLABILITY_NULLABLE"}}
    call = {"functionReference": 1, "outputType": output, "arguments": [_argument(one) for one in arguments]}
    project = {"project": {"input": _read(), "expressions": [{"scalarFunction": call}]}}
    assert _answer(_plan(project, function)) == values


@pytest.mark.parametrize(("column", "values"), [("b", [-4, 0]), ("c", [3, -3])])
def test_casts_to_integers_round(column: str, values: list[int]) -> None:
    cast = {"type": {"i32": {"nullability": "NULLABILITY_NULLABLE"}}, "input": _argument(column)["value"]}
    project = {"project": {"input": _read(), "expressions": [{"cast": cast}]}}
    assert _answer(_plan(project, "abs")) == values


@pytest.mark.parametrize(("function", "value"), [("max", "bc"), ("last", "bc"), ("string_agg", "ab,bc")])
def test_an_aggregate_of_texts(function: str, value: str) -> None:
    output = {"string": {"nullability": "NULLABILITY_NULLABLE"}}
    call = {"functionReference": 1, "outputType": output, "arguments": [_argument("s")]}
    assert _answer(_plan({"aggregate": {"input": _read(), "measures": [{"measure": call}]}}, function)) == [value]
