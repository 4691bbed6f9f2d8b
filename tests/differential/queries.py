"""Generated queries: every clause, over the tables of `data.environment`."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.differential.expressions import COLUMNS, MIXED, SORTS, Expressions, Names
from tests.differential.pieces import NOTHING, Piece, atom, clause, expr, listed

AGGREGATES = ["COUNT({})", "SUM({})", "MIN({})", "MAX({})", "AVG({})", "COUNT(DISTINCT {})", "SUM(DISTINCT {})"]
RANKS = ["ROW_NUMBER()", "RANK()", "DENSE_RANK()", "NTILE(2)"]
OVER = ["LAG({})", "LEAD({}, 1, 0)", "FIRST_VALUE({})", "LAST_VALUE({})", "SUM({})", "COUNT({})", "MIN({})", "MAX({})"]
FRAMES = [
    "",
    " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
    " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    " ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING",
]
DIRECTIONS = ["", "", " DESC", " ASC NULLS FIRST", " DESC NULLS LAST"]
JOINS = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]


class Queries(Expressions):
    """A generator of statements."""

    def statement(self) -> Piece:
        """One statement to run."""
        depth = self.rng.choice([1, 2, 2, 3])
        makers = [self._plain, self._plain, self._plain, self._grouped, self._grouped, self._windowed, self._pivot]
        makers += [self._set, self._expression, self._starred, self._with]
        return self.rng.choice(makers)(depth)

    # -----------------------------------------------------------------------------------------------------------------
    # FROM

    def source(self, names: Names, depth: int) -> tuple[Piece, Names]:
        """What a query ranges over, and what it binds."""
        item, inner = self._first(names, depth)
        if depth > 0 and self.rng.random() < 0.45:
            more, inner = self._more(inner, depth)
            item = Piece("from", "{}{}", (item, more))
        return item, inner

    def _first(self, names: Names, depth: int) -> tuple[Piece, Names]:
        variable = self.fresh()
        match self.rng.randrange(10):
            case 0 | 1 | 2 | 3:
                return atom(f"t AS {variable}"), names.with_columns(variable, COLUMNS, [f"{variable}.id"])
            case 4 | 5 | 6:
                return atom(f"m AS {variable}"), names.with_columns(variable, MIXED, [f"{variable}.id"])
            case 7:
                place = self.fresh("i")
                inner = names.with_columns(variable, COLUMNS, [place]).with_value(place, "number", [place])
                return atom(f"u AS {variable} AT {place}"), inner
            case 8:
                table = self.rng.choice(["v", "w", "none"])
                return atom(f"{table} AS {variable}"), names.with_value(variable, self.rng.choice(SORTS), None)
            case _ if depth > 0:
                inner_query = self._derived(names, depth - 1)
                columns = {"x": "number", "y": "text"}
                return Piece("from", f"{{}} AS {variable}", (inner_query,)), names.with_columns(variable, columns, None)
            case _:
                return atom(f"t AS {variable}"), names.with_columns(variable, COLUMNS, [f"{variable}.id"])

    def _derived(self, names: Names, depth: int) -> Piece:
        source, inner = self.source(names, depth)
        columns = self.of("number", inner, depth), self.of("text", inner, depth)
        filter_ = self._where(inner, depth)
        return Piece("query", "(SELECT {} AS x, {} AS y FROM {}{})", (*columns, source, filter_))

    def _more(self, names: Names, depth: int) -> tuple[Piece, Names]:
        """A join, or an unnesting of what the rows before hold."""
        identity = names.identity
        variable = self.fresh()
        held = [name for sort in ("numbers", "structs") for name in names.known.get(sort, [])]
        if held and self.rng.random() < 0.6:
            name = self.rng.choice(held)
            place = self.fresh("i")
            structs = name in names.known.get("structs", [])
            if self.rng.random() < 0.5:
                inner = self._bound(names, variable, structs, None)
                return Piece("more", f", {name} AS {variable}", optional=False), inner
            inner = self._bound(names, variable, structs, None).with_value(place, "number", None)
            template = self.rng.choice([", {} AS {} AT {}", " LEFT JOIN {} AS {} AT {} ON true"])
            return Piece("more", template.format(name, variable, place)), inner
        if names.known.get("struct") and self.rng.random() < 0.3:
            key = self.fresh("k")
            inner = names.with_value(variable, "number", None).with_value(key, "text", None)
            return Piece("more", f", UNPIVOT {self.rng.choice(names.known['struct'])} AS {variable} AT {key}"), inner
        table, columns = self.rng.choice([("t", COLUMNS), ("m", MIXED)])
        both = [*identity, f"{variable}.id"] if identity is not None else None
        inner = names.with_columns(variable, columns, both)
        if self.rng.random() < 0.2:
            return Piece("more", f" CROSS JOIN {table} AS {variable}"), inner
        if self.rng.random() < 0.6:
            condition = expr(f"{{}} = {variable}.{self.rng.choice(['id', 'a', 'b'])}", self.leaf("number", names))
        else:
            condition = self.condition(inner, 1)
        return Piece("more", f" {self.rng.choice(JOINS)} {table} AS {variable} ON {{}}", (condition,)), inner

    def _bound(self, names: Names, variable: str, structs: bool, identity: Sequence[str] | None) -> Names:
        if structs:
            return names.with_columns(variable, {"k": "number", "q": "text"}, identity)
        return names.with_value(variable, "number", identity)

    # -----------------------------------------------------------------------------------------------------------------
    # Clauses

    def _where(self, names: Names, depth: int) -> Piece:
        return clause(" WHERE {}", self.condition(names, depth)) if self.rng.random() < 0.6 else NOTHING

    def _let(self, names: Names, depth: int) -> tuple[Piece, Names]:
        if self.rng.random() > 0.12:
            return NOTHING, names
        variable, sort = self.fresh("l"), self.rng.choice(SORTS)
        made = Piece("let", f" LET {{}} AS {variable}", (self.of(sort, names, depth),))
        return made, names.with_value(variable, sort, names.identity)

    def _order(self, keys: list[Piece], identity: Sequence[str] | None) -> Piece:
        """An order that leaves nothing open, and perhaps a part of it; without an identity there is none."""
        if identity is None or self.rng.random() < 0.5:
            return NOTHING
        sorts = [Piece("key", f"{{}}{self.rng.choice(DIRECTIONS)}", (key,)) for key in keys]
        sorts = [listed("{}, ", sorts)] if sorts else []
        order = Piece("order", f"{'{}' if sorts else ''}{', '.join(identity)}", tuple(sorts))
        limit = clause(f" LIMIT {self.rng.randint(0, 5)}") if self.rng.random() < 0.4 else NOTHING
        offset = clause(f" OFFSET {self.rng.randint(0, 3)}") if self.rng.random() < 0.2 else NOTHING
        return clause(" ORDER BY {}{}{}", order, limit, offset)

    def _items(self, names: Names, depth: int) -> Piece:
        count = self.rng.randint(1, 3)
        items = [Piece("item", f"{{}} AS c{i}", (self.any(names, depth),)) for i in range(count)]
        return listed("{}", items)

    # -----------------------------------------------------------------------------------------------------------------
    # Queries

    def _plain(self, depth: int, names: Names | None = None) -> Piece:
        source, inner = self.source(names or Names(), depth)
        let, inner = self._let(inner, depth - 1)
        where = self._where(inner, depth)
        distinct = self.rng.random() < 0.15
        keys = [self.any(inner, 1) for _ in range(self.rng.randint(0, 2))]
        order = NOTHING if distinct else self._order(keys, inner.identity)
        quantifier = "DISTINCT " if distinct else ""
        if self.rng.random() < 0.4:
            value = self.any(inner, depth)
            return Piece(
                "query", f"SELECT {quantifier}VALUE {{}} FROM {{}}{{}}{{}}{{}}", (value, source, let, where, order)
            )
        items = self._items(inner, depth)
        return Piece("query", f"SELECT {quantifier}{{}} FROM {{}}{{}}{{}}{{}}", (items, source, let, where, order))

    def _starred(self, depth: int) -> Piece:
        source, inner = self.source(Names(), min(depth, 1))
        where = self._where(inner, depth)
        exclude = NOTHING
        known = [n for sort in ("struct", "structs", "text", "numbers") for n in inner.known.get(sort, []) if "." in n]
        if known and self.rng.random() < 0.6:
            step = self.rng.choice(["", "", ".x", ".y", "[0]", "[*].k", ".*"])
            exclude = clause(f" EXCLUDE {self.rng.choice(known)}{step}")
        order = self._order([], inner.identity)
        return Piece("query", "SELECT *{} FROM {}{}{}", (exclude, source, where, order))

    def _grouped(self, depth: int) -> Piece:
        source, inner = self.source(Names(), depth)
        where = self._where(inner, depth)
        keys = [self.any(inner, 1) for _ in range(self.rng.randint(0, 2))]
        named = [Piece("item", f"{{}} AS k{i}", (key,)) for i, key in enumerate(keys)]
        items = [atom(f"k{i}") for i in range(len(keys))]
        items += [self._aggregate(inner, i) for i in range(self.rng.randint(1, 2))]
        group, having = NOTHING, NOTHING
        if keys:
            group_as = NOTHING
            if self.rng.random() < 0.25:
                group_as = clause(" GROUP AS g")
                items.append(atom("(SELECT VALUE CARDINALITY(g1) FROM g AS g1) AS members"))
            group = Piece("group", " GROUP BY {}{}", (listed("{}", named), group_as))
            if self.rng.random() < 0.3:
                having = clause(" HAVING COUNT(*) > {}", atom(str(self.rng.randint(0, 2))))
        order = NOTHING
        if keys and self.rng.random() < 0.4:
            parts = [atom(f"k{i}{self.rng.choice(DIRECTIONS)}") for i in range(len(keys))]
            order = clause(" ORDER BY {}", Piece("keys", "{}", tuple(parts), between=", "))
        return Piece("query", "SELECT {} FROM {}{}{}{}{}", (listed("{}", items), source, where, group, having, order))

    def _aggregate(self, names: Names, i: int) -> Piece:
        if self.rng.random() < 0.2:
            return atom(f"COUNT(*) AS n{i}")
        template = self.rng.choice(AGGREGATES)
        return Piece("item", f"{template} AS n{i}", (self.of("number", names, 1),))

    def _windowed(self, depth: int) -> Piece:
        source, inner = self.source(Names(), 0)
        items = [Piece("item", "{} AS c", (self.any(inner, 1),))]
        for i in range(self.rng.randint(1, 2)):
            items.append(self._window(inner, i))
        return Piece("query", "SELECT {} FROM {}{}", (listed("{}", items), source, self._where(inner, depth)))

    def _window(self, names: Names, i: int) -> Piece:
        partition = clause("PARTITION BY {} ", self.any(names, 0)) if self.rng.random() < 0.6 else NOTHING
        if names.identity is None:
            return Piece(
                "item",
                f"{self.rng.choice(['COUNT({})', 'MIN({})'])} OVER ({{}}) AS w{i}",
                (self.any(names, 0), partition),
            )
        keys = (
            [f"{self.leaf(self.rng.choice(SORTS), names).text()}{self.rng.choice(DIRECTIONS)}"]
            if self.rng.random() < 0.5
            else []
        )
        order = "ORDER BY " + ", ".join([*keys, *names.identity])
        if self.rng.random() < 0.4:
            return Piece("item", f"{self.rng.choice(RANKS)} OVER ({{}}{_escaped(order)}) AS w{i}", (partition,))
        call = self.rng.choice(OVER)
        frame = "" if call.startswith(("LAG", "LEAD")) else self.rng.choice(FRAMES)
        return Piece(
            "item", f"{call} OVER ({{}}{_escaped(order)}{frame}) AS w{i}", (self.of("number", names, 0), partition)
        )

    def _pivot(self, depth: int) -> Piece:
        variable = self.fresh()
        names = Names().with_columns(variable, COLUMNS, [f"{variable}.id"])
        value, where = self.any(names, depth), self._where(names, depth)
        key = f"CAST({variable}.id AS STRING)" if self.rng.random() < 0.8 else f"{variable}.s"
        return Piece("query", f"PIVOT {{}} AT {key} FROM t AS {variable}{{}}", (value, where))

    def _set(self, depth: int) -> Piece:
        operator = self.rng.choice(["UNION", "INTERSECT", "EXCEPT"]) + self.rng.choice(["", " ALL", " DISTINCT"])
        outer = self.rng.choice(["", "", "OUTER "])
        sides = []
        for _ in range(2):
            source, inner = self.source(Names(), 0)
            item = self.of("number", inner, 1)
            sides.append(Piece("side", "(SELECT {} AS x FROM {}{})", (item, source, self._where(inner, depth))))
        return Piece("query", f"{{}} {outer}{operator} {{}}", tuple(sides))

    def _expression(self, depth: int) -> Piece:
        """A statement that is an expression; the tables are values, too."""
        return self.any(Names(), depth + 1)

    def _with(self, depth: int) -> Piece:
        source, inner = self.source(Names(), 0)
        columns = self.of("number", inner, 1), self.of("text", inner, 1)
        bound = Piece("query", "SELECT {} AS a, {} AS s FROM {}{}", (*columns, source, self._where(inner, 1)))
        names = Names().with_columns("q1", {"a": "number", "s": "text"}, None)
        body = Piece("query", "SELECT {} FROM q AS q1{}", (self._items(names, depth), self._where(names, depth)))
        return Piece("query", "WITH q AS ({}) {}", (bound, body))

    # -----------------------------------------------------------------------------------------------------------------
    # Subqueries, correlated as it comes

    def subquery(self, names: Names, sort: str, depth: int) -> Piece:
        """A query in parentheses: one number, a collection, or rows to be tested for."""
        outer = Names(names.known)
        source, inner = self.source(outer, depth - 1)
        where = self._where(inner, depth - 1)
        match sort:
            case "number" if self.rng.random() < 0.7:
                call = self.rng.choice(["COUNT({})", "SUM({})", "MAX({})", "MIN({})"])
                return expr(f"(SELECT {call} FROM {{}}{{}})", self.of("number", inner, 0), source, where)
            case "number":
                picked = clause(f" WHERE {inner.identity[0]} = 1") if inner.identity else where
                return expr("(SELECT {} AS x FROM {}{})", self.of("number", inner, 0), source, picked)
            case "structs":
                return expr(
                    "(SELECT {} AS k, {} AS q FROM {}{})",
                    self.of("number", inner, 0),
                    self.any(inner, 0),
                    source,
                    where,
                )
            case "rows":
                return expr("(SELECT {} AS x FROM {}{})", self.any(inner, 0), source, where)
        return expr("(SELECT VALUE {} FROM {}{})", self.of("number", inner, 0), source, where)


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def statement(seed: int) -> Piece:
    """The statement of a seed."""
    return Queries(random.Random(seed)).statement()
