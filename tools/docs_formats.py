"""Write docs/formats.md from the table of formats (`src/firesteel/tables/formats.py`) and the tables of the writers."""

from __future__ import annotations

from pathlib import Path

from firesteel.tables import COMPRESSED, FORMAT_TABLE
from firesteel.tables.formats import CSV, XML, Format
from firesteel.tables.output.target import CODECS

TARGET = Path(__file__).parent.parent / "docs" / "formats.md"
HEAD = """# Formats of files

*Written by `make docs` from `src/firesteel/tables/formats.py` and the writers in `src/firesteel/tables/files.py`.*

The suffix of a file says its format, or its first bytes do, or `register(..., format="csv")`. A suffix in brackets
counts for a file that is registered itself, but not for the files of a folder. *Reads* says which engines read a
format. *Pruning* is what Spark does not read if a query does not use it; *pushdown* says whether Spark's reader gets
the filters of a query. BY binds the attribute that was registered as `record_id`. Records of a format with *file and
row* are identified by these two if no attribute was named: `{{file: "/data/t.parquet", row: 0}}`.

A file of a format with *yes* under *compressed* may be compressed as a whole ({compressed}); its content tells how, not
its name. Parquet, ORC, Arrow and Avro files are compressed inside.
"""


def document() -> str:
    """The reference as Markdown."""
    columns = ("format", "suffixes", "reads", "writes", "compressed", "schema", "pruning", "pushdown", "identifiers")
    parts = [HEAD.format(compressed=", ".join(COMPRESSED))]
    parts.append(f"| {' | '.join(columns)} |")
    parts.append("|---" * len(columns) + "|")
    parts += [_row(name, row) for name, row in FORMAT_TABLE.items()]
    parts.append("\n## Options\n")
    parts.append('`register("t", path, options={"delimiter": ";"})`, or `--table "t=t.csv,delimiter=;"`.')
    for options in (CSV, XML):
        formats = " and ".join(name for name, row in FORMAT_TABLE.items() if row.options is options)
        parts.append(f"\n| option of {formats} | |")
        parts.append("|---|---|")
        parts += [f"| `{option}` | {said} |" for option, said in options.items()]
    return "\n".join(parts) + "\n"


def _row(name: str, row: Format) -> str:
    suffixes = ", ".join([*(f"`{one}`" for one in row.suffixes), *(f"(`{one}`)" for one in row.alone)])
    writes = "both" if name in CODECS else "no"
    cells = (row.engines, writes, "yes" if row.compressed else "", row.schema, row.pruning, row.pushdown, row.record_id)
    return f"| {name} | {suffixes} | {' | '.join(cells)} |"
