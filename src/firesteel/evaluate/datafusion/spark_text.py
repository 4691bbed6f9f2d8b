"""Functions of text of Spark SQL that DataFusion has under Spark's names: formats, addresses, sounds."""

from __future__ import annotations

import math
import re
import urllib.parse
from collections.abc import Callable
from decimal import Decimal

from firesteel import plan as p
from firesteel import types as t
from firesteel.errors import EvaluationError
from firesteel.evaluate.datafusion.fit import plain, whole
from firesteel.evaluate.datafusion.maps import map_of
from firesteel.evaluate.scalar.text import within
from firesteel.evaluate.substrait.integers import Factory
from firesteel.evaluate.substrait.numbers import bits
from firesteel.values import Struct, Value


def _char(code: Value) -> str:
    number = whole(code)
    return "" if number < 0 else chr(number % 256)


def _elt(place: Value, *texts: str | None) -> str | None:
    return texts[whole(place) - 1] if place is not None and 1 <= place <= len(texts) else None


# ---------------------------------------------------------------------------------------------------------------------
# Java's formats

_ITEM = re.compile(r"%(?:(\d+)\$)?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])")


def _format_string(fn: p.Fn, types: tuple[t.Type, ...]) -> Callable[..., str | None]:
    sizes = [_bits(one) for one in types[1:]]

    def apply(format_: str | None, *args: Value) -> str | None:
        if format_ is None:
            return None
        following = iter(range(len(args)))

        def item(found: re.Match[str]) -> str:
            place, flags, width, digits, what = found.groups()
            if what in "n%":
                return "\n" if what == "n" else "%"
            at = int(place) - 1 if place else next(following, len(args))
            if at >= len(args):
                raise EvaluationError(f"format_string: no argument for '{found[0]}'")
            within(int(width or 0))
            return _item(args[at], what, flags, int(width or 0), None if digits is None else int(digits), sizes[at])

        return _ITEM.sub(item, format_)

    return apply


def _bits(type_: t.Type) -> int:
    return bits(t.proper(type_))[0] if isinstance(t.proper(type_), t.Integer) else 64


def _item(value: Value, what: str, flags: str, width: int, digits: int | None, size: int) -> str:
    kind = what.lower()
    if kind == "b":
        text = "true" if value is True or (value is not None and not isinstance(value, bool)) else "false"
    elif value is None or kind == "s":
        text = ("null" if value is None else _shown(value))[:digits]
    elif kind == "c":
        text = value if isinstance(value, str) else chr(whole(value))
    else:
        return _cased(_number(value, kind, flags, width, digits, size), what)
    return _cased(text.ljust(width) if "-" in flags else text.rjust(width), what)


def _cased(text: str, what: str) -> str:
    return text.upper() if what.isupper() else text


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(value)
    if not isinstance(value, str | int):
        raise EvaluationError("format_string: %s of a value that is no text, number or boolean")
    return str(value)


def _number(value: Value, kind: str, flags: str, width: int, digits: int | None, size: int) -> str:
    if kind in "xo" and isinstance(value, int):
        unsigned = value & ((1 << size) - 1)
        start = {"x": "0x", "o": "0"}[kind] if "#" in flags else ""
        return _filled("", start + format(unsigned, kind), flags, width)
    if kind == "d" and isinstance(value, int | Decimal):
        body = format(abs(int(value)), "," if "," in flags else "d")
    elif kind in "efg" and isinstance(value, float | Decimal):
        places = 6 if digits is None else digits
        body = _shown(abs(value)) if not math.isfinite(value) else _real(abs(float(value)), kind, flags, places)
    else:
        raise EvaluationError(f"format_string: '%{kind}' of such a value")
    negative = value < 0 or (isinstance(value, float) and math.copysign(1, value) < 0)
    if negative and "(" in flags:
        return _filled("", f"({body})", flags, width)
    return _filled("-" if negative else "+" if "+" in flags else " " if " " in flags else "", body, flags, width)


def _real(value: float, kind: str, flags: str, places: int) -> str:
    if kind == "g":
        raise EvaluationError("format_string: '%g' is not known here")
    return format(value, f"{',' if ',' in flags and kind == 'f' else ''}.{places}{kind}")


def _filled(sign: str, body: str, flags: str, width: int) -> str:
    if "-" in flags:
        return (sign + body).ljust(width)
    return sign + body.rjust(width - len(sign), "0") if "0" in flags else (sign + body).rjust(width)


# ---------------------------------------------------------------------------------------------------------------------
# Addresses

_PORTS = {"http": 80, "https": 443, "ftp": 21, "ws": 80, "wss": 443}


def _parse_url(text: str | None, part: str | None, wanted: str | None = "") -> str | None:
    if text is None or part is None or wanted is None:
        return None
    try:
        found = urllib.parse.urlsplit(text)
        port = found.port
    except ValueError:
        return None
    if not found.scheme:
        return None
    user = found.netloc.rpartition("@")[0]
    host = found.hostname or None
    if wanted:
        pairs = (one.partition("=") for one in found.query.split("&"))
        return next((value for name, _, value in pairs if name == wanted), None) if part == "QUERY" else None
    shown = f":{port}" if port is not None and port != _PORTS.get(found.scheme) else ""
    parts = {
        "HOST": host,
        "PATH": found.path,
        "QUERY": found.query or None,
        "REF": found.fragment or None,
        "PROTOCOL": found.scheme,
        "FILE": found.path + (f"?{found.query}" if found.query else ""),
        "AUTHORITY": None if host is None else f"{user + '@' if user else ''}{host}{shown}",
        "USERINFO": user or None,
    }
    return parts.get(part)


def _str_to_map(text: str, between: str = ",", within_: str = ":") -> Struct | None:
    pairs = [one.partition(within_) for one in text.split(between)] if between else [text.partition(within_)]
    return map_of([name for name, _, _ in pairs], [value if mark else None for _, mark, value in pairs])


# ---------------------------------------------------------------------------------------------------------------------
# Sounds

_SOUNDS = {
    letter: code
    for code, letters in {"1": "BFPV", "2": "CGJKQSXZ", "3": "DT", "4": "L", "5": "MN", "6": "R"}.items()
    for letter in letters
}


def _soundex(text: str) -> str:
    """A letter and three digits. Letters of one sound count once, also with an H or a W between them."""
    if not text or not ("A" <= text[0].upper() <= "Z"):
        return text
    made, last = text[0].upper(), _SOUNDS.get(text[0].upper(), "")
    for symbol in text[1:].upper():
        code = _SOUNDS.get(symbol, "")
        if code and code != last:
            made += code
        if symbol not in "HW":
            last = code
    return made[:4].ljust(4, "0")


SCALARS: dict[str, Factory] = {
    "char": plain(_char),
    "elt": plain(_elt),
    "format_string": _format_string,
    "parse_url": plain(_parse_url),
    "try_parse_url": plain(_parse_url),
    "str_to_map": plain(_str_to_map),
    "soundex": plain(_soundex),
    "make_valid_utf8": plain(lambda value: value if isinstance(value, str) else bytes(value).decode(errors="replace")),
}
