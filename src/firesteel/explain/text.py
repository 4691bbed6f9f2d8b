"""The tree: one line per node, with column names, types and nullability.

    query permissive → bag(struct(name string))
    └─ select {'name': e.name}
       └─ filter (e.id > 3)                [e struct(id int64, name string)]
          └─ scan hr.employees             [e struct(id int64, name string)]

After a type, `?` says that it may be NULL and `~` that it may be MISSING. `^` before a name is one row further out.
A subquery inside an expression is `#1`, and its tree follows below the node. A part of a plan that is used twice is
drawn once. Notes on an expression (such as: it runs in Python) are lines below the node. If the plan says something of
partitions, promises or strategies, the order and the distribution of rows follow in braces (see `physical.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from firesteel import types as t
from firesteel.errors import redacted
from firesteel.explain import physical
from firesteel.explain import rex as expression
from firesteel.node import Node, children
from firesteel.plan import (
    Agg,
    Aggregate,
    CreateTable,
    CreateView,
    Cross,
    Definition,
    Drop,
    Equi,
    GlobalBinding,
    Insert,
    Join,
    Pivot,
    Plan,
    Promised,
    Query,
    Rel,
    Rex,
    Root,
    Script,
    Select,
    SetRel,
    Statement,
    Theta,
    WriteFiles,
    schema,
)
from firesteel.plan.relations.join import Capture
from firesteel.plan.scope import RowScope, scoped_children
from firesteel.plan.statement import Mode

#: Type texts in a schema are cut: the tree is for reading.
TYPE_WIDTH = 60
#: Columns that are shown of a relation: a join of a thousand tables has them a thousand times.
MAX_COLUMNS = 100


@dataclass(frozen=True)
class _Line:
    """A node still to be drawn, with what it sees and what stands before it."""

    node: Node
    scope: RowScope | None
    lead: str = ""
    label: str = ""


def explain(
    plan: Plan,
    *,
    marks: Sequence[tuple[Node, str]] = (),
    max_lines: int = 10_000,
    columns: bool = True,
    beside: Mapping[int, str] | None = None,
) -> str:
    """The plan as a tree of text; of several statements, as one each. `marks` are notes on some of its nodes. Without
    `columns`, relations are shown without theirs. `beside` are texts to show instead, by the identities of nodes."""
    if isinstance(plan.statement, Script):
        each = (plan.replace(statement=statement) for statement in plan.statements)
        return "\n\n".join(explain(one, marks=marks, max_lines=max_lines, columns=columns) for one in each)
    notes = {id(node): (node, note) for node, note in marks}
    rows: list[tuple[str, str]] = []
    drawn: dict[int, int] = {}
    with_properties = physical.shows_properties(plan)
    stack: list[tuple[_Line, str, bool]] = [(_Line(plan.statement, None), "", True)]
    while stack and len(rows) < max_lines:
        line, indent, last = stack.pop()
        top = not rows
        lead = "" if top else indent + ("└─ " if last else "├─ ")
        if isinstance(line.node, Rel) and id(line.node) in drawn:
            rows.append((f"{lead}{line.label}{line.node.tag}, as in line {drawn[id(line.node)]}", ""))
            continue
        drawn[id(line.node)] = len(rows) + 1
        subqueries: list[Node] = []
        text = _head(line.node, line.scope, plan.globals, subqueries)
        if beside is not None:
            right = beside.get(id(line.node), "")
        else:
            right = _columns(line.node, with_properties) if columns else ""
        rows.append((f"{lead}{line.label}{text}", right))
        below = _below(line.node, line.scope, subqueries)
        deeper = "" if top else indent + ("   " if last else "│  ")
        rows.extend((f"{deeper}{hint}", "") for hint in _hinted(line.node))
        rows.extend((f"{deeper}{note}", "") for note in _noted(line, plan.globals, subqueries, notes))
        for i, kid in reversed(list(enumerate(below))):
            stack.append((kid, deeper, i == len(below) - 1))
    if stack:
        rows.append((f"… cut after {max_lines:,} lines", ""))
    width = min(72, max((len(left) for left, right in rows if right), default=0))
    return redacted("\n".join(f"{left:<{width}}  {right}".rstrip() for left, right in rows))


def head(node: Node, scope: RowScope | None, globals_: tuple[GlobalBinding, ...]) -> tuple[str, list[Node]]:
    """An operator on one line, without its inputs and columns, and the subqueries that the line calls `#1`, `#2`."""
    subqueries: list[Node] = []
    return redacted(_head(node, scope, globals_, subqueries)), subqueries


def line(node: Node, scope: RowScope | None, globals_: tuple[GlobalBinding, ...]) -> str:
    """One node on one line: a relation without its inputs and columns, an expression as a whole."""
    whole = isinstance(node, Rel | Statement | Definition)
    return redacted(_head(node, scope, globals_, []) if whole else _part(node, scope, _say(globals_)))


def _say(globals_: tuple[GlobalBinding, ...]) -> Callable[[Node, RowScope | None], str]:
    return lambda part, scope: expression.write(part, scope, globals_, [])


def _hinted(node: Node) -> list[str]:
    """What the plan estimates of a relation, and how it calls it."""
    hints = node.hints if isinstance(node, Rel) else None
    if hints is None:
        return []
    told = [f"about {hints.row_count:g} rows"] if hints.row_count is not None else []
    told += [f"about {hints.record_size:g} bytes each"] if hints.record_size is not None else []
    told += [f"alias {hints.alias}"] if hints.alias is not None else []
    told += [f"names ({_short(', '.join(hints.names))})"] if hints.names else []
    return [f"· hint: {', '.join(told)}"]


def _noted(
    line: _Line, globals_: Sequence[GlobalBinding], subqueries: list[Node], notes: dict[int, tuple[Node, str]]
) -> list[str]:
    """The notes on the node and on its own expressions; subqueries have lines of their own."""
    found: list[str] = []
    scopes = {id(kid): around for kid, around in scoped_children(line.node, line.scope)}
    stack: list[tuple[Node, RowScope | None]] = [(line.node, line.scope)] if notes else []
    while stack:
        node, scope = stack.pop()
        if id(node) in notes:
            _, note = notes.pop(id(node))
            text = node.tag if node is line.node else expression.write(node, scope, globals_, subqueries)
            found.append(f"-- {text}: {note}")
        for kid in reversed(children(node)):
            if not isinstance(kid, Rel | Select | Pivot):
                stack.append((kid, scopes.get(id(kid), scope) if node is line.node else scope))
    return found


def _columns(node: Node, with_properties: bool) -> str:
    if not isinstance(node, Rel):
        return ""
    given = schema(node)
    columns = [f"{f.name or f'${i}'} {_short(f.type)}" for i, f in enumerate(given[:MAX_COLUMNS])]
    if len(given) > MAX_COLUMNS:
        columns.append(f"… {len(given) - MAX_COLUMNS:,} more")
    made = f"[{', '.join(columns)}]"
    return f"{made} {physical.properties(node)}".rstrip() if with_properties else made


def _short(type_: t.Type | str) -> str:
    text = str(type_)
    return text if len(text) <= TYPE_WIDTH else text[: TYPE_WIDTH - 1] + "…"


def _below(node: Node, scope: RowScope | None, subqueries: list[Node]) -> list[_Line]:
    """The relations below, and the subqueries of the node's own expressions."""
    lines = []
    if isinstance(node, Query | CreateView):
        rex = node.rex if isinstance(node, Query) else node.query
        if isinstance(rex, Select | Pivot):
            return [_Line(rex, None)]
    inner = [(kid, around) for kid, around in scoped_children(node, scope) if not isinstance(kid, Rel)]
    around_rex = next((around for _, around in inner), scope)
    lines += [_Line(query, around_rex, label=f"#{i}: ") for i, query in enumerate(subqueries, 1)]
    lines += [_Line(kid, around) for kid, around in scoped_children(node, scope) if isinstance(kid, Rel)]
    return lines


def _head(node: Node, scope: RowScope | None, globals_: tuple[GlobalBinding, ...], subqueries: list[Node]) -> str:
    """The line of a node, without its columns."""

    def say(part: Node, around: RowScope | None) -> str:
        return expression.write(part, around, globals_, subqueries)

    mode = f" {node.mode.value}" if isinstance(node, Query | Root | CreateView) and node.mode is Mode.STRICT else ""
    match node:
        case Query(rex=rex):
            body = "" if isinstance(rex, Select | Pivot) else f" {say(rex, None)}"
            return f"query{mode}{body} → {_short(rex.type)}"
        case CreateView(name=name, query=rex):
            body = "" if isinstance(rex, Select | Pivot) else f" {say(rex, None)}"
            return f"create_view {name}{mode}{body} → {_short(rex.type)}"
        case Root(names=names):
            return f"root{mode} ({', '.join(names)})"
        case CreateTable(columns=columns) | Insert(columns=columns):
            return f"{node.tag} {node.name} ({', '.join(column.name or '?' for column in columns)})"
        case WriteFiles(columns=columns):
            return f"{node.tag} {node.location} ({', '.join(column.name or '?' for column in columns)})"
        case Drop():
            return f"{node.tag} {node.name}"
        case Definition():
            return node.label
        case _:
            around = scoped_children(node, scope)
            words = _physical(node, around, say)
            if words is None:
                parts = [_part(kid, inner, say) for kid, inner in around if not isinstance(kid, Rel)]
                words = [*_own(node), *_grouped(node, parts)]
            return " ".join([node.tag, *filter(None, words)])


def _physical(
    node: Node, around: list[tuple[Node, RowScope | None]], say: Callable[[Node, RowScope | None], str]
) -> list[str] | None:
    """The words of a physical relation, whose expressions all see its input row."""
    inner = next((scope for kid, scope in around if not isinstance(kid, Rel)), None)
    return physical.head(node, lambda part: say(part, inner)) if isinstance(node, Rel) else None


def _part(kid: Node, around: RowScope | None, say: object) -> str:
    assert callable(say)
    match kid:
        case Cross():
            return "cross"
        case Equi(keys=keys, residual=residual):
            rest = f" and {say(residual, around)}" if residual is not None else ""
            return f"equi on {', '.join(say(key, around) for key in keys) or 'nothing'}{rest}"
        case Theta(condition=condition):
            return f"on {say(condition, around)}"
        case _:
            return str(say(kid, around))


def _own(node: Node) -> list[str]:
    """The attributes that change what a node does."""
    words = []
    if isinstance(node, Join):
        words += [] if node.capture is Capture.INNER else [node.capture.name.lower()]
        words += ["lateral"] if node.lateral else []
    if isinstance(node, Rel):
        words += physical.strategy_words(node)
    if isinstance(node, SetRel):
        words.append(node.quantifier.value)
    if getattr(node, "identified", False):
        words.append("by identifier")
    if isinstance(node, Aggregate) and node.strategy.name != "FULL":
        words.append(node.strategy.name.lower())
    return words


def _grouped(node: Node, parts: list[str]) -> list[str]:
    """The parts of an aggregate and of a promise are of several sorts; those of any other node are a list."""
    if isinstance(node, Promised):
        count = len(node.order)
        named = [("ordered by", parts[:count]), ("partitioned by", parts[count:])]
        pairs = [f"{one.name} = '{one.value}'" for one in node.options]
        return [f"{word} {', '.join(told)}" for word, told in (*named, ("with", pairs)) if told]
    if isinstance(node, Aggregate):
        count = sum(isinstance(kid, Agg) for kid in children(node))
        aggs, keys = parts[:count], parts[count:]
        return [", ".join(aggs), *([f"by {', '.join(keys)}"] if keys else [])]
    if isinstance(node, Rex | Rel):
        return [", ".join(parts)] if parts else []
    return parts
