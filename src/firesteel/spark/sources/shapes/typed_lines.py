"""JSON lines whose shape is known: Spark's own JSON source reads what the plan touches into columns of plain types.

Nothing is tested again that the shape says: that each line is one object, of which type each value is, whether it is
ever null or absent. Where values of one path differ in type, that path is a VARIANT; where the shape cannot be read
this way at all (the keys of an object differ only in case), the lines are read without it.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import Column
from pyspark.sql import types as s

from firesteel import types as t
from firesteel.node import transform, walk
from firesteel.passes.analysis.paths import WHOLE, Name, PathTree
from firesteel.spark.core.expr import NATIVE, Expr, reference, struct_expr
from firesteel.spark.core.scope import Run
from firesteel.spark.core.variant_kinds import JSON
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import (
    JSON_PLAIN,
    JSON_WORDS,
    MAX_DIGITS,
    MAX_NESTED,
    Form,
    ShortInt,
    TrimmedDecimal,
    form,
    to_spark,
    whole_or_decimal,
)
from firesteel.tables.shapes.prove_json import DYNAMIC, PLAIN, SCALAR, WORDS, ZEROS, Claim, is_provable
from firesteel.tables.shapes.value_shapes import LONG, NOTHING, SHORT, ValueShape, has_zeros

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Options of Spark's JSON source. A line that does not fit the shape is an error: then the file has changed.
OPTIONS = {
    "mode": "FAILFAST",
    "columnNameOfCorruptRecord": f"corrupt{uuid.uuid4().hex}",
    "allowSingleQuotes": "false",
    "allowNonNumericNumbers": "false",
}


class Unprovable(Exception):
    """The plan touches values whole that may have more keys than the sample shows."""


class Untyped(Exception):
    """Values of this shape cannot be read into plain columns, not even with a VARIANT inside."""


def row_type(shape: ValueShape, tree: PathTree, partition_columns: Iterable[str]) -> t.Struct | None:
    """The type of what the plan touches of each line; None if the lines have to be read without their shape.
    Partition columns are not among it: they replace attributes of the same name."""
    if shape.kinds != {"object"} or shape.open or shape.null or tree.elements is not None or tree.indexed:
        return None
    hidden = {name.lower() for name in partition_columns}
    try:
        fields = _fields(shape, tree, 1)
    except Untyped:
        return None
    return t.Struct(tuple(field for field in fields if (field.name or "").lower() not in hidden), open=False)


def is_known(shape: ValueShape, tree: PathTree) -> bool:
    """Is everything known of what the plan touches? What is in objects whose keys are data may not be."""
    stack = [(shape, tree)]
    while stack:
        at, below = stack.pop()
        if at.open and at.values is None:
            return False
        if at.element is not None:
            stack.append((at.element, of_elements(below)))
        whole = is_whole(below)
        stack.extend((at.fields[key], inner) for key, inner in ({} if whole else _touched(at, below)).items())
    return True


def claim(sample: ValueShape, tree: PathTree) -> Claim | None:
    """What the plan relies on, if the file is as a sample of it shows; None if that is more than can be proven."""
    absent: set[str] = set()
    any_case: set[str] = set()
    try:
        return Claim(_claimed_object(sample, tree, absent, any_case), frozenset(absent), frozenset(any_case))
    except (Unprovable, Untyped):
        return None


def read(
    run: Run, type_: t.Struct, load: Callable[[s.StructType], DataFrame], columns: Sequence[t.Field]
) -> tuple[DataFrame, Expr]:
    """The lines as values of the type, with the partition columns behind. `load` reads them with a schema."""
    schema = s.StructType([s.StructField(field.name or "", to_spark(field.type)) for field in type_.fields])
    frame = load(schema)
    fields = (*type_.fields, *columns)
    named = [(field.name or "", reference(_trimmed_type(field.type), run.name())) for field in fields]
    read_ = [_trimmed(F.quoted(field.name or ""), field.type) for field in fields]
    picked = [column.alias(expr.place.names[0]) for column, (_, expr) in zip(read_, named, strict=True)]
    return frame.select(*picked), struct_expr(named)


class Untrimmed(t.Any):
    """Values in a VARIANT, of which decimals have the zeros at their end that are written in the file. Inside of arrays
    and objects there are no such decimals."""


def _trimmed_type(type_: t.Type) -> t.Type:
    return transform(type_, lambda node: JSON if isinstance(node, Untrimmed) else node, t.Type)


def _trimmed(column: Column, type_: t.Type) -> Column:
    """The column without zeros at the end of decimals, all but the first one behind the point. JSON texts of variants
    have none at all, so an integral decimal gets one back."""
    if not any(True for _ in walk(type_, Untrimmed)):
        return column
    match type_:
        case t.Struct():
            parts = [_trimmed(column[field.name or ""], field.type).alias(field.name or "") for field in type_.fields]
            return F.when(column.isNotNull(), F.struct(*parts))
        case t.Collection():
            return F.transform(column, lambda item: _trimmed(item, type_.element))
        case t.Map():
            return F.transform_values(column, lambda _, item: _trimmed(item, type_.value))
    text, decimal = F.to_json(column), F.schema_of_variant(column).startswith("DECIMAL")
    fraction = F.when(F.contains(text, F.lit(".")), F.lit("")).when(F.char_length(text) < LONG, F.lit(".0"))
    return F.coalesce(F.when(decimal, F.parse_json(F.concat(text, fraction))), column)


# ---------------------------------------------------------------------------------------------------------------------
# Shapes as types


def _fields(shape: ValueShape, tree: PathTree, depth: int) -> list[t.Field]:
    """The fields of an object that the plan touches."""
    touched = dict.fromkeys(shape.fields, WHOLE) if tree.whole else _touched(shape, tree)
    lower = [name.lower() for name in shape.fields]
    if any(lower.count(name.lower()) > 1 for name in touched) or not all(touched):
        raise Untyped
    return [
        t.Field(name, _type(shape.fields[name], inner, depth + 1, missable=name in shape.optional))
        for name, inner in touched.items()
    ]


def _touched(shape: ValueShape, tree: PathTree) -> dict[str, PathTree]:
    """The touched fields of an object, by their keys in the data."""
    found: dict[str, PathTree] = {}
    for name, inner in tree.fields.items():
        for key in shape.fields:
            if means(name, key):
                found[key] = inner if key not in found else WHOLE
    return found


def means(name: Name, key: str) -> bool:
    """Does a name in the plan mean that key?"""
    return key == name.text or (not name.exact and key.lower() == name.text.lower())


def _type(shape: ValueShape, tree: PathTree, depth: int, *, missable: bool) -> t.Type:
    plain = _plain(shape, tree, depth)
    type_ = JSON if plain is None else t.absent(plain, nullable=shape.null, missable=missable)
    if form(type_) is not Form.VARIANT:
        return type_
    if has_zeros(shape):
        if shape.open or any(has_zeros(inner) for inner in (*shape.fields.values(), shape.element or NOTHING)):
            raise Untyped  # a VARIANT would show the zeros, which are none of the value's
        return Untrimmed()
    if len(shape.kinds) > 1 and shape.kinds <= PLAIN.kinds:
        return JSON_WORDS if shape.kinds <= WORDS.kinds else JSON_PLAIN
    return type_ if isinstance(plain, NATIVE) else JSON


def _plain(shape: ValueShape, tree: PathTree, depth: int) -> t.Type | None:
    """The type of the values that are there; None if there is none that a plain column has."""
    if depth > MAX_NESTED:
        return None
    if shape.kinds == {"object"}:
        return _object(shape, tree, depth)
    if shape.kinds == {"array"}:
        return _array(shape, tree, depth)
    if shape.kinds <= {"int", "decimal"} and shape.kinds:
        return _number(shape)
    if len(shape.kinds) == 1:
        return _SCALARS.get(next(iter(shape.kinds)))
    return None


_SCALARS: dict[str, t.Type] = {"bool": t.BOOL, "float": t.FLOAT64, "string": t.STRING}


def _object(shape: ValueShape, tree: PathTree, depth: int) -> t.Type | None:
    if shape.open:
        return _map(shape, tree, depth)
    tree = _for_presence(shape, tree)
    try:
        fields = _fields(shape, WHOLE if is_whole(tree) or not tree.fields else tree, depth)
    except Untyped:
        return None
    return t.Struct(tuple(fields), open=False) if fields else None


def _map(shape: ValueShape, tree: PathTree, depth: int) -> t.Type | None:
    """Objects whose keys are data. A path into one may mean a key in another case, so that a map is of no use then."""
    if shape.values is None or tree.fields or tree.indexed or tree.elements is not None:
        return None
    inner = _type(shape.values, WHOLE, depth + 1, missable=False)
    return None if form(inner) is Form.VARIANT else t.Map(t.STRING, inner)


def _for_presence(shape: ValueShape, tree: PathTree) -> PathTree:
    """If only the presence of an object matters, then the tree of one of its fields, whose values are short."""
    if tree != PathTree() or not shape.fields:
        return tree
    ranked = [(_SHORTEST.index(inner.kinds), name) for name, inner in shape.fields.items() if inner.kinds in _SHORTEST]
    return PathTree(fields={Name(min(ranked)[1], exact=True): WHOLE}) if ranked else WHOLE


#: Kinds of values, from those that are read fastest.
_SHORTEST = [frozenset((kind,)) for kind in ("bool", "int", "float", "decimal", "string")]


def is_whole(tree: PathTree) -> bool:
    """Is an object touched whole? Ranging over one gives the object itself: the paths of the element are its own."""
    return tree.whole or tree.elements is not None or tree.indexed


def _array(shape: ValueShape, tree: PathTree, depth: int) -> t.Type | None:
    if shape.element is None:  # the arrays are all empty
        return None
    return t.Array(_type(shape.element, of_elements(tree), depth + 1, missable=False))


def of_elements(tree: PathTree) -> PathTree:
    """What the plan touches of the elements of an array."""
    if tree == PathTree():
        return tree
    return tree.elements if tree.elements is not None and not tree.whole and not tree.fields else WHOLE


def _number(shape: ValueShape) -> t.Type | None:
    if shape.kinds == {"int"}:
        return ShortInt() if shape.whole <= SHORT else t.INT64
    digits = max(shape.whole + shape.places, 1)
    if digits > MAX_DIGITS or shape.whole >= LONG:
        return None
    if shape.kinds == {"decimal"}:
        return TrimmedDecimal(digits, shape.places)
    return None if shape.zeros else whole_or_decimal(digits, shape.places)


# ---------------------------------------------------------------------------------------------------------------------
# What is claimed of the touched paths

#: A sample may not have the largest numbers: so many more digits before the point are allowed for.
_MORE_DIGITS = 3
#: Spark computes with decimals of so many digits as with integers.
_LONG_BACKED = 18


def _claimed(shape: ValueShape, tree: PathTree, absent: set[str], any_case: set[str]) -> ValueShape:
    """The part of a shape that the type of a touched path depends on (`_type`)."""
    if _plain(shape, tree, 1) is None or not is_provable(shape):
        levels = (ZEROS,) if shape.zeros else (WORDS, PLAIN, SCALAR)
        return next((known for known in levels if shape.kinds <= known.kinds), DYNAMIC)
    if shape.open:
        return shape
    if shape.kinds == {"object"}:
        return _claimed_object(shape, tree, absent, any_case)
    if shape.kinds == {"array"}:
        assert shape.element is not None
        element = _claimed(shape.element, of_elements(tree), absent, any_case)
        return replace(shape, element=element) if is_provable(element) else DYNAMIC
    if "decimal" not in shape.kinds:
        return shape
    whole = min(shape.whole + _MORE_DIGITS, max(shape.whole, _LONG_BACKED - shape.places))
    return replace(shape, whole=whole)


def _claimed_object(shape: ValueShape, tree: PathTree, absent: set[str], any_case: set[str]) -> ValueShape:
    if is_whole(tree) or shape.open:
        raise Unprovable
    tree = _for_presence(shape, tree)
    touched = _touched(shape, tree)
    any_case.update(name.text for name in tree.fields if not name.exact)
    absent.update(name.text for name in tree.fields if not any(means(name, key) for key in touched))
    fields = {key: _claimed(shape.fields[key], inner, absent, any_case) for key, inner in touched.items()}
    unseen = {key for key, inner in fields.items() if inner.open}  # by Arrow: so it may be absent
    return replace(shape, fields=fields, optional=frozenset(shape.optional & fields.keys()) | unseen)


__all__ = [
    "OPTIONS",
    "Unprovable",
    "Untyped",
    "claim",
    "is_known",
    "is_whole",
    "means",
    "of_elements",
    "read",
    "row_type",
]
