"""Output: files, and the tables that plans create."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
import uuid
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel import types as t
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.spark.core.conversions import fit
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import cast_type
from firesteel.spark.encoding.hadoop_paths import write_uri
from firesteel.spark.encoding.substitution import ensure_written
from firesteel.spark.runtime.answers import named_frame, typed_frame
from firesteel.tables import host, owned, path_of
from firesteel.tables.opening import writing
from firesteel.tables.output.write import staged_folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.source import Place, Span
    from firesteel.spark.relations.compile import Compiled
    from firesteel.tables.output.target import Output


#: The formats that Spark writes itself, and what it calls their compressions.
NATIVE = frozenset({"parquet", "orc", "csv", "json"})
_CODECS = {"none": "uncompressed", "bzip2": "bzip2", "brotli": "brotli"}


def is_native(output: Output) -> bool:
    """Does Spark write this itself? Else its rows are written by this process, one after the other."""
    return output.format in NATIVE and not output.streamed


def write(
    compiled: Compiled, output: Output, known: t.Type, columns: t.Struct | None, ensure: Callable[[], None]
) -> None:
    """Write beside the target, call `ensure` (a check that may refuse), then swap. A failure leaves the old target."""
    frame = named_frame(compiled) if columns is None else typed_frame(compiled, known, columns)
    if output.mask is not None:
        frame = frame.select(*(F.quoted(name) for name in dict.fromkeys((*output.mask, *output.partition_by))))
    ensure_written(frame.schema, output.format)
    with staged_folder(output, private=False) as new:
        writer = frame.write.format(output.format).partitionBy(*output.partition_by)
        if output.format == "csv":
            writer = writer.option("header", True).option("escape", '"')  # a quote in a cell is doubled
        if output.rows_per_file is not None:
            writer = writer.option("maxRecordsPerFile", output.rows_per_file)
        if output.compression is not None:
            writer = writer.option("compression", _CODECS.get(output.compression, output.compression))
        with write_uri(new) as place:
            writer.save(place)
        ensure()


def store(
    compiled: Compiled, folder: Path, columns: t.Schema, where: Place | Span | None, ensure: Callable[[], None]
) -> None:
    """Write the rows as Parquet, encoded by the declared types, in columns `c0`, `c1` ... After a failure the folder
    is removed."""
    aliased = []
    for i, (field, expr) in enumerate(zip(columns, compiled.rows.columns, strict=True)):
        column = fit(expr, field.type)
        if not field.type.nullable and expr.type.nullable:
            mark = compiled.failures.register(EvaluationError, where)
            error = F.error(f"{mark}NULL for the column '{field.name}', which is declared without")
            column = F.when(column.isNull(), error.cast(cast_type(field.type))).otherwise(column)
        aliased.append(column.alias(f"c{i}"))
    frame = compiled.rows.materialize().select(*aliased)
    ensure_written(frame.schema, "parquet")
    try:
        with write_uri(folder) as place:
            frame.write.parquet(place)
        ensure()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


class Warehouse:
    """The folder with the tables that plans create: a subfolder of `place`, or a temporary folder."""

    def __init__(self, place: str | Path | None) -> None:
        self._place = None if place is None else path_of(place).resolve()
        self._root: Path | None = None
        self._removed: weakref.finalize[..., Warehouse] | None = None
        self._held = contextlib.ExitStack()
        self._pinned: list[DataFrame] = []
        self._lock = threading.Lock()

    def folder(self, spark: SparkSession) -> Path:
        """A path for a new table. The folder does not exist yet."""
        if self._place is None and not (spark.conf.get("spark.master", "") or "").startswith("local"):
            raise UnsupportedError(
                "creating a table on a cluster without a place for it",
                help="connect with warehouse=DIR, a folder that all machines of the cluster see",
            )
        with self._lock:
            if self._root is None:
                self._root = self._create_root()
                self._removed = weakref.finalize(self, _remove, self._root, self._held)
            return self._root / uuid.uuid4().hex

    def _create_root(self) -> Path:
        """Create and lock a folder for this engine, and remove the unlocked ones of processes that were killed."""
        if self._place is not None:
            with writing(self._place):
                self._place.mkdir(parents=True, exist_ok=True)
        prefix = f"firesteel-tables-{host()}-"
        root = Path(tempfile.mkdtemp(prefix=prefix, dir=self._place))
        self._held.enter_context(owned(root))
        for other in root.parent.glob(f"{prefix}*"):
            with owned(other) as left_over:
                if left_over:
                    shutil.rmtree(other, ignore_errors=True)
        return root

    def pin(self, frame: DataFrame) -> None:
        """Keep the rows of a table in memory: Spark uses them wherever a plan reads the same files."""
        self._pinned.append(frame.persist())
        frame.count()

    def close(self) -> None:
        """Remove the tables."""
        for frame in self._pinned:
            with contextlib.suppress(Exception):  # Spark may have ended
                frame.unpersist()
        self._pinned.clear()
        with self._lock:
            if self._removed is not None:
                self._removed()
            self._root = self._removed = None


def _remove(root: Path, held: contextlib.ExitStack) -> None:
    shutil.rmtree(root, ignore_errors=True)
    held.close()
