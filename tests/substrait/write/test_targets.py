"""Plans for consumers: the 22 queries of TPC-H, from PartiQL text, run by DataFusion and by our reader's engines."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import substrait
from firesteel import types as t
from firesteel.node import walk
from firesteel.substrait.write import TARGETS
from tests.substrait.write.validator import problems
from tools import tpch
from tools.saved_plans import Precision, compared

duckdb = pytest.importorskip("duckdb")
datafusion = pytest.importorskip("datafusion")

QUERIES = tpch.queries()
pytestmark = pytest.mark.skipif(not QUERIES, reason="the queries of TPC-H are not here")

#: DataFusion cuts the means of decimals, so they are compared with those that it gives for the text itself.
MEANS = ("q01",)
#: Queries that the reference evaluator runs in a second over the smallest data.
QUICK = ("q01", "q04", "q06", "q07", "q11", "q12", "q14", "q16", "q22")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    return tpch.data(tmp_path_factory.mktemp("tpch"), 0.01)


@pytest.fixture(scope="module")
def session(files: Mapping[str, Path]) -> fs.Session:
    made = fs.connect(engine="reference")
    for name, path in files.items():
        made.register(name, str(path))
    return made


@pytest.fixture(scope="module")
def theirs(files: Mapping[str, Path]) -> Any:
    context = datafusion.SessionContext()
    for name, path in files.items():
        context.register_parquet(name, str(path))
    return context


@pytest.fixture(scope="module")
def expected(files: Mapping[str, Path]) -> Any:
    connection = duckdb.connect()
    for name, path in files.items():
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM '{path}'")
    return connection


@pytest.mark.parametrize("name", QUERIES)
def test_datafusion_gives_the_rows(name: str, session: fs.Session, theirs: Any, expected: Any) -> None:
    data = session.plan(QUERIES[name]).to_substrait("datafusion")
    module = datafusion.substrait
    plan = module.Consumer.from_substrait_plan(theirs, module.Serde.deserialize_bytes(data))
    found = theirs.create_dataframe_from_logical_plan(plan).to_pylist()
    if name in MEANS:
        expected = theirs.sql(tpch.sql(QUERIES[name]))
        names, rows = expected.schema().names, [tuple(row.values()) for row in expected.to_pylist()]
    else:
        answer = expected.execute(tpch.sql(QUERIES[name]))
        names, rows = [column[0] for column in answer.description], answer.fetchall()
    assert len(found) == len(rows)
    assert all(mine in (other, "_1") for mine, other in zip(found[0] if found else (), names, strict=False))
    assert not compared([tuple(row.values()) for row in found], rows, Precision())


#: What consumers have no relation for.
NOT_THERE = {
    "duckdb": dict.fromkeys(("q16", "q21", "q22"), "JOIN_TYPE_LEFT_ANTI"),
    "acero": {
        **dict.fromkeys(("q11", "q15"), "CrossRel"),
        **dict.fromkeys(("q04", "q18", "q20"), "JOIN_TYPE_LEFT_SEMI"),
        **dict.fromkeys(("q16", "q21", "q22"), "JOIN_TYPE_LEFT_ANTI"),
    },
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", QUERIES)
def test_the_plans_are_standard_plans(name: str, target: str, session: fs.Session) -> None:
    """Nothing of ours is in them, and our reader has nothing to say against them."""
    missing = NOT_THERE.get(target, {}).get(name)
    if missing is not None:
        with pytest.raises(fs.UnsupportedError, match=f"{missing}.* in a plan for '{target}'"):
            session.plan(QUERIES[name]).to_substrait(target)
        return
    data = session.plan(QUERIES[name]).to_substrait(target)
    assert b"firesteel." not in data
    assert b"extension:firesteel" not in data
    row = TARGETS[target]
    assert not problems(data, compound=row.compound_names, old_uris=row.old_uris, old_fields=row.old_fields)
    assert not fs.read_plan(data).check()


@pytest.mark.parametrize("name", QUICK)
def test_our_reader_gives_the_rows(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    small = fs.connect(engine="reference")
    connection = duckdb.connect()
    for table, path in tpch.data(tmp_path_factory.getbasetemp(), 0.001).items():
        small.register(table, str(path))
        connection.execute(f"CREATE VIEW {table} AS SELECT * FROM '{path}'")
    data = small.plan(QUERIES[name]).to_substrait("spec:0.57")
    rows = connection.execute(tpch.sql(QUERIES[name])).fetchall()
    found = [tuple(row.values()) for row in small.run(data).to_python()]
    assert len(found) == len(rows)
    assert not compared(found, rows, Precision())


#: Of two small tables with NULLs. DataFusion gives the rows that the reference evaluator gives for the text.
SMALL = [
    "SELECT t.a FROM t WHERE t.a IN (SELECT u.k FROM u WHERE u.k IS NOT NULL) OR t.b = 'z'",
    "SELECT t.a, (SELECT max(u.k) FROM u WHERE u.k = t.a) AS v FROM t",
    "SELECT t.a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.k = t.a)",
    "SELECT t.b, count(*) AS n, sum(t.a) AS s, avg(t.f) AS f FROM t GROUP BY t.b HAVING count(*) > 1",
    "SELECT count(DISTINCT t.b) AS n, min(t.d) AS d FROM t",
    "SELECT DISTINCT t.b FROM t",
    "SELECT t.a FROM t ORDER BY t.a DESC NULLS LAST LIMIT 2 OFFSET 1",
    "SELECT t.a FROM t UNION SELECT u.k AS a FROM u",
    "SELECT t.a FROM t UNION ALL SELECT u.k AS a FROM u",
    "SELECT t.a FROM t EXCEPT SELECT u.k AS a FROM u",
    "SELECT t.a FROM t INTERSECT SELECT u.k AS a FROM u",
    *(f"SELECT t.a, u.v FROM t {kind} JOIN u ON t.a = u.k" for kind in ("INNER", "LEFT", "RIGHT", "FULL")),
    "SELECT t.a, u.v FROM t CROSS JOIN u",
    "SELECT t.a, rank() OVER (PARTITION BY t.b ORDER BY t.a) AS r FROM t",
    "SELECT t.a, sum(t.a) OVER (ORDER BY t.a NULLS FIRST) AS r FROM t",
    "SELECT CASE WHEN t.a > 2 THEN 'big' WHEN t.a IS NULL THEN 'none' ELSE 'small' END AS c FROM t",
    "SELECT CASE t.a WHEN 1 THEN 'one' ELSE 'other' END AS c FROM t",
    "SELECT t.b || '!' AS c, upper(t.b) AS u, char_length(t.b) AS n FROM t WHERE t.b LIKE '%x%'",
    "SELECT coalesce(t.a, 0) AS c, nullif(t.b, 'x') AS n, CAST(t.a AS VARCHAR) AS v FROM t",
    "SELECT extract(year FROM t.d) AS y, extract(month FROM t.d) AS m FROM t",
    "SELECT t.a % 2 AS m, -t.a AS n, abs(t.f) AS f, t.a / 2 AS h FROM t",
    "SELECT x.a FROM (SELECT t.a + 1 AS a, t.b FROM t) AS x WHERE x.a > 2",
    "SELECT t.a FROM t WHERE t.a BETWEEN 1 AND 3 AND t.m * 2 > 2.25",
    "WITH c AS (SELECT t.a, t.b FROM t) SELECT x.a, y.b FROM c AS x JOIN c AS y ON x.a = y.a",
]
TABLES = {
    "t": pa.table(
        {
            "a": pa.array([1, 2, 3, None, 5], pa.int64()),
            "b": pa.array(["x", "y", None, "x", "z"]),
            "d": pa.array([datetime.date(2020, 1, day) for day in range(1, 6)]),
            "m": pa.array([Decimal("1.25")] * 5, pa.decimal128(9, 2)),
            "f": pa.array([1.5, 2.5, None, 0.0, -1.0]),
        }
    ),
    "u": pa.table({"k": pa.array([1, 3, 3, None], pa.int64()), "v": pa.array(["p", "q", "r", "s"])}),
}


@pytest.mark.parametrize("query", SMALL)
def test_small_queries(query: str) -> None:
    session, context = fs.connect(engine="reference"), datafusion.SessionContext()
    for name, table in TABLES.items():
        session.register(name, table)
        context.register_record_batches(name, [table.to_batches()])
    module, text = datafusion.substrait, session.plan(query)
    plan = module.Consumer.from_substrait_plan(context, module.Serde.deserialize_bytes(text.to_substrait("datafusion")))
    answers = [
        session.query(query).to_python(),
        context.create_dataframe_from_logical_plan(plan).to_pylist(),
        session.run(text.to_substrait("spec:0.57")).to_python(),
    ]
    expected, *others = [sorted([tuple(row.values()) for row in found], key=str) for found in answers]
    assert others == [expected, expected]


# ---------------------------------------------------------------------------------------------------------------------
# What differs between targets


def _plan(target: str | None) -> substrait.Message:
    session = fs.connect(engine="reference")
    session.register("t", [{"a": 1, "d": "2020-01-01"}])
    query = "SELECT t.a + 1 AS b FROM t WHERE t.a IN (1, 2) AND NOT t.a IS NULL"
    node = session._planner.typed(session.plan(query).node)
    return substrait.write(node, target)


def test_names_of_functions() -> None:
    def names(target: str | None) -> set[str]:
        return {one.extension_function.name for one in _plan(target).extensions if one.has("extension_function")}

    assert "add" in names("datafusion")
    assert "add:i64_i64" in names("spec:0.57")
    assert "plus:any_any" in names(None)  # PartiQL's own, so that it is read as such


def test_old_uris_stand_beside_urns() -> None:
    for target in TARGETS:
        made = _plan(target)
        uris = {one.extension_uri_anchor: one.uri for one in made.extension_uris}
        assert {one.urn for one in made.extension_urns} == {
            "extension:io.substrait:" + uri.rpartition("/")[2].removesuffix(".yaml") for uri in uris.values()
        }
        assert all(one.extension_function.extension_uri_reference in uris for one in made.extensions)
    assert not _plan(None).extension_uris


def test_who_wrote_it() -> None:
    assert _plan(None).version.producer.startswith("firesteel ")
    assert _plan("spec:0.57").version.minor_number == 57


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT VALUE t FROM <<1, {'a': 2}>> AS t", "rows of several shapes"),
        ("SELECT VALUE u FROM UNPIVOT {'a': 1} AS u", "'unpivot' for a consumer"),
        ("PIVOT t.a AT t.b FROM t", "'query'"),
        ("SELECT t.a || 1 AS x FROM t", "does not take"),
    ],
)
def test_what_a_consumer_cannot_get(query: str, said: str) -> None:
    session = fs.connect(engine="reference")
    session.register("t", [{"a": 1, "b": "x"}])
    with pytest.raises(fs.UnsupportedError, match=said):
        session.plan(query).to_substrait("datafusion")


def test_a_table_without_a_schema() -> None:
    scan = p.Scan(p.Global(t.ANY, 0))
    node = p.Plan(p.Root(("a",), scan), globals=(p.GlobalBinding(("t",), t.ANY),))
    with pytest.raises(fs.UnsupportedError, match="a table without a schema"):
        substrait.write(node, "datafusion")


def test_rows_that_are_written_out() -> None:
    session = fs.connect(engine="reference")
    data = session.plan("SELECT t.a + 1 AS b FROM <<{'a': 1}, {'a': 2}>> AS t").to_substrait("datafusion")
    assert not list(walk(fs.read_plan(data).node, p.Collection))
    module = datafusion.substrait
    context = datafusion.SessionContext()
    plan = module.Consumer.from_substrait_plan(context, module.Serde.deserialize_bytes(data))
    found = context.create_dataframe_from_logical_plan(plan).to_pylist()
    assert sorted(row["b"] for row in found) == [2, 3]
