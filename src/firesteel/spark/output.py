"""The edge: a DataFrame with the names that a user knows, and files."""

from __future__ import annotations

import contextlib
import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark import columns as F
from firesteel.spark.encoding import Form, form
from firesteel.tables import format_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from firesteel.spark.compile import Compiled


def edge(compiled: Compiled) -> DataFrame:
    """The frame with a column for every attribute, where the values are structs of known attributes."""
    if compiled.shape == "rows":
        return compiled.frame.toDF(*compiled.names)
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
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        writer = edge(compiled).write.format(format_)
        if format_ == "csv":
            writer = writer.option("header", True)
        writer.save(staged.as_uri())
        _swap(staged, path)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


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
