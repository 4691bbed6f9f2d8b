"""Variables, paths, and elements of lists and maps: chains of segments, from a row or from any expression."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError
from firesteel.plan import build
from firesteel.plan.fit import attribute
from firesteel.substrait.lower.column_names import in_any_case
from firesteel.substrait.message import Message, message
from firesteel.substrait.write.base import Row, Writer, Writing, expression
from firesteel.substrait.write.own_nodes import call, own_function

#: The segments of a chain, the first one first, each with the name of its field.
Segments = list[tuple[str, Message]]


@expression(p.Var)
def _variable(writer: Writer, rex: p.Var, row: Row) -> Message:
    made = message("Expression", selection=_from_row(rex, [], row))
    found = row.find(rex.depth)
    assert found is not None
    if found[0].columns[rex.ordinal] == rex.type:
        return made
    if writer.target.portable:
        raise writer.refuse(rex)
    argument = message("FunctionArgument", value=made)
    from firesteel.substrait.own_messages import ALGEBRA_URN

    return call(writer, ALGEBRA_URN, rex.tag, [argument], rex.type)


def _from_row(rex: p.Var, segments: Segments, row: Row) -> Message:
    """A reference to a column, or into it."""
    found = row.find(rex.depth)
    if found is None or not 0 <= rex.ordinal < len(found[0].columns):
        raise PlanError(f"no column {rex.ordinal} of the row at depth {rex.depth}", where=rex.where)
    column = ("struct_field", message("Expression.ReferenceSegment.StructField", field=rex.ordinal))
    return _reference([column, *segments], **_root(found[1]))


def _root(steps: int) -> dict[str, Message]:
    if not steps:
        return {"root_reference": message("Expression.FieldReference.RootReference")}
    outer = message("Expression.FieldReference.OuterReference", steps_out=steps)
    return {"outer_reference": outer}


def _reference(segments: Segments, **root: Message) -> Message:
    inner: Message | None = None
    for kind, segment in reversed(segments):
        if inner is not None:
            segment.given["child"] = inner
        inner = message("Expression.ReferenceSegment", **{kind: segment})
    return message("Expression.FieldReference", direct_reference=inner, **root)


@expression(p.Path)
def _path(writer: Writer, rex: p.Path, row: Row) -> Writing:
    return (yield from chain(writer, rex, row)) or (yield from own_function(writer, rex, row))


def chain(writer: Writer, rex: p.Rex, row: Row) -> Writing:
    """A reference to a field, an element or an entry; None if it is none."""
    root, segments = _taken(writer, rex)
    if not segments:
        return None
    if isinstance(root, p.Var) and _is_typed(root, row):
        return message("Expression", selection=_from_row(root, segments, row))
    return message("Expression", selection=_reference(segments, expression=(yield root, row)))


def field_reference(writer: Writer, rex: p.Rex, row: Row) -> Message | None:
    """A field of the row at hand, as relations name it; None for any other expression."""
    root, segments = _taken(writer, rex)
    if not isinstance(root, p.Var) or root.depth or not _is_typed(root, row):
        return None
    return _from_row(root, segments, row)


def _is_typed(var: p.Var, row: Row) -> bool:
    found = row.find(var.depth)
    columns = found[0].columns if found else ()
    return 0 <= var.ordinal < len(columns) and columns[var.ordinal] == var.type


def _taken(writer: Writer, rex: p.Rex) -> tuple[p.Rex, Segments]:
    """What a chain starts from, and its segments."""
    segments: Segments = []
    while True:
        found = _segment(writer, rex)
        if found is None:
            segments.reverse()
            return rex, segments
        rex, segment = found
        segments.append(segment)


def _segment(writer: Writer, rex: p.Rex) -> tuple[p.Rex, tuple[str, Message]] | None:
    """The last step of a chain and what it is taken of, if it is read as this step."""
    match rex:
        case p.Path(root=root, steps=(p.Key(key=p.Lit(value=str() as name)),)) if isinstance(root.type, t.Struct):
            for i, field in enumerate(root.type.fields):
                if (field.name or "").lower() != name.lower():
                    continue
                made = attribute(root, field.name or "")
                if not writer.exact_names and isinstance(made, p.Path):
                    made = in_any_case(made)
                if made == rex:
                    return root, ("struct_field", message("Expression.ReferenceSegment.StructField", field=i))
        case p.Call(fn=p.Fn(name="expression:list_element"), args=(p.Rex() as root, p.Lit(type=t.INT32) as place)):
            if isinstance(root.type, t.Array) and _is_element(rex, root, place, root.type.element):
                offset = message("Expression.ReferenceSegment.ListElement", offset=place.value)
                return root, ("list_element", offset)
        case p.Call(fn=p.Fn(name="expression:map_value"), args=(p.Rex() as root, p.Lit() as key)):
            if isinstance(root.type, t.Map) and _is_element(rex, root, key, root.type.value):
                literal = writer.literal(key.type, key.value)
                return root, ("map_key", message("Expression.ReferenceSegment.MapKey", map_key=literal))
    return None


def _is_element(rex: p.Call, root: p.Rex, place: p.Lit, type_: t.Type) -> bool:
    name = rex.fn.name.removeprefix("expression:")
    return rex == build.substrait_expression(name, (root, place), t.absent(type_, nullable=True))
