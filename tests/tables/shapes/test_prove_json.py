"""What a sample of JSON lines shows is proven for all lines, or not proven; never proven where it is false."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from firesteel.passes.analysis.paths import WHOLE, Name, PathTree
from firesteel.spark.sources.shapes.typed_lines import claim
from firesteel.tables.shapes import prove_json
from firesteel.tables.shapes.learn_json import shape_of_lines
from firesteel.tables.shapes.prove_json import DYNAMIC, PLAIN, SCALAR, WORDS, ZEROS, prove
from firesteel.tables.shapes.value_shapes import ValueShape, has_zeros
from tests.spark.sources.drifting import lines


def touched(*paths: str) -> PathTree:
    """The tree of paths like `o.a` and `l[*].q`."""
    tree = PathTree()
    for path in paths:
        tree = _with_path(tree, path.replace("[*]", ".*").split("."))
    return tree


def _with_path(tree: PathTree, steps: list[str]) -> PathTree:
    if not steps:
        return WHOLE
    if steps[0] == "*":
        return PathTree(elements=_with_path(tree.elements or PathTree(), steps[1:]))
    name = Name(steps[0], exact=False)
    return PathTree(fields={**tree.fields, name: _with_path(tree.fields.get(name, PathTree()), steps[1:])})


NOT_TYPED = (DYNAMIC, SCALAR, ZEROS, PLAIN, WORDS)
PATHS = ["k", "x", "y", "o.a", "o.b", "l[*].q", "l[*].p", "s[*]", "s", "none", "o.none"]


def is_true(claimed: ValueShape, full: ValueShape) -> bool:
    """Is what is claimed true of values of this shape?"""
    if claimed in NOT_TYPED:
        return full.kinds <= claimed.kinds and (claimed.zeros or not has_zeros(full))
    fits = full.kinds <= claimed.kinds and full.null <= claimed.null
    fits &= full.whole <= claimed.whole and full.places <= claimed.places
    fits &= claimed.zeros or not full.zeros
    for name, inner in claimed.fields.items():
        found = full.fields.get(name)
        fits &= found is None or is_true(inner, found)
        fits &= inner in NOT_TYPED or name not in full.optional or name in claimed.optional
        keys = [key for key in full.fields if key.lower() == name.lower()]
        fits &= name not in full.optional or keys == [name]
    return fits and (full.element is None or (claimed.element is not None and is_true(claimed.element, full.element)))


def encoded(some: list[str]) -> list[bytes]:
    return [line.encode() for line in some]


@pytest.mark.parametrize("known", [3, 40])
def test_nothing_false_is_proven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: int) -> None:
    """The sample is the first three lines, or all. Blocks are small, so that files have several."""
    monkeypatch.setattr(prove_json, "BLOCK", 1500)
    file = tmp_path / "t.jsonl"
    proven, claims = 0, 0
    for seed in range(150):
        some = lines(seed)
        file.write_text("\n".join(some), encoding="utf-8")
        rng = random.Random(seed)
        tree = touched(*rng.sample(PATHS, rng.randint(1, 4)))
        full = shape_of_lines(encoded(some))
        claimed = claim(shape_of_lines(encoded(some[:known])), tree)
        if claimed is None:
            continue
        claims += 1
        if prove(file, claimed):
            proven += 1
            assert is_true(claimed.shape, full), f"{seed}\n{tree}\n{claimed}\n{full}"
            assert not {name for name in claimed.absent if f'"{name}"' in "".join(some)}
    assert claims > 80
    assert proven > claims // 10 if known == 3 else proven > claims // 4


#: The claim is made of the first line.
FIRST = '{"a": 1, "s": "x", "d": 1.5, "o": {"b": 1}, "l": [{"q": 1.5}], "m": 2}'
FALSE = [
    '{"a": "3", "s": "z", "d": 1.5, "o": {"b": 1}, "l": [], "m": 2}',
    '{"a": 3, "s": 3, "d": 1.5, "o": {"b": 1}, "l": [], "m": 2}',
    '{"a": 3.0, "s": "3", "d": 1.5, "o": {"b": 1}, "l": [], "m": 2}',
    '{"a": 3, "s": "3", "d": "1.5", "o": {"b": 1}, "l": [], "m": 2}',
    '{"a": 3, "s": "3", "d": 15e-1, "o": {"b": 1}, "l": [], "m": 2}',
    '{"a": 3, "s": "3", "d": 1.25, "o": {"b": 1}, "l": [], "m": 2}',
    '{"a": 3, "s": "3", "d": 12345678901234567.5, "o": {"b": 1}, "l": [], "m": 2}',
    '{"a": 3, "s": "3", "d": 7, "o": {"b": 1}, "l": [], "m": 2}',
    '{"a": 3, "s": "3", "d": 7.0, "o": {"b": 1}, "l": [], "m": 2}',
    '{"a": 3, "s": "3", "d": 1.5, "o": {"b": null}, "l": [], "m": 2}',
    '{"a": 3, "s": "3", "d": 1.5, "o": {}, "l": [], "m": 2}',
    '{"a": 3, "s": "3", "d": 1.5, "o": [{"b": 1}], "l": [], "m": 2}',
    '{"a": 3, "s": "3", "d": 1.5, "o": {"b": 1}, "l": [null], "m": 2}',
    '{"a": 3, "s": "3", "d": 1.5, "o": {"b": 1}, "l": [{"q": "1.5"}], "m": 2}',
    '{"a": 3, "s": "3", "d": 1.5, "o": {"b": 1}, "l": {"q": 1.5}, "m": 2}',
    '{"a": 12345678901, "s": "3", "d": 1.5, "o": {"b": 1}, "l": [], "m": 2}',
    '{"a": null, "s": "3", "d": 1.5, "o": {"b": 1}, "l": [], "m": 2}',
    '{"A": 3, "s": "3", "d": 1.5, "o": {"b": 1}, "l": [], "m": 2}',
    '{"a": 3, "a": 4, "s": "3", "d": 1.5, "o": {"b": 1}, "l": [], "m": 2}',
    '{"a": 3, "s": "3", "d": 1.5, "o": {"b": 1}, "l": [], "m": 2, "NEW": 1}',
    '{"a": 3, "s": "3", "d": 1.5, "o": {"b": 1}, "l": [], "m": 2, "n\\u0065w": 1}',
    '{"a": 3, "s": "3", "d": 1.5, "o": {"b": 1}, "l": [], "m": 2} and more}',
    FIRST + FIRST,
    FIRST + " " + FIRST,
    '{"a": 3, "s":\n"3", "d": 1.5, "o": {"b": 1}, "l": [], "m": 2}',
    "[1]",
    "7",
    "",
    '{"a": 3',
]
TREE = touched("a", "s", "d", "o.b", "l[*].q", "new")


@pytest.mark.parametrize("line", FALSE)
def test_what_one_line_makes_false(tmp_path: Path, line: str) -> None:
    claimed = claim(shape_of_lines(encoded([FIRST])), TREE)
    assert claimed is not None
    file = tmp_path / "t.jsonl"
    file.write_text(f"{FIRST}\n{FIRST}\n", encoding="utf-8")
    assert prove(file, claimed)
    file.write_text(f"{FIRST}\n{line}\n{FIRST}\n", encoding="utf-8")
    assert not prove(file, claimed)


@pytest.mark.parametrize("text", [b'{"a": "\xff"}\n', b'\xef\xbb\xbf{"a": 1}\n', b'{"a": 1}\r\n{"a": 1}\r\n'])
def test_bytes_that_are_not_proven(tmp_path: Path, text: bytes) -> None:
    claimed = claim(shape_of_lines(encoded(['{"a": 1, "b": 2}'])), touched("b" if b"\xff" in text else "a"))
    assert claimed is not None
    file = tmp_path / "t.jsonl"
    file.write_bytes(text)
    assert not prove(file, claimed)


def test_nulls_and_absent_values_are_told_apart(tmp_path: Path) -> None:
    """`n` is null at times and always there, `m` is absent at times and never null."""
    some = [json.dumps({"n": None if i % 3 else i} | ({"m": i} if i % 2 else {})) for i in range(50)]
    claimed = claim(shape_of_lines(encoded(some)), touched("n", "m"))
    assert claimed is not None
    file = tmp_path / "t.jsonl"
    file.write_text("\n".join(some), encoding="utf-8")
    assert prove(file, claimed)
    for other in ('{"n": 1, "m": null}', '{"m": 1}', '{"n": null, "M": 3}', '{"n": null, "\\u006d": 3}'):
        file.write_text("\n".join([*some, other]), encoding="utf-8")
        assert not prove(file, claimed), other


def test_paths_that_drift(tmp_path: Path) -> None:
    some = ['{"v": 1, "w": 1.5}', '{"v": "x", "w": "y"}']
    claimed = claim(shape_of_lines(encoded(some)), touched("v", "w"))
    assert claimed is not None
    file = tmp_path / "t.jsonl"
    true = ['{"v": true, "w": 1.25}', '{"v": null, "w": 2}', "{}"]
    other = (
        ["V", 1],
        ["v", 1.5],
        ["v", 10**18],
        ["v", []],
        ["W", 1],
        ["w", 1.0],
        ["w", [1]],
        ["w", {}],
        ["w", 1e30],
        ["w", 10**20],
    )
    cases = [(true, True), *(([json.dumps({key: value})], False) for key, value in other)]
    for more, holds in cases:
        file.write_text("\n".join([*some, *more]), encoding="utf-8")
        assert prove(file, claimed) is holds, more


def test_what_cannot_be_claimed() -> None:
    sample = shape_of_lines(encoded([FIRST]))
    assert claim(sample, WHOLE) is None
    assert claim(sample, touched("o")) is None
    assert claim(sample, touched()) is not None


MAP = [f'{{"k": {{"votes": {{"u{i}": {i}, "ü {i}": 2}}}}, "s": "\\"votes\\": {{1}}"}}' for i in range(40)]


def test_keys_that_are_data(tmp_path: Path) -> None:
    """Objects whose keys are data are maps, if no key repeats and all values are of one type."""
    tree = touched("k.votes")
    claimed = claim(shape_of_lines(encoded(MAP), frozenset(("votes",))), tree)
    assert claimed is not None
    assert claimed.shape.fields["k"].fields["votes"].open
    file = tmp_path / "t.jsonl"
    true = ['{"k": {"votes": {}}}', '{"k": {}}', '{"k": {"votes" : {"a":1,\t"b": -2}}}', '{"k": {"votes": {"": 0}}}']
    false = [
        *(
            '{"a": 1, "a": 2}',
            '{"a": "1"}',
            '{"a": 1.5}',
            '{"a": null}',
            '{"a": {}}',
            '{"a}": 1}',
            '{"a": 12345678901}',
        ),
        *(
            "null",
            "[]",
            "1",
            '{"a": 1}, "Votes": {"a": 1}',
            '{"a": 1}, "vot\\u0065s": {"a": 1}',
            '{"a": 1}, "votes": 1',
        ),
    ]
    cases = [(line, True) for line in true] + [(f'{{"k": {{"votes": {inner}}}}}', False) for inner in false]
    for line, holds in cases:
        file.write_text("\n".join([*MAP, line]), encoding="utf-8")
        assert prove(file, claimed) is holds, line
