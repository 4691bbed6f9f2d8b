"""Expressions as SQL text, with the interface of PySpark's `Column`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firesteel.spark.sql_text.literals import NoTextError, identifier, literal, literal_of_type, type_name

if TYPE_CHECKING:
    from collections.abc import Callable

#: How strongly operators bind: what binds less than its place asks for stands in brackets.
OR, AND, NOT, COMPARED, BIT_OR, BIT_XOR, BIT_AND, SUM, PRODUCT, SIGN, ATOM = range(11)

#: The value of what is no literal.
NO_LITERAL = object()


class TextColumn:
    """An expression: its text, how strongly its outermost operator binds, and its aliases. No class derives from this
    one: Python would ask the derived class first, and turn comparisons round."""

    __slots__ = ("binds", "branches", "names", "sql", "value")

    def __init__(
        self,
        sql: str,
        binds: int = ATOM,
        names: tuple[str, ...] = (),
        *,
        value: Any = NO_LITERAL,
        branches: str | None = None,
    ) -> None:
        self.sql = sql
        self.binds = binds
        self.names = names
        #: The value of a literal.
        self.value = value
        #: The branches of a CASE that has no ELSE.
        self.branches = branches

    def at(self, binds: int) -> str:
        """The text where an operand has to bind at least so strongly."""
        return self.sql if self.binds >= binds else f"({self.sql})"

    @property
    def selected(self) -> str:
        """The text in a list of SELECT."""
        if not self.names:
            return self.sql
        names = ", ".join(map(identifier, self.names))
        return f"{self.sql} AS {names if len(self.names) == 1 else f'({names})'}"

    def alias(self, *names: str) -> TextColumn:
        return TextColumn(self.sql, self.binds, names)

    # Tests ------------------------------------------------------------------------------------------------------------

    def isNull(self) -> TextColumn:
        return TextColumn(f"{self.at(BIT_OR)} IS NULL", COMPARED)

    def isNotNull(self) -> TextColumn:
        return TextColumn(f"{self.at(BIT_OR)} IS NOT NULL", COMPARED)

    def isin(self, *values: Any) -> TextColumn:
        if len(values) == 1 and hasattr(values[0], "as_subquery"):
            return TextColumn(f"{self.at(BIT_OR)} IN {values[0].as_subquery()}", COMPARED)
        if len(values) == 1 and isinstance(values[0], list | set | tuple):
            values = tuple(values[0])
        if not values:
            raise NoTextError("IN an empty list")
        return TextColumn(f"{self.at(BIT_OR)} IN ({', '.join(column(value).sql for value in values)})", COMPARED)

    def between(self, low: Any, high: Any) -> TextColumn:
        return _infix(_infix(self, ">=", low, COMPARED), "AND", _infix(self, "<=", high, COMPARED), AND)

    def eqNullSafe(self, other: Any) -> TextColumn:
        return _infix(self, "<=>", other, COMPARED)

    def startswith(self, other: Any) -> TextColumn:
        return call("startswith", self, other)

    def endswith(self, other: Any) -> TextColumn:
        return call("endswith", self, other)

    def contains(self, other: Any) -> TextColumn:
        return call("contains", self, other)

    def rlike(self, other: Any) -> TextColumn:
        return call("rlike", self, other)

    # Conversions ------------------------------------------------------------------------------------------------------

    def cast(self, type_: Any) -> TextColumn:
        """A cast; of a literal, a literal of another type, where SQL has such."""
        sql = literal_of_type(self.value, type_name(type_))
        if sql is not None:
            return _literal(self.value, sql)
        return TextColumn(f"CAST({self.sql} AS {type_name(type_)})")

    def try_cast(self, type_: Any) -> TextColumn:
        return TextColumn(f"TRY_CAST({self.sql} AS {type_name(type_)})")

    def __getitem__(self, key: Any) -> TextColumn:
        return TextColumn(f"{self.at(ATOM)}[{column(key).sql}]")

    # CASE -------------------------------------------------------------------------------------------------------------

    def when(self, condition: TextColumn, value: Any) -> TextColumn:
        return case(f"{self._open_branches} WHEN {condition.sql} THEN {column(value).sql}")

    def otherwise(self, value: Any) -> TextColumn:
        return TextColumn(f"CASE {self._open_branches} ELSE {column(value).sql} END")

    @property
    def _open_branches(self) -> str:
        if self.branches is None:
            raise TypeError("this is no CASE without ELSE")
        return self.branches

    # Orders and windows -----------------------------------------------------------------------------------------------

    def asc_nulls_first(self) -> TextColumn:
        return TextColumn(f"{self.sql} ASC NULLS FIRST", OR)

    def asc_nulls_last(self) -> TextColumn:
        return TextColumn(f"{self.sql} ASC NULLS LAST", OR)

    def desc_nulls_first(self) -> TextColumn:
        return TextColumn(f"{self.sql} DESC NULLS FIRST", OR)

    def desc_nulls_last(self) -> TextColumn:
        return TextColumn(f"{self.sql} DESC NULLS LAST", OR)

    def over(self, window: Any) -> TextColumn:
        return TextColumn(f"{self.sql} OVER ({window.sql})")

    # Operators --------------------------------------------------------------------------------------------------------

    def __invert__(self) -> TextColumn:
        return TextColumn(f"NOT {self.at(COMPARED)}", NOT)

    def __neg__(self) -> TextColumn:
        return call("negative", self)

    def __bool__(self) -> bool:
        raise TypeError("a column has no truth")

    def bitwiseAND(self, other: Any) -> TextColumn:
        return _infix(self, "&", other, BIT_AND)

    def bitwiseOR(self, other: Any) -> TextColumn:
        return _infix(self, "|", other, BIT_OR)

    def bitwiseXOR(self, other: Any) -> TextColumn:
        return _infix(self, "^", other, BIT_XOR)

    def __getattr__(self, name: str) -> Any:
        raise NoTextError(f"'{name}' of a column has no form as text")


def case(branches: str) -> TextColumn:
    """A CASE without ELSE."""
    return TextColumn(f"CASE {branches} END", branches=branches)


def column(value: Any) -> TextColumn:
    """The column, or a literal."""
    return value if isinstance(value, TextColumn) else _literal(value, literal(value))


def _literal(value: Any, sql: str) -> TextColumn:
    return TextColumn(sql, SIGN if sql[0] == "-" else ATOM, value=value)


def call(name: str, *args: Any) -> TextColumn:
    """A call of one of Spark's functions."""
    return TextColumn(f"{name}({', '.join(column(arg).selected for arg in args)})")


def _infix(left: Any, operator: str, right: Any, binds: int) -> TextColumn:
    """An operator. AND and OR need no brackets around more of their own; other operators bind to the left, and those
    that compare do not chain."""
    own = binds in (OR, AND)
    a = column(left).at(binds + (binds == COMPARED))
    b = column(right).at(binds + (not own))
    return TextColumn(f"{a} {operator} {b}", binds)


def _operators(symbol: str, binds: int) -> tuple[Callable[[Any, Any], TextColumn], Callable[[Any, Any], TextColumn]]:
    """The operator, and the same with its operands the other way round (`1 - x`)."""
    return (lambda self, other: _infix(self, symbol, other, binds)), (
        lambda self, other: _infix(other, symbol, self, binds)
    )


for _name, _symbol, _binds in (
    ("add", "+", SUM),
    ("sub", "-", SUM),
    ("mul", "*", PRODUCT),
    ("truediv", "/", PRODUCT),
    ("mod", "%", PRODUCT),
    ("and", "AND", AND),
    ("or", "OR", OR),
):
    _forward, _backward = _operators(_symbol, _binds)
    setattr(TextColumn, f"__{_name}__", _forward)
    setattr(TextColumn, f"__r{_name}__", _backward)
for _name, _symbol in (("eq", "="), ("ne", "<>"), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
    setattr(TextColumn, f"__{_name}__", _operators(_symbol, COMPARED)[0])
