"""A Substrait plan as a tree, from its own messages: one line per relation, with the columns that it gives.

    substrait 0.80.0 by hand
    root (b, n)
    └─ aggregate count() by b$1              [b string?, $1 i64]
       └─ filter gt(a$0, 5::i64)             [a i64, b string?]
          └─ read t                          [a i64, b string?]

A field is its name, as far as it is known, and its ordinal: `a$0`; `^` before it is one row further out. A subquery
inside an expression is `#1`, and its tree follows below the relation. `emit` is shown where it changes something. Hints
are lines below the relation that begin with a dot; problems of the relation are lines that begin with an exclamation
mark. What cannot be printed is marked: `⟨so⟩`.

`type_text.py` prints types and literals, `expression_text.py` expressions, `relation_text.py` relations; `names.py`
finds the names of columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from firesteel import plan as p
from firesteel.errors import FiresteelError, redacted
from firesteel.source import Place
from firesteel.substrait import own_messages
from firesteel.substrait.dialects.choose import dialect_of
from firesteel.substrait.explain.expression_text import RowNames, Speaker
from firesteel.substrait.explain.names import Columns, Names
from firesteel.substrait.explain.relation_text import head
from firesteel.substrait.explain.type_text import cut, literal, mark, type_text
from firesteel.substrait.extensions import Extensions, read_extensions
from firesteel.substrait.lower import judge
from firesteel.substrait.lower.base import anchor_of
from firesteel.substrait.lower.hints import limits
from firesteel.substrait.message import Message, walk

#: Where a relation's columns begin, at most.
COLUMN = 72


@dataclass(frozen=True)
class _Line:
    """A relation still to be drawn: what is around it, and what stands before it."""

    rel: Message
    row: RowNames | None
    indent: str
    last: bool
    label: str = ""


def explain(message: Message, *, max_lines: int = 10_000) -> str:
    """The plan as a tree of text. It never fails: what cannot be printed is marked, and the rest follows."""
    return redacted(_Drawing(message, max_lines).text())


class _Drawing:
    """One plan being drawn."""

    def __init__(self, plan: Message, max_lines: int) -> None:
        self.plan = plan
        self.max_lines = max_lines
        self.rows: list[tuple[str, str]] = []
        self.drawn: dict[int, int] = {}
        try:
            self.extensions = read_extensions(plan, dialect_of(plan))
        except FiresteelError:
            self.extensions = Extensions()
        judged = judge(plan)
        self.made = judged.recovering.made
        self.problems: dict[tuple[str, ...], list[FiresteelError]] = {}
        for problem in judged.problems:
            place = problem.where.path if isinstance(problem.where, Place) else ()
            self.problems.setdefault(_relation_of(place), []).append(problem)
        self.columns = Columns(plan, self.extensions, self._width)
        self.anchors = self._anchors()

    def _anchors(self) -> dict[int, Names]:
        """The names of the columns of the relations that have an anchor."""
        found: dict[int, Names] = {}
        for tree in self.plan.relations:
            self.columns.detached = list(tree.detached_rels)
            for one in walk(tree):
                anchor = anchor_of(one) if one.kind.short == "Rel" else None
                if anchor is not None:
                    found[anchor] = self.columns.of(one)
        return found

    def text(self) -> str:
        version = self.plan.version
        number = f"{version.major_number}.{version.minor_number}.{version.patch_number}"
        self.rows.append((f"substrait {number}" + (f" by {version.producer}" if version.producer else ""), ""))
        self._wrong((), "")
        for one in self.plan.parameter_bindings:
            self.rows.append((f"parameter {one.parameter_anchor} = {literal(one.value, self.extensions)}", ""))
        for one in self.plan.named_lambdas:
            text = Speaker(self.extensions).function_of(getattr(one, "lambda"))
            self.rows.append((f"lambda {one.lambda_anchor} {one.name}: {text}", ""))
        several = len(self.plan.relations) > 1
        for i, tree in enumerate(self.plan.relations):
            self._tree(tree, f"tree {i}" if several else "")
        width = min(COLUMN, max((len(left) for left, right in self.rows if right), default=0))
        return "\n".join(f"{left:<{width}}  {right}".rstrip() for left, right in self.rows)

    def _tree(self, tree: Message, label: str) -> None:
        self.columns.detached = list(tree.detached_rels)
        kind = tree.which("rel_type")
        if kind is None:
            self.rows.append((f"{label} {mark('a tree of nothing')}".strip(), ""))
            return
        named = f"root ({cut(', '.join(tree.root.names))})" if kind == "root" else "rel"
        self.rows.append((f"{label}: {named}" if label else named, ""))
        self._wrong(tree.path, "")
        self._wrong((*tree.path, "root"), "")
        rel = tree.root.input if kind == "root" else tree.rel
        self._relations(_Line(rel, None, "", True), list(tree.detached_expressions))

    def _relations(self, top: _Line, detached: list[Message]) -> None:
        stack = [top]
        while stack:
            if len(self.rows) >= self.max_lines:
                self.rows.append((f"… cut after {self.max_lines:,} lines", ""))
                return
            line = stack.pop()
            speaker = Speaker(self.extensions, detached, self.anchors)
            below = list(self._relation(line, speaker))
            deeper = line.indent + ("   " if line.last else "│  ")
            for i, (rel, row, label) in reversed(list(enumerate(below))):
                stack.append(_Line(rel, row, deeper, i == len(below) - 1, label))

    def _relation(self, line: _Line, speaker: Speaker) -> Iterator[tuple[Message, RowNames | None, str]]:
        """Draw a relation; what is to be drawn below it."""
        rel = self._attached(line.rel)
        lead = line.indent + ("└─ " if line.last else "├─ ") + line.label
        kind = rel.which("rel_type")
        if kind is None or kind == "detached_rel_ordinal":
            what = "a relation of nothing" if kind is None else f"detached relation {rel.detached_rel_ordinal}"
            self.rows.append((lead + mark(what), ""))
            return
        if id(rel) in self.drawn:
            self.rows.append((f"{lead}{kind}, as in line {self.drawn[id(rel)]}", ""))
            return
        self.drawn[id(rel)] = len(self.rows) + 1
        self.rows.append((lead + head(rel, kind, line.row, self.columns, speaker), self._given(rel, kind)))
        deeper = line.indent + ("   " if line.last else "│  ")
        inner: Message = getattr(rel, kind)
        self.rows.extend((f"{deeper}· {hint}", "") for hint in _hints(inner))
        self._wrong(inner.path, deeper)
        for i, (query, row) in enumerate(speaker.subqueries, 1):
            yield query, row, f"#{i}: "
        beside = line.row
        for i, one in enumerate(self.columns.below(inner)):
            if i == 1 and kind == "lateral_join":
                left = self.columns.below(inner)[0]
                anchors = {found: 0 for found in (anchor_of(rel), anchor_of(left)) if found is not None}
                beside = RowNames(self.columns.of(left), line.row, anchors)
            yield one, beside, ""

    def _attached(self, rel: Message) -> Message:
        """The relation that a detached ordinal refers to."""
        seen: set[int] = set()
        while rel.which("rel_type") == "detached_rel_ordinal":
            ordinal = rel.detached_rel_ordinal
            if ordinal in seen or not 0 <= ordinal < len(self.columns.detached):
                break
            seen.add(ordinal)
            rel = self.columns.detached[ordinal]
        return rel

    def _width(self, rel: Message) -> int | None:
        made = self.made.get(id(rel))
        if not isinstance(made, p.Rel):
            return None
        columns = p.schema(made)
        return None if any(type_text(one.type).startswith("⟨") for one in columns) else len(columns)

    def _given(self, rel: Message, kind: str) -> str:
        """The columns of a relation, with their types."""
        if kind in ("write", "ddl", "update"):
            return ""
        names = self.columns.of(rel)
        made = self.made.get(id(rel))
        types = [type_text(one.type) for one in p.schema(made)] if isinstance(made, p.Rel) else []
        if len(types) != len(names):
            types = [mark("not known")] * len(names)
        shown = [f"{name or f'${i}'} {text}" for i, (name, text) in enumerate(zip(names, types, strict=True))]
        return f"[{', '.join(shown)}]"

    def _wrong(self, path: tuple[str, ...], indent: str) -> None:
        for problem in self.problems.pop(path, ()):
            self.rows.append((f"{indent}! {problem.code}: {problem.message}", ""))


def _relation_of(path: tuple[str, ...]) -> tuple[str, ...]:
    """The path of the relation that contains a place in the plan; the tree has a line for it."""
    ends = ("input", "left", "right", "rel", "haystack", "tuples", "view_definition")
    for i in range(len(path) - 1, 0, -1):
        step = path[i - 1]
        if step in ends or step.startswith(("inputs[", "detached_rels[")):
            return path[: i + 1]
    return path[:1] if path[:1] and path[0].startswith("relations[") else ()


def _hints(inner: Message) -> Iterator[str]:
    """What a plan says of a relation beside what it does."""
    if "common" in inner.kind.by_name and inner.common.has("hint"):
        yield from _hint(inner.common.hint)
    for holder in (inner, inner.common if "common" in inner.kind.by_name else inner):
        if "advanced_extension" in holder.kind.by_name and holder.has("advanced_extension"):
            yield from _advanced(holder.advanced_extension)
        if holder is inner and "common" not in inner.kind.by_name:
            break


def _hint(hint: Message) -> Iterator[str]:
    told = []
    if hint.has("stats"):
        told += [f"about {hint.stats.row_count:g} rows"] if hint.stats.row_count else []
        told += [f"about {hint.stats.record_size:g} bytes each"] if hint.stats.record_size else []
    told += [f"alias {hint.alias}"] if hint.alias else []
    told += [f"names ({cut(', '.join(hint.output_names))})"] if hint.output_names else []
    told += [f"saved as {one.computation_id}" for one in hint.saved_computations]
    told += [f"loaded from {one.computation_id_reference}" for one in hint.loaded_computations]
    if told:
        yield f"hint: {', '.join(told)}"
    for name in ("stats", "constraint"):
        if hint.has(name):
            for one in _advanced(getattr(hint, name).advanced_extension):
                yield f"{name} {one}"
    yield from _limits(hint)
    if hint.has("advanced_extension"):
        yield from _advanced(hint.advanced_extension)


def _limits(hint: Message) -> Iterator[str]:
    try:
        found = limits(hint)
    except FiresteelError:
        return
    if found.records is not None:
        yield f"constraint: at most {found.records} records"
    if found.record_size is not None:
        yield f"constraint: at most {found.record_size} bytes in a record"
    for text, _ in found.refused:
        yield f"constraint: at most {text}"


def _advanced(extension: Message) -> Iterator[str]:
    """The extensions that are not ours: what ours say is part of the relation's line, or a constraint."""
    for one in extension.optimization:
        if not own_messages.is_placed(one, extension):
            yield f"optimization: {one.type_url or mark('of nothing')}"
    if extension.has("enhancement") and not own_messages.is_placed(extension.enhancement, extension):
        yield f"enhancement: {extension.enhancement.type_url or mark('of nothing')}"


__all__ = ["explain"]
