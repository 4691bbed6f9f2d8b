"""JSON lines with a schema that their owner gave: Spark's own JSON source reads the columns that the plan touches.

The schema is relied on. If Spark's reader fails all the same (`12.0` where an integer is promised), or if a type is
asked for that it cannot read so, the lines are read as variants, and each value is made to fit its type, or is an error
that shows it. A file that is to be checked is read in that way once, with all columns, before the plan is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import Column
from pyspark.sql import types as s

from firesteel import types as t
from firesteel.errors import EvaluationError, FiresteelError
from firesteel.node import walk
from firesteel.passes.analysis.paths import WHOLE, Name, PathTree
from firesteel.spark.core.expr import Expr, StructParts, reference, struct_expr
from firesteel.spark.core.scope import Run, Where
from firesteel.spark.core.variant_kinds import JSON
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import to_spark
from firesteel.spark.encoding.fitted import Site, fitted
from firesteel.spark.sources import json_lines
from firesteel.spark.sources.file_readers import json_frame, named_by_compression, text_lines
from firesteel.spark.sources.shapes import typed_lines
from firesteel.spark.sources.shapes.known_shapes import SMALL, KnownShapes, Learned
from firesteel.tables import File, Partitions, Table, records
from firesteel.tables.shapes.value_shapes import NOTHING, file_state
from firesteel.tables.typed.ddl import JsonText
from firesteel.tables.typed.declared import row_type
from firesteel.tables.typed.fit import CLOCK, DAY, OFFSET

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Types that are text in JSON: Spark's reader takes more for a date than is one.
_MOMENTS = (t.Date, t.Timestamp)


def declared_rows(
    run: Run, table: Table, source: File, files: Sequence[Path], folders: Partitions, tree: PathTree, where: Where
) -> tuple[DataFrame, Expr]:
    """The lines of the files in the columns that the schema gives."""
    assert source.schema is not None
    lines = _Lines(run, source, files, folders, where, skip=table.malformed == "skip")
    own = row_type(source.schema.columns, folders).fields[: -len(folders.fields) or None]
    states = Learned(NOTHING, {file: file_state(file) for file in files})
    shapes = KnownShapes(on=False) if run.shapes is None else run.shapes
    if source.schema.check:
        shapes.ensure_checked((tuple(states.states.items()), own), lambda: _check(lines, own))
    touched = [field for field in own if _touches(tree, field.name or "")]
    run.relied_on.append(states)
    if lines.skip or shapes.is_misread(states) or not all(map(_is_plain, touched)):
        return lines.slowly(touched)
    pruned = [field.replace(type=_pruned(field.type, _below(tree, field.name or ""))) for field in touched]
    return lines.fast(pruned) or lines.slowly(touched)


def _touches(tree: PathTree, name: str) -> bool:
    if tree.whole or tree.elements is not None or tree.indexed:
        return True
    return any(typed_lines.means(asked, name) for asked in tree.fields)


def _below(tree: PathTree, name: str) -> PathTree:
    """What the plan touches of a column."""
    if tree.whole or tree.elements is not None or tree.indexed:
        return WHOLE
    found = [inner for asked, inner in tree.fields.items() if typed_lines.means(asked, name)]
    return found[0] if len(found) == 1 else WHOLE


def _is_plain(field: t.Field) -> bool:
    """Can Spark's reader read values of this type into plain columns, with all that the schema says?"""
    if any(isinstance(node, t.Any | JsonText) for node in walk(field.type, t.Type)):
        return False
    inside = (node for node in walk(field.type, t.Type) if node is not field.type)
    return field.type.nullable and all(node.nullable or isinstance(node, t.Text) for node in inside)


def _pruned(type_: t.Type, tree: PathTree) -> t.Type:
    """The type with only those attributes that the plan touches."""
    match type_:
        case t.Struct() if tree.fields and not typed_lines.is_whole(tree):
            kept = [field for field in type_.fields if _touches(tree, field.name or "")]
            inner = [field.replace(type=_pruned(field.type, _below(tree, field.name or ""))) for field in kept]
            return type_.replace(fields=tuple(inner)) if inner else type_
        case t.Collection():
            return type_.replace(element=_pruned(type_.element, typed_lines.of_elements(tree)))
    return type_


class _Lines:
    """The lines of some files, and the two ways to read them."""

    def __init__(
        self, run: Run, source: File, files: Sequence[Path], folders: Partitions, where: Where, *, skip: bool
    ) -> None:
        self.run, self.source, self.files, self.folders, self.where, self.skip = (
            run,
            source,
            files,
            folders,
            where,
            skip,
        )

    def fast(self, fields: Sequence[t.Field]) -> tuple[DataFrame, Expr] | None:
        """By Spark's JSON source; None if Spark would tell the compression of a file by a suffix that it has not."""
        if named_by_compression(self.source, self.files, self.folders)[0] is not self.source:
            return None
        schema = s.StructType([s.StructField(field.name or "", to_spark(_as_read(field.type))) for field in fields])
        frame = json_frame(self.run.spark, self.source, self.files, self.folders, schema)
        pairs = [(f, self._converted(F.quoted(f.name or ""), f.type, f.name or "")) for f in fields]
        return self._named(frame, [*pairs, *((f, F.quoted(f.name or "")) for f in self.folders.fields)])

    def slowly(self, fields: Sequence[t.Field]) -> tuple[DataFrame, Expr]:
        """As variants, each of which is made to fit."""
        tree = PathTree(fields={Name(field.name or "", exact=True): WHOLE for field in (*fields, *self.folders.fields)})
        text = text_lines(self.run.spark, *named_by_compression(self.source, self.files, self.folders), self.folders)
        where, more = self.where, self.folders.fields
        lines = json_lines.read(self.run, text, tree, where, skip=self.skip, columns=more)
        pairs = [(field, self._fitted(_part(lines.value, field.name or ""), field)) for field in fields]
        parts = ((field, _part(lines.value, field.name or "")) for field in more)
        plain = isinstance(lines.value, StructParts)
        beside = [(f, part if plain else fitted(part, t.ANY, f.type, self._site(f.name or ""))) for f, part in parts]
        return self._named(lines.frame, [*pairs, *beside])

    def _named(self, frame: DataFrame, pairs: Sequence[tuple[t.Field, Column]]) -> tuple[DataFrame, Expr]:
        named = [(field.name or "", reference(field.type, self.run.name())) for field, _ in pairs]
        picked = [column.alias(expr.place.names[0]) for (_, column), (_, expr) in zip(pairs, named, strict=True)]
        return frame.select(*picked), struct_expr(named)

    def _fitted(self, column: Column, field: t.Field) -> Column:
        return fitted(column, JSON, field.type, self._site(field.name or ""))

    def _site(self, path: str) -> Site:
        mark = self.run.failures.register(EvaluationError, self.where)
        return Site(mark, path, F.input_file_name(), said="in ", declared=True)

    def _converted(self, column: Column, type_: t.Type, path: str) -> Column:
        """What Spark's reader read, with the texts of days and moments converted. Types are not nested deep."""
        match type_:
            case t.Date() | t.Timestamp():
                clock = CLOCK + (OFFSET if isinstance(type_, t.Timestamp) and type_.zone else "$")
                fits = column.rlike(DAY if isinstance(type_, t.Date) else clock)
                found = F.when(fits, column.try_cast(to_spark(type_)))
                right = column.isNull() | found.isNotNull()
                return F.when(right, found).otherwise(self._site(path).wrong(column, type_))
            case t.Collection() if _has_moments(type_):
                return F.transform(column, lambda item: self._converted(item, type_.element, f"{path}[]"))
            case t.Map() if _has_moments(type_):
                return F.transform_values(column, lambda _, item: self._converted(item, type_.value, f"{path}[]"))
            case t.Struct() if _has_moments(type_):
                names = [(field.name or "", field.type) for field in type_.fields]
                parts = [self._converted(column[name], inner, f"{path}.{name}").alias(name) for name, inner in names]
                return F.when(column.isNotNull(), F.struct(*parts))
        return column


def _part(value: Expr, name: str) -> Column:
    """A column of the lines, which are a struct in parts or a VARIANT."""
    if isinstance(value, StructParts):
        return dict(value.named)[name].column
    return F.try_variant_get(value.column, f"$['{name}']", "variant")


def _as_read(type_: t.Type) -> t.Type:
    """The type that Spark's reader is told."""
    match type_:
        case t.Date() | t.Timestamp():
            return t.STRING
        case t.Collection():
            return t.Array(_as_read(type_.element))
        case t.Map():
            return t.Map(t.STRING, _as_read(type_.value))
        case t.Struct():
            return type_.replace(fields=tuple(f.replace(type=_as_read(f.type)) for f in type_.fields))
    return type_


def _has_moments(type_: t.Type) -> bool:
    return any(True for _ in walk(type_, *_MOMENTS))


def _check(lines: _Lines, columns: Sequence[t.Field]) -> None:
    """Test all values of the files. Small files are tested by this process. Of large ones Spark says whether a value
    does not fit; then this process looks for the first one."""
    try:
        if sum(file.stat().st_size for file in lines.files) > SMALL:
            frame, _ = lines.slowly(columns)
            frame.write.format("noop").mode("overwrite").save()
            return
    except Exception:
        _test_here(lines)
        raise
    _test_here(lines)


def _test_here(lines: _Lines) -> None:
    for item in records(lines.source):
        if isinstance(item, FiresteelError) and not lines.skip:
            raise item


__all__ = ["declared_rows"]
