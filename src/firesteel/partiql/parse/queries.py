"""Queries: SELECT and its clauses, set operations, WITH, ORDER BY, LIMIT."""

from __future__ import annotations

from typing import Any

from firesteel.errors import ParseError
from firesteel.partiql.ast import (
    EachAttribute,
    EachElement,
    ExcludePath,
    Expr,
    Field,
    FromItem,
    Group,
    GroupKey,
    Index,
    Item,
    Items,
    ItemStar,
    Let,
    Name,
    Path,
    Pivot,
    Projection,
    Query,
    Select,
    SetOp,
    SortKey,
    Star,
    Step,
    Table,
    Value,
    WindowDef,
    With,
)
from firesteel.partiql.parse.expressions import QUERY_TAILS
from firesteel.partiql.parse.sources import Sources, unwrapped

_SET_OPS = frozenset({"UNION", "INTERSECT", "EXCEPT"})
#: Where the parser picks up after an error in the select list.
_AFTER_ITEM = frozenset({",", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", ";"} | _SET_OPS)
_AFTER_PRESERVE = frozenset({"LIMIT", "OFFSET", ")", ";", "end"})


_AFTER_NAME = _AFTER_ITEM | {"AS", ".", "end"}
_STAR_HELP = "the attributes of one variable are written t.*"


class Queries(Sources):
    """The layer of queries."""

    def query(self) -> Expr:
        """A query with everything around it."""
        if self.kinds[self.at] == "WITH":
            return self._with()
        first = self.at
        term = self._term()
        return self.query_after(first, term) if self.kinds[self.at] in QUERY_TAILS else term

    def query_after(self, first: int, term: Expr) -> Expr:
        """The rest of a query whose first term is read."""
        body = self._set_operations(first, term)
        clauses = self._order_and_limit()
        if not clauses:
            return body
        return Query(unwrapped(body), where=self.span(first), **clauses)

    def _with(self) -> Expr:
        first = self.at
        self.at += 1
        recursive = self.accept("RECURSIVE")
        withs = [self._with_item()]
        while self.accept(","):
            withs.append(self._with_item())
        begin = self.at
        body = self._set_operations(begin, self._term())
        clauses = self._order_and_limit()
        return Query(unwrapped(body), withs=tuple(withs), recursive=recursive, where=self.span(first), **clauses)

    def _with_item(self) -> With:
        first = self.at
        name = self.name("the name of a query")
        columns = self.names() if self.kinds[self.at] == "(" else ()
        self.expect("AS")
        self.expect("(")
        self.deeper()
        query = self.query()
        self.depth -= 1
        self.expect(")")
        return With(name, unwrapped(query), columns=columns, where=self.span(first))

    def _term(self) -> Expr:
        kind = self.kinds[self.at]
        if kind == "SELECT":
            return self.select()
        if kind == "PIVOT":
            return self.pivot()
        if kind == "TABLE" and self.table_ahead():
            first = self.at
            self.at += 1
            return Table(self.operand(), where=self.span(first))
        return self.expression()

    # -----------------------------------------------------------------------------------------------------------------
    # UNION, INTERSECT, EXCEPT: INTERSECT binds more closely

    def _set_operations(self, first: int, term: Expr) -> Expr:
        left = self._intersections(first, term)
        while self._set_op_ahead() in ("UNION", "EXCEPT"):
            left = self._set_op(first, left)
        return left

    def _intersections(self, first: int, left: Expr) -> Expr:
        while self._set_op_ahead() == "INTERSECT":
            left = self._set_op(first, left)
        return left

    def _set_op_ahead(self) -> str | None:
        kind = self.kinds[self.at]
        if kind == "OUTER":
            kind = self.kinds[self.at + 1]
        return kind if kind in _SET_OPS else None

    def _set_op(self, first: int, left: Expr) -> SetOp:
        outer = self.accept("OUTER")
        name: Any = self.kinds[self.at].lower()
        self.at += 1
        quantifier: Any = self.accept_any("ALL", "DISTINCT")
        corresponding: tuple[Name, ...] | None = None
        if self.accept("CORRESPONDING"):
            corresponding = self.names() if self.accept("BY") else ()
        begin = self.at
        right = self._term()
        if name != "intersect":
            right = self._intersections(begin, right)
        return SetOp(
            name,
            unwrapped(left),
            unwrapped(right),
            quantifier=quantifier and quantifier.lower(),
            outer=outer,
            corresponding=corresponding,
            where=self.span(first),
        )

    # -----------------------------------------------------------------------------------------------------------------
    # ORDER BY, LIMIT, OFFSET

    def _order_and_limit(self) -> dict[str, Any]:
        clauses: dict[str, Any] = {}
        kind = self.kinds[self.at]
        if kind == "ORDER":
            if self.kinds[self.at + 2] == "PRESERVE" and self.kinds[self.at + 3] in _AFTER_PRESERVE:
                self.at += 1
                self.expect("BY")
                self.at += 1
                clauses["preserve"] = True
            else:
                clauses["order"] = self.order_by()
        if self.accept("LIMIT"):
            clauses["limit"] = self.expression()
        if self.accept("OFFSET"):
            clauses["offset"] = self.expression()
        return clauses

    def order_by(self) -> tuple[SortKey, ...]:
        self.expect("ORDER")
        self.expect("BY")
        keys = [self._sort_key()]
        while self.accept(","):
            keys.append(self._sort_key())
        return tuple(keys)

    def _sort_key(self) -> SortKey:
        first = self.at
        key = self.expression()
        direction: Any = self.accept_any("ASC", "DESC")
        nulls: Any = self.expect_any("FIRST", "LAST") if self.accept("NULLS") else None
        return SortKey(
            key, direction=direction and direction.lower(), nulls=nulls and nulls.lower(), where=self.span(first)
        )

    # -----------------------------------------------------------------------------------------------------------------
    # SELECT

    def select(self) -> Expr:
        first = self.at
        self.at += 1
        quantifier: Any = self.accept_any("ALL", "DISTINCT")
        begin = self.at
        kind = self.kinds[begin]
        projection: Projection
        if kind == "*":
            self.at += 1
            projection = Star(where=self.span(begin))
            if self.kinds[self.at] == ",":
                self.fail("'*' stands alone in a select list", begin, _STAR_HELP)
        elif kind == "VALUE":
            self.at += 1
            if self.kinds[self.at] in _AFTER_NAME:
                self.expected("an expression", help='right after SELECT, a column of the name VALUE is written "value"')
            projection = Value(self.expression(), where=self.span(begin))
        else:
            projection = self._items()
        return self._select_rest(first, projection, quantifier and quantifier.lower())

    def pivot(self) -> Expr:
        first = self.at
        self.at += 1
        value = self.expression()
        self.expect("AT")
        projection = Pivot(value, self.expression(), where=self.span(first))
        return self._select_rest(first, projection, None)

    def _items(self) -> Items:
        first = self.at
        items: list[Item | ItemStar] = []
        while True:
            begin, depth = self.at, self.depth
            try:
                items.append(self._item())
            except ParseError as error:
                self.recover(error, begin, depth, _AFTER_ITEM)
            if not self.accept(","):
                return Items(tuple(items), where=self.span(first))

    def _item(self) -> Item | ItemStar:
        first = self.at
        if self.kinds[first] == "*":
            self.fail("'*' stands alone in a select list", help=_STAR_HELP)
        value = self.expression()
        alias = self.alias()
        if alias is None and isinstance(value, Path) and isinstance(value.steps[-1], EachAttribute):
            steps = value.steps[:-1]
            # The dot and the star are not of the path.
            root = Path(value.root, steps, where=self.span_to(first, self.at - 3)) if steps else value.root
            return ItemStar(root, where=self.span(first))
        return Item(value, alias, where=self.span(first))

    def _select_rest(self, first: int, projection: Projection, quantifier: Any) -> Expr:
        """The clauses behind SELECT or PIVOT, in their order."""
        clauses: dict[str, Any] = {}
        if quantifier:
            clauses["quantifier"] = quantifier
        if self.accept("EXCLUDE"):
            clauses["exclude"] = self._exclude()
        source: FromItem | None = None
        if self.accept("FROM"):
            source = self.sources()
        if self.accept("LET"):
            clauses["lets"] = self._lets()
        if self.accept("WHERE"):
            clauses["filter"] = self.expression()
        if self.kinds[self.at] == "GROUP":
            clauses["group"] = self._group_by()
        if self.accept("HAVING"):
            clauses["having"] = self.expression()
        if self.accept("WINDOW"):
            clauses["windows"] = self._windows()
        return Select(projection, source, where=self.span(first), **clauses)

    def _lets(self) -> tuple[Let, ...]:
        lets: list[Let] = []
        while not lets or self.accept(","):
            first = self.at
            value = self.expression()
            self.expect("AS")
            lets.append(Let(value, self.name(), where=self.span(first)))
        return tuple(lets)

    def _group_by(self) -> Group:
        first = self.at
        self.at += 1
        if self.accept("ALL"):
            name = self.name() if self.accept("AS") else None
            return Group((), name, where=self.span(first))
        partial = self.accept("PARTIAL")
        self.expect("BY")
        keys: list[GroupKey] = []
        while not keys or self.accept(","):
            begin = self.at
            key = self.expression()
            alias = self.name("a name after AS") if self.accept("AS") else None
            keys.append(GroupKey(key, alias, where=self.span(begin)))
        name = None
        if self.accept("GROUP"):
            self.expect("AS")
            name = self.name("a name after AS")
        return Group(tuple(keys), name, partial=partial, where=self.span(first))

    def _windows(self) -> tuple[WindowDef, ...]:
        windows: list[WindowDef] = []
        while not windows or self.accept(","):
            first = self.at
            name = self.name("the name of a window")
            self.expect("AS")
            windows.append(WindowDef(name, self.window(), where=self.span(first)))
        return tuple(windows)

    def _exclude(self) -> tuple[ExcludePath, ...]:
        paths: list[ExcludePath] = []
        while not paths or self.accept(","):
            first = self.at
            root = self.variable(first)
            steps = self.path(first, root)
            if not isinstance(steps, Path):
                self.expected("'.' or '['", help="EXCLUDE takes a path with a step at least")
            for step in steps.steps:
                self._check_excludable(step)
            paths.append(ExcludePath(root, steps.steps, where=self.span(first)))
        return tuple(paths)

    def _check_excludable(self, step: Step) -> None:
        literal = isinstance(step, Index) and type(getattr(step.key, "value", None)) in (int, str)
        if not (literal or isinstance(step, (Field, EachElement, EachAttribute))):
            raise ParseError("EXCLUDE takes attributes, integers, strings and '*' only", where=step.where)
