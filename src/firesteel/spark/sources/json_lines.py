"""JSON lines without a schema: of each line only what the plan touches is read, in one pass and without inference.

The paths that a plan touches (`analysis.paths`) make a read schema whose leaves are VARIANTs: `o.customer.city` and
`o.items AS i ... i.qty` read `customer struct<city variant>, items array<struct<qty variant>>`. That is fast, and
loses things: a struct that is NULL is read as one that is absent, a value of another type not at all, and keys of
another case, which an unquoted name finds too, are not looked for. So the text of the line stays at hand, and a line
in doubt is read again, whole, as one VARIANT, from which the same paths are taken the slow way.

Every line must be one JSON value; Spark's own readers accept `{"a":1} and more`. So each line is parsed inside an
object, `{"line": [<line>], "end": 1}`, with keys that no data has: only if the line is one value and no more, the array
has one element, and the second key is found.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

from pyspark.sql import Column
from pyspark.sql import types as s

from firesteel import types as t
from firesteel.passes.analysis.paths import Name, PathTree
from firesteel.spark.core.expr import Expr, missing_expr, reference, struct_expr
from firesteel.spark.core.scope import Run, Where
from firesteel.spark.core.variant_kinds import JSON
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding import variants
from firesteel.spark.encoding.column_types import MAX_NESTED
from firesteel.spark.encoding.kinds import VariantKind as Kind
from firesteel.spark.encoding.variants import any_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_KEY = uuid.uuid4().hex
_LINE, _END, _CORRUPT = f"line{_KEY}", f"end{_KEY}", "_corrupt"
_OPTIONS = {
    "columnNameOfCorruptRecord": _CORRUPT,
    "allowSingleQuotes": "false",
    "allowNonNumericNumbers": "false",
}
#: Names that need no escapes in JSON text.
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_ .:$@#-]+")
#: Characters of such names, escaped all the same; and the Kelvin sign, whose lower case is a `k`.
_ESCAPED = r"\\u(?:00[2-7]|212[aA])"
SHOWN = 80


@dataclass(frozen=True)
class Lines:
    """The lines of a file, and what is read of each: `value`, an expression over the columns of `frame`."""

    frame: DataFrame
    value: Expr


def read(
    run: Run, text: DataFrame, tree: PathTree, where: Where, *, skip: bool, columns: Sequence[t.Field] = ()
) -> Lines:
    """The lines of a text file as values. A line that is not JSON is an error, or, with `skip`, left out.

    `columns` are the partition columns, behind the text. They become attributes of every line, which must be an object.
    """
    line = run.name()
    beside = [reference(field.type, run.name()) for field in columns]
    names = [name for expr in beside for name in expr.place.names]
    lines = Text(text.toDF(line, *names).filter(is_there(F.col(line))), line, names, where, skip)
    if run.strict or tree.whole or tree.elements is not None or tree.indexed:
        return _read_whole(run, lines, columns)
    asked = {name: _partition_column(name, columns, beside) for name in tree.fields}
    own = PathTree(fields={name: inner for name, inner in tree.fields.items() if asked[name] is None})
    if not own.fields:
        return _read_nothing(run, lines, struct_expr((n.text, expr) for n, expr in asked.items() if expr is not None))
    shape = _root(own)
    if shape is None:
        return _read_whole(run, lines, columns)
    more = [(name.text, expr) for name, expr in asked.items() if expr is not None]
    return _read_paths(run, lines, shape, more)


def malformed(text: DataFrame) -> DataFrame:
    """The lines of a text file that are not JSON; if there are partition columns, those that are no JSON objects."""
    more = text.columns[1:]
    lines = text.toDF("line", *(f"c{i}" for i in range(len(more)))).filter(is_there(F.col("line")))
    return lines.filter(_parse(F.col("line"), objects=bool(more)).isNull())


@dataclass(frozen=True)
class Text:
    """Lines of text in the column `line`, and the names of the columns beside it."""

    frame: DataFrame
    line: str
    beside: Sequence[str]
    where: Where
    skip: bool

    def parsed(self) -> Column:
        return _parse(F.col(self.line), objects=bool(self.beside))

    def error(self, run: Run) -> Column:
        shown = F.substring(F.col(self.line), 1, SHOWN)
        wanted = "object" if self.beside else "value"
        return run.error(f"not a JSON {wanted}: ", self.where, shown, F.lit(" in "), F.input_file_name())


def _partition_column(name: Name, columns: Sequence[t.Field], exprs: Sequence[Expr]) -> Expr | None:
    """The partition column of that name: it replaces the attribute of the same name, in upper or lower case."""
    for field, expr in zip(columns, exprs, strict=True):
        if (field.name or "").lower() == name.text.lower():
            return expr if not name.exact or field.name == name.text else missing_expr()
    return None


def is_there(line: Column) -> Column:
    """Is a line not blank? The first letter is tested first, because trimming goes through the whole line."""
    return line.startswith("{") | (F.ltrim(line, F.lit(" \t\r\n")) != "")


def _read_nothing(run: Run, lines: Text, value: Expr) -> Lines:
    """Lines of which the plan uses nothing (`COUNT(*)`): a filter raises the errors, as no column is computed."""
    whole = run.name()
    frame = lines.frame.select(*lines.beside, lines.line, F.once(lines.parsed()).alias(whole))
    there = F.col(whole).isNotNull()
    if not lines.skip:
        there = F.when(there, F.lit(True)).otherwise(lines.error(run).cast("boolean"))
    return Lines(frame.filter(there).select(*lines.beside), value)


def _read_whole(run: Run, lines: Text, columns: Sequence[t.Field]) -> Lines:
    whole, value = run.name(), run.name()
    parsed = _parse(F.once(F.col(lines.line)), objects=bool(lines.beside))
    frame = lines.frame.select(lines.line, *lines.beside, parsed.alias(whole))
    found = F.col(whole)
    if lines.skip:
        frame = frame.filter(found.isNotNull())
    else:
        found = F.coalesce(found, lines.error(run).cast("variant"))
    if columns:
        found = _with_columns(found, columns, lines.beside)
    # A partition column may be a date, which no value of JSON is.
    return Lines(frame.select(found.alias(value)), reference(t.ANY if columns else JSON, value))


def _with_columns(value: Column, columns: Sequence[t.Field], names: Sequence[str]) -> Column:
    """The object with the partition columns, which replace attributes of the same names."""
    called = [(field.name or "").lower() for field in columns]
    own = F.map_filter(F.try_variant_get(value, "$", "map<string,variant>"), lambda key, _: ~F.lower(key).isin(called))
    more = []
    for field, name in zip(columns, names, strict=True):
        more += [F.lit(field.name), F.coalesce(F.col(name).cast("variant"), variants.null())]
    return F.to_variant_object(F.map_concat(own, F.create_map(*more)))


def _read_paths(run: Run, lines: Text, shape: Shape, more: Sequence[tuple[str, Expr]]) -> Lines:
    line = lines.line
    row, flag, whole = run.name(), run.name(), run.name()
    schema = s.StructType(
        [
            s.StructField(_LINE, s.ArrayType(shape.schema())),
            s.StructField(_END, s.IntegerType()),
            s.StructField(_CORRUPT, s.StringType()),
        ]
    )
    text = run.name()
    parsed = F.from_json(F.col(text), schema, _OPTIONS)
    read_ = F.col(row)
    first = F.get(read_[_LINE], F.lit(0))
    unfit = read_[_CORRUPT].isNotNull() | read_[_END].isNull() | (F.size(read_[_LINE]) != 1)
    unfit |= ~F.is_valid_utf8(F.col(line))
    doubt = unfit | _doubt(shape, first, F.col(line))
    again = lines.parsed()
    if not lines.skip:
        again = F.coalesce(again, lines.error(run).cast("variant"))
    # Spark generates no code for `from_json` or its argument: so the argument is computed in a select before.
    frame = lines.frame.select(line, *lines.beside, F.once(_enclose(F.col(line))).alias(text))
    frame = frame.select(line, *lines.beside, parsed.alias(row))
    frame = frame.select(row, *lines.beside, F.coalesce(doubt, F.lit(True)).alias(flag), line)
    frame = frame.select(row, *lines.beside, flag, F.when(F.col(flag), again).alias(whole))
    if lines.skip:
        frame = frame.filter(~F.col(flag) | F.col(whole).isNotNull())
    leaves: list[Column] = []

    # The slow way is large and few rows need it: it stays out of the code that Spark generates.
    apart = variants.let_interpreted if run.limits.roomy else variants.let

    def leaf(shape: Shape, fast: Column, path: tuple[Name, ...]) -> Expr:
        if shape.fields:
            pairs = [(n.text, leaf(inner, fast[n.text], (*path, n))) for n, inner in shape.fields]
            return struct_expr([*pairs, *(() if path else more)])

        def slow(value: Column) -> Column:
            attribute = reduce(_attribute, path, value)
            return attribute if shape.element is None else _elements(attribute, shape.element)

        name = run.name()
        leaves.append(F.once(F.when(F.col(flag), apart(F.col(whole), slow)).otherwise(fast)).alias(name))
        return reference(shape.type(), name)

    value = leaf(shape, first, ())
    return Lines(frame.select(*leaves, *lines.beside), value)


# ---------------------------------------------------------------------------------------------------------------------
# What is read


@dataclass(frozen=True)
class Shape:
    """How a value is read: as a struct of `fields`, as an array of `element`, or, with neither, as a VARIANT."""

    fields: tuple[tuple[Name, Shape], ...] = ()
    element: Shape | None = None

    def schema(self) -> s.DataType:
        if self.fields:
            return s.StructType([s.StructField(name.text, inner.schema()) for name, inner in self.fields])
        return s.VariantType() if self.element is None else s.ArrayType(self.element.schema())

    def type(self) -> t.Type:
        """The type of what is read. With `element` it is always an array: another value is read as an array of one."""
        if self.fields:
            return t.Struct(tuple(t.Field(name.text, inner.type()) for name, inner in self.fields), open=False)
        return JSON if self.element is None else t.Array(self.element.type())


_VARIANT = Shape()


def _root(tree: PathTree) -> Shape | None:
    """How a line is read; None if it has to be read whole."""
    shape = _shape(tree)
    return shape if shape.fields else None


def _shape(tree: PathTree, depth: int = 0, *, inside: bool = False) -> Shape:
    """How a value is read of which the plan uses this tree. Inside of arrays, attributes are VARIANTs."""
    if tree.whole or tree.indexed or (tree.fields and tree.elements is not None) or depth > MAX_NESTED:
        return _VARIANT
    if tree.elements is not None:
        return _VARIANT if inside else Shape(element=_shape(tree.elements, inside=True))
    names = [name.text.lower() for name in tree.fields]
    if len(set(names)) < len(names) or not all(_PLAIN_NAME.fullmatch(name) for name in names):
        return _VARIANT
    pairs = ((name, _VARIANT if inside else _shape(inner, depth + 1)) for name, inner in tree.fields.items())
    return Shape(tuple(pairs))


def _walk(shape: Shape, column: Column) -> Iterator[tuple[Name | None, Shape, Column]]:
    """Everything in a shape of structs, with the column that it is read as and the name it has."""
    stack: list[tuple[Name | None, Shape, Column]] = [(None, shape, column)]
    while stack:
        name, inner, at = stack.pop()
        yield name, inner, at
        stack.extend((key, part, at[key.text]) for key, part in inner.fields)


# ---------------------------------------------------------------------------------------------------------------------
# Lines in doubt


def _doubt(shape: Shape, column: Column, line: Column) -> Column:
    """Where the fast way may have missed something that is in the line."""
    containers: list[Column] = []
    gaps: list[Column] = []
    holes: list[Column] = []
    names: set[str] = set()
    for name, inner, at in _walk(shape, column):
        if name is not None and not name.exact:
            names.add(name.text)
        if inner.fields:
            containers.append(at.isNull())
        elif inner.element is not None:
            containers.append(at.isNull())
            names.update(key.text for key, _ in inner.element.fields if not key.exact)
            holes.append(F.exists(at, lambda item: item.isNull()))
            gaps.append(_any_gap(at, inner.element))
        elif name is not None and not name.exact:
            gaps.append(at.isNull())
    certain = any_of(containers)
    assert certain is not None
    if not gaps:
        return certain
    gap, hole = any_of(gaps), any_of(holes)
    assert gap is not None
    why = line.rlike(_other_case(names)) if names else F.lit(False)
    return certain | (gap & (why if hole is None else hole | why))


def _any_gap(array: Column, element: Shape) -> Column:
    """Where an attribute of an element, or an element, was not found."""

    def gap(item: Column) -> Column:
        found = any_of(item[name.text].isNull() for name, _ in element.fields)
        return item.isNull() if found is None else found

    return F.exists(array, gap)


def _other_case(names: set[str]) -> str:
    """A pattern for keys that differ from one of the names only in case."""
    parts = (rf"(?!{re.escape(name)}\")(?iu:{re.escape(name)})" for name in sorted(names))
    return rf"\"(?:{'|'.join(parts)})\"|{_ESCAPED}"


# ---------------------------------------------------------------------------------------------------------------------
# The slow way


def _enclose(line: Column) -> Column:
    return F.concat(F.lit(f'{{"{_LINE}":['), _without_zeros(line), F.lit(f'],"{_END}":1}}'))


#: Trailing zeros of a number, after a first digit behind the point (`4.50`, `4.00`). A string may have such text in it,
#: so the second pattern matches strings as a whole.
_LAST_ZEROS = r"\.\d+0(?:[\s,\]}]|$)"
_ZEROS = r'("(?:[^"\\]++|\\.)*+")|(\.\d*?[1-9]|\.0)0++(?=[\s,\]}]|$)'


def _without_zeros(line: Column) -> Column:
    """The line with `4.5` for `4.50`: Spark's parser keeps the zeros, but only some of its functions show them."""
    return F.when(line.rlike(_LAST_ZEROS), F.regexp_replace(line, _ZEROS, "$1$2")).otherwise(line)


def _parse(line: Column, *, objects: bool = False) -> Column:
    """The line as a variant; SQL NULL if it is not one JSON value, or, with `objects`, if it is no object."""

    def line_value(value: Column) -> Column:
        keys = F.map_keys(F.try_variant_get(value, "$", "map<string,variant>"))
        more = F.try_variant_get(value, f"$.{_LINE}[1]", "variant")
        fits = F.array_contains(keys, _END) & (F.size(keys) == 2) & more.isNull()
        found = F.try_variant_get(value, f"$.{_LINE}[0]", "variant")
        if objects:
            fits &= F.schema_of_variant(found).startswith(Kind.OBJECT)
        return F.when(fits, found)

    return F.element_at(
        F.transform(F.array(F.try_parse_json(_enclose(F.when(F.is_valid_utf8(line), line)))), line_value), 1
    )


def _attribute(value: Column, name: Name) -> Column:
    """The attribute of that name: NULL if the value is NULL, MISSING if it is another value than a struct."""
    ways = [F.try_variant_get(value, f"$['{name.text}']", "variant"), F.when(F.is_variant_null(value), value)]
    if not name.exact:
        pairs = F.map_entries(F.try_variant_get(value, "$", "map<string,variant>"))
        alike = F.filter(pairs, lambda pair: F.lower(pair["key"]) == name.text.lower())
        ways.append(F.get(alike, F.lit(0))["value"])
    return F.coalesce(*ways)


def _elements(value: Column, element: Shape) -> Column:
    """The elements of an array, or the value as the only one, with the attributes that the plan uses."""
    array = F.coalesce(F.try_variant_get(value, "$", "array<variant>"), F.array(value))
    if not element.fields:
        return array
    parts = lambda item: [_attribute(item, name).alias(name.text) for name, _ in element.fields]  # noqa: E731
    return F.transform(array, lambda item: F.struct(*parts(item)))
