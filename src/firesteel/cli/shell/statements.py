"""The statements of the shell: PartiQL, and three that people know from other shells, whose answers are rows too.

SHOW TABLES          the tables and views
DESCRIBE t           the columns of a table, or of a query
SUMMARIZE t          what is in the columns of a table, or of a query
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

import firesteel as fs
from firesteel import types as t
from firesteel.errors import FiresteelError
from firesteel.session.engines import Known
from firesteel.values import Struct, Value

#: The name of a table: words and quoted names between dots.
_PART = r'(?:[^\W\d][\w$]*|"(?:[^"]|"")+")'
_TABLE = re.compile(rf"{_PART}(?:\.{_PART})*")
_COMMENT = re.compile(r"(?:\s+|--[^\n]*(?:\n|\Z)|/\*.*?\*/)+", re.DOTALL)


def answers(session: fs.Session, text: str, mode: str) -> Iterator[fs.Result]:
    """The answers of a statement."""
    bare = _bare(text)
    for pattern, answer in _OWN:
        found = pattern.fullmatch(bare)
        if found is not None:
            return iter([answer(session, found[1].strip() if found.lastindex else "", mode)])
    return session.script(text, mode=mode)


def is_own(text: str) -> bool:
    """Is it one of the shell's statements, and not PartiQL?"""
    return any(pattern.fullmatch(_bare(text)) for pattern, _ in _OWN)


def _bare(text: str) -> str:
    """A statement without the comments before it."""
    start = _COMMENT.match(text)
    return text[start.end() :] if start else text


def rows_of(rows: Iterable[dict[str, Value]], **columns: t.Type) -> fs.Result:
    """An answer of the shell's own."""
    type_ = t.Struct(tuple(t.Field(name, type_) for name, type_ in columns.items()), open=False)
    return fs.Result(Known([Struct(row) for row in rows]), "session", t.Array(type_))


def table_name(text: str) -> str | None:
    """The name of a table, if the text is no more than that."""
    if _TABLE.fullmatch(text) is None:
        return None
    return ".".join(part.replace('""', '"').strip('"') for part in re.findall(_PART, text))


def show_tables(session: fs.Session, like: str = "") -> fs.Result:
    """The tables and views; those whose names have the text."""
    rows = []
    for name in session.tables():
        if like.lower() in name.lower():
            found = session.describe(name)
            size = found.size
            rows.append({"name": name, "kind": found.kind, "format": found.format, "bytes": size})
    maybe = t.absent(t.STRING, nullable=True)
    return rows_of(rows, name=t.STRING, kind=t.STRING, format=maybe, bytes=t.absent(t.INT64, nullable=True))


def describe(session: fs.Session, text: str, mode: str = "permissive") -> fs.Result:
    """The columns of a table or a query, with their types."""
    name = table_name(text)
    if name is not None and _is_table(session, name):
        found = {column: below.type for column, below in session.paths(name).attributes.items()}
    else:
        found = _only(session, text, mode).schema
    return rows_of(
        ({"column": column, "type": type_} for column, type_ in found.items()), column=t.STRING, type=t.STRING
    )


def paths_of(session: fs.Session, name: str) -> fs.Result:
    """The paths that are found in the rows of a table, with their types."""
    found = session.paths(name).paths()
    return rows_of(({"path": path, "type": type_} for path, type_ in found), path=t.STRING, type=t.STRING)


def summarize(session: fs.Session, text: str, mode: str = "permissive") -> fs.Result:
    """What is in the columns of a table or a query."""
    name = table_name(text)
    if name is not None and _is_table(session, name):
        text = f"SELECT VALUE x FROM {text} AS x"
    return _only(session, text, mode).describe()


def _is_table(session: fs.Session, name: str) -> bool:
    """Is there such a table? An error that names others, if it is the name of nothing."""
    session.describe(name)
    return True


def _only(session: fs.Session, text: str, mode: str) -> fs.Result:
    found = list(session.script(text, mode=mode))
    if len(found) != 1:
        raise FiresteelError("this is no query: it has no answer", help="name a table, or write a query")
    return found[0]


_OWN: tuple[tuple[re.Pattern[str], Callable[[fs.Session, str, str], fs.Result]], ...] = (
    (re.compile(r"SHOW\s+TABLES\s*", re.IGNORECASE), lambda session, _, mode: show_tables(session)),
    (re.compile(r"DESC(?:RIBE)?\s+(.+)", re.IGNORECASE | re.DOTALL), describe),
    (re.compile(r"SUMMARIZE\s+(.+)", re.IGNORECASE | re.DOTALL), summarize),
)
