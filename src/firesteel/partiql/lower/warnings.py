"""The warnings of a query: each function checks for one kind of warning while the query is lowered."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

from firesteel import plan as p
from firesteel import types as t
from firesteel.partiql import ast
from firesteel.partiql.lower.context import QueryContext
from firesteel.partiql.lower.scope import NameScope, has_field
from firesteel.plan import build
from firesteel.plan.scope import free_rows
from firesteel.warning import WarningKind


def constant_key(
    clause: str, key: ast.Expr, rex: p.Rex, projection: ast.Projection | None, context: QueryContext
) -> None:
    """`ORDER BY 1`: PartiQL has no numbers for columns."""
    if 0 in free_rows(rex):
        return
    hint = "leave it out"
    if isinstance(key, ast.Lit) and type(key.value) is int and isinstance(projection, ast.Items):
        meant = projection.items[key.value - 1] if 0 < key.value <= len(projection.items) else None
        if isinstance(meant, ast.Item):
            hint = f"a number is no column: write {meant.alias.text if meant.alias else _text(meant.value)}"
    context.warn(WarningKind.CONSTANT_KEY, f"{clause} {_text(key)} is the same for every row", key.where, hint)


def condition(clause: str, written: ast.Expr, rex: p.Rex, context: QueryContext) -> None:
    """`WHERE 1`: the condition can never be true."""
    if not t.overlap(rex.type, t.Bool(nullable=True, missable=True)):
        message = f"{clause} takes a boolean; a {rex.type} is never true"
        context.warn(WarningKind.NEVER_TRUE, message, written.where, "compare it with something")


def shadowed_alias(var: ast.Var, context: QueryContext) -> None:
    """`FROM e, e.items AS i`: in FROM the table `e` comes before the variable `e`."""
    message = f"'{var.name}' is the table here, and not the alias of that name"
    context.warn(WarningKind.SHADOWED_ALIAS, message, var.where, f"write @{var.name} for the alias")


def ungrouped(node: ast.Expr, root: ast.Expr, scope: NameScope, context: QueryContext) -> None:
    """A variable that is not visible after GROUP BY: its name now means something else, or MISSING."""
    if isinstance(root, ast.Var) and not scope.ordering and scope.hidden(root.name, root.quoted):
        message, hint = f"{_text(node)} is neither grouped nor aggregated", "add it to GROUP BY, or aggregate it"
        context.warn(WarningKind.NOT_GROUPED, message, node.where, f"{hint}: max({_text(node)})")


def unknown_variable(path: ast.Path, var: ast.Expr, scope: NameScope, context: QueryContext) -> None:
    """A path from or by an unknown variable."""
    if isinstance(var, ast.Var) and not scope.hidden(var.name, var.quoted):
        message = f"no variable '{var.name}', so that the path is MISSING"
        context.warn(WarningKind.UNKNOWN_NAME, message, path.where, did_you_mean(var.name, scope.known))


def unknown_column(root: p.Rex, written: Sequence[ast.Step], steps: list[p.Step], context: QueryContext) -> None:
    """A step to an attribute that, by its type, a struct does not have."""
    following = root.type
    for step, lowered in zip(written, steps, strict=False):
        type_, following = following, build.path_type(following, [lowered])
        if not isinstance(step, ast.Field) or not isinstance(type_, t.Struct) or type_.open:
            continue
        if not has_field(type_, step.name, step.quoted):
            message = f"there is no column '{step.name}', so that it is MISSING"
            names = [field.name or "" for field in type_.fields]
            context.warn(WarningKind.UNKNOWN_NAME, message, step.where, did_you_mean(step.name, names))
            return


def quoted_name(operands: Sequence[ast.Expr], is_guess: Callable[[ast.Var], bool], context: QueryContext) -> None:
    """`t.status = "shipped"`: double quotes make it a name, not a string."""
    names = [one for one in operands if isinstance(one, ast.Var) and one.quoted]
    if not names or not any(isinstance(one, ast.Path | ast.Var) for one in operands if one not in names):
        return
    for name in names:
        if is_guess(name):
            message = f'"{name.name}" in double quotes is a name, not a string'
            context.warn(WarningKind.QUOTED_NAME, message, name.where, f"if a string is meant, write '{name.name}'")


def unlike_columns(left: t.Struct, right: t.Struct, node: ast.SetOp, context: QueryContext) -> None:
    """Rows are structs, and keep the names they have: `{'a': 1}` and `{'b': 1}` are not the same."""
    names = [[(field.name or "").lower() for field in side.fields] for side in (left, right)]
    if sorted(names[0]) != sorted(names[1]):
        said = f"the columns are called {', '.join(names[0])} on the left and {', '.join(names[1])} on the right"
        context.warn(WarningKind.UNLIKE_COLUMNS, said, node.right.where, "give them the aliases of the left: x AS a")


def lost_digits(what: str, node: ast.Expr, context: QueryContext) -> None:
    """A literal with more digits than are kept."""
    context.warn(WarningKind.LOST_DIGITS, f"{what}: the others are lost", node.where, "write fewer digits")


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Which of the names that are known was probably meant."""
    close = difflib.get_close_matches(name, known, 1)
    return f"did you mean '{close[0]}'?" if close else f"there are {', '.join(known) or 'none'}"


def _text(node: ast.Expr) -> str:
    return node.where.text if node.where else "it"
