"""Sort by ranks where a plan sorts by a comparison function that is known in Python only.

    sort t.a by urn:locale         →    project t
    └─ scan t                           └─ sort rank
                                           └─ join left same t.a = value
                                              ├─ scan t
                                              └─ ranks of the distinct values of t.a

The distinct values are ranked in one place, by one Python process, and joined to the rows. That is slow for many
distinct values; a function with a `sort_key` does not need it.
"""

from __future__ import annotations

from firesteel import types as t
from firesteel.node import has, transform, walk
from firesteel.passes.base import Context, Phase, plan_pass
from firesteel.plan import (
    Aggregate,
    Capture,
    Cross,
    Distinct,
    Equi,
    Join,
    JoinKey,
    Limit,
    Offset,
    Plan,
    Project,
    Rel,
    Scan,
    Sort,
    SortSpec,
    Strategy,
    TopN,
    build,
    schema,
)


@plan_pass(Phase.LOWER)
def rank_comparators(plan: Plan, _: Context) -> Plan:
    """Sort by ranks instead of by comparison functions that only Python knows."""
    if not has(plan.statement, SortSpec) or not any(map(_is_ranked, walk(plan.statement, SortSpec))):
        return plan
    return plan.replace(statement=transform(plan.statement, _sorted, Sort, TopN))


def _is_ranked(spec: SortSpec) -> bool:
    from firesteel.functions.substrait import registered  # late: few plans have functions of Substrait

    found = None if spec.comparator is None else registered(spec.comparator.name)
    return found is not None and found.sort_key is None


def _sorted(rel: Sort | TopN) -> Rel:
    if not any(map(_is_ranked, rel.specs)):
        return rel
    width, source = len(schema(rel.input)), rel.input
    specs: list[SortSpec] = []
    for spec in rel.specs:
        if not _is_ranked(spec):
            specs.append(spec)
            continue
        source = _ranked(source, spec)
        specs.append(SortSpec(build.column(source, len(schema(source)) - 1), spec.order).at(spec.where))
    made: Rel = rel.replace(specs=tuple(specs), input=source)
    if isinstance(rel, TopN) and not rel.ties:
        made = Sort(tuple(specs), source).at(rel.where)
        made = made if rel.skip is None else Offset(rel.skip, made).at(rel.where)
        made = Limit(rel.count, made).at(rel.where)
    return build.emit(made, range(width)).at(rel.where)


def _ranked(source: Rel, spec: SortSpec) -> Rel:
    """The rows, with the value of the key and its rank as two more columns."""
    assert spec.comparator is not None
    values = Distinct(Project((spec.key,), source))
    collected = Aggregate(Strategy.FULL, (build.agg("collect", build.column(values, 0)),), (), values)
    value, rank = t.absent(spec.key.type, nullable=True, missable=False), t.Int64(nullable=True)
    pair = t.Struct((t.Field("v", value), t.Field("r", rank)), open=False)
    ranks = build.substrait_expression(
        "ranks", (build.column(collected, 0),), t.Array(pair), comparator=spec.comparator.name
    ).at(spec.where)
    each = Join(Cross(), collected, Scan(ranks), lateral=True)
    item = build.column(each, 1)
    listed = build.listed(Project((build.path(item, "v"), build.path(item, "r")), each), source)
    same = JoinKey(spec.key, build.column(listed, 0), same=True)
    return Join(Equi(Capture.LEFT, keys=(same,)), source, listed).at(spec.where)


__all__ = ["rank_comparators"]
