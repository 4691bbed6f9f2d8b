"""What a plan means by what it declares: types of results, lengths and digits of literals, NULL, names, no columns."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel.repair import Effect
from tests.substrait.plans.build import TRUE, At, call, eq, f, gt, i64
from tests.substrait.plans.kinds import Json, literal, type_
from tests.substrait.plans.relations import (
    aggregate,
    combined,
    cross,
    expand,
    filtered,
    join,
    measure,
    only,
    plan,
    project,
    read,
    reference,
    root,
    subtree,
    virtual,
)

N = None
#: A producer whose plans declare other result types than those that functions give.
IBIS = {"minorNumber": 50, "producer": "ibis-substrait"}


@pytest.fixture
def session() -> fs.Session:
    return fs.connect(engine="reference")


def types(rel: Json) -> list[str]:
    """The types of the columns of a relation."""
    node = fs.read_plan(plan(subtree(rel), root(reference(0), ["x"] * _width(rel)))).node
    statement = node.statement
    assert isinstance(statement, p.Root)
    return [str(field.type) for field in p.schema(statement.input)]


def _width(rel: Json) -> int:
    for width in range(20):
        try:
            fs.read_plan(plan(root(rel, ["x"] * width))).lowered()
        except fs.PlanError:
            continue
        return width
    raise AssertionError(rel)


# Declared results ----------------------------------------------------------------------------------------------------

HALVES = virtual("a i32, b i32, d decimal<9,2>", (7, 2, "1.00"), (1, 2, "2.01"))


def mean(returns: str | None) -> Json:
    made = measure("arithmetic_decimal:avg", f(2))
    if returns is not None:
        made["measure"]["outputType"] = type_(returns)
    return made


RESULTS: list[tuple[Json, list[Any], str, Effect | None]] = [
    (only(HALVES, 3, call("arithmetic:divide", f(0), f(1))), [3, 0], "", N),
    (only(HALVES, 3, call("arithmetic:divide", f(0), f(1), returns="fp64")), [3.5, 0.5], "overload", Effect.NONE),
    (only(HALVES, 3, call("arithmetic:add", f(0), f(1), returns="i64")), [9, 3], "overload", Effect.NONE),
    (aggregate(HALVES, [], mean(None)), [Decimal("1.51")], "", N),
    (aggregate(HALVES, [], mean("decimal<38,2>?")), [Decimal("1.51")], "", N),
    (aggregate(HALVES, [], mean("fp64?")), [1.505], "overload", Effect.NONE),
    (aggregate(HALVES, [], mean("decimal<13,6>?")), [Decimal("1.505000")], "digits", Effect.NONE),
    (
        only(HALVES, 3, call("arithmetic_decimal:multiply", f(2), f(2), returns="decimal<10,1>")),
        [Decimal("1.0000"), Decimal("4.0401")],
        "output",
        Effect.NONE,
    ),
]


@pytest.mark.parametrize(("rel", "values", "sort", "effect"), RESULTS)
def test_a_declared_type_that_the_function_can_give_is_meant(
    session: fs.Session, rel: Json, values: list[Any], sort: str, effect: Effect | None
) -> None:
    result = session.run(plan(root(rel, ["x"]), version=IBIS))
    assert [row["x"] for row in result.to_python()] == values
    found = [repair for repair in result.repairs if repair.name == sort]
    assert [repair.effect for repair in found] == ([effect] if effect else [])
    assert all(repair.why for repair in found)


def test_what_no_form_gives_is_a_loss_or_refused(session: fs.Session) -> None:
    text = only(virtual("a string", ("x",)), 1, call("string:char_length", f(0), returns="fp64"))
    (repair,) = session.run(plan(root(text, ["x"]), version=IBIS)).repairs
    assert (repair.name, repair.effect) == ("output_loss", Effect.LOSS)
    said = session.check(fs.read_plan(plan(root(text, ["x"]), version=IBIS)))
    assert said.to_python()["repairs"][0]["kind"] == "loss"
    wrong = only(virtual("a string", ("x",)), 1, call("string:char_length", f(0), returns="string"))
    with pytest.raises(fs.PlanError, match="gives int64, and not string"):
        session.run(plan(root(wrong, ["x"]), version=IBIS))


def total(returns: str) -> Json:
    made = measure("arithmetic:sum", f(0))
    made["measure"]["outputType"] = type_(returns)
    return aggregate(HALVES, [], made)


#: Calls that declare another type than the function gives: more and fewer digits, another scale, another family.
FALSE_RESULTS = [
    only(HALVES, 3, call("arithmetic_decimal:multiply", f(2), f(2), returns="decimal<38,4>")),
    only(HALVES, 3, call("arithmetic_decimal:add", f(2), f(2), returns="decimal<9,2>")),
    only(HALVES, 3, call("arithmetic_decimal:add", f(2), f(2), returns="decimal<10,3>")),
    only(HALVES, 3, call("comparison:equal", f(0), f(1), returns="i32")),
    total("i32?"),
]


@pytest.mark.parametrize("rel", FALSE_RESULTS)
def test_a_result_that_is_declared_wrongly_is_refused_unless_the_producer_is_known_for_it(
    session: fs.Session, rel: Json
) -> None:
    """The specification has `output_type` "exactly as derived using the declaration in the extension"."""
    given = fs.read_plan(plan(root(rel, ["x"])))
    (problem,) = session.check(given)
    assert isinstance(problem, fs.PlanError)
    assert "gives" in problem.message
    assert problem.help is not None
    assert "output_type" in problem.help
    with pytest.raises(fs.PlanError, match="gives"):
        session.run(given)


@pytest.mark.parametrize("producer", ["", "DuckDB", "datafusion", "ibis-substrait", "isthmus", "substrait-spark"])
def test_producers_that_declare_types_of_their_own(session: fs.Session, producer: str) -> None:
    digits = FALSE_RESULTS[1]
    result = session.run(plan(root(digits, ["x"]), version={"minorNumber": 85, "producer": producer}))
    assert [repair.name for repair in result.repairs] == ["output"]
    assert [row["x"] for row in result.to_python()] == [Decimal("2.00"), Decimal("4.02")]


def test_a_declared_result_may_differ_in_nullability(session: fs.Session) -> None:
    """Nullability is derived: producers declare it carelessly, and nothing is lost."""
    rel = only(HALVES, 3, call("arithmetic:add", f(0), f(1), returns="i32?"))
    result = session.run(plan(root(rel, ["x"])))
    assert [row["x"] for row in result.to_python()] == [9, 3]
    assert result.repairs == ()
    assert types(rel) == ["int32"]


def test_keys_that_are_listed_twice_are_told_where_nothing_says_how_they_are_counted(session: fs.Session) -> None:
    rel = aggregate(virtual("a i64", (1,), (2,)), [f(0), f(0)], measure("aggregate_generic:count"), sets=[[0], [1]])
    above = {"cross": {"left": rel, "right": virtual("b i64", (1,))}}
    sorts = [repair.name for repair in fs.read_plan(plan(root(above, ["a", "b", "n", "set", "c"]))).check().repairs]
    assert sorts == ["grouping_doubt"]
    (repair,) = fs.read_plan(plan(root(above, ["a", "b", "n", "set", "c"]))).check().repairs
    assert repair.effect is Effect.DOUBT
    assert fs.read_plan(plan(root(rel, ["a", "b", "n", "set"]))).check().repairs == ()  # the root counts four
    assert [one.name for one in fs.read_plan(plan(root(rel, ["a", "mask", "n"]))).check().repairs] == ["grouping_mask"]


# Literals ------------------------------------------------------------------------------------------------------------


def test_a_value_that_cannot_be_null_in_a_column_that_can() -> None:
    """The column has the type that the schema declares."""
    assert types(virtual("a i64?", (i64(1),))) == ["int64?"]


def written(columns: str, *literals: Json) -> Json:
    made = virtual(columns)
    made["read"]["virtualTable"] = {"expressions": [{"fields": [{"literal": one} for one in literals]}]}
    return made


@pytest.mark.parametrize(
    ("rel", "said"),
    [
        (only(virtual("a i64", (1,)), 1, {"literal": {"varChar": {"value": "abcd", "length": 3}}}), "'abcd' is no"),
        (only(virtual("a i64", (1,)), 1, {"literal": {"null": type_("i64")}}), "a NULL of the type int64"),
        (written("a varchar<3>", {"string": "abcd"}), r"'abcd' is no string\(3\)"),
        (written("a fixedchar<3>", {"fixedChar": "abcd"}), r"'abcd' is no char\(3\)"),
        (written("a fixedbinary<3>", {"fixedBinary": "AQI="}), r"is no byte\(3\)"),
        (written("a decimal<3,2>", literal("decimal<9,2>", "1234.56")), r"1234.56 is no decimal\(3,2\)"),
        (written("a i64", {"null": type_("i64?")}), "NULL is no int64"),
        (written("a list<i64>", literal("list<i64?>", [1, N])), "NULL is no int64"),
        (written("a struct<varchar<1>>", {"struct": {"fields": [{"string": "ab"}]}}), "'ab' is no"),
        (written("a list<i64>", {"list": {"values": [{"i64": "1"}, {"string": "x"}]}}), "all elements are of one type"),
    ],
)
def test_literals_are_held_to_their_types(session: fs.Session, rel: Json, said: str) -> None:
    with pytest.raises(fs.PlanError, match=said):
        session.run(plan(root(rel, ["x"])))


def test_structs_of_a_list_that_differ_in_nullability(session: fs.Session) -> None:
    one, two = {"i32": 1}, {"null": type_("i32?")}
    values = [{"struct": {"fields": [one, {"string": "a"}]}}, {"struct": {"fields": [two, {"string": "b"}]}}]
    for rel in (
        written("l list<struct<i32?,string>>", {"list": {"values": values}}),
        only(virtual("a i64", (1,)), 1, {"literal": {"list": {"values": values}}}),
    ):
        assert session.run(plan(root(rel, ["l"]))).to_python() == [{"l": [{"_1": 1, "_2": "a"}, {"_1": N, "_2": "b"}]}]
        assert "int32?" in types(rel)[0]


def test_values_of_parameters_are_held_to_their_types(session: fs.Session) -> None:
    rel = only(virtual("a i64", (1,)), 1, {"dynamicParameter": {"type": type_("varchar<2>"), "parameterReference": 1}})
    for given, said in (
        ({"string": "abc"}, "'abc' is no"),
        ({"i64": "1"}, "parameter 1 is a string"),
        ({"string": "a"}, ""),
    ):
        data = plan(root(rel, ["x"]), parameters={1: {"literal": given}})
        if said:
            with pytest.raises(fs.PlanError, match=said):
                session.run(data)
        else:
            assert session.run(data).to_python() == [{"x": "a"}]


# Functions of others -------------------------------------------------------------------------------------------------


def test_a_function_that_nobody_registered_is_unsupported(session: fs.Session) -> None:
    made = only(virtual("a i64", (1,)), 1, call("arithmetic:add", f(0), f(0)))
    data = plan(root(made, ["x"])).replace(b"extension:io.substrait:functions_arithmetic", b"x" * 43)
    with pytest.raises(fs.UnsupportedError, match=r"'x+:add' of an extension"):
        session.run(data)
    (problem,) = fs.read_plan(data).check()
    assert isinstance(problem, fs.UnsupportedError)


# NULL in what relations give -----------------------------------------------------------------------------------------

#: All that the nullability of a column in a primary and in two secondary inputs can be.
SIDES = [
    read(name, ", ".join(f"c{i} i64{'?' if i >> bit & 1 else ''}" for i in range(8)))
    for name, bit in (("s", 2), ("t", 1), ("u", 0))
]
NULLABLE: dict[str, list[int]] = {
    "UNION_ALL": [1, 2, 3, 4, 5, 6, 7],
    "UNION_DISTINCT": [1, 2, 3, 4, 5, 6, 7],
    "MINUS_PRIMARY": [4, 5, 6, 7],
    "MINUS_PRIMARY_ALL": [4, 5, 6, 7],
    "MINUS_MULTISET": [4, 5, 6, 7],
    "INTERSECTION_PRIMARY": [5, 6, 7],
    "INTERSECTION_MULTISET": [7],
    "INTERSECTION_MULTISET_ALL": [7],
}


@pytest.mark.parametrize("op", NULLABLE)
def test_columns_of_a_set_operation_that_may_be_null(op: str) -> None:
    assert [i for i, one in enumerate(types(combined(op, *SIDES))) if one.endswith("?")] == NULLABLE[op]


def test_a_mark_may_be_null_by_its_type() -> None:
    both = virtual("a i64", (1,)), virtual("b i64", (1,))
    for kind in ("LEFT_MARK", "RIGHT_MARK"):
        assert types(join(kind, *both, eq(f(0), f(1))))[-1] == "bool?"
        assert types(join(kind, *both, TRUE))[-1] == "bool?"


def test_a_switching_field_that_is_filled_may_be_null() -> None:
    assert types(expand(virtual("a i64, b i64", (1, 2)), [f(0), f(0)], [f(1)])) == ["int64", "int64?", "int32"]


# No columns, no result -----------------------------------------------------------------------------------------------

TWO = virtual("a i64", (1,), (2,))
NONE = filtered(TWO, TRUE, emit=[])
NOTHING: list[tuple[Json, list[str], list[Any]]] = [
    (NONE, [], [{}, {}]),
    (combined("UNION_ALL", NONE, NONE), [], [{}] * 4),
    (combined("UNION_DISTINCT", NONE, NONE), [], [{}]),
    (cross(NONE, TWO), ["a"], [{"a": 1}, {"a": 1}, {"a": 2}, {"a": 2}]),
    (project(NONE, i64(5)), ["x"], [{"x": 5}, {"x": 5}]),
    (aggregate(NONE, [], measure("aggregate_generic:count")), ["n"], [{"n": 2}]),
]


def _nothing(session: fs.Session) -> list[Any]:
    """The rows of each plan. They are bags: sorted, because Spark gives the pairs of a cross join in any order."""
    return [sorted(session.run(plan(root(rel, names))).to_python(), key=str) for rel, names, _ in NOTHING]


def test_rows_of_no_columns(session: fs.Session) -> None:
    assert _nothing(session) == [rows for *_, rows in NOTHING]


@pytest.mark.spark
def test_rows_of_no_columns_on_spark(spark: Any) -> None:
    assert _nothing(fs.connect(spark=spark, in_process=False)) == [rows for *_, rows in NOTHING]


def test_a_relation_without_a_result_has_no_rows_and_no_fields(session: fs.Session) -> None:
    def made(name: str) -> Json:
        columns = virtual("a i64")["read"]["baseSchema"]
        return {"write": {"namedTable": {"names": [name]}, "tableSchema": columns, "op": "WRITE_OP_CTAS", "input": TWO}}

    assert session.run(plan(root(made("t"), []), root(reference(0), []))).to_python() == []
    assert session.run(plan(subtree(made("u")), root(cross(reference(0), TWO), ["a"]))).to_python() == []
    counted = aggregate(reference(0), [], measure("aggregate_generic:count"))
    assert session.run(plan(subtree(made("v")), root(counted, ["n"]))).to_python() == [{"n": 0}]


# Names ---------------------------------------------------------------------------------------------------------------


def test_a_plan_whose_columns_are_named_in_another_case_runs_from_ion_too(session: fs.Session) -> None:
    session.register("t", pa.table({"Abc": [1, 2], "B": ["x", "y"]}))
    data = plan(root(filtered(read("t", "abc i64?, b string?"), gt(f(0), i64(1))), ["abc", "b"]))
    read_ = fs.read_plan(data)
    for again in (read_, fs.read_plan(read_.to_ion()), fs.read_plan(read_.to_ion(binary=True))):
        assert session.run(again).to_python() == [{"abc": 2, "b": "y"}]


def test_fields_inside_of_columns_match_in_any_case_from_ion_too(session: fs.Session) -> None:
    session.register("t", pa.table({"P": [{"Q": 1, "R": "x"}], "l": [[{"X": 7}]]}))
    source = read("t", "p struct<i64?,string?>?, l list<struct<i64?>?>?")
    source["read"]["baseSchema"]["names"] = ["p", "q", "r", "l", "x"]
    read_ = fs.read_plan(plan(root(only(source, 2, f(0, 0), f(1, At(0), 0)), ["q", "x"])))
    for again in (read_, fs.read_plan(read_.to_ion())):
        assert session.run(again).to_python() == [{"q": 1, "x": 7}]


def test_a_cast_to_a_struct_keeps_the_names(session: fs.Session) -> None:
    pairs = pa.array([{"q": 1, "r": "x"}, None], pa.struct([("q", pa.int32()), ("r", pa.string())]))
    session.register("t", pa.table({"p": pairs, "l": [[{"x": 1}], []]}))
    source = read("t", "p struct<i32?,string?>?, l list<struct<i64?>?>?")
    source["read"]["baseSchema"]["names"] = ["p", "q", "r", "l", "x"]
    casts = [{"cast": {"input": f(0), "type": type_("struct<i64?,string?>?")}}]
    casts.append({"cast": {"input": f(1), "type": type_("list<struct<string?>?>?")}})
    assert session.run(plan(root(only(source, 2, *casts), ["p", "l"]))).to_python() == [
        {"p": {"q": 1, "r": "x"}, "l": [{"x": "1"}]},
        {"p": None, "l": []},
    ]
