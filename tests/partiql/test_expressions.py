"""Expressions to syntax trees, shown as s-expressions."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from firesteel import partiql
from firesteel.errors import ParseError
from firesteel.partiql import ast
from firesteel.values import MISSING, Bag, Sexp, Struct, Symbol


def tree(text: str) -> str:
    """The tree of a query, without the node of the statement."""
    statement = partiql.parse(text)
    assert isinstance(statement, ast.QueryStatement)
    return repr(statement.query)


def shape(text: str) -> str:
    """Operators and names only: what precedence is about."""

    def show(node: ast.Ast) -> str:
        match node:
            case ast.Operator(name=name, args=args):
                return f"({name} {' '.join(map(show, args))})"
            case ast.Var(name=name):
                return name
            case ast.Lit(value=value):
                return repr(value)
            case ast.Is(value=value, what=what, negated=negated):
                return f"(is{' not' * negated} {what} {show(value)})"
            case ast.Between(value=value, low=low, high=high, negated=negated):
                return f"({'not ' * negated}between {show(value)} {show(low)} {show(high)})"
            case ast.In(value=value, collection=collection, negated=negated):
                return f"({'not ' * negated}in {show(value)} {show(collection)})"
            case ast.Like(value=value, pattern=pattern, negated=negated):
                return f"({'not ' * negated}like {show(value)} {show(pattern)})"
            case _:
                return repr(node)

    statement = partiql.parse(text)
    assert isinstance(statement, ast.QueryStatement)
    return show(statement.query)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a OR b AND c", "(or a (and b c))"),
        ("a AND b OR c AND d", "(or (and a b) (and c d))"),
        ("a AND b AND c", "(and a b c)"),
        ("a AND (b AND c)", "(and a (and b c))"),
        ("NOT a AND b", "(and (not a) b)"),
        ("NOT a = b", "(not (eq a b))"),
        ("NOT NOT a", "(not (not a))"),
        ("a AND NOT b OR c", "(or (and a (not b)) c)"),
        ("a = b AND c <> d", "(and (eq a b) (ne c d))"),
        ("a = b != c", "(ne (eq a b) c)"),
        ("a < b + c", "(lt a (plus b c))"),
        ("a || b = c", "(eq (concat a b) c)"),
        ("a || b + c", "(concat a (plus b c))"),
        ("a & b || c", "(concat (bitwise_and a b) c)"),
        ("a + b - c", "(minus (plus a b) c)"),
        ("a + b * c", "(plus a (times b c))"),
        ("a * b / c % d", "(modulo (divide (times a b) c) d)"),
        ("-a * b", "(times (neg a) b)"),
        ("- + - a", "(neg (pos (neg a)))"),
        ("a - -b", "(minus a (neg b))"),
        ("a IS NULL", "(is null a)"),
        ("a IS NOT MISSING", "(is not missing a)"),
        ("a = b IS TRUE", "(is true (eq a b))"),
        ("a IS NULL AND b IS NOT FALSE", "(and (is null a) (is not false b))"),
        ("a IS UNKNOWN", "(is unknown a)"),
        ("a BETWEEN b AND c AND d", "(and (between a b c) d)"),
        ("a NOT BETWEEN b + 1 AND c", "(not between a (plus b 1) c)"),
        ("a IN b", "(in a b)"),
        ("a NOT IN b OR c", "(or (not in a b) c)"),
        ("a LIKE b || c", "(like a (concat b c))"),
        ("NOT a LIKE b", "(not (like a b))"),
        ("a NOT LIKE b", "(not like a b)"),
        ("a OVERLAPS b", "(overlaps a b)"),
        ("(a OR b) AND c", "(and (or a b) c)"),
        ("((a))", "a"),
    ],
)
def test_precedence(text: str, expected: str) -> None:
    assert shape(text) == expected
    assert shape(text.lower()) == expected.lower()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NULL", None),
        ("missing", MISSING),
        ("TRUE", True),
        ("false", False),
        ("42", 42),
        ("9223372036854775808", 9223372036854775808),
        ("1.50", Decimal("1.50")),
        (".5", Decimal("0.5")),
        ("1e0", 1.0),
        ("2.5E-1", 0.25),
        ("'it''s'", "it's"),
        ("''", ""),
        ("`hello`", Symbol("hello")),
        ('`"`"`', "`"),
        ("`(1 2)`", Sexp([1, 2])),
        ("`{a: [1.5]}`", Struct([("a", [Decimal("1.5")])])),
        ("`$bag::[1]`", Bag([1])),
        ("`null.int`", None),
    ],
)
def test_literals(text: str, value: object) -> None:
    statement = partiql.parse(text)
    assert statement == ast.QueryStatement(ast.Lit(value))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DATE '2001-02-29'", "(date_lit '2001-02-29')"),
        ("TIME '1:2'", "(time_lit '1:2')"),
        ("TIME (3) WITH TIME ZONE 'x'", "(time_lit 'x' (precision 3) (zone True))"),
        ("TIMESTAMP WITHOUT TIME ZONE 'x'", "(timestamp_lit 'x' (zone False))"),
        ("INTERVAL '5' DAY", "(interval_lit '5' (interval_qualifier 'day' None))"),
        (
            "INTERVAL - '1 2:3' DAY(3) TO SECOND(2)",
            "(interval_lit '1 2:3' (interval_qualifier 'day' 'second' (precision 3) (digits 2)) (negative True))",
        ),
        ("INTERVAL '5' SECOND(2, 6)", "(interval_lit '5' (interval_qualifier 'second' None (precision 2) (digits 6)))"),
    ],
)
def test_times_are_kept_as_written(text: str, expected: str) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "(var 'a')"),
        ('"A b"', "(var 'A b' (quoted True))"),
        ('""', "(var '' (quoted True))"),
        ("@a", "(var 'a' (local True))"),
        ('@"a"', "(var 'a' (quoted True) (local True))"),
        ("a.b", "(path (var 'a') ((field 'b')))"),
        ("a.\"b\".'c'", "(path (var 'a') ((field 'b' (quoted True)) (field 'c' (quoted True))))"),
        ("a.select.timestamp", "(path (var 'a') ((field 'select') (field 'timestamp')))"),
        ("a[0][*].*", "(path (var 'a') ((index (lit 0)) (each_element) (each_attribute)))"),
        ("a[b || 'c']", "(path (var 'a') ((index (operator 'concat' ((var 'b') (lit 'c'))))))"),
        ("(a).b", "(path (var 'a') ((field 'b')))"),
        ("f(a).b", "(path (call 'f' ((var 'a'))) ((field 'b')))"),
        ("[1][0]", "(path (list ((lit 1))) ((index (lit 0))))"),
        ("{'a': 1}.a", "(path (struct ((pair (lit 'a') (lit 1)))) ((field 'a')))"),
        ("-a.b", "(operator 'neg' ((path (var 'a') ((field 'b')))))"),
        # Words that are not reserved are names.
        ("value + year", "(operator 'plus' ((var 'value') (var 'year')))"),
        ("trim", "(var 'trim')"),
    ],
)
def test_variables_and_paths(text: str, expected: str) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", "(list ())"),
        ("[1, [2]]", "(list ((lit 1) (list ((lit 2)))))"),
        ("LIST(1)", "(list ((lit 1)))"),
        ("SEXP(a, 1)", "(sexp ((var 'a') (lit 1)))"),
        ("<<>>", "(bag ())"),
        ("<<1, <<2>>>>", "(bag ((lit 1) (bag ((lit 2)))))"),
        ("{}", "(struct ())"),
        ("{a: 1, 'b': {}}", "(struct ((pair (var 'a') (lit 1)) (pair (lit 'b') (struct ()))))"),
        ("(1, 2)", "(row ((lit 1) (lit 2)))"),
        ("ROW(1)", "(row ((lit 1)))"),
        ("[()]", "(list ((row ())))"),
        ("VALUES (1, 2), (3)", "(values ((row ((lit 1) (lit 2))) (row ((lit 3)))))"),
        ("[? , ?]", "(list ((parameter 0) (parameter 1)))"),
    ],
)
def test_constructors(text: str, expected: str) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Membership in what is in parentheses, or in what a name stands for.
        ("a IN (1, 2)", "(in (var 'a') (row ((lit 1) (lit 2))))"),
        ("a IN (b)", "(in (var 'a') (row ((var 'b'))))"),
        ("a IN b", "(in (var 'a') (var 'b'))"),
        ("a IN (b).c", "(in (var 'a') (path (var 'b') ((field 'c'))))"),
        ("a IN (b) || (c)", "(in (var 'a') (operator 'concat' ((var 'b') (var 'c'))))"),
        (
            "a IN (SELECT 1)",
            "(in (var 'a') (subquery (select (items ((item (lit 1) None))) None)))",
        ),
        ("a LIKE b ESCAPE '#'", "(like (var 'a') (var 'b') (escape (lit '#')))"),
        ("a IS INT", "(is_type (var 'a') (type_name 'INT' ()))"),
        ("a IS NOT VARCHAR(5)", "(is_type (var 'a') (type_name 'VARCHAR' (5)) (negated True))"),
        ("a = ANY (b)", "(quantified 'eq' 'any' (var 'a') (var 'b'))"),
        ("a < SOME (b, c)", "(quantified 'lt' 'any' (var 'a') (row ((var 'b') (var 'c'))))"),
        ("a >= ALL ([1])", "(quantified 'gte' 'all' (var 'a') (list ((lit 1))))"),
        ("CASE WHEN a THEN b END", "(case ((when (var 'a') (var 'b'))))"),
        (
            "CASE a WHEN 1 THEN b ELSE c END",
            "(case ((when (lit 1) (var 'b'))) (operand (var 'a')) (default (var 'c')))",
        ),
    ],
)
def test_predicates_and_case(text: str, expected: str) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("F()", "(call 'f' ())"),
        ('"F"(1)', "(call 'F' ((lit 1)))"),
        ("a.b.F(1)", "(call 'f' ((lit 1)) (qualifier ((name 'a') (name 'b'))))"),
        ("COUNT(*)", "(call 'count' () (star True))"),
        ("count(DISTINCT a)", "(call 'count' ((var 'a')) (quantifier 'distinct'))"),
        ("SUM(ALL a)", "(call 'sum' ((var 'a')) (quantifier 'all'))"),
        ("ANY(a)", "(call 'any' ((var 'a')))"),
        ("LEFT(a, 1)", "(call 'left' ((var 'a') (lit 1)))"),
        ("EXISTS (SELECT 1)", "(call 'exists' ((select (items ((item (lit 1) None))) None)))"),
        ("f((SELECT 1))", "(call 'f' ((subquery (select (items ((item (lit 1) None))) None))))"),
        ("CAST(a AS INT)", "(cast (var 'a') (type_name 'INT' ()))"),
        ("CAN_CAST(a AS INT)", "(can_cast (var 'a') (type_name 'INT' ()))"),
        ("CAN_LOSSLESS_CAST(a AS INT)", "(can_cast (var 'a') (type_name 'INT' ()) (lossless True))"),
        ("TRIM(a)", "(trim (var 'a'))"),
        ("TRIM(LEADING FROM a)", "(trim (var 'a') (side 'leading'))"),
        ("TRIM('x' FROM a)", "(trim (var 'a') (characters (lit 'x')))"),
        ("TRIM(BOTH 'x' FROM a)", "(trim (var 'a') (side 'both') (characters (lit 'x')))"),
        ("TRIM(both)", "(trim (var 'both'))"),
        ("SUBSTRING(a, 1)", "(call 'substring' ((var 'a') (lit 1)))"),
        ("SUBSTRING(a FROM 1)", "(call 'substring' ((var 'a') (lit 1)))"),
        ("SUBSTRING(a FROM 1 FOR 2)", "(call 'substring' ((var 'a') (lit 1) (lit 2)))"),
        ("POSITION(a IN b)", "(call 'position' ((var 'a') (var 'b')))"),
        ("POSITION(a, b)", "(call 'position' ((var 'a') (var 'b')))"),
        ("OVERLAY(a PLACING b FROM 1)", "(call 'overlay' ((var 'a') (var 'b') (lit 1)))"),
        ("OVERLAY(a PLACING b FROM 1 FOR 2)", "(call 'overlay' ((var 'a') (var 'b') (lit 1) (lit 2)))"),
        ("EXTRACT(Year FROM a)", "(extract 'year' (var 'a'))"),
        ("DATE_ADD(month, 1, a)", "(date_call 'date_add' 'month' (lit 1) (var 'a'))"),
        ("DATE_DIFF(second, a, b)", "(date_call 'date_diff' 'second' (var 'a') (var 'b'))"),
        ("COALESCE(a, b)", "(call 'coalesce' ((var 'a') (var 'b')))"),
        ("CURRENT_DATE", "(call 'current_date' ())"),
    ],
)
def test_calls(text: str, expected: str) -> None:
    assert tree(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f() OVER w", "(over (window (name 'w')))"),
        ("f() OVER ()", "(over (window None))"),
        ("f() OVER (w)", "(over (window (name 'w')))"),
        ("f() OVER (rows)", "(over (window (name 'rows')))"),
        (
            "f() OVER (PARTITION BY a, b ORDER BY c DESC)",
            "(over (window None (partition ((var 'a') (var 'b'))) (order ((sort_key (var 'c') (direction 'desc'))))))",
        ),
        ("f() OVER (ROWS 2 PRECEDING)", "(over (window None (frame (frame 'rows' (bound 'preceding' (lit 2)) None))))"),
        (
            "f() OVER (RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE NO OTHERS)",
            "(over (window None (frame (frame 'range' (bound 'preceding' None) (bound 'current' None)"
            " (exclude 'no others')))))",
        ),
        ("f() IGNORE NULLS OVER w", "(nulls 'ignore') (over (window (name 'w')))"),
        ("f() FILTER (WHERE a) OVER w", "(filter (var 'a')) (over (window (name 'w')))"),
    ],
)
def test_windows(text: str, expected: str) -> None:
    assert tree(text) == f"(call 'f' () {expected})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int", "(type_name 'INT' ())"),
        ("Decimal(5, 2)", "(type_name 'DECIMAL' (5 2))"),
        ("DOUBLE PRECISION", "(type_name 'DOUBLE PRECISION' ())"),
        ("CHARACTER VARYING(5)", "(type_name 'CHARACTER VARYING' (5))"),
        ("TIME (3) WITH TIME ZONE", "(type_name 'TIME' (3) (zone True))"),
        ("TIMESTAMP", "(type_name 'TIMESTAMP' ())"),
        ("NULL", "(type_name 'NULL' ())"),
        ('"My Type"', "(type_name 'My Type' () (quoted True))"),
        ("INTERVAL YEAR TO MONTH", "(interval_type (interval_qualifier 'year' 'month'))"),
        ("LIST<LIST<INT>>", "(collection_type 'LIST' (collection_type 'LIST' (type_name 'INT' ())))"),
        (
            "STRUCT<a: INT, b OPTIONAL: BAG<INT> NOT NULL>",
            "(struct_type ((field_type (name 'a') (type_name 'INT' ()))"
            " (field_type (name 'b') (collection_type 'BAG' (type_name 'INT' ())) (optional True) (required True))))",
        ),
    ],
)
def test_types(text: str, expected: str) -> None:
    assert tree(f"CAST(a AS {text})") == f"(cast (var 'a') {expected})"


@pytest.mark.parametrize(
    "text",
    [
        *("POSITION('a')", "TRIM(BOTH 'a')", "TRIM(FROM)", "EXTRACT(day, a)", "EXTRACT(foo FROM a)", "f(,)", "f(a,)"),
        *("CASE END", "CASE ELSE 1 END", "CASE a ELSE 1 END", "a BETWEEN 1 2", "a NOT b", "a = NOT b", "- NOT a"),
        *("CAST(a AS SELECT)", "CAST(a AS LIST<INT)", "CAST(a AS LIST<INT>>)", "a IS (MISSING)", "TIME", "DATE 2012"),
        *("a.b.[0]", "a..b", "a.", "@(a)", "@ @a", "()", "[1,]", "{'a'}", "{'a': }", "<<1", "VALUES 1", "1 2"),
        *("INTERVAL '5'", "INTERVAL '5' DAY TO", "INTERVAL 5 DAY", "TIME (3 '1'", "a IN", "a LIKE", "COUNT(ALL)"),
        *("f() OVER", "f() OVER (ORDER a)", "f() OVER (ROWS 2)", "a.'b'(1)", "a[0].f(1)"),
    ],
)
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(ParseError):
        partiql.parse(text)


def test_numbers_have_bounds() -> None:
    with pytest.raises(ParseError, match="more than 4,300 digits"):
        partiql.parse("1" * 5000)
    with pytest.raises(ParseError, match="too large"):
        partiql.parse("1e999")
    with pytest.raises(ParseError, match="18 digits"):
        partiql.parse(f"CAST(a AS DECIMAL({'9' * 30}))")


def test_an_error_in_ion_is_placed_in_the_query() -> None:
    with pytest.raises(ParseError, match="in an Ion literal") as caught:
        partiql.parse("SELECT `{a: }` FROM t")
    assert caught.value.span is not None
    assert caught.value.span.start == 12
    assert caught.value.span.source.text == "SELECT `{a: }` FROM t"


def test_a_node_is_as_any_other() -> None:
    """Nodes of the syntax tree are made in a way of their own; they behave as all nodes do."""
    node = ast.Operator("plus", (ast.Lit(1), ast.Lit(True)))
    assert node == ast.Operator("plus", (ast.Lit(1), ast.Lit(True)))
    assert node != ast.Operator("plus", (ast.Lit(1), ast.Lit(1)))
    assert node.replace(name="minus") == ast.Operator("minus", node.args)
    assert node.where is None
    with pytest.raises(AttributeError):
        node.name = "minus"  # type: ignore[misc]
    parsed = partiql.parse("1 + 2")
    assert isinstance(parsed, ast.QueryStatement)
    where = parsed.query.where
    assert where is not None
    assert where.text == "1 + 2"
    assert parsed.query.where is where
    assert parsed.query.at(None).where is None
    assert parsed.query.replace(name="minus").where == where
    assert hash(ast.Lit(datetime.date(2020, 1, 1))) == hash(ast.Lit(datetime.date(2020, 1, 1)))
