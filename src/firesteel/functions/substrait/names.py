"""Names that stand for standard functions: each producer has its own (`substrait/dialects`). Each use is a repair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from firesteel.functions.properties import Kind


@dataclass(frozen=True, eq=False)
class Names:
    """Other names of standard functions, and the options that such a name implies."""

    aliases: Mapping[str, str] = field(default_factory=dict)
    implied: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)

    def meant(self, name: str) -> str:
        """The standard name."""
        return self.aliases.get(name, name)


#: The names of the specification, and no others.
STANDARD_NAMES = Names()

#: The extensions to prefer for a bare name, if forms of several extensions fit equally well.
_FIRST = ("comparison", "arithmetic", "aggregate_generic", "aggregate_approx", "arithmetic_decimal")
_LAST = ("aggregate_decimal_output", "geometry")


def preference(stem: str) -> int:
    """The rank of an extension: the one with the smallest number is preferred."""
    if stem in _FIRST:
        return _FIRST.index(stem)
    return 99 if stem in _LAST else 50


def fits(kind: Kind, wanted: Kind) -> bool:
    """May a function of the kind be called as `wanted`? An aggregate may be called over a window."""
    return kind is wanted or (wanted is Kind.WINDOW and kind is Kind.AGGREGATE)
