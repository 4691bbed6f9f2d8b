"""How queries and statements are printed: a line for each clause, unless the query fits on one."""

from __future__ import annotations

from firesteel.partiql import ast
from firesteel.partiql.write import words
from firesteel.partiql.write.layout import LINE, Doc, Piece, bracketed, group, joined, row
from firesteel.partiql.write.printing import ELEMENT, EXPRESSION, QUERY, Printing, all_of, listed, prints


def _name(node: ast.Name) -> str:
    return words.name(node.text, node.quoted)


def _names(nodes: tuple[ast.Name, ...]) -> str:
    return f"({', '.join(map(_name, nodes))})"


# ---------------------------------------------------------------------------------------------------------------------
# FROM


@prints(ast.Range, ast.Unpivot)
def _range(node: ast.Range | ast.Unpivot) -> Printing:
    head = "UNPIVOT " if isinstance(node, ast.Unpivot) else ""
    alias = f" AS {_name(node.alias)}" if node.alias else ""
    columns = f" {_names(node.columns)}" if isinstance(node, ast.Range) and node.columns else ""
    position = f" AT {_name(node.position)}" if node.position else ""
    by = f" BY {_name(node.by)}" if node.by else ""
    return row(head, (yield node.source, EXPRESSION), alias + columns + position + by)


@prints(ast.Join)
def _join(node: ast.Join) -> Printing:
    left = yield node.left, EXPRESSION
    right: Piece = yield node.right, EXPRESSION
    if isinstance(node.right, ast.Join):
        right = bracketed("(", right, ")")
    kind = "" if node.kind == "inner" else f"{node.kind.upper()} "
    if node.on is not None:
        return row(left, LINE, f"{kind}JOIN ", right, " ON ", (yield node.on, EXPRESSION))
    if node.using:
        return row(left, LINE, f"{kind}JOIN ", right, f" USING {_names(node.using)}")
    if node.natural:
        return row(left, LINE, f"NATURAL {kind}JOIN ", right)
    return row(left, LINE, f"{kind}{'' if node.kind == 'cross' else 'CROSS '}JOIN ", right)


# ---------------------------------------------------------------------------------------------------------------------
# SELECT


@prints(ast.Star)
def _star(node: ast.Star) -> str:
    return "*"


@prints(ast.Value)
def _value(node: ast.Value) -> Printing:
    return row("VALUE ", (yield node.value, EXPRESSION))


@prints(ast.Pivot)
def _pivot(node: ast.Pivot) -> Printing:
    return row((yield node.value, EXPRESSION), " AT ", (yield node.name, EXPRESSION))


@prints(ast.Items)
def _items(node: ast.Items) -> Printing:
    items = yield from all_of(node.items, EXPRESSION)
    if _starts_like_value(node.items[0].value):
        items[0] = (
            row("(", items[0], ")") if isinstance(node.items[0], ast.Item) and not node.items[0].alias else items[0]
        )
    return group(Doc([joined(items, ",", LINE)], indent=1))


def _starts_like_value(expr: ast.Expr) -> bool:
    """Would `SELECT expr` be read as SELECT VALUE?"""
    while isinstance(expr, ast.Path):
        expr = expr.root
    return isinstance(expr, ast.Var) and not expr.quoted and not expr.local and expr.name.upper() == "VALUE"


@prints(ast.Item)
def _item(node: ast.Item) -> Printing:
    value: Piece = yield node.value, EXPRESSION
    if isinstance(node.value, ast.Path) and node.alias is None and isinstance(node.value.steps[-1], ast.EachAttribute):
        value = row("(", value, ")")
    return row(value, f" AS {_name(node.alias)}" if node.alias else "")


@prints(ast.ItemStar)
def _item_star(node: ast.ItemStar) -> Printing:
    value: Piece = yield node.value, EXPRESSION
    bare = isinstance(node.value, ast.Var | ast.Path | ast.Call | ast.Subquery)
    return row(value if bare else row("(", value, ")"), ".*")


@prints(ast.ExcludePath)
def _exclude_path(node: ast.ExcludePath) -> Printing:
    return row((yield node.root, EXPRESSION), *(yield from all_of(node.steps, EXPRESSION)))


@prints(ast.Let)
def _let(node: ast.Let) -> Printing:
    return row((yield node.value, EXPRESSION), f" AS {_name(node.name)}")


@prints(ast.GroupKey)
def _group_key(node: ast.GroupKey) -> Printing:
    return row((yield node.key, EXPRESSION), f" AS {_name(node.alias)}" if node.alias else "")


@prints(ast.Group)
def _group(node: ast.Group) -> Printing:
    if not node.keys:
        return row("GROUP ALL", f" AS {_name(node.name)}" if node.name else "")
    head = "GROUP PARTIAL BY " if node.partial else "GROUP BY "
    return row(head, (yield from listed(node.keys)), f" GROUP AS {_name(node.name)}" if node.name else "")


@prints(ast.WindowDef)
def _window_def(node: ast.WindowDef) -> Printing:
    window: Piece = yield node.window, EXPRESSION
    return row(
        f"{_name(node.name)} AS ", window if node.window != ast.Window(node.window.name) else row("(", window, ")")
    )


@prints(ast.Select)
def _select(node: ast.Select) -> Printing:
    head = "PIVOT " if isinstance(node.projection, ast.Pivot) else "SELECT "
    quantifier = f"{node.quantifier.upper()} " if node.quantifier else ""
    clauses: list[Piece] = [row(head + quantifier, (yield node.projection, EXPRESSION))]
    if node.exclude:
        clauses.append(row("EXCLUDE ", (yield from listed(node.exclude))))
    if node.source is not None:
        clauses.append(group("FROM ", Doc([(yield node.source, EXPRESSION)], indent=1)))
    if node.lets:
        clauses.append(row("LET ", (yield from listed(node.lets))))
    if node.filter is not None:
        clauses.append(row("WHERE ", (yield node.filter, EXPRESSION)))
    if node.group is not None:
        clauses.append((yield node.group, EXPRESSION))
    if node.having is not None:
        clauses.append(row("HAVING ", (yield node.having, EXPRESSION)))
    if node.windows:
        clauses.append(row("WINDOW ", (yield from listed(node.windows))))
    return group(joined(clauses, LINE))


# ---------------------------------------------------------------------------------------------------------------------
# Around SELECT


@prints(ast.SetOp)
def _set_op(node: ast.SetOp) -> Printing:
    left: Piece = yield node.left, QUERY
    # UNION and EXCEPT are read from left to right, and INTERSECT before them.
    follows = isinstance(node.left, ast.SetOp) and (node.name != "intersect" or node.left.name == "intersect")
    if isinstance(node.left, ast.Query) or (isinstance(node.left, ast.SetOp) and not follows):
        left = bracketed("(", left, ")")
    right: Piece = yield node.right, QUERY
    if isinstance(node.right, ast.Query | ast.SetOp):
        right = bracketed("(", right, ")")
    outer = "OUTER " if node.outer else ""
    quantifier = f" {node.quantifier.upper()}" if node.quantifier else ""
    by = "" if node.corresponding is None else " CORRESPONDING"
    by += f" BY {_names(node.corresponding)}" if node.corresponding else ""
    return group(left, LINE, f"{outer}{node.name.upper()}{quantifier}{by}", LINE, right)


@prints(ast.With)
def _with(node: ast.With) -> Printing:
    columns = f" {_names(node.columns)}" if node.columns else ""
    return row(f"{_name(node.name)}{columns} AS ", bracketed("(", (yield node.query, QUERY), ")"))


@prints(ast.Query)
def _query(node: ast.Query) -> Printing:
    clauses: list[Piece] = []
    if node.withs:
        withs = yield from all_of(node.withs, EXPRESSION)
        clauses.append(row("WITH RECURSIVE " if node.recursive else "WITH ", joined(withs, ",", LINE)))
    body: Piece = yield node.body, QUERY
    clauses.append(bracketed("(", body, ")") if isinstance(node.body, ast.Query) else body)
    if node.preserve:
        clauses.append("ORDER BY PRESERVE")
    if node.order:
        clauses.append(row("ORDER BY ", (yield from listed(node.order))))
    if node.limit is not None:
        clauses.append(row("LIMIT ", (yield node.limit, EXPRESSION)))
    if node.offset is not None:
        clauses.append(row("OFFSET ", (yield node.offset, EXPRESSION)))
    return group(joined(clauses, LINE))


@prints(ast.Table)
def _table(node: ast.Table) -> Printing:
    return row("TABLE ", (yield node.source, ELEMENT))


@prints(ast.Subquery)
def _subquery(node: ast.Subquery) -> Printing:
    return bracketed("(", (yield node.query, QUERY), ")")


# ---------------------------------------------------------------------------------------------------------------------
# Statements


@prints(ast.QueryStatement)
def _query_statement(node: ast.QueryStatement) -> Printing:
    return (yield node.query, QUERY)


@prints(ast.Explain)
def _explain(node: ast.Explain) -> Printing:
    options = ", ".join(f"{name} {value}" for name, value in node.options)
    return row("EXPLAIN ", f"({options}) " if options else "", (yield node.statement, QUERY))


@prints(ast.Exec)
def _exec(node: ast.Exec) -> Printing:
    return row("EXEC ", (yield node.name, EXPRESSION), " " if node.args else "", (yield from listed(node.args)))


@prints(ast.CreateView)
def _create_view(node: ast.CreateView) -> Printing:
    head = "CREATE OR REPLACE VIEW " if node.or_replace else "CREATE VIEW "
    columns = f" {_names(node.columns)}" if node.columns else ""
    return group(head + ".".join(map(_name, node.name)) + columns + " AS", LINE, (yield node.query, QUERY))
