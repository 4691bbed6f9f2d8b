"""Names and strings as PartiQL writes them."""

from __future__ import annotations

import re

from firesteel.partiql.parse.keywords import KEYWORDS

_WORD = re.compile(r"(?:[^\W\d]|\$)[\w$]*")


def is_word(text: str) -> bool:
    """Can it stand without quotes behind a dot?"""
    return _WORD.fullmatch(text) is not None


def is_plain(text: str) -> bool:
    """Can it stand without quotes anywhere? Words of the language are quoted, also those that are not reserved."""
    return is_word(text) and text.upper() not in KEYWORDS


def quoted(text: str) -> str:
    """A name in double quotes."""
    return '"' + text.replace('"', '""') + '"'


def string(text: str) -> str:
    """A string in single quotes."""
    return "'" + text.replace("'", "''") + "'"


def name(text: str, is_quoted: bool) -> str:
    """A name as it was written, in quotes if it has to be."""
    return quoted(text) if is_quoted or not is_word(text) else text
