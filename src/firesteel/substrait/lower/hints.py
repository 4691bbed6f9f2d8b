"""Hints, constraints and advanced extensions of relations.

Estimates (row counts, sizes) are ignored: Spark has its own statistics. Limits are enforced:
a `RuntimeConstraint` has no field for one in any version, so a limit of records is a message of ours in its extension,
`firesteel.RecordLimit`. An extension that is an enhancement changes what a plan means: one that is not known is
refused, wherever it is; one that is an optimization may be left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import PlanError, UnsupportedError
from firesteel.plan import build
from firesteel.plan.scope import shifted
from firesteel.substrait.message import Message
from firesteel.substrait.wire import decode

RECORD_LIMIT = "firesteel.RecordLimit"


def unknown_enhancements(extensions: Sequence[Message]) -> Iterator[UnsupportedError]:
    """Of the `AdvancedExtension` messages of a plan, those that change what it means, and of which nothing is known."""
    for one in extensions:
        if one.has("enhancement") and not _is_limit(one.enhancement, one):
            url = one.enhancement.type_url or "of nothing"
            yield UnsupportedError(f"an enhancement that is not known here: '{url}'", where=one.where)


def _is_limit(extension: Message, holder: Message) -> bool:
    named = extension.type_url.rpartition("/")[2] == RECORD_LIMIT
    return named and holder.parent is not None and holder.parent.kind.short == "RuntimeConstraint"


def record_limit(hint: Message) -> int | None:
    """How many records a relation may give."""
    if not hint.has("constraint"):
        return None
    holder: Message = hint.constraint.advanced_extension
    given = [*holder.optimization, *([holder.enhancement] if holder.has("enhancement") else [])]
    limits = [decode(one.value, RECORD_LIMIT).max_records for one in given if _is_limit(one, holder)]
    if any(limit < 0 for limit in limits):
        raise PlanError("a limit of less than no records", where=holder.where)
    return min(limits, default=None)


def apply_hints(rel: p.Rel, inner: Message, *, closed: bool) -> p.Rel:
    """A relation with the limits of its hints enforced; `closed` means that it refers to no outer row.

    More records than the limit are an error. At most one record more than the limit is counted, and the rows keep
    their order: the limit is a condition on a count beside them.
    """
    if "common" not in inner.kind.by_name:
        return rel
    hint = inner.common.hint
    if hint.has("loaded_computations"):
        raise UnsupportedError("a computation that was saved elsewhere", where=hint.where)
    most = record_limit(hint)
    if most is None:
        return rel
    where = inner.where
    if closed:
        rel = p.Shared(f"limit {'/'.join(inner.path)}", rel).at(where)
    counted = rel if closed else shifted(rel, 1)  # once more, from inside of the condition
    some = p.Limit(p.Lit(t.INT64, most + 1), counted).at(where)
    count = p.Aggregate(p.Strategy.FULL, (build.agg("count_star"),), (), some).at(where)
    number = p.CollToScalar(build.select(build.struct([("_1", build.column(count, 0))]), count, t.Bag))
    test = build.substrait_expression("at_most", (number, p.Lit(t.INT64, most)), t.Bool(nullable=True)).at(where)
    return p.Filter(test, rel).at(where)
