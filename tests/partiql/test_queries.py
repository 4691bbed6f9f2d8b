"""Queries, graph patterns and statements to syntax trees, shown as s-expressions."""

from __future__ import annotations

import pytest

from firesteel import partiql
from firesteel.errors import ParseError
from firesteel.partiql import ast

ONE = "(select (items ((item (lit 1) None))) None)"
TWO = "(select (items ((item (lit 2) None))) None)"
STAR_T = "(select (star) (range (var 't')))"


def tree(text: str) -> str:
    statement = partiql.parse(text)
    assert isinstance(statement, ast.QueryStatement)
    return repr(statement.query)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1", ONE),
        ("SELECT * FROM t", STAR_T),
        (
            "SELECT a b, c AS d FROM t",
            "(items ((item (var 'a') (name 'b')) (item (var 'c') (name 'd')))) (range (var 't'))",
        ),
        (
            "SELECT t.*, t.a.* FROM t",
            "(items ((item_star (var 't')) (item_star (path (var 't') ((field 'a')))))) (range (var 't'))",
        ),
        ("SELECT VALUE a FROM t", "(value (var 'a')) (range (var 't'))"),
        ("SELECT DISTINCT VALUE a FROM t", "(value (var 'a')) (range (var 't')) (quantifier 'distinct')"),
        ("SELECT ALL a", "(items ((item (var 'a') None))) None (quantifier 'all')"),
        ("PIVOT a AT b FROM t", "(pivot (var 'a') (var 'b')) (range (var 't'))"),
        ("SELECT a, value FROM t", "(items ((item (var 'a') None) (item (var 'value') None))) (range (var 't'))"),
        ("SELECT a WHERE b", "(items ((item (var 'a') None))) None (filter (var 'b'))"),
        ("SELECT * FROM t WHERE a HAVING b", "(star) (range (var 't')) (filter (var 'a')) (having (var 'b'))"),
        (
            "SELECT * FROM t LET 1 AS a, 2 AS b",
            "(star) (range (var 't')) (lets ((let (lit 1) (name 'a')) (let (lit 2) (name 'b'))))",
        ),
        (
            "SELECT * FROM t GROUP PARTIAL BY a AS x, b GROUP AS g",
            "(star) (range (var 't'))"
            " (group (group ((group_key (var 'a') (name 'x')) (group_key (var 'b') None)) (name 'g') (partial True)))",
        ),
        ("SELECT * FROM t GROUP ALL AS g", "(star) (range (var 't')) (group (group () (name 'g')))"),
        (
            "SELECT * EXCLUDE t.a[*].b, t.c[0]['d'].* FROM t",
            "(star) (range (var 't')) (exclude ((exclude_path (var 't') ((field 'a') (each_element) (field 'b')))"
            " (exclude_path (var 't') ((field 'c') (index (lit 0)) (index (lit 'd')) (each_attribute)))))",
        ),
        (
            "SELECT * FROM t WINDOW w AS (PARTITION BY a)",
            "(star) (range (var 't')) (windows ((window_def (name 'w') (window None (partition ((var 'a')))))))",
        ),
    ],
)
def test_select(text: str, expected: str) -> None:
    assert tree(text) == (expected if expected.startswith("(select") else f"(select {expected})")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t AS a AT b BY c", "(range (var 't') (alias (name 'a')) (position (name 'b')) (by (name 'c')))"),
        ("t a AT b", "(range (var 't') (alias (name 'a')) (position (name 'b')))"),
        ("t AT b", "(range (var 't') (position (name 'b')))"),
        ("t AS a (b, c)", "(range (var 't') (alias (name 'a')) (columns ((name 'b') (name 'c'))))"),
        ("UNPIVOT t AS a AT b", "(unpivot (var 't') (alias (name 'a')) (position (name 'b')))"),
        ("@a.b", "(range (path (var 'a' (local True)) ((field 'b'))))"),
        ("(SELECT 1) AS a", f"(range (subquery {ONE}) (alias (name 'a')))"),
        ("(SELECT 1).a", f"(range (path (subquery {ONE}) ((field 'a'))))"),
        ("(t) a", "(range (var 't') (alias (name 'a')))"),
        ("a, b", "(join 'cross' (range (var 'a')) (range (var 'b')))"),
        ("a CROSS JOIN b", "(join 'cross' (range (var 'a')) (range (var 'b')))"),
        ("a LEFT CROSS JOIN b", "(join 'left' (range (var 'a')) (range (var 'b')))"),
        ("a JOIN b ON c", "(join 'inner' (range (var 'a')) (range (var 'b')) (on (var 'c')))"),
        ("a RIGHT OUTER JOIN b ON c", "(join 'right' (range (var 'a')) (range (var 'b')) (on (var 'c')))"),
        ("a FULL JOIN b ON c", "(join 'full' (range (var 'a')) (range (var 'b')) (on (var 'c')))"),
        ("a OUTER JOIN b ON c", "(join 'full' (range (var 'a')) (range (var 'b')) (on (var 'c')))"),
        ("a JOIN b USING (c)", "(join 'inner' (range (var 'a')) (range (var 'b')) (using ((name 'c'))))"),
        ("a NATURAL JOIN b", "(join 'inner' (range (var 'a')) (range (var 'b')) (natural True))"),
        ("a, LATERAL b", "(join 'cross' (range (var 'a')) (range (var 'b')))"),
        # JOIN binds more closely than a comma, and from the left; parentheses and the place of ON say otherwise.
        (
            "a, b JOIN c ON d JOIN e ON f",
            "(join 'cross' (range (var 'a')) (join 'inner' (join 'inner' (range (var 'b')) (range (var 'c'))"
            " (on (var 'd'))) (range (var 'e')) (on (var 'f'))))",
        ),
        (
            "a JOIN (b JOIN c ON d) ON e",
            "(join 'inner' (range (var 'a'))"
            " (join 'inner' (range (var 'b')) (range (var 'c')) (on (var 'd'))) (on (var 'e')))",
        ),
        (
            "a JOIN b JOIN c ON d ON e",
            "(join 'inner' (range (var 'a'))"
            " (join 'inner' (range (var 'b')) (range (var 'c')) (on (var 'd'))) (on (var 'e')))",
        ),
        # What parentheses in FROM are around: items, or an expression?
        ("((a AS b))", "(range (var 'a') (alias (name 'b')))"),
        ("(a b)", "(range (var 'a') (alias (name 'b')))"),
        ("((a))", "(range (var 'a'))"),
        ("(a.join) AS b", "(range (path (var 'a') ((field 'join'))) (alias (name 'b')))"),
        ("(UNPIVOT a AS b)", "(unpivot (var 'a') (alias (name 'b')))"),
        ("(a, b)", "(range (row ((var 'a') (var 'b'))))"),
        ("((SELECT 1) UNION (SELECT 2)) AS a", f"(range (subquery (set_op 'union' {ONE} {TWO})) (alias (name 'a')))"),
        (
            "((a JOIN b ON c) JOIN (SELECT 1) AS d ON e)",
            "(join 'inner' (join 'inner' (range (var 'a')) (range (var 'b')) (on (var 'c')))"
            f" (range (subquery {ONE}) (alias (name 'd'))) (on (var 'e')))",
        ),
    ],
)
def test_from(text: str, expected: str) -> None:
    assert tree(f"SELECT * FROM {text} WHERE x") == f"(select (star) {expected} (filter (var 'x')))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a UNION b", "(set_op 'union' (var 'a') (var 'b'))"),
        ("a UNION ALL b", "(set_op 'union' (var 'a') (var 'b') (quantifier 'all'))"),
        ("a OUTER EXCEPT DISTINCT b", "(set_op 'except' (var 'a') (var 'b') (quantifier 'distinct') (outer True))"),
        ("SELECT * FROM t OUTER UNION b", f"(set_op 'union' {STAR_T} (var 'b') (outer True))"),
        ("a EXCEPT b UNION c", "(set_op 'union' (set_op 'except' (var 'a') (var 'b')) (var 'c'))"),
        ("a UNION b INTERSECT c", "(set_op 'union' (var 'a') (set_op 'intersect' (var 'b') (var 'c')))"),
        ("a UNION (b EXCEPT c)", "(set_op 'union' (var 'a') (set_op 'except' (var 'b') (var 'c')))"),
        ("(SELECT 1) UNION (SELECT 2)", f"(set_op 'union' {ONE} {TWO})"),
        (
            "TABLE a UNION CORRESPONDING BY (b) TABLE c",
            "(set_op 'union' (table (var 'a')) (table (var 'c')) (corresponding ((name 'b'))))",
        ),
        ("a UNION CORRESPONDING b", "(set_op 'union' (var 'a') (var 'b') (corresponding ()))"),
        ("(SELECT 1)", ONE),
        ("((SELECT 1)) + 2", f"(operator 'plus' ((subquery {ONE}) (lit 2)))"),
        (
            "SELECT 1 UNION SELECT 2 ORDER BY a LIMIT 3 OFFSET 4",
            f"(query (set_op 'union' {ONE} {TWO}) (order ((sort_key (var 'a')))) (limit (lit 3)) (offset (lit 4)))",
        ),
        (
            "SELECT * FROM t ORDER BY a ASC NULLS FIRST, b DESC",
            f"(query {STAR_T}"
            " (order ((sort_key (var 'a') (direction 'asc') (nulls 'first'))"
            " (sort_key (var 'b') (direction 'desc')))))",
        ),
        ("SELECT * FROM t ORDER BY PRESERVE", f"(query {STAR_T} (preserve True))"),
        (
            "SELECT * FROM t ORDER BY preserve.a",
            f"(query {STAR_T} (order ((sort_key (path (var 'preserve') ((field 'a')))))))",
        ),
        ("(SELECT 1 LIMIT 2) LIMIT 3", f"(query (query {ONE} (limit (lit 2))) (limit (lit 3)))"),
        (
            "WITH a AS (SELECT 1), b (c) AS (SELECT 2) SELECT 1",
            (f"(query {ONE} (withs ((with (name 'a') {ONE}) (with (name 'b') {TWO} (columns ((name 'c')))))))"),
        ),
        (
            "WITH RECURSIVE a AS (SELECT 1) SELECT 2",
            f"(query {TWO} (withs ((with (name 'a') {ONE}))) (recursive True))",
        ),
        ("[SELECT 1]", f"(list ({ONE}))"),
        ("f(a UNION b)", "(call 'f' ((set_op 'union' (var 'a') (var 'b'))))"),
    ],
)
def test_around_select(text: str, expected: str) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a)", "(node (name 'a'))"),
        ("()", "(node None)"),
        ("(:A)", "(node None (label (label_name (name 'A'))))"),
        (
            "(a:A WHERE a.b)",
            "(node (name 'a') (label (label_name (name 'A'))) (filter (path (var 'a') ((field 'b')))))",
        ),
        (
            "(:A|B&!%)",
            "(node None (label (label_or ((label_name (name 'A'))"
            " (label_and ((label_name (name 'B')) (label_not (label_any))))))))",
        ),
        ("->", "(edge '->' None)"),
        ("<-", "(edge '<-' None)"),
        ("<->", "(edge '<->' None)"),
        ("-", "(edge '-' None)"),
        ("~", "(edge '~' None)"),
        ("~>", "(edge '~>' None)"),
        ("<~", "(edge '<~' None)"),
        (
            "(a)-[e:E]->(b)",
            "(node (name 'a')) (edge '->' (name 'e') (label (label_name (name 'E')))) (node (name 'b'))",
        ),
        ("<-[e]-", "(edge '<-' (name 'e'))"),
        ("~[e]~>", "(edge '~>' (name 'e'))"),
        ("-[]->{1,3}", "(edge '->' None (repeat (repeat 1 3)))"),
        ("-[]-{2,}", "(edge '-' None (repeat (repeat 2 None)))"),
        ("->*", "(edge '->' None (repeat (repeat 0 None)))"),
        (
            "((a)->(b))+",
            "(path_pattern ((node (name 'a')) (edge '->' None) (node (name 'b'))) (repeat (repeat 1 None)))",
        ),
        ("[(a) WHERE b]", "(path_pattern ((node (name 'a'))) (filter (var 'b')))"),
    ],
)
def test_graph_patterns(text: str, expected: str) -> None:
    assert tree(f"(g MATCH {text})") == f"(graph_match (var 'g') ((path_pattern ({expected}))))"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(g MATCH TRAIL p = (a))", "((path_pattern ((node (name 'a'))) (restrictor 'trail') (variable (name 'p'))))"),
        (
            "(g MATCH (a), (b) WHERE c)",
            "((path_pattern ((node (name 'a')))) (path_pattern ((node (name 'b'))))) (filter (var 'c'))",
        ),
        ("(g MATCH ANY 2 (a))", "((path_pattern ((node (name 'a'))))) (selector (selector 'any' 2))"),
        (
            "(g MATCH ALL SHORTEST (a))",
            "((path_pattern ((node (name 'a'))))) (selector (selector 'all shortest' None))",
        ),
        (
            "(g MATCH SHORTEST 2 GROUP (a))",
            "((path_pattern ((node (name 'a'))))) (selector (selector 'shortest group' 2))",
        ),
    ],
)
def test_graph_matches(text: str, expected: str) -> None:
    assert tree(text) == f"(graph_match (var 'g') {expected})"


def test_a_graph_in_from_leaves_where_to_the_query() -> None:
    assert tree("SELECT * FROM g MATCH (a) AS x, t WHERE b") == (
        "(select (star) (join 'cross' (range (graph_match (var 'g') ((path_pattern ((node (name 'a'))))))"
        " (alias (name 'x'))) (range (var 't'))) (filter (var 'b')))"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1;", f"(query_statement {ONE})"),
        ("EXPLAIN SELECT 1", f"(explain (query_statement {ONE}))"),
        ("EXPLAIN (SELECT 1)", f"(explain (query_statement {ONE}))"),
        (
            "EXPLAIN (type logical, format tree) 1",
            "(explain (query_statement (lit 1)) (options (('type' 'logical') ('format' 'tree'))))",
        ),
        ("EXEC f", "(exec (var 'f') ())"),
        ("EXEC f 1, 'a'", "(exec (var 'f') ((lit 1) (lit 'a')))"),
        ("CREATE VIEW a.b AS SELECT 1", f"(create_view ((name 'a') (name 'b')) {ONE})"),
        (
            "CREATE OR REPLACE VIEW a (b) AS (SELECT 1)",
            f"(create_view ((name 'a')) {ONE} (columns ((name 'b'))) (or_replace True))",
        ),
        ("INSERT INTO t VALUE {'a': 1} ON CONFLICT DO NOTHING", "(dml 'INSERT INTO')"),
        ("UPDATE t SET a = 1 WHERE b", "(dml 'UPDATE')"),
        ("DELETE FROM t WHERE a", "(dml 'DELETE FROM')"),
        ("upsert into t VALUES (1)", "(dml 'UPSERT INTO')"),
        ("REPLACE INTO t << 1 >>", "(dml 'REPLACE INTO')"),
        ("REMOVE a.b", "(dml 'REMOVE')"),
        ("SET a = 1", "(dml 'SET')"),
        ("FROM t SET a = 1", "(dml 'FROM')"),
        ("CREATE TABLE t (a INT)", "(ddl 'CREATE TABLE')"),
        ("CREATE INDEX ON t (a)", "(ddl 'CREATE INDEX')"),
        ("DROP TABLE t", "(ddl 'DROP TABLE')"),
        ("ALTER TABLE t ADD a INT", "(ddl 'ALTER TABLE')"),
        # Where no name follows, such a word is a name itself.
        ("set + 1", "(query_statement (operator 'plus' ((var 'set') (lit 1))))"),
        ("start IS NULL", "(query_statement (is (var 'start') 'null'))"),
        ("replace(a, b)", "(query_statement (call 'replace' ((var 'a') (var 'b'))))"),
    ],
)
def test_statements(text: str, expected: str) -> None:
    assert repr(partiql.parse(text)) == expected


def test_scripts() -> None:
    assert partiql.parse_script("") == ()
    assert partiql.parse_script(" ; 1; SELECT 1;\n") == (partiql.parse("1"), partiql.parse("SELECT 1"))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT",
        "SELECT FROM t",
        "SELECT *, a FROM t",
        "SELECT a, * FROM t",
        "SELECT a AS FROM t",
        "SELECT VALUE FROM t",
        "SELECT () FROM t",
        "SELECT a FROM",
        "SELECT a FROM t AS",
        "SELECT a FROM t AT x AS y",
        "SELECT a FROM t, WHERE b",
        "SELECT a FROM t JOIN u",
        "SELECT a FROM t CROSS JOIN u ON b",
        "SELECT a FROM t NATURAL CROSS JOIN u",
        "SELECT a FROM SELECT b FROM c",
        "SELECT a FROM t GROUP a",
        "SELECT a FROM t GROUP BY",
        "SELECT a FROM t HAVING",
        "SELECT a FROM t LIMIT 1 ORDER BY a",
        "SELECT a FROM t OFFSET 1 LIMIT 2",
        "SELECT a FROM t ORDER BY a NULLS",
        "PIVOT a FROM t",
        "a UNION",
        "UNION a",
        "WITH a AS SELECT 1 SELECT 2",
        "WITH a (SELECT 1) SELECT 2",
        "SELECT * EXCLUDE a FROM t",
        "SELECT * EXCLUDE a[b] FROM t",
        "(g MATCH)",
        "(g MATCH (a)<~[b]~>(c))",
        "g MATCH (a)",
        "(g MATCH (a)-[b]~(c))",
        "CREATE VIEW AS SELECT 1",
        "CREATE VIEW a SELECT 1",
        "EXPLAIN",
        "EXEC",
        "INSERT",
        "1; 2",
        "",
    ],
)
def test_what_is_no_query(text: str) -> None:
    with pytest.raises(ParseError):
        partiql.parse(text)
