"""Name resolution.

In FROM globals come before local variables, elsewhere after them; `@` looks for a local first. A name that is neither
may be an attribute of a visible row: certainly if the row's type lists it, possibly if the type is open. Between these
two, a name in FROM may be a table of the engine's own catalog, or the path of a file.
"""

from __future__ import annotations

from collections.abc import Sequence

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.errors import AnalysisError
from firesteel.partiql import ast
from firesteel.partiql.lower import warnings
from firesteel.partiql.lower.context import Lowering, QueryContext, Want, lowers
from firesteel.partiql.lower.grouping import output_of
from firesteel.partiql.lower.scope import NameScope, has_field, unseen_error
from firesteel.plan import build
from firesteel.plan.scope import shifted


@lowers(ast.Var)
def _var(var: ast.Var, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    item = scope.item(var) if want != "source" else None
    if item is not None:
        return (yield item, scope.without_items, want)
    if want != "source":
        warnings.ungrouped(var, var, scope, context)
    rex, _ = resolve(var, (), scope, want, context)
    return rex


@lowers(ast.Path)
def _path(path: ast.Path, scope: NameScope, want: Want, context: QueryContext) -> Lowering:
    steps: Sequence[ast.Step] = path.steps
    key = _meant_key(path, scope, context)
    if key is not None:
        return key
    item = _item_root(path.root, scope, want)
    if item is None and want != "source":
        warnings.ungrouped(path, path.root, scope, context)
    if item is not None:
        root = yield item, scope.without_items, "value"
    elif isinstance(path.root, ast.Var):
        try:
            root, used = resolve(path.root, path.steps, scope, want, context)
        except AnalysisError:
            if want == "source" or not _forgiven(path.root, scope, context):
                raise
            warnings.unknown_variable(path, path.root, scope, context)
            return build.lit(values.MISSING)
        steps = steps[used:]
    else:
        root = yield path.root, scope, "value"
    if not steps:
        return root
    made: list[p.Step] = []
    for step in steps:
        if isinstance(step, ast.Index) and _forgiven(step.key, scope, context):
            warnings.unknown_variable(path, step.key, scope, context)
            return build.lit(values.MISSING)
        made.append((yield from _step(step, scope)))
    warnings.unknown_column(root, steps, made, context)
    return build.path(root, *made)


def is_guess(var: ast.Var, scope: NameScope, context: QueryContext) -> bool:
    """Is it the name of a table, or of an attribute that a row of an open type may have?"""
    sure = scope.variable(var.name, var.quoted) or _attribute(var, scope, sure=True) or _query(var, scope)
    if sure is not None:
        return False
    return _global(var, (), context) is not None or _attribute(var, scope, sure=False) is not None


def _item_root(root: ast.Expr, scope: NameScope, want: Want) -> ast.Expr | None:
    """The item of the select list that a path goes into: a variable of FROM comes first."""
    if not isinstance(root, ast.Var) or want == "source" or scope.frame.find(root.name, root.quoted) is not None:
        return None
    return scope.item(root) or (root if output_of(root, scope) is not None else None)


def _forgiven(node: ast.Expr, scope: NameScope, context: QueryContext) -> bool:
    """A path from or by an unknown variable is MISSING, as other failing navigation is; strict: an error."""
    if context.mode is p.Mode.STRICT or scope.ordering or not isinstance(node, ast.Var):
        return False
    try:
        resolve(node, (), scope, "value", context)
    except AnalysisError:
        return True
    return False


def _meant_key(path: ast.Path, scope: NameScope, context: QueryContext) -> p.Rex | None:
    """The column of a group key that the path means, though it is written otherwise: `GROUP BY a`, then `t.a`."""
    fields = [step for step in path.steps if isinstance(step, ast.Field)]
    if not isinstance(path.root, ast.Var) or len(fields) < len(path.steps):
        return None
    for depth, frame in scope.frames():
        grouping = frame.grouping
        if grouping is None or grouping.before.variable(path.root.name, path.root.quoted) is None:
            continue
        root, used = resolve(path.root, path.steps, grouping.before, "value", context)
        keys = [f.name if f.quoted else values.Symbol(f.name) for f in fields[used:]]
        meant = build.path(root, *keys)
        if meant in grouping.keys:
            ordinal = grouping.keys.index(meant)
            return p.Var(grouping.types[ordinal], ordinal, depth=depth)
    return None


def _step(step: ast.Step, scope: NameScope) -> Lowering:
    match step:
        case ast.Field(name=name, quoted=quoted):
            return p.Key(build.lit(name if quoted else values.Symbol(name))).at(step.where)
        case ast.Index(key=key):
            rex = yield key, scope, "value"
            return p.Key(rex if _names_a_key(key, rex) else _index(rex)).at(step.where)
        case ast.EachElement():
            return p.Wildcard().at(step.where)
        case _:
            return p.UnpivotStep().at(step.where)


def _names_a_key(key: ast.Expr, rex: p.Rex) -> bool:
    """`t[expr]` is an attribute only for a string that is written there, or cast to one there; else it is an index."""
    return isinstance(rex.type, t.Text) and isinstance(key, ast.Lit | ast.Cast)


def _index(rex: p.Rex) -> p.Rex:
    return rex if isinstance(rex.type, t.Integer) else build.call("to_index", rex)


def resolve(
    var: ast.Var, steps: Sequence[ast.Step], scope: NameScope, want: Want, context: QueryContext
) -> tuple[p.Rex, int]:
    """What a name stands for, and how many of the steps behind it belong to the name of a global."""
    if want != "source" and scope.ordering and scope.hidden(var.name, var.quoted):
        raise unseen_error("GROUP BY" if scope.frame.grouping else "a set operator", var.where)
    local = scope.variable(var.name, var.quoted)
    if local is not None and context.mode is p.Mode.STRICT and not var.quoted:
        _only_one(var, scope)
    if var.local and local is not None:
        return local, 0
    query = _query(var, scope)
    if want == "source":
        if query is not None:
            return query, 0
        found = _global(var, steps, context)
        if found is not None:
            if local is not None and found[1] < len(steps):
                warnings.shadowed_alias(var, context)
            return found
        if local is not None:
            return local, 0
        if _attribute(var, scope, sure=True) is None:
            outside = _global(var, steps, context, outside=True)
            if outside is not None:
                return outside
    else:
        if local is not None:
            return local, 0
        attribute = _attribute(var, scope, sure=True)
        if attribute is not None:
            return attribute, 0
        if query is not None:
            return query, 0
        found = _global(var, steps, context)
        if found is not None:
            return found
    attribute = _attribute(var, scope, sure=want == "source") or _attribute(var, scope, sure=False)
    if attribute is None:
        raise undefined_error(var, scope, getattr(context.catalog, "names", list)())
    return attribute, 0


def undefined_error(var: ast.Var, scope: NameScope, tables: Sequence[str] = ()) -> AnalysisError:
    """The error for a name that cannot be resolved: it is neither a variable nor one of these tables."""
    grouped = [frame.grouping.before for _, frame in scope.frames() if frame.grouping]
    known = [*scope.known, *tables]
    help_ = warnings.did_you_mean(var.name, known) if known else None
    if any(_attribute(var, before, sure=False) is not None for before in grouped):
        help_ = "it is neither grouped nor aggregated: add it to GROUP BY, or aggregate it"
    elif var.quoted:
        help_ = f"in double quotes it is a name: if a string is meant, write '{var.name}'"
    return AnalysisError(f"no variable '{var.name}'", where=var.where, help=help_)


def _only_one(var: ast.Var, scope: NameScope) -> None:
    """In strict mode, a name that matches two variables that differ only in case has to be quoted."""
    for _, frame in scope.frames():
        alike = frame.alike(var.name)
        if len(alike) > 1:
            names = " or ".join(f'"{b.name}"' for b in alike)
            raise AnalysisError(f"'{var.name}' is ambiguous", where=var.where, help=f"say {names}")
        if alike:
            return


def _query(var: ast.Var, scope: NameScope) -> p.Rex | None:
    """A query that WITH named, moved to where it is used."""
    for name, (rex, depth) in scope.queries.items():
        if name == var.name or (not var.quoted and name.lower() == var.name.lower()):
            return shifted(rex, scope.depth - depth)
    return None


def _global(
    var: ast.Var, steps: Sequence[ast.Step], context: QueryContext, *, outside: bool = False
) -> tuple[p.Rex, int] | None:
    """The global with the longest name that the path spells; with `outside`, one that is not registered: a table of the
    engine's own, or a file whose path is a quoted name."""
    path = [(var.name, var.quoted)]
    for step in steps:
        if not isinstance(step, ast.Field):
            break
        path.append((step.name, step.quoted))
    while path:
        found = context.catalog.find_outside(path) if outside else context.catalog.find(path)
        if found is not None:
            return context.global_(*found), len(path) - 1
        path.pop()
    file = context.catalog.find_file(var.name) if outside and var.quoted else None
    return None if file is None else (context.global_(*file), 0)


def _attribute(var: ast.Var, scope: NameScope, sure: bool) -> p.Rex | None:
    """The name as an attribute of a row in sight, the innermost that has it or may have it."""
    key = var.name if var.quoted else values.Symbol(var.name)
    for depth, frame in scope.frames():
        rows = [p.Var(b.type, b.ordinal, depth=depth) for b in frame.bindings if b.role == "as" and not frame.grouping]
        fitting = [row for row in rows if (_has if sure else _may_have)(row.type, var)]
        if not fitting:
            continue
        if len(fitting) > 1 and sure:
            names = [b.name for b in frame.bindings if b.role == "as"]
            raise AnalysisError(f"'{var.name}' is ambiguous", where=var.where, help=f"say which of {', '.join(names)}")
        paths = [build.path(row, key) for row in fitting]
        return paths[0] if len(paths) == 1 else _first_there(paths)
    return None


def _first_there(paths: list[p.Path]) -> p.Rex:
    """The first of several possible attributes that is not MISSING."""
    branches = tuple(p.Branch(build.call("not", build.call("is_missing", path)), path) for path in paths[:-1])
    return p.Case(t.union(path.type for path in paths), None, branches, default=paths[-1])


def _has(type_: t.Type, var: ast.Var) -> bool:
    return isinstance(type_, t.Struct) and has_field(type_, var.name, var.quoted)


def _may_have(type_: t.Type, var: ast.Var) -> bool:
    return any(isinstance(m, t.Any) or (isinstance(m, t.Struct) and (m.open or _has(m, var))) for m in t.members(type_))
