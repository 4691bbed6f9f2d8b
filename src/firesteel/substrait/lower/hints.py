"""Hints and limits of relations.

Estimates and names are kept beside the relation (`Rel.hints`): they change no result. Limits are enforced, or refused
by name. A `RuntimeConstraint` has no field for a limit in any version, so limits are messages of ours in its extension
(docs/substrait-extensions.md). An extension that is an enhancement changes what a plan means: one that is not known is
refused, wherever it is; one that is an optimization may be left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import UnsupportedError
from firesteel.plan import build
from firesteel.plan.scope import shifted
from firesteel.rules import RelationRule
from firesteel.substrait import own_messages
from firesteel.substrait.message import Message


def unknown_enhancements(extensions: Sequence[Message]) -> Iterator[UnsupportedError]:
    """Of the `AdvancedExtension` messages of a plan, those that change what it means, and of which nothing is known."""
    for one in extensions:
        if one.has("enhancement") and not own_messages.is_placed(one.enhancement, one):
            url = one.enhancement.type_url or "of nothing"
            yield UnsupportedError(f"an enhancement that is not known here: '{url}'", where=one.where)


@dataclass(frozen=True)
class Limits:
    """The limits of a relation; None: there is none."""

    records: int | None = None
    record_size: int | None = None
    #: Limits that no engine holds for one relation, each with the message that it is in.
    refused: tuple[tuple[str, Message], ...] = ()


#: Limits that are refused, as people call them.
_REFUSED = {
    own_messages.CPU_LIMIT: ("max_seconds", "seconds of CPU time"),
    own_messages.MEMORY_LIMIT: ("max_bytes", "bytes of memory"),
}


def limits(hint: Message) -> Limits:
    """The limits that a hint sets. Of several of a kind the least counts."""
    found = Limits()
    for name, message in own_messages.in_extension(hint.constraint):
        if name == own_messages.RECORD_LIMIT:
            found = replace(found, records=_least(found.records, message, "max_records", "records"))
        elif name == own_messages.RECORD_SIZE_LIMIT:
            found = replace(found, record_size=_least(found.record_size, message, "max_bytes", "bytes"))
        else:
            field, unit = _REFUSED[name]
            found = replace(found, refused=(*found.refused, (f"{getattr(message, field):g} {unit}", message)))
    return found


def _least(known: int | None, message: Message, field: str, unit: str) -> int:
    given: int = getattr(message, field)
    if given < 0:
        raise RelationRule.LIMIT.broken(f"a limit of less than no {unit}", where=message.where)
    return given if known is None else min(known, given)


def hints_of(hint: Message) -> p.Hints | None:
    """What a hint estimates of a relation, and how it calls it."""
    made = p.Hints(
        row_count=hint.stats.row_count or None,
        record_size=hint.stats.record_size or None,
        alias=hint.alias or None,
        names=tuple(hint.output_names),
    )
    return made if made != p.Hints() else None


def apply_hints(rel: p.Rel, inner: Message, *, closed: bool) -> p.Rel:
    """A relation with its hints beside it and its limits enforced; `closed` means that it refers to no outer row."""
    if "common" not in inner.kind.by_name or not inner.common.has("hint"):
        return rel
    hint = inner.common.hint
    if hint.has("loaded_computations"):
        raise UnsupportedError("a computation that was saved elsewhere", where=hint.where)
    found = limits(hint)
    for text, message in found.refused:
        raise UnsupportedError(
            f"a limit of {text} for one relation",
            where=message.where,
            help="neither engine measures that of one relation; limit the whole Spark application instead",
        )
    rel = _hinted(rel, hints_of(hint))
    if found.record_size is not None:
        rel = _with_record_size(rel, found.record_size, inner)
    return rel if found.records is None else _with_record_limit(rel, found.records, inner, closed=closed)


def _hinted(rel: p.Rel, given: p.Hints | None) -> p.Rel:
    """The relation with its hints beside it. Names for all of its columns go on a relation that names columns: nothing
    refers to a column by its name, so they are for `explain`, for errors, and for tables without a schema."""
    if given is None:
        return rel
    names = given.names
    if not isinstance(rel, p.Project | p.Aggregate | p.Expand | p.Window) or len(names) != len(p.schema(rel)):
        return rel.replace(hints=given)
    made = names[-len(rel.calls) :] if isinstance(rel, p.Window) else names
    rest = given.replace(names=())
    return rel.replace(names=made, hints=rest if rest != p.Hints() else None)


# ---------------------------------------------------------------------------------------------------------------------
# Limits


def _with_record_limit(rel: p.Rel, most: int, inner: Message, *, closed: bool) -> p.Rel:
    """More records than the limit are an error. At most one record more than the limit is counted, and the rows keep
    their order: the limit is a condition on a count beside them."""
    where = inner.where
    if closed:
        rel = p.Shared(f"limit {'/'.join(inner.path)}", rel).at(where)
    counted = rel if closed else shifted(rel, 1)  # once more, from inside of the condition
    some = p.Limit(p.Lit(t.INT64, most + 1), counted).at(where)
    count = p.Aggregate(p.Strategy.FULL, (build.agg("count_star"),), (), some).at(where)
    number = p.CollToScalar(build.select(build.struct([("_1", build.column(count, 0))]), count, t.Bag))
    test = build.substrait_expression("at_most", (number, p.Lit(t.INT64, most)), t.Bool(nullable=True)).at(where)
    return p.Filter(test, rel).at(where)


#: The bytes of a value of a type, NULL included.
_SIZES: tuple[tuple[tuple[type[t.Type], ...], int], ...] = (
    ((t.Bool, t.Int8), 1),
    ((t.Int16,), 2),
    ((t.Int32, t.Float32, t.Date), 4),
    ((t.Int64, t.Float64, t.Time, t.Timestamp), 8),
    ((t.Decimal, t.Uuid, t.Interval), 16),
)


def _with_record_size(rel: p.Rel, most: int, inner: Message) -> p.Rel:
    """A record of more bytes than the limit is an error: the sum of the sizes of its columns, where a text or binary
    value has its octets, and one of another type has a fixed size."""
    fixed = 0
    lengths: list[p.Rex] = []
    for i, field in enumerate(p.schema(rel)):
        size = next((size for kinds, size in _SIZES if isinstance(field.type, kinds)), None)
        if size is not None:
            fixed += size
        elif isinstance(field.type, t.Text | t.Octets):
            length = build.call("octet_length", build.column(rel, i))
            lengths.append(build.call("coalesce", length, p.Lit(t.INT64, 0)) if field.type.absent else length)
        else:
            raise UnsupportedError(
                f"a limit of {most} bytes for a record with a {t.proper(field.type)}: its size is not known",
                where=inner.common.hint.constraint.where,
            )
    total: p.Rex = p.Lit(t.INT64, fixed)
    for octets in lengths:
        total = build.call("plus", total, octets)
    test = build.substrait_expression("at_most", (total, p.Lit(t.INT64, most)), t.Bool(nullable=True), unit="BYTES").at(
        inner.where
    )
    return p.Filter(test, rel).at(inner.where)
