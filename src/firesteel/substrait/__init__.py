"""Substrait plans of any version: read, and written, as protobuf's bytes and JSON."""

from firesteel.substrait.message import Message, new
from firesteel.substrait.text import from_json, to_json
from firesteel.substrait.wire import decode, encode

__all__ = ["Message", "decode", "encode", "from_json", "new", "to_json"]
