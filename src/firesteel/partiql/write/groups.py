"""GROUP BY, aggregates and window calls of a plan as clauses of a block."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firesteel import functions
from firesteel import plan as p
from firesteel.partiql import ast
from firesteel.partiql.lower.scope import default_name
from firesteel.partiql.write.blocks import Block, Blocks, Stage
from firesteel.partiql.write.calls import function_of
from firesteel.partiql.write.expressions import Expressions, Steps, unsupported
from firesteel.partiql.write.scope import Naming, Scope, new_name, variable
from firesteel.plan import schema


class Groups(Expressions):
    """Writes relations that group rows, or compute over windows of them."""

    def __init__(self, plan: p.Plan, mode: p.Mode) -> None:
        super().__init__(plan)
        self.naming = Naming()
        self.blocks = Blocks(self.naming, mode)
        #: The relations that have names, with the queries that they stand for.
        self.withs: dict[int, ast.With] = {}

    def block(self, rel: p.Rel, scope: Scope) -> Steps:
        """The block that gives the relation's rows."""
        raise NotImplementedError

    def below(self, rel: Any, stage: Stage, scope: Scope, rexes: Sequence[p.Rex] = ()) -> Steps:
        """The block of the only input, ready for a clause of this stage."""
        block = yield (self.block(rel.input, scope),)
        return self.blocks.ready(block, rel.input, stage, scope, rexes)

    # Groups and windows ----------------------------------------------------------------------------------------------

    def aggregate(self, rel: p.Aggregate, scope: Scope) -> Steps:
        block: Block = yield (self.below(rel, Stage.GROUP, scope),)
        before = block.scope(scope)
        written = yield (self.values(rel.keys, before),)
        keys: list[ast.GroupKey] = []
        columns: list[ast.Expr] = []
        for i, (key, field) in enumerate(zip(written, schema(rel), strict=False)):
            own = default_name(key) or f"_{i + 1}"
            by_itself = isinstance(key, ast.Var | ast.Path) and key not in columns
            taken = set() if by_itself else scope.taken | block.names
            name = own if by_itself and not field.name else self.naming.pick(field.name, f"k{i + 1}", taken)
            block.names.add(name.lower())
            keys.append(ast.GroupKey(key, None if name == own else new_name(name)))
            columns.append(key if by_itself else variable(name))
        grouped_as = yield (self._group_as(rel, block, before),)
        for agg in rel.aggs[len(grouped_as) :]:
            columns.append((yield (self._agg(agg, before),)))
        columns[len(keys) : len(keys)] = map(variable, grouped_as)
        named = new_name(grouped_as[0]) if grouped_as else None
        block.group = ast.Group(tuple(keys), named, partial=rel.strategy is p.Strategy.PARTIAL)
        block.columns, block.stage, block.keys = columns, Stage.GROUP, frozenset(range(len(keys)))
        block.own = set(range(len(keys) + len(grouped_as), len(columns)))
        return block

    def _group_as(self, rel: p.Aggregate, block: Block, before: Scope) -> Steps:
        """The name of GROUP AS, if the first aggregate is that."""
        if not rel.aggs or rel.aggs[0].fn.name != "collect":
            return []
        row = [(one.name, one) for one in block.columns if isinstance(one, ast.Var)]
        [value] = yield (self.values(_values(rel.aggs[0]), before),)
        pairs = tuple(ast.Pair(ast.Lit(name), var) for name, var in row)
        plain = len(row) == len(block.columns) and not rel.aggs[0].distinct and rel.aggs[0].filter is None
        if not plain or value != ast.Struct(pairs):
            return []
        name = self.naming.pick(None, "g", before.taken)
        block.names.add(name.lower())
        return [name]

    def _agg(self, agg: p.Agg, scope: Scope) -> Steps:
        args = yield (self.values(_values(agg), scope),)
        if agg.filter is not None:
            args = [(yield (self._if(agg, args, scope),))]
        if agg.fn.name == "count_star":
            return ast.Call("count", tuple(args), star=not args)
        name, qualifier = function_of(agg.fn)
        order = yield (self.sort_keys(agg.order, scope),)
        quantifier = "distinct" if agg.distinct else None
        return ast.Call(name, tuple(args), quantifier=quantifier, qualifier=qualifier, order=order)  # type: ignore[arg-type]

    def _if(self, agg: p.Agg, args: list[ast.Expr], scope: Scope) -> Steps:
        """FILTER as CASE: the aggregates that skip NULL skip the rows of which it is not true."""
        row = functions.find(agg.fn.name)
        if row is None or not row.ignores_order or agg.fn.name == "collect" or len(args) > 1:
            raise unsupported(agg, " with a filter")
        assert agg.filter is not None
        test = yield (self.value(agg.filter, scope),)
        return ast.Case((ast.When(test, args[0] if args else ast.Lit(1)),), default=ast.Lit(None))

    def window(self, rel: p.Window, scope: Scope) -> Steps:
        inner = [one for call in rel.calls for one in _values(call)]
        block: Block = yield (self.below(rel, Stage.WINDOW, scope, inner),)
        over = block.scope(scope)
        for call in rel.calls:
            args = yield (self.values(_values(call), over),)
            partition = yield (self.values(call.partition, over),)
            order = yield (self.sort_keys(call.order, over),)
            frame = (yield (self._frame(call.frame, over),)) if call.frame is not None else None
            window = ast.Window(partition=tuple(partition), order=order, frame=frame)
            is_star = call.fn.name == "count_star"
            name = "count" if is_star else function_of(call.fn)[0]
            quantifier: Any = "distinct" if call.distinct else None
            block.own.add(len(block.columns))
            block.columns.append(ast.Call(name, tuple(args), star=is_star, quantifier=quantifier, over=window))
        block.stage = Stage.WINDOW
        return block

    def _frame(self, frame: p.Frame, scope: Scope) -> Steps:
        bounds: list[ast.Bound] = []
        for bound in (frame.start, frame.end):
            offset = None if bound.offset is None else (yield (self.value(bound.offset, scope),))
            bounds.append(ast.Bound(bound.side.value, offset))
        return ast.Frame(frame.unit.value, *bounds)

    def sort_keys(self, specs: Sequence[p.SortSpec], scope: Scope) -> Steps:
        made: list[ast.SortKey] = []
        for spec in specs:
            if spec.comparator is not None:
                raise unsupported(spec.comparator, ", as the order of a sort key")
            direction, nulls = spec.order.name.lower().split("_nulls_")
            usual = (direction == "desc") == (nulls == "first")
            key = yield (self.value(spec.key, scope),)
            made.append(
                ast.SortKey(key, direction="desc" if direction == "desc" else None, nulls=None if usual else nulls)  # type: ignore[arg-type]
            )
        return tuple(made)


def _values(call: p.Agg | p.WindowCall) -> list[p.Rex]:
    return [arg for arg in call.args if isinstance(arg, p.Rex)]
