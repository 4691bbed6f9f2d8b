"""The text of plans and syntax trees: names, literals, what is refused by name."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

import firesteel as fs
from firesteel import partiql, plan, values
from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.node import has
from firesteel.partiql import ast
from firesteel.plan import build
from tests.partiql.suite import statements


@pytest.mark.conformance
def test_a_printed_tree_is_read_as_the_same(outside: Callable[[str], Path]) -> None:
    count = 0
    for one in list(statements(outside("partiql-tests")))[::4]:
        try:
            tree = partiql.parse(one.text)
        except FiresteelError:
            continue
        if not has(tree, ast.GraphMatch):
            count += 1
            assert partiql.parse(partiql.print_syntax(tree)) == tree, one.text
    assert count > 800


def _hostile(rng: random.Random) -> str:
    letters = [
        "a",
        "B",
        " ",
        '"',
        "'",
        "`",
        ".",
        "-",
        "--",
        "/*",
        "$",
        "é",
        "ſ",
        "select",
        "value",
        "\n",
        "1",
        "%",
        "@",
    ]
    return "".join(rng.choice(letters) for _ in range(rng.randint(1, 5)))


def test_hostile_names_come_back() -> None:
    rng = random.Random(7)
    session = fs.connect(engine="reference")
    for _ in range(500):
        column, table, alias = _hostile(rng), _hostile(rng), _hostile(rng)
        session.register(table, fs.Bag([fs.Struct({column: 1})]), replace=True)
        quoted = [name.replace('"', '""') for name in (column, alias)]
        path = ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))
        text = f'SELECT "{quoted[1]}"."{quoted[0]}" AS "{quoted[1]}" FROM {path} AS "{quoted[1]}"'
        try:
            made = session.plan(text)
        except FiresteelError:
            continue  # a table of an empty name
        assert session.plan(made.to_partiql()).node == made.node, text
        session.unregister(table)


@pytest.mark.parametrize(
    "literal",
    [
        *("1", "-9223372036854775808", "1.", "1.50", "-1.5", "1e0", "-1e300", "'it''s'", "NULL", "MISSING", "TRUE"),
        *("DATE '0001-01-01'", "TIME '12:30:00.250'", "TIME WITH TIME ZONE '12:30:00+05:30'"),
        *("TIMESTAMP '2024-02-29 23:59:59.123456789'", "INTERVAL '3' DAY", "INTERVAL -'1-11' YEAR TO MONTH"),
        *("INTERVAL '99 23:59:59.5' DAY TO SECOND (1)", "`nan`", "`-inf`", "`1d3`", "`a::1`", "`{{aGk=}}`", "`-0.`"),
        *(
            "`2007T`",
            "`sym`",
            "{'a': [1, <<2, MISSING>>]}",
            "CAST('2' AS INTERVAL DAY (3))",
            "CAST(1 AS DECIMAL (5, 2))",
        ),
    ],
)
def test_literals_come_back(literal: str) -> None:
    session = fs.connect(engine="reference")
    try:
        made = session.plan(literal)
    except FiresteelError:
        pytest.skip("no literal of this language")
    again = session.plan(made.to_partiql())
    assert again.node == made.node or session.run(again).to_ion() == session.run(made).to_ion()


def _root(rel: plan.Rel, *names: str) -> fs.Plan:
    return fs.Plan(plan.Plan(plan.Root(names, rel)))


ROWS = plan.Scan(build.lit([1, 2, 2]), names=("x",))
OTHERS = plan.Scan(build.lit([2, 3]), names=("x",))
_EQUAL = build.call("eq", build.column(ROWS, 0), plan.Var(t.INT64, 1))


@pytest.mark.parametrize(
    ("capture", "rows"),
    [(plan.Capture.LEFT_SEMI, "[{x: 2}, {x: 2}]"), (plan.Capture.LEFT_ANTI, "[{x: 1}]")],
)
def test_joins_that_test(capture: plan.Capture, rows: str) -> None:
    made = _root(plan.Join(plan.Theta(capture, _EQUAL), ROWS, OTHERS), "x")
    text = made.to_partiql()
    assert "EXISTS" in text
    session = fs.connect(engine="reference")
    assert values.equal(values.Bag(session.query(text).value()), values.Bag(fs.ion(rows)))


def test_what_has_no_form_is_named() -> None:
    exchange = plan.Exchange(plan.RoundRobin(), ROWS, numbered=True)
    with pytest.raises(fs.UnsupportedError, match="'exchange' has no form in PartiQL"):
        _root(exchange, "x", "n").to_partiql()
    single = plan.Join(plan.Theta(plan.Capture.LEFT_SINGLE, _EQUAL), ROWS, OTHERS)
    with pytest.raises(fs.UnsupportedError, match="'join' has no form in PartiQL: it is left_single"):
        _root(single, "x", "y").to_partiql()


def test_what_would_be_lost_is_named() -> None:
    hinted = ROWS.replace(hints=plan.Hints(row_count=3.0))
    with pytest.raises(fs.UnsupportedError, match="would lose: hints of 'scan'"):
        _root(hinted, "x").to_partiql()
    assert _root(hinted, "x").to_partiql(lossy=True) == "SELECT x FROM [1, 2, 2] AS x"


def test_a_list_stays_a_list() -> None:
    listed = plan.Select(t.Array(t.INT64), build.column(ROWS, 0), plan.Filter(build.lit(True), ROWS))
    made = fs.Plan(plan.Plan(plan.Query(listed)))
    session = fs.connect(engine="reference")
    assert session.query(made.to_partiql()).to_ion() == "[1, 2, 2]"
