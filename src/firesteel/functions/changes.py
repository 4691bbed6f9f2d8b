"""Notes when functions or relations are registered: a plan that was made before is not used any more."""

from __future__ import annotations

_states = [object()]


def state() -> object:
    """An object that is replaced at every change. A plan is valid as long as the state it was made with is current."""
    return _states[0]


def changed() -> None:
    """Note that registered functions or relations have changed, so that cached plans are not used any more."""
    _states[0] = object()


__all__ = ["changed", "state"]
