"""How producers, known by their names, deviate from the specification throughout a plan.

Deviations of aggregates are in `grouping.py`. Each deviation that a plan uses is reported as a repair.
"""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.substrait.message import Message

#: Producers whose project relations without `common` replace their input.
_REPLACING = ("duckdb", "datafusion")


@dataclass(frozen=True)
class Quirks:
    """How to read a plan."""

    #: A project relation without `common` gives its expressions only, instead of appending them to its input.
    project_replaces: bool = False


def quirks_of(plan: Message) -> Quirks:
    """How a plan has to be read, as far as it can be told before."""
    producer = plan.version.producer.lower()
    return Quirks(project_replaces=any(name in producer for name in _REPLACING))
