"""The answer of a query, and its conversions: Python, Ion, Arrow, pandas, Spark, files."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from firesteel import tables, values
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.explain import PlanReport, report
from firesteel.explain import table as draw
from firesteel.ion import dumps
from firesteel.repair import Repair
from firesteel.session.engines import Outcome
from firesteel.warning import QueryWarning

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame


class Result:
    """The answer of a query. It is computed once, when it is first asked for. `repairs` lists what was put right in its
    plan, `warnings` what is probably a mistake in its query text."""

    def __init__(self, outcome: Outcome, engine: str, type_: t.Type = t.ANY) -> None:
        self._type = type_
        self.repairs: tuple[Repair, ...] = ()
        self.warnings: tuple[QueryWarning, ...] = ()
        self._outcome = outcome
        self._lock = threading.Lock()
        self._value: list[values.Value] = []
        self.engine = engine

    def value(self) -> values.Value:
        """The answer as a value of `firesteel.values`, without any loss."""
        with self._lock:
            if not self._value:
                self._value.append(self._outcome.value())
            return self._value[0]

    def to_python(self) -> Any:
        """The answer as plain Python: lists, dicts, scalars. MISSING, where it occurs, is `fs.MISSING`."""
        return values.to_python(self.value())

    @overload
    def to_ion(self, *, binary: Literal[False] = False) -> str: ...
    @overload
    def to_ion(self, *, binary: Literal[True]) -> bytes: ...
    def to_ion(self, *, binary: bool = False) -> str | bytes:
        """The answer as Ion, as the PartiQL conformance suite writes values."""
        return dumps(self.value(), binary=True) if binary else dumps(self.value())

    def to_arrow(self) -> pa.Table:
        """The answer as an Arrow table: the attributes of structs are columns, other values are the column `_1`.

        Columns and types are those of the plan if it knows them, even if there are no rows. A column with values of
        several types is a union.
        """
        return tables.to_arrow(self.value(), self._type)

    def to_pandas(self) -> pd.DataFrame:
        """The answer as a pandas DataFrame with the columns of `to_arrow`; a union becomes a column of objects."""
        return tables.to_pandas(self.to_arrow())

    def to_spark(self) -> DataFrame:
        """The answer as a Spark DataFrame, not yet computed."""
        frame: DataFrame | None = getattr(self._outcome, "dataframe", None)
        if frame is None:
            raise UnsupportedError("this answer was not computed by Spark", help="connect with in_process=False")
        return frame

    def show(self, limit: int = 20) -> None:
        """Print the first rows."""
        print(draw(self.value(), limit))

    def plan_report(self) -> PlanReport:
        """The numbers of relations and expressions in the plan, and the expressions that run in Python."""
        plan = self._outcome.plan
        return PlanReport(self.engine, 0, 0) if plan is None else report(plan, self.engine, self._outcome.fallbacks)

    def write(self, path: str | Path, format: str | None = None) -> None:
        """Write the answer to a file or a folder of files; the suffix tells the format. It writes all rows or
        nothing."""
        self._outcome.write(path, format)

    @property
    def malformed(self) -> int:
        """How many lines of JSON files were skipped because they are not JSON (`malformed="skip"`)."""
        return getattr(self._outcome, "malformed", 0)

    def cancel(self) -> None:
        """Stop computing the answer."""
        self._outcome.cancel()
