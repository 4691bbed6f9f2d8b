"""Literals."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from firesteel.errors import FiresteelError, ParseError
from firesteel.ion import loads
from firesteel.partiql.ast import DateLit, Expr, IntervalLit, Lit, Parameter, TimeLit, TimestampLit
from firesteel.partiql.parse.cursor import unquote
from firesteel.partiql.parse.typenames import Types
from firesteel.source import Span
from firesteel.values import MISSING

#: Python refuses to read more digits than this, as it takes a quadratic time.
MAX_DIGITS = 4_300

_CONSTANTS: dict[str, Any] = {"NULL": None, "MISSING": MISSING, "TRUE": True, "FALSE": False}


class Literals(Types):
    """The layer of literals. Each method reads the token at `first` and what belongs to it."""

    def constant(self, first: int) -> Expr:
        self.at += 1
        return Lit(_CONSTANTS[self.kinds[first]], where=self.span(first))

    def string(self, first: int) -> Expr:
        self.at += 1
        return Lit(unquote(self.texts[first]), where=self.span(first))

    def number(self, first: int) -> Expr:
        kind, text = self.kinds[first], self.texts[first]
        if len(text) > MAX_DIGITS:
            self.fail(f"a number of more than {MAX_DIGITS:,} digits")
        self.at += 1
        value: Any
        if kind == "int":
            value = int(text)
        elif kind == "decimal":
            value = Decimal(text)
        else:
            value = float(text)
            if value == float("inf"):
                self.fail("a number too large for a float", first)
        return Lit(value, where=self.span(first))

    def parameter(self, first: int) -> Expr:
        self.at += 1
        self.parameters += 1
        return Parameter(self.parameters - 1, where=self.span(first))

    def ion(self, first: int) -> Expr:
        """What stands between backticks; an error in it is placed in our own text."""
        self.at += 1
        begin = self.starts[first] + 1
        try:
            value = loads(self.texts[first][1:-1], self.source.name)
        except FiresteelError as error:
            inner = error.span
            start, end = (inner.start, inner.end) if inner else (0, len(self.texts[first]) - 2)
            where = Span(self.source, begin + start, begin + end)
            raise ParseError(f"in an Ion literal: {error.message}", where=where, help=error.help) from None
        return Lit(value, where=self.span(first))

    # -----------------------------------------------------------------------------------------------------------------
    # Time

    def date(self, first: int) -> Expr:
        self.at += 1
        return DateLit(self._text("DATE '2001-12-31'"), where=self.span(first))

    def time(self, first: int) -> Expr:
        precision, zone = self._time_head()
        text = self._text("TIME '23:59:59'")
        return TimeLit(text, precision=precision, zone=zone, where=self.span(first))

    def timestamp(self, first: int) -> Expr:
        precision, zone = self._time_head()
        text = self._text("TIMESTAMP '2001-12-31 23:59:59'")
        return TimestampLit(text, precision=precision, zone=zone, where=self.span(first))

    def interval(self, first: int) -> Expr:
        self.at += 1
        sign = self.accept_any("-", "+")
        text = self._text("INTERVAL '5' DAY")
        qualifier = self.interval_qualifier()
        return IntervalLit(text, qualifier, negative=sign == "-", where=self.span(first))

    def _time_head(self) -> tuple[int | None, bool | None]:
        self.at += 1
        precision = None
        if self.accept("("):
            precision = self.integer()
            self.expect(")")
        return precision, self.time_zone()

    def _text(self, example: str) -> str:
        if self.kinds[self.at] != "string":
            self.expected("a string", help=f"as in {example}")
        self.at += 1
        return unquote(self.texts[self.at - 1])
