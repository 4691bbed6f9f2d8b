"""The reference evaluator: what a plan means, computed in this process, without an engine.

`base.py` says how plans become closures and `depth_limit.py` how deep they nest. The handlers of the nodes are in
`rex.py`, `path.py`, `call.py`, `rel.py`, `join.py`, `group.py`, `window.py` and `exclude.py`; `functions.py` and
`aggregates.py` are the tables of the functions; `arithmetic.py`, `compare.py`, `logic.py`, `text.py`, `convert.py`
and others compute them.
"""

from firesteel.evaluate import call, exclude, group, join, path, rel, rex, window  # noqa: F401  (each registers its handlers)
from firesteel.evaluate.base import HANDLERS, UNSUPPORTED, Env
from firesteel.evaluate.depth_limit import MAX_DEPTH
from firesteel.evaluate.run import each, evaluate, expression

__all__ = ["HANDLERS", "MAX_DEPTH", "UNSUPPORTED", "Env", "each", "evaluate", "expression"]
