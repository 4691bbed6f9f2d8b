"""Join strategies, as hints to Spark.

A hint is put over the base of a side: Spark finds it through the selects and filters above it. A nested loop join is a
broadcast one, whose condition must not show Spark any keys, because Spark prefers to join by keys.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import Column

from firesteel import plan as p
from firesteel.plan import Capture, JoinStrategy, Side
from firesteel.spark.core.rows import Rows
from firesteel.spark.core.scope import Run
from firesteel.spark.encoding import columns as F

#: Spark's names of the strategies. They are visible in its plans as ShuffledHashJoin, SortMergeJoin, BroadcastHashJoin
#: and BroadcastNestedLoopJoin.
HINTS = {
    JoinStrategy.HASH: "shuffle_hash",
    JoinStrategy.MERGE: "merge",
    JoinStrategy.BROADCAST: "broadcast",
    JoinStrategy.NESTED_LOOP: "broadcast",
}

_STREAMS_LEFT = "Spark goes through the left rows and looks each up among the right rows"
_UNMATCHED = "a row that is in every partition has no match only if no partition has one, and none of them can tell"

#: Joins that Spark has no such form of, by strategy and the side that is built or broadcast, and why. A hash join is
#: built of the other side then. For a broadcast join there is no hint, and Spark decides: the other side may be large.
#: Not in the table: a hash or merge join whose condition has no keys. Spark has nothing to hash or to sort by there.
NO_FORM: dict[tuple[JoinStrategy, Side], dict[Capture, str]] = {
    (JoinStrategy.HASH, Side.LEFT): {
        Capture.LEFT_SEMI: _STREAMS_LEFT,
        Capture.LEFT_ANTI: _STREAMS_LEFT,
        Capture.LEFT_MARK: _STREAMS_LEFT,
    },
    (JoinStrategy.BROADCAST, Side.LEFT): {
        Capture.LEFT: _UNMATCHED,
        Capture.FULL: _UNMATCHED,
        Capture.LEFT_SEMI: _STREAMS_LEFT,
        Capture.LEFT_ANTI: _STREAMS_LEFT,
        Capture.LEFT_MARK: _STREAMS_LEFT,
        Capture.LEFT_SINGLE: _UNMATCHED,
    },
    (JoinStrategy.BROADCAST, Side.RIGHT): {Capture.RIGHT: _UNMATCHED, Capture.FULL: _UNMATCHED},
}


def is_nested_loop(node: p.Join) -> bool:
    return node.strategy is JoinStrategy.NESTED_LOOP


def with_hints(node: p.Join, left: Rows, right: Rows) -> tuple[Rows, Rows]:
    """Both sides of a join, with a hint for the strategy that the plan asks for."""
    if node.strategy is None:
        return left, right
    hint, missing = HINTS[node.strategy], node.capture in NO_FORM.get((node.strategy, node.build), {})
    if missing and node.strategy is JoinStrategy.BROADCAST:
        return left, right
    if node.build is Side.LEFT and not missing:
        return replace(left, base=left.base.hint(hint)), right
    return left, replace(right, base=right.base.hint(hint))


def hide_keys(left: Rows, condition: Column, run: Run) -> tuple[Rows, Column]:
    """The condition of a join in a CASE over a column of the left that is always true. Catalyst does not know that it
    is (`F.once`), so it finds no equality of two keys in the condition."""
    always = run.name()
    marked = left.row_by_row(left.materialize().select("*", F.once(F.lit(True)).alias(always)))
    return marked, F.when(F.col(always), condition)
