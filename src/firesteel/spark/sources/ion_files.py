"""Large Ion and JSON files: read in Spark's Python workers, a task for each; of every value, what the plan uses.

Spark has no reader of Ion, nor of JSON that is not one value on every line. A small file is read by this process, and
uploaded with the types of its values. A large one might not fit into this process, so the workers read it, value by
value, and return variants; or plain columns, if the table has a schema.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import types as s

from firesteel import types as t
from firesteel.errors import EvaluationError, FiresteelError, UnsupportedError
from firesteel.spark.core.expr import reference, struct_expr
from firesteel.spark.core.scope import Run, Where
from firesteel.spark.core.worker_package import ship
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.arrow_values import arrow_type, put
from firesteel.spark.encoding.column_types import to_spark
from firesteel.spark.encoding.failures import mark_message
from firesteel.spark.sources.json_lines import Lines
from firesteel.tables import File, Partitions, Table, part_records
from firesteel.tables.touched import WHOLE, PathTree
from firesteel.values import Bag, Struct, Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Files of more bytes than this, together, are read by the workers.
LARGE = 16 << 20
#: How many values are sent at once.
_BATCH = 1000

REASON = "Spark has no reader of Ion: large files are read in Python"
DOCUMENT = "Spark reads JSON by lines: large documents are read in Python"


def are_large(files: Sequence[Path]) -> bool:
    return sum(file.stat().st_size for file in files) > LARGE


def read(run: Run, table: Table, files: Sequence[Path], folders: Partitions, tree: PathTree, where: Where) -> Lines:
    """The values of all files. A malformed value is an error, whatever the plan uses, unless the table skips it."""
    value, error = run.name(), run.name()
    assert isinstance(table.source, File)
    pairs = {str(file.resolve()): folders.pairs(nth) for nth, file in enumerate(files)}
    skip = table.malformed == "skip"
    tree = WHOLE if run.strict else tree
    fields = _columns(table.type, tree)
    reader = Reader(tree, run.failures.number(where), table.source, pairs, skip, fields)
    places = [(str(file.resolve()),) for file in files]
    listed: DataFrame = run.spark.createDataFrame(places, "path string").repartition(len(places))
    named = [(field.name or "", reference(field.type, run.name())) for field in fields or ()]
    own = [value] if fields is None else [expr.place.names[0] for _, expr in named]
    read_as = [s.VariantType()] if fields is None else [to_spark(field.type) for field in fields]
    columns = [s.StructField(name, type_) for name, type_ in zip(own, read_as, strict=True)]
    schema = s.StructType([*columns, s.StructField(error, s.StringType())])
    ship(run.spark)
    outcomes = listed.mapInArrow(reader.batches, schema)
    failed = F.col(error)
    right = outcomes.filter(F.when(failed.isNull(), F.lit(True)).otherwise(F.raise_error(failed).cast("boolean")))
    return Lines(right.select(*own), reference(t.ANY, value) if fields is None else struct_expr(named))


def _columns(type_: t.Type, tree: PathTree) -> tuple[t.Field, ...] | None:
    """The columns that the plan touches, if the schema of the table says them all."""
    if not isinstance(type_, t.Collection) or not isinstance(type_.element, t.Struct) or type_.element.open:
        return None
    every = tree.whole or tree.elements is not None or tree.indexed
    return tuple(field for field in type_.element.fields if every or _below(field.name or "", tree) is not None)


@dataclass(frozen=True)
class Reader:
    """Runs in the workers. An error is returned as a value, and Spark raises it, with its place."""

    tree: PathTree
    number: int
    source: File
    pairs: Mapping[str, list[tuple[str, Value]]]
    skip: bool
    #: The columns to return, if the table has a schema.
    columns: tuple[t.Field, ...] | None = None

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for path in batch.column(0).to_pylist():
                yield from self._file(Path(path))

    def _file(self, path: Path) -> Iterator[pa.RecordBatch]:
        records = self._values(path)
        while True:
            try:
                values = list(islice(records, _BATCH))
                columns = self._arrays(values)
            except FiresteelError as error:
                yield self._failure(mark_message(self.number, _located(path, error)))
                return
            yield _batch(columns, [None] * len(values))
            if len(values) < _BATCH:
                return

    def _arrays(self, values: Sequence[Value]) -> list[pa.Array]:
        if self.columns is None:
            return [put([pruned(value, self.tree) for value in values], t.ANY)]
        rows = [dict(value.pairs) if isinstance(value, Struct) else {} for value in values]
        return [put([row.get(field.name or "") for row in rows], field.type) for field in self.columns]

    def _failure(self, message: str) -> pa.RecordBatch:
        types = [t.ANY] if self.columns is None else [field.type for field in self.columns]
        return _batch([pa.nulls(1, arrow_type(to_spark(type_))) for type_ in types], [message])

    def _values(self, path: Path) -> Iterator[Value]:
        for item in part_records(self.source, path, self.pairs[str(path)]):
            if not isinstance(item, EvaluationError):
                yield item
            elif not self.skip:
                raise item


def _located(path: Path, error: FiresteelError) -> FiresteelError:
    """The error, with its place in the file as part of the message: the place of the error is in the query."""
    cls = UnsupportedError if isinstance(error, UnsupportedError) else EvaluationError
    if error.where is None and str(path) in error.message:
        return cls(error.message)
    return cls(f"{error.where or path}: {error.message}")


def _batch(columns: Sequence[pa.Array], errors: list[str | None]) -> pa.RecordBatch:
    names = [*(f"c{i}" for i in range(len(columns))), "e"]
    return pa.RecordBatch.from_arrays([*columns, pa.array(errors, pa.string())], names=names)


def pruned(value: Value, tree: PathTree) -> Value:
    """The parts of a value that the plan uses. A value of another shape than the tree's stays as it is."""
    if tree.whole:
        return value
    if isinstance(value, Struct) and tree.elements is None:
        named = [(name, item, _below(name, tree)) for name, item in value.pairs]
        return Struct([(name, pruned(item, below)) for name, item, below in named if below is not None])
    if tree.elements is not None and isinstance(value, Bag):
        return Bag(pruned(item, tree.elements) for item in value)
    if tree.elements is not None and type(value) is list:
        return [pruned(item, tree.elements) for item in value]
    return value


def _below(name: str, tree: PathTree) -> PathTree | None:
    """What the plan uses of an attribute, whose name it may write in any case; None if nothing."""
    lower = name.lower()
    trees = [below for asked, below in tree.fields.items() if asked.text.lower() == lower]
    return None if not trees else trees[0] if len(trees) == 1 else WHOLE
