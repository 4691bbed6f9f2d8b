"""Relations inside a row: arrays and lambdas, over collections of known and of unknown type."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import firesteel as fs
from tests.spark.both import differences, sessions

pytestmark = pytest.mark.spark

TABLES = {
    "known": """$bag::[
        {id: 1, xs: [3, 1, 2, 1], ps: [{k: "a", v: 1}, {k: "b", v: 2}, {k: "a", v: 5}],
         qs: [{k: "a", w: 10}, {k: "c", w: 30}]},
        {id: 2, xs: [], ps: [], qs: [{k: "b", w: 1}]},
        {id: 3, xs: [7, 7], ps: [{k: "z", v: 9}], qs: []}]""",
    "mixed": """$bag::[
        {id: 1, xs: [3, 1, "b", null, 2.5, 1, [2], [1, 2], {a: 1}, $bag::[1], true, $missing::null, 1e0],
         ps: [{k: "a", v: 1}, {k: "b", v: 2.5}, {k: "a", v: null}, {k: 1, v: 3}, {v: 4}, {k: null, v: 5}],
         qs: $bag::[{k: "a", w: 10}, {k: "c", w: 30}, {w: 5}, 7, {k: 1.0, w: 1}]},
        {id: 2, xs: $bag::[1, 1, 1], ps: {k: "a", v: 7}, qs: []},
        {id: 3, xs: 5, qs: null}]""",
}

#: Each name is one query: all of its subqueries over the same rows.
SUBQUERIES = {
    "sorted": [
        "SELECT VALUE x FROM t.xs AS x ORDER BY x",
        "SELECT VALUE x FROM t.xs AS x ORDER BY x DESC",
        "SELECT VALUE x FROM t.xs AS x ORDER BY x NULLS FIRST LIMIT 2",
        "SELECT VALUE p.v FROM t.ps AS p ORDER BY p.k DESC, p.v",
        "SELECT VALUE x FROM t.xs AS x ORDER BY x LIMIT t.id + 1 OFFSET 1",
        "SELECT VALUE x FROM t.xs AS x ORDER BY x OFFSET 'a'",
    ],
    "sets": [
        "SELECT DISTINCT VALUE x FROM t.xs AS x",
        "(SELECT VALUE x FROM t.xs AS x) UNION ALL (SELECT VALUE p.v FROM t.ps AS p)",
        "(SELECT VALUE x FROM t.xs AS x) UNION (SELECT VALUE p.v FROM t.ps AS p)",
        "(SELECT p.k FROM t.ps AS p) INTERSECT (SELECT q.k FROM t.qs AS q)",
        "(SELECT p.k FROM t.ps AS p) INTERSECT ALL (SELECT q.k FROM t.qs AS q)",
        "(SELECT p.k FROM t.ps AS p) EXCEPT ALL (SELECT q.k FROM t.qs AS q)",
        "(SELECT p.k FROM t.ps AS p) EXCEPT (SELECT q.k FROM t.qs AS q)",
    ],
    "aggregates": [
        "SELECT COUNT(*) AS c, COUNT(p.v) AS v, COUNT(DISTINCT p.k) AS d FROM t.ps AS p",
        "SELECT SUM(p.v) AS s, AVG(p.v) AS a, MIN(p.v) AS i, MAX(p.v) AS x FROM t.ps AS p",
        "SELECT EVERY(p.v > 1) AS e, ANY(p.v > 1) AS y FROM t.ps AS p",
        "SELECT SUM(DISTINCT x) AS s, MIN(x) AS i, MAX(x) AS m FROM t.xs AS x",
        "SELECT k, SUM(p.v) AS s, COUNT(*) AS c FROM t.ps AS p GROUP BY p.k AS k",
        "SELECT k, g FROM t.ps AS p GROUP BY p.k AS k GROUP AS g",
    ],
    "joins": [
        "SELECT p.v, q.w FROM t.ps AS p, t.qs AS q WHERE p.k = q.k",
        "SELECT p.v, q.w FROM t.ps AS p LEFT JOIN t.qs AS q ON p.k = q.k",
        "SELECT x, y FROM t.xs AS x, [x, 1] AS y WHERE y > 1",
    ],
    "outer joins": [
        "SELECT p.v, q.w FROM t.ps AS p RIGHT JOIN t.qs AS q ON p.k = q.k",
        "SELECT p.v, q.w FROM t.ps AS p FULL JOIN t.qs AS q ON p.k = q.k AND p.v > 1",
    ],
    "shapes": [
        "t.ps[*].v",
        "t.*",
        "SELECT i, x FROM t.xs AS x AT i",
        "PIVOT p.v AT p.k FROM t.ps AS p",
        "SELECT k, v FROM UNPIVOT t AS v AT k WHERE k = 'id'",
        "COLL_TO_SCALAR(SELECT p.v FROM t.ps AS p LIMIT 1)",
    ],
}


@pytest.fixture(scope="module")
def pair(spark: Any) -> tuple[fs.Session, fs.Session]:
    return sessions(spark, TABLES)


#: The collections of unknown type have all that those of known type have. Plans of outer joins over them take long.
QUICK = {("known" if name == "outer joins" else "mixed", name) for name in SUBQUERIES}


@pytest.mark.parametrize(
    ("table", "name"),
    [
        pytest.param(table, name, marks=[] if (table, name) in QUICK else pytest.mark.slow)
        for table, name in product(TABLES, SUBQUERIES)
    ],
)
def test_inside_a_row(table: str, name: str, pair: tuple[fs.Session, fs.Session]) -> None:
    listed = ", ".join(f"'q{i}': ({query})" for i, query in enumerate(SUBQUERIES[name]))
    assert not differences(pair, [f"SELECT VALUE {{'id': t.id, {listed}}} FROM {table} AS t"])


@pytest.mark.parametrize("table", TABLES)
def test_at_the_top(table: str, pair: tuple[fs.Session, fs.Session]) -> None:
    queries = [
        f"{table}[*].ps[*].k",
        f"SELECT VALUE [i IS MISSING, b] FROM {table}[*].xs[*] AS b AT i",
        f"SELECT SUM(DISTINCT x) AS s, COUNT(DISTINCT x) AS c FROM {table} AS t, t.xs AS x WHERE x < 100",
        f"SELECT t.id, p, q FROM {table} AS t LEFT JOIN t.ps AS p ON p.v > 1 LEFT JOIN t.qs AS q ON q.k = p.k",
        f"SELECT VALUE x FROM {table} AS t, t.xs AS x ORDER BY x DESC LIMIT (SELECT COUNT(*) AS c FROM {table}) - 1",
    ]
    assert not differences(pair, queries)


def test_operands_that_are_bound_late(pair: tuple[fs.Session, fs.Session]) -> None:
    """What an operand is made of is there before it, whatever stage it comes from."""
    queries = [
        "SELECT 10 BETWEEN t.id AND MOD(t.id, 3) AS b FROM mixed AS t",
        "SELECT VALUE t.id FROM mixed AS t WHERE t.id BETWEEN 2e0 AND (SELECT MAX(u.id) FROM known AS u)",
        "SELECT make_time(t.id, 1, (SELECT u.ps AS x FROM known AS u WHERE u.id = 1)) AS m FROM known AS t",
        "SELECT SUM(DISTINCT t.id IN (t.xs)) AS s, AVG(DISTINCT CAST(t.id AS STRING)) AS a FROM known AS t",
    ]
    assert not differences(pair, queries)


def test_strict(pair: tuple[fs.Session, fs.Session]) -> None:
    queries = [
        "SELECT VALUE (SELECT SUM(x) AS s FROM t.xs AS x) FROM mixed AS t",
        "SELECT VALUE (SELECT SUM(x) AS s FROM t.xs AS x) FROM known AS t",
        "SELECT VALUE (SELECT VALUE x FROM t.xs AS x ORDER BY x LIMIT t.id - 2) FROM known AS t",
        # A row without elements has no first one, but it is dropped before anybody asks for that.
        "SELECT VALUE x FROM known AS t, t.xs AS x WHERE t.xs[0] = 3",
        "SELECT VALUE t.id FROM known AS t WHERE t.id > 9 AND <<1, 2>>[0]",
        "SELECT VALUE t.id FROM mixed AS t WHERE t.id < 9 OR t.qs[t.id + 7]",
        "SELECT VALUE x FROM known AS t, t.xs AS x WHERE t.xs[0] = ANY (SELECT VALUE 7 FROM known AS u)",
        "SELECT VALUE x FROM known AS t, t.xs AS x WHERE t.xs[0] IN (SELECT VALUE u.id FROM known AS u)",
        "SELECT x, u.id FROM (SELECT t.xs, x FROM known AS t, t.xs AS x) AS v JOIN known AS u ON v.xs[0] = u.id",
        "SELECT v.x, u.id FROM (SELECT t.xs, x FROM known AS t, t.xs AS x) AS v LEFT JOIN known AS u ON v.xs[0] < u.id",
        # Of NULL nothing is wrong.
        "SELECT VALUE x BETWEEN 'a' AND NULL FROM known AS t, t.xs AS x",
        "SELECT VALUE (SELECT VALUE x BETWEEN NULL AND 'a' FROM t.xs AS x) FROM mixed AS t",
    ]
    assert not differences(pair, queries, "strict")


def test_groups_without_rows(pair: tuple[fs.Session, fs.Session]) -> None:
    """A key makes groups of rows, be it always NULL; without rows there are none."""
    queries = [
        f"SELECT k, COUNT(*) AS c FROM known AS t WHERE t.id > {least} GROUP BY {key} AS k"
        for least in (0, 9)
        for key in ("NULL", "MISSING", "CAST('a' AS LIST)")
    ]
    assert not differences(pair, queries)
