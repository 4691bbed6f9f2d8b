"""What the tree says of order and partitions: the properties of a relation, and the heads of physical relations.

└─ join merge equi on a.k = b.k     [a struct(k int64), b struct(k int64)] {partitioned by a.k}
   ├─ exchange scatter (a.k) to 4   [a struct(k int64)] {ordered by a.k asc nulls last (declared); partitioned by a.k}
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.node import Node, has, walk
from firesteel.plan import (
    Aggregate,
    Broadcast,
    Consistent,
    Exchange,
    Expand,
    Join,
    JoinStrategy,
    MergingCapture,
    MultiBucket,
    Plan,
    Promised,
    Rel,
    RoundRobin,
    Scatter,
    SimpleCapture,
    SingleBucket,
    SortSpec,
    Switching,
    Target,
    TopN,
    Window,
    WindowMethod,
    relation_properties,
)
from firesteel.plan.properties import Basis, Partitioned, SameField, Singleton
from firesteel.plan.reliance import named

#: A node on one line, as the relation sees it.
Say = Callable[[Node], str]

_PHYSICAL: tuple[type[Node], ...] = (Exchange, MergingCapture, SimpleCapture, TopN, Expand, Promised)


def shows_properties(plan: Plan) -> bool:
    """Does the tree show properties? Only that of a plan that says something of partitions, promises or strategies: in
    any other plan they follow from its sorts alone."""
    return has(plan.statement, *_PHYSICAL) or any(map(is_chosen, walk(plan.statement, Join, Aggregate, Window)))


def is_chosen(rel: Rel) -> bool:
    """Does a join, an aggregate or a window have a strategy?"""
    match rel:
        case Join(strategy=strategy):
            return strategy is not None
        case Aggregate(method=method):
            return method is not None
        case Window(method=how):
            return how is not None and how is not WindowMethod.CONSISTENT
        case _:
            return False


# ---------------------------------------------------------------------------------------------------------------------
# Properties


def properties(rel: Rel) -> str:
    """The order and the distribution of a relation, in braces; nothing if neither is known."""
    known = relation_properties(rel)
    parts: list[str] = []
    if known.order:
        fields = [f"{_name(one.field, rel)} {_order(one.order.name, one.comparator)}" for one in known.order]
        parts.append(f"ordered by {', '.join(fields)}{_because(known.order_basis)}")
    match known.distribution:
        case Singleton(basis):
            parts.append(f"one partition{_because(basis)}")
        case Partitioned(fields_, basis):
            names = sorted(_name(field, rel) for field in fields_)
            parts.append(f"partitioned by {', '.join(names)}{_because(basis)}")
    return f"{{{'; '.join(parts)}}}" if parts else ""


def _name(field: SameField, rel: Rel) -> str:
    return min(named(path, rel) for path in field)


def _order(name: str, comparator: str | None) -> str:
    return name.lower().replace("_", " ") + (f" by {comparator}" if comparator else "")


def _because(basis: Basis) -> str:
    """What follows from the plan itself is not marked."""
    return "" if basis is Basis.DERIVED else f" ({basis.name.lower()})"


# ---------------------------------------------------------------------------------------------------------------------
# Heads


def strategy_words(rel: Rel) -> list[str]:
    """How a join, an aggregate or a window is computed, if the plan says so."""
    if not is_chosen(rel):
        return []
    match rel:
        case Join(strategy=JoinStrategy.HASH | JoinStrategy.BROADCAST as strategy, build=build):
            return [f"{strategy.value} {build.value}"]
        case Join(strategy=JoinStrategy() as strategy):
            return [strategy.value]
        case Aggregate(method=method) | Window(method=method) if method is not None:
            return [method.value]
    return []


def head(rel: Rel, say: Say) -> list[str] | None:
    """The words of a physical relation after its name; None for any other relation."""
    match rel:
        case Exchange():
            return _exchange(rel, say)
        case MergingCapture():
            return ["blocking"] if rel.blocking else []
        case TopN(specs=specs, count=count, skip=skip):
            skipped = [f"skip {say(skip)}"] if skip is not None else []
            return [_specs(specs, say), f"limit {say(count)}", *skipped, *(["with ties"] if rel.ties else [])]
        case Expand(fields=fields):
            return [", ".join(_expanded(field, say) for field in fields)]
        case Promised():
            return _promised(rel, say)
        case _:
            return None


def _specs(specs: Sequence[SortSpec], say: Say) -> str:
    return ", ".join(map(say, specs))


def _exchange(rel: Exchange, say: Say) -> list[str]:
    words = [rel.kind.tag]
    match rel.kind:
        case Scatter(fields=fields):
            words.append(f"({', '.join(map(say, fields))})")
        case SingleBucket(expression=rex, constrained=constrained):
            words += [say(rex), *(["constrained"] if constrained else [])]
        case MultiBucket(expression=rex, constrained=constrained):
            words += [say(rex), *(["constrained"] if constrained else [])]
        case RoundRobin(exact=True):
            words.append("exact")
        case Broadcast() | RoundRobin():
            pass
    words += [f"to {rel.partitions}"] if rel.partitions is not None else []
    return words + [f"(target {_target(one)})" for one in rel.targets]


def _target(target: Target) -> str:
    given = ", ".join(map(str, target.partitions)) or "none"
    return f"{given}: {target.uri if target.uri is not None else target.value}"


def _expanded(field: Node, say: Say) -> str:
    match field:
        case Consistent(value=value):
            return say(value)
        case Switching(duplicates=duplicates):
            return f"switch({', '.join(map(say, duplicates))})"
        case _:
            return field.tag


def _promised(rel: Promised, say: Say) -> list[str]:
    parts = [f"ordered by {_specs(rel.order, say)}"] if rel.order else []
    parts += [f"partitioned by {', '.join(map(say, rel.partitioned))}"] if rel.partitioned else []
    parts += ["one partition"] if rel.singleton else []
    parts += [f"{one.name}={one.value}" for one in rel.options]
    return ["; ".join([*parts, *(["verified"] if rel.verified else [])])]
