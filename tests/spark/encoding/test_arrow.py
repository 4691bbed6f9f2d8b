"""Every type of Arrow, and every answer in Arrow: the same on both engines, from memory and from files."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import firesteel as fs
from firesteel import types as t
from firesteel import values
from tests.tables.arrow_cases import LEAVES, WRAPPERS, Built, columns, leaf
from tests.tables.file_plans import files, item, plan, root, schema

pytestmark = pytest.mark.spark

Pair = tuple[fs.Session, fs.Session]


@pytest.fixture(scope="module")
def pair(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    policy = fs.Policy(allow_read=[tmp_path_factory.getbasetemp()])
    reference = fs.connect(engine="reference", policy=policy)
    return reference, fs.connect(spark=spark, in_process=False, fallback="refuse", policy=policy)


def answers(pair: Pair, source: Any, query: str = "SELECT * FROM t") -> Iterator[fs.Result]:
    for session in pair:
        session.register("t", source, replace=True)
        yield session.query(query)


def ensure_same(results: Iterable[fs.Result]) -> values.Value:
    """The same values with the same digits, and the same tables of Arrow's."""
    reference, spark = results
    expected, actual = reference.value(), spark.value()
    assert values.equal(actual, expected)
    assert t.type_of(in_order(actual)) == t.type_of(in_order(expected))
    mine, theirs = spark.to_arrow(), reference.to_arrow()
    assert mine.schema == theirs.schema
    assert mine.num_rows == theirs.num_rows
    return expected


def in_order(value: values.Value) -> values.Value:
    """The value with the attributes of structs by their names: Spark's variants do not keep another order."""
    return values.fold(value, lambda leaf: leaf, _by_name)


def _by_name(value: values.Value, inner: list[Any]) -> values.Value:
    if not isinstance(value, values.Struct):
        return type(value)(inner)
    pairs = zip((name for name, _ in value.pairs), inner, strict=True)
    return values.Struct(sorted(pairs, key=lambda pair: pair[0]))


def together(built: Iterable[tuple[str, Built]]) -> list[pa.Table]:
    """Columns as few tables: those of one length are one."""
    sizes: dict[int, dict[str, Any]] = {}
    for name, (array, _) in built:
        sizes.setdefault(len(array), {})[name] = array
    return [pa.table(found) for found in sizes.values()]


def nested() -> Iterator[tuple[str, Built]]:
    """Each container of some leaves, and containers of containers."""
    for case in LEAVES:
        if case.name in (
            "int32",
            "string",
            "timestamp_ns_None",
            "timestamp_us_UTC",
            "time_us",
            "uuid",
            "decimal256(76, 1)",
        ):
            for name, wrap in WRAPPERS.items():
                yield f"{name} of {case.name}", wrap(leaf(case))
    for name, wrap in WRAPPERS.items():
        yield f"{name} of structs", wrap(WRAPPERS["struct"](leaf(LEAVES[4])))


def test_every_type_in_memory(pair: Pair) -> None:
    for table in together([*((case.name, leaf(case)) for case in LEAVES), *nested()]):
        found = ensure_same(answers(pair, table))
        assert len(found) == table.num_rows


def test_slices(pair: Pair) -> None:
    for table in together(nested()):
        found = ensure_same(answers(pair, table.slice(1)))
        assert len(found) == table.num_rows - 1


def test_tables_without_rows(pair: Pair) -> None:
    whole = pa.table({case.name: leaf(case)[0].slice(0, 0) for case in LEAVES})
    assert len(ensure_same(answers(pair, whole))) == 0
    assert next(answers(pair, whole)).to_arrow().num_columns == len(LEAVES)
    for table in together(nested()):  # a table without batches has columns without chunks
        assert len(ensure_same(answers(pair, pa.Table.from_batches([], schema=table.schema)))) == 0
    bare = pa.Table.from_struct_array(pa.array([{}] * 3, pa.struct([])))
    assert ensure_same(answers(pair, bare, "SELECT VALUE 1 FROM t")) == values.Bag([1, 1, 1])


def written(path: Path, table: pa.Table) -> pa.Table:
    """As much of a table as Parquet takes, in a file."""
    kept = []
    for name in table.column_names:
        try:
            pq.write_table(table.select([name]), path)
        except (pa.ArrowException, OSError):
            continue
        kept.append(name)
    pq.write_table(table.select(kept), path)
    return table.select(kept)


def test_every_type_in_parquet(pair: Pair, tmp_path: Path) -> None:
    odd = [
        case
        for case in LEAVES
        if case.name in ("string", "timestamp_ns_None", "timestamp_us_UTC", "time_us", "uuid", "halffloat")
    ]
    containers = ("list", "struct", "map", "dictionary")
    wrapped = [(f"{name} of {case.name}", WRAPPERS[name](leaf(case))) for name in containers for case in odd]
    total = 0
    for i, table in enumerate(together([*((case.name, leaf(case)) for case in LEAVES), *wrapped])):
        file = tmp_path / f"t{i}.parquet"
        kept = written(file, table)
        total += kept.num_columns
        ensure_same(answers(pair, file))
        if i == 0:
            assert ensure_same(answers(pair, file, "SELECT count(*) AS n FROM t")) is not None
    assert total > 55


def test_a_nanosecond_makes_a_difference(pair: Pair, tmp_path: Path) -> None:
    types = {"a": pa.timestamp("ns"), "b": pa.timestamp("ns", "UTC"), "c": pa.time64("ns"), "d": pa.duration("ns")}
    table = pa.table({name: pa.array([1, 2, 2, None], type_) for name, type_ in types.items()})
    pq.write_table(table, tmp_path / "t.parquet")
    counts = ", ".join(f"count(DISTINCT t.{name}) AS {name}" for name in types)
    for source in (table, tmp_path / "t.parquet"):
        found = ensure_same(answers(pair, source, f"SELECT {counts} FROM t"))
        assert values.to_python(found) == [dict.fromkeys(types, 2)]
        for name in types:
            joined = f"SELECT count(*) AS n FROM t AS x, t AS y WHERE x.{name} = y.{name}"
            assert values.to_python(ensure_same(answers(pair, source, joined))) == [{"n": 5}]
    later = "SELECT VALUE t.a FROM t WHERE t.a > TIMESTAMP '1970-01-01 00:00:00.000000001'"
    assert len(ensure_same(answers(pair, table, later))) == 2


def test_years_beyond_pythons_are_an_error(pair: Pair) -> None:
    for array in (pa.array([1 << 60], pa.timestamp("us")), pa.array([10**7], pa.date32())):
        for session in pair:
            session.register("t", pa.table({"a": array}), replace=True)
            with pytest.raises(fs.EvaluationError, match="out of range"):
                session.query("SELECT VALUE t.a FROM t").value()


def test_timestamps_of_sparks_own_files(pair: Pair, spark: Any, tmp_path: Path) -> None:
    moments = "SELECT timestamp'2026-01-01 00:00:00.123456' AS a, timestamp_ntz'2026-01-01 00:00:00' AS b"
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    for format_ in ("parquet", "orc"):
        spark.sql(moments).write.option("outputTimestampType", "INT96").format(format_).save(str(tmp_path / format_))
        file = next((tmp_path / format_).glob(f"*.{format_}"))
        (row,) = ensure_same(answers(pair, file))
        assert [row.get("a").offset, row.get("b").offset] == [0, None]
    moment = datetime.datetime(2026, 1, 1, 1, 2, 3, 4)
    pq.write_table(pa.table({"a": [moment]}), tmp_path / "i.parquet", use_deprecated_int96_timestamps=True)
    orc.write_table(
        pa.table({"a": pa.array([moment]), "b": pa.array([moment], pa.timestamp("us", "UTC"))}), tmp_path / "o.orc"
    )
    for name in ("i.parquet", "o.orc"):
        ensure_same(answers(pair, tmp_path / name))


def test_files_of_plans(pair: Pair, tmp_path: Path) -> None:
    table = pa.table(
        {"a": pa.array([1, 2, None], pa.timestamp("ns")), "b": pa.array(["x", None, "z"], pa.string_view())}
    )
    pq.write_table(table, tmp_path / "t.parquet")
    with pa.OSFile(str(tmp_path / "t.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as out:
        out.write_table(table)
    stamp = {"precisionTimestamp": {"precision": 9, "nullability": "NULLABILITY_NULLABLE"}}
    declared = schema(a=stamp, b={"string": {"nullability": "NULLABILITY_NULLABLE"}})
    for format_ in ("parquet", "arrow"):
        named = plan(root(files(item(str(tmp_path / f"t.{format_}"), format_=format_), columns=declared), "a", "b"))
        ensure_same(session.run(named) for session in pair)
        assert pair[0].run(named).to_arrow().schema.types == [pa.timestamp("ns"), pa.string()]


QUERIES = [
    "SELECT t.id, t.d, t.n FROM t",
    "SELECT t.d, t.n FROM t WHERE t.id > 7",
    "SELECT VALUE t.d FROM t WHERE t.id > 7",
    "SELECT VALUE t FROM t",
    "SELECT e.zz FROM e",
    "SELECT VALUE {} FROM e",
    "SELECT VALUE m.a FROM mixed AS m",
    "SELECT m.a, {'in': [m.a]} AS b FROM mixed AS m",
    "SELECT count(*) AS c, sum(t.d) AS s, avg(t.id) AS v, max(t.d) AS m FROM t",
    "SELECT t.id + 1 AS i, t.d * 2 AS d, CAST(t.id AS DECIMAL(5, 1)) AS c, [t.id] AS l, {'x': t.d} AS s FROM t",
    "SELECT t.id FROM t UNION ALL SELECT u.d FROM t AS u",
    "SELECT t.id, (SELECT VALUE u.d FROM t AS u) AS below FROM t",
    "SELECT t.n, count(*) AS c FROM t GROUP BY t.n",
    "SELECT t.id, o.d FROM t LEFT JOIN t AS o ON t.id = o.id + 1 ORDER BY t.id LIMIT 0",
]


def test_answers_in_arrow(pair: Pair) -> None:
    money = pa.array([pa.scalar(1.5).as_py(), None]).cast(pa.decimal128(11, 2))
    table = pa.table({"id": pa.array([1, 2], pa.int32()), "d": money, "n": pa.array([None, None], pa.string())})
    for session in pair:
        session.register("t", table, replace=True)
        session.register("mixed", [{"a": 1}, {"a": "x"}, {"a": [2]}, {}], replace=True)
        session.register("e", [{}] * 20, replace=True)
    for query in QUERIES:
        reference, spark = (session.query(query).to_arrow() for session in pair)
        assert spark.schema == reference.schema, query
        assert spark.num_rows == reference.num_rows, query
        rows = (sorted(map(str, found.to_pylist())) for found in (spark, reference))
        assert next(rows) == next(rows), query


@pytest.mark.slow
@settings(max_examples=10)
@given(built=st.lists(columns(), min_size=30, max_size=30))
def test_types_however_they_nest(built: list[Built], pair: Pair) -> None:
    for table in together((f"c{i}", one) for i, one in enumerate(built)):
        ensure_same(answers(pair, table))
