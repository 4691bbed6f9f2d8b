"""Expressions: variables, globals, CASE, constructors, subqueries as values."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firesteel import plan as p
from firesteel import tables
from firesteel import types as t
from firesteel.errors import EvaluationError, PlanError, UnsupportedError
from firesteel.evaluate import evaluate, expression
from firesteel.plan import build
from firesteel.source import Source, Span
from firesteel.values import MISSING, Bag, Sexp, Struct, Symbol
from tests.evaluate.helpers import BOTH, ERROR, PERMISSIVE, STRICT, bag_of, call, check, lit, rows, run, same, scan, var

A1 = Struct({"a": 1})


class TestVariables:
    def test_depth_counts_rows_outwards(self) -> None:
        # SELECT VALUE (SELECT VALUE [outer, inner] FROM [10, 20] AS inner) FROM [1, 2] AS outer
        pair = build.collection(t.Array, [var(0, depth=1), var(0)])
        inner = p.Select(t.ARRAY, pair, scan(10, 20))
        same(run(p.Select(t.ARRAY, inner, scan(1, 2))), [[[1, 10], [1, 20]], [[2, 10], [2, 20]]])

    def test_a_leaf_sees_what_the_relation_sees(self) -> None:
        # SELECT VALUE (SELECT VALUE x FROM outer AS x) FROM [[1], [2, 3]] AS outer
        inner = p.Select(t.ARRAY, var(), p.Scan(var(0)))
        same(run(p.Select(t.ARRAY, inner, scan([1], [2, 3]))), [[1], [2, 3]])

    @pytest.mark.parametrize(("ordinal", "depth"), [(1, 0), (0, 1), (0, 7), (-1, 0), (0, -1)])
    def test_what_is_not_in_scope_is_a_wrong_plan(self, ordinal: int, depth: int) -> None:
        with pytest.raises(PlanError, match="no variable"):
            run(p.Select(t.ARRAY, var(ordinal, depth), scan(1)))

    def test_an_unresolved_variable_is_a_wrong_plan(self) -> None:
        with pytest.raises(PlanError, match="'t'"):
            run(p.UnresolvedVar(t.ANY, "t"))

    def test_expression_takes_rows_from_the_innermost_outwards(self) -> None:
        f = expression(call("plus", var(0), var(1, depth=1)), PERMISSIVE)
        assert f([(1,), (10, 20)]) == 21
        assert f([(2,), (10, 30)]) == 32
        assert expression(call("plus", 1, 2), STRICT)([]) == 3


class TestGlobals:
    def test_a_global_is_its_table(self) -> None:
        same(run(p.Global(t.ANY, 1), tables=[tables.memory([1]), tables.memory([2])]), [2])
        f = expression(p.Global(t.ANY, 0), STRICT, globals=[tables.memory([7])])
        same(f([]), [7])

    def test_a_table_is_read_once_and_only_if_needed(self) -> None:
        class Counting:
            reads = 0

            def read(self) -> list[int]:
                self.reads += 1
                return [1, 2, 3]

        used, idle = Counting(), Counting()
        inner = p.Select(t.ARRAY, var(), p.Scan(p.Global(t.ANY, 0)))
        never = p.Case(t.ANY, None, (p.Branch(lit(False), p.Global(t.ANY, 1)),), default=inner)
        assert run(p.Select(t.ARRAY, never, scan(1, 2)), tables=[used, idle]) == [[1, 2, 3]] * 2  # type: ignore[list-item]
        assert (used.reads, idle.reads) == (1, 0)

    def test_a_global_without_a_table_is_a_wrong_plan(self) -> None:
        with pytest.raises(PlanError, match="no global 1"):
            run(p.Global(t.ANY, 1), tables=[tables.memory([1])])


CASES = [
    # match, whens and thens, default, permissive, strict
    (None, [(True, 1), (True, 2)], 3, 1, 1),
    (None, [(False, 1), (None, 2), (MISSING, 3)], 4, 4, 4),
    (None, [(5, 1), (True, 2)], 3, 2, ERROR),
    (None, [("true", 1)], None, None, ERROR),
    (2, [(1, "one"), (2.0, "two")], "many", "two", "two"),
    (None, [], 9, 9, 9),
    (MISSING, [(MISSING, 1), (None, 2)], 3, 3, 3),
    ("a", [(5, 1), ("a", 2)], 3, 2, 2),
]


@pytest.mark.parametrize(("match", "branches", "default", "permissive", "strict"), CASES)
def test_case(
    match: object, branches: list[tuple[object, object]], default: object, permissive: object, strict: object
) -> None:
    made = tuple(p.Branch(lit(when), lit(then)) for when, then in branches)
    node = p.Case(t.ANY, None if match is None else lit(match), made, default=lit(default))
    check(node, permissive, strict)


def test_case_matches_null_with_nothing_and_defaults_to_null() -> None:
    check(p.Case(t.ANY, lit(None), (p.Branch(lit(None), lit(1)),)), None, None)


def test_case_looks_no_further_than_it_has_to() -> None:
    crash = call("divide", 1, 0)
    same(run(p.Case(t.ANY, None, (p.Branch(lit(True), lit(1)), p.Branch(crash, crash)), default=crash)), 1)


class TestConstructors:
    @pytest.mark.parametrize("mode", BOTH)
    def test_collections_keep_missing(self, mode: p.Mode) -> None:
        items = [lit(1), lit(MISSING), lit(None)]
        same(run(build.collection(t.Array, items), mode), [1, MISSING, None])
        same(run(build.collection(t.Bag, items), mode), Bag([1, MISSING, None]))
        same(run(build.collection(t.Sexp, items), mode), Sexp([1, MISSING, None]))
        same(run(build.collection(t.Bag, []), mode), Bag())

    def test_a_collection_has_a_type_of_collections(self) -> None:
        with pytest.raises(PlanError, match="type int64"):
            run(p.Collection(t.INT64, (lit(1),)))

    def test_structs_drop_missing_and_keep_duplicates(self) -> None:
        made = build.struct([("a", lit(1)), ("b", lit(MISSING)), ("a", lit(None))])
        check(made, Struct([("a", 1), ("a", None)]), Struct([("a", 1), ("a", None)]))

    @pytest.mark.parametrize("name", [400, None, MISSING, 1.5, [1]])
    def test_a_name_that_is_no_text(self, name: object) -> None:
        check(build.struct([(lit(name), lit(1)), ("b", lit(2))]), Struct({"b": 2}), ERROR)

    def test_a_symbol_is_a_name(self) -> None:
        value = run(build.struct([(build.lit(Symbol("a")), lit(1))]), STRICT)
        assert value.pairs == [("a", 1)]
        assert type(value.pairs[0][0]) is str

    def test_pivot(self) -> None:
        data = bag_of(*(Struct({"k": k, "v": v}) for k, v in [("x", 1), (25, 2), ("y", MISSING), ("x", 3)]))
        pivot = p.Pivot(t.STRUCT, build.path(var(), "k"), build.path(var(), "v"), data)
        check(pivot, Struct([("x", 1), ("x", 3)]), ERROR)
        good = p.Pivot(t.STRUCT, build.path(var(), "k"), build.path(var(), "v"), bag_of(Struct({"k": "x", "v": 1})))
        check(good, Struct({"x": 1}), Struct({"x": 1}))


class TestSubqueries:
    @pytest.mark.parametrize(
        ("type_", "source", "expected"),
        [
            (t.BAG, scan(1, 2), Bag([1, 2])),
            (t.ARRAY, bag_of(1, 2), [1, 2]),
            (t.SEXP, scan(1), Sexp([1])),
            (t.ANY, scan(1, 2), [1, 2]),
            (t.ANY, bag_of(1, 2), Bag([1, 2])),
        ],
    )
    def test_select_gives_what_its_type_says(self, type_: t.Type, source: p.Rel, expected: object) -> None:
        check(p.Select(type_, var(), source), expected, expected)

    @pytest.mark.parametrize(
        ("value", "permissive", "strict"),
        [
            (Bag(), None, None),
            ([], None, None),
            (Bag([A1]), 1, 1),
            (Bag([Struct({"a": None})]), None, None),
            (Bag([Struct()]), MISSING, MISSING),
            (Bag([A1, A1]), MISSING, ERROR),
            (Bag([Struct({"a": 1, "b": 2})]), MISSING, ERROR),
            (Bag([5]), MISSING, ERROR),
            (5, MISSING, ERROR),
            (None, None, None),
            (MISSING, MISSING, MISSING),
        ],
    )
    def test_coll_to_scalar(self, value: object, permissive: object, strict: object) -> None:
        check(p.CollToScalar(lit(value)), permissive, strict)


class TestStatements:
    def test_a_root_names_its_columns_and_keeps_missing(self) -> None:
        value = evaluate(p.Plan(p.Root(("v", "i"), p.ScanIndexed(lit(Bag([7]))))))
        assert isinstance(value, Bag)
        assert value.items[0].pairs == [("v", 7), ("i", MISSING)]
        assert isinstance(evaluate(p.Plan(p.Root(("v",), scan(1)))), list)

    def test_a_root_needs_a_name_for_every_column(self) -> None:
        with pytest.raises(PlanError, match="2 names for 1 columns"):
            evaluate(p.Plan(p.Root(("a", "b"), scan(1))))

    def test_a_root_has_its_mode(self) -> None:
        rel = p.Project((call("plus", var(), "a"),), scan(1))
        assert rows(rel) == ([(MISSING,)], True)
        with pytest.raises(EvaluationError):
            rows(rel, STRICT)

    def test_views_are_for_sessions(self) -> None:
        with pytest.raises(UnsupportedError, match="'v'"):
            evaluate(p.Plan(p.CreateView("v", lit(1))))

    def test_values_keep_their_kind(self) -> None:
        for value in (1, 1.0, Decimal("1.0"), True, "a", Symbol("a"), None, MISSING):
            assert type(run(build.lit(value))) is type(value)


def test_an_error_says_what_and_where() -> None:
    span = Span(Source("SELECT 'a' + 1"), 7, 14)
    with pytest.raises(EvaluationError) as caught:
        run(call("plus", "a", 1).replace(where=span), STRICT)
    assert caught.value.message == "'a' + 1: plus takes numbers, intervals, dates, times and timestamps, not string"
    assert caught.value.span is span

    with pytest.raises(EvaluationError, match="integer overflow") as overflow:
        run(call("plus", 2**63 - 1, 1).replace(where=span))
    assert overflow.value.span is span
