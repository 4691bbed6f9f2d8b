"""TPC-H for tests and benchmarks: the data, generated once by `tpchgen-cli`, and the queries, also as Spark SQL."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
CONFORMANCE = Path(os.environ.get("FIRESTEEL_CONFORMANCE", ROOT.parent / "shared" / "conformance"))
TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")


def queries(folder: Path = CONFORMANCE / "tpch" / "queries") -> dict[str, str]:
    """The texts, by name: `q01` to `q22`."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.sql"))}


def sql(text: str) -> str:
    """The text for `spark.sql`, which is the same without the semicolon."""
    return text.strip().removesuffix(";")


def data(folder: Path, scale: float) -> Mapping[str, Path]:
    """The Parquet file of each table. Missing files are generated in a temporary folder, which is renamed at the
    end."""
    target = folder / f"tpch-{scale:g}"
    if not target.is_dir():
        staged = folder / f".tpch-{scale:g}.{os.getpid()}"
        program = Path(sys.executable).parent / "tpchgen-cli"
        command = [str(program), "parquet", "-s", f"{scale:g}", "--output-dir", str(staged)]
        staged.mkdir(parents=True)
        subprocess.run(command, check=True, capture_output=True)
        staged.rename(target)
    return {name: target / f"{name}.parquet" for name in TABLES}


def register(session: Any, spark: Any, files: Mapping[str, Path]) -> None:
    """Register the tables in a Firesteel session and as temporary views in Spark."""
    for name, path in files.items():
        session.register(name, path)
        spark.read.parquet(str(path)).createOrReplaceTempView(name)
