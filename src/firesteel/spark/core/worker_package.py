"""Bringing this package to Spark's Python workers, where they do not have it.

On this machine the workers run this Python. On a cluster and behind Spark Connect they may lack this package, or have
another version of it: they get a zip of this one. `_GATHERING` modules are empty in it, so that workers need only the
other packages that evaluating expressions needs.
"""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
import threading
import zipfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Modules that import more than a worker needs: in the zip they are empty.
_GATHERING = ("firesteel/__init__.py", "firesteel/spark/__init__.py")


def is_connect(spark: SparkSession) -> bool:
    """Is Spark reached through Spark Connect?"""
    return type(spark).__module__.startswith("pyspark.sql.connect")


_lock = threading.Lock()
_shipped: WeakSet[SparkSession] = WeakSet()


def ship(spark: SparkSession) -> None:
    """Give the workers of the session this package, once. Call it before making a function for them: PySpark records
    with a function which files it needs."""
    with _lock:
        if spark not in _shipped:
            _ship(spark)
            _shipped.add(spark)


def _ship(spark: SparkSession) -> None:
    if is_connect(spark):
        spark.addArtifacts(str(_zip()), pyfile=True)
    elif not (spark.sparkContext.master or "").startswith("local"):
        spark.sparkContext.addPyFile(str(_zip()))


@lru_cache(maxsize=1)
def _zip() -> Path:
    """The zip, made once, and kept until the process ends: the driver sends the file to every executor that asks for
    it, and one may start at any time."""
    folder = tempfile.mkdtemp(prefix="firesteel-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return _packed(Path(folder))


def _packed(folder: Path) -> Path:
    """A zip of the package. Its name has a hash of its content: a session takes no second file of the same name."""
    root = Path(__file__).parents[2]
    texts: dict[str, bytes] = {}
    for path in sorted(root.rglob("*.py")):
        name = f"firesteel/{path.relative_to(root).as_posix()}"
        texts[name] = b"" if name in _GATHERING else path.read_bytes()
    digest = hashlib.sha256(repr(texts).encode()).hexdigest()[:16]
    target = folder / f"firesteel-{digest}.zip"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in texts.items():
            out.writestr(name, text)
    return target
