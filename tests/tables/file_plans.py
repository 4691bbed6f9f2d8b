"""Substrait plans that name files or write tables, as the bytes of protobuf messages."""

from __future__ import annotations

import json
from typing import Any

from firesteel.substrait import encode, from_json

Json = dict[str, Any]


def plan(*relations: Json) -> bytes:
    """A plan of relation trees, as bytes."""
    message = {"version": {"minorNumber": 90, "producer": "hand"}, "relations": list(relations)}
    return encode(from_json(json.dumps(message)))


def column(kind: str, *, nullable: bool = True, **parts: Any) -> Json:
    return {kind: {"nullability": "NULLABILITY_NULLABLE" if nullable else "NULLABILITY_REQUIRED", **parts}}


I32, I64, STRING = column("i32"), column("i64"), column("string")


def schema(**columns: Json) -> Json:
    return {"names": list(columns), "struct": {"types": list(columns.values()), **column("x", nullable=False)["x"]}}


AB = schema(a=I64, b=STRING)


def files(*items: Json, columns: Json = AB) -> Json:
    """A read of files."""
    return {"read": {"baseSchema": columns, "localFiles": {"items": list(items)}}}


def item(path: str, kind: str = "uriFile", format_: str = "parquet", **more: Any) -> Json:
    """Files of a read; text is described by `text={...}`."""
    return {kind: path, **({} if "text" in more else {format_: {}}), **more}


def table(*name: str, columns: Json = AB) -> Json:
    """A read of a table by its name."""
    return {"read": {"baseSchema": columns, "namedTable": {"names": list(name)}}}


def virtual(*rows: tuple[Any, ...], columns: Json = AB) -> Json:
    """Rows that the plan has itself."""
    kinds = [next(iter(one)) for one in columns["struct"]["types"]]
    made = []
    for row in rows:
        fields: list[Json] = []
        for value, kind, type_ in zip(row, kinds, columns["struct"]["types"], strict=True):
            literal = {"null": type_} if value is None else {kind: str(value) if kind == "i64" else value}
            fields.append({"literal": {**literal, "nullable": True}})
        made.append({"fields": fields})
    return {"read": {"baseSchema": columns, "virtualTable": {"expressions": made}}}


def root(rel: Json, *names: str) -> Json:
    return {"root": {"input": rel, "names": list(names)}}


def write(name: str, rel: Json, op: str, *, mode: str | None = None, columns: Json | None = AB) -> Json:
    """A write of rows to a table: `op` is CTAS or INSERT."""
    more: Json = {} if mode is None else {"createMode": f"CREATE_MODE_{mode}_IF_EXISTS"}
    if columns is not None:
        more["tableSchema"] = columns
    return root({"write": {"namedTable": {"names": [name]}, "op": f"WRITE_OP_{op}", "input": rel, **more}})


def define(name: str, thing: str, op: str, **more: Any) -> Json:
    """A definition: `thing` is TABLE or VIEW, `op` is CREATE, CREATE_OR_REPLACE, DROP or DROP_IF_EXIST."""
    what = {"object": f"DDL_OBJECT_{thing}", "op": f"DDL_OP_{op}", "namedObject": {"names": [name]}}
    return root({"ddl": {**what, **more}})
