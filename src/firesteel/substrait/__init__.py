"""Substrait plans of any version: read and written as protobuf bytes or JSON, and lowered to the plan algebra."""

from firesteel.substrait.check import check
from firesteel.substrait.dialects.choose import DIALECTS, ensure_dialect
from firesteel.substrait.explain import explain
from firesteel.substrait.lower import lower
from firesteel.substrait.lower.relations.extension_relations import register_relation
from firesteel.substrait.message import Message, new
from firesteel.substrait.text import from_json, to_json
from firesteel.substrait.wire import decode, encode
from firesteel.substrait.write import write

__all__ = [
    "DIALECTS",
    "Message",
    "check",
    "decode",
    "encode",
    "ensure_dialect",
    "explain",
    "from_json",
    "lower",
    "new",
    "register_relation",
    "to_json",
    "write",
]
