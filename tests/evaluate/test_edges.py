"""Where values end and types go deep: an answer, or an error of ours."""

from __future__ import annotations

import datetime

import pytest

import firesteel as fs
from firesteel import partiql_plan
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.partiql_plan import algebra


@pytest.fixture(scope="module")
def session() -> fs.Session:
    made = fs.connect(engine="reference")
    made.register("days", [{"d": datetime.date(9999, 12, 31)}, {"d": datetime.date(1, 1, 1)}])
    made.register("longs", [{"d": 2**63 - 1}, {"d": 2**63 - 2}, {"d": -(2**63)}])
    made.register("mixed", [{"d": "a"}, {"d": True}, {"d": [1]}])
    return made


def counted(session: fs.Session, table: str, offset: str, direction: str) -> list[int]:
    frame = f"RANGE BETWEEN {offset} PRECEDING AND {offset} FOLLOWING"
    query = f"SELECT t.d, COUNT(*) OVER (ORDER BY t.d {direction} {frame}) AS n FROM {table} AS t"
    return [row["n"] for row in session.query(query).to_python()]


@pytest.mark.parametrize("direction", ["ASC", "DESC"])
def test_a_range_reaches_beyond_the_values_of_its_type(session: fs.Session, direction: str) -> None:
    assert counted(session, "longs", "1", direction) == [2, 2, 1]
    assert counted(session, "longs", str(2**63 - 1), direction) == [2, 2, 1]
    assert counted(session, "days", "INTERVAL '1' DAY", direction) == [1, 1]


@pytest.mark.parametrize(("table", "offset"), [("days", "1"), ("longs", "'a'"), ("longs", "NULL"), ("mixed", "1")])
def test_a_range_that_leads_nowhere_is_an_error(session: fs.Session, table: str, offset: str) -> None:
    with pytest.raises(EvaluationError, match="RANGE counts in values of the sort key"):
        counted(session, table, offset, "ASC")


# Types of a thousand levels ------------------------------------------------------------------------------------------

DEEP = 1_000
NESTED = {
    "array": ("ARRAY<" * DEEP + "INT" + ">" * DEEP, "[]"),
    "bag": ("BAG<" * DEEP + "INT" + ">" * DEEP, "<<>>"),
    "struct": ("STRUCT<a: " * DEEP + "INT" + ">" * DEEP, "{}"),
}


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("form", ["CAST({} AS {})", "CAN_CAST({} AS {})", "{} IS {}"])
def test_deep_types_in_text(session: fs.Session, kind: str, form: str) -> None:
    type_, value = NESTED[kind]
    plan = session.plan(form.format(value, type_))
    session.run(plan).value()
    assert plan.to_ion()
    assert session.explain(plan)


@pytest.mark.parametrize("name", ["cast", "is_type", "expression:cast"])
def test_deep_types_in_plans(session: fs.Session, name: str) -> None:
    text = f"(call '{name}' (lit []) (type {'(array ' * DEEP}int{')' * DEEP}))"
    plan = algebra.read(text)
    again = partiql_plan.read(partiql_plan.write(plan))
    assert again == plan
    assert isinstance(again, p.Plan)
    if name == "expression:cast":
        with pytest.raises(fs.UnsupportedError):
            session.run(again)
    else:
        assert session.run(again).value() in ([], True)


def test_deep_types_compare() -> None:
    def deep() -> t.Type:
        made: t.Type = t.INT64
        for _ in range(DEEP):
            made = t.Array(made)
        return made

    from firesteel.functions.substrait import by_name

    assert by_name.fits(deep(), deep())
    assert not by_name.fits(deep(), t.Array(deep()))
