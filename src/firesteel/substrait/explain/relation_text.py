"""The line of a relation: what it does, with which expressions."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.substrait.explain.expression_text import RowNames, Speaker, mask
from firesteel.substrait.explain.names import Columns, Names, base_names
from firesteel.substrait.explain.type_text import WIDTH, cut, mark
from firesteel.substrait.lower.base import anchor_of
from firesteel.substrait.message import Message


def head(rel: Message, kind: str, row: RowNames | None, columns: Columns, speaker: Speaker) -> str:
    """The line of a relation, without its columns."""
    inner: Message = getattr(rel, kind)
    say = _HEADS.get(kind)
    text = kind if say is None else say(_Seen(inner, row, columns, speaker))
    if "common" not in inner.kind.by_name:
        return text
    if inner.common.has("rel_anchor"):
        text += f" (anchor {inner.common.rel_anchor})"
    mapping = inner.common.emit.output_mapping
    if inner.common.which("emit_kind") == "emit" and list(mapping) != list(range(len(columns.before(rel)))):
        text += f" emit ({cut(', '.join(map(str, mapping[:WIDTH])))})"
    return text


class _Seen:
    """A relation, and what its expressions see."""

    def __init__(self, inner: Message, outer: RowNames | None, columns: Columns, speaker: Speaker) -> None:
        self.inner, self.outer, self.columns, self.speaker = inner, outer, columns, speaker
        self.row = self._row()

    def _row(self) -> RowNames:
        if self.inner.kind.short == "ReadRel":
            return RowNames(base_names(self.columns, self.inner), self.outer)
        names: Names = ()
        anchors: dict[int, int] = {}
        for one in self.columns.below(self.inner):
            anchor = anchor_of(one)
            if anchor is not None:
                anchors[anchor] = len(names)
            names += self.columns.of(one)
        return RowNames(names, self.outer, anchors)

    def say(self, name: str) -> str:
        """An expression of the relation."""
        return self.speaker.say(getattr(self.inner, name), self.row)

    def part(self, word: str, name: str) -> str:
        """The same, after a word, if it is there."""
        return f" {word} {self.say(name)}" if self.inner.has(name) else ""

    def label(self, name: str, prefix: str) -> str:
        return self.inner.label(name).removeprefix(prefix).lower().replace("_", " ")


def _read(seen: _Seen) -> str:
    inner = seen.inner
    kind = inner.which("read_type")
    match kind:
        case "named_table":
            what = ".".join(inner.named_table.names) or mark("a table without a name")
        case "virtual_table":
            count = len(inner.virtual_table.values) + len(inner.virtual_table.expressions)
            what = f"{count} row{'' if count == 1 else 's'} of the plan"
        case "local_files":
            what = _files(inner.local_files)
        case "extension_table":
            what = f"extension {inner.extension_table.detail.type_url}"
        case _:
            what = kind or mark("of nothing")
    masked = f" {mask(inner.projection.select, seen.row)}" if inner.has("projection") else ""
    return f"read {what}{seen.part('where', 'filter')}{seen.part('maybe where', 'best_effort_filter')}{masked}"


def _files(files: Message) -> str:
    if not files.items:
        return mark("no files")
    first = files.items[0]
    kind = first.which("path_type")
    path = getattr(first, kind) if kind else mark("a file without a path")
    more = f" and {len(files.items) - 1} more" if len(files.items) > 1 else ""
    part = f" bytes {first.start} + {first.length}" if first.start or first.length else ""
    return f"{first.which('file_format') or 'files'} {path!r}{part}{more}"


def _project(seen: _Seen) -> str:
    return f"project {seen.speaker.all(seen.inner.expressions, seen.row)}".rstrip()


def _sort(seen: _Seen) -> str:
    return f"sort {seen.speaker.sorts(seen.inner.sorts, seen.row)}"


def _fetch(seen: _Seen) -> str:
    inner = seen.inner
    text = "fetch"
    for word in ("offset", "count"):
        if inner.has(f"{word}_expr"):
            text += seen.part(word, f"{word}_expr")
        elif inner.has(word):
            text += f" {word} {getattr(inner, word)}"
    return text


def _top_n(seen: _Seen) -> str:
    ties = " with ties" if seen.inner.label("mode").endswith("WITH_TIES") else ""
    return f"top_n{seen.part('offset', 'offset')}{seen.part('count', 'count')}{ties} by {_sort(seen)[5:]}"


def _aggregate(seen: _Seen) -> str:
    inner, speaker, row = seen.inner, seen.speaker, seen.row
    measures = []
    for one in inner.measures[:WIDTH]:
        text = speaker.call(one.measure, row)
        measures.append(text + (f" where {speaker.say(one.filter, row)}" if one.has("filter") else ""))
    text = "aggregate" + (f" {', '.join(measures)}" if measures else "")
    if inner.grouping_expressions:
        text += f" by {speaker.all(inner.grouping_expressions, row)}"
        sets = [list(one.expression_references) for one in inner.groupings]
        if sets and sets != [list(range(len(inner.grouping_expressions)))]:
            text += f" sets {', '.join('(' + ', '.join(map(str, one)) + ')' for one in sets)}"
    elif inner.groupings:
        keys = [speaker.all(one.grouping_expressions, row) for one in inner.groupings]
        if len(keys) > 1:
            text += f" by sets {', '.join(f'({one})' for one in keys)}"
        elif keys[0]:
            text += f" by {keys[0]}"
    return cut(text, 2 * WIDTH)


def _join(seen: _Seen) -> str:
    kind = {"JoinRel": "join", "LateralJoinRel": "lateral_join"}.get(seen.inner.kind.short, "nested_loop_join")
    return f"{kind} {seen.label('type', 'JOIN_TYPE_')}{seen.part('on', 'expression')}{_after(seen)}"


def _after(seen: _Seen) -> str:
    if "post_join_filter" not in seen.inner.kind.by_name:
        return ""
    return seen.part("then where", "post_join_filter")


def _keyed(seen: _Seen) -> str:
    inner, speaker = seen.inner, seen.speaker
    left, right = (RowNames(seen.columns.of(getattr(inner, side)), seen.outer) for side in ("left", "right"))
    keys = [(one.left, one.right, one.comparison) for one in inner.keys]
    keys += [(a, b, None) for a, b in zip(inner.left_keys, inner.right_keys, strict=False)]
    texts = []
    for a, b, how in keys[:WIDTH]:
        custom = how is not None and how.which("inner_type") == "custom_function_reference"
        word = "eq" if how is None else how.label("simple").removeprefix("SIMPLE_COMPARISON_TYPE_").lower()
        if custom:
            word = speaker.function(how.custom_function_reference)
        texts.append(f"{speaker.reference(a, left)} {word} {speaker.reference(b, right)}")
    kind = "hash_join" if inner.kind.short == "HashJoinRel" else "merge_join"
    residual = seen.part("and", "residual_expression")
    return cut(f"{kind} {seen.label('type', 'JOIN_TYPE_')} on {', '.join(texts)}{residual}{_after(seen)}", 2 * WIDTH)


def _set(seen: _Seen) -> str:
    return f"set {seen.label('op', 'SET_OP_')}"


def _window(seen: _Seen) -> str:
    inner, speaker, row = seen.inner, seen.speaker, seen.row
    calls = ", ".join(speaker.call(one, row) for one in inner.window_functions[:WIDTH])
    partition = f" partition by {speaker.all(inner.partition_expressions, row)}" if inner.partition_expressions else ""
    order = f" order by {speaker.sorts(inner.sorts, row)}" if inner.sorts else ""
    return cut(f"window {calls}{partition}{order}", 2 * WIDTH)


def _expand(seen: _Seen) -> str:
    fields = []
    for one in seen.inner.fields[:WIDTH]:
        if one.which("field_type") == "switching_field":
            fields.append(f"({seen.speaker.all(one.switching_field.duplicates, seen.row).replace(', ', ' | ')})")
        else:
            fields.append(seen.speaker.say(one.consistent_field, seen.row))
    return cut(f"expand {', '.join(fields)}")


def _exchange(seen: _Seen) -> str:
    kind = seen.inner.which("exchange_kind") or mark("of nothing")
    return f"exchange {kind}"


def _write(seen: _Seen) -> str:
    inner = seen.inner
    kind = inner.which("write_type")
    target = ".".join(inner.named_table.names) if kind == "named_table" else kind or mark("of nothing")
    return f"write {seen.label('op', 'WRITE_OP_')} {target}"


def _define(seen: _Seen) -> str:
    inner = seen.inner
    kind = inner.which("write_type")
    target = ".".join(inner.named_object.names) if kind == "named_object" else kind or mark("of nothing")
    return f"ddl {seen.label('op', 'DDL_OP_')} {seen.label('object', 'DDL_OBJECT_')} {target}"


def _update(seen: _Seen) -> str:
    inner = seen.inner
    row = RowNames(tuple(inner.table_schema.names), seen.outer)
    sets = [
        f"${one.column_target} = {seen.speaker.say(one.transformation, row)}" for one in inner.transformations[:WIDTH]
    ]
    where = f" where {seen.speaker.say(inner.condition, row)}" if inner.has("condition") else ""
    return cut(f"update {'.'.join(inner.named_table.names)} set {', '.join(sets)}{where}")


def _extension(seen: _Seen) -> str:
    kind = seen.inner.kind.short.removesuffix("Rel").removeprefix("Extension").lower()
    return f"extension_{kind} {seen.inner.detail.type_url or mark('of nothing')}"


_HEADS: dict[str, Callable[[_Seen], str]] = {
    "read": _read,
    "filter": lambda seen: f"filter {seen.say('condition')}",
    "project": _project,
    "sort": _sort,
    "fetch": _fetch,
    "top_n": _top_n,
    "aggregate": _aggregate,
    "join": _join,
    "lateral_join": _join,
    "nested_loop_join": _join,
    "hash_join": _keyed,
    "merge_join": _keyed,
    "set": _set,
    "window": _window,
    "expand": _expand,
    "exchange": _exchange,
    "reference": lambda seen: f"reference to tree {seen.inner.subtree_ordinal}",
    "write": _write,
    "ddl": _define,
    "update": _update,
    "extension_single": _extension,
    "extension_multi": _extension,
    "extension_leaf": _extension,
}
