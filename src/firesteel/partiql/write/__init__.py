"""A plan as PartiQL text.

statement.py          statements
relations.py          relations as SELECT blocks (blocks.py)
expressions.py        expressions; calls.py and literals.py: how a function, a value, a type is written
scope.py              what the rows of the plan are called
printing.py           the syntax tree to text (print_expressions.py, print_queries.py); layout.py: its lines
"""

from firesteel import plan as p
from firesteel.partiql import ast
from firesteel.partiql.write import print_expressions, print_queries
from firesteel.partiql.write.layout import render
from firesteel.partiql.write.printing import print_doc
from firesteel.partiql.write.statement import syntax

#: The modules whose handlers printing needs.
ROOMS = (print_expressions, print_queries)


def print_syntax(node: ast.Ast) -> str:
    """A syntax tree as text, from which the parser makes the same tree again."""
    return render(print_doc(node))


def write(plan: p.Plan) -> str:
    """A plan's statement as text. Planned over the same tables and in the plan's mode, it gives the same answers."""
    return print_syntax(syntax(plan))


__all__ = ["print_syntax", "syntax", "write"]
