"""Who a plan is written for, as data: one row for each consumer.

Without a target a plan is written by today's specification, so that reading it gives the same plan again: what
Substrait has no message for goes out as messages, functions and types of ours. For a consumer the plan is first put
into Substrait's own nodes and functions (`portable/`), and anything of ours is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version

from firesteel.errors import UnsupportedError


@dataclass(frozen=True)
class Target:
    """How a plan is written."""

    name: str
    #: Is the plan put into Substrait's own nodes and functions first? Otherwise it is kept as it is.
    portable: bool = True
    #: Are functions declared as `add:i64_i64`, or by their bare names?
    compound_names: bool = True
    #: Are extensions named by the URIs of before, beside their URNs?
    old_uris: bool = False
    #: Are fields of before written, which today's specification has no more: counts of rows, keys of groupings?
    old_fields: bool = False
    #: Does every message nest in its parent? Otherwise deep and repeated ones are detached.
    nested: bool = True
    #: Are window functions a relation? Otherwise they are expressions of a projection.
    window_relations: bool = True
    #: Has an aggregate of several grouping sets the columns that the specification says? Otherwise it is a union.
    grouping_sets: bool = True
    #: The lowering passes that it needs, as engines do.
    lowerings: tuple[str, ...] = ()
    #: Are arguments that are one of a few names written as text?
    names_as_text: bool = False
    #: Such arguments that the consumer has no place for, because it always means them.
    names_meant: frozenset[str] = frozenset()
    #: Names that the consumer has for functions, by the standard's.
    function_names: Mapping[str, str] = field(default_factory=dict)
    #: May a condition of CASE not be NULL, because the result would be NULL then?
    certain_conditions: bool = False
    #: What the consumer has not, or gives other rows for: kinds of messages and values of their fields.
    refuses: frozenset[str] = frozenset()
    #: The version of Substrait that the plan is written for.
    version: tuple[int, ...] = tuple(int(part) for part in version("substrait-protobuf").split(".")[:3])


#: Today's specification.
TODAY = Target("today", portable=False, nested=False)

_ALL_SETS = frozenset(
    [
        *("SET_OP_UNION_ALL", "SET_OP_UNION_DISTINCT", "SET_OP_MINUS_PRIMARY", "SET_OP_MINUS_PRIMARY_ALL"),
        *("SET_OP_INTERSECTION_MULTISET", "SET_OP_INTERSECTION_MULTISET_ALL"),
    ]
)
_MARKS = ("JOIN_TYPE_LEFT_MARK", "JOIN_TYPE_LEFT_SINGLE")

#: A consumer that reads plans of some years ago.
_OLDER = Target(
    "older",
    compound_names=False,
    old_uris=True,
    old_fields=True,
    window_relations=False,
    grouping_sets=False,
    lowerings=("decorrelate",),
    names_meant=frozenset(["ONE"]),
)

TARGETS: dict[str, Target] = {
    "datafusion": Target(
        "datafusion",
        compound_names=False,
        old_uris=True,
        window_relations=False,
        grouping_sets=False,
        # A subquery over the table that is around it: DataFusion takes columns of the same name for one.
        lowerings=("decorrelate",),
        names_as_text=True,
        names_meant=frozenset(["ONE"]),
        function_names={"extract": "date_part", "std_dev": "stddev", "variance": "var_samp"},
    ),
    "duckdb": replace(
        _OLDER,
        name="duckdb",
        function_names={"negate": "-"},
        # Its reader takes UNION ALL for UNION.
        refuses=frozenset([*_ALL_SETS - {"SET_OP_MINUS_PRIMARY"}, *_MARKS, "JOIN_TYPE_LEFT_ANTI", "WindowFunction"]),
        version=(0, 57, 0),
    ),
    "acero": replace(
        _OLDER,
        name="acero",
        certain_conditions=True,
        refuses=frozenset(
            [
                *_ALL_SETS - {"SET_OP_UNION_ALL"},
                *_MARKS,
                *("JOIN_TYPE_LEFT_ANTI", "JOIN_TYPE_LEFT_SEMI", "CrossRel"),
                *("WindowFunction", "AGGREGATION_INVOCATION_DISTINCT"),
            ]
        ),
        version=(0, 44, 0),
    ),
    "spec:0.57": Target("spec:0.57", old_uris=True, old_fields=True, version=(0, 57, 0)),
}


def target_named(name: str | None) -> Target:
    """The target of that name; without a name, today's specification."""
    if name is None:
        return TODAY
    found = TARGETS.get(name)
    if found is None:
        raise UnsupportedError(f"no target '{name}' of Substrait plans", help=f"the targets are {', '.join(TARGETS)}")
    return found
