"""Spark's functions as SQL text: what `pyspark.sql.functions` has, for `TextColumn`s."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from pyspark.sql import functions as _spark

from firesteel.spark.sql_text.columns import BIT_OR, COMPARED, NOT, SIGN, TextColumn, call, case, column
from firesteel.spark.sql_text.literals import NoTextError, identifier

#: Functions that have another name in SQL.
_NAMES = {
    "create_map": "map",
    "pow": "power",
    "timestamp_add": "timestampadd",
}
#: What SQL text has no form for, or one that means something else.
_NOT_SAID = frozenset({"product", "from_json", "udf", "arrow_udf", "broadcast", "window", "expr", "extract"})


def text_of(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> TextColumn:
    """A call of PySpark's function of that name."""
    special = _SPECIAL.get(name)
    if special is not None:
        return special(*args, **named)
    if name in _NOT_SAID:
        raise NoTextError(f"the function {name} has no form in Spark's SQL")
    parts = [_argument(value, is_name) for value, is_name in _bound(name, args, named)]
    return call(_NAMES.get(name, name), *parts)


def _bound(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> Iterator[tuple[Any, bool]]:
    """The arguments, and whether a string is the name of a column."""
    params = _parameters(name)
    for i, value in enumerate(args):
        yield value, params[min(i, len(params) - 1)][1]
    for key, value in named.items():
        if [param for param, _ in params].index(key) != len(args):
            raise NoTextError(f"the argument {key} of {name}")
        yield value, dict(params)[key]


@cache
def _parameters(name: str) -> list[tuple[str, bool]]:
    signature = inspect.signature(getattr(_spark, name))
    return [(param.name, "ColumnOrName" in str(param.annotation)) for param in signature.parameters.values()]


def _argument(value: Any, is_name: bool) -> TextColumn:
    if callable(value):
        return _lambda(value)
    if isinstance(value, str) and is_name:
        return col(value)
    return column(value)


_numbers = itertools.count(1)


def _lambda(body: Callable[..., TextColumn]) -> TextColumn:
    """A function as an argument of a function. Its variables have names that nothing else has."""
    variables = [TextColumn(f"x{next(_numbers)}") for _ in inspect.signature(body).parameters]
    names = ", ".join(variable.sql for variable in variables)
    return TextColumn(f"{names if len(variables) == 1 else f'({names})'} -> {column(body(*variables)).sql}")


def col(name: str) -> TextColumn:
    """The column of that name."""
    return TextColumn("*" if name == "*" else identifier(name))


def _when(condition: TextColumn, value: Any) -> TextColumn:
    return case(f"WHEN {condition.sql} THEN {column(value).sql}")


def _distinct(name: str) -> Callable[..., TextColumn]:
    return lambda *args: TextColumn(f"{name}(DISTINCT {', '.join(column(arg).sql for arg in args)})")


def _unit_first(unit: str, *rest: Any) -> TextColumn:
    if not unit.isalpha():
        raise NoTextError(f"{unit!r} is no unit of time")
    return TextColumn(f"timestampadd({unit.upper()}, {', '.join(column(one).sql for one in rest)})")


def _named(name: str, *args: Any) -> TextColumn:
    """A call of a function by its name, which may be a user's."""
    return call(
        ".".join(part if part.isidentifier() and part.isascii() else identifier(part) for part in name.split(".")),
        *args,
    )


def _trimmed(name: str) -> Callable[..., TextColumn]:
    """In Spark's SQL the characters to take away come first."""
    return lambda value, characters=None: call(name, *(() if characters is None else (characters,)), value)


def _without_none(name: str) -> Callable[..., TextColumn]:
    return lambda *args: call(name, *(arg for arg in args if arg is not None))


def _like(value: TextColumn, pattern: TextColumn, escape: TextColumn | None = None) -> TextColumn:
    """LIKE. Spark wants the escape character as a literal; a pattern in which it does not stand needs none."""
    text, escaping = pattern.value, None if escape is None else escape.value
    if isinstance(text, str) and not {"\\", escaping} & set(text):
        return TextColumn(f"{value.at(BIT_OR)} LIKE {pattern.sql}", COMPARED)
    if escape is not None and not escape.sql.startswith("'"):
        raise NoTextError(f"{escaping!r} as the escape character of LIKE")
    return call("like", *(one for one in (value, pattern, escape) if one is not None))


_SPECIAL: dict[str, Callable[..., TextColumn]] = {
    "when": _when,
    "like": _like,
    "lit": column,
    "col": col,
    "call_function": _named,
    "trim": _trimmed("trim"),
    "ltrim": _trimmed("ltrim"),
    "rtrim": _trimmed("rtrim"),
    "count_distinct": _distinct("count"),
    "sum_distinct": _distinct("sum"),
    "timestamp_add": _unit_first,
    "convert_timezone": _without_none("convert_timezone"),
    "bitwise_not": lambda value: TextColumn(f"~{column(value).at(SIGN)}", SIGN),
    "isnull": lambda value: column(value).isNull(),
    "asc": lambda value: column(value).asc_nulls_first(),
    "desc": lambda value: column(value).desc_nulls_last(),
    "not": lambda value: TextColumn(f"NOT {column(value).at(NOT)}", NOT),
}
