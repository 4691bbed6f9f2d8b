"""The catalogue: every function is one row here, whatever the language that calls it.

`catalog.py` says what a row is and how a call is typed, `returns.py` what types there are to give. The rows are in
`scalar.py` (operators), `text.py`, `moments.py`, `collections.py`, `aggregate.py` and `window.py`. How an engine
computes a function is a row of that engine's own table.
"""

from firesteel.functions.catalog import (
    Function,
    Kind,
    Signature,
    all_functions,
    called,
    certain,
    find,
    find_partiql,
    overload,
    suggest,
    suggest_partiql,
)

__all__ = [
    "Function",
    "Kind",
    "Signature",
    "all_functions",
    "called",
    "certain",
    "find",
    "find_partiql",
    "overload",
    "suggest",
    "suggest_partiql",
]
