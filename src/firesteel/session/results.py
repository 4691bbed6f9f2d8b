"""The answer of a query, and its conversions: Python, Ion, Arrow, pandas, Spark, files."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from firesteel import tables, values
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.explain import PlanReport, Profile, profile, report
from firesteel.explain.rows import LINE, draw, grid_keys, grid_of, html_page_part, html_table, summary
from firesteel.ion import dumps
from firesteel.repair import Repair
from firesteel.session.engines import Known, Outcome
from firesteel.session.schemas import Asked, schema_of
from firesteel.tables.output.target import Output, output_of
from firesteel.tables.output.write import existing_columns, wanted
from firesteel.tables.typed.arrow_types import certain_columns, for_arrow, for_format, row_type, rows_of
from firesteel.warning import QueryWarning

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame


#: How many rows a notebook shows.
_SHOWN = 50


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
        self._found: list[t.Struct] = []
        self._schema: Asked | None = None
        self.engine = engine

    def asking(self, schema: Any) -> Result:
        """The same answer, whose conversions ask for this schema unless they are given another."""
        self._schema = schema_of(schema)
        return self

    @property
    def type(self) -> t.Type:
        """The type of the answer, as far as its plan says it."""
        return self._type

    @property
    def row_type(self) -> t.Type:
        """The type of its rows: of the items of a collection, or of the only value."""
        return row_type(self._type)

    def rows(self, limit: int | None = None) -> Iterator[values.Value]:
        """The rows of the answer one after the other, as values of `firesteel.values`: the items of a collection, or
        the only value. Spark is asked for one partition at a time, or with a limit for so many rows."""
        if self._value:
            return islice(rows_of(self._value[0]), limit)
        return self._outcome.rows() if limit is None else iter(rows_of(self._outcome.value(limit)))

    def value(self) -> values.Value:
        """The answer as a value of `firesteel.values`, without any loss."""
        with self._lock:
            if not self._value:
                self._value.append(self._outcome.value())
            return self._value[0]

    def to_python(self) -> Any:
        """The answer as plain Python: lists, dicts, scalars. MISSING, where it occurs, is `fs.MISSING`; a time with
        nanoseconds and a number of months, for which Python has no class, are values of `firesteel.values`."""
        return values.to_python(self.value())

    @overload
    def to_ion(self, *, binary: Literal[False] = False) -> str: ...
    @overload
    def to_ion(self, *, binary: Literal[True]) -> bytes: ...
    def to_ion(self, *, binary: bool = False) -> str | bytes:
        """The answer as Ion, as the PartiQL conformance suite writes values."""
        return dumps(self.value(), binary=True) if binary else dumps(self.value())

    def to_arrow(self, schema: Any = None) -> pa.Table:
        """The answer as an Arrow table: the attributes of structs are columns, other values are the column `_1`.

        Columns and types are those of the plan if it knows them, even if there are no rows. A column with values of
        several types is a union. With a `schema` every column has the type that is asked for: a text as Spark writes it
        (`"id int, v double"`), a StructType, a schema of Arrow's, or `"infer"`. A value that does not fit is an error.
        """
        asked = self._asked_for(schema)
        if asked is not None:
            return self._outcome.arrow(self._type, *asked)
        certain = None if self._value else certain_columns(self._type)
        if certain is not None:
            return self._outcome.arrow(self._type, certain)
        return tables.to_arrow(self.value(), self._type)

    def to_pandas(self, schema: Any = None) -> pd.DataFrame:
        """The answer as a pandas DataFrame with the columns of `to_arrow`; a union becomes a column of objects."""
        return tables.to_pandas(self.to_arrow(schema))

    def batches(self, schema: Any = None) -> Iterator[pa.RecordBatch]:
        """The answer as Arrow batches, one after the other. Spark is asked for one partition at a time. Where the plan
        does not know the type of a column, the schema is inferred first, in a pass of its own."""
        certain = certain_columns(self._type)
        asked = self._asked_for(schema) or ((certain, None) if certain is not None else self._asked_for("infer"))
        assert asked is not None
        return self._outcome.batches(self._type, *asked)

    def to_spark(self, schema: Any = None) -> DataFrame:
        """The answer as a Spark DataFrame, not yet computed. A column of a certain type is plain: NULL and MISSING are
        both NULL in it. Any other is a VARIANT; `firesteel.spark.variant_columns` has functions for those. With a
        `schema` every column has the type that is asked for (see `to_arrow`)."""
        frame: Any = getattr(self._outcome, "typed_dataframe", None)
        if frame is None:
            raise UnsupportedError("this answer was not computed by Spark", help="connect with in_process=False")
        asked = self._schema if schema is None else schema_of(schema)
        found: DataFrame = frame(self._type, None if asked is None else asked.columns or self._inferred())
        return found

    def _asked_for(self, schema: Any) -> tuple[t.Struct, Any] | None:
        """The columns that are asked for, as Arrow takes them, and the schema of Arrow's, if it was given as one."""
        asked = self._schema if schema is None else schema_of(schema)
        if asked is None:
            return None
        return for_arrow(asked.columns or self._inferred()), asked.arrow

    def _inferred(self) -> t.Struct:
        with self._lock:
            if not self._found:
                self._found.append(self._outcome.infer(self._type))
            return self._found[0]

    def show(self, limit: int = 20) -> None:
        """Print the first rows. Spark is asked for these and one row more, which tells whether there are others."""
        print(self.table(limit))

    def table(self, limit: int = 20) -> str:
        """The first rows as a table of text."""
        return draw(self.rows(limit + 1), self.row_type, limit)

    # A sequence of rows ----------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(rows_of(self.value()))

    def __bool__(self) -> bool:
        """A result is true even if it has no rows, as it was before it had a length."""
        return True

    def __iter__(self) -> Iterator[Any]:
        """The rows as plain Python, one after the other."""
        return map(values.to_python, self.rows())

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Result: ...
    def __getitem__(self, index: int | slice) -> Any:
        """A row as plain Python, or a result of some of the rows."""
        rows = rows_of(self.value())
        return self._of(rows[index]) if isinstance(index, slice) else values.to_python(rows[index])

    def head(self, count: int = 5) -> Result:
        """A result of the first rows. Spark is asked for these only."""
        return self._of(list(self.rows(count)))

    def _of(self, rows: list[values.Value]) -> Result:
        ordered = isinstance(self._type, t.Array)
        return Result(Known(rows if ordered else values.Bag(rows)), self.engine, t.Bag(self.row_type))

    @property
    def columns(self) -> list[str]:
        """The names of the columns: in the order of the select list, or as the rows have them. A value that is no
        struct is in the column `_1`."""
        row = self.row_type
        if isinstance(row, t.Struct) and not row.open:
            return [field.name or "" for field in row.fields]
        if self._value or self.engine != "spark":
            return [name for name, _ in grid_keys(self.rows(), row)]
        return [field.name or "" for field in self._inferred().fields]

    @property
    def schema(self) -> dict[str, str]:
        """The columns with their types: by the plan where it says them, else by the values."""
        found = certain_columns(self._type) or self._inferred()
        types = {field.name or "": str(t.absent(field.type, nullable=False)) for field in found.fields}
        return {name: types.get(name, "any") for name in self.columns}

    def describe(self) -> Result:
        """A summary of the rows, one for each column: its types, how many values it has, how many are NULL or MISSING,
        the least, the greatest, and the mean of the numbers. It takes one pass over all rows."""
        return Result(Known(summary(self.rows(), self.row_type)), self.engine, t.Array(LINE))

    def _repr_html_(self) -> str:
        """The first rows, for a notebook."""
        return html_page_part(html_table(grid_of(self.rows(_SHOWN + 1), self.row_type, _SHOWN)))

    def __repr__(self) -> str:
        return f"<Result of {self.engine}: {self._type}>"

    @property
    def reads_tables(self) -> bool:
        """Was it computed from tables, and not from the query alone?"""
        return self._outcome.plan is not None and bool(self._outcome.plan.globals)

    def plan_report(self) -> PlanReport:
        """The numbers of relations and expressions in the plan, and the expressions that run in Python."""
        plan = self._outcome.plan
        return PlanReport(self.engine, 0, 0) if plan is None else report(plan, self.engine, self._outcome.fallbacks)

    def profile(self) -> Profile:
        """Run the query once more and measure it: the rows and the time of each operator, as far as the engine tells
        them, what ran in Python and why, and what Spark made of the plan."""
        return profile(self._outcome.measure(), self.engine, self.plan_report().fallbacks)

    def write(
        self,
        path: str | Path,
        format: str | None = None,
        *,
        mode: Literal["error", "append", "overwrite", "ignore"] = "overwrite",
        partition_by: str | Sequence[str] = (),
        compression: str | None = None,
        schema: Any = None,
        columns: Sequence[str] | None = None,
        rotate_by: str | None = None,
        rows_per_file: int | None = None,
    ) -> None:
        """Write the answer to a file or a folder of files; the suffix tells the format. It writes all rows or nothing.

        `mode` says what to do with what is there: replace it (the default), add to it, leave it, or raise an error.
        `partition_by` names columns that become folders `name=value`. `{name}` in the path is a column, too, so that
        there is a file for each of its values: `out/{country}/{day}.parquet`. With `rotate_by` (the rotation indicator)
        a new file begins with each row in which that column is not 0. With `rows_per_file` there is a folder of files
        that have no more rows than that. `columns` are those that are written, and `schema` says their types (see
        `to_arrow`).
        """
        row = row_type(self._type)
        known = [field.name or "" for field in row.fields] if isinstance(row, t.Struct) else []
        output = output_of(
            path,
            format,
            known,
            mode=mode,
            partition_by=partition_by,
            compression=compression,
            rotate_by=rotate_by,
            columns=columns,
            rows_per_file=rows_per_file,
        )
        self.write_to(output, schema)

    def write_to(self, output: Output, schema: Any = None) -> None:
        """Write the answer to where `output` says."""
        if not wanted(output):
            return
        asked = self._asked_for(schema)
        found = existing_columns(output) if asked is None else asked[0]
        if found is None and self._outcome.needs_columns(output):
            found = certain_columns(self._type) or for_arrow(self._inferred())
        self._outcome.write(output, self._type, None if found is None else for_format(found, output.format))

    @property
    def malformed(self) -> int:
        """How many lines of JSON files were skipped because they are not JSON (`malformed="skip"`)."""
        return getattr(self._outcome, "malformed", 0)

    def cancel(self) -> None:
        """Stop computing the answer."""
        self._outcome.cancel()
