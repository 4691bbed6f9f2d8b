"""The magic `%%partiql` of notebooks: `%load_ext firesteel` calls `load_ipython_extension`. IPython hands itself over,
so nothing of it is imported here."""

from __future__ import annotations

import shlex
from typing import Any

from firesteel.errors import AnalysisError, ParseError
from firesteel.session.results import Result
from firesteel.session.session import Session

USAGE = "%%partiql [SESSION] [-o NAME] [--strict], and the query below; or %partiql QUERY"


def load_ipython_extension(ipython: Any) -> None:
    """Register the magic. A cell that begins with `%%partiql` is a query, whose answer is shown:

        %%partiql s -o shipped
        SELECT o.id FROM orders AS o WHERE o.status = 'shipped'

    It runs in the session `s`; without a name, in the only session that the notebook has. With `-o` the answer is a
    variable, too, and `--strict` is strict mode.
    """

    def partiql(line: str, cell: str | None = None) -> Result | None:
        if cell is None:
            return _last(_session(ipython.user_ns, None), line, "permissive")
        name, target, mode = _options(line)
        result = _last(_session(ipython.user_ns, name), cell, mode)
        if target is not None:
            ipython.user_ns[target] = result
        return result

    ipython.register_magic_function(partiql, "line_cell", "partiql")


def _options(line: str) -> tuple[str | None, str | None, str]:
    """The name of the session, of the variable for the answer, and the mode."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise ParseError(f"{str(error).lower()} in '{line}'", help=USAGE) from None
    name, target, mode = None, None, "permissive"
    while words:
        word = words.pop(0)
        if word == "-o" and words and words[0].isidentifier():
            target = words.pop(0)
        elif word == "--strict":
            mode = "strict"
        elif name is None and word.isidentifier():
            name = word
        else:
            raise ParseError(f"'{word}' is nothing that %%partiql knows", help=USAGE)
    return name, target, mode


def _session(names: dict[str, Any], name: str | None) -> Session:
    """The session of that name, or the only one there is. IPython keeps earlier values under names with `_`."""
    if name is not None:
        found = names.get(name)
        if not isinstance(found, Session):
            raise AnalysisError(f"'{name}' is no session", help=f"{name} = fs.connect() opens one")
        return found
    sessions = {
        id(value): (key, value)
        for key, value in names.items()
        if isinstance(value, Session) and not key.startswith("_")
    }
    if not sessions:
        raise AnalysisError("there is no session in this notebook", help="s = fs.connect() opens one")
    if len(sessions) > 1:
        listed = ", ".join(sorted(key for key, _ in sessions.values()))
        raise AnalysisError(f"there are several sessions: {listed}", help=f"name one: {USAGE}")
    return next(iter(sessions.values()))[1]


def _last(session: Session, text: str, mode: str) -> Result | None:
    """Run the statements of a text; the answer of the last one that has one."""
    result = None
    for result in session.script(text, mode=mode):
        result.value()
    return result
