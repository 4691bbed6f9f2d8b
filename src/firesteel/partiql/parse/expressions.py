"""Expressions: operators by precedence, paths, constructors.

An expression is read by the power of its operators (Pratt): `expression(floor)` reads an operand and then every
operator that binds more closely than `floor`. From loose to close:

    OR < AND < NOT < = <> < > <= >= IS IN LIKE BETWEEN OVERLAPS < || & < + - < * / % < unary + - < path

Operators of one power are read from left to right, in a loop: so are chains of NOT and of signs. Only brackets, CASE
and the like lead into a deeper call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel.partiql.ast import (
    Bag,
    Between,
    EachAttribute,
    EachElement,
    Expr,
    Field,
    In,
    Index,
    Is,
    IsType,
    Like,
    List,
    Name,
    Operator,
    Pair,
    Path,
    Quantified,
    Query,
    Row,
    Select,
    SetOp,
    Step,
    Struct,
    Subquery,
    Table,
    Var,
)
from firesteel.partiql.parse.cursor import unquote
from firesteel.partiql.parse.forms import Forms
from firesteel.partiql.parse.keywords import NAMES, WORDS

OR, AND, NOT, COMPARISON, CONCAT, SUM, PRODUCT = range(1, 8)

#: What starts a query that is no expression, what may follow a query's first term, and what those are as nodes.
QUERY_STARTS = frozenset({"SELECT", "PIVOT", "WITH"})
QUERY_TAILS = frozenset({"UNION", "INTERSECT", "EXCEPT", "OUTER", "ORDER", "LIMIT", "OFFSET"})
QUERIES = frozenset({Select, SetOp, Table, Query})

_SIGNS = {"+": "pos", "-": "neg"}
_IS_WORDS = frozenset({"NULL", "MISSING", "TRUE", "FALSE", "UNKNOWN"})


class Expressions(Forms):
    """The layer of expressions."""

    group = (-1, -1)  # where the last parenthesis that was closed began, and where the cursor was then

    def element(self) -> Expr:
        """A value in brackets or among arguments: there a query needs no parentheses of its own, and a row may be
        empty."""
        first = self.at
        kind = self.kinds[first]
        if kind in QUERY_STARTS:
            return self.query()
        if kind == "(" and self.kinds[first + 1] == ")":
            self.at += 2
            return Row((), where=self.span(first))
        value = self.expression()
        return self.query_after(first, value) if self.kinds[self.at] in QUERY_TAILS else value

    def expression(self, floor: int = 0) -> Expr:
        kinds = self.kinds
        first = self.at
        left = self._negation() if kinds[first] == "NOT" and floor <= NOT else self.operand()
        while True:
            infix = _INFIX.get(kinds[self.at])
            if infix is None or infix[0] <= floor:
                return left
            power, name, handler = infix
            if handler is not None:
                left = handler(self, first, left, name)
                continue
            self.at += 1
            right = self.expression(power)
            left = Operator(name, (left, right), where=self.span(first))

    def _negation(self) -> Expr:
        first = self.at
        while self.kinds[self.at] == "NOT":
            self.at += 1
        inner = self.at
        node = self.expression(NOT)
        for place in range(inner - 1, first - 1, -1):
            node = Operator("not", (node,), where=self.span(place))
        return node

    # -----------------------------------------------------------------------------------------------------------------
    # Infix: each reads from an operator on, whose left operand began at `first`

    def _chain(self, first: int, left: Expr, name: str) -> Expr:
        """`a AND b AND c` as one."""
        word = self.kinds[self.at]
        power = _INFIX[word][0]
        args = [left]
        while self.kinds[self.at] == word:
            self.at += 1
            args.append(self.expression(power))
        return Operator(name, tuple(args), where=self.span(first))

    def _comparison(self, first: int, left: Expr, name: str) -> Expr:
        self.at += 1
        kind = self.kinds[self.at]
        if kind in ("ANY", "SOME", "ALL") and self.kinds[self.at + 1] == "(":
            self.at += 1
            collection = self.operand()
            quantifier: Any = "all" if kind == "ALL" else "any"
            return Quantified(name, quantifier, left, collection, where=self.span(first))
        right = self.expression(COMPARISON)
        return Operator(name, (left, right), where=self.span(first))

    def _is(self, first: int, left: Expr, name: str) -> Expr:
        self.at += 1
        negated = self.accept("NOT")
        kind = self.kinds[self.at]
        if kind in _IS_WORDS:
            self.at += 1
            return Is(left, kind.lower(), negated=negated, where=self.span(first))
        return IsType(left, self.type(), negated=negated, where=self.span(first))

    def _not(self, first: int, left: Expr, name: str) -> Expr:
        self.at += 1
        handler = _NEGATABLE.get(self.kinds[self.at])
        if handler is None:
            self.expected("'IN', 'LIKE' or 'BETWEEN' after NOT", tuple(_NEGATABLE))
        return handler(self, first, left, "not")

    def _in(self, first: int, left: Expr, name: str) -> Expr:
        self.at += 1
        begin = self.at
        right = self.expression(COMPARISON)
        # `IN (x)` asks for equality with x, `IN x` for membership: the parentheses have to be kept.
        if self.group == (begin, self.at) and not isinstance(right, (Row, Subquery)):
            right = Row((right,), where=self.span(begin))
        return In(left, right, negated=name == "not", where=self.span(first))

    def _like(self, first: int, left: Expr, name: str) -> Expr:
        ignores_case = self.kinds[self.at] == "ILIKE"
        self.at += 1
        pattern = self.expression(COMPARISON)
        escape = self.expression(COMPARISON) if self.accept("ESCAPE") else None
        negated = name == "not"
        return Like(left, pattern, escape=escape, negated=negated, ignores_case=ignores_case, where=self.span(first))

    def _between(self, first: int, left: Expr, name: str) -> Expr:
        self.at += 1
        low = self.expression(COMPARISON)
        self.expect("AND")
        high = self.expression(COMPARISON)
        return Between(left, low, high, negated=name == "not", where=self.span(first))

    # -----------------------------------------------------------------------------------------------------------------
    # Operands

    def operand(self) -> Expr:
        """What operators stand between: a value with its path."""
        kinds = self.kinds
        first = self.at
        kind = kinds[first]
        if kind == "name" and kinds[first + 1] != "(":
            self.at = first + 1
            node: Expr = Var(self.texts[first], where=self.span(first))
        else:
            form = _CALLS.get(kind) if kinds[first + 1] == "(" else None
            if form is None:
                form = _FORMS.get(kind)
                if form is None:
                    self.expected("an expression", help=_HELP.get(kind))
            self.deeper()
            node = form(self, first)
            self.depth -= 1
        if kinds[self.at] == "." or kinds[self.at] == "[":
            return self.path(first, node)
        return node

    def variable(self, first: int) -> Var:
        """A name, after an `@` that began at `first` or alone."""
        local = self.accept("@")
        kind, text = self.kinds[self.at], self.texts[self.at]
        if kind not in NAMES:
            self.expected("a name after '@'")
        self.at += 1
        quoted = kind == "quoted"
        return Var(unquote(text) if quoted else text, quoted=quoted, local=local, where=self.span(first))

    def signs(self, first: int) -> Expr:
        while self.kinds[self.at] in _SIGNS:
            self.at += 1
        inner = self.at
        node = self.operand()
        for place in range(inner - 1, first - 1, -1):
            node = Operator(_SIGNS[self.kinds[place]], (node,), where=self.span(place))
        return node

    def path(self, first: int, root: Expr) -> Expr:
        """The steps after a value that began at `first`; `a.b(c)` is a call of a qualified name."""
        steps: list[Step] = []
        while True:
            begin = self.at
            kind = self.kinds[begin]
            if kind == ".":
                self.at += 1
                steps.append(self._dot_step(begin))
                if self.kinds[self.at] == "(" and isinstance(root, Var) and not root.local:
                    qualifier = self._qualifier(root, steps)
                    self.at -= 1
                    self.deeper()
                    root, steps = self.call(first, qualifier), []
                    self.depth -= 1
            elif kind == "[":
                self.at += 1
                if self.kinds[self.at] == "*" and self.kinds[self.at + 1] == "]":
                    self.at += 2
                    steps.append(EachElement(where=self.span(begin)))
                else:
                    self.deeper()
                    key = self.element()
                    self.depth -= 1
                    self.expect("]")
                    steps.append(Index(key, where=self.span(begin)))
            else:
                return Path(root, tuple(steps), where=self.span(first)) if steps else root

    def _dot_step(self, begin: int) -> Step:
        kind, text = self.kinds[self.at], self.texts[self.at]
        self.at += 1
        if kind in WORDS:
            return Field(text, where=self.span(begin))
        if kind == "quoted" or kind == "string":
            return Field(unquote(text), quoted=True, where=self.span(begin))
        if kind == "*":
            return EachAttribute(where=self.span(begin))
        self.at -= 1
        self.expected("a name, a string or '*' after '.'")

    def _qualifier(self, root: Var, steps: list[Step]) -> tuple[Name, ...]:
        parts = [Name(root.name, quoted=root.quoted, where=root.where)]
        for step in steps:
            if not isinstance(step, Field) or self.kinds[self.at - 1] == "string":
                self.expected("an operator", help="only a name can be called")
            parts.append(Name(step.name, quoted=step.quoted, where=step.where))
        return tuple(parts[:-1])

    # -----------------------------------------------------------------------------------------------------------------
    # Brackets

    def paren(self, first: int) -> Expr:
        """An expression or a query in parentheses, or a row."""
        self.at += 1
        if self.kinds[self.at] in QUERY_STARTS or self.table_ahead():
            node = self.query()
        else:
            node = self.expression()
            kind = self.kinds[self.at]
            if kind in QUERY_TAILS:
                node = self.query_after(first + 1, node)
            elif kind == "MATCH":
                node = self.match(first + 1, node, many=True)
        if self.kinds[self.at] == ",":
            items = [node]
            while self.accept(","):
                items.append(self.element())
            self.expect(")")
            node = Row(tuple(items), where=self.span(first))
        else:
            self.expect(")")
            if type(node) in QUERIES:
                node = Subquery(node, where=self.span(first))
        self.group = (first, self.at)
        return node

    def table_ahead(self) -> bool:
        """Does `TABLE name` come next?"""
        return self.kinds[self.at] == "TABLE" and self.kinds[self.at + 1] in NAMES

    def list(self, first: int) -> Expr:
        self.at += 1
        return List(self.items("]"), where=self.span(first))

    def bag(self, first: int) -> Expr:
        self.at += 1
        return Bag(self.items(">>"), where=self.span(first))

    def struct(self, first: int) -> Expr:
        self.at += 1
        pairs: list[Pair] = []
        if not self.accept("}"):
            pairs.append(self._pair())
            while self.accept(","):
                pairs.append(self._pair())
            self.expect("}")
        return Struct(tuple(pairs), where=self.span(first))

    def _pair(self) -> Pair:
        first = self.at
        name = self.expression()
        self.expect(":")
        return Pair(name, self.element(), where=self.span(first))


_Infix = Callable[[Expressions, int, Expr, str], Expr]
_Form = Callable[[Expressions, int], Expr]

_INFIX: dict[str, tuple[int, str, _Infix | None]] = {
    "OR": (OR, "or", Expressions._chain),
    "AND": (AND, "and", Expressions._chain),
    "=": (COMPARISON, "eq", Expressions._comparison),
    "<>": (COMPARISON, "ne", Expressions._comparison),
    "!=": (COMPARISON, "ne", Expressions._comparison),
    "<": (COMPARISON, "lt", Expressions._comparison),
    "<=": (COMPARISON, "lte", Expressions._comparison),
    ">": (COMPARISON, "gt", Expressions._comparison),
    ">=": (COMPARISON, "gte", Expressions._comparison),
    "OVERLAPS": (COMPARISON, "overlaps", None),
    "IS": (COMPARISON, "is", Expressions._is),
    "IN": (COMPARISON, "in", Expressions._in),
    "LIKE": (COMPARISON, "like", Expressions._like),
    "ILIKE": (COMPARISON, "like", Expressions._like),
    "BETWEEN": (COMPARISON, "between", Expressions._between),
    "NOT": (COMPARISON, "not", Expressions._not),
    "||": (CONCAT, "concat", None),
    "&": (CONCAT, "bitwise_and", None),
    "+": (SUM, "plus", None),
    "-": (SUM, "minus", None),
    "*": (PRODUCT, "times", None),
    "/": (PRODUCT, "divide", None),
    "%": (PRODUCT, "modulo", None),
}

_NEGATABLE: dict[str, _Infix] = {
    "IN": Expressions._in,
    "LIKE": Expressions._like,
    "ILIKE": Expressions._like,
    "BETWEEN": Expressions._between,
}

#: What starts an operand.
_FORMS: dict[str, _Form] = {
    **dict.fromkeys(NAMES, Expressions.variable),
    "int": Expressions.number,
    "decimal": Expressions.number,
    "float": Expressions.number,
    "string": Expressions.string,
    "ion": Expressions.ion,
    "?": Expressions.parameter,
    "@": Expressions.variable,
    "+": Expressions.signs,
    "-": Expressions.signs,
    "(": Expressions.paren,
    "[": Expressions.list,
    "<<": Expressions.bag,
    "{": Expressions.struct,
    **dict.fromkeys(("NULL", "MISSING", "TRUE", "FALSE"), Expressions.constant),
    "DATE": Expressions.date,
    "TIME": Expressions.time,
    "TIMESTAMP": Expressions.timestamp,
    "INTERVAL": Expressions.interval,
    "CASE": Expressions.case,
    "CAST": Expressions.cast,
    "VALUES": Expressions.values,
    **dict.fromkeys(("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER"), Expressions.current),
}

#: What starts an operand before a parenthesis.
_CALLS: dict[str, _Form] = {
    **dict.fromkeys(NAMES, Expressions.call),
    "LEFT": Expressions.call,
    "RIGHT": Expressions.call,
    "CAN_CAST": Expressions.cast,
    "CAN_LOSSLESS_CAST": Expressions.cast,
    "TRIM": Expressions.trim,
    "SUBSTRING": Expressions.substring,
    "OVERLAY": Expressions.overlay,
    "POSITION": Expressions.position,
    "EXTRACT": Expressions.extract,
    "DATE_ADD": Expressions.date_call,
    "DATE_DIFF": Expressions.date_call,
    "LIST": Expressions.constructor,
    "SEXP": Expressions.constructor,
    "ROW": Expressions.constructor,
}

_HELP = {
    "SELECT": "a query inside of an expression is put in parentheses",
    "PIVOT": "a query inside of an expression is put in parentheses",
    "NOT": "NOT binds less closely than the operator before it: use parentheses",
}
