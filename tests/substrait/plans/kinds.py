"""Types from short strings (`"i64"`, `"string?"`, `"list<decimal<15,2>>"`), and literals of them, as JSON."""

from __future__ import annotations

import base64
import datetime
import uuid
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

Json = dict[str, Any]

#: Kinds whose parameters are numbers, with the names that the messages give them.
_SIZED: dict[str, tuple[str, tuple[str, ...]]] = {
    "decimal": ("decimal", ("precision", "scale")),
    "varchar": ("varchar", ("length",)),
    "fixedchar": ("fixedChar", ("length",)),
    "fixedbinary": ("fixedBinary", ("length",)),
    "precision_time": ("precisionTime", ("precision",)),
    "precision_timestamp": ("precisionTimestamp", ("precision",)),
    "precision_timestamp_tz": ("precisionTimestampTz", ("precision",)),
    "interval_day": ("intervalDay", ("precision",)),
    "interval_compound": ("intervalCompound", ("precision",)),
    "alias": ("alias", ("typeAliasReference",)),
}
_PLAIN = {"boolean": "bool", "interval_year": "intervalYear", "timestamp_tz": "timestampTz"}
#: Digits are never lost on the way.
_EXACT = Context(prec=100)
_UNSIGNED = ("u8", "u16", "u32", "u64")


@dataclass(frozen=True)
class Extension:
    """A function or a type that a plan has to declare: in its place goes the anchor."""

    kind: str
    urn: str
    name: str


def standard(stem: str) -> str:
    return f"extension:io.substrait:{stem if stem == 'unsigned_integers' else 'functions_' + stem}"


def type_(text: str) -> Json:
    """The message of a type."""
    made, rest = _type(text.replace(" ", ""))
    assert not rest, f"{rest!r} behind a type in {text!r}"
    return made


def _type(text: str) -> tuple[Json, str]:
    end = next((i for i, char in enumerate(text) if not (char.isalnum() or char == "_")), len(text))
    name, rest = text[:end], text[end:]
    inner: list[Any] = []
    if rest.startswith("<"):
        rest = "," + rest[1:]
        while rest.startswith(","):
            rest = rest[1:]
            if rest[0].isdigit():
                digits = next(i for i, char in enumerate(rest) if not char.isdigit())
                inner.append(int(rest[:digits]))
                rest = rest[digits:]
            else:
                found, rest = _type(rest)
                inner.append(found)
        assert rest.startswith(">"), f"'>' is missing before {rest!r}"
        rest = rest[1:]
    nullable = rest.startswith("?")
    made: Json = {"nullability": f"NULLABILITY_{'NULLABLE' if nullable else 'REQUIRED'}"}
    return _named(name, inner, made), rest[1:] if nullable else rest


def _named(name: str, inner: list[Any], made: Json) -> Json:
    match name:
        case "struct":
            return {"struct": {**made, "types": inner}}
        case "list":
            return {"list": {**made, "type": inner[0]}}
        case "map":
            return {"map": {**made, "key": inner[0], "value": inner[1]}}
        case "func":
            return {"func": {**made, "parameterTypes": inner[:-1], "returnType": inner[-1]}}
    if name in _UNSIGNED:
        return {"userDefined": {**made, "typeReference": Extension("type", standard("unsigned_integers"), name)}}
    if name in _SIZED:
        kind, parameters = _SIZED[name]
        return {kind: {**made, **dict(zip(parameters, inner, strict=True))}}
    return {_PLAIN.get(name, name): made}


def names_in(made: Json) -> list[str]:
    """Names for the fields of structs inside of a type, depth first: `_1`, `_2` in each."""
    found: list[str] = []
    for kind, inner in made.items():
        for i, one in enumerate(inner.get("types", ()) if kind == "struct" else (), 1):
            found += [f"_{i}", *names_in(one)]
        for part in ("type", "key", "value"):
            if kind in ("list", "map") and part in inner:
                found += names_in(inner[part])
    return found


# ---------------------------------------------------------------------------------------------------------------------
# Literals


def literal(kind: str, value: Any) -> Json:
    """The message of a literal: None is NULL, a tuple is a struct, a dict is a map, a number of units is a moment."""
    if value is None:
        return {"null": type_(kind if kind.endswith("?") else kind + "?")}
    return _literal(type_(kind), value)


def octets(value: bytes) -> str:
    return base64.b64encode(value).decode("ascii")


def _literal(made: Json, value: Any) -> Json:
    ((kind, inner),) = made.items()
    nullable = inner.get("nullability") == "NULLABILITY_NULLABLE"
    if value is None:
        return {"null": made}
    return {**_present(kind, inner, value), **({"nullable": True} if nullable else {})}


def _present(kind: str, inner: Json, value: Any) -> Json:
    match kind:
        case "bool":
            return {"boolean": value}
        case "decimal":
            unscaled = int(_EXACT.scaleb(Decimal(value), inner["scale"]))
            body = octets(unscaled.to_bytes(16, "little", signed=True))
            return {"decimal": {"value": body, "precision": inner["precision"], "scale": inner["scale"]}}
        case "varchar":
            return {"varChar": {"value": value, "length": inner["length"]}}
        case "binary" | "fixedBinary":
            return {kind: octets(value)}
        case "date":
            return {"date": (datetime.date.fromisoformat(value) - datetime.date(1970, 1, 1)).days}
        case "precisionTime" | "precisionTimestamp" | "precisionTimestampTz":
            return {kind: {"precision": inner["precision"], "value": value}}
        case "intervalYear":
            return {"intervalYearToMonth": {"years": value // 12, "months": value % 12}}
        case "intervalDay":
            return {"intervalDayToSecond": {**_seconds(value), "precision": inner["precision"]}}
        case "intervalCompound":
            months, rest = value
            return {
                "intervalCompound": {
                    "intervalYearToMonth": {"months": months},
                    "intervalDayToSecond": {**_seconds(rest), "precision": inner["precision"]},
                }
            }
        case "uuid":
            return {"uuid": octets(uuid.UUID(value).bytes)}
        case "struct":
            return {"struct": {"fields": [_literal(*one) for one in zip(inner["types"], value, strict=True)]}}
        case "list":
            return _list(inner, value)
        case "map":
            return _map(inner, value)
        case "userDefined":
            text = {"string": str(value)}
            return {"userDefined": {"typeReference": inner["typeReference"], "struct": {"fields": [text]}}}
    return {kind: value}


def _seconds(value: tuple[int, int, int]) -> Json:
    days, seconds, subseconds = value
    return {"days": days, "seconds": seconds, "subseconds": subseconds}


def _list(inner: Json, value: list[Any]) -> Json:
    if not value:
        return {"emptyList": inner}
    return {"list": {"values": [_literal(inner["type"], one) for one in value]}}


def _map(inner: Json, value: dict[Any, Any]) -> Json:
    if not value:
        return {"emptyMap": inner}
    entries = [{"key": _literal(inner["key"], k), "value": _literal(inner["value"], v)} for k, v in value.items()]
    return {"map": {"keyValues": entries}}
