"""Types: `INT`, `DECIMAL(5, 2)`, `TIME (3) WITH TIME ZONE`, `INTERVAL DAY TO SECOND`, `STRUCT<a: LIST<INT>>`."""

from __future__ import annotations

from firesteel.partiql.ast import (
    CollectionType,
    FieldType,
    IntervalQualifier,
    IntervalType,
    StructType,
    Type,
    TypeName,
)
from firesteel.partiql.parse.cursor import Cursor, unquote
from firesteel.partiql.parse.keywords import DATE_FIELDS, NAMES

#: Reserved words that are types all the same.
_RESERVED_TYPES = frozenset({"DATE", "TIME", "TIMESTAMP", "NULL", "MISSING"})

#: Names of two words.
_SECOND_WORDS = {"DOUBLE": "PRECISION", "CHARACTER": "VARYING", "CHAR": "VARYING", "BIT": "VARYING"}

_COLLECTIONS = frozenset({"LIST", "ARRAY", "BAG", "SEXP"})
_STRUCTS = frozenset({"STRUCT", "TUPLE"})


class Types(Cursor):
    """The layer of types."""

    _half = -1  # the `>>` of which one half has been read

    def type(self) -> Type:
        first = self.at
        kind, text = self.kinds[first], self.texts[first]
        if kind == "INTERVAL":
            self.at += 1
            return IntervalType(self.interval_qualifier(), where=self.span(first))
        if kind not in NAMES and kind not in _RESERVED_TYPES:
            self.expected("a type")
        self.at += 1
        if kind == "quoted":
            return TypeName(unquote(text), quoted=True, where=self.span(first))
        name = text.upper()
        second = _SECOND_WORDS.get(name)
        if second is not None and self.texts[self.at].upper() == second:
            name = f"{name} {second}"
            self.at += 1
        if self.kinds[self.at] == "<" and (name in _COLLECTIONS or name in _STRUCTS):
            return self._composite(first, name)
        parameters = self.integers() if self.kinds[self.at] == "(" else ()
        zone = self.time_zone() if kind in ("TIME", "TIMESTAMP") else None
        return TypeName(name, parameters, zone=zone, where=self.span(first))

    def time_zone(self) -> bool | None:
        """WITH TIME ZONE, WITHOUT TIME ZONE, or neither."""
        word = self.accept_any("WITH", "WITHOUT")
        if word is None:
            return None
        self.expect("TIME")
        self.expect("ZONE")
        return word == "WITH"

    def interval_qualifier(self) -> IntervalQualifier:
        first = self.at
        start = self.expect_any(*DATE_FIELDS)
        sizes = self.integers() if self.kinds[self.at] == "(" else ()
        precision = sizes[0] if sizes else None
        digits = sizes[1] if len(sizes) > 1 else None
        if len(sizes) > (2 if start == "SECOND" else 1):
            self.fail(f"{start} has {'two sizes' if start == 'SECOND' else 'one size'} at most", first)
        end = None
        if start != "SECOND" and self.accept("TO"):
            end = self.expect_any(*DATE_FIELDS)
            if end == "SECOND" and self.accept("("):
                digits = self.integer()
                self.expect(")")
        return IntervalQualifier(
            start.lower(), end and end.lower(), precision=precision, digits=digits, where=self.span(first)
        )

    # -----------------------------------------------------------------------------------------------------------------
    # Types of types

    def _composite(self, first: int, name: str) -> Type:
        self.deeper()
        self.at += 1
        made: Type
        if name in _COLLECTIONS:
            element = self.type()
            self._close()
            made = CollectionType(name, element, where=self.span(first))
        else:
            fields = [self._field()]
            while self.accept(","):
                fields.append(self._field())
            self._close()
            made = StructType(tuple(fields), where=self.span(first))
        self.depth -= 1
        return made

    def _field(self) -> FieldType:
        first = self.at
        name = self.name("the name of a field")
        optional = self.accept("OPTIONAL")
        self.expect(":")
        type = self.type()
        required = False
        if self.accept("NOT"):
            self.expect("NULL")
            required = True
        return FieldType(name, type, optional=optional, required=required, where=self.span(first))

    def _close(self) -> None:
        """Read a `>`, which may be half of a `>>`."""
        if self.kinds[self.at] != ">>":
            self.expect(">")
        elif self._half == self.at:
            self.at += 1
        else:
            self._half = self.at
