"""Tables by their names, for a plan that is written as SQL text and not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.spark.core.expr import Expr, reference, struct_expr
from firesteel.spark.encoding import columns as F
from firesteel.spark.encoding.column_types import Form, form
from firesteel.spark.sql_text.columns import TextColumn
from firesteel.spark.sql_text.frames import TextFrame
from firesteel.spark.sql_text.literals import identifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from firesteel.spark.core.scope import Run


def named_rows(run: Run, node: p.Scan | p.ScanIndexed, binding: p.GlobalBinding, used: Callable[[str], bool]) -> tuple[TextFrame, Expr]:
    """A SELECT from the table of the columns that the plan uses, under generated names; and the value of a row."""
    element = binding.type.element if isinstance(binding.type, t.Collection) else None
    if binding.files is not None or not isinstance(element, t.Struct) or element.open:
        raise UnsupportedError(
            f"'{binding.name}' has no columns that are known: it cannot be written as Spark SQL",
            where=node.where,
            help="give a session in which it is a table with columns",
        )
    pairs: list[tuple[str, Expr]] = []
    picked: list[TextColumn] = []
    for field in element.fields:
        name = field.name or ""
        if not used(name):
            continue
        if form(field.type) is Form.VARIANT:
            raise UnsupportedError(f"column '{name}' of '{binding.name}' has no certain type", where=node.where)
        new = run.name()
        picked.append(TextColumn(identifier(name)).alias(new))
        pairs.append((name, reference(field.type, new)))
    source = TextFrame(".".join(identifier(part) for part in binding.path))
    return source.select(*picked or [F.lit(1).alias(run.name())]), struct_expr(pairs)
