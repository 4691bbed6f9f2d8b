"""The depth limit of plans, and the Python frames that a deep plan needs to run.

A run asks for as many frames as its plan can nest (`firesteel.stack`). Because closures only ever call closures as
Python functions (see `base.py`), no thread with a larger stack is needed, an interrupt arrives where it should, and a
plan of `MAX_DEPTH` levels runs on any thread's stack; `tests/evaluate/test_deep.py` holds that with one of 256 KiB.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from firesteel.errors import EvaluationError, FiresteelError, UnsupportedError
from firesteel.node import Node, children, fold
from firesteel.stack import room

T = TypeVar("T")

#: The number of nodes on the longest way down that a plan may have.
MAX_DEPTH = 100_000

#: At most so many Python frames per level: a closure, a comprehension in it, the memory of a shared subplan; and spare.
_FRAMES = 4
#: What runs at the bottom: functions, `values.key`, a table's reader.
_SPARE = 1_000
#: For deeper plans an error drops its traceback, which would be one frame per level.
_LONG = 100


def survey(root: Node) -> tuple[int, set[int]]:
    """A plan's depth, and the identities of the nodes that have more than one parent. Too deep is an error."""
    below: dict[int, list[Node]] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        if id(node) not in below:
            below[id(node)] = children(node)
            stack.extend(below[id(node)])
    levels = fold(root, lambda _, depths: 1 + max(depths, default=0), lambda node: below[id(node)])
    if levels > MAX_DEPTH:
        raise UnsupportedError(f"the plan nests {levels} levels deep; the reference evaluator goes to {MAX_DEPTH}")
    parents = Counter(id(child) for kids in below.values() for child in kids)
    return levels, {node for node, count in parents.items() if count > 1}


def run(work: Callable[[], T], levels: int) -> T:
    """Do the work with frames for so many levels."""
    try:
        with room(levels * _FRAMES + _SPARE):
            return work()
    except FiresteelError as error:
        raise (error.with_traceback(None) if levels > _LONG else error) from error.__cause__
    except RecursionError as error:
        raise EvaluationError(f"nested too deep to evaluate: {error}") from None
