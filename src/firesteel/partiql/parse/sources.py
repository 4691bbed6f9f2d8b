"""FROM: what a query ranges over, and joins."""

from __future__ import annotations

from typing import Any

from firesteel.partiql.ast import Expr, FromItem, Join, Name, Range, Subquery, Unpivot
from firesteel.partiql.parse.expressions import QUERY_STARTS
from firesteel.partiql.parse.graphs import Graphs
from firesteel.partiql.parse.keywords import NAMES

_JOIN_STARTS = frozenset({"JOIN", "INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS", "NATURAL"})
_SIDES = frozenset({"LEFT", "RIGHT", "FULL"})
_ALIASES = frozenset({"AS", "AT", "BY"})
#: What an item of FROM may end with; a name right behind it is an alias.
_ENDS = frozenset({"name", "quoted", "ion", ")", "]", "}", ">>"})


class Sources(Graphs):
    """The layer of FROM."""

    _groups: dict[int, bool] | None = None

    def sources(self) -> FromItem:
        """The items of a FROM clause; commas bind less closely than JOIN."""
        first = self.at
        left = self._joined()
        while self.accept(","):
            right = self._joined()
            left = Join("cross", left, right, where=self.span(first))
        return left

    def _joined(self) -> FromItem:
        first = self.at
        left = self._source()
        while self._join_ahead():
            left = self._join(first, left)
        return left

    # -----------------------------------------------------------------------------------------------------------------
    # Joins

    def _join_ahead(self) -> bool:
        """Does a join come next? OUTER may as well start OUTER UNION."""
        kinds, at = self.kinds, self.at
        if kinds[at] not in _JOIN_STARTS:
            return False
        return kinds[at] != "OUTER" or kinds[at + 1] in ("JOIN", "CROSS")

    def _join(self, first: int, left: FromItem) -> Join:
        """One join, whose left side began at `first`."""
        natural = self.accept("NATURAL")
        kind = self._join_kind()
        if self.accept("CROSS"):
            if natural:
                self.fail("a cross join cannot be natural", self.at - 1)
            self.expect("JOIN")
            right = self._source()
            return Join(kind if kind != "inner" else "cross", left, right, where=self.span(first))
        self.expect("JOIN")
        begin = self.at
        right = self._source()
        if natural:
            return Join(kind, left, right, natural=True, where=self.span(first))
        # In `a JOIN b JOIN c ON x ON y` the right side of the first join is the second one.
        self.deeper()
        while self.kinds[self.at] not in ("ON", "USING") and self._join_ahead():
            right = self._join(begin, right)
        self.depth -= 1
        if self.accept("USING"):
            return Join(kind, left, right, using=self.names(), where=self.span(first))
        if not self.accept("ON"):
            self.expected("'ON'", ("ON", "USING"), help="only a CROSS JOIN has no condition")
        return Join(kind, left, right, on=self.expression(), where=self.span(first))

    def _join_kind(self) -> Any:
        kind = self.kinds[self.at]
        if kind in _SIDES:
            self.at += 1
            self.accept("OUTER")
            return kind.lower()
        if self.accept("OUTER"):
            return "full"
        self.accept("INNER")
        return "inner"

    # -----------------------------------------------------------------------------------------------------------------
    # One item

    def _source(self) -> FromItem:
        first = self.at
        kind = self.kinds[first]
        if kind == "(" and self._is_group():
            self.deeper()
            self.at += 1
            item = self.sources()
            self.expect(")")
            self.depth -= 1
            return item
        if kind == "UNPIVOT":
            self.at += 1
            source = self.expression()
            alias, position, by = self._aliases()
            return Unpivot(source, alias=alias, position=position, by=by, where=self.span(first))
        self.accept("LATERAL")  # every item sees the ones before it anyway
        if self.kinds[self.at] in QUERY_STARTS:
            self.expected("an expression", help="a query in FROM is put in parentheses")
        source = self.expression()
        if self.kinds[self.at] == "MATCH":
            source = self.match(first, source, many=False)
        if self.kinds[self.at] not in NAMES and self.kinds[self.at] not in _ALIASES:
            return Range(source, where=self.span(first))
        alias, position, by = self._aliases()
        columns = self.names() if alias is not None and self.kinds[self.at] == "(" else ()
        return Range(source, alias=alias, columns=columns, position=position, by=by, where=self.span(first))

    def _aliases(self) -> tuple[Name | None, Name | None, Name | None]:
        alias = self.alias()
        position = self.name("a name after AT") if self.accept("AT") else None
        by = self.name("a name after BY") if self.accept("BY") else None
        return alias, position, by

    def _is_group(self) -> bool:
        """Are these parentheses around items and joins, or do they belong to an expression?

        Told by what stands directly in them: a join, an alias, UNPIVOT, or nothing but such parentheses again.
        """
        if self._groups is None:
            self._groups = {}
        known = self._groups
        at = self.at
        chain = []  # parentheses right inside each other, which share the answer
        while at not in known:
            chain.append(at)
            inner, last = at + 1, self.partner(at)
            if self.kinds[inner] == "(" and self.partner(inner) == last - 1:
                at = inner
            else:
                known[at] = self._has_items(inner, last)
        for place in chain:
            known[place] = known[at]
        return known[at]

    def _has_items(self, first: int, last: int) -> bool:
        kinds = self.kinds
        if kinds[first] == "UNPIVOT" or kinds[first] == "LATERAL":
            return True
        if kinds[first] in QUERY_STARTS:
            return False
        at = first
        while at < last:
            kind = kinds[at] if kinds[at - 1] != "." else "name"  # after a dot every word is a name
            if kind == "MATCH" or kind == "SELECT":
                return False
            if kind == "JOIN" or kind in _ALIASES or (kind in NAMES and at > first and kinds[at - 1] in _ENDS):
                return True
            at = self.partner(at) + 1 if kind in ("(", "[", "{", "<<") else at + 1
        return False


def unwrapped(query: Expr) -> Expr:
    """A query without its parentheses, where they only group."""
    return query.query if isinstance(query, Subquery) else query
