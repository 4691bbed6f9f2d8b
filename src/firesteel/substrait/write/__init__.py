"""Writes plans of the algebra as Substrait messages: the mirror of `lower/`.

`base` says what a handler is; `relations`, `reads`, `joins` and `physical` have those of relations, `expressions`,
`calls` and `references` those of expressions. `statements` writes the top of a plan. What Substrait has no message for
goes out by the declarations of its nodes (`own_nodes`). `targets` says who a plan is written for; `detach` keeps deep
plans flat.
"""

from __future__ import annotations

from importlib.metadata import version

from firesteel import plan as p
from firesteel.errors import FiresteelError, PlanError
from firesteel.node import drive, walk
from firesteel.substrait import own_messages
from firesteel.substrait.lower.column_names import in_any_case
from firesteel.substrait.message import Message, message
from firesteel.substrait.write import expressions, joins, physical, reads, references, relations  # noqa: F401
from firesteel.substrait.write.base import TOP, Writer, common
from firesteel.substrait.write.detach import detach
from firesteel.substrait.write.own_nodes import own_node, whole_node
from firesteel.substrait.write.portable.older import put_older_fields
from firesteel.substrait.write.portable.refusals import ensure_known
from firesteel.substrait.write.statements import Said, tree_of
from firesteel.substrait.write.targets import TARGETS, Target, target_named


def write(plan: p.Plan, target: str | None = None) -> Message:
    """The Substrait plan: by today's specification, so that it is read as the same plan, or for a consumer."""
    chosen = target_named(target)
    if chosen.portable:
        from firesteel.substrait.write.portable import portable_plan

        plan = portable_plan(plan, chosen.lowerings)
    try:
        return _written(plan, chosen)
    except FiresteelError:
        if chosen.portable:
            raise
        return _whole(plan, chosen)


def _whole(plan: p.Plan, target: Target) -> Message:
    """A plan that is no relations: without a statement, or with a column that is not there. It comes back as it is."""
    writer = Writer(plan, target, exact_names=False)
    node = drive(lambda one: whole_node(writer, one), plan)
    leaf = message("ExtensionLeafRel", common=common(), detail=own_messages.packed(own_messages.NODE, node))
    tree = message("PlanRel", rel=message("Rel", extension_leaf=leaf))
    made = message("Plan", version=_version(target), relations=[tree])
    writer.anchors.put(made)
    return made


def _written(plan: p.Plan, chosen: Target) -> Message:
    """The plan as relations, with what they do not say beside them."""
    if not plan.statements:
        raise PlanError("a plan without statements", where=plan.where)
    exact = any(in_any_case(path) != path for path in walk(plan, p.Path))
    writer = Writer(plan, chosen, exact_names=exact)
    trees, said = _trees(writer)
    made = message("Plan", version=_version(chosen), relations=trees)
    if not chosen.portable:
        _add_details(writer, made, said)
    if writer.parameters:
        made.given["parameter_bindings"] = [
            message("DynamicParameterBinding", parameter_anchor=i, value=writer.literal(lit.type, lit.value))
            for i, lit in sorted(writer.parameters.items())
        ]
    writer.anchors.put(made)
    ensure_known(made, chosen)
    if chosen.old_fields:
        put_older_fields(made)
    return made


def _version(target: Target) -> Message:
    major, minor, patch = target.version
    producer = f"firesteel {version('firesteel')}"
    return message("Version", major_number=major, minor_number=minor, patch_number=patch, producer=producer)


def _trees(writer: Writer) -> tuple[list[Message], dict[int, Said]]:
    """The relation trees of a plan, and what they do not say, by their numbers."""
    layout = _layout(writer.plan)
    writer.trees = {i: one for i, one in enumerate(layout) if isinstance(one, p.Rel)}
    writer.trees.update({i: one.input for i, one in enumerate(layout) if isinstance(one, p.Root)})
    trees: list[Message] = []
    said: dict[int, Said] = {}
    for i, one in enumerate(layout):
        if isinstance(one, p.Rel):
            tree = message("PlanRel", rel=writer.write(one))
        else:
            tree, told = tree_of(writer, one)
            if told:
                said[i] = told
        if not writer.target.nested:
            detach(tree)
            writer.forget()
        trees.append(tree)
    return trees, said


def _layout(plan: p.Plan) -> list[p.Rel | p.Statement]:
    """The trees of a plan, in their order: its statements, and the shared relations, which go by the numbers that are
    their names. If these numbers do not fit, shared relations stay where they are used."""
    shared: dict[int, p.Rel] = {}
    for node in walk(plan, p.Shared):
        if node.name.isdecimal() and shared.setdefault(int(node.name), node.input) != node.input:
            return list(plan.statements)
    waiting = list(plan.statements)
    made: list[p.Rel | p.Statement] = []
    while waiting or any(number >= len(made) for number in shared):
        wanted = shared.get(len(made))
        first = waiting[0] if waiting else None
        if first is not None and (wanted is None or (isinstance(first, p.Root) and first.input == wanted)):
            made.append(waiting.pop(0))
        elif wanted is not None:
            made.append(wanted)
        else:
            return list(plan.statements)
        if any(node.name.isdecimal() and int(node.name) >= len(made) - 1 for node in walk(made[-1], p.Shared)):
            return list(plan.statements)
    return made


# ---------------------------------------------------------------------------------------------------------------------
# What trees do not say


def _add_details(writer: Writer, made: Message, said: dict[int, Said]) -> None:
    """Put what the trees do not say of a plan beside them: an optimization, which others need not know."""
    plan = writer.plan
    parts = {
        "statements": [message("firesteel.PlanDetails.Statement", relation=i, **told) for i, told in said.items()],
        "exact_names": writer.exact_names,
        "document": _document(writer),
    }
    if writer.counts_globals or tuple(writer.read_globals) != plan.globals:
        parts["globals"] = [drive(lambda node, row: own_node(writer, node, row), one, TOP) for one in plan.globals]
    details = message("firesteel.PlanDetails", **parts)
    if details.given:
        held = own_messages.packed(own_messages.PLAN_DETAILS, details)
        made.given["advanced_extensions"] = message("extensions.AdvancedExtension", optimization=[held])


def _document(writer: Writer) -> list[Message]:
    """The parts of a document that belong to no statement."""
    plan = writer.plan
    without = ("statement", "globals", "definitions")
    node: Message = drive(lambda one, row: own_node(writer, one, row, without=without), plan, TOP)
    fields: list[Message] = node.fields
    if plan.definitions:
        named = [drive(lambda one: whole_node(writer, one), one) for one in plan.definitions]
        items = [message("firesteel.Node.Field", node=one) for one in named]
        listed = message("firesteel.Node.List", items=items)
        fields = [*fields, message("firesteel.Node.Field", name="definitions", list=listed)]
    if isinstance(plan.statement, p.Script) and len(plan.statement.statements) == 1:
        fields = [*fields, message("firesteel.Node.Field", name="script", flag=True)]
    return fields


__all__ = ["TARGETS", "Target", "write"]
