"""The shape of JSON lines, found by Spark in one pass over the text.

Each line is parsed as a VARIANT, and `schema_of_variant` says what is in it: `OBJECT<id: BIGINT, tags: ARRAY<STRING>>`.
Lines are grouped by that text, so that this process merges a few thousand shapes, not millions. What the text does not
tell is found in the line by patterns, as sets of keys: whose value is null somewhere (in an array `schema_of_variant`
leaves nulls out), whose is an integer of many digits, whose is a decimal that ends in zero. A key may stand for several
paths; such a set says too much then, never too little.

Every line must be one JSON object: it is parsed inside an object, `{"line": <line>, "end": 1}`, with keys that no data
has. Of a line that ends early, or goes on, the parser finds an error or other keys.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column

from firesteel.spark.encoding import columns as F
from firesteel.spark.sources.json_lines import is_there
from firesteel.tables.shapes.value_shapes import (
    ANYTHING,
    LONG,
    MOST_NESTED,
    NOTHING,
    SHORT,
    Unknown,
    ValueShape,
    merge,
    merge_all,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_KEY = uuid.uuid4().hex
_LINE, _END = f"line{_KEY}", f"end{_KEY}"
#: Files whose lines have more different shapes than this are not learned: their keys may be data.
MOST_SHAPES = 20_000

#: A key, or the beginning of an element of an array: then the key is the empty text.
_BEFORE = r'(?:"((?:[^"\\]++|\\.)*+)"\s*+:|[\[,])\s*+'
#: The keys of values that are written in a certain way: a pattern for the value, and a quick test of the line.
_MARKS: dict[str, tuple[str, str | None]] = {
    "null": ("null", None),
    "long": (rf"-?\d{{{SHORT + 1}}}", rf"[:\[,]\s*+-?\d{{{SHORT + 1}}}"),
    "zeros": (r"-?\d++\.\d++(?<=0)(?![\deE])", r"\.\d*+(?<=0)(?![\deE])"),
}


def shapes_of_lines(lines: DataFrame, open_keys: frozenset[str] = frozenset()) -> dict[str, ValueShape | str]:
    """The shape of each file, by its URI; or why it has none. `lines` are the lines of text files, in one column. The
    objects under `open_keys` have data for keys: what is in them is cut out of the line before it is parsed."""
    name = lines.columns[0]
    line = F.col(name)
    there = lines.select(line.alias("line"), F.col("_metadata.file_path").alias("file"))
    there = there.filter(is_there(F.col("line")))
    found = there.select("file", _schema(_cut(F.col("line"), open_keys)).alias("schema"), *_marks(F.col("line")))
    groups = found.distinct().limit(MOST_SHAPES + 1).collect()
    if len(groups) > MOST_SHAPES:
        why = f"its lines have more than {MOST_SHAPES:,} different shapes"
        return {row["file"]: why for row in groups}
    by_file: dict[str, list[Any]] = {}
    for row in groups:
        by_file.setdefault(row["file"], []).append(row)
    return {file: _merged(rows, open_keys) for file, rows in by_file.items()}


_TEXT = r'"(?:[^"\\]++|\\.)*+"'
#: An object, and what is in it: texts, and objects that have no objects in them.
_OBJECT = rf"\{{(?:[^{{}}\"]++|{_TEXT}|\{{(?:[^{{}}\"]++|{_TEXT})*+\}})*+\}}"


def _cut(line: Column, open_keys: frozenset[str]) -> Column:
    """The line with `{}` for the objects under these keys. A key that is written with escapes is left as it
    is, and so is an object that nests deeper. Then there are more shapes, and none is wrong."""
    names = [re.escape(key) for key in sorted(open_keys) if re.fullmatch(r"[\w .:@$#-]+", key)]
    if not names:
        return line
    return F.regexp_replace(line, rf'("(?:{"|".join(names)})"\s*+:\s*+){_OBJECT}', "$1{}")


def _schema(line: Column) -> Column:
    """The schema of a line inside its object; SQL NULL if the line is not JSON."""
    enclosed = F.concat(F.lit(f'{{"{_LINE}":'), line, F.lit(f',"{_END}":1}}'))
    return F.when(F.is_valid_utf8(line), F.schema_of_variant(F.try_parse_json(enclosed)))


def _marks(line: Column) -> Iterable[Column]:
    for name, (value, quick) in _MARKS.items():
        keys = F.array_sort(F.array_distinct(F.regexp_extract_all(line, F.lit(_BEFORE + value), 1)))
        test = F.contains(line, F.lit(value)) if quick is None else line.rlike(quick)
        yield F.when(test, F.array_join(keys, '"')).alias(name)


def _merged(rows: Iterable[Any], open_keys: frozenset[str]) -> ValueShape | str:
    try:
        return merge_all(_line_shape(row, open_keys) for row in rows)
    except Unknown as error:
        return str(error)


# ---------------------------------------------------------------------------------------------------------------------
# Schemas as Spark writes them


@dataclass(frozen=True)
class Marked:
    """The keys with a mark; or all keys, if one of them is written with escapes."""

    keys: frozenset[str] = frozenset()
    every: bool = False

    @classmethod
    def of(cls, text: str | None) -> Marked:
        return cls() if text is None else cls(frozenset(text.split('"')), "\\" in text)

    def __contains__(self, key: str) -> bool:
        return self.every or key in self.keys


def _line_shape(row: Any, open_keys: frozenset[str]) -> ValueShape:
    if row["schema"] is None:
        raise Unknown("a line is not JSON, or repeats a key")
    root = SchemaText(row["schema"], {name: Marked.of(row[name]) for name in _MARKS}, open_keys).shape()
    if set(root.fields) != {_LINE, _END} or root.fields[_LINE].kinds != {"object"}:
        raise Unknown("a line is no object")
    return root.fields[_LINE]


_TOKEN = re.compile(r"OBJECT<|ARRAY<|>|, |: |DECIMAL\((\d+),(\d+)\)|`((?:[^`]|``)*)`|[^<>,:`]+")
#: In an array of unlike values VARIANT stands for any of them.
_SCALARS = {
    "BOOLEAN": ValueShape(frozenset(("bool",))),
    "DOUBLE": ValueShape(frozenset(("float",))),
    "STRING": ValueShape(frozenset(("string",))),
    "VARIANT": ANYTHING,
    "VOID": ValueShape(null=True),
}


class SchemaText:
    """A reader of what `schema_of_variant` writes."""

    def __init__(self, text: str, marks: Mapping[str, Marked], open_keys: frozenset[str] = frozenset()) -> None:
        self._tokens = list(_TOKEN.finditer(text))
        self._at = 0
        self._marks = marks
        self._open_keys = open_keys

    def shape(self) -> ValueShape:
        return self._value("", 0, listed=False)

    def _next(self) -> re.Match[str]:
        self._at += 1
        return self._tokens[self._at - 1]

    def _value(self, key: str, depth: int, *, listed: bool) -> ValueShape:
        """The shape at `key`. `listed`: it is inside an array, whose elements share one schema."""
        if depth > MOST_NESTED:
            raise Unknown(f"values nest deeper than {MOST_NESTED} levels")
        token = self._next()
        if token[0] == "OBJECT<":
            found = self._object(depth, listed=listed)
            if key in self._open_keys:
                found = ValueShape(found.kinds, zeros=bool(self._marks["zeros"].keys), open=True)
        elif token[0] == "ARRAY<":
            element = self._value("", depth + 1, listed=True)
            found = ValueShape(frozenset(("array",)), element=None if element == NOTHING else element)
            self._next()
        elif token[0] == "VOID" and listed:  # also the element of an empty array
            found = NOTHING
        else:
            found = self._scalar(token, key)
        return replace(found, null=True) if listed and key in self._marks["null"] else found

    def _object(self, depth: int, *, listed: bool) -> ValueShape:
        fields: dict[str, ValueShape] = {}
        token = self._next()
        while token[0] != ">":
            if token[0] == ", ":
                token = self._next()
            name = token[0] if token[3] is None else token[3].replace("``", "`")
            self._next()
            fields[name] = self._value(name, depth + 1, listed=listed)
            token = self._next()
        return ValueShape(frozenset(("object",)), fields=fields, optional=frozenset(fields if listed else ()))

    def _scalar(self, token: re.Match[str], key: str) -> ValueShape:
        if token[1] is not None:
            return self._decimal(int(token[1]), int(token[2]), key)
        if token[0] == "BIGINT":
            return self._integer(key)
        found = _SCALARS[token[0]]
        zeros = self._marks["zeros"]
        return replace(found, zeros=bool(zeros.keys) or zeros.every) if found is ANYTHING else found

    def _decimal(self, precision: int, scale: int, key: str) -> ValueShape:
        """A decimal; `76.0` is a DECIMAL(2,0) in the schema. For an array of integers and decimals Spark gives one with
        room for any integer."""
        if scale == 0 and precision >= LONG:
            return ValueShape(frozenset(("int", "wide", "decimal")), False, LONG, 1, True)
        if scale == 0:
            return ValueShape(frozenset(("decimal",)), False, precision, 1, True)
        found = ValueShape(frozenset(("decimal",)), False, precision - scale, scale, key in self._marks["zeros"])
        integer = self._integer(key)
        return found if precision - scale < LONG else merge(replace(found, whole=integer.whole), integer)

    def _integer(self, key: str) -> ValueShape:
        return ValueShape(frozenset(("int",)), whole=LONG if key in self._marks["long"] else SHORT)
