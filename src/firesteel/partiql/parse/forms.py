"""Calls, and the forms that have words between their arguments: CAST, CASE, TRIM, SUBSTRING, OVER."""

from __future__ import annotations

from typing import Any

from firesteel.partiql.ast import (
    Bound,
    Call,
    CanCast,
    Case,
    Cast,
    DateCall,
    Expr,
    Extract,
    Frame,
    List,
    Name,
    Row,
    Sexp,
    SortKey,
    Trim,
    Values,
    When,
    Window,
)
from firesteel.partiql.parse.cursor import unquote
from firesteel.partiql.parse.keywords import EXTRACT_FIELDS, NAMES
from firesteel.partiql.parse.literals import Literals

_TAILS = frozenset({"OVER", "FILTER", "IGNORE", "RESPECT", "WITHIN"})
_SIDES = ("LEADING", "TRAILING", "BOTH")
#: A word that is followed by one of these is an expression of its own.
_GOES_ON = frozenset({")", ".", "[", "(", ",", "||", "+", "-", "*", "/", "%"})
_ITEMS: dict[str, Any] = {"LIST": List, "SEXP": Sexp, "ROW": Row}


class Forms(Literals):
    """The layer of calls. Each method reads from the token at `first`, which is its name."""

    def items(self, close: str) -> tuple[Expr, ...]:
        """Values between commas, up to a bracket, which is read too."""
        if self.accept(close):
            return ()
        found = [self.element()]
        while self.accept(","):
            found.append(self.element())
        self.expect(close)
        return tuple(found)

    def call(self, first: int, qualifier: tuple[Name, ...] = ()) -> Expr:
        """`name(...)`; the cursor is at the name, which may come after a qualifier that starts at `first`."""
        kind, text = self.kinds[self.at], self.texts[self.at]
        name = unquote(text) if kind == "quoted" else text.lower()
        self.at += 2
        kind = self.kinds[self.at]
        more: dict[str, Any] = {"qualifier": qualifier} if qualifier else {}
        args: tuple[Expr, ...] = ()
        if kind == "*" and self.kinds[self.at + 1] == ")":
            self.at += 2
            more["star"] = True
        else:
            if kind in ("DISTINCT", "ALL"):
                self.at += 1
                more["quantifier"] = kind.lower()
                if self.kinds[self.at] == ")":
                    self.expected("an expression")
            args = self.items(")")
        if self.kinds[self.at] in _TAILS:
            self._call_tail(more)
        return Call(name, args, where=self.span(first), **more)

    def _call_tail(self, more: dict[str, Any]) -> None:
        kinds = self.kinds
        if kinds[self.at] == "WITHIN" and kinds[self.at + 1] == "GROUP":
            self.at += 2
            self.expect("(")
            more["order"] = self.order_by()
            self.expect(")")
        if kinds[self.at] == "FILTER" and kinds[self.at + 1] == "(" and kinds[self.at + 2] == "WHERE":
            self.at += 3
            more["filter"] = self.expression()
            self.expect(")")
        if kinds[self.at] in ("IGNORE", "RESPECT") and kinds[self.at + 1] == "NULLS":
            more["nulls"] = kinds[self.at].lower()
            self.at += 2
        if self.accept("OVER"):
            if kinds[self.at] == "(":
                more["over"] = self.window()
            else:
                name = self.name("a window after OVER")
                more["over"] = Window(name, where=name.where)

    # -----------------------------------------------------------------------------------------------------------------
    # Windows

    def window(self) -> Window:
        """`(name PARTITION BY ... ORDER BY ... ROWS ...)`."""
        first = self.at
        self.expect("(")
        kind = self.kinds[self.at]
        starts_clause = kind in ("PARTITION", "ROWS", "RANGE", "GROUPS") and self.kinds[self.at + 1] != ")"
        name = self.name() if kind in NAMES and not starts_clause else None
        partition: list[Expr] = []
        if self.accept("PARTITION"):
            self.expect("BY")
            partition.append(self.expression())
            while self.accept(","):
                partition.append(self.expression())
        order: tuple[SortKey, ...] = self.order_by() if self.kinds[self.at] == "ORDER" else ()
        frame = self._frame() if self.kinds[self.at] in ("ROWS", "RANGE", "GROUPS") else None
        self.expect(")")
        return Window(name, partition=tuple(partition), order=order, frame=frame, where=self.span(first))

    def _frame(self) -> Frame:
        first = self.at
        unit: Any = self.kinds[first].lower()
        self.at += 1
        if self.accept("BETWEEN"):
            start = self._bound()
            self.expect("AND")
            end: Bound | None = self._bound()
        else:
            start, end = self._bound(), None
        exclude: Any = None
        if self.accept("EXCLUDE"):
            word = self.expect_any("CURRENT", "GROUP", "TIES", "NO")
            if word in _AFTER_EXCLUDE:
                self.expect(_AFTER_EXCLUDE[word])
                word = f"{word} {_AFTER_EXCLUDE[word]}"
            exclude = word.lower()
        return Frame(unit, start, end, exclude=exclude, where=self.span(first))

    def _bound(self) -> Bound:
        first = self.at
        if self.accept("CURRENT"):
            self.expect("ROW")
            return Bound("current", where=self.span(first))
        offset = None if self.accept("UNBOUNDED") else self.expression()
        side: Any = self.expect_any("PRECEDING", "FOLLOWING").lower()
        return Bound(side, offset, where=self.span(first))

    # -----------------------------------------------------------------------------------------------------------------
    # Conversions, choices, constructors by name

    def cast(self, first: int) -> Expr:
        self.at += 1
        self.expect("(")
        value = self.element()
        self.expect("AS")
        type = self.type()
        self.expect(")")
        kind = self.kinds[first]
        if kind == "CAST":
            return Cast(value, type, where=self.span(first))
        return CanCast(value, type, lossless=kind == "CAN_LOSSLESS_CAST", where=self.span(first))

    def case(self, first: int) -> Expr:
        self.at += 1
        operand = None if self.kinds[self.at] == "WHEN" else self.expression()
        branches: list[When] = []
        while not branches or self.kinds[self.at] == "WHEN":
            begin = self.at
            self.expect("WHEN")
            condition = self.expression()
            self.expect("THEN")
            branches.append(When(condition, self.expression(), where=self.span(begin)))
        default = self.expression() if self.accept("ELSE") else None
        self.expect("END")
        return Case(tuple(branches), operand=operand, default=default, where=self.span(first))

    def constructor(self, first: int) -> Expr:
        """`LIST(...)`, `SEXP(...)`, `ROW(...)`."""
        self.at += 2
        items = self.items(")")
        made: Expr = _ITEMS[self.kinds[first]](items, where=self.span(first))
        return made

    def values(self, first: int) -> Expr:
        self.at += 1
        rows = [self._row()]
        while self.kinds[self.at] == "," and self.kinds[self.at + 1] in ("(", "ROW"):
            self.at += 1
            rows.append(self._row())
        return Values(tuple(rows), where=self.span(first))

    def _row(self) -> Row:
        first = self.at
        self.accept("ROW")
        self.expect("(")
        if self.kinds[self.at] == ")":
            self.expected("an expression")
        return Row(self.items(")"), where=self.span(first))

    def current(self, first: int) -> Expr:
        """CURRENT_DATE and its like, which are calls without parentheses."""
        self.at += 1
        if self.kinds[self.at] == "(" and self.kinds[self.at + 1] == ")":
            self.at += 2
        return Call(self.kinds[first].lower(), (), where=self.span(first))

    # -----------------------------------------------------------------------------------------------------------------
    # Words between the arguments

    def trim(self, first: int) -> Expr:
        self.at += 2
        side: Any = None
        if self.kinds[self.at] in _SIDES and self.kinds[self.at + 1] not in _GOES_ON:
            side = self.kinds[self.at].lower()
            self.at += 1
        characters = None if self.kinds[self.at] == "FROM" else self.expression()
        if self.accept("FROM"):
            value = self.expression()
        elif characters is None or side:
            self.expected("'FROM'", ("FROM",))
        else:
            value, characters = characters, None
        self.expect(")")
        return Trim(value, side=side, characters=characters, where=self.span(first))

    def substring(self, first: int) -> Expr:
        return self._worded(first, "FROM", "FOR")

    def overlay(self, first: int) -> Expr:
        return self._worded(first, "PLACING", "FROM", "FOR")

    def _worded(self, first: int, *words: str) -> Expr:
        """Arguments between words, of which the last may be absent, or between commas."""
        self.at += 2
        args = [self.element()]
        if self.kinds[self.at] in (",", ")"):
            while self.accept(","):
                args.append(self.element())
        else:
            for word in words:
                if word == words[-1] and self.kinds[self.at] != word:
                    break
                self.expect(word)
                args.append(self.expression())
        self.expect(")")
        return Call(self.kinds[first].lower(), tuple(args), where=self.span(first))

    def position(self, first: int) -> Expr:
        self.at += 2
        needle = self.expression(_ABOVE_IN)
        self.expect_any("IN", ",")
        text = self.expression()
        self.expect(")")
        return Call("position", (needle, text), where=self.span(first))

    def extract(self, first: int) -> Expr:
        self.at += 2
        field = self._date_field()
        self.expect("FROM")
        value = self.expression()
        self.expect(")")
        return Extract(field, value, where=self.span(first))

    def date_call(self, first: int) -> Expr:
        self.at += 2
        field = self._date_field()
        self.expect(",")
        left = self.element()
        self.expect(",")
        right = self.element()
        self.expect(")")
        return DateCall(self.kinds[first].lower(), field, left, right, where=self.span(first))

    def _date_field(self) -> str:
        kind = self.kinds[self.at]
        if kind == "string":  # as in other databases: DATE_ADD('day', 1, d)
            kind = unquote(self.texts[self.at]).upper()
        if kind not in EXTRACT_FIELDS:
            self.expected("a field", EXTRACT_FIELDS, help=f"the fields: {', '.join(EXTRACT_FIELDS)}")
        self.at += 1
        return kind.lower()


_AFTER_EXCLUDE = {"CURRENT": "ROW", "NO": "OTHERS"}
#: What binds closer than IN: the power of comparisons in `expressions.py`.
_ABOVE_IN = 4
