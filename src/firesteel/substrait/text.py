"""Messages as protobuf's JSON, both ways: names in either case, enumerations by name or number, 64 bits as text.

Python's JSON reader recurses, so brackets are counted first; what it gives is then walked with a stack.
"""

from __future__ import annotations

import base64
import json
import math
import re
from typing import Any, NoReturn

from firesteel.errors import PlanError, UnsupportedError
from firesteel.stack import room
from firesteel.substrait.message import DEFAULTS, Message
from firesteel.substrait.schema import MessageField, schema
from firesteel.substrait.wire import MAX_BYTES, encode

#: JSON nests no deeper than this: Python's reader takes C stack for each level.
MAX_DEPTH = 4_000

#: Saved plans may begin with comments that say where they come from.
_COMMENTS = re.compile(r"\s*(?://[^\n]*\n\s*)+")
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]')
_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_RANGES = {
    "int32": (-(1 << 31), 1 << 31),
    "uint32": (0, 1 << 32),
    "int64": (-(1 << 63), 1 << 63),
    "uint64": (0, 1 << 64),
}
_ANY = "google.protobuf.Any"


def from_json(text: str, name: str = "Plan") -> Message:
    """The message of that name in the text."""
    if len(text) > MAX_BYTES:
        raise UnsupportedError(f"a plan of {len(text):,} characters; plans go to {MAX_BYTES:,}")
    text = _COMMENTS.sub("", text, count=1) if _COMMENTS.match(text) else text
    _bounded(text)
    try:
        with room(2 * MAX_DEPTH):
            value = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise PlanError(f"not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise UnsupportedError("the plan nests too deep for the stack that is left") from None
    return _message(value, Message(schema().messages[f"substrait.{name}"]))


def _bounded(text: str) -> None:
    """Raises an error for JSON that nests too deep. Text with few brackets needs no closer look."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        first = text[found.start()]
        if first in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise UnsupportedError(f"the plan's JSON nests more than {MAX_DEPTH:,} levels deep")
        elif first in "]}":
            depth -= 1


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise PlanError(f"'{twice}' is given twice in one JSON object")
    return made


def _message(value: Any, root: Message) -> Message:
    stack = [(value, root)]
    while stack:
        value, into = stack.pop()
        if not isinstance(value, dict):
            _wrong(into, f"{into.kind.short} is a JSON object, not {_shown(value)}")
        if into.kind.name == _ANY:
            _any(value, into)
            continue
        for key, given in value.items():
            field = into.kind.by_name.get(key) or into.kind.by_json.get(key)
            if field is None:
                raise PlanError(
                    f"{into.kind.short} has no field '{key}' in any version of Substrait that is known here",
                    where=into.where,
                )
            if given is None:
                continue
            if field.oneof and (other := into.which(field.oneof)) not in (None, field.name):
                _wrong(into, f"both '{other}' and '{field.name}' are set, of which there can be one")
            if field.repeated and not isinstance(given, list):
                _wrong(into, f"'{key}' is a JSON array, not {_shown(given)}")
            for one in given if field.repeated else [given]:
                _put(into, field, one, stack)
    return root


def _put(into: Message, field: MessageField, given: Any, stack: list[tuple[Any, Message]]) -> None:
    if field.kind == "message":
        inner = Message(schema().messages[field.of], into, into.step_to(field))
        into.put(field, inner)
        stack.append((given, inner))
        return
    value = _scalar(into, field, given)
    if field.repeated or field.oneof or value != DEFAULTS.get(field.kind, 0):
        into.put(field, value)


def _scalar(into: Message, field: MessageField, given: Any) -> Any:
    match field.kind, given:
        case "string", str():
            return given
        case "bytes", str():
            return _octets(into, field, given)
        case "bool", bool():
            return given
        case "double" | "float", str() if given in _SPECIAL:
            return _SPECIAL[given]
        case "double" | "float", int() | float() | str() if not isinstance(given, bool):
            return float(_number(into, field, given))
        case "enum", str():
            numbers = schema().enums[field.of].numbers
            if given not in numbers:
                _wrong(into, f"'{field.name}' cannot be '{given}': it is one of {', '.join(numbers)}")
            return numbers[given]
        case _, int() | float() | str() if field.kind in _RANGES or field.kind == "enum":
            return _integer(into, field, given)
    _wrong(into, f"'{field.name}' is a {field.kind}, not {_shown(given)}")


def _octets(into: Message, field: MessageField, given: str) -> bytes:
    text = given.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        _wrong(into, f"'{field.name}' is not base64")


def _number(into: Message, field: MessageField, given: Any) -> float | int:
    try:
        return float(given) if not isinstance(given, int) else given
    except ValueError:
        _wrong(into, f"'{field.name}' is a number, not {_shown(given)}")


def _integer(into: Message, field: MessageField, given: Any) -> int:
    low, high = _RANGES.get(field.kind, _RANGES["int32"])
    try:
        number = int(given)
    except (ValueError, OverflowError):
        _wrong(into, f"'{field.name}' is a whole number, not {_shown(given)}")
    if isinstance(given, bool) or number != (float(given) if isinstance(given, float) else number):
        _wrong(into, f"'{field.name}' is a whole number, not {_shown(given)}")
    if not low <= number < high:
        _wrong(into, f"{number} is out of the range of '{field.name}', {field.kind}")
    return number


def _any(value: dict[str, Any], into: Message) -> None:
    """A message of any type: one that the schema has, or its bytes as they are."""
    named = {"typeUrl": "type_url", "type_url": "type_url", "value": "value"}
    if "@type" not in value:
        for key, given in value.items():
            if key not in named:
                _wrong(into, f"'{key}' beside no '@type'")
            field = into.kind.by_name[named[key]]
            into.put(field, _scalar(into, field, given))
        return
    url = value["@type"]
    kind = schema().messages.get(str(url).rpartition("/")[2])
    if kind is None:
        raise UnsupportedError(f"a message of type '{url}' in JSON: its fields are not known", where=into.where)
    rest = {key: given for key, given in value.items() if key != "@type"}
    into.put(into.kind.by_name["type_url"], url)
    into.put(into.kind.by_name["value"], encode(_message(rest, Message(kind, into, "value"))))


def _wrong(into: Message, message: str) -> NoReturn:
    raise PlanError(message, where=into.where)


def _shown(value: Any) -> str:
    text = json.dumps(value) if not isinstance(value, dict | list) else type(value).__name__
    return text if len(text) <= 40 else text[:37] + "..."


# ---------------------------------------------------------------------------------------------------------------------
# Writing


def to_json(message: Message, indent: int | None = 2) -> str:
    """The message as JSON, with protobuf's names."""
    root: dict[str, Any] = {}
    stack: list[tuple[Message, dict[str, Any]]] = [(message, root)]
    while stack:
        node, into = stack.pop()
        for field, value in node:
            shown = [_json_value(field, one, stack) for one in (value if field.repeated else [value])]
            into[field.json_name] = shown if field.repeated else shown[0]
    with room(2 * MAX_DEPTH):
        return json.dumps(root, indent=indent, ensure_ascii=False)


def _json_value(field: MessageField, value: Any, stack: list[tuple[Message, dict[str, Any]]]) -> Any:
    match field.kind:
        case "message":
            made: dict[str, Any] = {}
            stack.append((value, made))
            return made
        case "bytes":
            octets = encode(value) if isinstance(value, Message) else value
            return base64.b64encode(octets).decode("ascii")
        case "enum":
            return schema().enums[field.of].names.get(value, value)
        case "int64" | "uint64":
            return str(value)
        case "double" | "float" if not math.isfinite(value):
            return next(name for name, special in _SPECIAL.items() if repr(special) == repr(value))
    return value
