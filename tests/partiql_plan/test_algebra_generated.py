"""Any expression of the algebra that has a meaning: it comes back, and every name in it is found where it was bound."""

from __future__ import annotations

from itertools import count

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from firesteel import partiql_plan
from firesteel.partiql_plan import algebra
from firesteel.plan.check import check

#: Names are numbered, so that none is bound twice.
_NUMBERS = count()


@st.composite
def bindings(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> tuple[str, list[str]]:
    """Bindings in a scope of names: the text, and the names that it binds, which are new."""
    fresh = next(_NUMBERS)
    op = draw(st.sampled_from(["scan", "unpivot"] if depth == 0 else sorted(_OVER)))
    if op in ("scan", "unpivot"):
        made = [f"n{fresh}"] if draw(st.booleans()) else [f"n{fresh}", f"m{fresh}"]
        return f"({op} {draw(values(names, depth - 1))} {' '.join(made)})", made if op == "scan" else made[::-1]
    left, made = draw(bindings(names, depth - 1))
    inner = (*names, *made)

    def value() -> str:
        return draw(values(inner, depth - 1))

    if op in ("cross_join", "join"):
        right, more = draw(bindings(inner, depth - 1))
        on = f"{op} left {draw(values((*inner, *more), depth - 1))}" if op == "join" else op
        return f"({on} {left} {right})", made + more
    match op:
        case "filter":
            return f"(filter {value()} {left})", made
        case "limit":
            return f"(limit (lit 3) {left})", made
        case "order_by":
            return f"(order_by (({value()} desc)) {left})", made
        case "map_let":
            return f"(map_let ((l{fresh} {value()})) {left})", [*made, f"l{fresh}"]
        case "project":
            return f"(project ((p{fresh} {value()})) {left})", [f"p{fresh}"]
    return f"(group_by (keys (k{fresh} {value()})) (group_as g{fresh}) {left})", [f"k{fresh}", f"g{fresh}"]


_OVER = {"scan", "unpivot", "cross_join", "join", "filter", "limit", "order_by", "map_let", "project", "group_by"}


@st.composite
def values(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> str:
    leaf = st.sampled_from([*(f"(id {name})" for name in names), "(id Table)", "(lit 1)", "(lit [a])"])
    if depth <= 0 or draw(st.integers(0, 2)) == 0:
        return draw(leaf)
    if draw(st.booleans()):
        source, made = draw(bindings(names, depth - 1))
        return f"(map_values {draw(values((*names, *made), depth - 1))} {source})"
    return f"(list {draw(values(names, depth - 1))} {draw(leaf)})"


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(values((), 5))
def test_any_expression_comes_back_and_its_variables_are_found(text: str) -> None:
    plan = algebra.read(text)
    assert algebra.read(algebra.write(plan)) == plan
    assert partiql_plan.read(partiql_plan.write(plan)) == plan
    assert not [error.message for error in check(plan) if "variable" in error.message]
