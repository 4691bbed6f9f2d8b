"""The rows of the aggregate functions. They skip NULL and MISSING. For no rows `count` is 0, the others are NULL."""

from __future__ import annotations

from firesteel.functions.catalog import Function, own
from firesteel.functions.properties import Fails, Kind, OfNothing


def _agg(
    name: str, signature: str, doc: str, *names: str, fails: Fails, absent: str = "null", **more: object
) -> Function:
    names = (name, *names)
    return own(
        name, signature, doc, absent, kind=Kind.AGGREGATE, partiql=names, fails=fails, ignores_order=True, **more
    )


def _count(name: str, signature: str, doc: str) -> Function:
    return _agg(name, signature, doc, fails=Fails.NEVER, absent="", of_nothing=OfNothing.ZERO)


AGGREGATES: tuple[Function, ...] = (
    _count("count_star", "() -> int", "The number of bindings."),
    _count("count", "(any) -> int", "The number of values."),
    _agg("sum", "(number) -> numeric", "The sum.", fails=Fails.OVERFLOW),
    _agg("avg", "(number) -> mean", "The mean, as a decimal.", fails=Fails.OVERFLOW),
    _agg("min", "(any) -> same", "The least, by the total order.", fails=Fails.NEVER, ignores_duplicates=True),
    _agg("max", "(any) -> same", "The greatest, by the total order.", fails=Fails.NEVER, ignores_duplicates=True),
    _agg("every", "(bool) -> bool", "Are all true?", fails=Fails.FORGIVEN, ignores_duplicates=True),
    _agg("any", "(bool) -> bool", "Is one true?", "some", fails=Fails.FORGIVEN, ignores_duplicates=True),
    _agg(
        "collect",
        "(any) -> bag_of",
        "All values as a bag, NULL and MISSING included.",
        fails=Fails.NEVER,
        absent="",
        of_nothing=OfNothing.EMPTY_BAG,
    ),
    own(
        "array_agg",
        "(any) -> list_of",
        "All values as a list, NULL and MISSING included, in the order that the call says.",
        "",
        kind=Kind.AGGREGATE,
        partiql=("array_agg",),
        fails=Fails.NEVER,
        of_nothing=OfNothing.EMPTY_LIST,
    ),
    own(
        "string_agg",
        ("(text) -> string", "(text, text) -> string"),
        "The texts, one after the other, with the second between them, in the order that the call says.",
        "null",
        kind=Kind.AGGREGATE,
        partiql=("string_agg", "listagg"),
        fails=Fails.MAYBE,
    ),
)
