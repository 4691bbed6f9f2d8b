"""A message that was read: plain values by field name; every message knows its place in the plan.

It is used like a protobuf message (`rel.filter.condition`; an unset field is empty), but has no nesting limit: nothing
here recurses.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from firesteel.source import Place
from firesteel.substrait.schema import MessageField, MessageType, holding, schema
from firesteel.substrait.trail import trail

#: What a field is when it is not set, by its kind.
DEFAULTS: dict[str, Any] = {"string": "", "bytes": b"", "bool": False, "double": 0.0, "float": 0.0}


class Message:
    """A message: its fields that are set, and its place in the plan."""

    __slots__ = ("kind", "given", "parent", "step", "__dict__")

    def __init__(self, kind: MessageType, parent: Message | None = None, step: str = "") -> None:
        self.kind = kind
        #: The fields that are set are the attributes of the message, which are found without asking `__getattr__`.
        self.given: dict[str, Any] = self.__dict__
        self.parent = parent
        self.step = step

    def __getattr__(self, name: str) -> Any:
        """The value of a field that is not set: the empty value of its kind."""
        field = self.kind.by_name.get(name)
        if field is None:
            raise AttributeError(f"{self.kind.name} has no field '{name}'")
        if field.repeated:
            return []
        if field.kind == "message":
            return Message(schema().messages[field.of], self, name)
        return DEFAULTS.get(field.kind, 0)

    def has(self, name: str) -> bool:
        """Is the field set? A number, text or boolean outside of a oneof is not when it is zero or empty."""
        return name in self.given

    def which(self, oneof: str) -> str | None:
        """The name of the field of a oneof that is set."""
        fields = self.kind.by_name
        for name in self.given:
            if fields[name].oneof == oneof:
                return name
        return None

    def label(self, name: str) -> str:
        """The name of an enumeration's value."""
        number = getattr(self, name)
        return schema().enums[self.kind.by_name[name].of].names.get(number, str(number))

    def put(self, field: MessageField, value: Any) -> None:
        """Set a field as a reader comes to it: the last of a oneof counts, a repeated one grows."""
        given = self.given
        if field.repeated:
            given.setdefault(field.name, []).append(value)
            return
        if field.oneof and given:
            for name in [name for name in given if self.kind.by_name[name].oneof == field.oneof]:
                del given[name]
        given[field.name] = value

    def step_to(self, field: MessageField) -> str:
        """The step from here to the value that a field gets next."""
        return f"{field.name}[{len(self.given.get(field.name, ()))}]" if field.repeated else field.name

    @property
    def path(self) -> tuple[str, ...]:
        """The steps from the plan to here."""
        steps: list[str] = []
        at: Message | None = self
        while at is not None and at.parent is not None:
            steps.append(at.step)
            at = at.parent
        return tuple(reversed(steps))

    @property
    def where(self) -> Place:
        """The place for error messages. The path is computed when it is asked for; most never are."""
        return _There(self)

    def where_in(self, step: str) -> Place:
        """The place of a part of the message that is no message."""
        return _There(self, step)

    def __iter__(self) -> Iterator[tuple[MessageField, Any]]:
        """The fields that are set, in the order of their numbers, as protobuf writes them."""
        named = self.kind.by_name
        for name in sorted(self.given, key=lambda name: named[name].number):
            yield named[name], self.given[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Message):
            return NotImplemented
        stack = [(self, other)]
        while stack:
            left, right = stack.pop()
            if left.kind is not right.kind or left.given.keys() != right.given.keys():
                return False
            for field, value in left:
                mine, theirs = ([v] if not field.repeated else v for v in (value, right.given[field.name]))
                if len(mine) != len(theirs):
                    return False
                if field.kind == "message":
                    stack.extend(zip(mine, theirs, strict=True))
                elif mine != theirs and repr(mine) != repr(theirs):  # NaN is itself here
                    return False
        return True

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{self.kind.name} at {'/'.join(self.path) or '/'}: {', '.join(self.given)}>"


class _There(Place):
    """The place of a message."""

    def __init__(self, message: Message, step: str = "") -> None:
        self.__dict__["message"] = message
        self.__dict__["step"] = step

    @property
    def path(self) -> tuple[str, ...]:
        message: Message = self.__dict__["message"]
        step: str = self.__dict__["step"]
        return (*message.path, step) if step else message.path

    @property
    def trail(self) -> str:
        return trail(self.__dict__["message"], self.__dict__["step"])

    def __eq__(self, other: object) -> bool:
        return self.path == other.path and other.span is None if isinstance(other, Place) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.path, None))

    def __reduce__(self) -> tuple[type[Place], tuple[tuple[str, ...]]]:
        return Place, (self.path,)


def walk(root: Message, within: Container[str] | None = None) -> Iterator[Message]:
    """A message and all that are in it, or only those of some types, in the order that they were given in."""
    stack = [root]
    while stack:
        message = stack.pop()
        yield message
        fields = message.kind.by_name
        inner: list[Message] = []
        for name, value in message.given.items():
            field = fields[name]
            if field.kind != "message" or (within is not None and field.of not in within):
                continue
            if field.repeated:
                inner += value
            else:
                inner.append(value)
        inner.reverse()
        stack += inner


def of_kinds(root: Message, *kinds: str) -> dict[str, list[Message]]:
    """The messages of each of these kinds, in one walk past whatever can hold none of them."""
    found: dict[str, list[Message]] = {kind: [] for kind in kinds}
    holders = holding(*kinds)
    for message in walk(root, holders):
        if message.kind.short in found:
            found[message.kind.short].append(message)
    return found


def new(name: str) -> Message:
    """An empty message by its name in the package `substrait`."""
    return Message(schema().messages[f"substrait.{name}"])


def message(name: str, /, **parts: Any) -> Message:
    """A message with these fields. None, an empty list and the default of a scalar outside of a oneof are left out; an
    enumeration's value may be its name."""
    made = Message(schema().messages[name if name.startswith("firesteel.") else f"substrait.{name}"])
    for key, value in parts.items():
        field = made.kind.by_name[key]
        if field.kind == "enum" and isinstance(value, str):
            value = schema().enums[field.of].numbers[value]
        if value is None or (field.repeated and not value):
            continue
        if field.repeated or field.oneof or field.kind == "message" or value != DEFAULTS.get(field.kind, 0):
            made.given[key] = value
    return made
