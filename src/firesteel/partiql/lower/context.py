"""The state of lowering one statement: the catalog, the parameters, the globals that the plan refers to so far."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import FiresteelError
from firesteel.functions.users import UserFunctions
from firesteel.node import Node, drive
from firesteel.partiql import ast
from firesteel.partiql.lower.scope import NameScope
from firesteel.plan.lookup import TableLookup
from firesteel.source import Place, Span
from firesteel.warning import QueryWarning, WarningKind

#: What the context wants of an expression. `(SELECT ...)` is coerced to a scalar where a `value` is wanted, and is the
#: whole result where a `collection` is. FROM wants a `source`: there globals come before local variables.
Want = Literal["value", "collection", "source"]

Lowering = Generator[tuple[ast.Ast, NameScope, Want], Any, Any]


@dataclass
class QueryContext:
    """One statement being lowered."""

    catalog: TableLookup
    mode: p.Mode = p.Mode.PERMISSIVE
    params: Sequence[values.Value] | None = None
    warnings: list[QueryWarning] = field(default_factory=list)
    globals: list[p.GlobalBinding] = field(default_factory=list)
    made: int = 0
    users: UserFunctions | None = None

    def global_(self, path: tuple[str, ...], type_: t.Type) -> p.Global:
        """A reference to a global, which the plan lists once."""
        binding = p.GlobalBinding(path, type_)
        if binding not in self.globals:
            self.globals.append(binding)
        return p.Global(type_, self.globals.index(binding))

    def warn(self, kind: WarningKind, message: str, where: Span | Place | None, hint: str) -> None:
        """Add a warning: once per kind and place, and at most `MOST_WARNINGS`."""
        said = any(known.kind is kind and known.where == where for known in self.warnings)
        if not said and len(self.warnings) < MOST_WARNINGS:
            self.warnings.append(QueryWarning(kind, message, where, hint))

    def fresh(self) -> str:
        """A new name that cannot occur in a query."""
        self.made += 1
        return f"${self.made}"


#: Further warnings are dropped.
MOST_WARNINGS = 100

Handler = Callable[[Any, NameScope, Want, QueryContext], Any]
HANDLERS: dict[type[Node], Handler] = {}


def lowers(*classes: type[Node]) -> Callable[[Handler], Handler]:
    """Register what lowers these classes: a function, or a generator that asks for the parts it needs."""

    def register(handler: Handler) -> Handler:
        for cls in classes:
            HANDLERS[cls] = handler
        return handler

    return register


def lower_expr(expr: ast.Ast, scope: NameScope, context: QueryContext, want: Want = "value") -> Any:
    """An expression as a plan's, its parts lowered on an explicit stack."""

    from firesteel.partiql.lower.grouping import output_of

    def dispatch(node: ast.Ast, scope: NameScope, want: Want) -> Any:
        if isinstance(node, ast.Expr) and not isinstance(node, ast.Lit):
            output = output_of(node, scope)
            if output is not None:
                return output
        try:
            return with_place(node, HANDLERS[type(node)](node, scope, want, context))
        except FiresteelError as error:
            raise error.located(node.where) from None

    return drive(dispatch, expr, scope, want)


def with_place(node: ast.Ast, made: Any) -> Any:
    """The result with the place of the syntax node, unless it has one; errors get the place too."""
    if isinstance(made, Generator):
        return _placing(node, made)
    return made.at(node.where) if isinstance(made, Node) and made.where is None else made


def _placing(node: ast.Ast, handler: Lowering) -> Lowering:
    try:
        made = yield from handler
    except FiresteelError as error:
        raise error.located(node.where) from None
    return with_place(node, made)
