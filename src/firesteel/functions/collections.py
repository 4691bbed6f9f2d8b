"""The rows of functions on collections and structs. Aggregates of an argument are called `coll_...`."""

from __future__ import annotations

from firesteel.functions.catalog import Function, fn, own


def _coll(name: str, signature: str, doc: str, *names: str) -> Function:
    """An aggregate of a collection, NULL of one that has nothing in it; NULL and MISSING elements do not count."""
    return fn(name, signature, doc, partiql=(name, *names), absent="null")


COLLECTIONS: tuple[Function, ...] = (
    fn(
        "struct_concat",
        "(struct...) -> merged",
        "The attributes of all, in order, duplicates kept.",
        partiql=("tupleunion",),
    ),
    fn("cardinality", "(container) -> int", "The number of elements.", partiql=("cardinality", "size")),
    own("exists", "(any) -> bool", "Is there an element?", "", partiql=("exists",)),
    fn("filter_distinct", "(collection) -> same", "Every element once.", partiql=("filter_distinct",)),
    fn("to_bag", "(collection) -> bag", "The elements without their order."),
    own("as_bag", "(any) -> bag", "The elements without their order; of what is no collection, itself.", ""),
    fn("coll_count", "(collection) -> int", "The number of values.", partiql=("coll_count",)),
    _coll("coll_sum", "(collection) -> element_sum~", "The sum of the elements."),
    _coll("coll_avg", "(collection) -> element_mean~", "The mean of the elements, as a decimal."),
    _coll("coll_min", "(collection) -> element", "The least element, by the total order."),
    _coll("coll_max", "(collection) -> element", "The greatest element, by the total order."),
    _coll("coll_every", "(collection) -> bool~", "Are all elements true?"),
    _coll("coll_any", "(collection) -> bool~", "Is one element true?", "coll_some"),
)
