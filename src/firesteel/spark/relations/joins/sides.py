"""What all joins share: the source position of a condition, the order of joined rows, messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firesteel import plan as p
from firesteel.spark.core.rows import Rows
from firesteel.spark.core.scope import Where

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The message for a left row with two partners where one is allowed.
SECOND_MATCH = "a row has more than one match in a join that allows one"
#: The message for a condition that is no boolean.
NO_BOOLEAN = "a condition is a boolean"


def condition_place(condition: p.Rex, node: p.Join) -> Where:
    """Where to point for a condition: to itself, or else to the join."""
    return condition.where or node.type.where or node.where


def joined_order(left: bool | None, right: bool | None) -> bool | None:
    """Are joined rows a list (True), a bag (False), or known only at run time (None)? A list only if both sides are."""
    if left is False or right is False:
        return False
    return True if left and right else None


def joined_rows(node: p.Join, left: Rows, right: Rows, frame: DataFrame) -> Rows:
    """The rows of a joined frame: the columns of both sides, in the order of both if they are lists. A physical join
    keeps the order of the left, or none."""
    operators = max(left.operators, right.operators) + 1
    columns = left.columns + right.columns
    if node.strategy is not None:
        if not node.keeps_left_order:
            return Rows(frame, columns, operators=operators)
        return Rows(frame, columns, left.order, left.ordered, operators=operators, listed=left.listed)
    ordered = False if node.capture.pads_left else joined_order(left.ordered, right.ordered)
    order = (*left.order, *right.order) if ordered is not False else ()
    return Rows(frame, columns, order, ordered, operators=operators, listed=left.listed + right.listed)
