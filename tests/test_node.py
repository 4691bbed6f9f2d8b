"""What declaring a node implies."""

from __future__ import annotations

from dataclasses import KW_ONLY
from decimal import Decimal
from typing import Any

import pytest

from firesteel import values
from firesteel.node import Node, children, depth, drive, fields, fold, rebuild, sexpr, transform, walk
from firesteel.source import Place


class Leaf(Node, tag="leaf"):
    value: Any


class Wrap(Node, tag="wrap"):
    input: Node
    _: KW_ONLY
    note: str = ""


class Many(Node, tag="many"):
    pairs: tuple[tuple[Node, Node], ...]
    last: Node | None = None


class Mark(Node, atom=True):
    inner: Node | None = None


class Marked(Node, tag="marked"):
    mark: Mark
    input: Node


def tower(levels: int, leaf: Node) -> Node:
    node = leaf
    for _ in range(levels):
        node = Wrap(node)
    return node


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        (1, Decimal(1)),
        (Decimal("1.0"), Decimal("1.00")),
        ("a", values.Symbol("a")),
        (b"a", values.Clob(b"a")),
        ([1], values.Bag([1])),
        ([1], values.Sexp([1])),
        (None, values.MISSING),
        ([1, [2]], [1, 2]),
        (values.Struct({"a": 1}), values.Struct({"a": True})),
    ],
)
def test_what_is_written_differently_is_not_equal(a: Any, b: Any) -> None:
    assert Leaf(a) != Leaf(b)
    assert Leaf(a) == Leaf(a)
    assert hash(Leaf(b)) == hash(Leaf(b))


def test_nan_is_itself() -> None:
    assert Leaf(float("nan")) == Leaf(float("nan"))


def test_where_takes_no_part_in_equality() -> None:
    assert Leaf(1).at(Place(("here",))) == Leaf(1)
    assert Wrap(Leaf(1)).at(Place(("here",))).replace(note="x").where == Place(("here",))


def test_nodes_are_frozen() -> None:
    with pytest.raises(AttributeError):
        Leaf(1).value = 2  # type: ignore[misc]


def test_children_of_nested_tuples_and_not_of_atoms() -> None:
    a, b, c = Leaf(1), Leaf(2), Leaf(3)
    assert children(Many(((a, b),), c)) == [a, b, c]
    assert children(Marked(Mark(Mark()), a)) == [a]
    assert children(Mark(Mark())) == [Mark()]


def test_rebuild_gives_the_same_object_for_the_same_children() -> None:
    a, b = Leaf(1), Leaf(2)
    node = Many(((a, b),))
    assert rebuild(node, [a, b]) is node
    assert rebuild(node, [b, a]) == Many(((b, a),))


def test_transform_gives_the_same_object_when_nothing_changes() -> None:
    node = tower(5, Leaf(1))
    assert transform(node, lambda n: n) is node
    changed = transform(node, lambda n: Leaf(2) if isinstance(n, Leaf) else n)
    assert changed == tower(5, Leaf(2))


def test_a_shared_subtree_is_visited_once() -> None:
    node: Node = Leaf(1)
    for _ in range(100):
        node = Many(((node, node),))
    assert len(list(walk(node))) == 101
    seen: list[Node] = []
    fold(node, lambda n, kids: seen.append(n))
    assert len(seen) == 101
    assert transform(node, lambda n: Leaf(2) if isinstance(n, Leaf) else n) != node
    other: Node = Leaf(1)
    for _ in range(100):
        other = Many(((other, other),))
    assert node == other


@pytest.mark.parametrize("levels", [10, 1_000, 50_000])
def test_depth_is_no_matter(levels: int) -> None:
    a, b = tower(levels, Leaf(1)), tower(levels, Leaf(1))
    assert a == b
    assert hash(a) == hash(b)
    assert a != tower(levels, Leaf(2))
    assert depth(a) == levels + 1
    assert transform(a, lambda n: Leaf(2) if isinstance(n, Leaf) else n) == tower(levels, Leaf(2))
    assert sexpr(a).startswith("(wrap (wrap")


def test_sexpr_puts_named_parameters_last_and_leaves_out_defaults() -> None:
    assert repr(Wrap(Leaf(1))) == "(wrap (leaf 1))"
    assert repr(Wrap(Leaf(1), note="n")) == "(wrap (leaf 1) (note 'n'))"
    assert repr(Many(((Leaf(1), Leaf(2)),))) == "(many (((leaf 1) (leaf 2))) None)"


def test_fields_say_what_a_codec_needs() -> None:
    assert [(f.name, f.named, f.default) for f in fields(Wrap)][1] == ("note", True, "")


def test_drive_runs_functions_and_generators_without_the_stack() -> None:
    def count(node: Node) -> Any:
        return down(node) if isinstance(node, Wrap) else 0

    def down(node: Wrap) -> Any:
        below = yield (node.input,)
        return below + 1

    assert drive(count, Leaf(1)) == 0
    assert drive(count, tower(50_000, Leaf(1))) == 50_000


def test_drive_lets_errors_through_where_they_were_asked_for() -> None:
    def handle(what: str) -> Any:
        if what == "bad":
            raise ValueError(what)
        return catch()

    def catch() -> Any:
        yield ("bad",)

    with pytest.raises(ValueError, match="bad"):
        drive(handle, "good")
