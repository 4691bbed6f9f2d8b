"""Random calls: every function, PartiQL's and Substrait's, with arguments of every kind, in three notations.

A call is made of a seed and a number, so that one that fails can be made again: `algebra(Random("7/12"))`.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache
from random import Random
from typing import Any

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.functions import substrait as standard
from firesteel.functions.catalog import FAMILIES
from firesteel.ion import dumps
from firesteel.plan import build
from firesteel.values import MISSING, Bag, Clob, Interval, Sexp, Struct, Symbol, Time, Timestamp
from tests.substrait.plans import build as sb
from tests.substrait.plans.relations import aggregate, measure, only, ordered, plan, root, virtual

#: Every function by the name of its row.
NAMES = tuple(
    dict.fromkeys(
        [
            *(row.name for row in functions.all_functions()),
            *(one.name for one in standard.all_declarations() if one.name not in standard.UNSUPPORTED),
            *standard.EXPRESSIONS,
        ]
    )
)
SCALARS = tuple(
    name for name in NAMES if (row := functions.find(name)) is not None and row.kind is functions.Kind.SCALAR
)

#: A value of every kind, with the types that it may be called.
VALUES: tuple[tuple[Any, tuple[t.Type, ...]], ...] = (
    (True, (t.BOOL,)),
    (0, (t.INT8, t.INT16, t.INT32, t.INT64, t.INT)),
    (-1, (t.INT8, t.INT16, t.INT32, t.INT64, t.INT)),
    (100, (t.INT8, t.INT16, t.INT32, t.INT64, t.INT)),
    (2**63 - 1, (t.INT64, t.INT)),
    (10**30, (t.INT,)),
    (Decimal("1.50"), (t.Decimal(3, 2), t.Decimal(38, 10), t.DECIMAL)),
    (Decimal("9" * 38), (t.Decimal(38, 0), t.DECIMAL)),
    (1.5, (t.FLOAT32, t.FLOAT64)),
    (float("nan"), (t.FLOAT64,)),
    (float("-inf"), (t.FLOAT64,)),
    ("abc", (t.STRING, t.String(5), t.Char(3))),
    ("", (t.STRING,)),
    ("2024-02-29", (t.STRING,)),
    ("YEAR", (t.STRING,)),
    ("(", (t.STRING,)),
    (Symbol("abc"), (t.SYMBOL,)),
    (b"ab", (t.BLOB, t.Byte(2))),
    (Clob(b"ab"), (t.CLOB,)),
    (datetime.date(2024, 2, 29), (t.DATE,)),
    (datetime.date(9999, 12, 31), (t.DATE,)),
    (Time(1, 2, Decimal("3.5")), (t.Time(1), t.TIME)),
    (Timestamp(2024, 2, 29, 1, 2, Decimal("3.000000")), (t.Timestamp(6), t.TIMESTAMP)),
    (Timestamp(2024, 2, 29, 1, 2, Decimal("3.000000"), 0), (t.Timestamp(6, zone=True),)),
    (Interval("year_month", 13), (t.Interval("year_month"), t.INTERVAL)),
    (Interval("day_time", nanos=10**12), (t.Interval("day_time", 6), t.INTERVAL)),
    ([], (t.Array(t.INT64), t.ARRAY)),
    ([1, None], (t.Array(t.Int64(nullable=True)), t.ARRAY)),
    (["a", "b"], (t.Array(t.STRING),)),
    ([[1], []], (t.Array(t.Array(t.INT64)),)),
    ([True, False], (t.Array(t.BOOL),)),
    (Bag([1, 2]), (t.Bag(t.INT64), t.BAG)),
    (Sexp([1, "a"]), (t.SEXP,)),
    (Struct({"a": 1, "b": [2]}), (t.STRUCT,)),
    (Struct({"a": 1}), (t.Struct((t.Field("a", t.INT64),), open=False), t.Map(t.STRING, t.INT64))),
    (Struct(), (t.STRUCT,)),
    (None, (t.NULL, t.Int64(nullable=True), t.String(nullable=True), t.Array(t.INT64, nullable=True))),
    (MISSING, (t.MISSING,)),
)
TYPES: tuple[t.Type, ...] = tuple(
    dict.fromkeys([t.ANY, t.Function((t.INT64,), t.INT64), t.Graph(), *(one for _, types in VALUES for one in types)])
)


LITERALS: tuple[p.Lit, ...] = tuple(p.Lit(type_, value) for value, types in VALUES for type_ in types)


def _stem(type_: t.Type) -> str:
    """What the declarations of Substrait's functions call such a type, without its parameters."""
    try:
        return standard.written(t.proper(type_)).partition("<")[0]
    except FiresteelError:
        return ""


BY_STEM: dict[str, list[p.Lit]] = {}
for _one in LITERALS:
    BY_STEM.setdefault(_stem(_one.type), []).append(_one)
BY_FAMILY: dict[str, list[p.Lit]] = {
    family: [one for one in LITERALS if isinstance(one.type, classes)] for family, classes in FAMILIES.items()
}
#: The forms of a function: for each parameter that takes a value, the literals that fit it; None for a type.
Form = list[Sequence[p.Lit] | None]


@cache
def _forms(name: str) -> list[tuple[Form, bool]]:
    """Each form, and whether its last parameter may repeat."""
    declared = standard.by_name.EXPRESSIONS.get(name) or next(
        (one for one in standard.all_declarations() if one.name == name), None
    )
    if declared is not None:
        return [
            (
                [BY_STEM.get(one.shape.name) or LITERALS for one in form.parameters if one.shape is not None],
                form.repeats is not None,
            )
            for form in declared.implementations
        ]
    row = functions.find(name)
    assert row is not None
    return [
        ([None if one == "type" else BY_FAMILY[one] or LITERALS for one in form.params], form.variadic)
        for form in row.signatures
    ]


def _argument(random: Random, fitting: Sequence[p.Lit] | None, depth: int) -> p.Rex | t.Type:
    luck = random.random()
    if luck < 0.04:
        return random.choice(TYPES)
    if luck < 0.1 and depth:
        return _call(random, depth - 1)
    if luck < 0.2:
        return p.Var(t.ANY, random.randrange(len(VALUES)))
    if luck < 0.4:
        return random.choice(LITERALS)
    return random.choice(TYPES) if fitting is None else random.choice(fitting)


def _arguments(random: Random, name: str, depth: int) -> tuple[p.Rex | t.Type, ...]:
    """Mostly as many as it takes, of types that it takes."""
    form, repeats = random.choice(_forms(name))
    if repeats and form:
        form = [*form, *form[-1:] * random.randrange(3)]
    made = [_argument(random, one, depth) for one in form]
    if random.random() < 0.04:
        made = [*made[1:], *(_argument(random, LITERALS, 0) for _ in range(random.randrange(3)))]
    return tuple(made)


def _call(random: Random, depth: int = 1) -> p.Call:
    """A call of a scalar function."""
    return _called(random, random.choice(SCALARS), depth)


def _called(random: Random, name: str, depth: int) -> p.Call:
    """A call with the signature that follows from its arguments, or with one that does not."""
    args = _arguments(random, name, depth)
    params = tuple(p.TypeParam(one) if isinstance(one, t.Type) else p.ValueParam(one.type) for one in args)
    choices = tuple(_choices(random, name))
    try:
        returns = build.signature(name, args, choices).returns
    except FiresteelError:
        returns = t.ANY
    lie = random.random()
    if lie < 0.1:
        params = tuple(p.ValueParam(random.choice(TYPES)) for _ in params)
    elif lie < 0.2:
        returns = random.choice(TYPES)
    return p.Call(p.Fn(name, p.FnOption.NONE, params, returns, choices=choices), args)


def _choices(random: Random, name: str) -> Iterator[p.Choice]:
    declared = next((one for one in standard.all_declarations() if one.name == name), None)
    if declared is None:
        return
    form = random.choice(declared.implementations)
    wrong = random.random() < 0.05
    for parameter in form.parameters:
        if parameter.shape is None:
            yield p.Choice(parameter.name, "NONSENSE" if wrong else random.choice(parameter.names))
    for option, said in form.options:
        if random.random() < 0.3:
            yield p.Choice(option, random.choice(said))


def ion(random: Random) -> p.Plan:
    """A plan of a call over two rows of all values: what is written as Ion, and read back."""
    columns = p.Project(
        tuple(p.Lit(t.type_of(value), value) for value, _ in VALUES), p.Scan(p.Lit(t.Bag(t.INT64), Bag([0, 1])))
    )
    mode = random.choice(list(p.Mode))
    name = random.choice(NAMES)
    found = functions.find(name)
    made = _called(random, name, 1)
    if found is not None and found.kind is functions.Kind.AGGREGATE:
        aggs = (p.Agg(made.fn, made.args, distinct=random.random() < 0.3),)
        return p.Plan(p.Root(("a",), p.Aggregate(p.Strategy.FULL, aggs, (), columns), mode=mode))
    if found is not None and found.kind is functions.Kind.WINDOW:
        order = (p.SortSpec(p.Var(t.ANY, 1), p.SortOrder.ASC_NULLS_LAST),)
        calls = (p.WindowCall(made.fn, made.args, (), order),)
        window = p.Window(calls, columns)
        return p.Plan(p.Root(("w",), p.Project((p.Var(made.type, len(VALUES)),), window), mode=mode))
    return p.Plan(p.Query(p.Select(t.BAG, made, columns), mode=mode))


# The algebra ---------------------------------------------------------------------------------------------------------

_TYPES = (
    "int",
    "string",
    "bool",
    "any",
    "bag",
    "(decimal 10 2)",
    "date",
    "'null'",
    "missing",
    "(array int)",
    "nonsense",
)
_HEADS = ("list", "bag", "sexp", "path", "coll_to_scalar")


def algebra(random: Random) -> str:
    """An expression of the algebra that calls something, with types also where none belongs."""
    return _text(random, 2)


def _text(random: Random, depth: int) -> str:
    luck = random.random()
    if luck < 0.06 or depth < 0:
        return f"(type {random.choice(_TYPES)})" if luck < 0.06 else f"(lit {_ion(random)})"
    if luck < 0.35 and depth < 2:
        return f"(lit {_ion(random)})"
    inner = [_text(random, depth - 1) for _ in range(3)]
    if luck < 0.45:
        a, b, c = inner
        return random.choice(
            (
                f"({random.choice(_HEADS)} {' '.join(inner[: random.randrange(1, 4)])})",
                f"(struct (expr_pair {a} {b}))",
                f"(case {a} (when {b} {c}))",
                f"(case (when {a} {b}) (else {c}))",
                f"(map_values {a} (filter {b} (scan {c} x)))",
                f"(map_values {a} (limit {b} (scan {c} x)))",
                f"(map_values {a} (order_by (({b} asc)) (unpivot {c} x)))",
                f"(map_values (id g) (group_by (keys (k {a})) (aggregates (g (sum {b}))) (scan {c} x)))",
                f"(pivot {a} {b} (scan {c} x))",
            )
        )
    name = random.choice(NAMES)
    return f"(call '{name}' {' '.join(_said(one, random, depth) for one in _arguments(random, name, 0))})"


def _said(argument: p.Rex | t.Type, random: Random, depth: int) -> str:
    """An argument of a call: a literal as it is, a type, or another expression."""
    if isinstance(argument, t.Type):
        return f"(type {random.choice(_TYPES)})"
    return f"(lit {dumps(argument.value)})" if isinstance(argument, p.Lit) else _text(random, depth - 1)


def _ion(random: Random) -> str:
    return str(dumps(random.choice(VALUES)[0]))


# Substrait -----------------------------------------------------------------------------------------------------------

_KINDS: dict[str, tuple[Any, ...]] = {
    "boolean": (True, None),
    "i8": (5, -128, None),
    "i16": (300,),
    "i32": (0, 70_000, None),
    "i64": (2**63 - 1, 3, None),
    "fp32": (1.5, None),
    "fp64": (-0.25, 1e300, None),
    "decimal<10,2>": ("1.50", None),
    "decimal<38,0>": ("9" * 38, "-1", None),  # on Spark the sum of a mean has to fit
    "string": ("abc", "", "2024-02-29", "%Y", "(", None),
    "varchar<5>": ("ab",),
    "fixedchar<2>": ("ab",),
    "binary": (b"ab", None),
    "fixedbinary<2>": (b"ab",),
    "date": ("2024-02-29", None),
    "precision_timestamp<6>": (1_500_000, None),
    "precision_timestamp<9>": (1_500_000_001,),
    "precision_timestamp_tz<3>": (-1,),
    "precision_time<6>": (1_500_000,),
    "interval_year": (13,),
    "interval_day<6>": ((1, 2, 3),),
    "interval_compound<6>": ((1, (1, 2, 3)),),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000",),
    "list<i32?>": ([1, None], [], None),
    "list<string>": (["a", "b"],),
    "list<list<i64>>": ([[1], []],),
    "list<boolean?>": ([True, None],),
    "struct<i32,string>": ((1, "x"), None),
    "map<string,i64>": ({"a": 1},),
    "u8": (255,),
    "u64": (2**64 - 1,),
}
COLUMNS = tuple(_KINDS)


def _constant(random: Random) -> Any:
    kind = random.choice(COLUMNS)
    return sb.lit(kind, random.choice(_KINDS[kind]))


def _expression(random: Random) -> Any:
    return sb.f(random.randrange(len(COLUMNS))) if random.random() < 0.5 else _constant(random)


def rows() -> Any:
    """A relation with three rows of every kind, and their number behind it."""
    made = [
        [*(sb.lit(kind, found[i % len(found)]) for kind, found in _KINDS.items()), sb.lit("i32", i)] for i in range(3)
    ]
    return virtual(", ".join([*(f"c{i} {kind}?" for i, kind in enumerate(COLUMNS)), "n i32"]), *made)


#: The rows by their numbers.
BY_NUMBER = (sb.f(len(COLUMNS)), "ASC_NULLS_FIRST")


def substrait_call(random: Random, kind: functions.Kind) -> Any:
    """A call of a function of the standard, mostly with as many arguments as it takes: an expression, or a measure."""
    declared = random.choice([one for one in standard.all_declarations() if one.kind is kind])
    form = random.choice(declared.implementations)
    args: list[Any] = []
    for parameter in form.parameters:
        for _ in range(random.randrange(3) if form.repeats is not None else 1):
            if parameter.shape is None:
                args.append(sb.Enum(random.choice((*parameter.names, "NONSENSE"))))
            else:
                args.append(_fitting(random, str(parameter.shape)) if random.random() < 0.7 else _expression(random))
    if random.random() < 0.05:
        args = [*args[1:], _expression(random)]
    some = random.random() < 0.3
    if kind is functions.Kind.AGGREGATE:
        where = sb.gt(BY_NUMBER[0], sb.i32(0)) if random.random() < 0.3 else None
        return measure(declared.name, *args, distinct=some, where=where, order=[BY_NUMBER])
    if kind is functions.Kind.WINDOW:
        return sb.over(declared.name, *args, order=[BY_NUMBER], frame=("ROWS", -1, 1) if some else None)
    options = {name: random.choice(said) for name, said in form.options if random.random() < 0.3}
    made = sb.call(declared.name, *args, options=options or None)
    return sb.cast(made, random.choice(COLUMNS)) if random.random() < 0.1 else made


def _fitting(random: Random, shape: str) -> Any:
    """An argument of the kind that a parameter asks for, where there is one."""
    stem = shape.partition("<")[0].rstrip("?").removeprefix("u!")
    kinds = [kind for kind in COLUMNS if kind.partition("<")[0] == stem] or list(COLUMNS)
    kind = random.choice(kinds)
    return sb.f(COLUMNS.index(kind)) if random.random() < 0.5 else sb.lit(kind, random.choice(_KINDS[kind]))


def substrait_plan(kind: functions.Kind, calls: Sequence[Any]) -> bytes:
    """A plan of some calls over the rows: of aggregates one row, else a row for each, in order, its number last."""
    names = [f"c{i}" for i in range(len(calls))]
    if kind is functions.Kind.AGGREGATE:
        return bytes(plan(root(aggregate(rows(), [], *calls), names)))
    made = only(rows(), len(COLUMNS) + 1, *calls, BY_NUMBER[0])
    return bytes(plan(root(ordered(made, (sb.f(len(calls)), BY_NUMBER[1])), [*names, "n"])))


def substrait(random: Random) -> bytes:
    """A Substrait plan of one call."""
    kind = random.choice((functions.Kind.SCALAR, functions.Kind.SCALAR, *functions.Kind))
    return substrait_plan(kind, [substrait_call(random, kind)])
