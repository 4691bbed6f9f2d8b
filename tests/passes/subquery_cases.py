"""Queries over tables inside expressions: what lowering them must keep, and Spark must answer as the reference does."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import firesteel as fs

#: Tables without a schema: mixed types, NULL, MISSING, containers, dates that are `=` to timestamps.
DYNAMIC = {
    "o": """$bag::[
        {id: 1, x: 1, k: "a", items: [{x: 1, n: 2}, {x: 2, n: 1}]},
        {id: 2, x: 2, k: "b", items: []},
        {id: 3, x: null, k: "a", items: [{x: 3, n: 5}]},
        {id: 4, k: "c"},
        {id: 5, x: 1.0, k: "zz", items: [{x: null, n: 7}, {x: 1, n: 7}]},
        {id: 6, x: "two", k: null, items: 3},
        {id: 7, x: [1, null], k: "a", items: $bag::[{x: 2, n: 0}]}]""",
    "t": """$bag::[
        {x: 1, y: 10, k: "a", z: [1, 2]},
        {x: 1, y: 11, k: "b", z: []},
        {x: 2, y: 20, k: "a"},
        {x: null, y: 30, z: [3]},
        {y: 40, k: "c"},
        {x: 3, y: null, k: "b"},
        {x: "two", y: 50, k: "a"},
        {x: [1, null], y: 60, k: "d"}]""",
    "l": """[{x: 2, y: 1}, {x: 1, y: 2}, {x: 2, y: 3}]""",
    "e": """$bag::[]""",
    "n": """$bag::[1, 2, null, 3, 2]""",
}

#: Tables with a schema.
TYPED = {
    "emp": pa.table(
        {
            "id": pa.array([1, 2, 3, 4, 5], pa.int64()),
            "dept": pa.array([10, 10, 20, None, 30], pa.int64()),
            "pay": pa.array([100, 200, 150, 50, None], pa.int64()),
            "name": pa.array(["ann", "bob", "cid", "dan", "eve"]),
        }
    ),
    "dept": pa.table(
        {
            "id": pa.array([10, 20, 30, 40], pa.int64()),
            "name": pa.array(["it", "hr", None, "pr"]),
            "floors": pa.array([[1, 2], [], [3], None], pa.list_(pa.int64())),
        }
    ),
    "sale": pa.table(
        {
            "emp": pa.array([1, 1, 2, 3, 3, None], pa.int64()),
            "amt": pa.array([5, 7, 9, 4, None, 6], pa.int64()),
            "day": pa.array(["mon", "tue", "mon", "wed", "wed", "mon"]),
        }
    ),
}

QUERIES = [
    # Once: queries that do not look at the row.
    "SELECT o.id, (SELECT COUNT(*) AS c FROM t) AS c FROM o",
    "SELECT o.id, (SELECT MAX(t.y) AS m FROM t WHERE t.k = 'a') AS m FROM o",
    "SELECT o.id, (SELECT SUM(t.y) AS m FROM e AS t) AS m FROM o",
    "SELECT o.id, (SELECT t.y FROM t WHERE t.y = 20) AS one FROM o",
    "SELECT o.id, (SELECT t.y FROM t WHERE t.y = 99) AS none FROM o",
    "SELECT o.id, (SELECT t.y FROM t) AS many FROM o",
    "SELECT o.id, (SELECT VALUE t.y FROM t WHERE t.y > 15) AS bag FROM o",
    "SELECT o.id, (SELECT VALUE t.y FROM t WHERE t.y > 15 ORDER BY t.y DESC) AS sorted FROM o",
    "SELECT o.id, (SELECT VALUE t.y FROM t ORDER BY t.y DESC LIMIT 2) AS top FROM o",
    "SELECT o.id, (SELECT t.y FROM t ORDER BY t.y LIMIT 1) AS first FROM o",
    "SELECT o.id, EXISTS(SELECT * FROM e) AS e, EXISTS(SELECT * FROM t WHERE t.y > 55) AS f FROM o",
    "SELECT VALUE o.id FROM o WHERE EXISTS(SELECT * FROM t WHERE t.y = 60)",
    "SELECT VALUE o.id FROM o WHERE NOT EXISTS(SELECT * FROM t WHERE t.y = 60)",
    "SELECT VALUE o.id FROM o WHERE o.x IN (SELECT t.x FROM t)",
    "SELECT VALUE o.id FROM o WHERE o.x NOT IN (SELECT t.x FROM t)",
    "SELECT VALUE o.id FROM o WHERE o.x NOT IN (SELECT t.x FROM t WHERE t.x IS NOT NULL)",
    "SELECT VALUE o.id FROM o WHERE o.x NOT IN (SELECT t.x FROM e AS t)",
    "SELECT o.id, o.x IN (SELECT t.x FROM t) AS i, o.x NOT IN (SELECT t.x FROM t) AS j FROM o",
    "SELECT o.id, o.x IN (SELECT t.x FROM t WHERE t.x IS NOT NULL) AS i, o.x IN (SELECT t.x FROM e AS t) AS j FROM o",
    "SELECT o.id, o.x < ANY (SELECT VALUE t.x FROM t) AS i, o.x >= ALL (SELECT VALUE t.x FROM t) AS j FROM o",
    "SELECT o.id, o.id IN n AS i, COLL_SUM(n) AS s, CARDINALITY(t) AS c FROM o",
    "SELECT o.id, (PIVOT t.y AT t.k FROM t WHERE t.y < 15) AS p FROM o",
    "SELECT o.id, COLL_MAX(SELECT VALUE t.y FROM t) AS m FROM o",
    "SELECT o.id, (SELECT COUNT(*) AS c FROM l) AS c, l[0].y AS f FROM o",
    "(SELECT COUNT(*) AS c FROM t) + (SELECT MIN(t.y) AS m FROM t)",
    "[(SELECT VALUE o.id FROM o), EXISTS(SELECT * FROM e), 7]",
    "SELECT VALUE v FROM [(SELECT COUNT(*) AS c FROM t), 2] AS v",
    # Tied to the row by equalities.
    "SELECT o.id, (SELECT SUM(t.y) AS s FROM t WHERE t.x = o.x) AS s FROM o",
    "SELECT o.id, (SELECT COUNT(*) AS s FROM t WHERE t.x = o.x) AS s FROM o",
    "SELECT o.id, (SELECT COUNT(t.y) + 1 AS s FROM t WHERE o.x = t.x AND t.k = 'a') AS s FROM o",
    "SELECT o.id, (SELECT AVG(t.y) AS s FROM t WHERE t.x = o.x AND t.k = o.k) AS s FROM o",
    "SELECT o.id, (SELECT MAX(t.y) + o.id AS s FROM t WHERE t.x = o.x) AS s FROM o",
    "SELECT VALUE o.id FROM o WHERE EXISTS(SELECT * FROM t WHERE t.x = o.x)",
    "SELECT VALUE o.id FROM o WHERE NOT EXISTS(SELECT 1 AS a FROM t WHERE t.x = o.x)",
    "SELECT VALUE o.id FROM o WHERE o.k IN (SELECT t.k FROM t WHERE t.x = o.x)",
    "SELECT VALUE o.id FROM o WHERE o.k NOT IN (SELECT t.k FROM t WHERE t.x = o.x)",
    "SELECT VALUE o.id FROM o WHERE o.id < ANY (SELECT t.y FROM t WHERE t.x = o.x)",
    "SELECT VALUE o.id FROM o WHERE o.id < ALL (SELECT t.y FROM t WHERE t.x = o.x)",
    "SELECT VALUE o.id FROM o WHERE NOT (o.id < ALL (SELECT t.y FROM t WHERE t.k = o.k))",
    "SELECT o.id, EXISTS(SELECT * FROM t WHERE t.x = o.x) AS e FROM o",
    "SELECT o.id, o.k IN (SELECT t.k FROM t WHERE t.x = o.x) AS e FROM o",
    "SELECT o.id, (SELECT VALUE t.y FROM t WHERE t.x = o.x) AS ys FROM o",
    "SELECT o.id, (SELECT VALUE {'a': o.x, 'b': t.y} FROM t WHERE t.x = o.x) AS ys FROM o",
    "SELECT o.id, (SELECT t.y FROM t WHERE t.x = o.x) AS y FROM o",
    "SELECT o.id, (SELECT VALUE t.y FROM t WHERE t.x = o.x ORDER BY t.y DESC LIMIT 1) AS ys FROM o",
    "SELECT o.id, (SELECT VALUE t.y FROM t WHERE t.k = o.k ORDER BY t.y) AS ys FROM o",
    "SELECT o.id, (SELECT DISTINCT VALUE t.k FROM t WHERE t.x = o.x) AS ks FROM o",
    "SELECT o.id, (SELECT t.k, COUNT(*) AS c FROM t WHERE t.x = o.x GROUP BY t.k) AS ks FROM o",
    "SELECT o.id, (PIVOT t.y AT t.k FROM t WHERE t.x = o.x) AS p FROM o",
    "SELECT o.id, (SELECT VALUE z FROM t AS b, b.z AS z WHERE b.x = o.x) AS zs FROM o",
    "SELECT o.id, (SELECT SUM(a.y * b.y) AS s FROM t AS a, t AS b WHERE a.x = b.x AND a.k = o.k) AS s FROM o",
    # Tied otherwise.
    "SELECT o.id, (SELECT COUNT(*) AS c FROM t WHERE t.y > o.id * 10) AS c FROM o",
    "SELECT o.id, (SELECT COUNT(*) AS c FROM t WHERE t.x <> o.x) AS c FROM o",
    "SELECT o.id, (SELECT MAX(t.y - o.id) AS c FROM t WHERE t.x = o.x) AS c FROM o",
    "SELECT o.id, (SELECT VALUE t.y FROM t WHERE t.x IS NULL AND o.x IS NULL) AS c FROM o",
    "SELECT o.id, (SELECT VALUE t.y + o.id FROM t WHERE t.y < 15) AS c FROM o",
    "SELECT VALUE o.id FROM o WHERE EXISTS(SELECT * FROM t WHERE t.y < o.id * 5)",
    "SELECT VALUE o.id FROM o WHERE (SELECT COUNT(*) AS c FROM t WHERE t.x = o.x OR t.k = o.k) > 2",
    # In other places.
    "SELECT o.id, CASE WHEN o.id = 1 THEN (SELECT t.y FROM t WHERE t.x = o.x) ELSE 0 END AS c FROM o",
    "SELECT o.id, CASE WHEN EXISTS(SELECT * FROM t WHERE t.x = o.x) THEN 'y' ELSE 'n' END AS c FROM o",
    "SELECT o.id, COALESCE(o.x, (SELECT MIN(t.y) AS m FROM t WHERE t.k = o.k)) AS c FROM o",
    "SELECT VALUE o.id FROM o WHERE o.id = 1 OR EXISTS(SELECT * FROM t WHERE t.x = o.x)",
    "SELECT o.k, COUNT(*) AS c FROM o GROUP BY o.k HAVING COUNT(*) > (SELECT COUNT(*) AS c FROM t WHERE t.k = o.k)",
    "SELECT o.k, SUM((SELECT COUNT(*) AS c FROM t WHERE t.x = o.x)) AS c FROM o GROUP BY o.k",
    "SELECT VALUE o.id FROM o ORDER BY (SELECT COUNT(*) AS c FROM t WHERE t.x = o.x) DESC, o.id",
    "SELECT o.id, (SELECT COUNT(*) AS c FROM t WHERE t.x = o.x) AS c FROM o ORDER BY o.id DESC LIMIT 3",
    "SELECT o.id, c FROM o LET (SELECT COUNT(*) AS c FROM t WHERE t.x = o.x) AS c WHERE c > 1",
    "SELECT a.id, b.y FROM o AS a JOIN t AS b ON a.x = b.x AND EXISTS(SELECT * FROM l WHERE l.x = b.x)",
    "SELECT a.id, b.y FROM o AS a LEFT JOIN t AS b ON a.x = b.x AND b.y > (SELECT MIN(l.y) AS m FROM l)",
    "SELECT a.id, b.y FROM o AS a LEFT JOIN t AS b ON b.y > (SELECT MIN(l.y) AS m FROM l WHERE l.x = a.x)",
    "SELECT VALUE (SELECT VALUE i.n FROM a.items AS i WHERE i.x IN (SELECT t.x FROM t)) FROM o AS a",
    "SELECT VALUE (SELECT VALUE (SELECT VALUE t.y FROM t WHERE t.x = i.x) FROM a.items AS i) FROM o AS a",
    "SELECT VALUE (SELECT VALUE (SELECT COUNT(*) AS c FROM t WHERE t.x = a.x) FROM a.items AS i) FROM o AS a",
    "SELECT VALUE v.x FROM o.items AS v",
    # In one another.
    "SELECT VALUE o.id FROM o"
    " WHERE EXISTS(SELECT * FROM t WHERE t.x = o.x AND EXISTS(SELECT * FROM l WHERE l.x = t.x))",
    "SELECT VALUE o.id FROM o WHERE EXISTS(SELECT * FROM t WHERE t.x = o.x AND t.y IN (SELECT l.y * 10 FROM l))",
    "SELECT VALUE o.id FROM o"
    " WHERE EXISTS(SELECT * FROM t WHERE EXISTS(SELECT * FROM l WHERE l.x = t.x AND l.y = o.id))",
    "SELECT o.id, (SELECT VALUE (SELECT VALUE l.y FROM l WHERE l.x = t.x AND l.y <= o.id) FROM t WHERE t.k = o.k) AS v"
    " FROM o",
    "SELECT o.id, (SELECT SUM((SELECT COUNT(*) AS c FROM l WHERE l.x = t.x)) AS s FROM t WHERE t.k = o.k) AS s FROM o",
    "SELECT VALUE o.id FROM o WHERE o.x = (SELECT MIN(l.x) AS m FROM l WHERE l.y < (SELECT MAX(t.y) AS m FROM t))",
    # Lateral joins.
    "SELECT a.id, b.y FROM o AS a, (SELECT t.y FROM t WHERE t.x = a.x) AS b",
    "SELECT a.id, b.s FROM o AS a, (SELECT t.y + a.id AS s FROM t WHERE t.x = a.x AND t.k = 'a') AS b",
    "SELECT a.id, b.y FROM o AS a LEFT JOIN (SELECT t.y FROM t WHERE t.x = a.x) AS b ON b.y > 10",
    "SELECT a.id, b.s FROM o AS a, (SELECT SUM(t.y) AS s FROM t WHERE t.x = a.x) AS b",
    "SELECT a.id, b FROM o AS a, (SELECT VALUE t.y FROM t WHERE t.k = a.k ORDER BY t.y DESC LIMIT 1) AS b",
    "SELECT a.id, i.n, b.y FROM o AS a, a.items AS i, (SELECT t.y FROM t WHERE t.x = i.x) AS b",
    # Typed tables.
    "SELECT e.name, (SELECT d.name FROM dept AS d WHERE d.id = e.dept) AS d FROM emp AS e",
    "SELECT e.name, (SELECT SUM(s.amt) AS a FROM sale AS s WHERE s.emp = e.id) AS a FROM emp AS e",
    "SELECT VALUE e.name FROM emp AS e WHERE e.pay > (SELECT AVG(f.pay) AS a FROM emp AS f WHERE f.dept = e.dept)",
    "SELECT VALUE e.name FROM emp AS e WHERE e.id NOT IN (SELECT s.emp FROM sale AS s WHERE s.day = 'mon')",
    "SELECT VALUE e.name FROM emp AS e WHERE e.dept NOT IN (SELECT d.id FROM dept AS d WHERE d.name = 'it')",
    "SELECT VALUE e.name FROM emp AS e WHERE EXISTS(SELECT * FROM emp AS f WHERE f.dept = e.dept AND f.id <> e.id)",
    "SELECT e.name, EXISTS(SELECT * FROM sale AS s WHERE s.emp = e.id AND s.amt > e.pay / 20) AS b FROM emp AS e",
    "SELECT d.id, (SELECT VALUE e.name FROM emp AS e WHERE e.dept = d.id ORDER BY e.pay DESC LIMIT 1) AS top"
    " FROM dept AS d",
    "SELECT d.id, (SELECT COUNT(*) AS c FROM emp AS e WHERE e.pay > d.id * 5) AS c FROM dept AS d",
    "SELECT d.id, (SELECT COUNT(DISTINCT s.day) AS c FROM sale AS s, emp AS e WHERE s.emp = e.id AND e.dept = d.id)"
    " AS c FROM dept AS d",
    "SELECT d.id, (SELECT VALUE f FROM d.floors AS f WHERE f IN (SELECT e.id FROM emp AS e)) AS f FROM dept AS d",
    "SELECT d.id, (SELECT MAX(e.pay) AS m FROM emp AS e WHERE e.dept = d.id OR e.dept IS NULL) AS m FROM dept AS d",
    "SELECT d.id, x.n FROM dept AS d, (SELECT COUNT(*) AS n FROM emp AS e WHERE e.dept = d.id) AS x",
    "SELECT d.id,"
    " (SELECT e.dept AS g, COUNT(*) AS c FROM emp AS e WHERE e.pay > d.id GROUP BY e.dept HAVING COUNT(*) > 1) AS g"
    " FROM dept AS d",
]

#: What raises an error in strict mode, or only if it is evaluated for rows that do not ask for it.
GUARDED = [
    "SELECT o.id, CASE WHEN o.id > 100 THEN (SELECT t.y FROM t) ELSE 0 END AS c FROM o",
    "SELECT o.id, CASE WHEN o.id > 100 THEN (SELECT SUM(t.k) AS s FROM t WHERE t.x = o.x) ELSE 0 END AS c FROM o",
    "SELECT VALUE o.id FROM o WHERE o.id > 100 AND (SELECT t.nope FROM t WHERE t.x = o.x) = 1",
    "SELECT VALUE (SELECT 1 / (t.y - t.y) AS d FROM t) FROM e",
    "SELECT VALUE (SELECT t.y FROM t) FROM o",
    "SELECT VALUE o.id FROM o WHERE o.id > 100 AND EXISTS(SELECT * FROM t WHERE 1 / (t.y - 10) = o.id)",
    "SELECT e.id, CASE WHEN e.id > 9 THEN (SELECT s.amt FROM sale AS s) ELSE 0 END AS c FROM emp AS e",
    "SELECT e.id, (SELECT s.amt FROM sale AS s WHERE s.emp = e.id) AS c FROM emp AS e",
]


def register(session: fs.Session) -> fs.Session:
    """The session with the tables."""
    for name, text in DYNAMIC.items():
        session.register(name, fs.ion(text))
    tables: dict[str, Any] = TYPED
    for name, table in tables.items():
        session.register(name, table)
    return session
