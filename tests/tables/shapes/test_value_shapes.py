"""What is learned of JSON lines by this process, and shapes as values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firesteel.tables.shapes.learn_json import keys_of_open_objects, shape_of_lines
from firesteel.tables.shapes.value_shapes import (
    LONG,
    NOTHING,
    SHORT,
    Unknown,
    ValueShape,
    file_state,
    from_json,
    merge,
    to_json,
)


def learned(*lines: str) -> ValueShape:
    return shape_of_lines(line.encode() for line in lines)


def test_what_occurs_at_each_path() -> None:
    shape = learned('{"id": 1, "total": 12.5, "items": [{"sku": "S1"}]}', '{"id": 2, "total": 8, "note": null}')
    assert shape.kinds == {"object"}
    assert shape.optional == {"items", "note"}
    assert shape.fields["id"] == ValueShape(frozenset(("int",)), whole=SHORT)
    assert shape.fields["total"] == ValueShape(frozenset(("int", "decimal")), whole=SHORT, places=1)
    assert shape.fields["note"] == ValueShape(null=True)
    element = shape.fields["items"].element
    assert element is not None
    assert element.fields["sku"].kinds == {"string"}


@pytest.mark.parametrize(
    ("number", "kind", "whole", "places", "zeros"),
    [
        ("7", "int", SHORT, 0, False),
        ("-123456789", "int", SHORT, 0, False),
        ("1234567890", "int", LONG, 0, False),
        ("9223372036854775807", "int", LONG, 0, False),
        ("-9223372036854775808", "int", LONG, 0, False),
        ("9223372036854775808", "wide", 0, 0, False),
        ("0.05", "decimal", 0, 2, False),
        ("-12.50", "decimal", 2, 2, True),
        ("12.0", "decimal", 2, 1, True),
        ("1e3", "float", 0, 0, False),
        ("1.5E-3", "float", 0, 0, False),
        (f"1.{'1' * 40}", "float", 0, 0, False),
    ],
)
def test_numbers(number: str, kind: str, whole: int, places: int, zeros: bool) -> None:
    found = learned(f'{{"n": {number}}}').fields["n"]
    assert found == ValueShape(frozenset((kind,)), False, whole, places, zeros)


@pytest.mark.parametrize(
    "line",
    ['{"a": 1', '{"a": 1} and more', "[1]", "1", '{"a": 1, "a": 2}', '{"a": NaN}', '{"a": "\udcff"}', "[" * 100_000],
)
def test_lines_without_a_shape(line: str) -> None:
    with pytest.raises(Unknown):
        shape_of_lines([b'{"a": 1}', line.encode("utf-8", "surrogateescape")])


def test_values_that_nest_deep_have_no_shape() -> None:
    with pytest.raises(Unknown, match="nest deeper"):
        learned('{"a": ' * 50 + "1" + "}" * 50)


def test_blank_lines_do_not_count() -> None:
    assert learned("", '{"a": 1}', "  ") == learned('{"a": 1}')
    assert learned("") == NOTHING


def test_merging_does_not_depend_on_the_order() -> None:
    shapes = [
        learned(line)
        for line in ('{"a": 1}', '{"a": null, "b": [1, "x"]}', '{"b": {"c": 1.5}}', '{"a": "x", "b": [null, []]}')
    ]
    forth, back = NOTHING, NOTHING
    for shape in shapes:
        forth = merge(forth, shape)
    for shape in reversed(shapes):
        back = merge(back, shape)
    assert forth == back
    assert forth.optional == {"a", "b"}


def test_shapes_can_be_kept() -> None:
    shape = learned('{"a": [{"b": 1.50, "c": null}, 3], "d": {"e": true}}', '{"a": [], "ü\\"": 1e3}')
    assert from_json(json.loads(json.dumps(to_json(shape)))) == shape


@pytest.mark.parametrize("kept", [{"kinds": ["planet"]}, {"optional": ["a"]}, {"fields": {"a": {"whole": "x"}}}])
def test_what_is_no_shape(kept: dict[str, object]) -> None:
    with pytest.raises((ValueError, TypeError)):
        from_json(kept)


def test_a_file_that_changes_has_another_state(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("{}")
    before = file_state(path)
    assert file_state(path) == before
    path.write_text("{ }")
    assert file_state(path) != before


def test_keys_that_are_data() -> None:
    lines = [f'{{"id": {i}, "votes": {{"u{i}": 1.50, "u{i + 1}": 2}}}}' for i in range(300)]
    keys = keys_of_open_objects(line.encode() for line in lines)
    assert keys == {"votes"}
    shape = shape_of_lines((line.encode() for line in lines), keys)
    values = ValueShape(frozenset(("int", "decimal")), False, 9, 2, True)
    assert shape.fields["votes"] == ValueShape(frozenset(("object",)), zeros=True, open=True, values=values)
    every = ", ".join(f'"u{i}": {"1.50" if i % 2 else 2}' for i in range(1001))
    assert learned(f'{{"id": 1, "votes": {{{every}}}}}') == shape
    unknown = ValueShape(frozenset(("object",)), open=True)
    assert merge(shape.fields["votes"], unknown).values is None
    more = merge(shape.fields["votes"], learned('{"u": "x"}')).values
    assert more is not None
    assert more.kinds == values.kinds | {"string"}
    assert from_json(json.loads(json.dumps(to_json(shape)))) == shape
