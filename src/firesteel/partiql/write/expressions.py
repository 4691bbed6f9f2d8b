"""Expressions of a plan as syntax."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any

from firesteel import functions, values
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.node import Node
from firesteel.partiql import ast
from firesteel.partiql.lower.context import Want
from firesteel.partiql.lower.queries import star
from firesteel.partiql.write import words
from firesteel.partiql.write.blocks import items
from firesteel.partiql.write.calls import call_syntax
from firesteel.partiql.write.literals import literal
from firesteel.partiql.write.scope import Scope, variable

Steps = Generator[Any, Any, Any]

#: PartiQL has no labels, so a plan with shared parts is written out, up to here.
MAX_NODES = 1_000_000

_COLLECTIONS: dict[type[t.Type], type[ast.List | ast.Bag | ast.Sexp]] = {
    t.Array: ast.List,
    t.Bag: ast.Bag,
    t.Sexp: ast.Sexp,
}


def unsupported(node: Node, why: str = "") -> UnsupportedError:
    """The error for a node that PartiQL has no words for."""
    what = node.tag or type(node).__name__.lower()
    return UnsupportedError(f"'{what}' has no form in PartiQL{why}", where=node.where)


class Expressions:
    """Writes expressions. What asks for others is a generator that yields them: nothing recurses."""

    def __init__(self, plan: p.Plan) -> None:
        self.globals = plan.globals
        self._count = 0

    def query(self, rex: p.Select | p.Pivot, scope: Scope, listed: bool) -> Steps:
        """A query, with a select list if that is asked for and it has one."""
        raise NotImplementedError

    def counted(self, node: Node) -> None:
        self._count += 1
        if self._count > MAX_NODES:
            raise UnsupportedError(f"written out, the plan has more than {MAX_NODES:,} nodes", where=node.where)

    def value(self, rex: p.Rex, scope: Scope, want: Want = "value") -> Steps:
        """The expression at a place where that is wanted: see `lower.context`."""
        self.counted(rex)
        match rex:
            case p.Lit(type_, value):
                return literal(value, type_)
            case p.Var():
                return _said(rex, scope, want)
            case p.Global(ordinal=ordinal):
                return self._global(rex, ordinal, want)
            case p.Path():
                return (yield (self._path(rex, scope, want),))
            case p.Call(fn=p.Fn(name="to_bag"), args=(p.Select() as query,)):  # a query is a bag unless it is ordered
                rows = query.replace(type=t.Bag(query.constructor.type))
                return ast.Subquery((yield (self.query(rows, scope, want == "source"),)))
            case p.Call():
                return (yield (self._call(rex, scope),))
            case p.Case():
                return (yield (self._case(rex, scope),))
            case p.Struct(pairs=pairs):
                parts = yield (self.values([one for pair in pairs for one in (pair.key, pair.value)], scope),)
                return ast.Struct(tuple(map(ast.Pair, parts[::2], parts[1::2])))
            case p.Collection(type_, inner) if type(type_) in _COLLECTIONS:
                return _COLLECTIONS[type(type_)](tuple((yield (self.values(inner, scope),))))
            case p.CollToScalar(query):
                return (yield (self._scalar(query, scope),))
            case p.Select() | p.Pivot():
                return ast.Subquery((yield (self.query(rex, scope, want == "source"),)))
        raise unsupported(rex)

    def values(self, rexes: Iterable[p.Rex], scope: Scope, want: Want = "value") -> Steps:
        """Several expressions."""
        made: list[ast.Expr] = []
        for rex in rexes:
            made.append((yield (self.value(rex, scope, want),)))
        return made

    def source(self, rex: p.Rex, scope: Scope) -> Steps:
        """An expression in FROM, where a string would be the name of a file."""
        made = yield (self.value(rex, scope, "source"),)
        if isinstance(rex, p.Lit) and isinstance(made, ast.Lit) and type(made.value) is str:
            return ast.Path(ast.List((made,)), (ast.Index(ast.Lit(0)),))
        return made

    def _scalar(self, query: p.Rex, scope: Scope) -> Steps:
        """A query of columns is coerced to a scalar by itself; any other has to be told."""
        if isinstance(query, p.Select):
            made = yield (self.query(query, scope, True),)
            return ast.Subquery(made) if _has_columns(made) else ast.Call("coll_to_scalar", (made,))
        return ast.Call("coll_to_scalar", ((yield (self.value(query, scope),)),))

    # Names -----------------------------------------------------------------------------------------------------------

    def _global(self, rex: p.Rex, ordinal: int, want: Want) -> ast.Expr:
        """A table. Only FROM looks for tables first, elsewhere `(TABLE name)` does."""
        if not 0 <= ordinal < len(self.globals):
            raise PlanError(f"no global {ordinal}: the plan has {len(self.globals)}", where=rex.where)
        binding = self.globals[ordinal]
        if binding.files is not None:
            raise UnsupportedError(f"the files '{binding.name}' of a plan have no form in PartiQL", where=rex.where)
        first, *rest = binding.path
        if not rest and "." in first:  # the parts of a name have no dots: it is the path of a file
            file = ast.Lit(first)
            if want == "source":
                return file
            scanned = ast.Range(file, alias=ast.Name("f"))
            return ast.Subquery(ast.Select(ast.Value(ast.Var("f")), scanned))
        exact = not all(words.is_plain(part) for part in binding.path)
        root = ast.Var(first, quoted=exact)
        name = ast.Path(root, tuple(ast.Field(part, quoted=exact) for part in rest)) if rest else root
        return name if want == "source" else ast.Subquery(ast.Table(name))

    def _path(self, rex: p.Path, scope: Scope, want: Want) -> Steps:
        # The steps behind a table's name would be taken for more of its name.
        inner: Want = want if isinstance(rex.root, p.Var) else "value"
        root = yield (self.value(rex.root, scope, inner),)
        steps: list[ast.Step] = []
        for step in rex.steps:
            match step:
                case p.Key(key=key):
                    steps.append((yield (self._key(key, scope),)))
                case p.Wildcard():
                    steps.append(ast.EachElement())
                case p.UnpivotStep():
                    steps.append(ast.EachAttribute())
                case _:
                    raise unsupported(step)
        if isinstance(root, ast.Path) and not _is_key(rex.root, scope):
            return ast.Path(root.root, (*root.steps, *steps))
        return ast.Path(root, tuple(steps))

    def _key(self, key: p.Rex, scope: Scope) -> Steps:
        """An attribute by its name, or an index. Only a name that is written, or cast to text, is one."""
        match key:
            case p.Lit(t.Symbol(), value) if words.is_word(str(value)):
                return ast.Field(str(value))
            case p.Lit(t.Symbol(), value):
                return ast.Index(ast.Lit(values.Symbol(value)))
            case p.Lit(t.Text(), str() as value):
                return ast.Field(str(value), quoted=True)
            case p.Call(fn=p.Fn(name="to_index"), args=(p.Rex() as inner,)):
                return ast.Index((yield (self.value(inner, scope),)))
        made = yield (self.value(key, scope),)
        if isinstance(key.type, t.Text) and not isinstance(made, ast.Lit | ast.Cast):
            made = ast.Cast(made, ast.TypeName("STRING"))
        return ast.Index(made)

    # Calls and choices -----------------------------------------------------------------------------------------------

    def _call(self, rex: p.Call, scope: Scope) -> Steps:
        row = functions.find(rex.fn.name)
        among = row is not None and (row.takes_collection or row.compares is not None)
        want: Want = "collection" if among else "value"
        args: list[Any] = []
        for arg in rex.args:
            if isinstance(arg, t.Type):
                args.append(arg)
            else:
                args.append((yield (self.value(arg, scope, want),)))
        try:
            return call_syntax(rex, args)
        except UnsupportedError as error:
            raise error.located(rex.where) from None

    def _case(self, rex: p.Case, scope: Scope) -> Steps:
        operand = yield (self.values([] if rex.match is None else [rex.match], scope),)
        parts = yield (self.values([one for branch in rex.branches for one in (branch.when, branch.then)], scope),)
        default = yield (self.values([] if rex.default is None else [rex.default], scope),)
        whens = tuple(map(ast.When, parts[::2], parts[1::2]))
        return ast.Case(whens, operand=operand[0] if operand else None, default=default[0] if default else None)

    # SELECT ----------------------------------------------------------------------------------------------------------

    def projection(self, constructor: p.Rex, scope: Scope, listed: bool) -> Steps:
        """What SELECT says: a list of columns if that is asked for and the value is one, else VALUE."""
        parts = listed_columns(constructor) if listed else None
        if parts is None:
            return ast.Value((yield (self.value(constructor, scope),)))
        made: list[ast.Item | ast.ItemStar] = []
        for name, rex in parts:
            value = yield (self.value(rex, scope),)
            made += [ast.ItemStar(value)] if name is None else items([(name, value)]).items
        return ast.Items(tuple(made))


def _has_columns(query: ast.Expr) -> bool:
    """Is it SELECT with a list, which is coerced to a scalar where a value is wanted?"""
    while isinstance(query, ast.Query | ast.SetOp):
        query = query.body if isinstance(query, ast.Query) else query.left
    return isinstance(query, ast.Select) and isinstance(query.projection, ast.Items)


def listed_columns(constructor: p.Rex) -> list[tuple[str | None, p.Rex]] | None:
    """The columns of a select list that gives this value; those of a `t.*` have no name."""
    is_concat = isinstance(constructor, p.Call) and constructor.fn.name == "struct_concat"
    made: list[tuple[str | None, p.Rex]] = []
    for place, part in enumerate(constructor.values if is_concat else (constructor,), 1):  # type: ignore[attr-defined]
        if isinstance(part, p.Struct):
            named = [(pair.key.value, pair.value) for pair in part.pairs if isinstance(pair.key, p.Lit)]
            if len(named) < len(part.pairs) or not all(type(name) is str for name, _ in named):
                return None
            made += named
        else:
            spread = _spread(part, f"_{place}")
            if spread is None or (not is_concat and spread is part):
                return None
            made.append((None, spread))
    return made or None


def _spread(part: p.Rex, name: str) -> p.Rex | None:
    """The value whose attributes `value.*` gives, if that is what the part says."""
    found = [part]
    if isinstance(part, p.Case) and part.default is not None and part.branches:
        found = [part.branches[0].then, part.default, part]
    return next((one for one in found if star(one, name) == part), None)


def _is_key(rex: p.Rex, scope: Scope) -> bool:
    if not isinstance(rex, p.Var):
        return False
    row = scope.at(rex.depth)
    return row is not None and rex.ordinal in row.keys


def _said(rex: p.Var, scope: Scope, want: Want) -> ast.Expr:
    """What a column is called. In FROM, `@` looks for variables before tables."""
    row = scope.at(rex.depth)
    if row is None or not 0 <= rex.ordinal < len(row.columns):
        raise PlanError(f"no variable {rex.ordinal} at depth {rex.depth}", where=rex.where)
    made = row.columns[rex.ordinal]
    if want != "source" or rex.ordinal in row.keys:
        return made
    if isinstance(made, ast.Var):
        return variable(made.name, local=True)
    if isinstance(made, ast.Path) and isinstance(made.root, ast.Var):
        return made.replace(root=variable(made.root.name, local=True))
    return made
