"""The reference evaluator: what a plan means, computed in this process, without an engine.

`base.py` says how plans become closures and `depth_limit.py` how deep they nest. The handlers of the nodes are in
`rex.py`, `path.py`, `call.py` and `relations/`; `scalar/functions.py` and `relations/aggregates.py` are the tables of
the functions, which the other modules of `scalar/` compute.
"""

from firesteel.evaluate import call, path, rex  # noqa: F401  (each registers its handlers)
from firesteel.evaluate.base import HANDLERS, UNSUPPORTED, Env
from firesteel.evaluate.depth_limit import MAX_DEPTH
from firesteel.evaluate.relations import exclude, group, join, physical, rel, window  # noqa: F401  (they register theirs)
from firesteel.evaluate.run import each, evaluate, expression

__all__ = ["HANDLERS", "MAX_DEPTH", "UNSUPPORTED", "Env", "each", "evaluate", "expression"]
