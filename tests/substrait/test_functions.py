"""Substrait's functions: what their declarations say, and which one a call means."""

from __future__ import annotations

import pytest

from firesteel import functions
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.evaluate import substrait as reference
from firesteel.functions import Kind
from firesteel.functions import substrait as standard
from firesteel.functions.substrait import Constant, EnumValue, resolve
from firesteel.functions.substrait.shapes import derive, shape
from firesteel.substrait.dialects.others import UNKNOWN

ARITHMETIC = "extension:io.substrait:functions_arithmetic"
DECIMAL = "extension:io.substrait:functions_arithmetic_decimal"
COMPARISON = "extension:io.substrait:functions_comparison"
DATETIME = "extension:io.substrait:functions_datetime"
STRING = "extension:io.substrait:functions_string"
LIST = "extension:io.substrait:functions_list"


def test_the_package_is_read_whole() -> None:
    declared = list(standard.all_declarations())
    assert len(declared) == 213
    assert sum(len(one.implementations) for one in declared) == 534
    assert {one.kind for one in declared} == set(Kind)


def test_every_function_is_computed_or_refused_with_a_reason() -> None:
    """By the reference evaluator: Spark's tables are held to the same by its own test."""
    lists = {"list:transform", "list:filter", "list:any_match", "list:all_match"}  # ranged over
    for one in standard.all_declarations():
        known = reference.AGGREGATES if one.kind is Kind.AGGREGATE else reference.SCALARS
        computed = one.name in known or one.name in lists or one.kind is Kind.WINDOW
        assert computed is not (one.name in standard.UNSUPPORTED), one.name
    assert all(standard.UNSUPPORTED.values())
    assert standard.EXPRESSIONS.keys() <= reference.SCALARS.keys()


def test_rows() -> None:
    add = functions.find("arithmetic:add")
    assert add is not None
    assert add.propagates
    assert functions.called("arithmetic:add", Kind.SCALAR, 2, None) is add
    assert functions.called("boolean:and", Kind.SCALAR, 0, None).propagates is False
    assert functions.called("arithmetic:sum", Kind.WINDOW, 1, None).kind is Kind.AGGREGATE
    assert functions.find("arithmetic:ad") is None
    assert functions.find("nowhere:add") is None
    with pytest.raises(PlanError, match="does not take 3 arguments"):
        functions.called("arithmetic:add", Kind.SCALAR, 3, None)


# ---------------------------------------------------------------------------------------------------------------------
# Types


@pytest.mark.parametrize(
    ("text", "name", "nullable", "parameters"),
    [
        ("i8", "i8", False, 0),
        ("BOOLEAN?", "boolean", True, 0),
        ("DECIMAL?<38,S>", "decimal", True, 2),
        ("List<varchar<L1>>", "list", False, 1),
        ("func<any1 -> boolean?>", "func", False, 2),
        ("func<(any1, i32) -> any2>", "func", False, 3),
        ("u!u64?", "u!u64", True, 0),
    ],
)
def test_shapes(text: str, name: str, nullable: bool, parameters: int) -> None:
    made = shape(text)
    assert (made.name, made.nullable, len(made.parameters)) == (name, nullable, parameters)


def test_programs() -> None:
    program = "a = max(S1, S2)\nb = a > 6 ? a - 6 : min(a, 3) * 2\nc = -b + 10 / 3\nDECIMAL<b, a>"
    made, known = derive(program, {"s1": 4, "s2": 2}, {})
    assert str(made) == "decimal<B, A>"
    assert (known["a"], known["b"], known["c"]) == (4, 6, -3)
    assert derive("p = integer_parameter(precision)\nprecision_time<p>", {}, {"precision": 9})[1]["p"] == 9
    with pytest.raises(KeyError):
        derive("p = Q\ndecimal<p,0>", {}, {})


@pytest.mark.parametrize(
    ("urn", "name", "args", "returns"),
    [
        (ARITHMETIC, "add", (t.INT8, t.INT8), t.INT8),
        (ARITHMETIC, "add", (t.INT8, t.Int8(nullable=True)), t.Int8(nullable=True)),
        (DECIMAL, "add", (t.Decimal(10, 2), t.Decimal(12, 4)), t.Decimal(13, 4)),
        (DECIMAL, "multiply", (t.Decimal(38, 10), t.Decimal(38, 10)), t.Decimal(38, 6)),
        (DECIMAL, "divide", (t.Decimal(15, 2), t.Decimal(15, 2)), t.Decimal(38, 10)),
        (COMPARISON, "is_null", (t.Int8(nullable=True),), t.BOOL),
        (COMPARISON, "equal", (t.STRING, t.String(nullable=True)), t.Bool(nullable=True)),
        (COMPARISON, "coalesce", (t.Int32(nullable=True), t.INT32, t.INT32), t.Int32(nullable=True)),
        (DATETIME, "add", (t.DATE, t.Interval("day_time", 3)), t.Timestamp(3)),
        (STRING, "string_split", (t.String(20), t.String(1)), t.Array(t.String(20), nullable=True)),
        (LIST, "sort", (t.Array(t.Int32(nullable=True)),), t.Array(t.Int32(nullable=True))),
        (LIST, "transform", (t.Array(t.INT32), t.Function((t.INT32,), t.STRING)), t.Array(t.STRING)),
        (ARITHMETIC, "divide", (t.INT32, t.INT32), t.Int32(nullable=True)),  # by zero it is NULL
    ],
)
def test_what_a_call_returns(urn: str, name: str, args: tuple[t.Type, ...], returns: t.Type) -> None:
    found = resolve(urn, name, None, Kind.SCALAR, args)
    assert found.returns == returns
    assert found.repairs == ()


def test_a_type_may_depend_on_a_literal() -> None:
    args = [t.STRING, t.STRING, Constant(t.INT8, 3)]
    assert resolve(DATETIME, "strptime_time", None, Kind.SCALAR, args).returns == t.Time(3)
    with pytest.raises(UnsupportedError, match="its argument precision, which is no literal"):
        resolve(DATETIME, "strptime_time", None, Kind.SCALAR, [t.STRING, t.STRING, t.INT8])


# ---------------------------------------------------------------------------------------------------------------------
# Which function


def test_names_are_choices() -> None:
    found = resolve(DATETIME, "extract", None, Kind.SCALAR, [EnumValue("year"), t.DATE])
    assert found.row.name == "datetime:extract"
    assert found.choices == (("component", "YEAR"),)
    counted = resolve(DATETIME, "extract", None, Kind.SCALAR, [EnumValue("MONTH"), EnumValue("ZERO"), t.DATE])
    assert dict(counted.choices) == {"component": "MONTH", "indexing": "ZERO"}
    with pytest.raises(PlanError, match="does not take"):
        resolve(DATETIME, "extract", None, Kind.SCALAR, [EnumValue("DECADE"), t.DATE])


@pytest.mark.parametrize(
    ("urn", "name", "kind", "args", "row", "repairs"),
    [
        (None, "add", Kind.SCALAR, (t.INT64, t.INT64), "arithmetic:add", 0),
        (None, "add", Kind.SCALAR, (t.Decimal(5, 2), t.Decimal(5, 2)), "arithmetic_decimal:add", 0),
        (None, "add", Kind.SCALAR, (t.DATE, t.Interval("year_month")), "datetime:add", 0),
        (None, "lt", Kind.SCALAR, (t.DATE, t.DATE), "comparison:lt", 0),
        (None, "count", Kind.AGGREGATE, (), "aggregate_generic:count", 0),
        (None, "ADD", Kind.SCALAR, (t.INT64, t.INT64), "arithmetic:add", 0),
        # A wrong extension, somebody's own name, and both.
        (ARITHMETIC, "add", Kind.SCALAR, (t.Decimal(5, 2), t.Decimal(5, 2)), "arithmetic_decimal:add", 1),
        (None, "mod", Kind.SCALAR, (t.INT64, t.INT64), "arithmetic:modulus", 1),
        (STRING, "date_part", Kind.SCALAR, (Constant(t.STRING, "year"), t.DATE), "datetime:extract", 1),
        (None, "stddev_pop", Kind.AGGREGATE, (t.FLOAT64,), "arithmetic:std_dev", 1),
        (None, "row_number", Kind.WINDOW, (), "arithmetic:row_number", 0),
        (None, "sum", Kind.WINDOW, (t.INT32,), "arithmetic:sum", 0),
    ],
)
def test_by_extension_and_by_bare_name(
    urn: str | None, name: str, kind: Kind, args: tuple[standard.Argument, ...], row: str, repairs: int
) -> None:
    found = resolve(urn, name, None, kind, args, names=UNKNOWN.names)
    assert found.row.name == row
    assert len(found.repairs) == repairs


def test_what_a_name_implies() -> None:
    found = resolve(None, "var_pop", None, Kind.AGGREGATE, [t.FLOAT64], names=UNKNOWN.names)
    assert found.choices == (("distribution", "POPULATION"),)


def test_arguments_are_cast_to_what_is_declared() -> None:
    found = resolve(ARITHMETIC, "add", None, Kind.SCALAR, [t.INT32, t.Int64(nullable=True)])
    assert found.returns == t.Int64(nullable=True)
    assert found.casts == (t.INT64, None)
    assert len(found.repairs) == 1
    same = resolve(COMPARISON, "equal", None, Kind.SCALAR, [t.Decimal(10, 2), t.INT32])
    assert same.casts == (t.Decimal(12, 2), t.Decimal(12, 2))
    date = resolve(COMPARISON, "gte", None, Kind.SCALAR, [t.DATE, Constant(t.STRING, "1994-01-01")])
    assert date.casts == (None, t.DATE)
    text = resolve(COMPARISON, "equal", None, Kind.SCALAR, [t.Char(10), Constant(t.String(3), "abc")])
    assert text.casts == (None, None)
    start = resolve(STRING, "substring", None, Kind.SCALAR, [t.STRING, t.INT64, t.INT64])
    assert start.casts == (None, t.INT32, t.INT32)


@pytest.mark.parametrize(
    ("urn", "name", "kind", "args", "says"),
    [
        (ARITHMETIC, "ad", Kind.SCALAR, (t.INT8, t.INT8), "did you mean 'arithmetic:add'"),
        (ARITHMETIC, "add", Kind.SCALAR, (t.INT8,), r"does not take \(int8\)"),
        (ARITHMETIC, "add", Kind.SCALAR, (t.STRING, t.STRING), r"it is \(i8, i8\) -> i8 or"),
        (ARITHMETIC, "sum", Kind.SCALAR, (t.INT8,), "'arithmetic:sum' is no scalar function"),
        (COMPARISON, "equal", Kind.SCALAR, (t.STRING, t.INT8), "does not take"),
    ],
)
def test_errors(urn: str, name: str, kind: Kind, args: tuple[t.Type, ...], says: str) -> None:
    with pytest.raises(PlanError) as failure:
        resolve(urn, name, None, kind, args)
    assert failure.match(says)


def test_what_is_not_supported_is_refused_by_name() -> None:
    urn = "extension:io.substrait:functions_geometry"
    with pytest.raises(UnsupportedError, match="'geometry:point'"):
        resolve(urn, "point", None, Kind.SCALAR, [t.FLOAT64, t.FLOAT64])


@pytest.mark.parametrize("urn", ["extension:acme:mine", None])
def test_a_function_of_nobody_we_know_is_not_supported(urn: str | None) -> None:
    with pytest.raises(UnsupportedError, match=r"function '(extension:acme:mine:)?frobnicate'"):
        resolve(urn, "frobnicate", None, Kind.SCALAR, [t.INT8])


def test_options() -> None:
    def chosen(name: str, args: list[t.Type], *options: tuple[str, list[str]]) -> dict[str, str]:
        return dict(resolve(ARITHMETIC, name, None, Kind.SCALAR, args, options).choices)

    two = [t.INT8, t.INT8]
    assert chosen("add", two) == {}
    assert chosen("add", two, ("overflow", ["ERROR"])) == {"overflow": "ERROR"}
    assert chosen("add", two, ("overflow", ["PANIC", "saturate"])) == {"overflow": "SATURATE"}  # the first we honour
    floats = [t.FLOAT64, t.FLOAT64]
    assert chosen("add", floats, ("rounding", ["FLOOR", "TIE_TO_EVEN"])) == {"rounding": "TIE_TO_EVEN"}
    for name, args, option in (
        ("add", two, ("overflow", ["PANIC"])),
        ("add", two, ("colour", ["RED"])),
        ("add", floats, ("rounding", ["FLOOR"])),
        ("add", two, ("overflow", [])),
    ):
        with pytest.raises(UnsupportedError, match=f"'arithmetic:add' with the option '{option[0]}'"):
            chosen(name, args, option)


def test_a_null_without_a_type_fits_everywhere() -> None:
    found = resolve(ARITHMETIC, "add", None, Kind.SCALAR, [t.INT32, t.NULL])
    assert found.returns == t.Int32(nullable=True)
    assert found.casts == (None, t.Int32(nullable=True))
    assert resolve(DECIMAL, "negate", None, Kind.SCALAR, [t.NULL]).returns == t.Decimal(38, 0, nullable=True)


def test_registering() -> None:
    urn = "extension:acme:text"
    name = standard.register(
        urn, "shout", lambda text, times: text.upper() * times, takes=["string", "i32"], returns="string"
    )
    try:
        assert functions.called(name, Kind.SCALAR, 2, None).propagates
        found = resolve(urn, "SHOUT", None, Kind.SCALAR, [t.String(nullable=True), t.INT32])
        assert (found.row.name, found.returns) == (f"{urn}:shout", t.String(nullable=True))
        with pytest.raises(PlanError, match="already a function"):
            standard.register(urn, "shout", len, returns="i8")
        with pytest.raises(PlanError, match="does not take"):
            resolve(urn, "shout", None, Kind.SCALAR, [t.INT32])
        with pytest.raises(PlanError, match="cannot read the declaration"):
            standard.register(urn, "other", len, takes=["decimal<"], returns="i8")
        with pytest.raises(PlanError, match="without anything that computes it"):
            standard.register(urn, "other", returns="i8")
    finally:
        standard.unregister(urn, "shout")
    assert functions.find(name) is None


def test_without_parameters_it_takes_whatever_it_is_given() -> None:
    standard.register("extension:acme:x", "f", lambda *args: len(args), returns=t.Array(t.Timestamp(6)))
    try:
        for args in ([], [t.INT8], [t.STRING, t.Array(t.INT8)]):
            assert resolve("extension:acme:x", "f", None, Kind.SCALAR, args).returns == t.Array(t.Timestamp(6))
    finally:
        standard.unregister("extension:acme:x", "f")


@pytest.mark.parametrize(
    "type_", [t.INT8, t.String(5, nullable=True), t.Decimal(10, 2), t.Array(t.Timestamp(6)), t.Interval("day_time", 6)]
)
def test_types_are_written_as_declarations_have_them(type_: t.Type) -> None:
    standard.register("extension:acme:x", "f", len, returns=type_, nullability="DECLARED_OUTPUT")
    try:
        assert resolve("extension:acme:x", "f", None, Kind.SCALAR, []).returns == type_
    finally:
        standard.unregister("extension:acme:x", "f")
