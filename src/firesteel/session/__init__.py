"""Sessions: the only room that knows both ends. A plan is read, bound to tables, rewritten, run, and answered.

`session` is what users hold. `planner` makes of texts and documents what an engine runs, and `plan_cache` keeps it.
`statements` does what each statement says, `catalog` knows tables and views by name, `document` is a plan that was
read, `engines` is what a session wants of an engine, `results` what a user gets.
"""

from firesteel.session.engines import Engine, Outcome
from firesteel.session.results import Result
from firesteel.session.session import Session, connect, ion

__all__ = ["Engine", "Outcome", "Result", "Session", "connect", "ion"]
