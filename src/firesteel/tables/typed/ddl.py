"""Schemas as Spark writes them: `id int, v double not null, tags array<string>, p struct<a: int>`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from firesteel import types as t
from firesteel.errors import AnalysisError

_TOKEN = re.compile(r"\s*(?:`((?:[^`]|``)+)`|(\w+)|([<>(),:]))")
MICROS = 6


class JsonText(t.String):
    """Text: a value that is text as it is, any other value as its JSON. Written `json` in a schema."""


#: The types that have a name only. `char` and `varchar` may have a length, which is not checked.
_NAMED: dict[str, t.Type] = {
    "boolean": t.BOOL,
    "bool": t.BOOL,
    "tinyint": t.INT8,
    "byte": t.INT8,
    "smallint": t.INT16,
    "short": t.INT16,
    "int": t.INT32,
    "integer": t.INT32,
    "bigint": t.INT64,
    "long": t.INT64,
    "float": t.FLOAT32,
    "real": t.FLOAT32,
    "double": t.FLOAT64,
    "string": t.STRING,
    "binary": t.BLOB,
    "date": t.DATE,
    "timestamp": t.Timestamp(MICROS, zone=True),
    "timestamp_ltz": t.Timestamp(MICROS, zone=True),
    "timestamp_ntz": t.Timestamp(MICROS),
    "variant": t.ANY,
    "json": JsonText(),
}
_WORDS: dict[type[t.Type], str] = {
    t.Bool: "boolean",
    t.Int8: "tinyint",
    t.Int16: "smallint",
    t.Int32: "int",
    t.Int64: "bigint",
    t.Float32: "float",
    t.Float64: "double",
    t.String: "string",
    t.Blob: "binary",
    t.Date: "date",
    t.Any: "variant",
    JsonText: "json",
}


def read_ddl(text: str) -> t.Struct:
    """The columns that a text of the form `name type, ...` declares. They are nullable unless it says NOT NULL."""
    reader = _Reader(text)
    fields = reader.fields("")
    if reader.token() is not None:
        raise reader.wrong("a comma")
    return t.Struct(fields, open=False)


def spelled(type_: t.Type) -> str:
    """The type as a schema says it."""
    match type_:
        case t.Decimal():
            return f"decimal({type_.precision},{type_.scale or 0})" if type_.precision else "decimal"
        case t.Timestamp():
            return "timestamp" if type_.zone else "timestamp_ntz"
        case t.Collection():
            return f"array<{spelled(type_.element)}>"
        case t.Map():
            return f"map<{spelled(type_.key)},{spelled(type_.value)}>"
        case t.Struct():
            return f"struct<{','.join(f'{field.name}:{spelled(field.type)}' for field in type_.fields)}>"
    return _WORDS.get(type(type_)) or str(t.proper(type_))


class _Reader:
    """Reads a schema from left to right. Schemas are written by people, so that types nest a few levels deep."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def wrong(self, wanted: str) -> AnalysisError:
        rest = self._text[self._at :].strip()
        place = f"at {rest!r}" if rest else "at its end"
        return AnalysisError(
            f"the schema {self._text!r} is not understood: {wanted} is expected {place}",
            help="write it as Spark does: 'id int, v double not null, tags array<string>, p struct<a:int>'",
        )

    def token(self) -> tuple[str, bool] | None:
        """The next word or sign, and whether it can be a name; None at the end."""
        if not self._text[self._at :].strip():
            return None
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            raise self.wrong("a name or a type")
        quoted, word, sign = found.groups()
        return (quoted.replace("``", "`"), True) if quoted else (word, True) if word else (sign, False)

    def take(self, *words: str) -> bool:
        """Go past a word or sign, if it is the next one."""
        token = self.token()
        if token is None or token[0].lower() not in words:
            return False
        self._skip()
        return True

    def _skip(self) -> None:
        found = _TOKEN.match(self._text, self._at)
        assert found is not None
        self._at = found.end()

    def _need(self, sign: str) -> None:
        if not self.take(sign):
            raise self.wrong(f"'{sign}'")

    def _word(self, wanted: str) -> str:
        token = self.token()
        if token is None or not token[1]:
            raise self.wrong(wanted)
        self._skip()
        return token[0]

    def fields(self, end: str) -> tuple[t.Field, ...]:
        """Columns up to a sign; each name once."""
        found: list[t.Field] = []
        while not found or self.take(","):
            name = self._word("a name")
            self.take(":")
            type_ = self.type()
            nullable = not self.take("not")
            if not nullable and not self.take("null"):
                raise self.wrong("NULL after NOT")
            if any(field.name == name for field in found):
                raise AnalysisError(f"the schema {self._text!r} names '{name}' twice")
            found.append(t.Field(name, t.absent(type_, nullable=nullable)))
        if end:
            self._need(end)
        return tuple(found)

    def type(self) -> t.Type:
        word = self._word("a type").lower()
        if word in _NESTED:
            self._need("<")
            return _NESTED[word](self)
        if word in ("decimal", "dec", "numeric"):
            precision, scale = [*self._numbers(), 0, 0][:2]
            return t.Decimal(precision or 10, scale)
        if word in ("char", "varchar"):
            self._numbers()
            return t.STRING
        if word not in _NAMED:
            known = ", ".join([*_NAMED, "decimal(p,s)", "array<...>", "map<...>", "struct<...>"])
            raise AnalysisError(
                f"the schema {self._text!r} has a type that is not known: {word}", help=f"known: {known}"
            )
        return _NAMED[word]

    def _numbers(self) -> list[int]:
        found: list[int] = []
        if self.take("("):
            while not found or self.take(","):
                word = self._word("a number")
                if not word.isdecimal():
                    raise self.wrong("a number")
                found.append(int(word))
            self._need(")")
        return found

    def array(self) -> t.Type:
        element = t.absent(self.type(), nullable=True)
        self._need(">")
        return t.Array(element)

    def map(self) -> t.Type:
        key = self.type()
        self._need(",")
        value = t.absent(self.type(), nullable=True)
        self._need(">")
        return t.Map(key, value)


_NESTED: dict[str, Callable[[Any], t.Type]] = {
    "array": _Reader.array,
    "map": _Reader.map,
    "struct": lambda reader: t.Struct(reader.fields(">"), open=False),
}
