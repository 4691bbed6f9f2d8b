"""Graph patterns: what follows MATCH. Only the syntax."""

from __future__ import annotations

from typing import Any

from firesteel.partiql.ast import (
    EdgePattern,
    Expr,
    GraphMatch,
    GraphPart,
    Label,
    LabelAnd,
    LabelAny,
    LabelName,
    LabelNot,
    LabelOr,
    Name,
    NodePattern,
    PathPattern,
    Repeat,
    Selector,
)
from firesteel.partiql.parse.expressions import Expressions
from firesteel.partiql.parse.keywords import NAMES

_EDGE_STARTS = frozenset({"-", "~", "<"})
_CLOSER = {"(": ")", "[": "]"}
#: How an edge was drawn: was there a `<`, which stroke, was there a `>`?
_DIRECTIONS: dict[tuple[bool, str, bool], Any] = {
    (False, "-", True): "->",
    (True, "-", False): "<-",
    (True, "-", True): "<->",
    (False, "-", False): "-",
    (False, "~", False): "~",
    (False, "~", True): "~>",
    (True, "~", False): "<~",
}


class Graphs(Expressions):
    """The layer of graph patterns."""

    def match(self, first: int, graph: Expr, many: bool) -> GraphMatch:
        """`MATCH ...` after a graph that began at `first`; several patterns, and WHERE, only inside of parentheses."""
        self.expect("MATCH")
        selector = self._selector()
        patterns = [self._pattern()]
        while many and self.accept(","):
            patterns.append(self._pattern())
        filter = self.expression() if many and self.accept("WHERE") else None
        return GraphMatch(graph, tuple(patterns), selector=selector, filter=filter, where=self.span(first))

    def _selector(self) -> Selector | None:
        first = self.at
        kind = self.kinds[first]
        if kind in ("ANY", "ALL") and self.kinds[first + 1] == "SHORTEST":
            self.at += 2
            return Selector(f"{kind.lower()} shortest", where=self.span(first))
        if self.accept("ANY"):
            count = self.integer() if self.kinds[self.at] == "int" else None
            return Selector("any", count, where=self.span(first))
        if self.accept("SHORTEST"):
            count = self.integer()
            kind = "shortest group" if self.accept("GROUP") else "shortest"
            return Selector(kind, count, where=self.span(first))
        return None

    # -----------------------------------------------------------------------------------------------------------------
    # Paths

    def _pattern(self) -> PathPattern:
        first = self.at
        restrictor, variable = self._path_head()
        parts = self._parts()
        return PathPattern(parts, restrictor=restrictor, variable=variable, where=self.span(first))

    def _path_head(self) -> tuple[str | None, Name | None]:
        restrictor = None
        if self.kinds[self.at] in NAMES and self.kinds[self.at + 1] != "=":
            restrictor = self.name().text.lower()
        variable = None
        if self.kinds[self.at] in NAMES:
            variable = self.name()
            self.expect("=")
        return restrictor, variable

    def _parts(self) -> tuple[GraphPart, ...]:
        parts: list[GraphPart] = []
        while True:
            kind = self.kinds[self.at]
            if kind in _EDGE_STARTS:
                parts.append(self._edge())
            elif kind == "(" and self._is_node():
                parts.append(self._node())
            elif kind in _CLOSER:
                parts.append(self._group())
            elif not parts:
                self.expected("a pattern of nodes and edges")
            else:
                return tuple(parts)

    def _is_node(self) -> bool:
        after = self.at + 1
        if self.kinds[after] in NAMES:
            after += 1
        return self.kinds[after] in (")", ":", "WHERE")

    def _group(self) -> PathPattern:
        self.deeper()
        first = self.at
        closer = _CLOSER[self.kinds[first]]
        self.at += 1
        restrictor, variable = self._path_head()
        parts = self._parts()
        filter = self.expression() if self.accept("WHERE") else None
        self.expect(closer)
        repeat = self._repeat()
        self.depth -= 1
        return PathPattern(
            parts, restrictor=restrictor, variable=variable, filter=filter, repeat=repeat, where=self.span(first)
        )

    def _node(self) -> NodePattern:
        first = self.at
        self.at += 1
        variable, label, filter = self._spec()
        self.expect(")")
        return NodePattern(variable, label=label, filter=filter, where=self.span(first))

    def _edge(self) -> EdgePattern:
        first = self.at
        left = self.accept("<")
        stroke = self.expect_any("-", "~")
        spec: tuple[Name | None, Label | None, Expr | None] = (None, None, None)
        if self.accept("["):
            spec = self._spec()
            self.expect("]")
            self.expect(stroke)
        right = self.accept(">")
        direction = _DIRECTIONS.get((left, stroke, right))
        if direction is None:
            self.fail("an undirected edge cannot point both ways", first)
        variable, label, filter = spec
        repeat = self._repeat()
        return EdgePattern(direction, variable, label=label, filter=filter, repeat=repeat, where=self.span(first))

    def _spec(self) -> tuple[Name | None, Label | None, Expr | None]:
        """`variable :label WHERE filter`, each of which may be absent."""
        variable = self.name() if self.kinds[self.at] in NAMES else None
        label = self._label() if self.accept(":") else None
        filter = self.expression() if self.accept("WHERE") else None
        return variable, label, filter

    def _repeat(self) -> Repeat | None:
        first = self.at
        if self.accept("*"):
            return Repeat(0, where=self.span(first))
        if self.accept("+"):
            return Repeat(1, where=self.span(first))
        if not self.accept("{"):
            return None
        least = self.integer()
        self.expect(",")
        most = self.integer() if self.kinds[self.at] == "int" else None
        self.expect("}")
        return Repeat(least, most, where=self.span(first))

    # -----------------------------------------------------------------------------------------------------------------
    # Labels

    def _label(self) -> Label:
        first = self.at
        labels = [self._label_term()]
        while self.accept("|"):
            labels.append(self._label_term())
        return labels[0] if len(labels) == 1 else LabelOr(tuple(labels), where=self.span(first))

    def _label_term(self) -> Label:
        first = self.at
        labels = [self._label_factor()]
        while self.accept("&"):
            labels.append(self._label_factor())
        return labels[0] if len(labels) == 1 else LabelAnd(tuple(labels), where=self.span(first))

    def _label_factor(self) -> Label:
        first = self.at
        while self.accept("!"):
            pass
        inner = self.at
        label: Label
        if self.accept("%"):
            label = LabelAny(where=self.span(inner))
        elif self.accept("("):
            self.deeper()
            label = self._label()
            self.depth -= 1
            self.expect(")")
        else:
            label = LabelName(self.name("a label"), where=self.span(inner))
        for place in range(inner - 1, first - 1, -1):
            label = LabelNot(label, where=self.span(place))
        return label
