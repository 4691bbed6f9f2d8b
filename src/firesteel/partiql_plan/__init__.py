"""PartiQL Plan: the plan as an Ion document, and the relational algebra's s-expressions.

forms               how a node is written, derived from its declaration; what reading and writing go by
read/               `nodes` and `matching` are the generic reader; `alternative_forms` and `references` rewrite other
                    notations into its forms; `types`; `sections` and `document` for whole documents
write/              `forms` is the generic writer, `plans` what the document has besides; `types`, `document`
builtin header      the built-in types and their ordinals; headers
algebra/            the relational algebra
"""

from firesteel.partiql_plan.header import Header, TypeDeclaration, UnionDeclaration
from firesteel.partiql_plan.read.document import read, read_element, read_node, read_nodes
from firesteel.partiql_plan.write.document import write

__all__ = ["Header", "TypeDeclaration", "UnionDeclaration", "read", "read_element", "read_node", "read_nodes", "write"]
