"""The suite of relation cases: how a case is read, what is a failure, and what is not."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from firesteel.values import Timestamp
from tools.conformance_relations import verdicts
from tools.relation_cases import Case, load

MOMENT = "'2024-03-01T12:00:00.500'::pts<3>"


def written(folder: Path, **parts: Any) -> Case:
    """A case that is written to a file and read again."""
    (folder / "area").mkdir(exist_ok=True)
    given = {"kind": "KIND_POSITIVE", "tables": {}, "plan": {}, "expect": None, **parts}
    (folder / "area" / "one.json").write_text(json.dumps(given))
    (case,) = load(folder)
    return case


def test_tables_have_exactly_the_declared_types(tmp_path: Path) -> None:
    flat = {"schema": "k:i64?, d:decimal<5,2>, t:pts<3>", "rows": [["null::i64?", "2.50::decimal<5,2>", MOMENT]]}
    case = written(tmp_path, tables={"t": flat, "u": {"schema": "s:struct<x:i64, y:string?>?"}})
    assert (case.name, case.area, case.kind) == ("area/one", "area", "positive")
    table = case.tables["t"]
    assert table.rows == ((None, Decimal("2.50"), Timestamp(2024, 3, 1, 12, 0, Decimal("0.500"))),)
    k, d, t = pa.int64(), pa.field("d", pa.decimal128(5, 2), nullable=False), pa.timestamp("ms")
    assert table.to_arrow().schema == pa.schema([pa.field("k", k), d, pa.field("t", t, nullable=False)])
    inner = pa.struct([pa.field("x", pa.int64(), nullable=False), pa.field("y", pa.string())])
    assert case.tables["u"].to_arrow() == pa.schema([pa.field("s", inner)]).empty_table()


def test_a_value_has_the_type_of_its_column(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no value of the column 'k', a int64"):
        written(tmp_path, tables={"t": {"schema": "k:i64", "rows": [["1::i32"]]}})


def two(folder: Path, schema: str, *rows: list[str], order: str = "MULTISET", **parts: Any) -> Case:
    """A case whose plan reads the rows (2, NULL), (1, 'a') of a table."""
    names = {"names": ["k", "v"]}
    types = [{"i64": {"nullability": "NULLABILITY_REQUIRED"}}, {"string": {"nullability": "NULLABILITY_NULLABLE"}}]
    base = {**names, "struct": {"types": types, "nullability": "NULLABILITY_REQUIRED"}}
    rel = {"read": {"baseSchema": base, "namedTable": {"names": ["t"]}}}
    return written(
        folder,
        tables={"t": {"schema": "k:i64, v:string?", "rows": [["2::i64", "null::string?"], ["1::i64", "'a'::string?"]]}},
        plan={"relations": [{"root": {"input": rel, **names}}]},
        expect={"schema": schema, "rows": {"order": f"ORDER_{order}", "values": list(rows)}},
        **parts,
    )


FIRST, SECOND = ["1::i64", "'a'::string?"], ["2::i64", "null::string?"]


def judged(case: Case) -> str:
    """What is wrong, or nothing."""
    (verdict,) = verdicts([case])
    assert verdict.passed is not bool(verdict.detail)
    return verdict.detail


def test_rows_in_any_order(tmp_path: Path) -> None:
    assert judged(two(tmp_path, "k:i64, v:string?", FIRST, SECOND)) == ""
    assert "not in order" in judged(two(tmp_path, "k:i64, v:string?", FIRST, SECOND, order="SEQUENCE"))


@pytest.mark.parametrize(
    ("schema", "rows", "said"),
    [
        ("k:i64, w:string?", [FIRST, SECOND], "it is a bag(struct(k int64, v string?)), not a"),
        ("k:i64?, v:string?", [FIRST, SECOND], "it is a"),
        ("k:i32, v:string?", [["1::i32", "'a'::string?"], ["2::i32", "null::string?"]], "it is a"),
        ("k:i64, v:string?", [FIRST], "got "),
        ("k:i64, v:string?", [FIRST, SECOND, SECOND], "got "),
        ("k:i64, v:string?", [FIRST, ["2::i64", "''::string?"]], "got "),
    ],
)
def test_a_case_fails_by_a_name_a_type_or_a_row(tmp_path: Path, schema: str, rows: list[list[str]], said: str) -> None:
    assert judged(two(tmp_path, schema, *rows)).startswith(said)


def test_invalid_plans_are_refused_and_unresolved_ones_cannot_pass(tmp_path: Path) -> None:
    assert judged(two(tmp_path, "k:i64, v:string?", kind="KIND_INVALID_PLAN")) == "it is not refused"
    assert judged(two(tmp_path, "k:i64, v:string?", kind="KIND_UNRESOLVED")).startswith("a bag(struct(k int64, v str")
    case = two(tmp_path, "k:i64, v:string?", kind="KIND_INVALID_PLAN")
    case.plan["relations"][0]["root"]["names"].pop()
    (verdict,) = verdicts([case])
    assert verdict.passed
    case.plan["relations"][0]["root"]["input"] = {"update": {"namedTable": {"names": ["t"]}}}
    (verdict,) = verdicts([case])
    assert not verdict.passed  # what is unsupported may be valid
