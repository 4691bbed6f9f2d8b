"""Which function a call means: one of PartiQL's, one that a user has registered, or with a prefix one of Spark's."""

from __future__ import annotations

from firesteel import functions
from firesteel.errors import AnalysisError, PolicyError
from firesteel.functions import users as registered
from firesteel.functions.users import UserFunction, UserFunctions
from firesteel.node import Node, transform
from firesteel.partiql import ast


def with_users(statement: ast.Statement, users: UserFunctions) -> ast.Statement:
    """The statement, in which calls of the user's functions know their rows."""

    def resolved(node: Node) -> Node:
        if not isinstance(node, ast.Call):
            return node
        found = _find(node, users)
        return node if found is None else node.replace(row=found.row.name)

    return transform(statement, resolved)


def _find(node: ast.Call, users: UserFunctions) -> UserFunction | None:
    if not node.qualifier:
        return users.find(node.name)
    if [part.text.lower() for part in node.qualifier] != ["spark"]:
        return None
    if not users.has_spark:
        raise PolicyError(
            f"'spark.{node.name}' is a function of Spark's, and those are not allowed",
            where=node.where,
            help="allow them with fs.connect(spark_functions=True)",
        )
    return users.find_spark(node.name)


def user_of(node: ast.Call) -> UserFunction | None:
    """The user's function that a call means."""
    return None if node.row is None else registered.find(node.row)


def row_of(node: ast.Call) -> functions.Function | None:
    """The row of the function that a call means."""
    return functions.find_partiql(node.name) if node.row is None else functions.find(node.row)


def ensure_arguments(user: UserFunction, count: int, node: ast.Call) -> None:
    """AnalysisError if the function does not take so many arguments."""
    fits = count == len(user.params) if user.kind == "aggregate" else any(s.takes(count) for s in user.row.signatures)
    if not fits:
        said = f"it takes {len(user.params)}"
        raise AnalysisError(f"'{user.name}' does not take {count} arguments", where=node.where, help=said)
