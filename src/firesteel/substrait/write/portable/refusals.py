"""What a consumer has not, found in the plan that was written for it."""

from __future__ import annotations

from firesteel.errors import UnsupportedError
from firesteel.substrait.message import Message, of_kinds
from firesteel.substrait.write.targets import Target

#: Messages, with the field that says which one it is. Without such a field the consumer may lack the message.
_FIELDS = {"SetRel": "op", "JoinRel": "type", "AggregateFunction": "invocation", "CrossRel": "", "WindowFunction": ""}


def ensure_known(plan: Message, target: Target) -> None:
    """Refuse a plan with something that the target's reader has not, or takes for something else."""
    if not target.refuses:
        return
    for kind, messages in of_kinds(plan, *_FIELDS).items():
        for one in messages:
            name = one.label(_FIELDS[kind]) if _FIELDS[kind] else kind
            if name in target.refuses:
                raise UnsupportedError(
                    f"'{name}' in a plan for '{target.name}', whose reader does not have it", where=one.where
                )
