"""Where a node was read from, in a chain that leads to the root of the document."""

from __future__ import annotations

from firesteel.source import Place, Span

#: Of a longer way, the middle is left out.
_SHOWN = 24

_set = object.__setattr__


class Trail(Place):
    """A place that knows its parent, so that a plan of any depth costs a step per node and not a path per node."""

    __slots__ = ("_index", "_parent", "_span", "_step", "_tag")

    _parent: Trail | None
    _step: str
    _index: int | None
    _span: Span | None
    _tag: str

    def __init__(self, parent: Trail | None, step: str, index: int | None = None, span: Span | None = None) -> None:
        # Place is frozen, and its fields are computed here: nothing is set by its own constructor.
        _set(self, "_parent", parent)
        _set(self, "_step", step)
        _set(self, "_index", index)
        _set(self, "_span", span)
        _set(self, "_tag", "")

    def tagged(self, tag: str) -> Trail:
        """This place, now that it is known what stands there."""
        _set(self, "_tag", tag)
        return self

    @property
    def path(self) -> tuple[str, ...]:
        ways: list[Trail] = []
        place: Trail | None = self
        while place is not None:
            ways.append(place)
            place = place._parent
        ways.reverse()
        left_out = len(ways) - _SHOWN
        if left_out > 1:
            ways = [*ways[: _SHOWN // 2], Trail(None, f"({left_out:,} more)"), *ways[-_SHOWN // 2 :]]
        return tuple(step for way in ways for step in way._steps())

    def _steps(self) -> list[str]:
        step = self._step if self._index is None else f"{self._step}[{self._index}]"
        return [part for part in (step, self._tag) if part]

    @property
    def span(self) -> Span | None:
        return self._span

    def __reduce__(self) -> tuple[type[Place], tuple[tuple[str, ...], Span | None]]:
        """Pickled as a plain place: a chain would be walked on the Python stack."""
        return Place, (self.path, self.span)
