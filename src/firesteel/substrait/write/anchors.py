"""The functions and types that a plan declares while it is written, each with its anchor."""

from __future__ import annotations

from firesteel.substrait.extensions import STANDARD
from firesteel.substrait.message import Message, message
from firesteel.substrait.write.targets import Target

#: Where the files of Substrait's own extensions used to be named by.
_OLD_URIS = "https://github.com/substrait-io/substrait/blob/main/extensions/"


class Anchors:
    """Anchors of functions and types, by the URN of their extension and their name."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._urns: dict[str, int] = {}
        self._functions: dict[tuple[str, str], int] = {}
        self._types: dict[tuple[str, str], int] = {}

    def function(self, urn: str, name: str, signature: str) -> int:
        """The anchor of a function, by its compound name (`add:i64_i64`), or by its bare one for some targets."""
        compound = f"{name}:{signature}" if self.target.compound_names else self.target.function_names.get(name, name)
        return self._functions.setdefault((urn, compound), len(self._functions) + 1)

    def type(self, urn: str, name: str) -> int:
        """The anchor of a type."""
        return self._types.setdefault((urn, name), len(self._types) + 1)

    def _urn(self, urn: str) -> int:
        return self._urns.setdefault(urn, len(self._urns) + 1)

    def put(self, plan: Message) -> None:
        """Declare all of them in a plan, or in an extended expression."""
        found: list[Message] = []
        for table, kind, anchor_name in (
            (self._functions, "extension_function", "function_anchor"),
            (self._types, "extension_type", "type_anchor"),
        ):
            short = "".join(word.capitalize() for word in kind.split("_"))
            for (urn, name), anchor in table.items():
                reference = self._urn(urn)
                parts = {anchor_name: anchor, "name": name, "extension_urn_reference": reference}
                if self.target.old_uris:
                    parts["extension_uri_reference"] = reference
                one = message(f"extensions.SimpleExtensionDeclaration.{short}", **parts)
                found.append(message("extensions.SimpleExtensionDeclaration", **{kind: one}))
        if self._urns:
            plan.given["extension_urns"] = [
                message("extensions.SimpleExtensionURN", extension_urn_anchor=anchor, urn=urn)
                for urn, anchor in self._urns.items()
            ]
        if self._urns and self.target.old_uris:
            plan.given["extension_uris"] = [
                message("extensions.SimpleExtensionURI", extension_uri_anchor=anchor, uri=_uri(urn))
                for urn, anchor in self._urns.items()
            ]
        if found:
            plan.given["extensions"] = found


def _uri(urn: str) -> str:
    """The old URI of an extension: the place of its file."""
    return f"{_OLD_URIS}{urn.removeprefix(STANDARD)}.yaml" if urn.startswith(STANDARD) else urn
