"""PartiQL's relational algebra as s-expressions: `(map_values (id f) (scan (id Foo) f))`. See docs/algebra.md.

`syntax` knows the grammar; `names` finds what binds what; `reader` builds the plan; `writer` writes one back.
"""

from firesteel.partiql_plan.algebra.reader import read
from firesteel.partiql_plan.algebra.syntax import OPERATORS
from firesteel.partiql_plan.algebra.writer import write

__all__ = ["OPERATORS", "read", "write"]
