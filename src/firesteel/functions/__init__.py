"""The catalogue: every function is one row here, whatever the language that calls it.

`catalog.py` says what a row is and how a call is typed, `properties.py` what else a row can say (may it fail, is it
lazy, whose is it), `returns.py` what types there are to give. The rows are in `scalar.py` (operators), `text.py`,
`moments.py`, `collections.py`, `aggregate.py` and `window.py`. How an engine computes a function is a row of that
engine's own table.
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
