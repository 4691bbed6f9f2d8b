"""Starting Spark on this machine: quietly, on loopback, with settings that suit one user and deep plans."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesteel.doctor import find_java, no_java
from firesteel.errors import FiresteelError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

#: The JVM's stack. Catalyst recurses over plans and expressions: an expression of 500 levels overflows the default of
#: 1 MiB; with 16 MiB one of 2,000 levels does not. A thread takes only as much of it as it uses.
STACK = "-Xss16m"

#: Spark generates long methods for variants, and by default the JVM interprets long methods. This option makes it
#: compile them: one long method is faster than several short ones, between which rows are copied.
_LONG_METHODS = "-XX:-DontCompileHugeMethods"
_JAVA_OPTIONS = f"{STACK} {_LONG_METHODS}"
#: With that option Spark may generate methods of any length, without it only of 8,000 bytes (see `needed`).
_LIMIT = "spark.sql.codegen.hugeMethodLimit"

#: The settings that our plans need. A user's session has them only while something of ours is built or runs. A
#: DataFrame that we hand out runs under the user's settings; the time zone and the iterations matter there only to
#: unusual plans.
SETTINGS: dict[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    # The time for this search doubles with every nested conditional. We bind common subexpressions ourselves.
    "spark.sql.subexpressionElimination.enabled": "false",
    "spark.sql.analyzer.maxIterations": "10000",
    # Two Catalyst rules may undo each other forever (a semi join over a field of a struct: decision 14).
    "spark.sql.optimizer.maxIterations": "20",
    # PySpark would inspect the Python stack for every column, to name the line in errors. Ours name the plan's place.
    "spark.sql.dataFrameQueryContext.enabled": "false",
    # Write timestamps that every reader takes for instants. INT96, the default, only Spark reads as UTC.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # A JSON object may repeat a key: the last value counts (see `tables.json_files`).
    "spark.sql.variant.allowDuplicateKeys": "true",
    # Read values in folder names (`year=2024`) as text: `tables.folders` gives them their types.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}


def needed(java_options: str) -> dict[str, str]:
    """The settings that our plans need on a session whose JVM has these options."""
    return {**SETTINGS, _LIMIT: "65535" if _LONG_METHODS in java_options else "8000"}


#: The configuration of a session that we start.
CONF: dict[str, str] = {
    **SETTINGS,
    "spark.app.name": "firesteel",
    "spark.driver.extraJavaOptions": _JAVA_OPTIONS,
    "spark.executor.extraJavaOptions": _JAVA_OPTIONS,
    # The server that `remote="local"` starts would listen on every interface.
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Spark keeps finished queries for its web UI, which is off: a thousand of our long plans may fill the heap.
    "spark.sql.ui.retainedExecutions": "5",
    "spark.ui.retainedJobs": "20",
    "spark.ui.retainedStages": "20",
    # Every query stage takes a thread, which lives for a minute; the default limit is 1,024 threads. A running stage
    # never waits for one in the queue, so a few threads are enough.
    "spark.sql.resultQueryStage.maxThreadThreshold": "16",
    "spark.sql.shuffleExchange.maxThreadThreshold": "16",
    "spark.sql.broadcastExchange.maxThreadThreshold": "16",
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}

#: Where all of Spark runs on this machine, it listens on loopback only. The machines of a cluster have to reach the
#: driver: there Spark finds the address itself (or takes SPARK_LOCAL_IP).
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
_HERE = re.compile(r"local|spark://(127\.|localhost[:/])")

#: Log only errors that stop the session; our exceptions report the rest.
_LOG4J = """\
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %p %c{1}: %m%n
logger.executor.name = org.apache.spark.executor
logger.executor.level = off
logger.scheduler.name = org.apache.spark.scheduler
logger.scheduler.level = off
logger.codegen.name = org.apache.spark.sql.catalyst.expressions.codegen
logger.codegen.level = off
logger.execution.name = org.apache.spark.sql.execution
logger.execution.level = off
logger.connect.name = org.apache.spark.sql.connect
logger.connect.level = off
logger.native.name = org.apache.hadoop.util.NativeCodeLoader
logger.native.level = off
"""


def start(master: str | None = None, remote: str | None = None, conf: Mapping[str, str] | None = None) -> SparkSession:
    """A Spark session: on this machine, on a cluster (`master`), or through Spark Connect (`remote`). What `conf` says
    comes before our own settings."""
    from pyspark.sql import SparkSession

    from firesteel.spark.encoding import columns

    columns.forget()
    silence()
    if master is not None and remote is not None:
        raise UnsupportedError("a session has a master or a remote, not both")
    if remote is not None and not remote.startswith("local"):
        return _configured(SparkSession.builder.remote(remote), conf or {}).getOrCreate()
    java = find_java()
    if java is None:
        raise FiresteelError(no_java())
    os.environ["JAVA_HOME"] = str(java.home)
    # Spark's Python workers on this machine: this Python, which has this package, and not the first one on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with _quiet_jvm() as options, _no_orphan():
        builder = SparkSession.builder.remote(remote) if remote else SparkSession.builder.master(master or "local[*]")
        return _configured(builder, {**CONF, **options, **_place(master), **(conf or {})}).getOrCreate()


def _configured(builder: SparkSession.Builder, conf: Mapping[str, str]) -> SparkSession.Builder:
    for name, value in conf.items():
        builder = builder.config(name, value)
    return builder


def silence() -> None:
    """Turn off PySpark's logging of failing queries, which ignores the log level: we report errors ourselves."""
    logger = logging.getLogger("SQLQueryContextLogger")
    logging.getLogger("DataFrameQueryContextLogger").setLevel(logging.CRITICAL + 1)
    logger.setLevel(logging.CRITICAL + 1)
    logger.propagate = False
    logging.getLogger().addFilter(_not_py4j)


def _not_py4j(record: logging.LogRecord) -> bool:
    """A log filter. Py4J logs a stack trace when it is interrupted or loses the JVM; our errors report that."""
    return os.path.basename(os.path.dirname(record.pathname)) != "py4j"


def _place(master: str | None) -> dict[str, str]:
    """The settings that depend on where Spark runs."""
    master = master or "local[*]"
    loopback = LOOPBACK if _HERE.match(master) else {}
    if not master.startswith("local"):
        return loopback
    return {**loopback, "spark.sql.shuffle.partitions": str(_cores(master)), **_heap()}


def _cores(master: str) -> int:
    """Partitions of a shuffle: as many as there are cores to work on them."""
    inside = master.partition("[")[2].rstrip("]").partition(",")[0]
    if inside.isdigit():
        return max(1, int(inside))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2


def _heap() -> dict[str, str]:
    """In local mode all of Spark is one JVM: give it a quarter of the machine's memory, from 1 to 8 GB (Spark's default
    is 1 GB), unless `SPARK_DRIVER_MEMORY` is set."""
    if "SPARK_DRIVER_MEMORY" in os.environ or not hasattr(os, "sysconf"):
        return {}
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    return {"spark.driver.memory": f"{min(max(memory // 4, 1024), 8192)}m"}


@contextmanager
def _quiet_jvm() -> Iterator[dict[str, str]]:
    """Start without output: the JVM gets our log settings, and stderr is captured until it has started."""
    with tempfile.TemporaryDirectory(prefix="firesteel-") as folder:
        settings = Path(folder) / "log4j2.properties"
        settings.write_text(_LOG4J, encoding="utf-8")
        option = f"{_JAVA_OPTIONS} -Dlog4j2.configurationFile={settings.as_uri()}"
        with open(Path(folder) / "stderr", "w+b") as kept, _stderr_to(kept.fileno()):
            yield {"spark.driver.extraJavaOptions": option}


@contextmanager
def _no_orphan() -> Iterator[None]:
    """End the JVM if starting it is interrupted (Ctrl-C, a time limit). PySpark waits for a file that the JVM writes,
    and removes its folder when it is interrupted: the JVM cannot write the file, and would wait for ever."""
    from pyspark import SparkContext, java_gateway

    launcher: Any = java_gateway
    started: list[subprocess.Popen[bytes]] = []

    def popen(*args: Any, **more: Any) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(*args, **more))
        return started[-1]

    before = launcher.Popen
    launcher.Popen = popen
    try:
        yield
    except BaseException:
        if SparkContext._gateway is None:  # one that has connected ends with this process
            for process in started:
                process.kill()
        raise
    finally:
        launcher.Popen = before


@contextmanager
def _stderr_to(target: int) -> Iterator[None]:
    """Redirect stderr, the JVM's too, to a file. If the body fails, copy the file to stderr; not if it is
    interrupted."""
    sys.stderr.flush()
    saved = os.dup(2)
    os.dup2(target, 2)
    try:
        yield
    except Exception:
        sys.stderr.flush()
        os.lseek(target, 0, os.SEEK_SET)
        os.write(saved, os.read(target, 1 << 20))
        raise
    finally:
        sys.stderr.flush()
        os.dup2(saved, 2)
        os.close(saved)
