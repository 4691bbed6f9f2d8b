"""Functions that a user registers for PartiQL: scalar, aggregate and table functions, of values, of Arrow arrays, and
UDFs of Spark's; and Spark's own functions behind a prefix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import firesteel as fs
from firesteel import functions, values
from firesteel.functions import substrait

ROWS = [
    {"a": 1, "w": 2.0, "g": 1, "s": "1"},
    {"a": 5, "w": 1.0, "g": 1, "s": "x"},
    {"a": None, "w": 1.0, "g": 2, "s": None},
    {"a": "x", "w": 3.0, "g": 2, "s": "😀"},
    {"w": 1.0, "g": 3},
]


def median(items: list[Any]) -> Any:
    return sorted(items)[len(items) // 2]


def ratio(items: list[Any], weights: list[float]) -> float:
    return sum(x * w for x, w in zip(items, weights, strict=True)) / sum(weights)


def buggy(item: int) -> int:
    return item.nothing  # type: ignore[attr-defined, no-any-return]


def registered(session: fs.Session) -> fs.Session:
    session.register("t", ROWS)
    session.register("typed", [{"i": 1, "f": 0.5, "s": "ab"}, {"i": 2, "f": 1.5, "s": "é"}])
    session.register_function("twice", lambda x: 2 * x, "(int) -> int")
    session.register_function("parse", lambda text: int(text), "(string) -> int")
    session.register_function("kind", lambda x: type(x).__name__, "(any) -> string", takes_null=True)
    session.register_function("joined", lambda *parts: "-".join(parts), "(string...) -> string")
    session.register_function("as_struct", lambda x: {"x": x, "l": [x]}, "(any) -> struct")
    session.register_function("mid", median, "(number) -> any", kind="aggregate")
    session.register_function("ratio", ratio, "(number, number) -> double", kind="aggregate")
    session.register_function("series", range, "(int) -> table", kind="table")
    session.register_function("triple", lambda x: pc.multiply(x, 3), "(int) -> int", vectorized=True)
    session.register_function("buggy", buggy, "(int) -> int")
    session.register_function("liar", lambda x: "no", "(int) -> int")
    return session


QUERIES = [
    "SELECT VALUE [twice(t.a), parse(t.s), kind(t.a), joined(t.s, 'y', t.s), as_struct(t.a)] FROM t",
    "SELECT t.g, mid(t.a) AS m, mid(DISTINCT t.w) AS d FROM t GROUP BY t.g",
    "SELECT ratio(t.a, t.w) AS r FROM t WHERE t.g = 1",
    "SELECT t.g, x FROM t, series(t.g) AS x WHERE t.g > 1",
    "SELECT VALUE triple(t.i) + twice(t.i) FROM typed AS t WHERE triple(t.i) > 3",
    "SELECT VALUE triple(t.a) FROM t WHERE t.g < 3",
]
FAILING = [
    ("SELECT VALUE parse(t.s) FROM t WHERE t.g = 1", "strict", "ValueError: invalid literal for int.*'x'"),
    ("SELECT VALUE twice(t.s) FROM t WHERE t.g = 1", "strict", "twice takes integers, not string"),
    ("SELECT VALUE buggy(t.i) FROM typed AS t", "permissive", r"buggy\(\d\): AttributeError: .*nothing"),
    ("SELECT VALUE liar(t.i) FROM typed AS t", "permissive", "liar is declared to give int64, not string: 'no'"),
]
EXPECTED = [
    [
        [2, 1, "int", "1-y-1", {"x": 1, "l": [1]}],
        [10, values.MISSING, "int", "x-y-x", {"x": 5, "l": [5]}],
        [None, None, "NoneType", None, None],
        [values.MISSING, values.MISSING, "str", "😀-y-😀", {"x": "x", "l": ["x"]}],
        [values.MISSING, values.MISSING, "Missing", values.MISSING, values.MISSING],
    ],
    [{"g": 1, "m": 5, "d": 2.0}, {"g": 2, "d": 3.0}, {"g": 3, "d": 1.0}],
    [{"r": 7 / 3}],
    [{"g": 2, "x": 0}, {"g": 2, "x": 1}, {"g": 2, "x": 0}, {"g": 2, "x": 1}, *({"g": 3, "x": x} for x in range(3))],
    [10],
    [3, 15, None, values.MISSING],
]


@pytest.fixture
def session() -> fs.Session:
    return registered(fs.connect(engine="reference"))


@pytest.mark.parametrize(("query", "expected"), list(zip(QUERIES, EXPECTED, strict=True)))
def test_on_the_reference_evaluator(query: str, expected: list[Any], session: fs.Session) -> None:
    actual = session.query(query).value()
    assert values.equal(actual, values.Bag([values.from_python(row) for row in expected])), actual


@pytest.mark.parametrize(("query", "mode", "message"), FAILING)
def test_what_fails(query: str, mode: str, message: str, session: fs.Session) -> None:
    with pytest.raises(fs.EvaluationError, match=message):
        session.query(query, mode=mode).to_python()


def test_an_aggregate_of_nothing_is_given_nothing(session: fs.Session) -> None:
    assert session.query("SELECT mid(t.a) AS m FROM t WHERE t.g = 9").to_python() == [{}]
    with pytest.raises(fs.EvaluationError, match=r"mid\(.*\): IndexError"):
        session.query("SELECT mid(t.a) AS m FROM t WHERE t.g = 9", mode="strict").to_python()


@pytest.mark.parametrize(
    ("register", "message"),
    [
        (lambda s: s.register_function("twice", len, "(any) -> int"), "already a function 'twice'"),
        (lambda s: s.register_function("UPPER", len, "(any) -> int"), "'upper' is a function of PartiQL"),
        (lambda s: s.register_function("no name", len, "(any) -> int"), "no name of a function"),
        (lambda s: s.register_function("f", len, "int -> int"), "no signature of 'f'"),
        (lambda s: s.register_function("f", len, "(integr) -> int"), "did you mean 'integer'"),
        (lambda s: s.register_function("f", 5, "(int) -> int"), "5 cannot be called"),
        (lambda s: s.register_function("f", len, "(int) -> int", kind="window"), "no kind of function 'window'"),
        (lambda s: s.register_function("f", len, "(list) -> int", urn="u"), "has no form in Substrait"),
        (lambda s: s.unregister_function("twise"), "did you mean 'twice'"),
        (lambda s: s.query("twise(1)"), "did you mean 'twice'"),
        (lambda s: s.query("twice(1, 2)"), "'twice' does not take 2 arguments"),
        (lambda s: s.query("SELECT ratio(t.a) AS r FROM t"), "'ratio' does not take 1 arguments"),
        (lambda s: s.query("SELECT mid(t.a) OVER () AS r FROM t"), "no window function 'mid'"),
        (lambda s: s.query('"user:1:twice"(1)'), "no function 'user:1:twice'"),
    ],
)
def test_what_is_refused(register: Callable[[fs.Session], Any], message: str, session: fs.Session) -> None:
    with pytest.raises(fs.AnalysisError, match=message):
        register(session)


def test_replacing_and_unregistering(session: fs.Session) -> None:
    assert session.query("twice(3)").to_python() == 6
    session.register_function("twice", lambda x: x + x + 1, "(int) -> int", replace=True)
    assert session.query("TWICE(3)").to_python() == 7
    session.unregister_function("twice")
    with pytest.raises(fs.AnalysisError, match="no function 'twice'"):
        session.query("twice(3)")


def test_a_function_belongs_to_its_session(session: fs.Session) -> None:
    plan = session.plan("twice(3)")
    assert session.run(plan.to_ion()).to_python() == 6
    other = fs.connect(engine="reference")
    with pytest.raises(fs.PolicyError, match="no function of this session"):
        other.run(plan)
    with pytest.raises(fs.AnalysisError, match="no function 'twice'"):
        other.query("twice(3)")


def test_it_is_not_computed_while_planning() -> None:
    calls: list[int] = []
    session = fs.connect(engine="reference")
    session.register_function("seen", lambda x: calls.append(x), "(int) -> any")
    session.explain("seen(1)")
    assert calls == []
    session.query("seen(1)").to_python()
    assert calls == [1]


def test_the_same_function_for_substrait(session: fs.Session) -> None:
    session.register_function("thrice", lambda x: 3 * x, "(int) -> int", urn="extension:acme:f")
    try:
        assert session.query("thrice(2)").to_python() == 6
        assert functions.find("extension:acme:f:thrice") is not None
    finally:
        session.unregister_function("thrice")
    assert substrait.registered("extension:acme:f:thrice") is None


def test_spark_functions_are_allowed_by_the_session_and_run_on_spark() -> None:
    with pytest.raises(fs.PolicyError, match=r"spark_functions=True"):
        fs.connect(engine="reference").query("spark.levenshtein('a', 'b')")
    session = fs.connect(engine="reference", spark_functions=True)
    with pytest.raises(fs.UnsupportedError, match=r"'spark.levenshtein' is a function of Spark's"):
        session.query("spark.levenshtein('a', 'b')").to_python()


@pytest.mark.spark
def test_on_spark(spark: Any) -> None:
    from pyspark.sql.functions import pandas_udf, udf

    session = registered(fs.connect(spark=spark, in_process=False, spark_functions=True))
    for query, expected in zip(QUERIES, EXPECTED, strict=True):
        actual = session.query(query).value()
        assert values.equal(actual, values.Bag([values.from_python(row) for row in expected])), (query, actual)
    for query, mode, message in FAILING[:3]:
        with pytest.raises(fs.EvaluationError, match=message):
            session.query(query, mode=mode).to_python()
    session.register_function("plus_one", udf(lambda x: None if x is None else x + 1, "bigint"), "(int) -> int")
    session.register_function("half", pandas_udf(lambda x: x / 2, "double"), "(double) -> double")  # type: ignore[call-overload]
    columns = "plus_one(t.i) AS p, half(t.f) AS h, spark.levenshtein(t.s, 'ab') AS l, spark.nosuch IS MISSING AS m"
    native = registered(fs.connect(spark=spark, in_process=False, spark_functions=True, fallback="refuse"))
    native._planner.users = session._planner.users
    found = native.query(f"SELECT {columns} FROM typed AS t").to_python()
    assert found == [{"p": 2, "h": 0.25, "l": 0, "m": True}, {"p": 3, "h": 0.75, "l": 2, "m": True}]
    assert session.query("SELECT VALUE plus_one(t.a) FROM t WHERE t.g < 3").to_python() == [2, 6, None, values.MISSING]
    with pytest.raises(fs.UnsupportedError, match="has no certain type"):
        session.query("SELECT VALUE spark.upper(t.a) FROM t").to_python()
    with pytest.raises(fs.FiresteelError, match="nosuch"):
        session.query("SELECT VALUE spark.nosuch(t.i) FROM typed AS t").to_python()
    reference = registered(fs.connect(engine="reference"))
    reference._planner.users = session._planner.users
    assert reference.query("[plus_one(3), half(3.0)]").to_python() == [4, 1.5]


def test_arrow_functions_are_given_arrays() -> None:
    seen: list[type] = []

    def size(x: pa.Array) -> pa.Array:
        seen.append(type(x))
        return pc.utf8_length(x)

    session = fs.connect(engine="reference")
    session.register_function("size_of", size, "(string) -> int", vectorized=True)
    assert session.query("size_of('né')").to_python() == 2
    assert issubclass(seen[0], pa.Array)
