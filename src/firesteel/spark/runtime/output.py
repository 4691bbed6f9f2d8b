"""Output: a DataFrame with the user's column names, files, and the tables that plans create."""

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
from firesteel.spark.encoding.column_types import Form, cast_type, form
from firesteel.spark.encoding.hadoop_paths import write_uri
from firesteel.spark.encoding.substitution import ensure_written
from firesteel.tables import format_of, host, owned, path_of, staged
from firesteel.tables.opening import writing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.source import Place, Span
    from firesteel.spark.relations.compile import Compiled


def named_frame(compiled: Compiled) -> DataFrame:
    """The frame with the user's column names: the attributes of rows and of structs if known, else `_1`. In its
    partitions the plan's properties are true."""
    compiled = compiled.for_partitions()
    named = compiled.named()
    if named is not None:
        return named
    frame = compiled.frame
    (type_,) = compiled.types
    if isinstance(type_, t.Struct) and not type_.absent and form(type_) is not Form.VARIANT:
        column = F.col("o0")
        return frame.select(*(column[field.name or ""].alias(field.name or "") for field in type_.fields))
    return frame.toDF("_1")


def write(compiled: Compiled, given: str | Path, format_: str | None, ensure: Callable[[], None]) -> None:
    """Write beside the target, call `ensure` (a check that may refuse), then swap. A failure leaves the old target."""
    path = path_of(given)
    format_ = format_of(path, format_)
    if format_ == "ion":
        raise UnsupportedError("Spark does not write Ion", help="write the answer of an engine in process, or Parquet")
    frame = named_frame(compiled)
    ensure_written(frame.schema, format_)
    with staged(path, private=False) as new:
        writer = frame.write.format(format_)
        if format_ == "csv":
            writer = writer.option("header", True)
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

    def close(self) -> None:
        """Remove the tables."""
        with self._lock:
            if self._removed is not None:
                self._removed()
            self._root = self._removed = None


def _remove(root: Path, held: contextlib.ExitStack) -> None:
    shutil.rmtree(root, ignore_errors=True)
    held.close()
