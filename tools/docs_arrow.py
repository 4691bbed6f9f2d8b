"""The reference of Arrow's types, from the table that reads them: docs/arrow.md.

make docs
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from firesteel.tables.arrow.kinds import ALL_KINDS, ArrowKind

TARGET = Path(__file__).parent.parent / "docs" / "arrow.md"
HEAD = """# Arrow types

*Written by `make docs` from the table in `src/firesteel/tables/arrow/kinds.py`.*

Every Arrow type is read, from tables in memory, pandas, Parquet and Arrow files, with the same values on both engines.
An Arrow null is NULL. The second column has the type's name as `explain` prints it. *Tagged* means that Spark has no
such type, and the values are stored as VARIANTs with a tag.

| Arrow | here | |
|---|---|---|
"""
TAIL = """
These are refused with an error that names them: maps whose keys are not text, types nested deeper than 64 levels, and
values outside of the years 1 to 9999.

## Tables in memory
A column of timestamps in nanoseconds, as pandas makes them, becomes one of microseconds if no value has finer digits.

## Files
- Parquet is read by Spark itself; times, nanoseconds, durations, half floats and identifiers natively, from what they
  are stored as. A file with decimals of more than 38 digits is read in this process.
- INT96 in Parquet is an instant in microseconds, as Spark has it: finer digits are cut. Writes are `TIMESTAMP_MICROS`.
- Timestamps of ORC are microseconds, and instants only if the file says so. Nanoseconds are an error on the reference
  engine, and cut by Spark's reader. A file with unions is read in this process.

## Answers
`to_arrow` and `to_pandas` have the columns and types that the plan says, with rows or without. All fields may be null.

| here | Arrow |
|---|---|
| `int` | `int64`; `decimal128(38, 0)` or `decimal256(76, 0)` if a value needs it |
| `decimal(p,s)` | `decimal128(p, s)`, from 39 digits on `decimal256` |
| `decimal` | `decimal128(38, s)`, with as many digits behind the point as the values need |
| `byte(n)` | `fixed_size_binary(n)` |
| `time(p)`, `timestamp(p)`, `interval(day_time,p)` | the unit that has p digits; with a zone in UTC |
| other intervals | `month_day_nano_interval` |
| arrays, bags | `list` |
| values of several types | one type if it holds all of them exactly, else `dense_union` (objects in pandas) |
| values of an unknown type | what they are, attributes by their names; `null` if there are none |

A value that its column's type cannot hold exactly changes that type. What Arrow cannot hold at all (a time with an
offset, a struct whose keys repeat) is refused by name.
"""

#: Examples of types with parameters, to show the type that they become.
_EXAMPLES = {
    "is_decimal": pa.decimal128(11, 2),
    "is_fixed_size_binary": pa.binary(3),
    "is_time": pa.time64("us"),
    "is_timestamp": pa.timestamp("us", "UTC"),
    "is_duration": pa.duration("ns"),
    "is_list": pa.list_(pa.int32()),
    "is_struct": pa.struct([("a", pa.int32())]),
    "is_map": pa.map_(pa.string(), pa.int32()),
    "is_dictionary": pa.dictionary(pa.int8(), pa.string()),
    "is_run_end_encoded": pa.run_end_encoded(pa.int32(), pa.string()),
    "is_union": pa.dense_union([pa.field("a", pa.int64()), pa.field("b", pa.string())]),
}


def document() -> str:
    """The reference as Markdown."""
    return HEAD + "".join(map(_row, ALL_KINDS)) + TAIL


def _row(kind: ArrowKind) -> str:
    example = _EXAMPLES.get(kind.tests[0]) if kind.tests else None
    if not kind.tests and "other" in kind.arrow:
        return f"| {kind.arrow} | | {kind.note} |\n"
    found = f"`{kind.type(example)}`" + ("" if example is None else f" of `{example}`")
    return f"| {kind.arrow} | {found} | {kind.note} |\n"
