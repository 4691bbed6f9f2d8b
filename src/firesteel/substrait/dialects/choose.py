"""The dialect of a plan: the one that is asked for, else that of its producer, else the one that its shape tells."""

from __future__ import annotations

from firesteel.errors import UnsupportedError
from firesteel.substrait.dialects.base import Dialect
from firesteel.substrait.dialects.datafusion import DATAFUSION, DATAFUSION_OLD
from firesteel.substrait.dialects.duckdb import DUCKDB
from firesteel.substrait.dialects.others import OTHERS, SPEC, UNKNOWN, UNNAMED
from firesteel.substrait.message import Message

#: The dialects of producers. Of several that cover a plan the first counts.
PRODUCERS: tuple[Dialect, ...] = (DATAFUSION, DATAFUSION_OLD, DUCKDB, *OTHERS)
AUTO = "auto"
_BY_NAME: dict[str, Dialect] = {one.name: one for one in (SPEC, *reversed(PRODUCERS))}
#: What may be asked for.
DIALECTS = (AUTO, *sorted(_BY_NAME))

#: DataFusion refers to this extension, which it does not declare.
_NO_EXTENSION = 2**32 - 1


def dialect_of(plan: Message, wanted: str = AUTO) -> Dialect:
    """The dialect to read a plan in."""
    if wanted != AUTO:
        return named(wanted)
    version = plan.version
    producer: str = version.producer.lower()
    number = (version.major_number, version.minor_number)
    found = next((one for one in PRODUCERS if one.covers(producer, number)), None)
    if found is not None:
        return found
    if not producer and _is_datafusion(plan):
        return DATAFUSION
    return UNKNOWN if producer else UNNAMED


def named(name: str) -> Dialect:
    """The dialect of that name."""
    found = _BY_NAME.get(name.lower())
    if found is None:
        raise UnsupportedError(f"no dialect '{name}'", help=f"it is one of {', '.join(DIALECTS)}")
    return found


def _is_datafusion(plan: Message) -> bool:
    """Does every declaration refer to the extension that DataFusion writes for none?"""
    declared = [getattr(one, one.which("mapping_type") or "extension_function") for one in plan.extensions]
    return bool(declared) and all(one.extension_urn_reference == _NO_EXTENSION for one in declared)


def ensure_dialect(name: str) -> None:
    """UnsupportedError if there is no dialect of that name."""
    if name != AUTO:
        _ = named(name)
