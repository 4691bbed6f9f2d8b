"""The edge: a DataFrame with the names that a user knows, and files."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
import uuid
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel import types as t
from firesteel.errors import EvaluationError, UnsupportedError
from firesteel.spark import columns as F
from firesteel.spark.encoding import Form, form, spelled
from firesteel.spark.expr import fit
from firesteel.spark.substitution import ensure_written
from firesteel.tables import format_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.source import Place, Span
    from firesteel.spark.compile import Compiled


def edge(compiled: Compiled) -> DataFrame:
    """The frame with a column for every attribute, where the values are structs of known attributes."""
    named = compiled.named()
    if named is not None:
        return named
    frame = compiled.frame
    (type_,) = compiled.types
    if isinstance(type_, t.Struct) and not type_.absent and form(type_) is not Form.VARIANT:
        column = F.col("o0")
        return frame.select(*(column[field.name or ""].alias(field.name or "") for field in type_.fields))
    return frame.toDF("_1")


def write(compiled: Compiled, path: Path, format_: str | None) -> None:
    """Write beside the target, then swap: a failure leaves what was there."""
    format_ = format_of(path, format_)
    if format_ == "ion":
        raise UnsupportedError("Spark does not write Ion", help="write the answer of an engine in process, or Parquet")
    path = path.resolve()
    frame = edge(compiled)
    ensure_written(frame.schema, format_, path)
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        writer = frame.write.format(format_)
        if format_ == "csv":
            writer = writer.option("header", True)
        writer.save(staged.as_uri())
        _swap(staged, path)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def store(compiled: Compiled, folder: Path, columns: t.Schema, where: Place | Span | None) -> None:
    """Write rows as they are encoded by the types of their columns, whose names are ours. A folder that is not whole
    is gone."""
    made = []
    for i, (field, expr) in enumerate(zip(columns, compiled.rows.columns, strict=True)):
        column = fit(expr, field.type)
        if not field.type.nullable and expr.type.nullable:
            mark = compiled.failures.register(EvaluationError, where)
            error = F.error(f"{mark}NULL for the column '{field.name}', which is declared without")
            column = F.when(column.isNull(), error.cast(spelled(field.type))).otherwise(column)
        made.append(column.alias(f"c{i}"))
    frame = compiled.rows.frame.select(*made)
    ensure_written(frame.schema, "parquet", folder)
    try:
        frame.write.parquet(folder.as_uri())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


class Warehouse:
    """The folder with the tables that plans create: one of its own in a place that is given, or a temporary one."""

    def __init__(self, place: str | Path | None) -> None:
        self._place = None if place is None else Path(place).resolve()
        self._root: Path | None = None
        self._removed: weakref.finalize[..., Warehouse] | None = None
        self._lock = threading.Lock()

    def folder(self, spark: SparkSession) -> Path:
        """The path of a new folder, which is not there yet."""
        if self._place is None and not (spark.conf.get("spark.master", "") or "").startswith("local"):
            raise UnsupportedError(
                "creating a table on a cluster without a place for it",
                help="connect with warehouse=DIR, a folder that all machines of the cluster see",
            )
        with self._lock:
            if self._root is None:
                if self._place is not None:
                    self._place.mkdir(parents=True, exist_ok=True)
                self._root = Path(tempfile.mkdtemp(prefix="firesteel-", dir=self._place))
                self._removed = weakref.finalize(self, shutil.rmtree, self._root, ignore_errors=True)
            return self._root / uuid.uuid4().hex

    def close(self) -> None:
        """Remove what was kept."""
        with self._lock:
            if self._removed is not None:
                self._removed()
            self._root = self._removed = None


def _swap(staged: Path, path: Path) -> None:
    """The staged output under the target's name. If that fails, the old one is put back."""
    if not path.exists():
        staged.rename(path)
        return
    old = path.with_name(f"{staged.name}.old")
    path.rename(old)
    try:
        staged.rename(path)
    except OSError:
        old.rename(path)
        raise
    with contextlib.suppress(OSError):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
