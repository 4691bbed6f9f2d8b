"""Calls as text: names and order of arguments are those that PySpark sends through Spark Connect."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest
from pyspark.sql import functions
from pyspark.sql.connect.functions import builtin

from firesteel.spark.encoding import columns as F
from firesteel.spark.sql_text import functions as texts
from firesteel.spark.sql_text.columns import TextColumn
from firesteel.spark.sql_text.literals import NoTextError
from firesteel.spark.sql_text.recording import recording
from tests.conftest import ROOT

#: The functions that the compiler calls.
USED = sorted(
    {
        name
        for path in (ROOT / "src" / "firesteel" / "spark").rglob("*.py")
        for name in re.findall(r"\bF\.([a-z_0-9]+)", path.read_text(encoding="utf-8"))
        if inspect.isfunction(getattr(functions, name, None))
    }
)
#: Functions of these names have a form of their own, or none; and those that take functions are tested by hand.
APART = {"col", "lit", "when", "like", "call_function", "bitwise_not", "timestamp_add", "try_make_timestamp_ntz"}
APART |= {"from_json", "to_json", "product", "extract", "convert_timezone"}
TAKES_FUNCTIONS = {"aggregate", "array_sort", "exists", "filter", "forall", "map_filter", "transform"}
TAKES_FUNCTIONS |= {"transform_values", "zip_with"}


def given(name: str, make: Any) -> list[Any]:
    """An argument for each parameter that has no default."""
    found: list[Any] = []
    for i, param in enumerate(inspect.signature(getattr(functions, name)).parameters.values()):
        if param.default is not inspect.Parameter.empty:
            break
        if param.kind is param.VAR_POSITIONAL:
            found += [make(f"c{i}"), make(f"c{i + 1}")]
        elif "Column" in str(param.annotation):
            found.append(make(f"c{i}"))
        else:
            found.append(7 if "int" in str(param.annotation) else "DAY")
    return found


def text(expression: Any) -> str:
    match type(expression).__name__:
        case "UnresolvedFunction":
            distinct = "DISTINCT " if expression._is_distinct else ""
            return f"{expression._name}({distinct}{', '.join(map(text, expression._args))})"
        case "ColumnReference":
            return str(expression._unparsed_identifier)
    return repr(expression._value)


@pytest.mark.parametrize("name", [name for name in USED if name not in APART | TAKES_FUNCTIONS])
def test_a_call_is_what_connect_sends(name: str) -> None:
    theirs = text(getattr(builtin, name)(*given(name, builtin.col))._expr)
    ours = texts.text_of(name, tuple(given(name, TextColumn)), {}).sql
    assert theirs == ours or theirs.startswith(ours[:-1] + ", ")  # what is left out has the same default in SQL


def test_trims_name_the_characters_first() -> None:
    a, b = TextColumn("a"), TextColumn("b")
    for name in ("trim", "ltrim", "rtrim"):
        assert texts.text_of(name, (a, b), {}).sql == f"{name}(b, a)"
        assert text(getattr(builtin, name)(builtin.col("a"), builtin.col("b"))._expr) == f"{name}(b, a)"


def test_functions_as_arguments() -> None:
    with recording():
        found: Any = F.aggregate(F.col("c1"), F.lit(0), lambda a, b: a + b, lambda a: a * 2)
    assert re.fullmatch(r"aggregate\(c1, 0, \((x\d+), (x\d+)\) -> \1 \+ \2, (x\d+) -> \3 \* 2\)", found.sql)


def test_names_of_functions_are_quoted() -> None:
    assert texts.text_of("call_function", ("div", TextColumn("c1")), {}).sql == "div(c1)"
    assert texts.text_of("call_function", ("f(1), drop", TextColumn("c1")), {}).sql == "`f(1), drop`(c1)"
    with pytest.raises(NoTextError):
        texts.text_of("product", (TextColumn("c1"),), {})


def test_without_recording_columns_are_sparks() -> None:
    with recording(), recording(on=False):
        assert not isinstance(F.Window.unboundedPreceding, TextColumn)
    with recording():
        over: Any = F.row_number().over(
            F.Window.partitionBy("c1").orderBy(F.col("c2").desc_nulls_last()).rowsBetween(-1, 0)
        )
    assert over.sql == (
        "row_number() OVER (PARTITION BY c1 ORDER BY c2 DESC NULLS LAST ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"
    )
