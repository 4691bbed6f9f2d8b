"""Reading and writing messages: every version, nothing lost, nothing that hostile bytes could break."""

from __future__ import annotations

import json
import math
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from firesteel.errors import FiresteelError, PlanError, UnsupportedError
from firesteel.substrait import Message, decode, encode, from_json, to_json, wire
from firesteel.substrait.schema import REMOVED, schema

#: A plan that uses what several versions have, old and new.
PLAN = {
    "version": {"minorNumber": 20, "producer": "by hand"},
    "extensionUris": [{"extensionUriAnchor": 1, "uri": "/functions_comparison.yaml"}],
    "extensions": [{"extensionFunction": {"extensionUriReference": 1, "functionAnchor": 7, "name": "gt:any_any"}}],
    "relations": [
        {
            "root": {
                "names": ["ä", ""],
                "input": {
                    "fetch": {
                        "offset": "0",
                        "count": "9223372036854775807",
                        "input": {
                            "read": {
                                "common": {"emit": {"outputMapping": [1, 0, 1]}},
                                "virtualTable": {
                                    "values": [
                                        {"fields": [{"i64": "-5"}, {"fp64": "NaN"}]},
                                        {"fields": [{"i64": "0"}, {"fp64": -0.0}]},
                                        {
                                            "fields": [
                                                {"decimal": {"value": "AQI=", "precision": 3}},
                                                {"boolean": False},
                                            ]
                                        },
                                    ]
                                },
                            }
                        },
                    }
                },
            }
        }
    ],
}


def plan() -> Message:
    return from_json(json.dumps(PLAN))


def test_fields_of_all_versions() -> None:
    fetch = plan().relations[0].root.input.fetch
    assert fetch.count == 2**63 - 1
    assert fetch.has("offset")
    assert fetch.offset == 0
    rows = fetch.input.read.virtual_table.values
    assert [row.fields[0].which("literal_type") for row in rows] == ["i64", "i64", "decimal"]
    assert math.isnan(rows[0].fields[1].fp64)
    assert rows[2].fields[0].decimal.value == b"\x01\x02"
    assert rows[1].path == ("relations[0]", "root", "input", "fetch", "input", "read", "virtual_table", "values[1]")
    assert plan().advanced_extensions.has("enhancement") is False


def test_there_and_back() -> None:
    assert decode(encode(plan())) == plan()
    assert from_json(to_json(plan())) == plan()
    assert encode(decode(encode(plan()))) == encode(plan())


def test_protobuf_reads_what_we_write() -> None:
    """And we what protobuf writes, for the fields that are still there."""
    code = """
import sys
from google.protobuf import json_format
from substrait import plan_pb2
from firesteel.substrait import decode, encode, from_json, to_json
text = sys.stdin.read()
theirs = json_format.Parse(text, plan_pb2.Plan())
ours = from_json(text)
assert plan_pb2.Plan.FromString(encode(ours)) == theirs
assert decode(theirs.SerializeToString()) == ours
assert json_format.Parse(to_json(ours), plan_pb2.Plan()) == theirs
assert from_json(json_format.MessageToJson(theirs, preserving_proto_field_name=True)) == ours
"""
    today = {
        "version": {"minorNumber": 107},
        "relations": [
            {
                "rel": {
                    "read": {
                        "namedTable": {"names": ["t"]},
                        "baseSchema": {
                            "names": ["a", "b"],
                            "struct": {"types": [{"i32": {"nullability": "NULLABILITY_REQUIRED"}}, {"fp32": {}}]},
                        },
                        "filter": {"literal": {"fp32": 1.5, "nullable": True}},
                        "common": {"emit": {"outputMapping": [300, 0]}, "hint": {"stats": {"rowCount": 1e300}}},
                        "projection": {"select": {"structItems": [{}, {"field": 1}]}},
                    }
                }
            }
        ],
    }
    subprocess.run([sys.executable, "-c", code], input=json.dumps(today), text=True, check=True)


@pytest.mark.parametrize("order", ["ours, theirs", "theirs, ours"])
def test_no_clash_with_another_version(order: str) -> None:
    """Somebody's own descriptors under the same names, before ours or after."""
    theirs = """
from google.protobuf import descriptor_pb2, descriptor_pool
file = descriptor_pb2.FileDescriptorProto(name="substrait/plan.proto", package="substrait")
file.message_type.add(name="Plan").field.add(name="other", number=1, type=5, label=1)
descriptor_pool.Default().Add(file)
"""
    ours = """
from firesteel.substrait import decode, new, encode
plan = decode(b"")
"""
    parts = {"ours": ours, "theirs": theirs}
    code = "\n".join(parts[name] for name in order.split(", ")) + "\nprint(encode(plan))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "b''\n", done.stderr


def test_removed_fields_are_not_there_today() -> None:
    for name, fields in REMOVED.items():
        for field in fields:
            assert schema().messages[name].by_number[field.number] is field


@pytest.mark.parametrize(
    ("text", "message", "path"),
    [
        ('{"relations": [{"rel": {"reed": {}}}]}', "Rel has no field 'reed'", "relations[0]/rel"),
        ('{"relations": {}}', "'relations' is a JSON array, not dict", ""),
        ('{"relations": [1]}', "PlanRel is a JSON object, not 1", "relations[0]"),
        ('{"version": {"minorNumber": -1}}', "-1 is out of the range of 'minor_number', uint32", "version"),
        ('{"version": {"minorNumber": 1.5}}', "'minor_number' is a whole number, not 1.5", "version"),
        ('{"version": {"producer": 1}}', "'producer' is a string, not 1", "version"),
        ('{"relations": [{"rel": {"set": {"op": "SET_OP_X"}}}]}', "'op' cannot be 'SET_OP_X'", "relations[0]/rel/set"),
        ('{"relations": [{"rel": {}, "root": {}}]}', "both 'rel' and 'root' are set", "relations[0]"),
        ('{"version": {}, "version": {}}', "'version' is given twice", ""),
        ('{"version": ', "not JSON", ""),
        ("[]", "Plan is a JSON object, not list", ""),
    ],
)
def test_wrong_json(text: str, message: str, path: str) -> None:
    with pytest.raises(PlanError) as caught:
        from_json(text)
    assert message in caught.value.message
    if path:
        assert str(caught.value.where) == f"at {path}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x9a", "it ends inside a number"),
        (b"\x1a\x05\x00", "a value is longer than what holds it"),
        (b"\x00", "no field begins here"),
        (b"\xfa\x01\x00", "Plan has no field 31 in any version"),
        (b"\x18\x05", "'relations' of Plan is a message, and this is something else"),
        (b"2\x03*\x01\xff", "'producer' is not UTF-8"),
        (b"\xff" * 12, "it ends inside a number"),
    ],
)
def test_wrong_bytes(data: bytes, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        decode(data)
    assert message in caught.value.message


def nested(levels: int) -> bytes:
    """Filters in filters."""
    body = b""
    for _ in range(levels):
        inner = wire._varint_bytes(2 << 3 | 2) + wire._varint_bytes(len(body)) + body  # FilterRel.input
        body = wire._varint_bytes(2 << 3 | 2) + wire._varint_bytes(len(inner)) + inner  # Rel.filter
    rel = b"\x0a" + wire._varint_bytes(len(body)) + body
    return b"\x1a" + wire._varint_bytes(len(rel)) + rel


def test_depth() -> None:
    deep = decode(nested(5_000))
    assert encode(deep) == nested(5_000)
    assert deep == decode(nested(5_000))
    with pytest.raises(UnsupportedError, match="nests more than 20,000 messages deep"):
        decode(nested(50_000))
    assert from_json(to_json(decode(nested(900)))) == decode(nested(900))
    with pytest.raises(UnsupportedError, match="levels deep"):
        from_json('{"relations": [' + '{"rel": ' * 5_000)


def test_mutated_bytes_are_read_or_refused() -> None:
    data = encode(plan())
    pick = random.Random(7)
    for _ in range(3_000):
        broken = bytearray(data)
        for _ in range(pick.randint(1, 4)):
            broken[pick.randrange(len(broken))] = pick.randrange(256)
        try:
            decode(bytes(broken[: pick.randint(1, len(broken))]))
        except FiresteelError:
            continue


def test_plans_of_real_producers(outside: Callable[[str], Path]) -> None:
    """All of them are read, and are the same after writing and reading again, in both forms."""
    paths = [path for path in outside("substrait-plans").rglob("*.*") if path.suffix in (".json", ".proto")]
    paths = [path for path in paths if path.name != "manifest.json"]
    assert len(paths) > 300
    for path in paths[:: 1 if len(paths) < 100 else 5]:
        read = decode(path.read_bytes()) if path.suffix == ".proto" else from_json(path.read_text(encoding="utf-8"))
        assert read.relations, path
        assert decode(encode(read)) == read, path
        assert from_json(to_json(read)) == read, path
