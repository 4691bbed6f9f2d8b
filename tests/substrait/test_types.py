"""Types, both ways, and what declares them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.substrait import Message, from_json, new
from firesteel.substrait.dialects.choose import named
from firesteel.substrait.dialects.others import SPEC
from firesteel.substrait.extensions import Extensions, read_extensions
from firesteel.substrait.types import read_type, write_type

REQUIRED = {"nullability": "NULLABILITY_REQUIRED"}


def message(form: dict[str, Any]) -> Message:
    return from_json(json.dumps(form), "Type")


TYPES = [
    *(t.BOOL, t.INT8, t.INT16, t.INT32, t.INT64, t.FLOAT32, t.FLOAT64, t.STRING, t.BLOB, t.DATE, t.Uuid()),
    *(t.Char(3), t.String(5), t.Byte(7), t.Decimal(38, 0), t.Decimal(5, 5), t.Time(0), t.Time(9)),
    *(t.Timestamp(3), t.Timestamp(12, zone=True), t.Interval("year_month")),
    *(t.Interval("day_time", 0), t.Interval("day_time", 9), t.Interval("compound", 6)),
    t.Array(t.absent(t.INT8, nullable=True)),
    t.Map(t.STRING, t.Array(t.INT64)),
    t.Struct((t.Field("_1", t.INT64), t.Field("_2", t.Struct((), open=False, nullable=True))), open=False),
]


@pytest.mark.parametrize("type_", TYPES, ids=str)
@pytest.mark.parametrize("nullable", [False, True])
def test_there_and_back(type_: t.Type, nullable: bool) -> None:
    type_ = t.absent(type_, nullable=nullable)
    assert read_type(write_type(type_), Extensions()) == type_


@pytest.mark.parametrize(
    ("form", "type_"),
    [
        ({"timestamp": REQUIRED}, t.Timestamp(6)),
        ({"timestampTz": {}}, t.Timestamp(6, zone=True, nullable=True)),
        ({"time": REQUIRED}, t.Time(6)),
        ({"intervalDay": REQUIRED}, t.Interval("day_time", 6)),
        ({"i64": {}}, t.absent(t.INT64, nullable=True)),
    ],
)
def test_old_and_open_forms(form: dict[str, Any], type_: t.Type) -> None:
    assert read_type(message(form), Extensions()) == type_


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        ({}, "a type that says nothing"),
        ({"decimal": {"precision": 39}}, "no decimal has the precision 39"),
        ({"decimal": {"precision": 3, "scale": 4}}, "no decimal has the precision 3 and the scale 4"),
        ({"fixedChar": {}}, "a length of 0"),
        ({"precisionTimestamp": {"precision": 13}}, "a precision of 13 digits"),
        ({"userDefined": {"typeReference": 4}}, "no type is declared with the anchor 4"),
        ({"alias": {"typeAliasReference": 4}}, "no type is declared with the alias 4"),
        ({"list": {}}, "a type that says nothing"),
    ],
)
def test_wrong(form: dict[str, Any], wrong: str) -> None:
    with pytest.raises(PlanError, match=wrong):
        read_type(message(form), Extensions())


@pytest.mark.parametrize("type_", [t.ANY, t.Bag(t.INT64), t.INT, t.absent(t.INT64, missable=True), t.STRUCT], ids=str)
def test_what_substrait_has_no_type_for(type_: t.Type) -> None:
    with pytest.raises(UnsupportedError, match="Substrait has no type for"):
        write_type(type_)


def test_deep() -> None:
    type_: t.Type = t.INT64
    for _ in range(3_000):
        type_ = t.Array(type_)
    assert read_type(write_type(type_), Extensions()) == type_


def test_aliases_and_user_types() -> None:
    plan = from_json(
        json.dumps(
            {
                "extensionUrns": [{"extensionUrnAnchor": 1, "urn": "extension:a:b"}],
                "extensions": [{"extensionType": {"extensionUrnReference": 1, "typeAnchor": 3, "name": "point"}}],
                "typeAliases": [
                    {"typeAliasAnchor": 1, "type": {"userDefined": {"typeReference": 3, **REQUIRED}}},
                    {"typeAliasAnchor": 2, "type": {"alias": {"typeAliasReference": 1, **REQUIRED}}},
                    {"typeAliasAnchor": 5, "type": {"alias": {"typeAliasReference": 5}}},
                ],
            }
        )
    )
    known = read_extensions(plan, SPEC)
    assert read_type(message({"alias": {"typeAliasReference": 2, **REQUIRED}}), known) == t.UserDefined(
        "extension:a:b", "point"
    )
    with pytest.raises(PlanError, match="an alias of itself"):
        read_type(message({"alias": {"typeAliasReference": 5}}), known)


def test_a_variation_is_the_type_itself() -> None:
    known = Extensions()
    assert read_type(message({"string": {"typeVariationReference": 2, **REQUIRED}}), known) == t.STRING
    assert [(repair.name, repair.effect.value) for repair in known.repairs] == [("unknown_variation", "doubt")]
    by_datafusion = Extensions(dialect=named("datafusion"))
    assert read_type(message({"string": {"typeVariationReference": 2, **REQUIRED}}), by_datafusion) == t.STRING
    assert [(repair.name, repair.effect.value) for repair in by_datafusion.repairs] == [("variation", "harmless")]


def test_variations_of_datafusion_that_are_other_values() -> None:
    known = Extensions(dialect=named("datafusion"))
    one = {"typeVariationReference": 1, **REQUIRED}
    wider = {"i8": t.INT16, "i16": t.INT32, "i32": t.INT64, "i64": t.Decimal(20, 0)}
    for kind, type_ in wider.items():
        assert read_type(message({kind: one}), known) == type_
    dictionary = {"map": {"key": {"i32": REQUIRED}, "value": {"string": REQUIRED}, **one}}
    assert read_type(message(dictionary), known) == t.STRING
    assert [repair.name for repair in known.repairs] == ["unsigned"] * 4 + ["dictionary"]


@pytest.mark.parametrize(
    ("form", "urn", "repair"),
    [
        (
            {"extensionUrns": [{"extensionUrnAnchor": 1, "urn": "extension:io.substrait:x"}]},
            "extension:io.substrait:x",
            "",
        ),
        (
            {"extensionUris": [{"extensionUriAnchor": 1, "uri": "https://x.org/y/functions_boolean.yaml"}]},
            "extension:io.substrait:functions_boolean",
            "the old URI 'https://x.org/y/functions_boolean.yaml' stands for the URN",
        ),
        (
            {"extensionUris": [{"extensionUriAnchor": 1, "uri": "/functions_boolean.yaml"}]},
            "extension:io.substrait:functions_boolean",
            "the old URI '/functions_boolean.yaml' stands for",
        ),
        ({"extensionUris": [{"extensionUriAnchor": 1, "uri": "https://x.org/y/"}]}, None, "names no extension"),
        ({}, None, "functions without a URN or a URI go by their names"),
    ],
)
def test_where_functions_come_from(form: dict[str, Any], urn: str | None, repair: str) -> None:
    reference = {"extensionUrnReference": 1} if "extensionUrns" in form else {"extensionUriReference": 1}
    declared = {"extensionFunction": {**reference, "functionAnchor": 0, "name": "and:bool"}}
    known = read_extensions(from_json(json.dumps({**form, "extensions": [declared]})), SPEC)
    found = known.function(0, new("Plan").where)
    assert (found.urn, found.name, found.signature) == (urn, "and", "bool")
    assert [note.message for note in known.repairs if repair in note.message] == [n.message for n in known.repairs]
    assert bool(known.repairs) is bool(repair)
