"""Kinds of values in a VARIANT column."""

from __future__ import annotations

from enum import StrEnum


class VariantKind(StrEnum):
    """The kind of value in a variant: Spark's type name (`BIGINT`), or our tag (`bag`) where VARIANT has no such type.

    A tagged value is an object of one entry (`variant_bytes.TAG`); a bag is `{TAG: ["bag", [...]]}`. At run time a kind
    is a column of these texts.
    """

    VOID = "VOID"
    BOOLEAN = "BOOLEAN"
    BIGINT = "BIGINT"
    DECIMAL = "DECIMAL"
    DOUBLE = "DOUBLE"
    FLOAT = "FLOAT"
    STRING = "STRING"
    BINARY = "BINARY"
    DATE = "DATE"
    TIMESTAMP = "TIMESTAMP"
    TIMESTAMP_NTZ = "TIMESTAMP_NTZ"
    ARRAY = "ARRAY"
    OBJECT = "OBJECT"
    #: Integers of more than 64 bits.
    WIDE_INT = "int"
    #: Decimals of more than 38 digits.
    WIDE_DECIMAL = "decimal"
    SYMBOL = "symbol"
    CLOB = "clob"
    TIME = "time"
    #: Timestamps of more than microseconds, or with an offset.
    TAGGED_TIMESTAMP = "timestamp"
    INTERVAL = "interval"
    BAG = "bag"
    SEXP = "sexp"
    #: Structs whose keys repeat.
    PAIRS = "pairs"
    GRAPH = "graph"
    #: MISSING inside a container.
    MISSING = "missing"

    @property
    def tagged(self) -> bool:
        """Is a value of this kind stored under a tag, because VARIANT has no such type?"""
        return self.value.islower()


NUMBERS = (VariantKind.BIGINT, VariantKind.DECIMAL, VariantKind.DOUBLE, VariantKind.FLOAT)
WIDE_NUMBERS = (VariantKind.WIDE_INT, VariantKind.WIDE_DECIMAL)
#: Kinds whose values can be read back from their text. FLOAT cannot: its text reads back as another, 64-bit float.
WRITTEN = (VariantKind.STRING, VariantKind.BOOLEAN, VariantKind.BIGINT, VariantKind.DECIMAL, VariantKind.DOUBLE)
TEXTS = (VariantKind.STRING, VariantKind.SYMBOL, VariantKind.CLOB)
COLLECTIONS = (VariantKind.ARRAY, VariantKind.BAG, VariantKind.SEXP)
STRUCTS = (VariantKind.OBJECT, VariantKind.PAIRS)

#: The function catalogue's families of types, each as variant kinds.
FAMILIES: dict[str, tuple[VariantKind, ...]] = {
    "bool": (VariantKind.BOOLEAN,),
    "int": (VariantKind.BIGINT, VariantKind.WIDE_INT),
    "number": (*NUMBERS, *WIDE_NUMBERS),
    "text": TEXTS,
    "octets": (VariantKind.BINARY, VariantKind.CLOB),
    "octets or text": (VariantKind.BINARY, *TEXTS),
    "float": (*NUMBERS, *WIDE_NUMBERS),
    "date": (VariantKind.DATE,),
    "time": (VariantKind.TIME,),
    "timestamp": (VariantKind.TIMESTAMP, VariantKind.TIMESTAMP_NTZ, VariantKind.TAGGED_TIMESTAMP),
    "interval": (VariantKind.INTERVAL,),
    "day": (VariantKind.DATE, VariantKind.TIMESTAMP, VariantKind.TIMESTAMP_NTZ, VariantKind.TAGGED_TIMESTAMP),
    "moment": (
        VariantKind.DATE,
        VariantKind.TIME,
        VariantKind.TIMESTAMP,
        VariantKind.TIMESTAMP_NTZ,
        VariantKind.TAGGED_TIMESTAMP,
    ),
    "temporal": (
        VariantKind.DATE,
        VariantKind.TIME,
        VariantKind.TIMESTAMP,
        VariantKind.TIMESTAMP_NTZ,
        VariantKind.TAGGED_TIMESTAMP,
        VariantKind.INTERVAL,
    ),
    "collection": COLLECTIONS,
    "list": (VariantKind.ARRAY, VariantKind.SEXP),
    "struct": STRUCTS,
    "container": (*COLLECTIONS, *STRUCTS),
}
