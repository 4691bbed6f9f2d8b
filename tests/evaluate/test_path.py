"""Paths: keys, indexes, wildcards."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.plan import build
from firesteel.values import MISSING, Bag, Sexp, Struct, Symbol, from_python
from tests.evaluate.helpers import BOTH, ERROR, STRICT, check, lit, run, same

EVERY, PAIRS = p.Wildcard(), p.UnpivotStep()
SPECIES = from_python({"Kumo": "dog", "MOCHI": "dog", "mochi": "cat"})
TWICE = Struct([("a", 1), ("b", 2), ("b", 3)])
STORES = from_python(
    [{"id": 5, "books": [{"t": "A"}, {"t": "B"}]}, {"id": 6, "books": [{"t": "C"}]}, {"id": 7, "books": []}]
)
FRIENDS = from_python({"kumo": {"likes": {"mochi": {"type": "dog"}, "zoe": {"type": "human"}}}})

STEPS = [
    # root, steps, permissive, strict
    (SPECIES, ["Kumo"], "dog", "dog"),
    (SPECIES, ["kumo"], MISSING, ERROR),
    (SPECIES, [Symbol("kumo")], "dog", "dog"),
    (SPECIES, [Symbol("mochi")], "cat", ERROR),  # the exact one, if one has to be taken
    (SPECIES, ["mochi"], "cat", "cat"),
    (SPECIES, ["none"], MISSING, ERROR),
    (TWICE, ["a"], 1, 1),
    (TWICE, ["b"], 2, ERROR),
    (TWICE, [Symbol("B")], 2, ERROR),
    (TWICE, [1], MISSING, ERROR),
    ([1, 2, 3], [0], 1, 1),
    ([1, 2, 3], [3], MISSING, ERROR),
    ([1, 2, 3], [-1], MISSING, ERROR),
    ([1, 2, 3], [lit(Decimal("1.0"))], MISSING, ERROR),
    ([1, 2, 3], [lit(True)], MISSING, ERROR),
    ([1, 2, 3], ["a"], MISSING, ERROR),
    (Sexp([1, 2]), [1], 2, 2),
    (Bag([1, 2, 3]), [1], MISSING, ERROR),
    ("text", ["a"], MISSING, ERROR),
    (5, [0], MISSING, ERROR),
    (SPECIES, [lit("Kumo")], MISSING, ERROR),  # a key whose type is not known to be text is an index
    (None, ["a"], None, None),
    (None, [0], None, None),
    (MISSING, ["a"], MISSING, MISSING),
    (MISSING, [0], MISSING, MISSING),
    ([1], [lit(None)], None, None),
    ([1], [lit(MISSING)], MISSING, MISSING),
    (SPECIES, [p.Lit(t.String(nullable=True), None)], None, None),
    ([{"a": [10, 20]}], [0, "a", 1], 20, 20),
    # wildcards
    ([1, 2, 3], [EVERY], Bag([1, 2, 3]), Bag([1, 2, 3])),
    (Bag([1, 2]), [EVERY], Bag([1, 2]), Bag([1, 2])),
    ([{"a": 1}, {"b": 2}], [EVERY, "a"], Bag([1, MISSING]), ERROR),
    (STORES, [EVERY, "books", EVERY, "t"], Bag(["A", "B", "C"]), Bag(["A", "B", "C"])),
    (STORES, [0, "books", EVERY, "t"], Bag(["A", "B"]), Bag(["A", "B"])),
    (STORES, [EVERY, "books"], Bag([s.get("books") for s in STORES]), Bag([s.get("books") for s in STORES])),
    ([1, [2]], [EVERY, EVERY], Bag([1, 2]), ERROR),
    ("hello", [EVERY], Bag(["hello"]), ERROR),
    (100, [EVERY, EVERY, EVERY], Bag([100]), ERROR),
    (FRIENDS, [EVERY], Bag([FRIENDS]), ERROR),
    (None, [EVERY], Bag([None]), ERROR),
    (MISSING, [EVERY], Bag([MISSING]), ERROR),
    ([{"a": 1}, {}], [EVERY, "a", EVERY], Bag([1, MISSING]), ERROR),
    (FRIENDS, [PAIRS, "likes", PAIRS, "type"], Bag(["dog", "human"]), Bag(["dog", "human"])),
    ({"x": {"n": 1}, "y": {"n": 2}}, [PAIRS, EVERY, "n"], Bag([1, 2]), ERROR),
    ({}, [PAIRS, PAIRS, "bar"], Bag(), Bag()),
    (TWICE, [PAIRS], Bag([1, 2, 3]), Bag([1, 2, 3])),
    (100, [PAIRS], Bag([100]), ERROR),
    (Bag([100, 200]), [PAIRS], Bag([Bag([100, 200])]), ERROR),
    (MISSING, [PAIRS], Bag(), ERROR),
    (None, [PAIRS], Bag([None]), ERROR),
]


@pytest.mark.parametrize(("root", "steps", "permissive", "strict"), STEPS)
def test_steps(root: object, steps: list[object], permissive: object, strict: object) -> None:
    check(build.path(lit(root), *steps), permissive, strict)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", BOTH)
def test_a_key_of_a_text_type_is_a_name_whatever_computes_it(mode: p.Mode) -> None:
    key = build.call("cast", build.call("concat", build.lit("at"), build.lit("tr")), t.STRING)
    same(run(build.path(lit({"attr": 1}), key), mode), 1)


@pytest.mark.parametrize(
    ("root", "step", "message"),
    [
        (SPECIES, "none", "no attribute 'none'"),
        (TWICE, "b", "attribute 'b' is ambiguous"),
        ([1], 5, "no element 5 in an array of 1"),
        (Bag([1]), 0, "no element 0 in a value of type bag"),
        ("x", "a", "no attribute 'a' in a value of type string"),
        (5, EVERY, r"\[\*\] takes collections, not int"),
        (5, PAIRS, r"\.\* takes structs, not int"),
    ],
)
def test_what_was_wrong(root: object, step: object, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        run(build.path(lit(root), step), STRICT)  # type: ignore[arg-type]
