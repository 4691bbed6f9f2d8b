"""Plans that were asked for before: what was read, lowered, checked and optimized once is not done again.

A plan holds for the state of the catalog and of the registered extensions that it was made with. One that names files
is made anew each time, because what is in them may have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from firesteel import plan as p
from firesteel.functions.substrait import state
from firesteel.lru import Recent
from firesteel.partiql import Explain
from firesteel.repair import Repair
from firesteel.session.catalog import Catalog
from firesteel.session.document import Plan
from firesteel.session.statements import Prepared

#: A plan over the tables of a session, and what was put right in it.
Lowered = tuple[p.Plan, tuple[Repair, ...]]


class Planned:
    """The plans of a session, by what they were made of."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._texts: Recent[Plan | Explain] = Recent()
        self._lowered: Recent[tuple[Lowered, object]] = Recent()
        self._prepared: Recent[tuple[Prepared, object]] = Recent()

    def text(self, text: str, mode: str, make: Callable[[], Plan | Explain]) -> Plan | Explain:
        """The plan of a PartiQL statement without parameters; what is to be explained is planned then."""
        return self._texts.get(self._key(text, mode), make)

    def lowered(self, source: Any, make: Callable[[], Lowered]) -> Lowered:
        """A plan that was given: its bytes, its text, or one that was read. What is behind a path may have changed."""
        if isinstance(source, bytes) or (isinstance(source, str) and source.lstrip().startswith(("(", "{"))):
            key = self._key(source)
        elif isinstance(source, Plan):
            key = self._key(id(source))
        else:
            return make()
        found = self._lowered.find(key)
        if found is not None:
            return found[0]
        made = make()
        if _steady(made[0]):
            self._lowered.keep(key, (made, source))  # as long as it is kept, no other object has its identity
        return made

    def prepared(self, node: p.Plan, make: Callable[[], Prepared]) -> Prepared:
        """A plan as it runs: of the same node, not of an equal one, which may come from another place of a text."""
        key = self._key(id(node))
        found = self._prepared.find(key)
        if found is not None:
            return found[0]
        made = make()
        if _steady(node):
            self._prepared.keep(key, (made, node))
        return made

    def forget(self) -> None:
        for kept in (self._texts, self._lowered, self._prepared):
            kept.forget()

    def _key(self, *parts: Hashable) -> Hashable:
        return (*parts, self._catalog.state, state())


def _steady(node: p.Plan) -> bool:
    return all(binding.files is None for binding in node.globals)
