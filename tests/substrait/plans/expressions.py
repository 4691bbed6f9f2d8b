"""Expressions: references, choices, lists of options, casts, constructors."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

from firesteel.errors import EvaluationError
from tests.substrait.plans.build import (
    FALSE,
    TRUE,
    UNKNOWN,
    At,
    Enum,
    Key,
    add,
    call,
    cast,
    coalesce,
    elements,
    entry,
    eq,
    f,
    gt,
    i32,
    i64,
    if_then,
    inside,
    is_null,
    listed,
    lit,
    lt,
    mapped,
    mask,
    masked,
    null,
    of,
    old_call,
    one_of,
    or_,
    row_of,
    struct,
    switch,
    text,
)
from tests.substrait.plans.cases import NESTED, Cases
from tests.substrait.plans.relations import filtered, only, read, virtual

N = None
ONE = virtual("x i64", (1,))


def value(cases: Cases, name: str, expr: Any, expected: Any, **parts: Any) -> None:
    """What an expression without a row gives."""
    cases.gives(name, only(ONE, 1, expr), (expected,), **parts)


# References ----------------------------------------------------------------------------------------------------------

REFERENCES = Cases("reference")
DATA = read("nested", NESTED)
REFERENCES.gives("a field", only(DATA, 3, f(0)), (1,), (2,), (3,))
REFERENCES.gives("a field of a struct", only(DATA, 3, f(1, 0), f(1, 1)), (10, "ten"), (N, "none"), (N, N))
REFERENCES.gives("an element of a list", only(DATA, 3, f(0), f(1, 2, At(0))), (1, 1), (2, N), (3, N))
REFERENCES.gives("the last element", only(DATA, 3, f(0), f(1, 2, At(-1))), (1, 3), (2, N), (3, N))
REFERENCES.gives("the last but one", only(DATA, 3, f(0), f(1, 2, At(-3))), (1, 1), (2, N), (3, N))
REFERENCES.gives("beyond the end", only(DATA, 3, f(0), f(1, 2, At(3))), (1, N), (2, N), (3, N))
REFERENCES.gives("beyond the beginning", only(DATA, 3, f(0), f(1, 2, At(-4))), (1, N), (2, N), (3, N))
REFERENCES.gives("a field of an element", only(DATA, 3, f(2, At(1), 1), f(2, At(0), 0)), ("b", 1), (N, N), (N, N))
MAPS = virtual("m map<string,i64?>?", ({"a": 1, "b": N},), ({},), (N,))
REFERENCES.gives("a key of a map", only(MAPS, 1, f(0, Key("string", "a"))), (1,), (N,), (N,))
REFERENCES.gives("a key whose value is NULL", only(MAPS, 1, f(0, Key("string", "b"))), (N,), (N,), (N,))
REFERENCES.gives("a key that is not there", only(MAPS, 1, f(0, Key("string", "z"))), (N,), (N,), (N,))
REFERENCES.gives(
    "a field of an element of a value of a map",
    only(
        virtual("m map<string,list<struct<i64,string>>>", ({"k": [(1, "x"), (2, "y")]},)),
        1,
        f(0, Key("string", "k"), At(1), 1),
    ),
    ("y",),
)
value(REFERENCES, "into an expression: a struct", of(struct(i64(1), text("x")), 1), "x")
value(REFERENCES, "into an expression: a list", of(listed(i64(1), i64(2)), At(1)), 2)
value(
    REFERENCES, "into an expression: a map", of(mapped((text("a"), i64(1)), (text("b"), i64(2))), Key("string", "b")), 2
)
value(REFERENCES, "into an expression: a literal", of(lit("struct<i64,list<string>>", (1, ["p", "q"])), 1, At(0)), "p")
value(REFERENCES, "into a NULL struct", of(null("struct<i64,string>"), 0), N)
ROW = virtual("a i64, b string, c i64?", (1, "x", N))
REFERENCES.gives("a mask on the row", only(ROW, 3, masked(mask([0, 2]))), ((1, N),))
REFERENCES.gives("a mask on the row, out of order", only(ROW, 3, masked(mask([1, 0]))), (("x", 1),))
REFERENCES.gives("a mask of one field is the field", only(ROW, 3, masked(mask([1]))), ("x",))
REFERENCES.gives("a mask of one field that stays a struct", only(ROW, 3, masked(mask([1]), keep=True)), (("x",),))
REFERENCES.gives(
    "a mask on a list: a slice of it",
    only(virtual("l list<i64>", ([1, 2, 3, 4],), ([1],)), 1, masked(mask({0: elements((1, 3))}))),
    ([2, 3],),
    ([],),
)
LISTS = virtual("l list<i64>?", ([1, 2, 3, 4, 5],), ([1],), ([],), (N,))
REFERENCES.gives(
    "a mask on a list: parts of it",
    only(LISTS, 1, masked(mask({0: elements(0, (2, 4), 7)}))),
    ([1, 3, 4],),
    ([1],),
    ([],),
    (N,),
)
REFERENCES.gives(
    "a mask on a list: slices side by side, one of them empty",
    only(LISTS, 1, masked(mask({0: elements((0, 0), (1, 2), (2, 3), 4)}))),
    ([2, 3, 5],),
    ([],),
    ([],),
    (N,),
)
REFERENCES.gives(
    "a mask on a list: parts of it, and of its structs",
    only(
        virtual("l list<struct<i64,string>>", ([(1, "a"), (2, "b"), (3, "c")],)),
        1,
        of(masked(mask({0: elements(0, 2, child=inside([1]))})), At(1), 0),
    ),
    ("c",),
)
REFERENCES.gives("a mask on a map", only(MAPS, 1, masked(mask({0: entry("a")}))), ({"a": 1},), ({},), (N,))
REFERENCES.gives(
    "a mask on a map: a key whose value is NULL", only(MAPS, 1, masked(mask({0: entry("b")}))), ({"b": N},), ({},), (N,)
)
REFERENCES.gives(
    "a mask on a map: a key that is not there", only(MAPS, 1, masked(mask({0: entry("z")}))), ({},), ({},), (N,)
)
REFERENCES.gives(
    "a mask on a map, and on the structs in it",
    only(
        virtual("m map<string,struct<i64,string>?>", ({"k": (1, "x"), "l": (2, "y")},), ({"k": N},), ({"l": N},)),
        1,
        of(masked(mask({0: entry("k", inside([1]))})), Key("string", "k"), 0),
    ),
    ("x",),
    (N,),
    (N,),
)
REFERENCES.gives(
    "a mask on a map in the lists of a struct",
    only(
        virtual("s struct<i64,list<map<string,i64>>>", ((1, [{"a": 1, "b": 2}, {"b": 3}, {"c": 4}]),)),
        1,
        masked(mask({0: inside({1: elements((0, 2), child=entry("b"))})}), keep=True),
    ),
    (({"_2": [{"b": 2}, {"b": 3}]},),),
)
value(REFERENCES, "a mask on an expression", masked(mask([1, 2]), struct(i64(1), text("x"), TRUE)), ("x", True))
value(
    REFERENCES,
    "a mask inside of a mask",
    of(masked(mask({0: inside([1]), 1: N}), struct(struct(i64(1), text("x")), TRUE)), 0, 0),
    "x",
)

# Choices -------------------------------------------------------------------------------------------------------------

CHOICES = Cases("choice")
NUMBERS = virtual("a i64?", (1,), (2,), (3,), (N,))


def of_numbers(cases: Cases, name: str, expr: Any, *expected: Any) -> None:
    """What an expression gives for 1, 2, 3 and NULL."""
    cases.gives(name, only(NUMBERS, 1, f(0), expr), *zip((1, 2, 3, N), expected, strict=True))


of_numbers(CHOICES, "if", if_then((lt(f(0), i64(2)), text("few")), default=text("many")), "few", "many", "many", "many")
of_numbers(CHOICES, "if without else", if_then((lt(f(0), i64(2)), text("few"))), "few", N, N, N)
of_numbers(
    CHOICES,
    "the first condition that is true",
    if_then(
        (gt(f(0), i64(2)), text("big")),
        (gt(f(0), i64(1)), text("mid")),
        (is_null(f(0)), text("none")),
        default=text("low"),
    ),
    *("low", "mid", "big", "none"),
)
of_numbers(CHOICES, "a result that is NULL", if_then((lt(f(0), i64(2)), null("i64")), default=f(0)), N, 2, 3, N)
of_numbers(
    CHOICES,
    "a NULL without a type beside a type",
    if_then((lt(f(0), i64(2)), {"literal": {"null": {}}}), default=i64(5)),
    N,
    5,
    5,
    5,
)
of_numbers(
    CHOICES,
    "what is not chosen is not computed",
    if_then(
        (eq(f(0), i64(1)), cast(text("1"), "i64")), default=if_then((FALSE, cast(text("x"), "i64")), default=i64(0))
    ),
    *(1, 0, 0, 0),
)
of_numbers(
    CHOICES,
    "structs as results",
    if_then((lt(f(0), i64(2)), struct(i64(1), text("x"))), default=struct(i64(2), text("y"))),
    (1, "x"),
    (2, "y"),
    (2, "y"),
    (2, "y"),
)
of_numbers(
    CHOICES,
    "switch",
    switch(f(0), (i64(1), text("one")), (i64(2), text("two")), default=text("more")),
    "one",
    "two",
    "more",
    "more",
)
of_numbers(CHOICES, "switch without else", switch(f(0), (i64(1), text("one"))), "one", N, N, N)
of_numbers(
    CHOICES,
    "switch: the first that is equal",
    switch(f(0), (i64(1), text("a")), (i64(1), text("b")), default=text("c")),
    "a",
    "c",
    "c",
    "c",
)
of_numbers(CHOICES, "coalesce", coalesce(f(0), i64(0)), 1, 2, 3, 0)

# Lists of options ----------------------------------------------------------------------------------------------------

OPTIONS = Cases("options")
of_numbers(OPTIONS, "one of", one_of(f(0), i64(1), i64(3)), True, False, True, N)
of_numbers(OPTIONS, "one of one", one_of(f(0), i64(2)), False, True, False, N)
of_numbers(OPTIONS, "one of, with NULL among them", one_of(f(0), i64(1), null("i64")), True, N, N, N)
of_numbers(OPTIONS, "one of, computed", one_of(f(0), add(i64(1), i64(1)), f(0)), True, True, True, N)
OPTIONS.gives(
    "one of text", only(virtual("a string", ("x",), ("y",)), 1, one_of(f(0), text("x"), text("z"))), (True,), (False,)
)
PAIRS = virtual("a i64?, b string?", (1, "x"), (1, "y"), (N, "x"), (2, N))
OPTIONS.gives(
    "a row of several",
    only(PAIRS, 2, row_of([f(0), f(1)], [i64(1), text("x")], [i64(9), text("z")])),
    *((True,), (False,), (N,), (False,)),
)
OPTIONS.gives(
    "a row of several, with NULL among them",
    only(PAIRS, 2, row_of([f(0), f(1)], [i64(1), null("string")])),
    *((N,), (N,), (N,), (False,)),
)
OPTIONS.gives("in a filter", filtered(NUMBERS, one_of(f(0), i64(1), i64(3))), (1,), (3,))

# Casts ---------------------------------------------------------------------------------------------------------------

CASTS = Cases("cast")
for given, target, expected in (
    (i64(5), "string", "5"),
    (text("12"), "i32", 12),
    (text("-7"), "i64", -7),
    (i64(100), "i8", 100),
    (i32(3), "fp64", 3.0),
    (lit("fp64", 2.0), "i64", 2),
    (text("1.25"), "decimal<5,2>", Decimal("1.25")),
    (i64(7), "decimal<9,2>", Decimal("7.00")),
    (lit("decimal<5,2>", "1.25"), "fp64", 1.25),
    (text("true"), "boolean", True),
    (text("2024-02-29"), "date", datetime.date(2024, 2, 29)),
    (lit("date", "2024-02-29"), "string", "2024-02-29"),
    (text("abc"), "varchar<2>", "ab"),
    (lit("list<i32>", [1, 2]), "list<i64>", [1, 2]),
    (null("string"), "i64", N),
):
    kind = next(iter(given["literal"]))
    value(CASTS, f"{kind} to {target}", cast(given, target), expected)
BAD = virtual("a string?", ("1",), ("x",), (N,))
CASTS.gives("what fails is NULL", only(BAD, 1, f(0), cast(f(0), "i64", "RETURN_NULL")), ("1", 1), ("x", N), (N, N))
CASTS.gives(
    "what is out of range is NULL",
    only(virtual("a i64", (127,), (128,)), 1, cast(f(0), "i8", "RETURN_NULL")),
    (127,),
    (N,),
)
CASTS.fails("what fails is an error", only(BAD, 1, cast(f(0), "i64")), EvaluationError)
CASTS.fails(
    "what fails is an error, where it is not said", only(BAD, 1, cast(f(0), "i64", "UNSPECIFIED")), EvaluationError
)
CASTS.fails("what is out of range is an error", only(virtual("a i64", (128,)), 1, cast(f(0), "i8")), EvaluationError)

# Constructors --------------------------------------------------------------------------------------------------------

NESTS = Cases("nested")
of_numbers(NESTS, "a struct", struct(f(0), text("x")), (1, "x"), (2, "x"), (3, "x"), (N, "x"))
of_numbers(NESTS, "a list", listed(f(0), i64(9)), [1, 9], [2, 9], [3, 9], [N, 9])
of_numbers(
    NESTS,
    "a map",
    mapped((text("k"), f(0)), (text("l"), i64(0))),
    {"k": 1, "l": 0},
    {"k": 2, "l": 0},
    {"k": 3, "l": 0},
    {"k": N, "l": 0},
)
WORDS = read("people", "name string?, id i64")
NESTS.gives(
    "a map with keys that are computed, one of them twice",
    only(WORDS, 2, mapped((f(0), i32(1)), (text("Bob"), f(1)))),
    *(
        ({name: 1, "Bob": id_} if name != "Bob" else {"Bob": 2},)
        for id_, name in enumerate(("Ann", "Bob", "Cid", "Dee"), 1)
    ),
)
value(NESTS, "a map with a key twice: the last counts", mapped((text("a"), i64(1)), (text("a"), i64(2))), {"a": 2})
NESTS.fails(
    "a map with NULL for a key",
    only(read("mixed", "UPPER string?"), 1, mapped((f(0), i64(1)), (text("k"), i64(2)))),
    EvaluationError,
    "project/expressions[0]/nested",
)
of_numbers(
    NESTS,
    "in one another",
    struct(listed(struct(f(0))), text("x")),
    ([(1,)], "x"),
    ([(2,)], "x"),
    ([(3,)], "x"),
    ([(N,)], "x"),
)

# Functions -----------------------------------------------------------------------------------------------------------

FUNCTIONS = Cases("function")
value(FUNCTIONS, "arguments as they were written once", old_call("arithmetic:add", i64(1), i64(2)), 3)
value(FUNCTIONS, "a name as an argument", call("datetime:extract", Enum("YEAR"), lit("date", "2024-02-29")), 2024)
value(
    FUNCTIONS, "an option", call("arithmetic:add", lit("i8", 127), lit("i8", 1), options={"overflow": "SATURATE"}), 127
)
FUNCTIONS.fails(
    "an option that is an error",
    only(ONE, 1, call("arithmetic:add", lit("i8", 127), lit("i8", 1), options={"overflow": "ERROR"})),
    EvaluationError,
)
value(FUNCTIONS, "an output type", call("arithmetic:add", i64(1), i64(2), returns="i64"), 3)
value(FUNCTIONS, "as many arguments as one likes", or_(FALSE, UNKNOWN, FALSE, TRUE), True)
value(FUNCTIONS, "or of nothing true and NULL", or_(FALSE, UNKNOWN), N)

FOUND = [REFERENCES, CHOICES, OPTIONS, CASTS, NESTS, FUNCTIONS]
