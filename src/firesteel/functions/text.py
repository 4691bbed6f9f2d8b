"""The rows of functions on text."""

from __future__ import annotations

from firesteel.functions.catalog import Function, fn

_TRIMMED = ("(text) -> string", "(text, text) -> string")
_OCTETS = ("(text) -> int", "(octets) -> int")

TEXTS: tuple[Function, ...] = (
    fn("concat", "(text, text) -> string", "One after the other.", partiql=("||",)),
    fn("char_length", "(text) -> int", "The number of code points.", partiql=("char_length", "character_length")),
    fn("octet_length", _OCTETS, "The number of octets, of text in UTF-8.", partiql=("octet_length",)),
    fn("bit_length", _OCTETS, "The number of bits, of text in UTF-8.", partiql=("bit_length",)),
    fn("upper", "(text) -> string", "In upper case.", partiql=("upper",)),
    fn("lower", "(text) -> string", "In lower case.", partiql=("lower",)),
    fn("trim", _TRIMMED, "Without spaces, or those characters, at both ends.", partiql=("trim",)),
    fn("ltrim", _TRIMMED, "Without spaces, or those characters, at the start."),
    fn("rtrim", _TRIMMED, "Without spaces, or those characters, at the end."),
    fn(
        "substring",
        ("(text, int) -> string", "(text, int, int) -> string~"),
        "From a one-based position, of at most so many code points.",
        partiql=("substring",),
    ),
    fn(
        "overlay",
        ("(text, text, int) -> string~", "(text, text, int, int) -> string~"),
        "With the second from a one-based position, in the place of so many code points, or of as many as it has.",
        partiql=("overlay",),
    ),
    fn(
        "text_replace",
        "(text, text, text) -> string",
        "With the third wherever the second was.",
        partiql=("text_replace",),
    ),
    fn("position", "(text, text) -> int", "One-based place of the first in the second, or 0.", partiql=("position",)),
    fn(
        "like",
        ("(text, text) -> bool", "(text, text, text) -> bool~"),
        "Does the text match the pattern of `%` and `_`? The third argument escapes.",
    ),
)
