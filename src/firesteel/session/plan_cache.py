"""The plan cache: a plan is read, lowered, checked, optimized and lowered for its engine once, and then reused.

A cached plan is valid for the state of the catalog and of the registered extensions that it was made with. A plan that
names files is not cached, because the files may have changed.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from firesteel import plan as p
from firesteel.functions.changes import state
from firesteel.lru import Recent
from firesteel.partiql import Explain
from firesteel.plan.findings import RepairedPlan
from firesteel.session.catalog import Catalog
from firesteel.session.document import Plan
from firesteel.session.engines import Engine
from firesteel.tables import Table


class Prepared(NamedTuple):
    """A plan that is ready to run, the tables that it refers to, and its engine."""

    plan: p.Plan
    #: The plan before the lowering passes. Its types are those of the answer; lowering may add columns and NULLs that
    #: the answer does not have.
    optimized: p.Plan
    tables: list[Table]
    engine: Engine


class PlanCache:
    """The cached plans of a session, by what they were made from. If the key is the `id` of an object, the object is
    stored in the entry, so that its id cannot be reused."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._texts: Recent[Plan | Explain] = Recent()
        self._documents: Recent[tuple[Plan, object]] = Recent()
        self._lowered: Recent[tuple[RepairedPlan, Plan]] = Recent()
        self._prepared: Recent[tuple[Prepared, p.Plan]] = Recent()

    def find_text(self, text: str, mode: str) -> Plan | Explain | None:
        """The cached plan of a PartiQL text without parameters; for an EXPLAIN, its syntax tree."""
        return self._texts.find(self._key(text, mode))

    def keep_text(self, text: str, mode: str, made: Plan | Explain) -> Plan | Explain:
        if isinstance(made, Plan) and made.given is not None and not self._is_lasting(made.given):
            return made
        return self._texts.keep(self._key(text, mode), made)

    def find_document(self, source: Any) -> Plan | None:
        """The cached document that was read from these bytes or this text, or made from this node."""
        key = _document_key(source)
        found = None if key is None else self._documents.find(self._key(key))
        return None if found is None else found[0]

    def keep_document(self, source: Any, made: Plan) -> Plan:
        key = _document_key(source)
        if key is not None:
            self._documents.keep(self._key(key), (made, source))
        return made

    def find_lowered(self, document: Plan) -> RepairedPlan | None:
        found = self._lowered.find(self._key(id(document)))
        return None if found is None else found[0]

    def keep_lowered(self, document: Plan, made: RepairedPlan) -> RepairedPlan:
        if self._is_lasting(made.plan):
            self._lowered.keep(self._key(id(document)), (made, document))
        return made

    def find_prepared(self, node: p.Plan) -> Prepared | None:
        """The cached prepared plan of this node. An equal node does not count: its errors may name other places."""
        found = self._prepared.find(self._key(id(node)))
        return None if found is None else found[0]

    def keep_prepared(self, node: p.Plan, made: Prepared) -> Prepared:
        if self._is_lasting(node):
            self._prepared.keep(self._key(id(node)), (made, node))
        return made

    def forget(self) -> None:
        for kept in (self._texts, self._documents, self._lowered, self._prepared):
            kept.forget()

    def _is_lasting(self, node: p.Plan) -> bool:
        """Does the plan name registered tables only? Files, and tables of the engine's own catalog, may change without
        our notice."""
        return all(binding.files is None and self._catalog.known(binding.name) is not None for binding in node.globals)

    def _key(self, *parts: Hashable) -> Hashable:
        return (*parts, self._catalog.state, state())


def _document_key(source: Any) -> Hashable | None:
    """The cache key of a source. A path has none, because the file may have changed."""
    if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip().startswith(("(", "{"))):
        return source
    return id(source) if isinstance(source, p.Plan) else None
