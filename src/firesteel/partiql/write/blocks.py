"""A SELECT block under construction.

A relation over another one becomes a clause of its block, if the clauses that are there come before it: FROM, LET,
WHERE, EXCLUDE, GROUP BY, HAVING, window calls, DISTINCT, ORDER BY, OFFSET, LIMIT. If not, the block becomes a subquery
in FROM of a new one.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from firesteel.node import Node, children
from firesteel.partiql import ast
from firesteel.partiql.lower.grouping import has_aggregates
from firesteel.partiql.lower.scope import default_name
from firesteel.partiql.write import words
from firesteel.partiql.write.scope import Naming, Row, Scope, new_name, uses, variable
from firesteel.plan import Mode, Rel, Rex, build, is_list, schema


class Stage(enum.IntEnum):
    """The clauses, in the order in which they are evaluated."""

    FROM = 0
    LET = 1
    WHERE = 2
    EXCLUDE = 3
    GROUP = 4
    HAVING = 5
    WINDOW = 6
    DISTINCT = 7
    ORDER = 8
    OFFSET = 9
    LIMIT = 10


#: Relations of which a block may have several.
_REPEATED = (Stage.LET, Stage.WHERE, Stage.HAVING)


@dataclass(kw_only=True)
class Block:
    """The clauses so far, and what the row is called that they give."""

    source: ast.FromItem | None
    columns: list[ast.Expr]
    names: set[str]
    stage: Stage = Stage.FROM
    #: Has a projection made columns that only SELECT can say? They have not been given names yet.
    pending: bool = False
    #: Columns that are calls of aggregates or over windows: only the block itself can say them, no query inside it.
    own: set[int] = field(default_factory=set)
    keys: frozenset[int] = frozenset()
    lets: list[ast.Let] = field(default_factory=list)
    filter: list[ast.Expr] = field(default_factory=list)
    exclude: tuple[ast.ExcludePath, ...] = ()
    group: ast.Group | None = None
    having: list[ast.Expr] = field(default_factory=list)
    distinct: bool = False
    order: tuple[ast.SortKey, ...] = ()
    limit: ast.Expr | None = None
    offset: ast.Expr | None = None
    #: What DISTINCT is about, and where it is said.
    selected: tuple[Rex, Scope] | None = None
    #: A set operator whose elements the block ranges over, under a name that nothing has used yet.
    set_op: ast.SetOp | None = None

    def scope(self, around: Scope) -> Scope:
        """What expressions over the block's row see."""
        return around.inside(Row(tuple(self.columns), around.row, self.keys), self.names)

    def query(self, projection: ast.Projection) -> ast.Expr:
        """The block with what it selects."""
        group = self.group
        if group is not None and not group.keys and group.name is None and not group.partial:
            said = has_aggregates(projection, *self.having, *(key.key for key in self.order))
            group = None if said else group
        made = ast.Select(
            projection,
            self.source,
            quantifier="distinct" if self.distinct else None,
            exclude=self.exclude,
            lets=tuple(self.lets),
            filter=conjunction(self.filter),
            group=group,
            having=conjunction(self.having),
        )
        if not self.order and self.limit is None and self.offset is None:
            return made
        if self.order and _confuses(self.order, projection, self.names):
            # An item of the select list would be taken for the variable of that name: now it has no items.
            assert isinstance(projection, ast.Items | ast.Value)
            made = made.replace(projection=ast.Value(ast.Call("tupleunion", (_as_value(projection),))))
        return ast.Query(made, order=self.order, limit=self.limit, offset=self.offset)


def conjunction(parts: Sequence[ast.Expr]) -> ast.Expr | None:
    """All of them."""
    return ast.Operator("and", tuple(parts)) if len(parts) > 1 else parts[0] if parts else None


def _pairs(projection: ast.Projection) -> list[tuple[str, ast.Expr]]:
    """What a select list gives under a name."""
    match projection:
        case ast.Items(items=items):
            own = [item for item in items if isinstance(item, ast.Item)]
            named = [(item.alias.text if item.alias else default_name(item.value), item.value) for item in own]
        case ast.Value(value=ast.Struct(pairs=pairs)):
            named = [(getattr(pair.name, "value", None), pair.value) for pair in pairs]
        case _:
            named = []
    return [(name, value) for name, value in named if isinstance(name, str)]


def _confuses(order: Iterable[ast.SortKey], projection: ast.Projection, names: set[str]) -> bool:
    """ORDER BY takes a name for an item of the select list first. Is there one that is another value?"""
    said = _pairs(projection)
    if not said:
        return False
    for key in order:
        stack: list[Node] = [key.key]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Var):
                like = [value for name, value in said if name.lower() == node.name.lower()]
                if any(value != node for value in like):
                    return True
            elif isinstance(node, ast.Path) and isinstance(node.root, ast.Var) and node.root.name.lower() in names:
                stack += [step.key for step in node.steps if isinstance(step, ast.Index)]
            else:
                stack += children(node)
    return False


def _as_value(projection: ast.Items | ast.Value) -> ast.Expr:
    if isinstance(projection, ast.Value):
        return projection.value
    return ast.Struct(tuple(ast.Pair(ast.Lit(name), value) for name, value in _pairs(projection)))


@dataclass
class Blocks:
    """Puts blocks into blocks."""

    naming: Naming
    mode: Mode

    def ready(self, block: Block, rel: Rel, stage: Stage, scope: Scope, rexes: Iterable[Rex] = ()) -> Block:
        """A block that can take a clause of this stage, with these expressions; `rel` is what the block says so far."""
        if block.pending:
            block = self.settled(block, rel, scope) if block.stage <= Stage.LET else self.wrapped(block, rel, scope)
        if block.stage > stage or (block.stage == stage and stage not in _REPEATED):
            block = self.wrapped(block, rel, scope)
        if block.own and any(level and ordinal in block.own for ordinal, level in uses(rexes)):
            block = self.wrapped(block, rel, scope)
        return block

    def settled(self, block: Block, rel: Rel, scope: Scope) -> Block:
        """The block with its new columns as variables of LET."""
        for i, (column, field_) in enumerate(zip(block.columns, schema(rel), strict=True)):
            if not _computes(column):
                continue
            name = self.naming.pick(field_.name, "c", scope.taken | block.names)
            block.lets.append(ast.Let(column, new_name(name)))
            block.names.add(name.lower())
            block.columns[i] = variable(name)
        block.pending = False
        block.stage = max(block.stage, Stage.LET) if block.lets else block.stage
        return block

    def speaking(self, block: Block, rel: Rel, scope: Scope, rexes: Sequence[Rex]) -> Block:
        """A block whose SELECT can say these expressions. What a projection computes is written where it is used, if
        that is once; of what DISTINCT gives, only the value itself is said."""
        if block.distinct:
            said = len(rexes) == 1 and rexes[0] == build.column(rel, 0) and block.selected is not None
            return block if said else self.wrapped(block, rel, scope)
        found = list(uses(rexes))
        costly = {i for i, column in enumerate(block.columns) if _computes(column)} if block.pending else set()
        once = [ordinal for ordinal, _ in found if ordinal in costly]
        inside = any(level and (ordinal in block.own or ordinal in costly) for ordinal, level in found)
        if not inside and len(set(once)) == len(once):
            return block
        can_name = block.pending and block.stage <= Stage.LET
        return self.settled(block, rel, scope) if can_name else self.wrapped(block, rel, scope)

    def as_it_is(self, block: Block, rel: Rel, scope: Scope) -> tuple[ast.SortKey, ...]:
        """An ORDER BY that makes the rows a list, and leaves them in their order if they are one."""
        source = block.source
        if not isinstance(source, ast.Range) or is_list(rel) is not True or block.distinct or block.group is not None:
            return (ast.SortKey(ast.Lit(True)),)
        if source.position is None:
            name = self.naming.pick(None, "i", scope.taken | block.names)
            block.source = source = source.replace(position=new_name(name))
            block.names.add(name.lower())
        assert source.position is not None
        return (ast.SortKey(variable(source.position.text)),)

    def wrapped(self, block: Block, rel: Rel, scope: Scope) -> Block:
        """A block over this one as a subquery. A list stays one."""
        if not block.order and is_list(rel) is True:
            block.order = self.as_it_is(block, rel, scope)
        query = block.query(self.row_projection(block, rel))
        name = self.naming.pick(None, "r", scope.taken)
        source = ast.Range(ast.Subquery(query), alias=new_name(name))
        return Block(source=source, columns=self.row_columns(name, rel), names={name.lower()})

    def row_projection(self, block: Block, rel: Rel) -> ast.Projection:
        """The row of a block as one value."""
        if len(block.columns) == 1:
            return ast.Value(block.columns[0])
        labels = self._labels(rel)
        if labels is None:
            return ast.Value(ast.List(tuple(block.columns)))
        if not labels:
            return ast.Value(ast.Struct(()))
        return items(zip(labels, block.columns, strict=True))

    def row_columns(self, name: str, rel: Rel) -> list[ast.Expr]:
        """The columns of such a row under this name."""
        var = variable(name)
        width = len(schema(rel))
        if width == 1:
            return [var]
        labels = self._labels(rel)
        if labels is None:
            return [ast.Path(var, (ast.Index(ast.Lit(i)),)) for i in range(width)]
        return [ast.Path(var, (ast.Field(label, quoted=not words.is_word(label)),)) for label in labels]

    def _labels(self, rel: Rel) -> list[str] | None:
        """Names for the columns, each once. None if the row has to be a list: a struct leaves out what is MISSING, and
        in strict mode a path to it is an error."""
        columns = schema(rel)
        if self.mode is Mode.STRICT and any(column.type.missable for column in columns):
            return None
        naming = Naming()
        made: list[str] = []
        for i, column in enumerate(columns, 1):
            made.append(naming.pick(column.name, f"c{i}", {name.lower() for name in made}))
        return made


def _computes(column: ast.Expr) -> bool:
    """Is it more than a variable, its attributes, or a literal?"""
    if isinstance(column, ast.Path):
        return not isinstance(column.root, ast.Var) or not all(isinstance(step, ast.Field) for step in column.steps)
    return not isinstance(column, ast.Var | ast.Lit)


def items(pairs: Iterable[tuple[str, ast.Expr]]) -> ast.Items:
    """A select list; an alias only where the expression has not the name by itself."""
    made = [ast.Item(value, None if default_name(value) == name else new_name(name)) for name, value in pairs]
    return ast.Items(tuple(made))
