"""Turn the literals of a plan into data: they become attributes of the one row of a table without a schema.

The engine then knows nothing of a literal before the run; on Spark it is a VARIANT. An operator whose expressions have
literals is joined with that row, and the extra column is dropped again above it; inside subqueries the row is read from
further out. Literals stay where a plan needs constants: keys of paths and structs, counts of LIMIT, bounds of frames.
MISSING stays too, because data cannot contain it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from firesteel import plan as p
from firesteel import types as t
from firesteel import values
from firesteel.node import Node, children, drive, rebuild
from firesteel.plan import build
from firesteel.plan.schema import schema
from firesteel.plan.scope import levels
from firesteel.tables import Memory, Table

#: The table's name.
NAME = "$literals"

Request = Generator[Any, Any, Any]


class Lifted:
    """A plan with its literals moved to a table, and the table."""

    def __init__(self, plan: p.Plan) -> None:
        self._global = len(plan.globals)
        self._pairs: list[tuple[str, values.Value]] = []
        #: Is the answer wrapped in a collection of one element?
        self.boxed = False
        statement = plan.statement
        if isinstance(statement, p.Query):
            plan = plan.replace(statement=statement.replace(rex=self._top(statement.rex)))
        self.plan = plan
        if self._pairs:
            self.plan = plan.replace(globals=(*plan.globals, p.GlobalBinding((NAME,), t.Array(t.ANY))))

    @property
    def table(self) -> Table:
        """The table: a list of the one row, so that a list joined with it stays a list. Its type is unknown."""
        return Table(Memory([values.Struct(self._pairs)]), t.Array(t.ANY))

    # -----------------------------------------------------------------------------------------------------------------
    # The statement, and relations outside of any subquery

    def _top(self, rex: p.Rex) -> p.Rex:
        match rex:
            case p.Select() | p.Pivot():
                source = drive(self._rel, rex.input)
                return self._over(rex.replace(input=source), source)
            case p.CollToScalar(query=p.Select() as query):
                return rex.replace(query=self._top(query))
        found = self._lift(rex, 0)
        if found is rex:
            return rex
        self.boxed = True
        return p.Select(t.Array(t.ANY), found, self._row())

    def _over(self, node: Any, source: p.Rel) -> Any:
        """The node with its literals moved. The row of literals is the last column of its input `source`."""
        width = len(schema(source))
        kids = [kid if kid is source else self._lift(kid, width) for kid in children(node)]
        if all(new is old for new, old in zip(kids, children(node), strict=True)):
            return node
        beside = p.Join(p.Cross(), source, self._row())
        return rebuild(node, [beside if kid is source else kid for kid in kids])

    def _row(self) -> p.Rel:
        return p.Scan(p.Global(t.Array(t.ANY), self._global))

    def _rel(self, rel: p.Rel) -> Request:
        match rel:
            case p.Scan() | p.ScanIndexed() | p.Unpivot():
                return self._ranging(rel)
            case p.Join():
                return self._join(rel)
        return self._unary(rel)

    def _ranging(self, rel: Any) -> p.Rel:
        found = self._lift(rel.rex, 0)
        if found is rel.rex:
            return rel
        joined = p.Join(p.Cross(), self._row(), rel.replace(rex=found, declared=None), lateral=True)
        return _dropped(joined, 0, rel)

    def _unary(self, rel: p.Rel) -> Generator[Any, Any, p.Rel]:
        kids = []
        for kid in children(rel):
            kids.append((yield (kid,)) if isinstance(kid, p.Rel) else kid)
        old = rel
        rel = rebuild(rel, kids)
        if isinstance(rel, p.Limit | p.Offset | p.SetRel | p.Exclude) or not hasattr(rel, "input"):
            return rel
        made = self._over(rel, rel.input)
        if made is rel or isinstance(rel, p.Project | p.Aggregate):
            return made
        return _dropped(made, len(schema(rel.input)), old)

    def _join(self, rel: p.Join) -> Generator[Any, Any, p.Rel]:
        left: p.Rel = yield (rel.left,)
        width = len(schema(left))
        right = self._lift(rel.right, width) if rel.lateral else (yield (rel.right,))
        kind = _moved(rel.type, width)
        lifted = self._lift(kind, width) if isinstance(kind, p.Theta) else kind
        if lifted is kind and (right is rel.right or not rel.lateral):
            return rel.replace(left=left, right=right)
        beside = p.Join(p.Cross(), left, self._row())
        return _dropped(rel.replace(type=lifted, left=beside, right=right), width, rel)

    # -----------------------------------------------------------------------------------------------------------------
    # Expressions, and relations in subqueries

    def _lift(self, root: Any, ordinal: int) -> Any:
        """The subtree with its literals as attributes of column `ordinal` of the current row."""

        def lift(node: Node, level: int) -> Any:
            if isinstance(node, p.Lit):
                return self._path(node, ordinal, level)
            if isinstance(node, p.Key | p.Bound | t.Type | p.Fn):
                return node
            return one(node, level)

        def one(node: Node, level: int) -> Generator[tuple[Node, int], Any, Node]:
            kept = _kept(node)
            kids = []
            for kid, below in levels(node, level):
                kids.append(kid if any(kid is other for other in kept) else (yield kid, below))
            return rebuild(node, kids)

        return drive(lift, root, 0)

    def _path(self, node: p.Lit, ordinal: int, depth: int) -> p.Rex:
        if node.value is values.MISSING:
            return node
        name = f"l{len(self._pairs)}"
        self._pairs.append((name, node.value))
        return build.path(p.Var(t.ANY, ordinal, depth=depth), name).replace(where=node.where)


def _kept(node: Node) -> Sequence[Node]:
    """The children of a node that have to stay literals."""
    match node:
        case p.Pair(key=p.Lit() as key):
            return (key,)
        case p.Call(fn=p.Fn(name="date_add" | "date_diff" | "extract"), args=(p.Lit() as field, *_)):
            return (field,)  # the field of EXTRACT(YEAR FROM ...) is a keyword
        case p.Limit(count=count) | p.Offset(count=count):
            return (count,)
        case p.Theta(condition=p.Lit() as condition):
            return (condition,)
    return ()


def _moved(node: Any, width: int) -> Any:
    """The condition of a join after its left side got one more column."""

    def move(inner: Node, level: int) -> Any:
        if isinstance(inner, p.Var) and inner.depth == level and inner.ordinal >= width:
            return inner.replace(ordinal=inner.ordinal + 1)
        return one(inner, level)

    def one(inner: Node, level: int) -> Generator[tuple[Node, int], Any, Node]:
        kids = []
        for kid, below in levels(inner, level):
            kids.append((yield kid, below))
        return rebuild(inner, kids)

    return drive(move, node, 0)


def _dropped(rel: p.Rel, ordinal: int, like: p.Rel) -> p.Rel:
    """The relation without the column `ordinal`, with the column names of `like`."""
    columns = [i for i in range(len(schema(rel))) if i != ordinal]
    names = tuple(field.name or "" for field in schema(like))
    return p.Project(tuple(build.column(rel, i) for i in columns), rel, names=names if all(names) else ())
