"""Static typing: a call that must fail by the types of its arguments is an error before anything runs."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel import functions
from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import AnalysisError
from firesteel.functions.catalog import FAMILIES, Signature
from firesteel.node import walk


def ensure_static(plan: p.Plan) -> None:
    """Raise an error for the first call that no values of its arguments' types can make."""
    for node in walk(plan.statement):
        if isinstance(node, p.Call | p.Agg | p.WindowCall):
            _call(node)


def _call(node: p.Call | p.Agg | p.WindowCall) -> None:
    row = functions.find(node.fn.name)
    if row is None:
        return
    types = [arg if isinstance(arg, t.Type) else arg.type for arg in node.args]
    forms = [form for form in row.signatures if form.takes(len(types))]
    # Comparisons also have a signature for any types, which only fails at run time: it is skipped here.
    precise = [form for form in forms if not (form.partial and set(form.params) == {"any"})]
    if not any(_fits(form, types) for form in precise or forms):
        said = ", ".join(map(str, types))
        help_ = "it is " + " or ".join(f"{row.name}{form}" for form in row.signatures)
        raise AnalysisError(f"'{row.name}' does not take ({said})", where=node.where, help=help_)


def _fits(form: Signature, types: Sequence[t.Type]) -> bool:
    return all(_may(form.param(i), type_) for i, type_ in enumerate(types))


def _may(family: str, type_: t.Type) -> bool:
    """May a value of the type be of the family? NULL and MISSING are of all."""
    if family in ("any", "type") or type_.absent or isinstance(type_, t.Any | t.Unresolved):
        return True
    return any(isinstance(member, FAMILIES[family]) for member in t.members(type_))
