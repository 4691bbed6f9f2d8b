"""A plan as its user holds it: read from any of its notations, explained, checked, written back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, overload

from firesteel import partiql_plan, plan
from firesteel.errors import FiresteelError, PlanError, UnsupportedError
from firesteel.explain import explain
from firesteel.ion import Element, read
from firesteel.partiql_plan import algebra
from firesteel.plan.check import check, ensure


@dataclass(frozen=True)
class Plan:
    """A query plan. `node` is its root in the algebra (`firesteel.plan`)."""

    node: plan.Plan

    @overload
    def to_ion(self, *, binary: Literal[False] = False) -> str: ...
    @overload
    def to_ion(self, *, binary: Literal[True]) -> bytes: ...
    def to_ion(self, *, binary: bool = False) -> str | bytes:
        """The plan as a PartiQL Plan document."""
        return partiql_plan.write(self.node, binary=binary)

    def to_algebra(self) -> str:
        """The plan as s-expressions of PartiQL's relational algebra."""
        return algebra.write(self.node)

    def explain(self) -> str:
        """The plan as a tree, one line per node."""
        return explain(self.node)

    def check(self) -> list[FiresteelError]:
        """What is wrong with the plan; empty where nothing is."""
        return check(self.node)

    def ensure(self) -> Plan:
        """This plan, or the first thing that is wrong with it, raised."""
        ensure(self.node)
        return self

    def __str__(self) -> str:
        return self.explain()


def read_plan(source: str | Path | bytes) -> Plan:
    """A plan from a file, or from the bytes of one; a string that starts with a parenthesis is the plan itself.

    The content says what it is: a PartiQL Plan document, or an expression of the relational algebra.
    """
    data, name = _load(source)
    if isinstance(data, bytes) and not data.startswith(b"\xe0\x01\x00\xea"):
        data = _text(data, name)
    if isinstance(data, str) and not data.strip():
        raise PlanError(f"{name} is empty", help="a plan is an s-expression: (partiql::plan version::(0 1) ...)")
    if Path(name).suffix in (".json", ".proto", ".pb") or (isinstance(data, str) and data.lstrip()[:1] == "{"):
        raise UnsupportedError(f"{name} looks like a Substrait plan, which cannot be read yet")
    elements = read(data, name)
    if _is_algebra(elements):
        return Plan(algebra.read(elements, name=name))
    found = partiql_plan.read(data, name=name)
    if not isinstance(found, plan.Plan):
        raise PlanError(f"{name} is a header document, not a plan")
    return Plan(found)


def _load(source: str | Path | bytes) -> tuple[str | bytes, str]:
    if isinstance(source, bytes):
        return source, "<plan>"
    if isinstance(source, str) and source.lstrip().startswith("("):
        return source, "<plan>"
    try:
        return Path(source).read_bytes(), str(source)
    except OSError as error:
        raise PlanError(f"cannot read '{source}': {error.strerror or error}") from error


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PlanError(f"{name} is neither Ion text nor Ion binary (byte {error.start})") from error


def _is_algebra(elements: list[Element]) -> bool:
    """An algebra document is one s-expression whose head is an operator of the algebra, and not a plan's marker."""
    return len(elements) == 1 and elements[0].head in algebra.OPERATORS
