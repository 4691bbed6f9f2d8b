"""A plan in another form, and what is lost on the way.

PartiQL Plan and Substrait (without a target) keep a plan whole. The algebra and PartiQL text say what is computed and
not how: they have no words for hints, strategies and partitions. What a form has no words for is either dropped,
because the answer is the same without it, and listed; or the writer of the form refuses it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from firesteel import plan as p
from firesteel.errors import UnsupportedError
from firesteel.plan.lookup import FileLookup
from firesteel.repair import Effect, Repair
from firesteel.session.document import STRICT, Plan
from firesteel.session.losses import ensure_nothing, losses, without_how


@dataclass(frozen=True)
class Form:
    """A notation of plans."""

    name: str
    #: What the names of its files end with; the first is the usual one.
    suffixes: tuple[str, ...]
    write: Callable[[Plan, str | None], bytes]
    #: Does it keep the whole plan, or only what is computed?
    is_whole: bool = True
    #: Does it say in which mode the plan is?
    has_mode: bool = True
    #: Is it Substrait's, which is written for a target?
    has_target: bool = False


def _partiql(plan: Plan, _: str | None) -> bytes:
    mode = getattr(plan.node.statement, "mode", p.Mode.PERMISSIVE)
    return f"{STRICT if mode is p.Mode.STRICT else ''}{plan.to_partiql(lossy=True)}\n".encode()


FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        Form("partiql", (".partiql", ".sql"), _partiql, is_whole=False),
        Form(
            "algebra",
            (".algebra", ".sexp"),
            lambda plan, _: f"{plan.to_algebra()}\n".encode(),
            is_whole=False,
            has_mode=False,
        ),
        Form("ion", (".ion",), lambda plan, _: f"{plan.to_ion()}\n".encode()),
        Form("ion-binary", (".10n",), lambda plan, _: plan.to_ion(binary=True)),
        Form(
            "substrait",
            (".proto", ".pb", ".binpb", ".substrait"),
            lambda plan, target: plan.to_substrait(target),
            has_target=True,
        ),
        Form(
            "substrait-json",
            (".json",),
            lambda plan, target: f"{plan.to_substrait_json(target)}\n".encode(),
            has_target=True,
        ),
    )
}


@dataclass(frozen=True)
class Conversion:
    """A plan in another form, what was dropped from it, and what was repaired when it was read."""

    data: bytes
    dropped: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()


def form_of(name: str | Path) -> Form:
    """The form of a file, by its suffix."""
    suffix = Path(name).suffix.lower()
    found = next((form for form in FORMS.values() if suffix in form.suffixes), None)
    if found is None:
        known = ", ".join(form.suffixes[0] for form in FORMS.values())
        raise UnsupportedError(f"'{name}' does not say which form of a plan it is", help=f"its name ends with {known}")
    return found


def convert(
    plan: Plan, to: str, *, target: str | None = None, lossy: bool = False, catalog: FileLookup | None = None
) -> Conversion:
    """A plan in the form of that name (`FORMS`). UnsupportedError names what would be lost, unless it is `lossy`; what
    changes the answer is always refused. `target` is who reads a Substrait plan; a `catalog` says the types of tables
    that the plan does not say."""
    form = FORMS.get(to)
    if form is None:
        raise UnsupportedError(f"no form '{to}' of plans", help=f"the forms are {', '.join(FORMS)}")
    if target is not None and not form.has_target:
        raise UnsupportedError(f"a target is for Substrait plans, not for '{to}'")
    lowered = plan.lowered(catalog)
    node = lowered.plan
    dropped = [repair.message for repair in lowered.repairs if repair.effect is Effect.LOSS]
    if not form.is_whole:
        dropped += losses(node, has_mode=form.has_mode)
        node = without_how(node)
    if not lossy:
        ensure_nothing(dropped, to)
    return Conversion(form.write(Plan(node), target), tuple(dropped), lowered.repairs)


__all__ = ["FORMS", "Conversion", "Form", "convert", "form_of"]
