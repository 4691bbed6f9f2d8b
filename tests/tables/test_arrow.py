"""Every type of Arrow, in and out of the reference engine; and answers as Arrow tables with the plan's own schema."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

import firesteel as fs
from firesteel import types as t
from firesteel import values
from firesteel.tables import arrow_rows, arrow_table, arrow_type, to_arrow
from firesteel.tables.arrow.arrays import Unfit, array_of
from firesteel.tables.arrow.kinds import KINDS
from tests.tables.arrow_cases import LEAVES, WRAPPERS, Built, Case, columns, leaf
from tests.tables.file_plans import AB, files, item, plan, root


def same(actual: Any, expected: Any) -> bool:
    """The same values, written with the same digits."""
    return values.equal(actual, expected) and t.type_of(actual) == t.type_of(expected)


def told(value: Any) -> Any:
    """The value without attributes that are NULL: Arrow does not tell them from those that are not there."""
    return values.fold(value, lambda item: item, _without_nulls)


def _without_nulls(value: Any, inner: list[Any]) -> Any:
    if not isinstance(value, values.Struct):
        return inner
    pairs = zip((name for name, _ in value.pairs), inner, strict=True)
    return values.Struct([(name, item) for name, item in pairs if item is not None])


@pytest.fixture
def session() -> fs.Session:
    return fs.connect(engine="reference")


# ---------------------------------------------------------------------------------------------------------------------
# In


@pytest.mark.parametrize("case", LEAVES, ids=lambda case: case.name)
def test_a_type_is_read(case: Case, session: fs.Session) -> None:
    array, expected = leaf(case)
    table = pa.table({"a": array})
    assert arrow_type(table.schema).fields[0].type == t.absent(case.type, nullable=True)
    session.register("t", table)
    found = session.query("SELECT VALUE t.a FROM t").value()
    assert same(found, values.Bag(expected))


@settings(max_examples=150)
@given(columns())
def test_types_are_read_however_they_nest(built: Built) -> None:
    array, expected = built
    rows = list(arrow_rows(pa.table({"a": array})))
    assert same(rows, [values.Struct({"a": item}) for item in expected])


@settings(max_examples=150)
@given(columns())
def test_what_is_read_goes_out_and_is_read_again(built: Built) -> None:
    array, expected = built
    type_ = t.Bag(arrow_type(pa.schema([("a", array.type)])))
    table = to_arrow(values.Bag(values.Struct({"a": item}) for item in expected), type_)
    assert table.num_rows == len(expected)
    table.validate(full=True)
    assert values.equal(
        *(told(rows) for rows in (list(arrow_rows(table)), [values.Struct({"a": i}) for i in expected]))
    )
    assert to_arrow(values.Bag(), type_).column_names == ["a"]


def test_every_test_of_arrows_for_a_type_is_in_a_row() -> None:
    covered = {test for kind in KINDS for test in kind.tests}
    groups = {"is_floating", "is_integer", "is_nested", "is_primitive", "is_temporal", "is_signed_integer"}
    others = {"is_unsigned_integer", "is_unicode", "is_large_unicode"}
    parts = {f"is_decimal{n}" for n in (32, 64, 128, 256)} | {"is_date32", "is_date64", "is_time32", "is_time64"}
    known = {name for name in dir(pa.types) if name.startswith("is_") and not name.endswith("_value")}
    assert known - groups - others - parts == covered


def test_a_year_beyond_pythons_is_an_error_of_ours(session: fs.Session) -> None:
    for array in (pa.array([1 << 60], pa.timestamp("us")), pa.array([10**7], pa.date32())):
        session.register("t", pa.table({"a": array}), replace=True)
        with pytest.raises(fs.EvaluationError, match="column 'a' holds a value that is out of range"):
            session.query("SELECT VALUE t.a FROM t").value()


def test_a_nanosecond_makes_a_difference(session: fs.Session) -> None:
    for type_ in (pa.timestamp("ns"), pa.timestamp("ns", "UTC"), pa.time64("ns"), pa.duration("ns")):
        session.register("t", pa.table({"a": pa.array([1, 2, 2], type_)}), replace=True)
        assert session.query("SELECT count(DISTINCT t.a) AS n FROM t").to_python() == [{"n": 2}]
        joined = session.query("SELECT count(*) AS n FROM t AS x, t AS y WHERE x.a = y.a")
        assert joined.to_python() == [{"n": 5}]


def test_names_of_a_struct_may_repeat() -> None:
    array = pa.StructArray.from_arrays([pa.array([1]), pa.array(["x"])], names=["a", "a"])
    (row,) = arrow_rows(pa.table({"s": array}))
    assert row == values.Struct({"s": values.Struct([("a", 1), ("a", "x")])})


def test_a_table_without_columns_has_its_rows(session: fs.Session) -> None:
    session.register("t", pa.Table.from_struct_array(pa.array([{}] * 3, pa.struct([]))))
    assert session.query("SELECT VALUE 1 FROM t").to_python() == [1, 1, 1]


def test_what_is_deep_or_no_table_is_refused(session: fs.Session) -> None:
    type_ = pa.int8()
    for _ in range(200):
        type_ = pa.list_(type_)
    with pytest.raises(fs.UnsupportedError, match="nests more than 64 levels"):
        session.register("t", pa.table({"a": pa.array([], type_)}))
    with pytest.raises(fs.UnsupportedError, match="not a table"):
        session.register("t", pa.array([1]))
    with pytest.raises(fs.UnsupportedError, match="no value for a Python object"):
        session.register("t", pd.DataFrame({"a": [1, "x", object()]}))
    session.register("t", pa.table({"a": pa.array([[(1, 2)]], pa.map_(pa.int8(), pa.int8()))}))
    with pytest.raises(fs.UnsupportedError, match="a map whose keys are not text"):
        session.query("SELECT * FROM t").value()


def test_whatever_gives_a_table_is_one(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2]})
    pq.write_table(table, tmp_path / "a.parquet")
    batch = table.to_batches()[0]
    reader = pa.RecordBatchReader.from_batches(table.schema, [batch])
    for source in (table, batch, reader, ds.dataset(tmp_path / "a.parquet"), table.to_pandas()):
        assert arrow_table(source).to_pydict() == {"a": [1, 2]}


def test_nanoseconds_that_are_none_are_microseconds() -> None:
    frame = pd.DataFrame({"a": pd.to_datetime(["2026-01-01 00:00:00.000001"]), "b": pd.to_datetime([1])})
    types = [field.type for field in arrow_type(arrow_table(frame.astype("datetime64[ns]")).schema).fields]
    assert [t.proper(type_) for type_ in types] == [t.Timestamp(6), t.Timestamp(9)]


def test_int96_is_an_instant(session: fs.Session, tmp_path: Path) -> None:
    moment = datetime.datetime(9999, 1, 1, 1, 2, 3, 4)
    table = pa.table({"a": pa.array([moment]), "l": pa.array([[{"x": moment, "y": 1}]])})
    pq.write_table(table, tmp_path / "t.parquet", use_deprecated_int96_timestamps=True, store_schema=False)
    session.register("t", tmp_path / "t.parquet")
    stamp = values.Timestamp(9999, 1, 1, 1, 2, Decimal("3.000004"), 0)
    (row,) = session.query("SELECT * FROM t").value()
    assert same(row, values.Struct({"a": stamp, "l": [values.Struct({"x": stamp, "y": 1})]}))


# ---------------------------------------------------------------------------------------------------------------------
# Out


@pytest.fixture
def tables(session: fs.Session) -> fs.Session:
    money = pa.array([Decimal("1.50"), None], pa.decimal128(11, 2))
    table = pa.table({"id": pa.array([1, 2], pa.int32()), "d": money, "n": pa.array([None, None], pa.string())})
    session.register("t", table)
    session.register("mixed", [{"a": 1}, {"a": "x"}, {"a": [2]}, {}])
    session.register("e", [{}] * 20)
    return session


MONEY = pa.decimal128(11, 2)
SCHEMAS: list[tuple[str, dict[str, Any], int]] = [
    ("SELECT * FROM t", {"id": pa.int32(), "d": MONEY, "n": pa.string()}, 2),
    ("SELECT t.d, t.n FROM t WHERE t.id > 7", {"d": MONEY, "n": pa.string()}, 0),
    ("SELECT VALUE t.d FROM t WHERE false", {"_1": MONEY}, 0),
    ("SELECT e.zz FROM e", {"zz": pa.null()}, 20),
    ("SELECT VALUE {} FROM e", {}, 20),
    ("SELECT VALUE e FROM e", {}, 20),
    ("SELECT VALUE t.n FROM t", {"_1": pa.string()}, 2),
    ("SELECT count(*) AS c, max(t.d) AS d FROM t", {"c": pa.int64(), "d": MONEY}, 1),
    ("SELECT [t.id] AS l, {'x': t.d} AS s FROM t", {"l": pa.list_(pa.int32()), "s": pa.struct([("x", MONEY)])}, 2),
    ("SELECT t.id FROM t UNION ALL SELECT u.id AS id FROM t AS u", {"id": pa.int32()}, 4),
    ("1 + 1", {"_1": pa.int64()}, 1),
    ("[]", {}, 0),
]


@pytest.mark.parametrize(("query", "schema", "rows"), SCHEMAS, ids=[query for query, _, _ in SCHEMAS])
def test_the_schema_of_an_answer_is_the_plans(
    query: str, schema: dict[str, Any], rows: int, tables: fs.Session
) -> None:
    result = tables.query(query)
    table = result.to_arrow()
    assert dict(zip(table.schema.names, table.schema.types, strict=True)) == schema
    assert table.num_rows == rows
    assert result.to_pandas().shape == (rows, len(schema))


def test_values_of_several_types_are_a_union_and_objects(tables: fs.Session) -> None:
    result = tables.query("SELECT m.a, {'in': [m.a]} AS b FROM mixed AS m")
    table = result.to_arrow()
    table.validate(full=True)
    assert pa.types.is_union(table.schema.field("a").type)
    assert table.column("a").to_pylist() == [1, "x", [2], None]
    frame = result.to_pandas()
    assert list(frame.columns) == ["a", "b"]
    assert list(frame["a"]) == [1, "x", [2], None]
    assert [row["in"] for row in frame["b"]][:3] == [[1], ["x"], [[2]]]


def test_a_value_that_its_type_does_not_hold_changes_the_type() -> None:
    type_ = t.Bag(t.Decimal(3, 1))
    assert to_arrow([Decimal("12.345")], type_).schema.field(0).type == pa.decimal128(38, 3)
    assert to_arrow([1 << 70], t.Bag(t.INT)).schema.field(0).type == pa.decimal128(38, 0)
    assert to_arrow([0.1], t.Bag(t.FLOAT32)).schema.field(0).type == pa.float64()
    assert to_arrow([1, 2.5]).schema.field(0).type == pa.float64()
    assert to_arrow([(1 << 53) + 1, 2.5]).schema.field(0).type != pa.float64()
    with pytest.raises(fs.UnsupportedError, match="Arrow has no type for the column '_1'"):
        to_arrow([values.Time(1, 2, Decimal(3), 60)])


def test_rows_of_names_that_repeat_are_columns_by_position(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", None]}), tmp_path / "t.parquet")
    trusting = fs.connect(engine="reference", policy=fs.Policy(allow_read=[tmp_path]))
    named = plan(root(files(item(str(tmp_path / "t.parquet")), columns=AB), "n", "n"))
    table = trusting.run(named).to_arrow()
    assert table.schema.names == ["n", "n"]
    assert [column.to_pylist() for column in table.columns] == [[1, 2], ["x", None]]


def test_no_rows_are_written_with_their_columns(tables: fs.Session, tmp_path: Path) -> None:
    tables.query("SELECT t.id, t.d FROM t WHERE false").write(tmp_path / "t.parquet")
    schema = pq.read_schema(tmp_path / "t.parquet")
    assert schema.types == [pa.int32(), pa.decimal128(11, 2)]


def test_nanoseconds_are_not_cut_in_json(session: fs.Session, tmp_path: Path) -> None:
    session.register("t", pa.table({"a": pa.array([1], pa.timestamp("ns"))}))
    with pytest.raises(fs.UnsupportedError, match="more than 6 digits"):
        session.query("SELECT * FROM t").write(tmp_path / "t.json")
    session.query("SELECT * FROM t").write(tmp_path / "t.parquet")
    assert pq.read_table(tmp_path / "t.parquet").column("a").cast(pa.int64()).to_pylist() == [1]


def test_rows_are_added_to_a_table_as_they_are() -> None:
    for case in LEAVES:
        if case.name not in ("uuid", "bool8", "decimal_of_hundreds", "uint64"):  # these have other values here
            array = array_of([*case.expected, None], case.arrow)
            assert values.equal(
                list(arrow_rows(pa.table({"a": array}))), list(arrow_rows(pa.table({"a": leaf(case)[0]})))
            )
    with pytest.raises(Unfit):
        array_of([values.Timestamp(2026, second=Decimal("1e-9"))], pa.timestamp("us"))


def test_wrappers_have_values() -> None:
    """The cases themselves: Arrow's own reading of what is nested has as many values."""
    for name, wrap in WRAPPERS.items():
        array, expected = wrap(leaf(LEAVES[4]))
        assert len(array) == len(expected), name


def test_pandas_columns_of_mixed_objects() -> None:
    """Arrow has no type for them; the values stay what they are, and what pandas takes for missing is NULL."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {
            "o": [{"a": 1}, [1, 2], None, float("nan")],
            "m": [1, "x", 2.5, pd.NaT],
            "d": [pd.Timestamp("2024-01-01"), pd.NaT, None, pd.Timestamp("2024-01-02")],
            "i": pd.array([1, None, 3, 4], dtype="Int64"),
        }
    )
    session = fs.connect(engine="reference")
    session.register("t", frame)
    rows = session.query("SELECT t.o, t.m, t.i, t.d IS NULL AS n FROM t AS t").to_python()
    assert [row["o"] for row in rows] == [{"a": 1}, [1, 2], None, None]
    assert [row["m"] for row in rows] == [1, "x", 2.5, None]
    assert [row["i"] for row in rows] == [1, None, 3, 4]
    assert [row["n"] for row in rows] == [False, True, True, False]
    assert session.query("SELECT VALUE t.m + 1 FROM t AS t WHERE t.i < 2").to_python() == [2]
