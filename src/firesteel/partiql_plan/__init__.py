"""PartiQL Plan: the plan as an Ion document, and the relational algebra's s-expressions.

forms               how a node is written, derived from its declaration; what reading and writing go by
matching reader     the generic reader; `alternative_forms` and `references` rewrite other notations into it
form_writer writer  the generic writer, and what the document has besides
builtin type_*      types: ordinals, references, the `(types ...)` block
sections document*  whole documents: plans; `header*`: headers
algebra             the relational algebra
"""

from firesteel.partiql_plan.document import read, read_node, read_nodes
from firesteel.partiql_plan.document_writer import write
from firesteel.partiql_plan.header import Header, TypeDeclaration, UnionDeclaration

__all__ = ["Header", "TypeDeclaration", "UnionDeclaration", "read", "read_node", "read_nodes", "write"]
