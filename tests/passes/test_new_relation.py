"""A new relation is safe by default: a class and a handler on each engine are all that it takes to be right.

Two relations are declared here that no pass has heard of: `tee` gives the rows of its input, `sieve` those for which a
condition is true. Plans of PartiQL get them above every table, where a filter is in the plan that they are compared to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import firesteel as fs
from firesteel import evaluate, node, values
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.evaluate.base import CompileContext, Env, RelClosure, Rows
from firesteel.passes import optimize
from firesteel.passes.analysis import failing, paths
from firesteel.plan import build, check
from firesteel.session.document import Plan
from firesteel.spark.core import handlers

from .helpers import WAYS, disagreements, typed


class Tee(p.Rel, tag="tee"):
    """The rows of its input."""

    input: p.Rel


class Sieve(p.Rel, tag="sieve"):
    """The rows for which the condition is true."""

    condition: p.Rex
    input: p.Rel


ROWS = [
    {
        "k": i,
        "g": i % 3,
        "s": f"n{i % 4}",
        "z": None if i == 3 else i,
        "items": [{"q": j, "w": j % 2} for j in range(i)],
    }
    for i in range(7)
]
OTHERS = [{"k": i, "name": f"o{i}", "z": i} for i in range(0, 9, 2)]

QUERIES = [
    "SELECT VALUE a.k FROM t AS a WHERE a.g = 1",
    "SELECT VALUE a FROM t AS a",
    "SELECT COUNT(*) AS n FROM t AS a",
    "SELECT a.g, COUNT(*) AS n, SUM(a.k) AS total FROM t AS a GROUP BY a.g HAVING a.g > 0",
    "SELECT a.k, b.name FROM t AS a JOIN o AS b ON a.k = b.k WHERE a.g = 0 AND b.name <> 'o8'",
    "SELECT a.k, b.name FROM t AS a LEFT JOIN o AS b ON a.k = b.k AND b.k > 2",
    "SELECT DISTINCT a.g FROM t AS a WHERE a.s <> 'n0'",
    "SELECT VALUE a.k FROM t AS a WHERE EXISTS (SELECT 1 FROM o AS b WHERE b.k = a.k)",
    "SELECT VALUE a.k FROM t AS a WHERE a.k IN (SELECT VALUE b.k FROM o AS b)",
    "SELECT a.k, (SELECT COUNT(*) AS n FROM o AS b WHERE b.k < a.k) AS n FROM t AS a",
    "SELECT a.k, (SELECT MAX(b.z) AS m FROM o AS b) AS m FROM t AS a",
    "SELECT a.k, i.q FROM t AS a, a.items AS i WHERE i.w = 1",
    "SELECT VALUE (SELECT VALUE i.q FROM a.items AS i WHERE i.w = 0) FROM t AS a",
    "SELECT VALUE a.k FROM t AS a ORDER BY a.z DESC LIMIT 3",
    "SELECT a.k, RANK() OVER (PARTITION BY a.g ORDER BY a.k) AS r FROM t AS a",
    "SELECT VALUE v.k FROM (SELECT a.k, a.s FROM t AS a) AS v WHERE v.s = 'n1'",
    "(SELECT a.k FROM t AS a) UNION (SELECT b.k FROM o AS b)",
]


def _condition(scan: p.Rel) -> p.Rex:
    """`z IS NOT NULL` of the rows of a table: an attribute that few of the queries look at."""
    z = p.Path(t.ANY, build.column(scan, 0), (p.Key(build.lit("z")),))
    return build.call("not", build.call("is_null", z))


def _is_table(rel: node.Node) -> bool:
    return isinstance(rel, p.Scan) and isinstance(rel.rex, p.Global)


def _with_filters(rel: p.Rel) -> p.Rel:
    return p.Filter(_condition(rel), rel) if _is_table(rel) else rel


def _with_sieves(rel: p.Rel) -> p.Rel:
    """A sieve above every table, and a tee above that and above all that has one input."""
    if _is_table(rel):
        return Tee(Sieve(_condition(rel), Tee(rel)))
    return Tee(rel) if isinstance(rel, p.Filter | p.Aggregate | p.Project | p.Join | p.Sort) else rel


def _rewritten(session: fs.Session, query: str, change: Callable[[p.Rel], p.Rel], mode: str = "permissive") -> p.Plan:
    return node.transform(session.plan(query, mode=mode).node, change, p.Rel)


@pytest.fixture
def new_relations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The handlers of the two relations, on both engines, and nothing else."""
    monkeypatch.setitem(evaluate.HANDLERS, Tee, _evaluate_tee)
    monkeypatch.setitem(evaluate.HANDLERS, Sieve, _evaluate_sieve)


def _evaluate_tee(rel: Tee, context: CompileContext) -> Generator[Any, Any, RelClosure]:
    return (yield rel.input, context)


def _evaluate_sieve(rel: Sieve, context: CompileContext) -> Generator[Any, Any, RelClosure]:
    source = yield rel.input, context
    condition = yield rel.condition, context

    def run(env: Env) -> Rows:
        rows, ordered = source(env)
        return Rows([row for row in rows if condition(Env(row, env)) is True], ordered)

    return run


def _session(**options: Any) -> fs.Session:
    session = fs.connect(**options)
    session.register("t", ROWS)
    session.register("o", OTHERS)
    return session


@pytest.mark.usefixtures("new_relations")
@pytest.mark.parametrize("mode", ["permissive", "strict"])
def test_the_pipeline_leaves_it_right(mode: str) -> None:
    session = _session(engine="reference")
    for query in QUERIES:
        expected = session.run(_rewritten(session, query, _with_filters, mode)).value()
        made = _rewritten(session, query, _with_sieves, mode)
        assert _equal(session.run(made).value(), expected), query
        assert not check.check(made)
        plan, tables = typed(session, made)
        assert not list(disagreements(plan, tables, WAYS[:1]))
        kept = [sum(1 for _ in node.walk(one, Tee, Sieve)) for one in (plan, optimize(plan))]
        assert kept[0] == kept[1] > 0, query


def _equal(one: values.Value, other: values.Value) -> bool:
    return type(one) is type(other) and values.equal(one, other)


def test_conditions_and_columns_do_not_pass_what_is_not_known() -> None:
    session = _session(engine="reference")
    plan, _ = typed(session, _rewritten(session, QUERIES[0], _with_sieves))
    made = optimize(plan)
    assert not any(node.has(tee, p.Filter) for tee in node.walk(made, Tee) if isinstance(tee.input, Sieve))
    assert paths.touched_paths(made)[0].whole
    assert failing.may_fail(made.statement, p.Mode.PERMISSIVE)
    (sieve,) = node.walk(made, Sieve)
    assert failing.may_fail(sieve, p.Mode.PERMISSIVE)


def test_it_is_explained_and_written_or_refused_by_name() -> None:
    session = _session(engine="reference")
    document = Plan(_rewritten(session, QUERIES[0], _with_sieves))
    assert not document.check()
    assert "└─ tee " in document.explain()
    assert '└─ sieve NOT a."z" IS NULL ' in document.explain()
    assert fs.read_plan(document.to_ion()).node == document.node
    with pytest.raises(UnsupportedError, match="'tee' has no form in the algebra"):
        document.to_algebra()


def test_an_engine_without_a_handler_refuses_it_by_name() -> None:
    session = _session(engine="reference")
    with pytest.raises(UnsupportedError, match="cannot evaluate 'tee'"):
        session.run(_rewritten(session, QUERIES[0], _with_sieves)).value()


def test_columns_of_a_relation_of_two_inputs_have_to_be_said() -> None:
    class Zip(p.Rel, tag="zip"):
        left: p.Rel
        right: p.Rel

    scan = p.Scan(build.lit([1]))
    with pytest.raises(fs.PlanError, match="the columns of 'zip' are not known"):
        p.schema(Zip(scan, scan))


# ---------------------------------------------------------------------------------------------------------------------
# On Spark


@pytest.fixture
def on_spark(new_relations: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(handlers.HANDLERS, Tee, _compile_tee)
    monkeypatch.setitem(handlers.HANDLERS, Sieve, _compile_sieve)
    monkeypatch.setitem(handlers.NESTED, Tee, _compile_tee_nested)
    monkeypatch.setitem(handlers.NESTED, Sieve, _compile_sieve_nested)


def _compile_tee(rel: Tee, scope: Any) -> Generator[Any, Any, Any]:
    return (yield from handlers.rows_of(rel.input, scope))


def _compile_tee_nested(rel: Tee, scope: Any) -> Generator[Any, Any, Any]:
    return (yield from handlers.items_of(rel.input, scope))


def _compile_sieve(rel: Sieve, outer: Any) -> Generator[Any, Any, Any]:
    from firesteel.spark.relations.expressions import truth
    from firesteel.spark.relations.unary import filter_rows

    rows = yield from handlers.rows_of(rel.input, outer)
    scope = rows.scope(outer)
    condition = yield from handlers.expr_of(rel.condition, scope)
    held = scope.lowered(truth(scope, condition, "a condition is a boolean", rel.where))
    return filter_rows(rows, scope, [held], rel)


def _compile_sieve_nested(rel: Sieve, scope: Any) -> Generator[Any, Any, Any]:
    """A query that looks at a row outside of it is not taken apart: it ranges over the table as a collection."""
    from firesteel.spark.relations.nested.relations import filtered_items

    items = yield from handlers.items_of(rel.input, scope)
    return filtered_items(scope, items, rel.condition, items.unpack, rel.where)


def _files(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    lines = {name: folder / f"{name}.jsonl" for name in ("t", "o")}
    for name, rows in (("t", ROWS), ("o", OTHERS)):
        lines[name].write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        pa.parquet.write_table(pa.Table.from_pylist(rows), folder / f"{name}.parquet")
    yield "JSON lines", {name: str(path) for name, path in lines.items()}
    yield "Parquet", {name: str(folder / f"{name}.parquet") for name in ("t", "o")}
    yield "memory", {"t": ROWS, "o": OTHERS}


#: Of how many queries one is run: the sources differ in how a table is read.
SOME = {"JSON lines": 2, "Parquet": 9, "memory": 9}
MORE = {"JSON lines": 1, "Parquet": 3, "memory": 4}


def _written(value: Any) -> str:
    """A value as text: the attributes of a struct have no order."""
    return json.dumps(value, sort_keys=True)


@pytest.mark.spark
@pytest.mark.usefixtures("on_spark")
@pytest.mark.parametrize("every", [SOME, pytest.param(MORE, marks=pytest.mark.slow)], ids=["some", "more"])
def test_the_rows_are_right_on_spark(spark: Any, tmp_path: Path, every: dict[str, int]) -> None:
    reference = _session(engine="reference")
    wrong = []
    for said, tables in _files(tmp_path):
        if said not in every:
            continue
        session = fs.connect(spark=spark, in_process=False, fallback="refuse")
        for name, source in tables.items():
            session.register(name, source)
        for query in QUERIES[:: every[said]]:
            expected = reference.run(_rewritten(reference, query, _with_filters)).to_python()
            got = session.run(_rewritten(session, query, _with_sieves)).to_python()
            if sorted(map(_written, got)) != sorted(map(_written, expected)):
                wrong.append((said, query, got, expected))
    assert not wrong


@pytest.mark.spark
def test_spark_without_a_handler_refuses_it_by_name(spark: Any) -> None:
    session = _session(spark=spark, in_process=False)
    with pytest.raises(UnsupportedError, match=r"'(tee|sieve)' on Spark: it has no handler"):
        session.run(_rewritten(session, QUERIES[0], _with_sieves)).to_python()
