"""The functions and types that a plan declares, by anchor: found by URN, else by old URI, else by the bare name.

Producers differ in how they name an extension. A guess is a repair: it is noted once per extension, and `check` and
`run` report it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from firesteel.errors import FiresteelError
from firesteel.repair import Repair, RepairKind
from firesteel.rules import AnchorRule, PlanRule
from firesteel.source import Place
from firesteel.substrait.dialects.base import Dialect
from firesteel.substrait.message import Message

#: The prefix of the URNs of Substrait's own extensions.
STANDARD = "extension:io.substrait:"

#: The file name in an old URI: `https://…/extensions/functions_boolean.yaml`, `/functions_boolean.yaml`.
_FILE = re.compile(r"(?:^|/)(functions_\w+|unsigned_integers|extension_types)\.ya?ml$")


@dataclass(frozen=True)
class Declared:
    """A function or a type of an extension. Without a URN it is found by its name."""

    urn: str | None
    name: str
    #: The types of the arguments, shortened, as in `add:i64_i64`; None where the producer leaves them out.
    signature: str | None = None


@dataclass
class Extensions:
    """The declarations of a plan, by anchor."""

    functions: dict[int, Declared] = field(default_factory=dict)
    types: dict[int, Declared] = field(default_factory=dict)
    variations: dict[int, Declared] = field(default_factory=dict)
    aliases: dict[int, Message] = field(default_factory=dict)
    repairs: list[Repair] = field(default_factory=list)
    #: What is wrong with the declarations. The rest of the plan is judged without the wrong ones.
    problems: list[FiresteelError] = field(default_factory=list)
    #: How the plan is read.
    dialect: Dialect = field(default_factory=Dialect.standard)

    def function(self, anchor: int, where: Place) -> Declared:
        """The function of that anchor."""
        found = self.functions.get(anchor)
        if found is None:
            raise AnchorRule.FUNCTION_ANCHOR.broken(f"no function is declared with the anchor {anchor}", where=where)
        return found

    def type(self, anchor: int, where: Place) -> Declared:
        """The type of that anchor."""
        found = self.types.get(anchor)
        if found is None:
            raise AnchorRule.TYPE_ANCHOR.broken(f"no type is declared with the anchor {anchor}", where=where)
        return found

    def repair(self, kind: RepairKind, where: Place | None, **fields: object) -> None:
        """Note a repair. The same one in several places is noted once, at the first of them."""
        self.note(Repair.of(kind, where, **fields))

    def note(self, repair: Repair) -> None:
        if all((one.kind, one.fields) != (repair.kind, repair.fields) for one in self.repairs):
            self.repairs.append(repair)


def read_extensions(plan: Message, dialect: Dialect) -> Extensions:
    """The declarations of a plan, or of an extended expression, which is read in that dialect."""
    made = Extensions(dialect=dialect)
    urns = {one.extension_urn_anchor: one.urn for one in plan.extension_urns}
    uris = {one.extension_uri_anchor: one.uri for one in plan.extension_uris}
    tables = {
        "extension_function": (made.functions, "function_anchor"),
        "extension_type": (made.types, "type_anchor"),
        "extension_type_variation": (made.variations, "type_variation_anchor"),
    }
    for declaration in plan.extensions:
        kind = declaration.which("mapping_type")
        if kind is None:
            error = PlanRule.SAYS_NOTHING.broken("an extension that declares nothing", where=declaration.where)
            made.problems.append(error)
            continue
        one = getattr(declaration, kind)
        table, anchor_name = tables[kind]
        anchor = getattr(one, anchor_name)
        if anchor in table:
            made.problems.append(_twice(anchor, one))
            continue
        name, colon, signature = one.name.partition(":")
        if not name:
            made.problems.append(PlanRule.REQUIRED.broken("an extension without a name", where=one.where))
        table[anchor] = Declared(_urn(one, urns, uris, made), name, signature if colon else None)
    if plan.kind.short == "Plan":
        made.aliases.update((one.type_alias_anchor, one.type) for one in plan.type_aliases)
    made.problems += _declared_twice(plan)
    return made


#: The lists of a plan whose entries have anchors, beside its extensions.
ANCHORS = {
    "extension_urns": "extension_urn_anchor",
    "extension_uris": "extension_uri_anchor",
    "type_aliases": "type_alias_anchor",
    "named_lambdas": "lambda_anchor",
    "parameter_bindings": "parameter_anchor",
}


def _declared_twice(plan: Message) -> Iterator[FiresteelError]:
    """Anchors that stand for two different things."""
    for name, anchor in ANCHORS.items():
        known: dict[int, Message] = {}
        for one in getattr(plan, name) if name in plan.kind.by_name else ():
            if known.setdefault(getattr(one, anchor), one) != one:
                yield _twice(getattr(one, anchor), one)


def anchored_twice(commons: Sequence[Message]) -> Iterator[FiresteelError]:
    """Relations that have the anchor of another one, by the `common` of each."""
    known: set[int] = set()
    for one in commons:
        if one.has("rel_anchor"):
            if one.rel_anchor in known:
                yield _twice(one.rel_anchor, one)
            known.add(one.rel_anchor)


def _twice(anchor: int, where: Message) -> FiresteelError:
    return AnchorRule.TWICE.broken(f"the anchor {anchor} is declared twice", where=where.where)


def _urn(one: Message, urns: dict[int, str], uris: dict[int, str], made: Extensions) -> str | None:
    """The URN of the extension that a declaration refers to, or None."""
    if one.extension_urn_reference in urns:
        return urns[one.extension_urn_reference]
    uri = uris.get(one.extension_uri_reference)
    if uri is not None:
        if uri.startswith("extension:"):
            return uri
        found = _FILE.search(uri)
        if found:
            made.repair(RepairKind.OLD_URI, one.where, uri=uri, urn=STANDARD + found[1])
            return STANDARD + found[1]
        made.repair(RepairKind.UNKNOWN_URI, one.where, uri=uri)
        return None
    made.repair(RepairKind.NO_URI, one.where)
    return None
