"""Whatever is in a document, it is a plan or an error of ours."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firesteel import partiql_plan
from firesteel import plan as p
from firesteel.errors import FiresteelError
from firesteel.ion import Element, Kind, int_, list_, null, sexp, string, sym
from firesteel.ion import write as write_ion
from firesteel.partiql_plan import algebra
from firesteel.partiql_plan.forms import tags
from firesteel.partiql_plan.write.document import plan_element
from tests.hostile.mutate import disorder, octets
from tests.plan.strategies import plans

QUIET = settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

WORDS = [*tags(p.Rex), *tags(p.Rel), "$0", "$x", "$type", "$fn", "$constant", "$global", "flow", "null", "?", "v"]
OTHERS = [null(), int_(-1), int_(3), string("a"), sexp(), list_(), sym("?").annotate("t"), *map(sym, WORDS)]


def mutated(element: Element, chance: random.Random) -> Element:
    """The element with a few of its parts dropped, doubled, swapped or replaced by something else."""
    if element.kind is not Kind.SEXP:
        return element
    items = [mutated(item, chance) for item in element.value]
    if items and chance.random() < 0.08:
        disorder(items, chance, lambda _: chance.choice(OTHERS))
    return Element(Kind.SEXP, tuple(items), element.annotations)


def read_or_refused(data: str | bytes) -> Any:
    """What was read, or None if it was refused by an error of ours, which can be shown."""
    try:
        return partiql_plan.read(data)
    except FiresteelError as error:
        str(error)
        return None


@QUIET
@given(plans(), st.integers(0, 2**32))
def test_a_mutated_plan_is_read_or_refused(plan: p.Plan, seed: int) -> None:
    text = write_ion([mutated(plan_element(plan), random.Random(seed))])
    found = read_or_refused(text)
    if found is not None:  # a plan that reads can be written back, right or wrong
        assert partiql_plan.read(partiql_plan.write(found)) == found


@QUIET
@given(plans(), st.integers(0, 2**32))
def test_broken_bytes_are_read_or_refused(plan: p.Plan, seed: int) -> None:
    data = partiql_plan.write(plan, binary=True)
    marker, rest = data[:4], data[4:]  # without its marker it would be read as text
    read_or_refused(marker + octets(rest, random.Random(seed)))


def expressions(depth: int = 4) -> st.SearchStrategy[Element]:
    """S-expressions of the algebra's words, most of them nonsense."""
    parts = ["expr_pair", "keys", "aggregates", "when", "else", "type", "a"]
    words = st.sampled_from([*sorted(algebra.OPERATORS), *parts])
    leaves = st.sampled_from([*OTHERS, sexp(sym("id"), sym("a")), sexp(sym("lit"), int_(1))])
    if depth == 0:
        return leaves
    items = st.lists(leaves | expressions(depth - 1), max_size=4)
    return st.builds(lambda head, rest: sexp(sym(head), *rest), words, items)


@QUIET
@given(expressions())
def test_nonsense_in_the_algebra_is_read_or_refused(element: Element) -> None:
    try:
        plan = algebra.read([element])
    except FiresteelError as error:
        str(error)
        return
    assert algebra.read(algebra.write(plan)) == plan
