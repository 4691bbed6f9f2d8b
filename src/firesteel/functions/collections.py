"""The rows of functions on collections and structs. `coll_sum` and its like aggregate the elements of an argument."""

from __future__ import annotations

from firesteel.functions.catalog import Function, fn, own
from firesteel.functions.properties import Fails


def _coll(name: str, signature: str, doc: str, *names: str, **more: object) -> Function:
    """A row that aggregates the elements of a collection. NULL and MISSING elements are skipped; no elements give
    NULL."""
    return fn(f"coll_{name}", signature, doc, partiql=(f"coll_{name}", *names), absent="null", aggregate=name, **more)  # type: ignore[arg-type]


def _array(
    name: str, signature: str, doc: str, *names: str, fails: Fails = Fails.WRONG_TYPES, **more: object
) -> Function:
    """A row of a function of arrays, which is called `array_...`."""
    return fn(f"array_{name}", signature, doc, partiql=(f"array_{name}", *names), fails=fails, **more)  # type: ignore[arg-type]


def _map(name: str, returns: str, doc: str) -> Function:
    """A row of a function of the attributes of a struct."""
    row = f"map_{name}"
    return fn(row, f"(struct) -> {returns}", doc, partiql=(row,), fails=Fails.WRONG_TYPES)


_DEVIATIONS = {
    "coll_var_samp": "The variance of a sample.",
    "coll_var_pop": "The variance of all.",
    "coll_stddev_samp": "The standard deviation of a sample.",
    "coll_stddev_pop": "The standard deviation of all.",
    "coll_median": "The number in the middle, or the mean of the two there.",
}

COLLECTIONS: tuple[Function, ...] = (
    fn(
        "struct_concat",
        "(struct...) -> merged",
        "The attributes of all, in order, duplicates kept.",
        partiql=("tupleunion",),
        fails=Fails.WRONG_TYPES,
    ),
    fn(
        "cardinality",
        "(container) -> int",
        "The number of elements.",
        partiql=("cardinality", "size", "array_length"),
        fails=Fails.WRONG_TYPES,
    ),
    own(
        "exists",
        "(any) -> bool",
        "Is there an element?",
        "",
        partiql=("exists",),
        fails=Fails.NEVER,
        asks_for_elements=True,
    ),
    fn(
        "filter_distinct",
        "(collection) -> same",
        "Every element once.",
        partiql=("filter_distinct", "array_distinct"),
        fails=Fails.WRONG_TYPES,
    ),
    fn("to_bag", "(collection) -> bag", "The elements without their order.", fails=Fails.WRONG_TYPES),
    own(
        "as_bag",
        "(any) -> bag",
        "The elements without their order; of what is no collection, itself.",
        "",
        fails=Fails.FORGIVEN,
    ),
    fn(
        "coll_count",
        "(collection) -> int",
        "The number of values.",
        partiql=("coll_count",),
        fails=Fails.WRONG_TYPES,
        aggregate="count",
    ),
    _coll("sum", "(collection) -> element_sum~", "The sum of the elements."),
    _coll("avg", "(collection) -> element_mean~", "The mean of the elements, as a decimal."),
    _coll(
        "min",
        "(collection) -> element",
        "The least element, by the total order.",
        fails=Fails.WRONG_TYPES,
    ),
    _coll(
        "max",
        "(collection) -> element",
        "The greatest element, by the total order.",
        fails=Fails.WRONG_TYPES,
    ),
    _coll("every", "(collection) -> bool~", "Are all elements true?", fails=Fails.FORGIVEN),
    _coll("any", "(collection) -> bool~", "Is one element true?", "coll_some", fails=Fails.FORGIVEN),
    *(
        fn(
            name,
            "(collection) -> float~",
            doc,
            partiql=(name,),
            absent="null",
            fails=Fails.FORGIVEN,
        )
        for name, doc in _DEVIATIONS.items()
    ),
    own(
        "array_contains",
        "(any, any) -> bool",
        "Is the second among the elements? As `IN`.",
        "null missing",
        partiql=("array_contains",),
        fails=Fails.WRONG_TYPES,
        sure="(collection, any) -> bool",
    ),
    _array("position", "(list, any) -> int", "The one-based place of the first element that is equal, or 0."),
    _array("concat", "(collection, collection...) -> all_elements", "The elements of all, in order.", "array_cat"),
    _array(
        "flatten", "(collection) -> values", "The elements of the elements; what is no collection stays.", "flatten"
    ),
    _array("sort", "(collection) -> elements", "In order, NULL and MISSING last."),
    _array(
        "slice",
        "(list, int, int) -> elements~",
        "From a one-based position, at most so many.",
        "slice",
        fails=Fails.FORGIVEN,
    ),
    _map("keys", "texts", "The names of the attributes, in order."),
    _map("values", "values", "The values of the attributes, in the order of their names."),
    _map("entries", "entries", "The attributes as structs of `key` and `value`, in the order of their names."),
)
