"""What is sent to workers that do not have this package is enough to run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from firesteel.spark.core import worker_package


def test_a_worker_runs_on_the_zip_alone(tmp_path: Path) -> None:
    package = worker_package._packed(tmp_path)
    code = "import firesteel.spark.core.worker, firesteel.evaluate; print(firesteel.__file__)"
    env = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run([sys.executable, "-c", code], env=env, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(str(package))
