"""Statements."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel import plan as p
from firesteel import values
from firesteel.errors import UnsupportedError
from firesteel.functions.users import UserFunctions
from firesteel.partiql import ast
from firesteel.partiql.lower import expressions, names, queries, sets, sources
from firesteel.partiql.lower.calls.familiar_names import with_definitions
from firesteel.partiql.lower.calls.resolve import with_users
from firesteel.partiql.lower.context import QueryContext, lower_expr
from firesteel.partiql.lower.scope import NameFrame, NameScope
from firesteel.plan.lookup import TableLookup
from firesteel.warning import QueryWarning

#: The modules whose handlers lowering needs.
ROOMS = (expressions, names, queries, sets, sources)


def lower(
    statement: ast.Statement,
    catalog: TableLookup,
    *,
    mode: p.Mode = p.Mode.PERMISSIVE,
    params: Sequence[values.Value] | None = None,
    warnings: list[QueryWarning] | None = None,
    users: UserFunctions | None = None,
) -> p.Plan:
    """The plan of a statement. Warnings are added to `warnings`; `users` are the functions that a user registered."""
    if users is not None:
        statement = with_users(statement, users)
    statement = with_definitions(statement)
    context = QueryContext(catalog, mode, params, [] if warnings is None else warnings, users=users)
    scope = NameScope(NameFrame())
    match statement:
        case ast.QueryStatement(query=query):
            made: p.Statement = p.Query(lower_expr(query, scope, context), mode=mode)
        case ast.CreateView(name=name, query=query, columns=columns, or_replace=replaces):
            title, listed = ".".join(n.text for n in name), tuple(column.text for column in columns)
            view = lower_expr(query, scope, context)
            made = p.CreateView(title, view, columns=listed, mode=mode, replace_existing=replaces)
        case ast.Dml(verb=verb) | ast.Ddl(verb=verb):
            raise UnsupportedError(f"{verb} is not supported: it changes data", where=statement.where)
        case _:
            raise UnsupportedError(f"{statement.tag} is not supported", where=statement.where)
    return p.Plan(made, globals=tuple(context.globals))
