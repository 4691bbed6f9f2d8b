"""Statements of a plan as syntax."""

from __future__ import annotations

from firesteel import plan as p
from firesteel.node import Node, drive, transform, walk
from firesteel.partiql import ast
from firesteel.partiql.write.blocks import items
from firesteel.partiql.write.expressions import Steps, unsupported
from firesteel.partiql.write.relations import Relations
from firesteel.partiql.write.scope import Scope, new_name


def syntax(plan: p.Plan) -> ast.Statement:
    """The statement of a plan as a syntax tree: planned over the same tables, in the plan's mode, it gives the same
    answers. UnsupportedError for what PartiQL has no words for."""
    statement = plan.statement
    mode = getattr(statement, "mode", p.Mode.PERMISSIVE)
    writing = Relations(plan, mode)
    match statement:
        case p.Query(rex=rex):
            made: ast.Expr = drive(_same, _top(rex, writing))
        case p.Root(names=names, input=rel):
            made = drive(_same, _rows(names, rel, writing))
        case p.CreateView(query=rex, columns=()):
            made = drive(_same, _top(rex, writing))
        case _:
            raise unsupported(statement)
    if writing.withs:
        body = made if isinstance(made, ast.Query) and not made.withs else ast.Query(made)
        made = body.replace(withs=tuple(writing.withs.values()))
    made = _without_unused(made, writing.naming.invented)
    if isinstance(statement, p.CreateView):
        name = tuple(map(new_name, statement.name.split(".")))
        return ast.CreateView(name, made, or_replace=statement.replace_existing)
    return ast.QueryStatement(made)


def _same(steps: Steps) -> Steps:
    return steps


def _top(rex: p.Rex, writing: Relations) -> Steps:
    """A statement's own query. Parentheses around it mean nothing, so a scalar subquery has to be called one."""
    scope = Scope()
    if isinstance(rex, p.Select | p.Pivot):
        return (yield (writing.query(rex, scope, True),))
    made = yield (writing.value(rex, scope),)
    if not isinstance(made, ast.Subquery):
        return made
    return ast.Call("coll_to_scalar", (made.query,)) if isinstance(rex, p.CollToScalar) else made.query


def _rows(names: tuple[str, ...], rel: p.Rel, writing: Relations) -> Steps:
    """The rows of a relation under the names that they have at the edge of the plan."""
    block = yield (writing.block(rel, Scope()),)
    columns = [p.build.column(rel, i) for i in range(len(names))]
    if not names:
        return block.query(ast.Value(ast.Struct(())))
    block = writing.blocks.speaking(block, rel, Scope(), columns)
    return block.query(items(zip(names, block.columns, strict=True)))


def _without_unused(made: ast.Expr, invented: set[str]) -> ast.Expr:
    """The query without positions that were named because there are such, and that nobody asks for."""
    used = {var.name for var in walk(made, ast.Var)}

    def one(node: Node) -> Node:
        if isinstance(node, ast.Range | ast.Unpivot) and node.position is not None:
            name = node.position.text
            return node.replace(position=None) if name in invented - used else node
        return node

    return transform(made, one, ast.Unpivot)
