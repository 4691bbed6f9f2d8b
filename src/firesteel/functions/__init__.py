"""The catalogue: every function is one row here, whichever language calls it.

`catalog.py` defines a row and types calls, `properties.py` has the enums of a row (may it fail, is it lazy, whose is
it), `returns.py` the result types. The rows are in `scalar.py` (operators), `text.py`, `moments.py`, `collections.py`,
`aggregate.py` and `window.py`. How an engine computes a function is a row of that engine's own table.
"""

from firesteel.functions.catalog import (
    Function,
    Signature,
    all_functions,
    called,
    certain,
    find,
    find_partiql,
    may_raise,
    origin,
    overload,
    suggest,
    suggest_partiql,
)
from firesteel.functions.properties import Fails, Kind, Lazy, OfNothing, Origin

__all__ = [
    "Fails",
    "Function",
    "Kind",
    "Lazy",
    "OfNothing",
    "Origin",
    "Signature",
    "all_functions",
    "called",
    "certain",
    "find",
    "find_partiql",
    "may_raise",
    "origin",
    "overload",
    "suggest",
    "suggest_partiql",
]
