"""The class `Plan` that users work with: read from any notation, explain, check, write back."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from firesteel import plan
from firesteel.errors import FiresteelError, PlanError
from firesteel.explain import explain
from firesteel.explain.rows import cut, html_details, html_page_part, shortened
from firesteel.ion import Element, read
from firesteel.lazy import LazyModule
from firesteel.plan.check import ensure
from firesteel.plan.findings import Findings, RepairedPlan, check_plan
from firesteel.plan.lookup import FileLookup
from firesteel.warning import QueryWarning

if TYPE_CHECKING:
    from firesteel import partiql_plan, substrait
    from firesteel.partiql_plan import algebra
else:  # a query needs none of these
    partiql_plan, substrait = LazyModule("firesteel.partiql_plan"), LazyModule("firesteel.substrait")
    algebra = LazyModule("firesteel.partiql_plan.algebra")


@dataclass(frozen=True, repr=False)
class Plan:
    """A query plan. `node` is its root in the algebra (`firesteel.plan`). For a Substrait plan, `message` is what was
    read; each session that runs it lowers it to the algebra over its own tables."""

    given: plan.Plan | None = None
    message: substrait.Message | None = None
    #: The dialect that the message is read in: of its producer (`auto`), or one that is asked for.
    dialect: str = "auto"
    #: Warnings of the query text that the plan was made from.
    warnings: tuple[QueryWarning, ...] = field(default=(), compare=False)

    @cached_property
    def node(self) -> plan.Plan:
        return self.lowered().plan

    def lowered(self, catalog: FileLookup | None = None) -> RepairedPlan:
        """The plan in the algebra over the tables of a catalog, and the repairs that were made."""
        if self.message is not None:
            return substrait.lower(self.message, catalog, self.dialect)
        assert self.given is not None
        return RepairedPlan(self.given)

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

    def to_substrait(self, target: str | None = None) -> bytes:
        """The plan as a Substrait plan in protobuf's bytes. Without a target it is written by today's specification,
        and `read_plan` reads it as the same plan. A target (`"datafusion"`) is a consumer, and gets what it can
        read."""
        return substrait.encode(substrait.write(self.node, target))

    def to_substrait_json(self, target: str | None = None) -> str:
        """The plan as a Substrait plan in protobuf's JSON."""
        return substrait.to_json(substrait.write(self.node, target))

    def explain(self) -> str:
        """The plan as a tree, one line per node; a Substrait plan by its own relations."""
        return substrait.explain(self.message) if self.message is not None else explain(self.node)

    def check(self, catalog: FileLookup | None = None) -> Findings:
        """Check the plan: a list of errors, empty if it is valid. The list's `repairs` say what was put right.

        A Substrait plan is checked to its end, over the tables of a catalog or else by the schemas that it declares.
        Without a catalog, inputs have the order that the plan gives them; with one, `Session.check` judges that.
        """
        if self.message is not None:
            return substrait.check(self.message, catalog, self.dialect)
        return check_plan(self.node, orders=catalog is None)

    def ensure(self) -> Plan:
        """Return this plan, or raise the first error of `check`."""
        ensure(self.node)
        return self

    def __str__(self) -> str:
        return self.explain()

    def __repr__(self) -> str:
        first, *rest = self.explain().splitlines() or [""]
        return f"<Plan: {shortened(first, 80)}; {len(rest)} more line{'' if len(rest) == 1 else 's'}>"

    def _repr_html_(self) -> str:
        """The tree, and below it the plan in other notations, folded."""
        notations: dict[str, Callable[[], str]] = {
            "relational algebra": self.to_algebra,
            "PartiQL Plan": lambda: self.to_ion(),
        }
        parts = [html_details("plan", cut(self.explain()), open_=True)]
        for name, write in notations.items():
            try:
                parts.append(html_details(name, cut(write())))
            except FiresteelError as error:  # not every plan has every notation
                parts.append(html_details(name, error.message))
        return html_page_part("".join(parts))


def read_plan(source: str | Path | bytes | Any, *, dialect: str = "auto") -> Plan:
    """Read a plan from a file path, from bytes, from text that starts with a parenthesis or a brace, or from a protobuf
    message.

    The format is told by the content: a PartiQL Plan document, an expression of the relational algebra, or a Substrait
    plan as protobuf or JSON. A Substrait plan is read as its producer means it; `dialect="spec"` reads it by the
    letter of the specification, and `dialect="datafusion"` as one of DataFusion's (`docs/dialects.md`).
    """
    if dialect != "auto":
        substrait.ensure_dialect(dialect)
    if hasattr(source, "SerializeToString"):
        source = source.SerializeToString()
    data, name = _load(source)
    message = _substrait(data, name)
    if message is not None:
        return Plan(message=message, dialect=dialect)
    if isinstance(data, bytes) and not data.startswith(b"\xe0\x01\x00\xea"):
        data = _text(data, name)
    if isinstance(data, str) and not data.strip():
        raise PlanError(f"{name} is empty", help="a plan is an s-expression: (partiql::plan version::(0 1) ...)")
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
    if isinstance(source, str) and source.lstrip().startswith(("(", "{")):
        return source, "<plan>"
    try:
        return Path(source).read_bytes(), str(source)
    except OSError as error:
        raise PlanError(f"cannot read '{source}': {error.strerror or error}") from error
    except (TypeError, ValueError) as error:  # a NUL or a lone surrogate in the path, or no path at all
        raise PlanError(f"{source!r} is no path of a plan: {error}") from error


#: Suffixes of Substrait files. For any other name the first characters of the content decide.
_PROTOBUF, _JSON = (".proto", ".pb", ".substrait", ".binpb"), (".json",)
_COMMENTS = re.compile(r"\A\ufeff?(?:\s|//[^\n]*\n)*")
_ION = b"\xe0\x01\x00\xea"


def _substrait(data: str | bytes, name: str) -> substrait.Message | None:
    """The Substrait plan, or None if the data is something else."""
    suffix = Path(name).suffix.lower()
    if suffix in _PROTOBUF:
        return substrait.decode(data if isinstance(data, bytes) else data.encode())
    start = data[:65_536].decode("utf-8", "replace") if isinstance(data, bytes) else data
    if suffix in _JSON or _COMMENTS.sub("", start).startswith("{"):
        return substrait.from_json(_text(data, name) if isinstance(data, bytes) else data)
    if isinstance(data, bytes) and not data.startswith(_ION) and not _is_text(data):
        try:
            return substrait.decode(data)
        except PlanError as error:
            raise PlanError(f"{name} is neither Ion nor a Substrait plan: {error.message}") from None
    return None


def _is_text(data: bytes) -> bool:
    """Is it text? Protobuf always has control characters among its first bytes: lengths and tags."""
    try:
        start = data[:4096].decode("utf-8", "strict" if len(data) <= 4096 else "ignore")
    except UnicodeDecodeError:
        return False
    return all(char.isprintable() or char.isspace() for char in start) and not start.startswith("\n")


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise PlanError(f"{name} is neither Ion text nor Ion binary (byte {error.start})") from error


def _is_algebra(elements: list[Element]) -> bool:
    """Is it one s-expression whose head is an operator of the algebra, and not the marker of a plan document?"""
    return len(elements) == 1 and elements[0].head in algebra.OPERATORS
