"""What computes a function of a user's: Python values go in and out, or Arrow arrays of one row.

An exception that a wrong value may cause (ValueError, TypeError, LookupError, ArithmeticError) is forgivable: MISSING
in permissive mode, an error in strict mode, as for a CAST. Any other exception is an error in both modes.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from firesteel import types as t
from firesteel.errors import EvaluationError, FiresteelError, UnsupportedError
from firesteel.evaluate.base import Forgivable
from firesteel.evaluate.kinds import FAMILIES, kind, show
from firesteel.evaluate.scalar.conform import conforms
from firesteel.functions.users import TYPES, UserFunction
from firesteel.lazy import require
from firesteel.values import Bag, Value, absent, from_python, to_python

_FORGIVEN = (ValueError, TypeError, LookupError, ArithmeticError)


def implementation(user: UserFunction) -> Callable[..., Value]:
    """The function of values of ours; UnsupportedError for a function that only Spark has."""
    function = user.function
    if function is None:
        raise UnsupportedError(f"'{user.name}' is a function of Spark's: the reference evaluator does not have it")
    returned = user.row.signatures[0].result([t.ANY] * len(user.row.signatures[0].params))

    def call(*args: Value) -> Value:
        given = [to_python(arg) for arg in (_values(user, args[0]) if user.kind == "aggregate" else args)]
        try:
            found = function(*given) if user.takes == "rows" else _of_one_row(function, given, user.takes)
            made = from_python(list(found) if user.kind == "table" else found)
        except FiresteelError:
            raise
        except _FORGIVEN as error:
            raise Forgivable(f"{type(error).__name__}: {error}") from error
        except Exception as error:
            said = ", ".join(map(show, args))
            raise EvaluationError(f"{user.name}({said}): {type(error).__name__}: {error}") from error
        return _fitting(user, made, returned)

    return call


def _values(user: UserFunction, rows: list[Value]) -> list[Any]:
    """The arguments of an aggregate: a list for each parameter. Rows whose first value is absent are skipped."""
    single = len(user.params) == 1
    listed = [[row] if single else row for row in rows]
    listed = [row for row in listed if not absent(row[0])]
    families = [TYPES[param][0] for param in user.params]
    for row in listed:
        for value, family in zip(row, families, strict=True):
            if not absent(value) and type(value) not in FAMILIES[family][0]:
                raise Forgivable(f"{user.name} takes {FAMILIES[family][1]}, not {kind(value)}")
    return [[row[i] for row in listed] for i in range(len(user.params))]


def _fitting(user: UserFunction, value: Value, declared: t.Type) -> Value:
    """The value as the declared type; an error in both modes if it is of another one."""
    if user.kind == "table" and isinstance(value, list):
        return Bag(value)
    if isinstance(declared, t.Float64) and type(value) in (int, Decimal):
        return float(value)
    if isinstance(declared, t.Decimal) and type(value) is int:
        return Decimal(value)
    if absent(value) or conforms(value, declared):
        return value
    raise EvaluationError(f"{user.name} is declared to give {declared}, not {kind(value)}: {show(value)}")


def _of_one_row(function: Callable[..., Any], given: list[Any], takes: str) -> Any:
    """A function of columns, called for one row."""
    make: Callable[[list[Any]], Any]
    if takes == "pandas":
        make = require("pandas").Series
    else:
        import pyarrow as pa

        make = pa.array
    found = function(*(make([value]) for value in given))
    values = found.to_pylist() if hasattr(found, "to_pylist") else list(found)
    if len(values) != 1:
        raise ValueError(f"{len(values)} results of one row")
    return values[0]
