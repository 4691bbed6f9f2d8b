"""Starting Spark on this machine: quietly, on loopback, with settings that suit one user and deep plans."""

from __future__ import annotations

import logging
import os
import re
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from firesteel.doctor import find_java, no_java
from firesteel.errors import FiresteelError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

#: The JVM's stack. Catalyst recurses on plans and expressions: with the default of 1 MiB an expression of 500 levels
#: overflows it, with this one of 2,000 does not. Threads use what they need of it, not all.
STACK = "-Xss16m"

#: The code for what is made of variants is long, and the JVM does not compile long methods by itself. It can; and one
#: method is faster than several, between which rows are copied.
_LONG_METHODS = "-XX:-DontCompileHugeMethods"
_JAVA_OPTIONS = f"{STACK} {_LONG_METHODS}"
#: So Spark may make methods of any length where the JVM was started like that, and only those of 8,000 bytes elsewhere.
_LIMIT = "spark.sql.codegen.hugeMethodLimit"

#: What our plans need of a session. One that is not ours has it while something of ours is built or runs. A DataFrame
#: that is handed out runs under its owner's settings: there the time zone and the iterations matter to unusual plans
#: only.
SETTINGS: dict[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    # Looking for common parts doubles with every conditional that is nested; what is used twice is bound by us.
    "spark.sql.subexpressionElimination.enabled": "false",
    "spark.sql.analyzer.maxIterations": "10000",
    # Two rules of Catalyst's may undo each other's work for ever (a semi join over a field of a struct: decision 14).
    "spark.sql.optimizer.maxIterations": "20",
    # Spark would look at the stack for every column that is made, to name the line in an error: ours name the plan.
    "spark.sql.dataFrameQueryContext.enabled": "false",
    # What is written is read as instants by everybody, not as INT96, which has no zone to anybody but Spark.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    # Of a key that repeats in one object of JSON the last value counts (see `tables.json_files`).
    "spark.sql.variant.allowDuplicateKeys": "true",
    # What the folders of a table say is text; `tables.folders` says what it stands for.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}


def needed(java_options: str) -> dict[str, str]:
    """What our plans need of a session whose JVM was started with these options."""
    return {**SETTINGS, _LIMIT: "65535" if _LONG_METHODS in java_options else "8000"}


#: What a session of ours is started with.
CONF: dict[str, str] = {
    **SETTINGS,
    "spark.app.name": "firesteel",
    "spark.driver.extraJavaOptions": _JAVA_OPTIONS,
    "spark.executor.extraJavaOptions": _JAVA_OPTIONS,
    # The server that `remote="local"` starts would listen on every interface.
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # What Spark keeps of queries for a page that nobody sees: plans of ours are long, and a thousand may fill the heap.
    "spark.sql.ui.retainedExecutions": "5",
    "spark.ui.retainedJobs": "20",
    "spark.ui.retainedStages": "20",
    # Every stage of a query starts a thread, kept for a minute, until there are so many: 1,024 unless said otherwise.
    # A stage that waits for a thread waits for none behind it, so few are enough.
    "spark.sql.resultQueryStage.maxThreadThreshold": "16",
    "spark.sql.shuffleExchange.maxThreadThreshold": "16",
    "spark.sql.broadcastExchange.maxThreadThreshold": "16",
    "spark.python.sql.dataFrameDebugging.enabled": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}

#: What a session is started with where all of Spark is on this machine: nobody else can reach it. The machines of a
#: cluster have to reach the driver; there its address is Spark's to find (or SPARK_LOCAL_IP says it).
LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
_HERE = re.compile(r"local|spark://(127\.|localhost[:/])")

#: Only what stops the session is worth a line; our own errors tell the rest.
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


def start(master: str | None = None, remote: str | None = None) -> SparkSession:
    """A Spark session: on this machine, on a cluster (`master`), or through Spark Connect (`remote`)."""
    from pyspark.sql import SparkSession

    from firesteel.spark.encoding import columns

    columns.forget()
    silence()
    if master is not None and remote is not None:
        raise UnsupportedError("a session has a master or a remote, not both")
    if remote is not None and not remote.startswith("local"):
        return SparkSession.builder.remote(remote).getOrCreate()
    java = find_java()
    if java is None:
        raise FiresteelError(no_java())
    os.environ["JAVA_HOME"] = str(java.home)
    # Spark's Python workers on this machine: this Python, which has this package, and not the first one on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with _quiet_jvm() as options:
        builder = SparkSession.builder.remote(remote) if remote else SparkSession.builder.master(master or "local[*]")
        for name, value in {**CONF, **options, **_place(master)}.items():
            builder = builder.config(name, value)
        return builder.getOrCreate()


def silence() -> None:
    """PySpark logs every failing query to stderr, whatever the log level is; we tell of errors ourselves."""
    logger = logging.getLogger("SQLQueryContextLogger")
    logging.getLogger("DataFrameQueryContextLogger").setLevel(logging.CRITICAL + 1)
    logger.setLevel(logging.CRITICAL + 1)
    logger.propagate = False
    logging.getLogger().addFilter(_not_py4j)


def _not_py4j(record: logging.LogRecord) -> bool:
    """Py4J writes a stack to the root logger whenever it is interrupted or loses the JVM: that is told by an error."""
    return os.path.basename(os.path.dirname(record.pathname)) != "py4j"


def _place(master: str | None) -> dict[str, str]:
    """The settings that depend on where Spark runs."""
    master = master or "local[*]"
    found = LOOPBACK if _HERE.match(master) else {}
    if not master.startswith("local"):
        return found
    return {**found, "spark.sql.shuffle.partitions": str(_cores(master)), **_heap()}


def _cores(master: str) -> int:
    """Partitions of a shuffle: as many as there are cores to work on them."""
    inside = master.partition("[")[2].rstrip("]").partition(",")[0]
    if inside.isdigit():
        return max(1, int(inside))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2


def _heap() -> dict[str, str]:
    """On this machine all of Spark is one JVM: a quarter of the memory, as the JVM itself would take, where Spark would
    make do with 1 GB. `SPARK_DRIVER_MEMORY` says otherwise."""
    if "SPARK_DRIVER_MEMORY" in os.environ or not hasattr(os, "sysconf"):
        return {}
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
    return {"spark.driver.memory": f"{min(max(memory // 4, 1024), 8192)}m"}


@contextmanager
def _quiet_jvm() -> Iterator[dict[str, str]]:
    """A start without a word: the JVM's own log settings, and stderr kept until it has started."""
    with tempfile.TemporaryDirectory(prefix="firesteel-") as folder:
        settings = Path(folder) / "log4j2.properties"
        settings.write_text(_LOG4J, encoding="utf-8")
        option = f"{_JAVA_OPTIONS} -Dlog4j2.configurationFile={settings.as_uri()}"
        with open(Path(folder) / "stderr", "w+b") as kept, _stderr_to(kept.fileno()):
            yield {"spark.driver.extraJavaOptions": option}


@contextmanager
def _stderr_to(target: int) -> Iterator[None]:
    """What is written to stderr meanwhile, by the JVM too, goes elsewhere; to stderr after all if starting fails, but
    not if it is interrupted."""
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
