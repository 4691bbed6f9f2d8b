"""The messages of Substrait, of every version: today's, as the installed package describes them, and what was removed.

Fields were removed from Substrait over time, and a plan that uses them, read with today's descriptors, loses its LIMIT
or its rows without an error. No removed number was ever used again, so today's fields and the removed ones together
read every version. The descriptors are taken from the package's files without importing them: importing would register
them with protobuf's global pool, where they clash with any other version of Substrait in the same process.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import distribution

from google.protobuf import any_pb2, empty_pb2
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)

#: protobuf's numbers of the kinds of fields, by name.
KINDS: dict[int, str] = {
    number: name.removeprefix("TYPE_").lower() for name, number in FieldDescriptorProto.Type.items()
}


@dataclass(frozen=True, eq=False)
class MessageField:
    """A field of a message."""

    name: str
    number: int
    #: A kind of protobuf's: `int32`, `string`, `message`, `enum` ...
    kind: str
    #: The full name of the message or the enumeration.
    of: str = ""
    repeated: bool = False
    #: The group of fields of which one is set, if there is one.
    oneof: str = ""

    @property
    def json_name(self) -> str:
        head, *rest = self.name.split("_")
        return head + "".join(part[:1].upper() + part[1:] for part in rest)


@dataclass(frozen=True, eq=False)
class MessageType:
    """A message: its fields, by number, by name and by their name in JSON."""

    name: str
    by_number: dict[int, MessageField] = field(default_factory=dict)
    by_name: dict[str, MessageField] = field(default_factory=dict)
    by_json: dict[str, MessageField] = field(default_factory=dict)

    @cached_property
    def short(self) -> str:
        return self.name.rpartition(".")[2]

    def add(self, one: MessageField) -> None:
        self.by_number[one.number] = one
        self.by_name[one.name] = one
        self.by_json[one.json_name] = one


@dataclass(frozen=True, eq=False)
class Enum:
    """An enumeration."""

    name: str
    numbers: dict[str, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def add(self, name: str, number: int) -> None:
        self.numbers[name] = number
        self.names.setdefault(number, name)


@dataclass(frozen=True, eq=False)
class Schema:
    """All messages and enumerations, by their full names."""

    messages: dict[str, MessageType] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)


#: Messages that were removed, in the form of `REMOVED`.
_REMOVED_MESSAGES: dict[str, tuple[MessageField, ...]] = {
    "substrait.extensions.SimpleExtensionURI": (
        MessageField("extension_uri_anchor", 1, "uint32"),
        MessageField("uri", 2, "string"),
    ),
    "substrait.Type.Timestamp": (
        MessageField("type_variation_reference", 1, "uint32"),
        MessageField("nullability", 2, "enum", "substrait.Type.Nullability"),
    ),
    "substrait.Type.Time": (
        MessageField("type_variation_reference", 1, "uint32"),
        MessageField("nullability", 2, "enum", "substrait.Type.Nullability"),
    ),
    "substrait.Type.TimestampTZ": (
        MessageField("type_variation_reference", 1, "uint32"),
        MessageField("nullability", 2, "enum", "substrait.Type.Nullability"),
    ),
    "substrait.Expression.Enum": (
        MessageField("specified", 1, "string", oneof="enum_kind"),
        MessageField("unspecified", 2, "message", "substrait.Expression.Enum.Empty", oneof="enum_kind"),
    ),
    "substrait.Expression.Enum.Empty": (),
}

_REFERENCE = "substrait.Expression.FieldReference"

#: Messages of our own, for what Substrait has a place for and no message: docs/substrait-extensions.md.
OWN_MESSAGES: dict[str, tuple[MessageField, ...]] = {
    "firesteel.RecordLimit": (MessageField("max_records", 1, "int64"),),
    "firesteel.RecordSizeLimit": (MessageField("max_bytes", 1, "int64"),),
    "firesteel.CpuLimit": (MessageField("max_seconds", 1, "double"),),
    "firesteel.MemoryLimit": (MessageField("max_bytes", 1, "int64"),),
    "firesteel.AggregateStrategy": (MessageField("method", 1, "enum", "firesteel.AggregateStrategy.Method"),),
    "firesteel.WindowStrategy": (MessageField("method", 1, "enum", "firesteel.WindowStrategy.Method"),),
    "firesteel.ExchangeOptions": (MessageField("constrained_to_count", 1, "bool"),),
    "firesteel.MergingCapture": (MessageField("blocking", 1, "bool"),),
    "firesteel.SimpleCapture": (),
    "firesteel.ReadProperties": (
        MessageField("orderedness", 1, "message", "firesteel.ReadProperties.SortField", repeated=True),
        MessageField("distribution", 2, "message", "firesteel.ReadProperties.Distribution"),
        MessageField("properties", 3, "message", "firesteel.ReadProperties.Property", repeated=True),
    ),
    "firesteel.ReadProperties.SortField": (
        MessageField("field", 1, "message", _REFERENCE),
        MessageField("direction", 2, "enum", "substrait.SortField.SortDirection"),
    ),
    "firesteel.ReadProperties.Distribution": (
        MessageField("type", 1, "enum", "firesteel.ReadProperties.DistributionType"),
        MessageField("fields", 2, "message", _REFERENCE, repeated=True),
    ),
    "firesteel.ReadProperties.Property": (
        MessageField("name", 1, "string"),
        MessageField("value", 2, "string"),
    ),
    "firesteel.Node": (
        MessageField("kind_name", 1, "string"),
        MessageField("fields", 2, "message", "firesteel.Node.Field", repeated=True),
    ),
    "firesteel.Node.Field": (
        MessageField("name", 1, "string"),
        MessageField("expression", 2, "message", "substrait.Expression", oneof="value_kind"),
        MessageField("type", 3, "message", "substrait.Type", oneof="value_kind"),
        MessageField("text", 4, "string", oneof="value_kind"),
        MessageField("number", 5, "double", oneof="value_kind"),
        MessageField("integer", 6, "int64", oneof="value_kind"),
        MessageField("flag", 7, "bool", oneof="value_kind"),
        MessageField("choice", 8, "string", oneof="value_kind"),
        MessageField("ion", 9, "bytes", oneof="value_kind"),
        MessageField("node", 10, "message", "firesteel.Node", oneof="value_kind"),
        MessageField("list", 11, "message", "firesteel.Node.List", oneof="value_kind"),
    ),
    "firesteel.Node.List": (MessageField("items", 1, "message", "firesteel.Node.Field", repeated=True),),
    "firesteel.Write": (
        MessageField("files", 1, "message", "firesteel.Write.Files", oneof="definition"),
        MessageField("virtual_table", 2, "message", "firesteel.Write.VirtualTable", oneof="definition"),
        MessageField("field_names", 3, "string", repeated=True),
        MessageField("mask", 4, "message", "substrait.Expression.MaskExpression"),
        MessageField("rotation_description", 5, "message", _REFERENCE, repeated=True),
        MessageField("rotation_indicator", 6, "message", _REFERENCE),
    ),
    "firesteel.Write.Files": (
        MessageField("path", 1, "string"),
        MessageField("format", 2, "string"),
        MessageField("compression", 3, "string"),
    ),
    "firesteel.Write.VirtualTable": (
        MessageField("names", 1, "string", repeated=True),
        MessageField("pin", 2, "bool"),
    ),
    "firesteel.PlanDetails": (
        MessageField("statements", 1, "message", "firesteel.PlanDetails.Statement", repeated=True),
        MessageField("globals", 2, "message", "firesteel.Node", repeated=True),
        MessageField("exact_names", 3, "bool"),
        MessageField("document", 4, "message", "firesteel.Node.Field", repeated=True),
    ),
    "firesteel.PlanDetails.Statement": (
        MessageField("relation", 1, "int32"),
        MessageField("answer", 2, "enum", "firesteel.PlanDetails.Answer"),
        MessageField("mode", 3, "enum", "firesteel.PlanDetails.Mode"),
        MessageField("type", 4, "message", "substrait.Type"),
        MessageField("columns", 5, "string", repeated=True),
        MessageField("as_is", 6, "bool"),
    ),
}

#: Their enumerations: the names, by number from 0.
OWN_ENUMS: dict[str, tuple[str, ...]] = {
    "firesteel.AggregateStrategy.Method": ("METHOD_UNSPECIFIED", "METHOD_HASH", "METHOD_STREAMING"),
    "firesteel.WindowStrategy.Method": (
        "METHOD_UNSPECIFIED",
        "METHOD_HASHING",
        "METHOD_STREAMING",
        "METHOD_ANY",
    ),
    "firesteel.ReadProperties.DistributionType": (
        "DISTRIBUTION_TYPE_UNSPECIFIED",
        "DISTRIBUTION_TYPE_PARTITIONED",
        "DISTRIBUTION_TYPE_SINGLETON",
    ),
    "firesteel.PlanDetails.Answer": ("ANSWER_ROWS", "ANSWER_SELECT", "ANSWER_ELEMENTS", "ANSWER_VALUE"),
    "firesteel.PlanDetails.Mode": ("MODE_UNSPECIFIED", "MODE_STRICT", "MODE_PERMISSIVE"),
}

_URIS = MessageField("extension_uris", 1, "message", "substrait.extensions.SimpleExtensionURI", repeated=True)
_URI_REFERENCE = MessageField("extension_uri_reference", 1, "uint32")
_LEFT_KEYS = MessageField("left_keys", 4, "message", "substrait.Expression.FieldReference", repeated=True)
_RIGHT_KEYS = MessageField("right_keys", 5, "message", "substrait.Expression.FieldReference", repeated=True)

#: Fields that were removed. None of their numbers was used again.
REMOVED: dict[str, tuple[MessageField, ...]] = {
    "substrait.Plan": (_URIS,),
    "substrait.ExtendedExpression": (_URIS,),
    "substrait.extensions.SimpleExtensionDeclaration.ExtensionType": (_URI_REFERENCE,),
    "substrait.extensions.SimpleExtensionDeclaration.ExtensionTypeVariation": (_URI_REFERENCE,),
    "substrait.extensions.SimpleExtensionDeclaration.ExtensionFunction": (_URI_REFERENCE,),
    "substrait.ReadRel.VirtualTable": (
        MessageField("values", 1, "message", "substrait.Expression.Literal.Struct", repeated=True),
    ),
    "substrait.ReadRel.LocalFiles.FileOrFiles": (
        MessageField("format", 5, "enum", "substrait.ReadRel.LocalFiles.FileOrFiles.FileFormat"),
    ),
    "substrait.FetchRel": (
        MessageField("offset", 3, "int64", oneof="offset_mode"),
        MessageField("count", 4, "int64", oneof="count_mode"),
    ),
    "substrait.AggregateRel.Grouping": (
        MessageField("grouping_expressions", 1, "message", "substrait.Expression", repeated=True),
    ),
    "substrait.HashJoinRel": (_LEFT_KEYS, _RIGHT_KEYS),
    "substrait.MergeJoinRel": (_LEFT_KEYS, _RIGHT_KEYS),
    "substrait.Expression": (MessageField("enum", 10, "message", "substrait.Expression.Enum", oneof="rex_type"),),
    "substrait.Expression.Literal": (
        MessageField("timestamp", 14, "int64", oneof="literal_type"),
        MessageField("time", 17, "int64", oneof="literal_type"),
        MessageField("timestamp_tz", 27, "int64", oneof="literal_type"),
    ),
    "substrait.Expression.Literal.IntervalDayToSecond": (
        MessageField("microseconds", 3, "int32", oneof="precision_mode"),
    ),
    "substrait.Expression.ScalarFunction": (MessageField("args", 2, "message", "substrait.Expression", repeated=True),),
    "substrait.Expression.WindowFunction": (MessageField("args", 8, "message", "substrait.Expression", repeated=True),),
    "substrait.AggregateFunction": (MessageField("args", 2, "message", "substrait.Expression", repeated=True),),
    "substrait.Type": (
        MessageField("timestamp", 14, "message", "substrait.Type.Timestamp", oneof="kind"),
        MessageField("time", 17, "message", "substrait.Type.Time", oneof="kind"),
        MessageField("timestamp_tz", 29, "message", "substrait.Type.TimestampTZ", oneof="kind"),
        MessageField("user_defined_type_reference", 31, "uint32", oneof="kind"),
    ),
}

#: Names of enumerations that were removed or changed, which JSON still has.
REMOVED_NAMES: dict[str, dict[str, int]] = {
    "substrait.ReadRel.LocalFiles.FileOrFiles.FileFormat": {"FILE_FORMAT_UNSPECIFIED": 0, "FILE_FORMAT_PARQUET": 1},
    "substrait.JoinRel.JoinType": {"JOIN_TYPE_SEMI": 5, "JOIN_TYPE_ANTI": 6, "JOIN_TYPE_SINGLE": 7},
}


@cache
def schema() -> Schema:
    """Everything that a Substrait plan of any version may say."""
    made = Schema()
    for file in _files():
        prefix = f"{file.package}."
        for message in file.message_type:
            _add_message(made, prefix, message)
        for enum in file.enum_type:
            _add_enum(made, prefix, enum)
    for name, numbers in REMOVED_NAMES.items():
        for label, number in numbers.items():
            made.enums.setdefault(name, Enum(name)).add(label, number)
    for name, labels in OWN_ENUMS.items():
        own = made.enums[name] = Enum(name)
        for number, label in enumerate(labels):
            own.add(label, number)
    for name, fields in {**_REMOVED_MESSAGES, **OWN_MESSAGES, **REMOVED}.items():
        message_type = made.messages.setdefault(name, MessageType(name))
        for one in fields:
            assert one.number not in message_type.by_number, f"{name}.{one.name} is not removed"
            message_type.add(one)
    return made


@cache
def holding(*kinds: str) -> frozenset[str]:
    """The full names of the messages that are of these kinds, or in which there may be one of them, however deep."""
    messages = schema().messages
    found: set[str] = set()
    more = {name for name, one in messages.items() if one.short in kinds}
    while more:
        found |= more
        more = {name for name, one in messages.items() if any(f.of in more for f in one.by_number.values())} - found
    return frozenset(found)


def _files() -> Iterator[FileDescriptorProto]:
    for module in (any_pb2, empty_pb2):
        yield FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
    for path in distribution("substrait-protobuf").files or ():
        if path.name.endswith("_pb2.py"):
            yield FileDescriptorProto.FromString(_serialized(path.read_text(encoding="utf-8")))


def _serialized(source: str) -> bytes:
    """The descriptor in a generated module: what it would register."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(attr="AddSerializedFile"), args=[ast.Constant(value=bytes(found))]):
                return found
    raise AssertionError("a generated module without a descriptor")


def _add_message(made: Schema, prefix: str, message: DescriptorProto) -> None:
    """Messages nest a few levels only, in files that we trust."""
    found = made.messages[prefix + message.name] = MessageType(prefix + message.name)
    for one in message.field:
        found.add(
            MessageField(
                one.name,
                one.number,
                KINDS[one.type],
                one.type_name.removeprefix("."),
                one.label == FieldDescriptorProto.LABEL_REPEATED,
                message.oneof_decl[one.oneof_index].name if one.HasField("oneof_index") else "",
            )
        )
    for inner in message.nested_type:
        _add_message(made, f"{prefix}{message.name}.", inner)
    for enum in message.enum_type:
        _add_enum(made, f"{prefix}{message.name}.", enum)


def _add_enum(made: Schema, prefix: str, enum: EnumDescriptorProto) -> None:
    found = made.enums[prefix + enum.name] = Enum(prefix + enum.name)
    for value in enum.value:
        found.add(value.name, value.number)
