"""Is a written plan a Substrait plan? Judged by Substrait's own messages and declarations, not by our reader.

The bytes are parsed by the published classes. Then: no unknown fields; every anchor that is used is declared, once;
every standard function is declared under its URN by a name and a signature that the standard's files have; every field
reference is to a column that the row has; a root names all of its columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import yaml
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from substrait import plan_pb2

STANDARD = "extension:io.substrait:"
OURS = "extension:firesteel:"

#: The messages that URIs were removed from, and those that other fields were.
_WITH_URIS = ("Plan", "ExtensionFunction")
_WITH_OLD_FIELDS = ("FetchRel", "Grouping", "VirtualTable")

_SHORT = {
    "boolean": "bool",
    "string": "str",
    "binary": "vbin",
    "timestamp": "ts",
    "timestamp_tz": "tstz",
    "interval_year": "iyear",
    "interval_day": "iday",
    "interval_compound": "icompound",
    "fixedchar": "fchar",
    "varchar": "vchar",
    "fixedbinary": "fbin",
    "decimal": "dec",
    "precision_time": "pt",
    "precision_timestamp": "pts",
    "precision_timestamp_tz": "ptstz",
}


@cache
def declared_names() -> dict[str, set[str]]:
    """The compound names of the functions that each of the standard's extensions declares."""
    found: dict[str, set[str]] = {}
    for path in files("substrait_extensions.extensions").iterdir():
        if not path.name.endswith(".yaml") or "_schema" in path.name:
            continue
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        names = found.setdefault(STANDARD + path.name.removesuffix(".yaml"), set())
        for section in ("scalar_functions", "aggregate_functions", "window_functions"):
            for function in document.get(section, ()):
                for form in function["impls"]:
                    signature = "_".join(_short(one) for one in form.get("args", ()))
                    names.add(f"{function['name'].lower()}:{signature}")
    return found


def _short(argument: dict[str, Any]) -> str:
    if "options" in argument:
        return "req"
    name = str(argument["value"]).lower().split("<")[0].rstrip("?")
    return "any" if name.rstrip("0123456789") == "any" else _SHORT.get(name, name)


@dataclass
class Validator:
    """One plan being judged."""

    plan: Any
    compound: bool = True
    old_uris: bool = False
    old_fields: bool = False
    problems: list[str] = field(default_factory=list)
    widths: list[int | None] = field(default_factory=list)
    tree: Any = None

    def judge(self) -> list[str]:
        functions, types = self._declarations()
        for message in _all(self.plan):
            old = (*_WITH_URIS * self.old_uris, *_WITH_OLD_FIELDS * self.old_fields)
            if len(UnknownFieldSet(message)) and message.DESCRIPTOR.name not in old:
                self.problems.append(f"unknown fields in {message.DESCRIPTOR.name}")
            self._anchors(message, functions, types)
        for tree in self.plan.relations:
            self.tree = tree
            root = tree.WhichOneof("rel_type") == "root"
            width = self.width(tree.root.input if root else tree.rel, ())
            self.widths.append(width)
            if root and width is not None and len(tree.root.names) < width:
                self.problems.append(f"{len(tree.root.names)} names for {width} columns")
        return self.problems

    def _declarations(self) -> tuple[set[int], set[int]]:
        urns = {one.extension_urn_anchor: one.urn for one in self.plan.extension_urns}
        functions: set[int] = set()
        types: set[int] = set()
        for one in self.plan.extensions:
            kind = one.WhichOneof("mapping_type")
            inner = getattr(one, kind)
            urn = urns.get(inner.extension_urn_reference)
            if urn is None:
                self.problems.append(f"'{inner.name}' of no URN")
                continue
            known, anchor = (
                (functions, inner.function_anchor) if kind == "extension_function" else (types, inner.type_anchor)
            )
            if anchor in known:
                self.problems.append(f"the anchor {anchor} twice")
            known.add(anchor)
            if kind == "extension_function" and urn.startswith(STANDARD):
                names = declared_names().get(urn, set())
                if self.compound and inner.name not in names:
                    self.problems.append(f"{urn} has no '{inner.name}'")
            elif not urn.startswith((STANDARD, OURS)):
                self.problems.append(f"{urn} is not known")
        return functions, types

    def _anchors(self, message: Any, functions: set[int], types: set[int]) -> None:
        names = message.DESCRIPTOR.fields_by_name
        if "function_reference" in names and message.function_reference not in functions:
            self.problems.append(f"no function {message.function_reference}")
        name = message.DESCRIPTOR.full_name
        compares = name == "substrait.SortField" and message.WhichOneof("sort_kind") == "comparison_function_reference"
        if compares and message.comparison_function_reference not in functions:
            self.problems.append(f"no function {message.comparison_function_reference}")
        is_type = name in ("substrait.Type.UserDefined", "substrait.Expression.Literal.UserDefined")
        if is_type and message.type_reference not in types:
            self.problems.append(f"no type {message.type_reference}")
        if name == "google.protobuf.Any" and not message.type_url:
            self.problems.append("a message of no type")

    # Widths ----------------------------------------------------------------------------------------------------------

    def width(self, rel: Any, rows: tuple[int | None, ...]) -> int | None:
        """How many columns a relation gives, None if only its extension knows. Its expressions are judged as well."""
        kind = rel.WhichOneof("rel_type")
        if kind == "detached_rel_ordinal":
            if rel.detached_rel_ordinal >= len(self.tree.detached_rels):
                self.problems.append(f"no detached relation {rel.detached_rel_ordinal}")
                return None
            return self.width(self.tree.detached_rels[rel.detached_rel_ordinal], rows)
        inner = getattr(rel, kind)
        found = self._plain_width(kind, inner, rows)
        if "common" in inner.DESCRIPTOR.fields_by_name and inner.common.WhichOneof("emit_kind") == "emit":
            mapping = list(inner.common.emit.output_mapping)
            if found is not None and any(i >= found for i in mapping):
                self.problems.append(f"an emit of {mapping} from {found} columns")
            return len(mapping)
        return found

    def _plain_width(self, kind: str, inner: Any, rows: tuple[int | None, ...]) -> int | None:
        match kind:
            case "read":
                if inner.WhichOneof("read_type") == "virtual_table":
                    self._expressions(inner.virtual_table, (0, *rows))
                width = len(inner.base_schema.struct.types)
                items = inner.projection.select.struct_items
                return len(items) if inner.HasField("projection") else width
            case "reference":
                if not 0 <= inner.subtree_ordinal < len(self.widths):
                    self.problems.append(f"a reference to the tree {inner.subtree_ordinal}")
                    return None
                return self.widths[inner.subtree_ordinal]
            case "set":
                found = [self.width(one, rows) for one in inner.inputs]
                if len({one for one in found if one is not None}) > 1:
                    self.problems.append(f"a set of relations of {found} columns")
                return found[0]
            case "cross" | "join" | "hash_join" | "merge_join" | "nested_loop_join" | "lateral_join":
                return self._join_width(kind, inner, rows)
            case "write" | "ddl":
                source = inner.input if kind == "write" else inner.view_definition
                if inner.HasField("input" if kind == "write" else "view_definition"):
                    self.width(source, rows)
                return 0
            case "extension_leaf" | "extension_multi":
                for one in getattr(inner, "inputs", ()):
                    self.width(one, rows)
                return None
        width = self.width(inner.input, rows)
        if kind == "extension_single":
            return None
        self._expressions(inner, (width, *rows), skip=("input",))
        if width is None:
            return None
        match kind:
            case "project":
                return width + len(inner.expressions)
            case "aggregate":
                keys = len(inner.grouping_expressions)
                for grouping in inner.groupings:
                    if any(i >= keys for i in grouping.expression_references):
                        self.problems.append("a grouping of expressions that are not there")
                return keys + len(inner.measures) + (len(inner.groupings) > 1)
            case "window":
                return width + len(inner.window_functions)
            case "expand":
                return max(width, len(inner.fields)) + 1
        return width

    def _join_width(self, kind: str, inner: Any, rows: tuple[int | None, ...]) -> int | None:
        left = self.width(inner.left, rows)
        right = self.width(inner.right, (left, *rows) if kind == "lateral_join" else rows)
        both = None if left is None or right is None else left + right
        if kind != "cross":
            self._expressions(inner, (both, *rows), skip=("left", "right", "keys"))
            for key in getattr(inner, "keys", ()):
                self._reference(key.left, (left, *rows))
                self._reference(key.right, (right, *rows))
            name = inner.DESCRIPTOR.fields_by_name["type"].enum_type.values_by_number[inner.type].name
            if name.endswith(("LEFT_SEMI", "LEFT_ANTI")):
                return left
            if name.endswith("LEFT_MARK"):
                return None if left is None else left + 1
        return both

    # Expressions -----------------------------------------------------------------------------------------------------

    def _expressions(self, holder: Any, rows: tuple[int | None, ...], skip: tuple[str, ...] = ()) -> None:
        """Judge all references in a message, but not those of relations in it, which are judged on their own."""
        stack = [getattr(holder, one.name) for one, _ in holder.ListFields() if one.name not in skip]
        while stack:
            message = stack.pop()
            if not isinstance(message, Message):
                stack += list(message) if hasattr(message, "add") or hasattr(message, "MergeFrom") else []
                continue
            name = message.DESCRIPTOR.full_name
            if name == "substrait.Rel":
                self.width(message, rows)
                continue
            if name == "google.protobuf.Any":
                continue
            if name == "substrait.Expression" and message.WhichOneof("rex_type") == "detached_expression_ordinal":
                if message.detached_expression_ordinal >= len(self.tree.detached_expressions):
                    self.problems.append(f"no detached expression {message.detached_expression_ordinal}")
                else:
                    stack.append(self.tree.detached_expressions[message.detached_expression_ordinal])
                continue
            if name == "substrait.Expression.FieldReference":
                self._reference(message, rows)
            stack += [value for one, value in message.ListFields() if one.message_type is not None]

    def _reference(self, reference: Any, rows: tuple[int | None, ...]) -> None:
        steps = reference.outer_reference.steps_out if reference.HasField("outer_reference") else 0
        if reference.WhichOneof("root_type") not in ("root_reference", "outer_reference"):
            return
        if steps >= len(rows):
            self.problems.append(f"a reference {steps} rows out, of {len(rows)}")
            return
        width, ordinal = rows[steps], reference.direct_reference.struct_field.field
        if width is not None and ordinal >= width:
            self.problems.append(f"a reference to column {ordinal} of {width}")


def _all(message: Any) -> Iterator[Any]:
    stack = [message]
    while stack:
        one = stack.pop()
        yield one
        for descriptor, value in one.ListFields():
            if descriptor.message_type is not None:
                stack += list(value) if not isinstance(value, Message) else [value]


def problems(data: bytes, *, compound: bool = True, old_uris: bool = False, old_fields: bool = False) -> list[str]:
    """What is wrong with a plan. `compound`: its functions go by compound names; `old_uris`
    and `old_fields`: it has those too."""
    return Validator(plan_pb2.Plan.FromString(data), compound, old_uris, old_fields).judge()
