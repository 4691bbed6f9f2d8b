"""What the rows of a plan are called in the text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from firesteel.node import Node
from firesteel.partiql import ast
from firesteel.partiql.write import words
from firesteel.plan import Var
from firesteel.plan.scope import levels


@dataclass(frozen=True, eq=False)
class Row:
    """The columns of a row, each as the expression that says it, and the row around it."""

    columns: tuple[ast.Expr, ...]
    outer: Row | None = None
    #: Columns that are keys of GROUP BY, which are said just as they are there.
    keys: frozenset[int] = frozenset()


@dataclass(frozen=True, eq=False)
class Scope:
    """The row at hand, and the names that must not be given to anything else: in lower case, since a name without
    quotes is found in any case."""

    row: Row | None = None
    taken: frozenset[str] = frozenset()

    def inside(self, row: Row, names: Iterable[str]) -> Scope:
        """The scope of expressions over a row."""
        return Scope(row, self.taken | {*names})

    def at(self, depth: int) -> Row | None:
        row = self.row
        while row is not None and depth > 0:
            row, depth = row.outer, depth - 1
        return row


#: Names that lowering gives to what has none.
_FRESH = re.compile(r"\$\d+")


@dataclass
class Naming:
    """Gives names to what a text has to name."""

    #: The names that were made up, and not taken from the plan.
    invented: set[str] = field(default_factory=set)

    def pick(self, wanted: str | None, otherwise: str, taken: Collection[str]) -> str:
        """The name that the plan has for it, unless it is taken; else one like it."""
        if wanted and not _FRESH.fullmatch(wanted) and wanted.lower() not in taken:
            return wanted
        base = otherwise if not wanted or _FRESH.fullmatch(wanted) else wanted
        for name in _numbered(base):
            if name.lower() not in taken:
                self.invented.add(name)
                return name
        raise AssertionError


def _numbered(base: str) -> Iterator[str]:
    yield base
    number = 2
    while True:
        yield f"{base}{number}"
        number += 1


def variable(name: str, *, local: bool = False) -> ast.Var:
    """A variable of that name."""
    return ast.Var(name, quoted=not words.is_plain(name), local=local)


def new_name(name: str) -> ast.Name:
    """A name for something new."""
    return ast.Name(name, quoted=not words.is_plain(name))


def uses(rexes: Iterable[Node]) -> Iterator[tuple[int, int]]:
    """The columns of the row at hand that expressions use: the ordinal, and how many rows are between."""
    stack: list[tuple[Node, int]] = [(rex, 0) for rex in rexes]
    seen: set[tuple[int, int]] = set()
    while stack:
        node, level = stack.pop()
        if isinstance(node, Var):
            if node.depth == level:
                yield node.ordinal, level
        elif level == 0 or (id(node), level) not in seen:
            seen.add((id(node), level))
            stack.extend(levels(node, level))
