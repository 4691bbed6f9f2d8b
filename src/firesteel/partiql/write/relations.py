"""Relations of a plan as SELECT blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel.partiql import ast
from firesteel.partiql.lower.ordering import leads_into, parts_of
from firesteel.partiql.lower.scope import default_name
from firesteel.partiql.write.blocks import Block, Stage, conjunction
from firesteel.partiql.write.expressions import Steps, listed_columns, unsupported
from firesteel.partiql.write.groups import Groups
from firesteel.partiql.write.scope import Row, Scope, new_name, uses, variable
from firesteel.plan import build, is_list, schema

_KINDS: dict[p.Capture, Any] = {
    p.Capture.INNER: "inner",
    p.Capture.LEFT: "left",
    p.Capture.RIGHT: "right",
    p.Capture.FULL: "full",
}
_SETS: dict[type[p.Rel], Any] = {p.Union: "union", p.Intersect: "intersect", p.Except: "except"}
#: SELECT without FROM has this row.
_NOTHING = p.Project((), p.Scan(build.lit([None])))


class Relations(Groups):
    """Writes relations."""

    def block(self, rel: p.Rel, scope: Scope) -> Steps:
        """The block that gives the relation's rows."""
        self.counted(rel)
        handler = _HANDLERS.get(type(rel))
        if handler is None:
            raise unsupported(rel)
        return (yield (handler(self, rel, scope),))

    # FROM ------------------------------------------------------------------------------------------------------------

    def _scan(self, rel: p.Scan | p.ScanIndexed, scope: Scope) -> Steps:
        source = yield (self.source(rel.rex, scope),)
        names: list[str] = []
        wanted = [field.name for field in schema(rel)]
        otherwise = [default_name(source) or "v", "i", "id"]
        if isinstance(rel, p.Scan):
            del otherwise[1]
        for name, other in zip(wanted, otherwise, strict=False):
            names.append(self.naming.pick(name, other, scope.taken | {one.lower() for one in names}))
        alias, *rest = map(new_name, names)
        position = rest.pop(0) if isinstance(rel, p.ScanIndexed) else None
        made = ast.Range(source, alias=_alias(alias, source), position=position, by=rest[0] if rest else None)
        return _ranging(made, names)

    def _unpivot(self, rel: p.Unpivot, scope: Scope) -> Steps:
        source = yield (self.source(rel.rex, scope),)
        key, value = (field.name for field in schema(rel))
        named = self.naming.pick(value, default_name(source) or "v", scope.taken)
        position = self.naming.pick(key, "k", scope.taken | {named.lower()})
        made = ast.Unpivot(source, alias=_alias(new_name(named), source), position=new_name(position))
        return _ranging(made, [position, named])

    def _join(self, rel: p.Join, scope: Scope) -> Steps:
        left: Block = yield (self.block(rel.left, scope),)
        left = self.blocks.ready(left, rel.left, Stage.LET, scope)
        if rel.capture.tests:
            return (yield (self._tested(rel, left, scope),))
        if rel.capture not in _KINDS or (rel.lateral and rel.capture.pads_left):
            raise unsupported(rel, f": it is {rel.capture.name.lower()}")
        left = self._item(left, rel.left, scope)
        right: Block = yield (self._right(rel, left, scope),)
        right = self._item(right, rel.right, scope.inside(Row(()), left.names))
        columns = [*left.columns, *right.columns]
        on = yield (self._condition(rel, columns, scope.inside(Row(()), left.names | right.names), scope.row),)
        assert left.source is not None
        assert right.source is not None
        kind: ast.JoinKind = "cross" if on is None and rel.capture is p.Capture.INNER else _KINDS[rel.capture]
        made = ast.Join(kind, left.source, right.source, on=on)
        return Block(source=made, columns=columns, names=left.names | right.names)

    def _right(self, rel: p.Join, left: Block, scope: Scope) -> Steps:
        """The right side, which sees the left row if the join is lateral."""
        row = Row(tuple(left.columns), scope.row) if rel.lateral else scope.row
        return (yield (self.block(rel.right, Scope(row, scope.taken | left.names)),))

    def _item(self, block: Block, rel: p.Rel, scope: Scope) -> Block:
        """A block that is only an item of FROM."""
        if block.stage is Stage.FROM and not block.pending and block.source is not None:
            return block
        return self.blocks.wrapped(block, rel, scope)

    def _condition(self, rel: p.Join, columns: list[ast.Expr], names: Scope, outer: Row | None) -> Steps:
        """What pairs the rows, as one expression over both; None for all pairs."""
        scope = Scope(Row(tuple(columns), outer), names.taken)
        match rel.type:
            case p.Theta(condition=condition):
                if rel.capture is not p.Capture.INNER and condition == build.lit(True):
                    return None
                return (yield (self.value(condition, scope),))
            case p.Equi(keys=keys, residual=residual) if not any(key.same for key in keys):
                width = len(schema(rel.left))
                parts: list[ast.Expr] = []
                for key in keys:
                    a = yield (self.value(key.left, Scope(Row(tuple(columns[:width]), outer), names.taken)),)
                    b = yield (self.value(key.right, Scope(Row(tuple(columns[width:]), outer), names.taken)),)
                    parts.append(ast.Operator("eq", (a, b)))
                if residual is not None:
                    parts.append((yield (self.value(residual, scope),)))
                return conjunction(parts)
            case p.Cross():
                return None
        raise unsupported(rel.type, ": its keys may be NULL on both sides")

    def _tested(self, rel: p.Join, left: Block, scope: Scope) -> Steps:
        """A join that only asks for a match: EXISTS."""
        around = scope.inside(Row(()), left.names)
        right: Block = yield (self._right(rel, left, scope),)
        right = self.blocks.ready(right, rel.right, Stage.WHERE, around)
        names = around.inside(Row(()), right.names)
        on = yield (self._condition(rel, [*left.columns, *right.columns], names, scope.row),)
        right.filter += [] if on is None else [on]
        exists = ast.Call("exists", (right.query(ast.Value(ast.Lit(1))),))
        if rel.capture is p.Capture.LEFT_MARK:
            left.columns.append(exists)
            left.pending = True
            return left
        left.stage = Stage.WHERE
        left.filter.append(exists if rel.capture is p.Capture.LEFT_SEMI else ast.Operator("not", (exists,)))
        return left

    def _set(self, rel: p.SetRel, scope: Scope) -> Steps:
        outer = all(isinstance(side, p.Scan) and _as_bag(side.rex) is not None for side in (rel.left, rel.right))
        sides: list[ast.Expr] = []
        for side in (rel.left, rel.right):
            sides.append((yield (self._side(side, scope, outer),)))
        quantifier = "all" if rel.quantifier is p.Quantifier.ALL else None
        made = ast.SetOp(_SETS[type(rel)], sides[0], sides[1], quantifier=quantifier, outer=outer)  # type: ignore[arg-type]
        name = self.naming.pick(schema(rel)[0].name if len(schema(rel)) == 1 else None, "u", scope.taken)
        block = _ranging(ast.Range(ast.Subquery(made), alias=new_name(name)), [name])
        block.columns = self.blocks.row_columns(name, rel)
        block.set_op = made
        return block

    def _side(self, side: p.Rel, scope: Scope, outer: bool) -> Steps:
        if isinstance(side, p.Scan) and not side.identified:
            inner = _as_bag(side.rex) if outer else None
            made = yield (self.value(side.rex if inner is None else inner, scope, "source"),)
            return made.query if isinstance(made, ast.Subquery) else made
        block = yield (self.block(side, scope),)
        return block.query(self.blocks.row_projection(block, side))

    def _shared(self, rel: p.Shared, scope: Scope) -> Steps:
        known = self.withs.get(id(rel))
        if known is None:
            block = yield (self.block(rel.input, Scope(None, scope.taken)),)
            query = block.query(self.blocks.row_projection(block, rel))
            taken = {one.name.text.lower() for one in self.withs.values()} | {
                one.path[0].lower() for one in self.globals
            }
            name = self.naming.pick(rel.name, "shared", taken)
            known = self.withs[id(rel)] = ast.With(new_name(name), query)
        var = variable(known.name.text)
        name = self.naming.pick(None, "r", scope.taken)
        return Block(
            source=ast.Range(var, alias=new_name(name)),
            columns=self.blocks.row_columns(name, rel),
            names={name.lower()},
        )

    # LET, WHERE, EXCLUDE, HAVING -------------------------------------------------------------------------------------

    def _project(self, rel: p.Project, scope: Scope) -> Steps:
        if rel.replace(names=()) == _NOTHING:
            return Block(source=None, columns=[], names=set())
        block: Block = yield (self.block(rel.input, scope),)
        if block.distinct:
            block = self.blocks.wrapped(block, rel.input, scope)
        elif block.pending or any(level and ordinal in block.own for ordinal, level in uses(rel.exprs)):
            block = self.blocks.ready(block, rel.input, Stage.LIMIT, scope, rel.exprs)
        own = {i for i, expr in enumerate(rel.exprs) if any(ordinal in block.own for ordinal, _ in uses([expr]))}
        plain = all(isinstance(expr, p.Var) and expr.depth == 0 for expr in rel.exprs)
        keys = block.keys
        columns = yield (self.values(rel.exprs, block.scope(scope)),)
        block.keys = frozenset(
            i for i, expr in enumerate(rel.exprs) if isinstance(expr, p.Var) and not expr.depth and expr.ordinal in keys
        )
        block.columns, block.own, block.set_op = columns, own, None
        block.pending = not plain
        return block

    def _filter(self, rel: p.Filter, scope: Scope) -> Steps:
        block: Block = yield (self.block(rel.input, scope),)
        stage = Stage.HAVING if block.group is not None and block.stage <= Stage.HAVING else Stage.WHERE
        block = self.blocks.ready(block, rel.input, stage, scope, [rel.predicate])
        if block.group is None:
            stage = Stage.WHERE
        said = yield (self.value(rel.predicate, block.scope(scope)),)
        (block.having if stage is Stage.HAVING else block.filter).append(said)
        block.stage = stage
        return block

    def _exclude(self, rel: p.Exclude, scope: Scope) -> Steps:
        block: Block = yield (self.below(rel, Stage.EXCLUDE, scope),)
        paths: list[ast.ExcludePath] = []
        for path in rel.paths:
            column = block.columns[path.ordinal]
            root, steps = (column.root, column.steps) if isinstance(column, ast.Path) else (column, ())
            if not isinstance(root, ast.Var):
                raise unsupported(rel, " of what is no variable")
            paths.append(ast.ExcludePath(root, (*steps, *map(_exclude_step, path.steps))))
        block.exclude, block.stage = tuple(paths), Stage.EXCLUDE
        return block

    # DISTINCT, ORDER BY, OFFSET, LIMIT -------------------------------------------------------------------------------

    def _distinct(self, rel: p.Distinct, scope: Scope) -> Steps:
        """DISTINCT of one column selects it. Other columns beside it, which follow from it, are what ORDER BY sees."""
        values = rel.input.exprs if isinstance(rel.input, p.Project) else ()
        if not values or not _follow(values):
            block: Block = yield (self.block(rel.input, scope),)
            block = self.blocks.ready(block, rel.input, Stage.DISTINCT, scope) if block.distinct else block
            block.distinct = True
            return self.blocks.wrapped(block, rel, scope)
        block = yield (self.below(rel.input, Stage.DISTINCT, scope, values),)
        inner = block.scope(scope)
        block.columns = yield (self.values(values, inner),)
        block.distinct, block.stage, block.pending = True, Stage.DISTINCT, True
        block.selected = (values[0], inner)
        return block

    def _sort(self, rel: p.Sort, scope: Scope) -> Steps:
        keys = [spec.key for spec in rel.specs]
        block: Block = yield (self.block(rel.input, scope),)
        if block.stage is not Stage.DISTINCT:
            block = self.blocks.ready(block, rel.input, Stage.ORDER, scope, keys)
        block.order = yield (self.sort_keys(rel.specs, block.scope(scope)),)
        block.stage = Stage.ORDER
        return block

    def _cut(self, rel: p.Limit | p.Offset, scope: Scope) -> Steps:
        stage = Stage.LIMIT if isinstance(rel, p.Limit) else Stage.OFFSET
        block: Block = yield (self._cut_below(rel, stage, scope),)
        count = yield (self.value(rel.count, Scope(Row((), scope.row), scope.taken)),)
        if isinstance(rel, p.Limit):
            block.limit = count
        else:
            block.offset = count
        block.stage = stage
        return block

    def _cut_below(self, rel: p.Limit | p.Offset, stage: Stage, scope: Scope) -> Steps:
        """A block with columns that only SELECT can say, or with DISTINCT, may be cut as it is."""
        block: Block = yield (self.block(rel.input, scope),)
        return self.blocks.wrapped(block, rel.input, scope) if block.stage >= stage else block

    # Queries ---------------------------------------------------------------------------------------------------------

    def query(self, rex: p.Select | p.Pivot, scope: Scope, listed: bool) -> Steps:
        block: Block = yield (self.block(rex.input, scope),)
        parts = [rex.constructor] if isinstance(rex, p.Select) else [rex.key, rex.value]
        block = self.blocks.speaking(block, rex.input, scope, parts)
        if isinstance(rex, p.Pivot):
            key, value = yield (self.values(parts, block.scope(scope)),)
            return block.query(ast.Pivot(value, key))
        is_array = _is_array(rex)
        if is_array and not block.order:
            block.order = self.blocks.as_it_is(block, rex.input, scope)
        elif block.order and not is_array:
            block = self.blocks.wrapped(block, rex.input, scope)
        if block.set_op is not None and block.stage is Stage.FROM and rex.constructor == build.column(rex.input, 0):
            return block.set_op
        constructor, inner = block.selected or (rex.constructor, block.scope(scope))
        return block.query((yield (self.projection(constructor, inner, listed),)))


def _is_array(rex: p.Select) -> bool:
    """Is its value an array, and not a bag?"""
    ordered = is_list(rex.input) if isinstance(rex.type, t.Any) else isinstance(rex.type, t.Array)
    if ordered is None:
        raise unsupported(rex, ": only a run can tell whether it is a bag or a list")
    return ordered


def _follow(values: Sequence[p.Rex]) -> bool:
    """Does the first value determine all others?"""
    first, *others = values
    parts = [*parts_of(first), *(rex for _, rex in listed_columns(first) or ())]
    return all(any(leads_into(other, part) for part in parts) for other in others)


def _as_bag(rex: p.Rex) -> p.Rex | None:
    match rex:
        case p.Call(fn=p.Fn(name="as_bag"), args=(p.Rex() as inner,)):
            return inner
    return None


def _alias(name: ast.Name, source: ast.Expr) -> ast.Name | None:
    """The alias, unless the source has that name by itself."""
    return None if default_name(source) == name.text else name


def _ranging(source: ast.FromItem, names: list[str]) -> Block:
    return Block(source=source, columns=[variable(name) for name in names], names={name.lower() for name in names})


def _exclude_step(step: p.ExcludeStep) -> ast.Step:
    match step:
        case p.ExcludeField(name=name, exact=exact):
            return ast.Field(name, quoted=exact)
        case p.ExcludeIndex(index=index):
            return ast.Index(ast.Lit(index))
        case p.ExcludeElements():
            return ast.EachElement()
        case p.ExcludeAttributes():
            return ast.EachAttribute()
    raise unsupported(step)


_HANDLERS: dict[type[p.Rel], Any] = {
    p.Scan: Relations._scan,
    p.ScanIndexed: Relations._scan,
    p.Unpivot: Relations._unpivot,
    p.Join: Relations._join,
    **dict.fromkeys(_SETS, Relations._set),
    p.Shared: Relations._shared,
    p.Project: Relations._project,
    p.Filter: Relations._filter,
    p.Exclude: Relations._exclude,
    p.Aggregate: Relations.aggregate,
    p.Window: Relations.window,
    p.Distinct: Relations._distinct,
    p.Sort: Relations._sort,
    p.Limit: Relations._cut,
    p.Offset: Relations._cut,
}
