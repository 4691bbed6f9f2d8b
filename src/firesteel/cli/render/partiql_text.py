"""A value as an expression of PartiQL that has this value."""

from __future__ import annotations

import datetime
from decimal import Decimal
from math import isfinite

from firesteel import values
from firesteel.explain.rows import scalar_text
from firesteel.ion import dumps
from firesteel.values import Value


def partiql_text(value: Value) -> str:
    """The expression, on one line. A value that has no literal of its own is Ion in backticks."""
    return values.fold(value, _leaf, _container)


def _leaf(value: Value) -> str:
    match value:
        case None:
            return "NULL"
        case values.Missing():
            return "MISSING"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float() if isfinite(value):
            found = scalar_text(value)
            return found if "e" in found else f"{found}e0"
        case Decimal() if value.is_finite() and abs(value.adjusted()) < 30:
            found = f"{value:f}"
            return found if "." in found else f"{found}."
        case values.Symbol():
            return _ion(value)
        case str():
            return _text(value)
        case datetime.date():
            return f"DATE '{value.isoformat()}'"
        case values.Time():
            zone = "" if value.offset is None else "WITH TIME ZONE "
            return f"TIME ({value.digits}) {zone}'{_numeric_zone(value)}'"
        case values.Timestamp(precision="second") if 1 <= value.year <= 9999:
            zone = "" if value.offset is None else "WITH TIME ZONE "
            return f"TIMESTAMP ({value.digits}) {zone}'{_numeric_zone(value)}'"
    return _ion(value)


def _numeric_zone(value: values.Time | values.Timestamp) -> str:
    found = scalar_text(value)
    return found[:-1] + "+00:00" if found.endswith("Z") else found


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _ion(value: Value) -> str:
    return f"`{dumps(value)}`"


def _container(value: Value, inner: list[str]) -> str:
    if isinstance(value, values.Struct):
        pairs = zip(value.pairs, inner, strict=True)
        return "{" + ", ".join(f"{_text(name)}: {text}" for (name, _), text in pairs) + "}"
    if isinstance(value, values.Bag):
        return f"<<{', '.join(inner)}>>"
    return _ion(value) if isinstance(value, values.Sexp) else f"[{', '.join(inner)}]"
