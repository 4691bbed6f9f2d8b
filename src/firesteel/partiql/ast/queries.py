"""Queries and statements."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Literal

from firesteel.partiql.ast.expressions import Ast, Expr, Name, Quantifier, SortKey, Step, Var, Window

JoinKind = Literal["cross", "inner", "left", "right", "full"]

# ---------------------------------------------------------------------------------------------------------------------
# FROM


class FromItem(Ast):
    """What FROM ranges over."""


class Range(FromItem, tag="range"):
    """`source AS alias (columns) AT position BY id`."""

    source: Expr
    _: KW_ONLY
    alias: Name | None = None
    columns: tuple[Name, ...] = ()
    position: Name | None = None
    by: Name | None = None


class Unpivot(FromItem, tag="unpivot"):
    """`UNPIVOT source AS alias AT name BY id`."""

    source: Expr
    _: KW_ONLY
    alias: Name | None = None
    position: Name | None = None
    by: Name | None = None


class Join(FromItem, tag="join"):
    """Two items side by side; the right one sees the left. A comma is a cross join."""

    kind: JoinKind
    left: FromItem
    right: FromItem
    _: KW_ONLY
    on: Expr | None = None
    using: tuple[Name, ...] = ()
    natural: bool = False


# ---------------------------------------------------------------------------------------------------------------------
# Queries


class Projection(Ast):
    """What SELECT or PIVOT makes of a binding."""


class Star(Projection, tag="star"):
    """`SELECT *`."""


class Item(Ast, tag="item"):
    """One of the select list: `value AS alias`."""

    value: Expr
    alias: Name | None = None


class ItemStar(Ast, tag="item_star"):
    """One of the select list: `value.*`."""

    value: Expr


class Items(Projection, tag="items"):
    """`SELECT a AS b, c.*`."""

    items: tuple[Item | ItemStar, ...]


class Value(Projection, tag="value"):
    """`SELECT VALUE value`."""

    value: Expr


class Pivot(Projection, tag="pivot"):
    """`PIVOT value AT name`: not a collection but a struct."""

    value: Expr
    name: Expr


class ExcludePath(Ast, tag="exclude_path"):
    """`EXCLUDE root.a[*].b`; the keys of its indexes are literals."""

    root: Var
    steps: tuple[Step, ...]


class Let(Ast, tag="let"):
    """`LET value AS name`."""

    value: Expr
    name: Name


class GroupKey(Ast, tag="group_key"):
    """A key of GROUP BY."""

    key: Expr
    alias: Name | None = None


class Group(Ast, tag="group"):
    """`GROUP [PARTIAL] BY keys GROUP AS name`; without keys it is GROUP ALL."""

    keys: tuple[GroupKey, ...]
    name: Name | None = None
    _: KW_ONLY
    partial: bool = False


class WindowDef(Ast, tag="window_def"):
    """`WINDOW name AS (...)`."""

    name: Name
    window: Window


class Select(Expr, tag="select"):
    """A SELECT-FROM-WHERE block, or a PIVOT one. FROM may be absent."""

    projection: Projection
    source: FromItem | None = None
    _: KW_ONLY
    quantifier: Quantifier | None = None
    exclude: tuple[ExcludePath, ...] = ()
    lets: tuple[Let, ...] = ()
    filter: Expr | None = None
    group: Group | None = None
    having: Expr | None = None
    windows: tuple[WindowDef, ...] = ()


class SetOp(Expr, tag="set_op"):
    """UNION, INTERSECT, EXCEPT of two queries or values; `corresponding` is None where it was not written."""

    name: Literal["union", "intersect", "except"]
    left: Expr
    right: Expr
    _: KW_ONLY
    quantifier: Quantifier | None = None
    outer: bool = False
    corresponding: tuple[Name, ...] | None = None


class With(Ast, tag="with"):
    """`name (columns) AS (query)`."""

    name: Name
    query: Expr
    _: KW_ONLY
    columns: tuple[Name, ...] = ()


class Query(Expr, tag="query"):
    """What stands around a query: WITH before it, ORDER BY, LIMIT and OFFSET behind it; one of them at least."""

    body: Expr
    _: KW_ONLY
    withs: tuple[With, ...] = ()
    recursive: bool = False
    order: tuple[SortKey, ...] = ()
    preserve: bool = False
    limit: Expr | None = None
    offset: Expr | None = None


class Table(Expr, tag="table"):
    """`TABLE a.b`: all that is in it."""

    source: Expr


class Subquery(Expr, tag="subquery"):
    """A query in parentheses, where a value is expected."""

    query: Expr


# ---------------------------------------------------------------------------------------------------------------------
# Statements


class Statement(Ast):
    """What can be run, or refused by name."""


class QueryStatement(Statement, tag="query_statement"):
    """A query: an expression of any kind."""

    query: Expr


class Explain(Statement, tag="explain"):
    """`EXPLAIN (option value, ...) statement`."""

    statement: Statement
    _: KW_ONLY
    options: tuple[tuple[str, str], ...] = ()


class Exec(Statement, tag="exec"):
    """`EXEC name a, b`."""

    name: Expr
    args: tuple[Expr, ...] = ()


class CreateView(Statement, tag="create_view"):
    """`CREATE [OR REPLACE] VIEW a.b (columns) AS query`."""

    name: tuple[Name, ...]
    query: Expr
    _: KW_ONLY
    columns: tuple[Name, ...] = ()
    or_replace: bool = False


class Dml(Statement, tag="dml"):
    """A statement that changes data, by its opening words; the rest of it is not read."""

    verb: str


class Ddl(Statement, tag="ddl"):
    """A statement that defines something, or steers a session, by its opening words; the rest of it is not read."""

    verb: str
