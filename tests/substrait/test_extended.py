"""Relations of an extension, which a user says the meaning of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import types as t
from firesteel.plan import build
from firesteel.substrait import Message, decode, encode
from firesteel.substrait.schema import schema
from tests.substrait.plans.relations import plan, root, virtual

URL = "type.googleapis.com/acme.Doubled"


def _rows(rel: Any, name: str, detail: bytes, url: str = URL) -> object:
    """What a plan gives whose one relation is of an extension, with that detail: JSON has no form for it."""
    message = decode(plan(root(rel, [name])))
    holder = message.relations[0].root.input
    while not holder.kind.by_name.get("detail"):
        (inner,) = [one for _, one in holder if isinstance(one, Message) and one.kind.short != "NamedStruct"]
        holder = inner
    any_ = Message(schema().messages["google.protobuf.Any"], holder, "detail")
    any_.given.update(type_url=url, value=detail)
    holder.given["detail"] = any_
    return fs.connect(engine="reference").run(encode(message)).to_python()


@pytest.fixture(autouse=True)
def _doubled() -> None:
    def doubled(detail: bytes, inputs: Sequence[p.Rel]) -> p.Rel:
        """Every row as often as the detail says, or one row with its length."""
        if not inputs:
            return p.Project((p.Lit(t.INT64, len(detail)),), p.Scan(build.collection(t.Bag, [build.lit(1)])))
        made = inputs[0]
        for _ in range(len(detail)):
            made = p.Union(made, inputs[-1])
        return made

    fs.register_relation(URL, doubled)


def test_with_inputs_and_without() -> None:
    one = virtual("a i64", (1,))
    single = {"extensionSingle": {"input": one}}
    multi = {"extensionMulti": {"inputs": [one, virtual("a i64", (2,))]}}
    assert _rows(single, "a", b"x") == [{"a": 1}, {"a": 1}]
    assert _rows(multi, "a", b"x") == [{"a": 1}, {"a": 2}]
    assert _rows({"extensionLeaf": {}}, "n", b"abc") == [{"n": 3}]


def test_a_read_of_an_extensions_table() -> None:
    read = {
        "read": {
            "baseSchema": {"names": ["n"], "struct": {"types": [{"i64": {"nullability": "NULLABILITY_REQUIRED"}}]}},
            "extensionTable": {},
        }
    }
    assert _rows(read, "n", b"abcd") == [{"n": 4}]


def test_what_nobody_registered_is_refused_by_name() -> None:
    with pytest.raises(fs.UnsupportedError, match=r"'acme\.Other'") as error:
        _rows({"extensionLeaf": {}}, "n", b"", "type.googleapis.com/acme.Other")
    assert "register_relation" in str(error.value)
