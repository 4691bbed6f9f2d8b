"""The Spark session as a plan sees it that is compiled to one SQL text."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import pyspark

from firesteel.spark.sql_text.frames import TextFrame
from firesteel.spark.sql_text.literals import NoTextError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from firesteel.plan import GlobalBinding

_numbers = itertools.count(1)
_names: WeakKeyDictionary[DataFrame, str] = WeakKeyDictionary()
KEEP = os.environ.get("FS_KEEP", "1") == "1"
TIMES: dict[str, float] = {}


class TextSession:
    """Gives frames as text, and makes a frame of a whole text."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self.version = spark.version
        self._leaves: dict[str, DataFrame] = {}
        self._made: dict[str, DataFrame] = {}

    @property
    def real(self) -> SparkSession:
        return self._spark

    def leaf(self, frame: DataFrame) -> TextFrame:
        """The text for a frame that is read."""
        name = _names.get(frame)
        if name is None:
            name = _names[frame] = f"firesteel_{next(_numbers)}"
        self._leaves[name] = frame
        return TextFrame(name)

    def range(self, count: int) -> TextFrame:
        return TextFrame(f"RANGE({count})")

    def frame(self, text: str) -> DataFrame:
        """The frame that the text says."""
        import time

        if text in self._made:
            return self._made[text].select("*")
        a = time.perf_counter()
        for name, frame in self._leaves.items():
            if not KEEP or name not in _kept:
                frame.createOrReplaceTempView(name)
                _kept.add(name)
        b = time.perf_counter()
        self._made[text] = self._spark.sql(text)
        c = time.perf_counter()
        if not KEEP:
            for name in self._leaves:
                self._spark.catalog.dropTempView(name)
        d = time.perf_counter()
        for key, value in (("view", b - a), ("sql", c - b), ("drop", d - c)):
            TIMES[key] = TIMES.get(key, 0) + value
        return self._made[text]

    def __getattr__(self, name: str) -> Any:
        raise NoTextError(f"'{name}' of a session has no form as text")


_kept: set[str] = set()


class NamedTables(TextSession):
    """No session: tables are known by their names only."""

    def __init__(self, globals_: tuple[GlobalBinding, ...]) -> None:
        self.version = pyspark.__version__
        self.globals = globals_

    @property
    def real(self) -> SparkSession:
        raise NoTextError("values that only this process has cannot be written as Spark SQL")
