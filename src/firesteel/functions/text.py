"""The rows of functions on text."""

from __future__ import annotations

from firesteel.functions.catalog import Function, fn
from firesteel.functions.properties import Fails

_TRIMMED = ("(text) -> string", "(text, text) -> string")
_OCTETS = ("(text) -> int", "(octets) -> int")


def _text(
    name: str, signature: str | tuple[str, ...], doc: str, *, fails: Fails = Fails.WRONG_TYPES, **more: object
) -> Function:
    """A row of a function that fails only for arguments that are no text."""
    return fn(name, signature, doc, fails=fails, **more)  # type: ignore[arg-type]


TEXTS: tuple[Function, ...] = (
    _text("concat", "(text, text) -> string", "One after the other.", partiql=("||",)),
    _text("char_length", "(text) -> int", "The number of code points.", partiql=("char_length", "character_length")),
    _text("octet_length", _OCTETS, "The number of octets, of text in UTF-8.", partiql=("octet_length",)),
    _text("bit_length", _OCTETS, "The number of bits, of text in UTF-8.", partiql=("bit_length",)),
    _text("upper", "(text) -> string", "In upper case.", partiql=("upper",)),
    _text("lower", "(text) -> string", "In lower case.", partiql=("lower",)),
    _text("reverse", "(text) -> string", "The code points from the last to the first.", partiql=("reverse",)),
    _text("trim", _TRIMMED, "Without spaces, or those characters, at both ends.", partiql=("trim",)),
    _text("ltrim", _TRIMMED, "Without spaces, or those characters, at the start."),
    _text("rtrim", _TRIMMED, "Without spaces, or those characters, at the end."),
    _text(
        "substring",
        ("(text, int) -> string", "(text, int, int) -> string~"),
        "From a one-based position, of at most so many code points.",
        partiql=("substring",),
    ),
    _text(
        "overlay",
        ("(text, text, int) -> string~", "(text, text, int, int) -> string~"),
        "With the second from a one-based position, in the place of so many code points, or of as many as it has.",
        partiql=("overlay",),
        fails=Fails.FORGIVEN,
    ),
    _text(
        "text_replace",
        "(text, text, text) -> string",
        "With the third wherever the second was.",
        partiql=("text_replace",),
    ),
    _text(
        "position", "(text, text) -> int", "One-based place of the first in the second, or 0.", partiql=("position",)
    ),
    _text(
        "like",
        ("(text, text) -> bool", "(text, text, text) -> bool~!"),
        "Does the text match the pattern of `%` and `_`? The third argument escapes.",
    ),
)
