"""References to fields: of the row at hand, of one around it, of a lambda's parameters, of any struct, list or map."""

from __future__ import annotations

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.plan import build
from firesteel.plan.fit import attribute, unless_null
from firesteel.rules import PlanRule, ReferenceRule
from firesteel.substrait.literals import read_literal
from firesteel.substrait.lower.base import FieldScope, Lowerer, Lowering, expression
from firesteel.substrait.lower.masks import apply_mask, mask_fields
from firesteel.substrait.message import Message


@expression("selection")
def _selection(lowerer: Lowerer, message: Message, scope: FieldScope) -> p.Rex | Lowering:
    if message.which("root_type") == "expression":
        return _of_expression(lowerer, message, scope)
    return _into_row(lowerer, *_row(message, scope), message)


def _of_expression(lowerer: Lowerer, message: Message, scope: FieldScope) -> Lowering:
    root = yield message.expression, scope
    return _into_value(lowerer, root, message).at(message.where)


def _row(message: Message, scope: FieldScope) -> tuple[FieldScope, int, int]:
    """The row that a reference begins at, how far out it is, and where its columns start."""
    kind = message.which("root_type")
    if kind == "outer_reference":
        outer = message.outer_reference
        if outer.which("outer_reference_type") == "rel_reference":
            found = scope.anchored(outer.rel_reference)
            if found is None:
                raise ReferenceRule.OUTER.broken(
                    f"no relation around here has the anchor {outer.rel_reference}", where=outer.where
                )
            return *found, found[0].anchors[outer.rel_reference]
        found = scope.row(outer.steps_out)
        if found is None or found[0].outer is None or outer.steps_out == 0:  # around the outermost row there is none
            raise ReferenceRule.OUTER.broken(f"no relation is {outer.steps_out} steps out of here", where=outer.where)
        return *found, 0
    if kind == "lambda_parameter_reference":
        steps = message.lambda_parameter_reference.steps_out
        found = scope.parameters(steps)
        if found is None:
            raise ReferenceRule.LAMBDA_STEPS.broken(f"no lambda is {steps} steps out of here", where=message.where)
        return *found, 0
    found = scope.row(0)
    if found is None or found[0].is_leaf:
        raise ReferenceRule.NO_ROW.broken("a field is referred to where there is no row", where=message.where)
    return *found, 0


def _into_row(lowerer: Lowerer, row: FieldScope, depth: int, start: int, message: Message) -> p.Rex:
    width = len(row.columns)
    if message.which("reference_type") == "masked_reference":
        mask = message.masked_reference
        pairs: list[tuple[str | p.Rex, p.Rex]] = []
        for i, (ordinal, inner) in enumerate(mask_fields(mask.select, width - start), 1):
            pairs.append((f"_{i}", apply_mask(row.variable(start + ordinal, depth), inner)))
        if len(pairs) == 1 and not mask.maintain_singular_struct:
            return pairs[0][1].at(message.where)
        return build.struct(pairs).at(message.where)
    segment = message.direct_reference
    if segment.which("reference_type") != "struct_field":
        raise ReferenceRule.REFERENCE_KIND.broken("a reference to a row begins with a field of it", where=message.where)
    field: Message = segment.given["struct_field"]
    ordinal = start + field.field
    if not start <= ordinal < width:
        raise ReferenceRule.FIELD.broken(f"no field {field.field}: the row has {width - start}", where=field.where)
    root = row.variable(ordinal, depth).at(message.where)
    return _steps(lowerer, root, field.child if field.has("child") else None)


def input_field(
    lowerer: Lowerer, reference: Message, row: FieldScope, start: int = 0, width: int | None = None
) -> p.Rex:
    """A field of an input that a relation names by a reference: of so many columns of the row, from one on."""
    if width is None:
        width = len(row.columns)
    segment = reference.direct_reference
    if (
        reference.which("root_type") not in (None, "root_reference")
        or segment.which("reference_type") != "struct_field"
    ):
        raise UnsupportedError("a reference that is to no field of the input", where=reference.where)
    field = segment.struct_field
    if not 0 <= field.field < width:
        raise ReferenceRule.FIELD.broken(f"no field {field.field}: the input has {width}", where=reference.where)
    root = row.variable(start + field.field, 0).at(reference.where)
    return _steps(lowerer, root, field.child if field.has("child") else None)


def _into_value(lowerer: Lowerer, root: p.Rex, message: Message) -> p.Rex:
    if message.which("reference_type") == "masked_reference":
        select = message.masked_reference.select
        if not isinstance(root.type, t.Struct):
            raise ReferenceRule.REFERENCE_KIND.broken(f"a mask on a {root.type}", where=message.where)
        fields = root.type.fields
        pairs: list[tuple[str | p.Rex, p.Rex]] = []
        for i, (ordinal, inner) in enumerate(mask_fields(select, len(fields)), 1):
            pairs.append((f"_{i}", apply_mask(attribute(root, fields[ordinal].name or ""), inner)))
        return unless_null(root, build.struct(pairs))
    return _steps(lowerer, root, message.direct_reference)


def _steps(lowerer: Lowerer, root: p.Rex, segment: Message | None) -> p.Rex:
    """The value at the end of a chain of segments."""
    while segment is not None:
        kind = segment.which("reference_type")
        if kind is None:
            raise PlanRule.SAYS_NOTHING.broken("a reference that says nothing", where=segment.where)
        inner = segment.given[kind]
        root = _step(lowerer, root, kind, inner).at(inner.where)
        segment = inner.child if inner.has("child") else None
    return root


def _step(lowerer: Lowerer, root: p.Rex, kind: str, inner: Message) -> p.Rex:
    match kind, root.type:
        case "struct_field", t.Struct(fields=fields):
            if not 0 <= inner.field < len(fields):
                raise ReferenceRule.FIELD.broken(
                    f"no field {inner.field}: the struct has {len(fields)}", where=inner.where
                )
            return attribute(root, fields[inner.field].name or "")
        case "list_element", t.Array():
            place = p.Lit(t.INT32, inner.offset)
            return build.substrait_expression("list_element", (root, place), t.absent(root.type.element, nullable=True))
        case "map_key", t.Map():
            if not isinstance(root.type.key, t.Text):
                raise UnsupportedError(f"a key of a {root.type}: a map whose keys are not text", where=inner.where)
            key = p.Lit(*read_literal(inner.map_key, lowerer.extensions)).at(inner.where)
            return build.substrait_expression("map_value", (root, key), t.absent(root.type.value, nullable=True))
    raise ReferenceRule.REFERENCE_KIND.broken(f"a {kind.replace('_', ' ')} of a {root.type}", where=inner.where)
