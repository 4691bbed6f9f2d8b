"""Types as written."""

from __future__ import annotations

from dataclasses import KW_ONLY

from firesteel.partiql.ast.expressions import Ast, IntervalQualifier, Name, Type


class TypeName(Type, tag="type_name"):
    """A type by its name, in upper case unless quoted (`DOUBLE PRECISION`, `CHARACTER VARYING` are names), and its
    parameters; `zone` is None where neither WITH nor WITHOUT TIME ZONE was written."""

    name: str
    parameters: tuple[int, ...] = ()
    _: KW_ONLY
    quoted: bool = False
    zone: bool | None = None


class IntervalType(Type, tag="interval_type"):
    """`INTERVAL DAY TO SECOND`."""

    qualifier: IntervalQualifier


class CollectionType(Type, tag="collection_type"):
    """`LIST<type>`, `ARRAY<type>`, `BAG<type>`: the name in upper case."""

    name: str
    element: Type


class FieldType(Ast, tag="field_type"):
    """A field of a struct type."""

    name: Name
    type: Type
    _: KW_ONLY
    optional: bool = False
    required: bool = False


class StructType(Type, tag="struct_type"):
    """`STRUCT<a: type, b OPTIONAL: type NOT NULL>`; TUPLE is STRUCT."""

    fields: tuple[FieldType, ...]
