"""Sessions: the only package that imports both the readers and the engines. A session reads a plan, binds it to tables,
runs the passes and the engine, and returns the result.

`session` has the class that users work with. `planner` turns texts and documents into prepared plans, `plan_cache`
caches these. `statements` executes statements, `catalog` has tables and views by name, `document` is a plan as users
hold it, `engines` the interface of an engine, `results` the answers, `writes` the rows of statements that write, and
`deliveries` the partitions that an exchange sends to locations.
"""

from firesteel.session.engines import Engine, Outcome
from firesteel.session.results import Result
from firesteel.session.session import Session, connect

__all__ = ["Engine", "Outcome", "Result", "Session", "connect"]
