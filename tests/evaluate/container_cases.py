"""Cases of the functions on collections and structs, as `test_functions.py` runs them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from firesteel.values import MISSING, Bag, Sexp, Struct
from tests.evaluate.helpers import ERROR

D = Decimal

CONTAINERS: list[tuple[Any, ...]] = [
    ("struct_concat", Struct({"a": 1}), Struct({"a": 2, "b": 3}), Struct([("a", 1), ("a", 2), ("b", 3)])),
    ("struct_concat", Struct(), Struct(), Struct({"a": 1}), Struct({"a": 1})),
    ("struct_concat", Struct(), 1, MISSING, ERROR),
    ("struct_concat", Struct(), None, None),
    ("cardinality", [1, 1], 2),
    ("cardinality", Bag(), 0),
    ("cardinality", Struct([("a", 1), ("a", 2)]), 2),
    ("cardinality", None, None),
    ("cardinality", "foo", MISSING, ERROR),
    ("exists", [], False),
    ("exists", Bag([MISSING]), True),
    ("exists", Struct({"a": None}), True),
    ("exists", None, False),
    ("exists", MISSING, False),
    ("exists", 5, False),
    ("filter_distinct", [1, 2, 1.0, None, None, MISSING], [1, 2, None, MISSING]),
    ("filter_distinct", Sexp([1, 1]), Sexp([1])),
    ("filter_distinct", Bag([Bag([1, 2]), Bag([2, 1])]), Bag([Bag([1, 2])])),
    ("filter_distinct", MISSING, MISSING),
    ("filter_distinct", Struct(), MISSING, ERROR),
    ("to_bag", [2, 1], Bag([1, 2])),
    ("to_bag", Sexp([1]), Bag([1])),
    ("to_bag", None, None),
    ("to_bag", 5, MISSING, ERROR),
    ("as_bag", [2, 1], Bag([1, 2])),
    ("as_bag", Bag([None]), Bag([None])),
    ("coll_count", [1, None, MISSING, "a"], 2),
    ("coll_count", Bag(), 0),
    ("coll_count", None, None),
    ("coll_count", MISSING, MISSING),
    ("coll_count", "a", MISSING, ERROR),
    ("coll_sum", [1, 2, None], 3),
    ("coll_sum", Bag([1, D("2.5"), MISSING]), D("3.5")),
    ("coll_sum", [], None),
    ("coll_sum", [1, "a"], MISSING, ERROR),
    ("coll_sum", [2**62, 2**62], ERROR),
    ("coll_avg", [1, 2], D("1.5")),
    ("coll_avg", [MISSING], None),
    ("coll_min", [3, 1.5, None], 1.5),
    ("coll_max", Bag([1, "a", MISSING]), "a"),
    ("coll_max", Sexp(), None),
    ("coll_every", [True, None], True),
    ("coll_every", [True, False], False),
    ("coll_any", [False, None, True], True),
    ("coll_any", [], None),
    ("coll_any", [[True]], MISSING, ERROR),
    ("to_index", 3, 3),
    ("to_index", D(3), MISSING, ERROR),
    ("to_index", 2**70, MISSING, ERROR),
    ("to_index", None, None),
]

QUANTIFIED: list[tuple[Any, ...]] = [
    ("eq_any", 2, [1, 2.0], True),
    ("eq_any", 2, Bag([1, None]), None),
    ("eq_any", 2, [1, "a"], False),
    ("eq_any", 2, [], False),
    ("eq_any", None, [1], None),
    ("eq_any", None, [], False),
    ("eq_any", 2, None, None),
    ("eq_any", 2, MISSING, MISSING),
    ("eq_any", 2, 2, MISSING, ERROR),
    ("eq_all", 2, [2, MISSING], None),
    ("eq_all", 2, [3, None], False),
    ("eq_all", 2, [], True),
    ("ne_any", 2, [2, 3], True),
    ("ne_all", 2, [1, 3], True),
    ("ne_all", 2, [1, None, 2], False),
    ("lt_any", 2, [1, 3, "a"], True),  # decided before what is wrong
    ("lt_all", 2, [3, 4], True),
    ("lte_any", 2, [1, 2], True),
    ("lte_all", 2, [2, 1], False),
    ("gt_any", 2, Sexp([1, 3]), True),
    ("gt_all", 2, [1, None], None),
    ("gte_any", 2, [3], False),
    ("gte_all", 2, [2, 1], True),
    ("gte_all", 2, {"a": 1}, MISSING, ERROR),
]
