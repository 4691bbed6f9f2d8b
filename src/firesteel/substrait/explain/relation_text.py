"""The line of a relation: what it does, with which expressions."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.errors import FiresteelError
from firesteel.substrait import own_messages
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
        return _lower(self.inner, name, prefix)


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
    wheres = f"{seen.part('where', 'filter')}{seen.part('maybe where', 'best_effort_filter')}"
    return f"read {what}{wheres}{masked}{_promises(seen)}"


def _promises(seen: _Seen) -> str:
    """What the plan promises of a read, over the columns that it emits."""
    found = _own(seen.inner, own_messages.READ_PROPERTIES)
    if isinstance(found, str):
        return found
    assert seen.inner.parent is not None
    row = RowNames(seen.columns.of(seen.inner.parent), seen.outer)
    sorts = [
        f"{seen.speaker.reference(one.field, row)} {_lower(one, 'direction', 'SORT_DIRECTION_')}"
        for one in found.orderedness[:WIDTH]
    ]
    text = f" ordered by {', '.join(sorts)}" if sorts else ""
    if found.has("distribution"):
        fields = ", ".join(seen.speaker.reference(one, row) for one in found.distribution.fields[:WIDTH])
        text += f" {_lower(found.distribution, 'type', 'DISTRIBUTION_TYPE_')}{f' by {fields}' if fields else ''}"
    pairs = ", ".join(f"{one.name} = {one.value!r}" for one in found.properties[:WIDTH])
    return cut(text + (f" with ({pairs})" if pairs else ""), 2 * WIDTH)


def _own(inner: Message, name: str) -> Message | str:
    """A message of ours in the extension of a relation; the text for none, or for one that cannot be read."""
    try:
        return own_messages.find(inner, name) or ""
    except FiresteelError:
        return f" {mark(name)}"


def _lower(message: Message, name: str, prefix: str) -> str:
    return message.label(name).removeprefix(prefix).lower().replace("_", " ")


def _method(inner: Message, name: str) -> str:
    """The strategy of an aggregate or a window."""
    found = _own(inner, name)
    if isinstance(found, str):
        return found
    return f" {_lower(found, 'method', 'METHOD_')}"


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
    text = f"aggregate{_method(inner, own_messages.AGGREGATE_STRATEGY)}"
    text += f" {', '.join(measures)}" if measures else ""
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
        word = _lower(how, "simple", "SIMPLE_COMPARISON_TYPE_") if how is not None and how.simple else "eq"
        if custom:
            word = speaker.function(how.custom_function_reference)
        texts.append(f"{speaker.reference(a, left)} {word} {speaker.reference(b, right)}")
    kind = "hash_join" if inner.kind.short == "HashJoinRel" else "merge_join"
    residual = seen.part("and", "residual_expression")
    side = f" build {seen.label('build_input', 'BUILD_INPUT_')}" if inner.has("build_input") else ""
    how = f"{kind} {seen.label('type', 'JOIN_TYPE_')}{side}"
    return cut(f"{how} on {', '.join(texts)}{residual}{_after(seen)}", 2 * WIDTH)


def _set(seen: _Seen) -> str:
    return f"set {seen.label('op', 'SET_OP_')}"


def _window(seen: _Seen) -> str:
    inner, speaker, row = seen.inner, seen.speaker, seen.row
    calls = ", ".join(speaker.call(one, row) for one in inner.window_functions[:WIDTH])
    partition = f" partition by {speaker.all(inner.partition_expressions, row)}" if inner.partition_expressions else ""
    order = f" order by {speaker.sorts(inner.sorts, row)}" if inner.sorts else ""
    method = _method(inner, own_messages.WINDOW_STRATEGY)
    return cut(f"window{method} {calls}{partition}{order}", 2 * WIDTH)


def _expand(seen: _Seen) -> str:
    fields = []
    for one in seen.inner.fields[:WIDTH]:
        if one.which("field_type") == "switching_field":
            fields.append(f"({seen.speaker.all(one.switching_field.duplicates, seen.row).replace(', ', ' | ')})")
        else:
            fields.append(seen.speaker.say(one.consistent_field, seen.row))
    return cut(f"expand {', '.join(fields)}")


def _exchange(seen: _Seen) -> str:
    inner, speaker, row = seen.inner, seen.speaker, seen.row
    kind = inner.which("exchange_kind")
    options = _own(inner, own_messages.EXCHANGE_OPTIONS)
    match kind:
        case "scatter_by_fields":
            what = f"scatter {', '.join(speaker.reference(one, row) for one in inner.scatter_by_fields.fields[:WIDTH])}"
        case "single_target":
            held = options if isinstance(options, str) else " constrained" if options.constrained_to_count else ""
            what = f"single_bucket {speaker.say(inner.single_target.expression, row)}{held}"
        case "multi_target":
            held = " constrained" if inner.multi_target.constrained_to_count else ""
            what = f"multi_bucket {speaker.say(inner.multi_target.expression, row)}{held}"
        case "round_robin":
            what = "round_robin exact" if inner.round_robin.exact else "round_robin"
        case _:
            what = kind or mark("of nothing")
    count = f" to {inner.partition_count} partitions" if inner.partition_count else ""
    targets = [_target(one) for one in inner.targets[:WIDTH]]
    return cut(f"exchange {what}{count}{', '.join(['', *targets])}", 2 * WIDTH)


def _target(target: Message) -> str:
    numbers = ", ".join(map(str, target.partition_id[:WIDTH]))
    match target.which("target_type"):
        case "uri":
            place = repr(target.uri)
        case "extended":
            place = target.extended.type_url or mark("of nothing")
        case _:
            place = mark("nowhere")
    return f"({numbers}) at {place}"


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
    detail = seen.inner.detail
    if seen.inner.kind.short == "ExtensionSingleRel" and own_messages.type_name(detail) in _CAPTURES:
        return _CAPTURES[own_messages.type_name(detail)](detail)
    kind = seen.inner.kind.short.removesuffix("Rel").removeprefix("Extension").lower()
    return f"extension_{kind} {detail.type_url or mark('of nothing')}{_node_name(detail)}"


def _node_name(detail: Message) -> str:
    """The name of the node that a detail of ours stands for."""
    if own_messages.type_name(detail) != own_messages.NODE:
        return ""
    try:
        return f" {own_messages.opened(detail).kind_name}"
    except FiresteelError:
        return f" {mark('which cannot be read')}"


def _merging(detail: Message) -> str:
    try:
        return "merging_capture blocking" if own_messages.opened(detail).blocking else "merging_capture"
    except FiresteelError:
        return f"merging_capture {mark('of something else')}"


_CAPTURES: dict[str, Callable[[Message], str]] = {
    own_messages.MERGING_CAPTURE: _merging,
    own_messages.SIMPLE_CAPTURE: lambda _: "simple_capture",
}


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
