"""Rules about what a plan declares and what it refers to by anchors, for plans that run although they break them."""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.rules import AnchorRule, Remark
from firesteel.substrait.message import Message, walk

#: The fields that refer to a declaration, each with the table of declarations: `extensions` by their kind.
_REFERENCES = {
    "function_reference": "extension_function",
    "comparison_function_reference": "extension_function",
    "custom_function_reference": "extension_function",
    "type_reference": "extension_type",
    "user_defined_type_reference": "extension_type",
    "type_variation_reference": "extension_type_variation",
    "type_alias_reference": "type_aliases",
    "lambda_reference": "named_lambdas",
    "parameter_reference": "parameter_bindings",
    "extension_urn_reference": "extension_urns",
    "extension_uri_reference": "extension_uris",
}
#: The anchors of declarations.
_ANCHORS = {
    "extension_function": "function_anchor",
    "extension_type": "type_anchor",
    "extension_type_variation": "type_variation_anchor",
    "type_aliases": "type_alias_anchor",
    "named_lambdas": "lambda_anchor",
    "parameter_bindings": "parameter_anchor",
    "extension_urns": "extension_urn_anchor",
    "extension_uris": "extension_uri_anchor",
}
_CALLED = {
    "extension_function": "function",
    "extension_type": "type",
    "extension_type_variation": "type variation",
    "type_aliases": "type alias",
    "named_lambdas": "lambda",
    "parameter_bindings": "value of a parameter",
    "extension_urns": "URN",
    "extension_uris": "URI",
}


def judge_declarations(plan: Message) -> Iterator[Remark]:
    """Declarations that nothing refers to, and references of declarations to a URN that is not declared."""
    yield from _dangling(plan)
    used = _used(plan)
    if used is None:
        return
    for table, one in _declared(plan):
        anchor = getattr(one, _ANCHORS[table])
        if anchor not in used[table]:
            name = getattr(one, "name", "") or getattr(one, "urn", "") or getattr(one, "uri", "") or anchor
            yield Remark(AnchorRule.UNUSED, f"the {_CALLED[table]} '{name}' is declared and not used", one.where)


def _declared(plan: Message) -> Iterator[tuple[str, Message]]:
    for one in plan.extensions:
        kind = one.which("mapping_type")
        if kind is not None:
            yield kind, one.given[kind]
    for table in _ANCHORS:
        if table in plan.kind.by_name:
            for one in getattr(plan, table):
                yield table, one


def _used(plan: Message) -> dict[str, set[int]] | None:
    """The anchors that are referred to, by table; None if a message of an extension, which may have references that
    are not seen here, is in the plan."""
    used: dict[str, set[int]] = {table: set() for table in _ANCHORS}
    for message in walk(plan):
        if message.kind.short == "Any":
            return None
        for name, table in _REFERENCES.items():
            if name in message.kind.by_name and _counts(message, name):
                used[table].add(getattr(message, name))
    return used


def _counts(message: Message, name: str) -> bool:
    """Is the field a reference even where it is not set? An anchor of 0 is not written, but one of several alternatives
    is."""
    return message.has(name) or not message.kind.by_name[name].oneof


def _dangling(plan: Message) -> Iterator[Remark]:
    """Where a plan declares no extension at all, the repair of that says enough."""
    known = {
        "extension_urn_reference": {one.extension_urn_anchor for one in plan.extension_urns},
        "extension_uri_reference": {one.extension_uri_anchor for one in plan.extension_uris},
    }
    if not any(known.values()):
        return
    for table, one in _declared(plan):
        if table in ("extension_function", "extension_type", "extension_type_variation") and not any(
            getattr(one, name) in anchors for name, anchors in known.items()
        ):
            anchor = one.extension_urn_reference or one.extension_uri_reference
            yield Remark(AnchorRule.URN_ANCHOR, f"no URN is declared with the anchor {anchor}", one.where)
