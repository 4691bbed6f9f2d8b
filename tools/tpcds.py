"""TPC-DS: tables and queries from DuckDB's generator, and the plans that DataFusion makes of the 99 queries.

The generator is an extension that fits one version of DuckDB only, so both are installed beside the data, not into the
environment. A query is asked over the smallest data over which its answer has rows.

    PYTHONPATH=build/tpcds/packages python tools/tpcds.py build/tpcds 0.01 0.1 1

generates the data, with the DuckDB that is in `packages`; `prepared` does that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: The version of DuckDB's generator, and of the DuckDB that loads it.
VERSION = "1.5.5"
PACKAGES = (f"duckdb=={VERSION}", f"duckdb-extension-tpcds=={VERSION}")
#: The number of queries.
COUNT = 99
#: The scale factors of the data. Over the last one all queries but the 17th have rows; that has rows over the first.
SCALES = (0.01, 0.1, 1.0)
#: What the tool remembers of the queries: number, text, and the scale factor of its data.
QUERIES = "queries.json"


@dataclass(frozen=True)
class Query:
    """A query of TPC-DS, and the scale factor of the data over which it is asked."""

    number: int
    text: str
    scale: float

    @property
    def name(self) -> str:
        return f"q{self.number:02}"


class Absent(Exception):
    """The generator cannot be installed here."""


def prepared(folder: Path, scales: tuple[float, ...] = SCALES) -> list[Query]:
    """The queries, with their data in `folder`; generated if they are not there yet."""
    known = folder / f"{'-'.join(f'{scale:g}' for scale in scales)}.{QUERIES}"
    if not known.is_file():
        packages = folder / "packages"
        if not packages.is_dir():
            _install(packages)
        command = [sys.executable, __file__, str(folder), *map(str, scales)]
        said = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": str(packages)}, capture_output=True, text=True, check=False
        )
        if said.returncode:
            raise Absent(f"TPC-DS cannot be generated: {(said.stderr.strip().splitlines() or ['no reason given'])[-1]}")
        known.write_text(said.stdout, encoding="utf-8")
    return [Query(**query) for query in json.loads(known.read_text(encoding="utf-8"))]


def _install(packages: Path) -> None:
    staged = packages.with_name(f".packages.{os.getpid()}")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(staged), *PACKAGES]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        raise Absent(f"TPC-DS is left out: pip cannot install {' and '.join(PACKAGES)}")
    staged.rename(packages)


def tables(folder: Path, scale: float) -> dict[str, Path]:
    """The Parquet file of each table."""
    return {path.stem: path for path in sorted((folder / f"tpcds-{scale:g}").glob("*.parquet"))}


def plan(query: Query, folder: Path) -> bytes:
    """DataFusion's plan of a query."""
    from datafusion import SessionContext
    from datafusion import substrait as producer

    context = SessionContext()
    for name, path in tables(folder, query.scale).items():
        context.register_parquet(name, str(path))
    return bytes(producer.Serde.serialize_bytes(query.text, context))


def _generate(folder: Path, scale: float) -> Any:
    """A connection with the tables and the generator, which writes the tables if they are not there yet."""
    import duckdb

    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    extension = next((folder / "packages").rglob("tpcds.duckdb_extension"))
    connection.execute(f"LOAD '{extension}'")
    target = folder / f"tpcds-{scale:g}"
    if not target.is_dir():
        staged = folder / f".tpcds-{scale:g}.{os.getpid()}"
        staged.mkdir()
        connection.execute(f"CALL dsdgen(sf={scale})")
        for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            connection.execute(f"COPY {name} TO '{staged / name}.parquet'")
            connection.execute(f"DROP TABLE {name}")
        staged.rename(target)
    for name, path in tables(folder, scale).items():
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM '{path}'")
    return connection


def main(folder: Path, scales: list[float]) -> None:
    """Print the queries as JSON. The data are generated on the way, none larger than is needed."""
    found: dict[int, dict[str, Any]] = {}
    for scale in scales:
        if len(found) == COUNT:
            break
        connection = _generate(folder, scale)
        for number, text in connection.execute("SELECT query_nr, query FROM tpcds_queries()").fetchall():
            if number not in found and (scale == scales[-1] or connection.execute(text).fetchone() is not None):
                found[number] = {"number": number, "text": text.strip().removesuffix(";"), "scale": scale}
    print(json.dumps([found[number] for number in sorted(found)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), [float(scale) for scale in sys.argv[2:]])
