"""Damaged messages of ours: they are read, or refused with an error of ours, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import firesteel as fs
from firesteel import plan as p
from firesteel import substrait
from firesteel.errors import FiresteelError
from firesteel.substrait.message import walk
from tests.golden import test_partiql as golden
from tests.physical_cases import TYPES, plan
from tests.substrait.mutate import mutated
from tests.substrait.write.round_trip import planned
from tests.substrait.write.test_completeness import NODES, STATEMENTS_

BINDINGS = tuple(p.GlobalBinding((one,), type_) for one, type_ in TYPES.items())


def _plans() -> list[bytes]:
    made = [plan(rel) for rel in NODES.values()]
    made += [p.Plan(statement, globals=BINDINGS) for statement in STATEMENTS_.values()]
    return [substrait.encode(substrait.write(node)) for node in made] + list(_queries())


def _queries() -> Iterator[bytes]:
    for _, _, made in planned(golden.CASES[::8]):
        try:
            yield made.to_substrait()
        except FiresteelError:
            continue


def _damaged_inside(data: bytes, chance: random.Random) -> bytes:
    """The plan with a byte changed in one of the messages that it holds as `Any`."""
    message = substrait.decode(data)
    held = [one for one in walk(message) if one.kind.short == "Any" and one.has("value")]
    if not held:
        return mutated(data, chance)
    one = chance.choice(held)
    octets = bytearray(one.given["value"])
    for _ in range(chance.choice((1, 1, 2))):
        octets[chance.randrange(len(octets))] = chance.choice((chance.randrange(256), 0, 1, 2, 8, 10, 18))
    one.given["value"] = bytes(octets)
    return substrait.encode(message)


@pytest.mark.parametrize("seed", range(4))
def test_damage_is_an_error_of_ours(seed: int) -> None:
    chance = random.Random(seed)
    plans = _plans()
    refused = 0
    for _ in range(400):
        data = chance.choice((_damaged_inside, mutated))(chance.choice(plans), chance)
        try:
            read = fs.read_plan(data)
            _ = read.node
            read.check()
        except FiresteelError:
            refused += 1
    assert refused > 50


def test_nodes_that_nest_too_deep() -> None:
    from firesteel.substrait import own_messages
    from firesteel.substrait.message import message

    node = message("firesteel.Node", kind_name="Filter")
    for _ in range(200):
        field = message("firesteel.Node.Field", name="predicate", node=node)
        node = message("firesteel.Node", kind_name="Filter", fields=[field])
    held = own_messages.packed(own_messages.NODE, node)
    leaf = message("Rel", extension_leaf=message("ExtensionLeafRel", detail=held))
    tree = message("PlanRel", root=message("RelRoot", input=leaf, names=["a"]))
    data = substrait.encode(message("Plan", relations=[tree]))
    with pytest.raises(fs.PlanError, match="levels deep"):
        _ = fs.read_plan(data).node
