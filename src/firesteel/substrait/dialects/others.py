"""The dialects of producers that write mostly what the specification says, and how plans of unknown ones are read."""

from __future__ import annotations

from firesteel.functions.substrait.names import Names
from firesteel.substrait.dialects import datafusion, duckdb, shared
from firesteel.substrait.dialects.base import Dialect, Shape

_NAMES = Names(shared.NAMES, shared.IMPLIED)
_OF_ENGINE = "{} declares the types of its own engine, or of the first argument"


def _plain(name: str, *producers: str, own_types: bool = False) -> Dialect:
    shapes = {Shape.OWN_TYPES: _OF_ENGINE.format(name)} if own_types else {}
    return Dialect(name, producers or (name,), shapes=shapes, names=_NAMES, rules={**shared.LIKE, **shared.COMMA})


OTHERS: tuple[Dialect, ...] = (
    _plain("isthmus", "isthmus", "calcite", own_types=True),
    _plain("ibis", own_types=True),
    _plain("acero", "acero", "arrow"),
    _plain("substrait-java", own_types=True),
    _plain("spark", own_types=True),
    _plain("substrait-python"),
)

#: The specification as it is written.
SPEC = Dialect.standard()

#: A plan of a producer that is not known: names of all dialects are understood, shapes only where nothing else is
#: possible.
UNKNOWN = Dialect(
    "unknown",
    names=Names({**shared.NAMES, **duckdb.NAMES, **datafusion.NAMES}, shared.IMPLIED),
    rules={**shared.LIKE, **shared.COMMA},
)

#: A plan that does not name its producer: Isthmus did not.
UNNAMED = Dialect(
    "unnamed",
    shapes={Shape.OWN_TYPES: "Isthmus did not name itself, and declares the types of its own engine"},
    names=UNKNOWN.names,
    rules=UNKNOWN.rules,
)
