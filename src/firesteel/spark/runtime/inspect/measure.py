"""What a run on Spark measured: rows and time of the whole, and the operators of Spark's plan with what its public
interfaces tell of them: `explain("formatted")`, an `Observation`, and if Spark's web page is on, its REST interface.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from firesteel.evaluate.meter import EngineOperator, Figures, Measured
from firesteel.plan import Pivot, Plan, Query, Select
from firesteel.spark.core.worker_package import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: What Spark's operators do, in words that people know. The longest name that fits counts.
WORDS = {
    "AdaptiveSparkPlan": "plan that adapts while it runs",
    "AQEShuffleRead": "read of a shuffle",
    "BatchEvalPython": "Python, row by row",
    "ArrowEvalPython": "Python, by columns",
    "MapInArrow": "Python, by columns",
    "BroadcastExchange": "copy to every process",
    "BroadcastHashJoin": "join with a broadcast table",
    "BroadcastNestedLoopJoin": "join of every pair, one side broadcast",
    "CartesianProduct": "join of every pair",
    "CollectMetrics": "counting of rows",
    "ColumnarToRow": "columns to rows",
    "Exchange": "shuffle",
    "Expand": "copies of rows",
    "Filter": "filter",
    "Generate": "unnest",
    "GlobalLimit": "limit",
    "HashAggregate": "aggregate by hashing",
    "LocalLimit": "limit",
    "LocalTableScan": "rows of the query itself",
    "ObjectHashAggregate": "aggregate by hashing",
    "Project": "columns",
    "Scan": "read",
    "ShuffledHashJoin": "hash join",
    "Sort": "sort",
    "SortAggregate": "aggregate by sorting",
    "SortMergeJoin": "merge join",
    "TakeOrderedAndProject": "top rows",
    "Union": "union",
    "Window": "window",
    "WholeStageCodegen": "generated code of several operators",
}

_SECTION = re.compile(r"^\((\d+)\) ([^\n\[]+?)(?: \[codegen id : \d+\])?\n((?:[A-Z].*\n?)*)", re.MULTILINE)
#: The lines of `explain("formatted")` that are shown, and what they are called.
_SHOWN = {
    "PushedFilters": "pushed filters",
    "PartitionFilters": "filters of folders",
    "ReadSchema": "columns read",
    "Condition": "condition",
    "Join condition": "join condition",
    "Location": "files",
}
#: The metrics of operators that are shown.
_METRIC = re.compile(r"output rows|^time|time in|spill|bytes|size|peak memory", re.IGNORECASE)
_SECONDS = 5


def measured(
    spark: SparkSession, plan: Plan, frame: DataFrame, as_rows: bool, run: Callable[[Callable[[], None]], None]
) -> Measured:
    """Compute a frame and throw its rows away. `run` executes an action."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    counted = Observation("firesteel rows")
    whole = frame.observe(counted, F.count(F.lit(1)).alias("rows"))
    before = _last_execution(spark)
    start = time.perf_counter()
    run(lambda: whole.write.format("noop").mode("overwrite").save())
    taken = (time.perf_counter() - start) * 1000
    rows = int(counted.get["rows"]) if as_rows else 1
    below = (*_planned(frame), *_executed(spark, before))
    rex = plan.statement.rex if isinstance(plan.statement, Query) else None
    known = {id(rex): Figures(rows)} if isinstance(rex, Select | Pivot) else {}
    return Measured(plan, taken, rows, known, below)


def _planned(frame: DataFrame) -> Iterator[EngineOperator]:
    """The operators of the plan before it runs, each with what matters of it."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        frame.explain("formatted")
    for _, name, lines in _SECTION.findall(text.getvalue()):
        pairs = (one.partition(": ") for one in lines.splitlines())
        details = {_SHOWN[key.rstrip()]: _cut(value) for key, _, value in pairs if key.rstrip() in _SHOWN}
        yield EngineOperator(name.strip(), words_of(name), details)


def _cut(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:199]}…"


def words_of(name: str) -> str:
    """What an operator does."""
    fitting = [known for known in WORDS if name.startswith(known)]
    return WORDS[max(fitting, key=len)] if fitting else name.strip()


# ---------------------------------------------------------------------------------------------------------------------
# The REST interface of Spark's web page


def _asked(spark: SparkSession, path: str) -> Any:
    """What the web page says; None if this Spark has none."""
    if is_connect(spark):
        return None
    context = spark.sparkContext
    if context.uiWebUrl is None:
        return None
    port = context.uiWebUrl.rpartition(":")[2]
    url = f"http://localhost:{port}/api/v1/applications/{context.applicationId}/{path}"
    try:
        with urllib.request.urlopen(url, timeout=_SECONDS) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return None


def _last_execution(spark: SparkSession) -> int:
    return max((one["id"] for one in _asked(spark, "sql?details=false&length=100000") or []), default=-1)


def _executed(spark: SparkSession, before: int) -> Iterator[EngineOperator]:
    """The operators of what ran since, with their metrics."""
    for execution in _asked(spark, f"sql?details=true&offset={before + 1}&length=1000") or []:
        for node in execution.get("nodes", []):
            metrics = {
                one["name"]: one["value"].split("\n")[-1] for one in node["metrics"] if _METRIC.search(one["name"])
            }
            if metrics:
                yield EngineOperator(node["nodeName"].strip(), words_of(node["nodeName"]), metrics)
