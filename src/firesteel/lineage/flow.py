"""Where a value comes from (`Flow`), and where the rows of a relation come from (`Rows`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from firesteel.lineage.model import ELEMENTS, Link, Source, Use

Links = frozenset[Link]
NO_LINKS: Links = frozenset()
NO_SOURCES: frozenset[Source] = frozenset()

#: The direct uses, the weakest first: a sum of a transformed value is an aggregation.
_DIRECT = (Use.IDENTITY, Use.TRANSFORMATION, Use.AGGREGATION)


@dataclass(frozen=True, eq=False)
class Flow:
    """Where a value comes from. `links` are sources of the value as a whole; `pairs` and `elements` say it of its
    parts, where a plan constructs it. `origins` are the collections whose elements became the elements of this
    one: its size depends on them."""

    links: Links = NO_LINKS
    pairs: tuple[tuple[str, Flow], ...] = ()
    elements: tuple[Flow, ...] = ()
    origins: frozenset[Source] = NO_SOURCES

    @property
    def indirect(self) -> Links:
        return frozenset(link for link in self.links if not link.use.is_direct)

    @property
    def direct(self) -> Links:
        return self.links - self.indirect

    def attribute(self, name: str, exact: bool) -> Flow:
        """Where an attribute comes from; one that is not `exact` matches in any case."""
        found = [part for key, part in self.pairs if key == name or (not exact and key.lower() == name.lower())]
        return merged([Flow(_stepped(self.links, name)), *found])

    def any_attribute(self, name: str) -> Flow:
        """Where an attribute comes from whose name only the run can tell."""
        return merged([Flow(_stepped(self.links, name)), *(part for _, part in self.pairs)])

    def element(self, name: str = ELEMENTS) -> Flow:
        """Where an element comes from. What decides about the whole collection is left to the caller: `indirect`."""
        return merged([Flow(_stepped(self.direct, name)), *self.elements])

    def also(self, links: Iterable[Link]) -> Flow:
        """The same value, with more that takes part in it."""
        more = frozenset(links)
        return replace(self, links=self.links | more) if more else self

    def all_links(self) -> Links:
        """The links of the value and of all its parts; and of each origin that no link leads into, the origin."""
        found: set[Link] = set()
        origins: set[Source] = set()
        seen: set[int] = set()
        stack: list[Flow] = [self]
        while stack:
            flow = stack.pop()
            if id(flow) not in seen:
                seen.add(id(flow))
                found |= flow.links
                origins |= flow.origins
                stack.extend(flow.elements)
                stack.extend(part for _, part in flow.pairs)
        return frozenset(found | uncovered(origins, found))

    def used(self, use: Use) -> Links:
        """The links of the value where it is used so. A value that is transformed keeps what decides about it; one
        that only decides about something is that alone, whatever it was made of."""
        return used(self.all_links(), use)


NOTHING = Flow()


@dataclass(frozen=True, eq=False)
class Rows:
    """Where the rows of a relation come from: a flow for every column, the sources that decide which rows there are and
    in which order, and the collections whose elements became rows."""

    columns: tuple[Flow, ...]
    links: Links = NO_LINKS
    origins: frozenset[Source] = NO_SOURCES

    def also(self, links: Iterable[Link]) -> Rows:
        """The same rows, with more that decides about them."""
        return replace(self, links=self.links | frozenset(links))

    def with_columns(self, columns: Iterable[Flow]) -> Rows:
        return replace(self, columns=tuple(columns))

    def existing(self, use: Use, known: Links = NO_LINKS) -> Links:
        """What it takes for the rows to be there, where that is used so: not the values in them. An origin that a link
        leads into, also a `known` one, is not named."""
        return used(self.links | uncovered(self.origins, self.links | known), use)

    def whole(self) -> Flow:
        """All rows as one value."""
        return Flow(self.links, elements=self.columns, origins=self.origins)


def merged(flows: Iterable[Flow]) -> Flow:
    """A value that comes from any of these."""
    listed = [flow for flow in flows if flow is not NOTHING]
    if len(listed) == 1:
        return listed[0]
    return Flow(
        frozenset().union(*(flow.links for flow in listed)),
        tuple(pair for flow in listed for pair in flow.pairs),
        tuple(element for flow in listed for element in flow.elements),
        frozenset().union(*(flow.origins for flow in listed)),
    )


def used(links: Iterable[Link], use: Use) -> Links:
    """These links, where what they belong to is used so."""
    return frozenset(Link(source, _composed(before, use)) for source, before in links)


def _composed(before: Use, after: Use) -> Use:
    if not after.is_direct:
        return after
    return max(before, after, key=_DIRECT.index) if before.is_direct else before


def _stepped(links: Links, name: str) -> Links:
    """The links of a part of a value. Of one that is unchanged it is that part of the source; any other stays."""
    return frozenset(Link(link.source.step(name), link.use) if link.use is Use.IDENTITY else link for link in links)


def uncovered(origins: Iterable[Source], links: Iterable[Link]) -> set[Link]:
    """The origins that no link leads into."""
    sources = {link.source for link in links}
    return {Link(one, Use.IDENTITY) for one in origins if not any(one.covers(source) for source in sources)}
