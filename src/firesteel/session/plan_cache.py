"""Plans that were asked for before: what was read, lowered, checked, optimized and lowered for an engine once is not
done again.

A plan holds for the state of the catalog and of the registered extensions that it was made with. One that names files
is made anew each time, because what is in them may have changed.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from firesteel import plan as p
from firesteel.functions.substrait import state
from firesteel.lru import Recent
from firesteel.partiql import Explain
from firesteel.plan.findings import RepairedPlan
from firesteel.session.catalog import Catalog
from firesteel.session.document import Plan
from firesteel.session.engines import Engine
from firesteel.tables import Table


class Prepared(NamedTuple):
    """A plan as its engine runs it, the tables that it refers to, and the engine."""

    plan: p.Plan
    #: The plan before it was lowered for the engine. Its types are those of the answer: lowering may add columns and
    #: padding that the answer does not show.
    optimized: p.Plan
    tables: list[Table]
    engine: Engine


class PlanCache:
    """The plans of a session, by what they were made of. Where a plan is known by its identity, it is kept with what
    was made of it: as long as it is kept, no other object has the same identity."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._texts: Recent[Plan | Explain] = Recent()
        self._documents: Recent[tuple[Plan, object]] = Recent()
        self._lowered: Recent[tuple[RepairedPlan, Plan]] = Recent()
        self._prepared: Recent[tuple[Prepared, p.Plan]] = Recent()

    def find_text(self, text: str, mode: str) -> Plan | Explain | None:
        """The plan of a PartiQL statement without parameters; an EXPLAIN is kept as it was parsed."""
        return self._texts.find(self._key(text, mode))

    def keep_text(self, text: str, mode: str, made: Plan | Explain) -> Plan | Explain:
        return self._texts.keep(self._key(text, mode), made)

    def find_document(self, source: Any) -> Plan | None:
        """What was read from these bytes or this text, or the document of this node."""
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
        if _names_no_files(made.plan):
            self._lowered.keep(self._key(id(document)), (made, document))
        return made

    def find_prepared(self, node: p.Plan) -> Prepared | None:
        """A plan as it runs: of the same node, not of an equal one, which may come from another place of a text."""
        found = self._prepared.find(self._key(id(node)))
        return None if found is None else found[0]

    def keep_prepared(self, node: p.Plan, made: Prepared) -> Prepared:
        if _names_no_files(node):
            self._prepared.keep(self._key(id(node)), (made, node))
        return made

    def forget(self) -> None:
        for kept in (self._texts, self._documents, self._lowered, self._prepared):
            kept.forget()

    def _key(self, *parts: Hashable) -> Hashable:
        return (*parts, self._catalog.state, state())


def _document_key(source: Any) -> Hashable | None:
    """What tells a source from others. There is none for a path: what is behind it may have changed."""
    if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip().startswith(("(", "{"))):
        return source
    return id(source) if isinstance(source, p.Plan) else None


def _names_no_files(node: p.Plan) -> bool:
    return all(binding.files is None for binding in node.globals)
