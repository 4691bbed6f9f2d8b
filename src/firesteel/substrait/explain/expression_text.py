"""Expressions of a Substrait plan on one line.

Nothing here fails: what cannot be printed is marked, `⟨so⟩`, and the rest follows.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firesteel.node import drive
from firesteel.substrait.explain.type_text import WIDTH, Text, cut, declared_type, literal, mark
from firesteel.substrait.extensions import Extensions
from firesteel.substrait.message import Message


@dataclass(frozen=True, eq=False)
class RowNames:
    """The names of the columns that an expression sees, and the row around it."""

    names: tuple[str | None, ...] = ()
    outer: RowNames | None = None
    anchors: Mapping[int, int] = field(default_factory=dict)
    is_lambda: bool = False


class Speaker:
    """Prints the expressions of one plan. A subquery is printed as `#1` and kept for the tree below."""

    def __init__(
        self,
        extensions: Extensions,
        detached: Sequence[Message] = (),
        anchors: Mapping[int, tuple[str | None, ...]] | None = None,
    ) -> None:
        self.extensions = extensions
        self.detached = detached
        #: The names of the relations that have an anchor.
        self.anchors = anchors or {}
        self.subqueries: list[tuple[Message, RowNames]] = []
        self._inlining: set[int] = set()

    def say(self, message: Message, row: RowNames) -> str:
        """An expression."""
        return cut(str(drive(self._say, message, row)))

    def all(self, messages: Sequence[Message], row: RowNames) -> str:
        return cut(", ".join(self.say(one, row) for one in messages[:WIDTH]))

    def reference(self, message: Message, row: RowNames) -> str:
        """A field reference on its own, as the keys of joins are."""
        return cut(str(drive(self._reference, message, row)))

    def sorts(self, messages: Sequence[Message], row: RowNames) -> str:
        """The fields of a sort."""
        return cut(str(drive(self._sorts_of, messages, row)))

    def _sorts_of(self, asked: Any, row: RowNames) -> Any:
        return _sorts(self, asked, row) if isinstance(asked, list) else self._say(asked, row)

    def call(self, message: Message, row: RowNames) -> str:
        """An aggregate or a window function of a relation."""
        return cut(str(drive(self._call_of, message, row)))

    def function_of(self, message: Message) -> str:
        """A lambda that the plan declares beside its relations."""
        return cut(str(drive(self._lambda_of, message, RowNames())))

    def _lambda_of(self, message: Message, row: RowNames) -> Any:
        return _lambda(self, message, row) if message.kind.short == "Lambda" else self._say(message, row)

    def _reference(self, message: Message, row: RowNames) -> Any:
        return _selection(self, message, row) if message.kind.short == "FieldReference" else self._say(message, row)

    def _call_of(self, message: Message, row: RowNames) -> Any:
        return self._say(message, row) if message.kind.short == "Expression" else _call(self, message, row)

    def _say(self, message: Message, row: RowNames) -> Any:
        kind = message.which("rex_type")
        if kind is None:
            return mark("an expression of nothing")
        if kind == "detached_expression_ordinal":
            return self._detached(message.detached_expression_ordinal, row)
        handler = _EXPRESSIONS.get(kind)
        return handler(self, getattr(message, kind), row) if handler else mark(kind)

    def _detached(self, ordinal: int, row: RowNames) -> str | Text:
        if not 0 <= ordinal < len(self.detached) or ordinal in self._inlining:
            return mark(f"detached expression {ordinal}")
        return self._inlined(ordinal, row)

    def _inlined(self, ordinal: int, row: RowNames) -> Text:
        self._inlining.add(ordinal)
        text = yield self.detached[ordinal], row
        self._inlining.discard(ordinal)
        return text

    def function(self, anchor: int) -> str:
        known = self.extensions.functions.get(anchor)
        return known.name if known is not None else mark(f"function {anchor}")

    def subquery(self, rel: Message, row: RowNames) -> str:
        self.subqueries.append((rel, row))
        return f"#{len(self.subqueries)}"


def _literal(speaker: Speaker, message: Message, row: RowNames) -> str:
    return literal(message, speaker.extensions)


def name(row: RowNames, ordinal: int) -> str:
    """A column by its name and its ordinal."""
    if not 0 <= ordinal < len(row.names):
        return mark(f"${ordinal}")
    return f"{row.names[ordinal] or ''}${ordinal}"


def _selection(speaker: Speaker, message: Message, row: RowNames) -> Text:
    kind = message.which("root_type")
    ups, start, seen = "", 0, row
    if kind == "expression":
        head = yield message.expression, row
        return head + _steps(speaker, message, None)
    if kind == "outer_reference":
        outer = message.outer_reference
        if outer.which("outer_reference_type") == "rel_reference":
            found = _up(row, lambda one: outer.rel_reference in one.anchors)
            start = found[0].anchors[outer.rel_reference] if found else 0
            if found is None and outer.rel_reference in speaker.anchors:  # of the row that a later tree stands in
                found = RowNames(speaker.anchors[outer.rel_reference]), f"^({outer.rel_reference})"
        else:
            found = _up(row, lambda one: not one.is_lambda, outer.steps_out)
        if found is None:
            return mark("a row that is not there") + _steps(speaker, message, None)
        seen, ups = found
    elif kind == "lambda_parameter_reference":
        found = _up(row, lambda one: one.is_lambda, message.lambda_parameter_reference.steps_out)
        if found is None:
            return mark("a parameter that is not there") + _steps(speaker, message, None)
        seen, ups = found
    else:
        found = _up(row, lambda one: not one.is_lambda)
        seen, ups = found if found else (RowNames(), "")
    return ups + _steps(speaker, message, RowNames(seen.names[start:]))


def _up(row: RowNames, wanted: Callable[[RowNames], bool], steps: int = 0) -> tuple[RowNames, str] | None:
    """The row that is so many such rows out, and a `^` for each that is passed."""
    ups = ""
    at: RowNames | None = row
    while at is not None:
        if wanted(at):
            if steps == 0:
                return at, ups
            steps -= 1
        ups += "^"
        at = at.outer
    return None


def _steps(speaker: Speaker, message: Message, row: RowNames | None) -> str:
    if message.which("reference_type") == "masked_reference":
        return mask(message.masked_reference.select, row or RowNames())
    text = ""
    segment: Message | None = message.direct_reference
    while segment is not None:
        kind = segment.which("reference_type")
        if kind is None:
            return text + mark("a reference of nothing")
        inner = getattr(segment, kind)
        if kind == "struct_field":
            text += name(row, inner.field) if row is not None else f".{inner.field}"
        elif kind == "list_element":
            text += f"[{inner.offset}]"
        else:
            text += f"[{literal(inner.map_key, speaker.extensions)}]"
        row = None
        segment = inner.child if inner.has("child") else None
    return text


def mask(select: Message, row: RowNames) -> str:
    """The columns that a mask selects; what it takes of the inside of them is only hinted at."""
    items = [
        (name(row, one.field) if row.names else f"${one.field}") + ("{…}" if one.has("child") else "")
        for one in select.struct_items[:WIDTH]
    ]
    return cut(f"mask({', '.join(items)})")


def _call(speaker: Speaker, message: Message, row: RowNames) -> Text:
    args = yield from _arguments(speaker, message, row)
    distinct = "distinct " if _label(message, "invocation").endswith("DISTINCT") else ""
    text = f"{speaker.function(message.function_reference)}({distinct}{', '.join(args)})"
    if message.options:
        chosen = [f"{one.name}: {'|'.join(one.preference)}" for one in message.options]
        text += f"[{', '.join(chosen)}]"
    phase = _label(message, "phase").removeprefix("AGGREGATION_PHASE_")
    if phase not in ("", "UNSPECIFIED", "INITIAL_TO_RESULT"):
        text += f" phase {phase.lower()}"
    if "partitions" in message.kind.by_name and message.partitions:
        keys = []
        for one in message.partitions:
            keys.append((yield one, row))
        text += f" partition by {', '.join(keys)}"
    if "sorts" in message.kind.by_name and message.sorts:
        text += f" order by {(yield from _sorts(speaker, message.sorts, row))}"
    if "lower_bound" in message.kind.by_name and (message.has("lower_bound") or message.has("upper_bound")):
        unit = _label(message, "bounds_type").removeprefix("BOUNDS_TYPE_").lower()
        low, high = _bound(message.lower_bound, "preceding"), _bound(message.upper_bound, "following")
        text += f" {unit} from {low} to {high}"
    return text


def _label(message: Message, name_: str) -> str:
    return message.label(name_) if name_ in message.kind.by_name else ""


def _bound(message: Message, outwards: str) -> str:
    kind = message.which("kind")
    if kind == "current_row":
        return "current row"
    if kind in (None, "unbounded"):
        return f"unbounded {outwards}"
    inner = getattr(message, kind)
    return f"{'an expression' if inner.has('offset_expr') else inner.offset} {kind}"


def _arguments(speaker: Speaker, message: Message, row: RowNames) -> Generator[Any, str, list[str]]:
    found: list[str] = []
    for one in message.arguments:
        match one.which("arg_type"):
            case "value":
                found.append((yield one.value, row))
            case "type":
                found.append(declared_type(one.type, speaker.extensions))
            case "enum":
                found.append(one.enum)
            case _:
                found.append(mark("an argument of nothing"))
        if sum(map(len, found)) > WIDTH:
            break
    if "args" in message.kind.by_name:
        for one in message.args:
            found.append(one.enum.specified if one.which("rex_type") == "enum" else (yield one, row))
    return found


def _sorts(speaker: Speaker, sorts: Sequence[Message], row: RowNames) -> Text:
    keys = []
    for one in sorts:
        key = yield one.expr, row
        if one.which("sort_kind") == "comparison_function_reference":
            keys.append(f"{key} by {speaker.function(one.comparison_function_reference)}")
        else:
            keys.append(f"{key} {one.label('direction').removeprefix('SORT_DIRECTION_').lower().replace('_', ' ')}")
    return ", ".join(keys)


def _cast(speaker: Speaker, message: Message, row: RowNames) -> Text:
    text = yield message.input, row
    failing = " or null" if message.label("failure_behavior").endswith("RETURN_NULL") else ""
    return f"cast({text} as {declared_type(message.type, speaker.extensions)}{failing})"


def _if_then(speaker: Speaker, message: Message, row: RowNames) -> Text:
    arms = []
    for one in message.ifs:
        arms.append(f"if {(yield getattr(one, 'if'), row)} then {(yield one.then, row)}")
    if message.has("else"):
        arms.append(f"else {(yield getattr(message, 'else'), row)}")
    return f"({' '.join(arms)})"


def _switch(speaker: Speaker, message: Message, row: RowNames) -> Text:
    arms = [f"switch {(yield message.match, row)}"]
    for one in message.ifs:
        arms.append(f"case {literal(getattr(one, 'if'), speaker.extensions)} then {(yield one.then, row)}")
    if message.has("else"):
        arms.append(f"else {(yield getattr(message, 'else'), row)}")
    return f"({' '.join(arms)})"


def _several(messages: Sequence[Message], row: RowNames) -> Text:
    texts: list[str] = []
    for one in messages:
        texts.append((yield one, row))
        if sum(map(len, texts)) > WIDTH:
            break
    return ", ".join(texts)


def _one_of(speaker: Speaker, message: Message, row: RowNames) -> Text:
    return f"{(yield message.value, row)} in ({(yield from _several(message.options, row))})"


def _row_of(speaker: Speaker, message: Message, row: RowNames) -> Text:
    head = yield from _several(message.value, row)
    records = []
    for one in message.options:
        records.append(f"({(yield from _several(one.fields, row))})")
    return f"({head}) in ({', '.join(records)})"


def _nested(speaker: Speaker, message: Message, row: RowNames) -> Text:
    match message.which("nested_type"):
        case "struct":
            return f"struct({(yield from _several(message.struct.fields, row))})"
        case "list":
            return f"[{(yield from _several(message.list.values, row))}]"
        case "map":
            pairs = []
            for one in message.map.key_values:
                pairs.append(f"{(yield one.key, row)}: {(yield one.value, row)}")
            return f"map({', '.join(pairs)})"
    return mark("a nested value of nothing")


def _subquery(speaker: Speaker, message: Message, row: RowNames) -> str | Text:
    kind = message.which("subquery_type")
    return _subquery_of(speaker, kind, getattr(message, kind), row) if kind else mark("a subquery of nothing")


def _subquery_of(speaker: Speaker, kind: str, message: Message, row: RowNames) -> Text:
    match kind:
        case "scalar":
            return f"scalar {speaker.subquery(message.input, row)}"
        case "in_predicate":
            needles = yield from _several(message.needles, row)
            return f"({needles}) in {speaker.subquery(message.haystack, row)}"
        case "set_predicate":
            op = message.label("predicate_op").removeprefix("PREDICATE_OP_").lower()
            return f"{op} {speaker.subquery(message.tuples, row)}"
        case "set_comparison":
            left = yield message.left, row
            op = message.label("comparison_op").removeprefix("COMPARISON_OP_").lower()
            how = message.label("reduction_op").removeprefix("REDUCTION_OP_").lower()
            return f"({left} {op} {how} {speaker.subquery(message.right, row)})"
    return mark(kind)


def _parameter(speaker: Speaker, message: Message, row: RowNames) -> str:
    return f"parameter {message.parameter_reference}::{declared_type(message.type, speaker.extensions)}"


def _lambda(speaker: Speaker, message: Message, row: RowNames) -> Text:
    types = [declared_type(one, speaker.extensions) for one in message.parameters.types]
    inner = RowNames((None,) * len(types), row, is_lambda=True)
    return f"({', '.join(types)}) -> {(yield message.body, inner)}"


def _invocation(speaker: Speaker, message: Message, row: RowNames) -> Text:
    args = yield from _several(message.arguments.fields, row)
    if message.which("lambda_type") == "lambda":
        return f"({(yield from _lambda(speaker, getattr(message, 'lambda'), row))})({args})"
    return f"lambda {message.named_lambda.lambda_reference}({args})"


_EXPRESSIONS: dict[str, Callable[[Speaker, Message, RowNames], Any]] = {
    "literal": _literal,
    "selection": _selection,
    "scalar_function": _call,
    "window_function": _call,
    "if_then": _if_then,
    "switch_expression": _switch,
    "singular_or_list": _one_of,
    "multi_or_list": _row_of,
    "cast": _cast,
    "subquery": _subquery,
    "nested": _nested,
    "dynamic_parameter": _parameter,
    "lambda": _lambda,
    "lambda_invocation": _invocation,
    "named_lambda_reference": lambda _speaker, message, _row: f"lambda {message.lambda_reference}",
    "execution_context_variable": lambda _speaker, message, _row: (
        message.which("execution_context_variable_type") or mark("a variable of nothing")
    ),
    "enum": lambda _speaker, message, _row: message.specified or mark("unspecified"),
}
