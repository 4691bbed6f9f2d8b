"""Statements and the plan around them."""

from __future__ import annotations

import enum
from dataclasses import KW_ONLY
from typing import Any as Value

from firesteel.plan.base import PlanNode, Rel, Rex, Statement
from firesteel.plan.rex import Fn
from firesteel.types import Schema, Type


class Mode(enum.Enum):
    """What a failing expression does: PERMISSIVE gives MISSING, STRICT raises an error."""

    PERMISSIVE = "permissive"
    STRICT = "strict"


class Query(Statement, tag="query"):
    """The value of an expression."""

    rex: Rex
    _: KW_ONLY
    mode: Mode = Mode.PERMISSIVE


class Root(Statement, tag="root"):
    """The rows of a relation, with names at this edge."""

    names: tuple[str, ...]
    input: Rel
    _: KW_ONLY
    mode: Mode = Mode.PERMISSIVE


class CreateView(Statement, tag="create_view"):
    """CREATE VIEW: a name for a query."""

    name: str
    query: Rex
    _: KW_ONLY
    columns: tuple[str, ...] = ()
    mode: Mode = Mode.PERMISSIVE
    replace_existing: bool = False


class IfExists(enum.Enum):
    """What creating a table does where there is one of that name."""

    ERROR = "error"
    REPLACE = "replace"
    APPEND = "append"
    IGNORE = "ignore"


class PathStatement(Statement):
    """A statement on a table or a view, by the path of its name."""

    path: tuple[str, ...]

    @property
    def name(self) -> str:
        return ".".join(self.path)


class CreateTable(PathStatement, tag="write_table"):
    """A table of these columns, with the rows of a relation or empty. One that is pinned is kept in memory."""

    columns: Schema
    input: Rel | None
    _: KW_ONLY
    exists: IfExists = IfExists.ERROR
    pin: bool = False
    mode: Mode = Mode.STRICT


class Insert(PathStatement, tag="insert_rows"):
    """The rows of a relation, added to a table by the names of its columns."""

    columns: Schema
    input: Rel
    _: KW_ONLY
    mode: Mode = Mode.STRICT


class WriteFiles(Statement, tag="write_files"):
    """The rows of a relation, written to files. `described_by` are the columns that may be in the location as `{name}`,
    `rotation` is the one that is not 0 where a new file begins, `mask` are those that are written (all, if empty)."""

    location: str
    format: str
    columns: Schema
    input: Rel
    _: KW_ONLY
    described_by: tuple[int, ...] = ()
    rotation: int | None = None
    mask: tuple[int, ...] = ()
    compression: str = ""
    exists: IfExists = IfExists.ERROR
    mode: Mode = Mode.STRICT


class Drop(PathStatement, tag="drop_object"):
    """DROP of a table or a view."""

    _: KW_ONLY
    view: bool = False
    if_exists: bool = False


class FileItem(PlanNode):
    """Files at a place that a plan names: a `file`, a `folder`, a `path_glob` or a `path`, which is either; a slice of
    them where it says at which byte to start, and for how many."""

    path: str
    kind: str
    _: KW_ONLY
    start: int = 0
    length: int | None = None


class TextFormat(PlanNode):
    """How fields are written in files of text. Without a quote nothing is quoted; without an escape, a quote in quotes
    is doubled; `null` is the text that stands for NULL."""

    _: KW_ONLY
    delimiter: str = ","
    quote: str = ""
    escape: str = ""
    skip: int = 0
    null: str | None = None


class Files(PlanNode):
    """Files of one format that are read as one table. Those of text have no names for their columns: the plan does."""

    format: str
    items: tuple[FileItem, ...]
    _: KW_ONLY
    text: TextFormat | None = None
    names: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What to call the table."""
        return self.items[0].path + (f" and {len(self.items) - 1} more" if len(self.items) > 1 else "")


class Script(Statement, tag="script"):
    """Several statements, in order; the rows of each root are an answer."""

    statements: tuple[Statement, ...]


class GlobalBinding(PlanNode):
    """A global that the plan refers to: its qualified name, or its files, and its type."""

    path: tuple[str, ...]
    type: Type
    _: KW_ONLY
    files: Files | None = None

    @property
    def name(self) -> str:
        return ".".join(self.path)


class Constant(PlanNode):
    """A named constant of a document."""

    name: str | None
    value: Value


class Definition(PlanNode):
    """A labelled node of a document."""

    label: str
    node: PlanNode


class Plan(PlanNode, tag="plan"):
    """A statement, and what it refers to: the document's parts beside it are kept as they were declared."""

    statement: Statement
    _: KW_ONLY
    globals: tuple[GlobalBinding, ...] = ()
    version: tuple[int, int] = (0, 1)
    imports: tuple[str, ...] = ("partiql",)
    types: tuple[Type, ...] = ()
    fns: tuple[Fn, ...] = ()
    constants: tuple[Constant, ...] = ()
    definitions: tuple[Definition, ...] = ()

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What the plan says, in order."""
        return self.statement.statements if isinstance(self.statement, Script) else (self.statement,)
