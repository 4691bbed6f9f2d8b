"""Types in documents: ordinals, names, the `(types ...)` block."""

from __future__ import annotations

import pytest

from firesteel import partiql_plan
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.partiql_plan.builtin import BUILTIN
from tests.partiql_plan.helpers import comes_back, plan_of
from tests.plan.strategies import concrete

#: The ordinals that plans out there rely on.
ORDINALS = (
    "any missing null decimal bool int string symbol float64 float32 bag array sexp date struct time timestamp "
    "interval int8 int16 int32 int64 char bit binary byte blob clob uuid graph"
)

TYPES: list[t.Type] = [
    *BUILTIN,
    t.Decimal(38, 2),
    t.Decimal(None, 2),
    t.Char(5),
    t.String(10),
    t.Bit(3),
    t.Binary(8),
    t.Byte(3),
    t.Blob(9),
    t.Time(3, zone=True),
    t.Timestamp(zone=True),
    t.Interval("year_month"),
    t.Interval(None, 3),
    t.Bag(t.INT),
    t.Array(t.Bag(t.Sexp(t.STRING))),
    t.Struct((t.Field("a", t.INT), t.Field("null", t.Bag(t.ANY)), t.Field(None, t.ANY)), open=False),
    t.Struct((t.Field("open", t.INT),)),
    t.Struct(open=False),
    t.Map(t.STRING, t.Int(nullable=True)),
    t.Function((t.INT, t.STRING), t.BOOL),
    t.UserDefined("urn:x", "point", (t.INT, 4326, "srid")),
    t.UserDefined("urn:x", "point"),
    t.Int(nullable=True),
    t.Int(missable=True),
    t.Int(nullable=True, missable=True),
    t.Null(missable=True),
    t.union((t.INT, t.STRING)),
    t.union((t.INT, t.STRING, t.NULL, t.MISSING)),
    t.Unresolved("x"),
    t.Unresolved("int"),
    t.Unresolved("17"),
    t.Unresolved("x", nullable=True),
]


def test_ordinals_never_change() -> None:
    assert " ".join(type_.tag for type_ in BUILTIN) == ORDINALS


@pytest.mark.parametrize("imports", [("partiql",), ()], ids=["built in", "of its own"])
@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_a_type_comes_back(type_: t.Type, imports: tuple[str, ...]) -> None:
    comes_back(plan_of(p.Var(type_, 0), imports=imports))
    comes_back(plan_of(p.Lit(t.ANY, 1), imports=imports, types=(type_, t.Bag(type_))))


def test_every_type_has_a_case() -> None:
    assert {cls.__name__ for cls in concrete(t.Type)} - {type(type_).__name__ for type_ in TYPES} == set()


def type_in(text: str, sections: str = "") -> t.Type:
    [var] = partiql_plan.read_nodes(f"{sections} (var {text} 0)")
    assert isinstance(var, p.Var)
    return var.type


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("($type 5)", t.INT),
        ("($type int::5)", t.INT),
        ("($type int::99)", t.INT),
        ("($type bool::0)", t.BOOL),
        ("($type nonsense::5)", t.INT),
        ("($type 99)", t.Unresolved("99")),
        ("($type int)", t.INT),
        ("($type tuple)", t.STRUCT),
        ("($type list::11)", t.ARRAY),
        ("($type float)", t.FLOAT64),
        ("($type ?)", t.Unresolved("?")),
        ("($type x)", t.Unresolved("x")),
        ("($type null)", t.NULL),
        ("(null)", t.NULL),
        ("bag", t.BAG),
        ("(decimal 38 2)", t.Decimal(38, 2)),
        ("(bag ($type int))", t.Bag(t.INT)),
        ("(array int)", t.Array(t.INT)),
        ("(union number int::5 decimal::3)", t.union((t.INT, t.DECIMAL))),
        ("(union number (int::5 decimal::3))", t.union((t.INT, t.DECIMAL))),
        ("(union maybe int null)", t.Int(nullable=True)),
        ("(union all *)", t.ANY),
    ],
)
def test_a_type_may_be_said_in_many_ways(text: str, type_: t.Type) -> None:
    assert type_in(text) == type_


def test_types_of_the_block_are_numbered_after_the_built_in_ones_if_those_are_imported() -> None:
    block = "(types (decimal 38 2) (bag ($type 30)))"
    assert type_in("($type 31)", f"(import (partiql)) {block}") == t.Bag(t.Decimal(38, 2))
    assert type_in("($type 0)", block) == t.Decimal(38, 2)
    assert type_in("($type 30)") == t.Unresolved("30")


def test_a_name_chooses_between_the_block_and_the_built_in_ones() -> None:
    block = "(types (decimal 38 2) (union int (decimal 38 2) string))"
    assert type_in("($type decimal::0)", block) == t.Decimal(38, 2)
    assert type_in("($type decimal::1)", block) == t.DECIMAL
    assert type_in("($type int::1)", block) == t.union((t.Decimal(38, 2), t.STRING))


def test_types_of_the_block_may_refer_to_later_ones() -> None:
    assert type_in("($type 0)", "(types (bag ($type 1)) (array ($type 2)) (int))") == t.Bag(t.Array(t.INT))


def test_declared_types_and_functions_are_kept_where_they_are() -> None:
    text = """(partiql::plan version::(0 1) (import (partiql))
        (types (decimal 38 2) (int) (decimal 38 2))
        (fns (fn f 0 () ($type 30)) (fn g 1 ((v int)) int))
        (constants pi::3.14 $bag::[1] tau::$bag::[2])
        (define unused::(lit 1))
        (statement (query (collection ($type bag)
            ((call ($fn 1) ((v (lit ($type 32) 1.00)))) ($constant pi) ($constant 1))))))"""
    plan = partiql_plan.read(text)
    assert isinstance(plan, p.Plan)
    assert plan.types == (t.Decimal(38, 2), t.INT, t.Decimal(38, 2))
    assert [fn.name for fn in plan.fns] == ["f", "g"]
    assert [one.name for one in plan.constants] == ["pi", None, "tau"]
    assert [definition.label for definition in plan.definitions] == ["unused"]
    comes_back(plan)
    written = partiql_plan.write(plan, indent=False)
    assert "($fn g::1)" in written
    assert "($constant 0)" in written
    assert "($type decimal::30) 1.00" in written


def test_a_deep_type_comes_back() -> None:
    type_: t.Type = t.INT
    for _ in range(10_000):
        type_ = t.Array(type_)
    plan = plan_of(p.Var(type_, 0))
    assert partiql_plan.read(partiql_plan.write(plan)) == plan


def test_types_that_blow_up_are_refused() -> None:
    double = [f"(struct ((a ($type {i + 1})) (b ($type {i + 1}))))" for i in range(60)]
    with pytest.raises(PlanError, match="stands for more than 1,000,000 types"):
        type_in("($type 0)", f"(types {' '.join(double)} (int))")


@pytest.mark.parametrize("text", ["(decimal x)", "(struct (a))", "5.5", '"int"', "($type)", "($type 1 2)", "()"])
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(PlanError):
        type_in(text)
