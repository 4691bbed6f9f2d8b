"""Tables by their names, in a plan that is written as SQL text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.passes.analysis.paths import WHOLE
from firesteel.spark.core.expr import Expr, reference, struct_expr
from firesteel.spark.core.rows import Rows
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import Form, form
from firesteel.spark.sources.tables import touches
from firesteel.spark.sql_text.named_tables import NamedTables

if TYPE_CHECKING:
    from firesteel.spark.core.scope import Run


def named_rows(tables: NamedTables, run: Run, node: p.Scan | p.ScanIndexed, ordinal: int) -> Rows:
    """A SELECT of the columns that the plan uses, under generated names."""
    if not 0 <= ordinal < len(tables.globals):
        raise PlanError(f"no global {ordinal}: the plan has {len(tables.globals)}", where=node.where)
    binding = tables.globals[ordinal]
    if isinstance(node, p.ScanIndexed) or node.identified:
        raise UnsupportedError(f"'{binding.name}' by index or record identifier in Spark SQL", where=node.where)
    tree = run.touched.get(ordinal, WHOLE)
    pairs: list[tuple[str, Expr]] = []
    picked: list[Any] = []
    for field in _fields(binding, node):
        name = field.name or ""
        if touches(tree, name):
            if form(field.type) is Form.VARIANT:
                message = f"column '{name}' of '{binding.name}' has no certain type: it cannot be written as Spark SQL"
                raise UnsupportedError(message, where=node.where)
            pairs.append((name, reference(field.type, run.name())))
            picked.append(F.quoted(name).alias(*pairs[-1][1].place.names))
    frame: Any = tables.table(binding.path).select(*picked or [F.lit(1).alias(run.name())])
    return Rows(frame, (struct_expr(pairs),))


def _fields(binding: p.GlobalBinding, node: p.Scan | p.ScanIndexed) -> tuple[t.Field, ...]:
    """The columns of a table; UnsupportedError if they are not known."""
    element = binding.type.element if isinstance(binding.type, t.Collection) else None
    if binding.files is not None or not isinstance(element, t.Struct) or element.open:
        raise UnsupportedError(
            f"the columns of '{binding.name}' are not known: it cannot be written as Spark SQL",
            where=node.where,
            help="give a session in which it is a table with columns",
        )
    return element.fields
