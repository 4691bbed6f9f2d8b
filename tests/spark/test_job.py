"""A PySpark job with PartiQL in it, on classic Spark and on Connect."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.spark.job import WANTED, job

ROOT = Path(__file__).parents[2]


def ensure(found: dict[str, Any]) -> None:
    assert found["type"] == "struct<country:string,day:date,band:string,total:decimal(12,2),n:int>"
    wanted = [[str(cell) for cell in row] for row in WANTED]
    assert found["by spark"] == wanted
    assert found["ours"] == wanted
    assert found["folders"] == ["country=de", "country=fr"]


@pytest.mark.spark
def test_on_classic_spark(spark: Any, tmp_path: Path) -> None:
    ensure(job(spark, tmp_path))


@pytest.mark.spark
@pytest.mark.slow
def test_on_connect(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.spark.job", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, cwd=ROOT)
    lines = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    assert lines, done.stderr[-2000:]
    found = json.loads(lines[0].removeprefix("FOUND"))
    assert "connect" in found["class"]
    ensure(found)
