"""The rows of functions on text."""

from __future__ import annotations

from firesteel.functions.catalog import Function, fn
from firesteel.functions.properties import Fails

_TRIMMED = ("(text) -> string", "(text, text) -> string")
_OCTETS = ("(text) -> int", "(octets) -> int")
_PART = "(text, int) -> string~"
_PADDED = ("(text, int) -> string~", "(text, int, text) -> string~")
_PAD = "So many code points long: cut, or filled at the {} with spaces or the third."


def _text(
    name: str, signature: str | tuple[str, ...], doc: str, *, fails: Fails = Fails.WRONG_TYPES, **more: object
) -> Function:
    """A row of a function that fails only for arguments that are no text."""
    return fn(name, signature, doc, fails=fails, **more)  # type: ignore[arg-type]


TEXTS: tuple[Function, ...] = (
    _text("concat", "(text, text...) -> string", "One after the other.", partiql=("||", "concat")),
    _text(
        "char_length",
        "(text) -> int",
        "The number of code points.",
        partiql=("char_length", "character_length", "length"),
    ),
    _text("octet_length", _OCTETS, "The number of octets, of text in UTF-8.", partiql=("octet_length",)),
    _text("bit_length", _OCTETS, "The number of bits, of text in UTF-8.", partiql=("bit_length",)),
    _text("upper", "(text) -> string", "In upper case.", partiql=("upper",)),
    _text("lower", "(text) -> string", "In lower case.", partiql=("lower",)),
    _text("reverse", "(text) -> string", "The code points from the last to the first.", partiql=("reverse",)),
    _text("trim", _TRIMMED, "Without spaces, or those characters, at both ends.", partiql=("trim",)),
    _text("ltrim", _TRIMMED, "Without spaces, or those characters, at the start.", partiql=("ltrim",)),
    _text("rtrim", _TRIMMED, "Without spaces, or those characters, at the end.", partiql=("rtrim",)),
    _text(
        "substring",
        ("(text, int) -> string", "(text, int, int) -> string~"),
        "From a one-based position, of at most so many code points.",
        partiql=("substring", "substr"),
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
        partiql=("text_replace", "replace"),
    ),
    _text(
        "position", "(text, text) -> int", "One-based place of the first in the second, or 0.", partiql=("position",)
    ),
    _text(
        "like",
        ("(text, text) -> bool", "(text, text, text) -> bool~!"),
        "Does the text match the pattern of `%` and `_`? The third argument escapes.",
    ),
    _text(
        "ilike",
        ("(text, text) -> bool", "(text, text, text) -> bool~!"),
        "`like` of both in lower case.",
    ),
    _text("starts_with", "(text, text) -> bool", "Does it start with the second?", partiql=("starts_with",)),
    _text("ends_with", "(text, text) -> bool", "Does it end with the second?", partiql=("ends_with",)),
    _text("contains", "(text, text) -> bool", "Is the second in it?", partiql=("contains",)),
    _text("left", _PART, "The first code points, at most so many.", partiql=("left",), fails=Fails.FORGIVEN),
    _text("right", _PART, "The last code points, at most so many.", partiql=("right",), fails=Fails.FORGIVEN),
    _text("lpad", _PADDED, _PAD.format("start"), partiql=("lpad",), fails=Fails.MAYBE, dear=True),
    _text("rpad", _PADDED, _PAD.format("end"), partiql=("rpad",), fails=Fails.MAYBE, dear=True),
    _text("repeat", _PART, "So many times in a row.", partiql=("repeat",), fails=Fails.MAYBE, dear=True),
    _text(
        "split",
        "(text, text) -> texts",
        "The parts between the separators; the whole text if the separator is empty.",
        partiql=("split",),
    ),
)

_MATCHED = "(text, text) -> {0}!", "(text, text, text) -> {0}!"


def _regexp(name: str, signature: tuple[str, ...], doc: str, *names: str, **more: object) -> Function:
    """A row of a function of a regular expression. A pattern that is none is an error in both modes."""
    row = f"regexp_{name}"
    return fn(row, signature, doc, partiql=(row, *names), dear=True, **more)  # type: ignore[arg-type]


REGEXPS: tuple[Function, ...] = (  # the last argument has flags: `i` ignores case, `m` is for lines, `s` for any dot
    _regexp("like", tuple(one.format("bool") for one in _MATCHED), "Does the pattern match a part of the text?"),
    _regexp("count", tuple(one.format("int") for one in _MATCHED), "How often the pattern matches."),
    _regexp(
        "substr",
        ("(text, text) -> string!", "(text, text, int) -> string!"),
        "The first match, or a group of it; NULL if there is none.",
        "regexp_extract",
        absent="null",
    ),
    _regexp("extract_all", tuple(one.format("texts") for one in _MATCHED), "All matches."),
    _regexp(
        "replace",
        ("(text, text, text) -> string!", "(text, text, text, text) -> string!"),
        "With the third in the place of every match; `\\1` in it is the first group.",
    ),
    _regexp("split", tuple(one.format("texts") for one in _MATCHED), "The parts between the matches."),
)

TEXTS = (*TEXTS, *REGEXPS)
