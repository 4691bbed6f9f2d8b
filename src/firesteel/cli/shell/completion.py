"""What may stand at the cursor: keywords, functions, tables, names of rows, and paths that are found in the data."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence

import firesteel as fs
from firesteel.cli.shell.dot_commands import COMMANDS
from firesteel.cli.shell.settings import SETTINGS
from firesteel.errors import FiresteelError
from firesteel.functions import all_functions
from firesteel.partiql.parse.keywords import KEYWORDS, RESERVED
from firesteel.session.describe import Found

#: The word at the cursor, with the path before it: `o.customer.na`.
_PATH = re.compile(r'((?:[\w$]+|"[^"]*")(?:\[[^\]]*\])?\.)*([\w$]*|"[^"]*)\Z')
_STEP = re.compile(r'([\w$]+|"[^"]*")((?:\[[^\]]*\])*)\.')
#: A source of rows and its name: `orders AS o`, `o.items i`.
_SOURCE = re.compile(
    r'(?:\bFROM|\bJOIN|,)(?=\s+((?:[\w$]+|"[^"]*")(?:\.(?:[\w$]+|"[^"]*"))*)(?:\s+AS\s+|\s+)([\w$]+|"[^"]*"))',
    re.IGNORECASE,
)
_ALONE = re.compile(r'(?:\bFROM|\bJOIN)\s+((?:[\w$]+|"[^"]*")(?:\.(?:[\w$]+|"[^"]*"))*)', re.IGNORECASE)
_WANTS_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|DESCRIBE|DESC|SUMMARIZE)\s+\Z", re.IGNORECASE)
_STRINGS = re.compile(r"'(?:[^']|'')*'?|--[^\n]*|/\*.*?(?:\*/|\Z)|`[^`]*`?", re.DOTALL)

WORDS = (*sorted(KEYWORDS), "SHOW TABLES", "DESCRIBE", "SUMMARIZE")
FUNCTIONS = tuple(
    sorted(
        {name for one in all_functions() for name in one.partiql if name.isidentifier()} - set(map(str.lower, RESERVED))
    )
)


class Completion:
    """Completes texts over a session. What is in tables is looked up once, until a statement may have changed them."""

    def __init__(self, session: fs.Session) -> None:
        self._session = session
        self._found: dict[str, Found] = {}

    def complete(self, text: str, after: str = "") -> tuple[str, list[str]]:
        """The word before the cursor, and what may stand for it. `text` is all before the cursor, `after` all behind
        it: names of rows are often defined there."""
        if re.match(r"\s*\.(?!\d)", text):
            return _complete_command(text.lstrip(), self._session.tables())
        if _is_inside_string(text):
            return "", []
        plain = _STRINGS.sub(lambda found: " " * len(found[0]), text)
        found = _PATH.search(plain)
        word = found[2] if found else ""
        path = plain[found.start() : len(plain) - len(word)] if found else ""
        sources = self._sources(f"{plain} {_STRINGS.sub(' ', after)}")
        if path:
            return word, _matching(word, self._inside(path, sources), exact=True)
        if _WANTS_TABLE.search(plain[: len(plain) - len(word)]):
            return word, _matching(word, map(_named, self._session.tables()), exact=True)
        own = [*sources, *(name for found in sources.values() for name in found.attributes)]
        names = _matching(word, dict.fromkeys([*map(_named, own), *map(_named, self._session.tables())]), exact=True)
        return word, [*names, *_matching(word, WORDS), *(f"{name}(" for name in _matching(word, FUNCTIONS))]

    def _sources(self, text: str) -> dict[str, Found]:
        """The names of rows in a query, with what is found in the rows."""
        found: dict[str, Found] = {}
        pairs = [(path, alias) for path, alias in _SOURCE.findall(text) if alias.upper() not in KEYWORDS]
        pairs += [(path, path.rpartition(".")[2]) for path in _ALONE.findall(text)]
        for path, alias in pairs:
            name = alias.strip('"')
            if name not in found:
                below = self._rows_of(path, found)
                if below is not None:
                    found[name] = below
        return found

    def _rows_of(self, path: str, sources: dict[str, Found]) -> Found | None:
        """What is found in the rows of a table, or of the items at a path of another row."""
        steps = [step.strip('"') for step in path.split(".")]
        if steps[0] in sources:
            found = sources[steps[0]]
            for step in steps[1:]:
                found = found.attributes.get(step) or Found()
            return found.items or found
        return self._table(".".join(steps))

    def _table(self, name: str) -> Found | None:
        if name not in self._found:
            try:
                self._found[name] = self._session.paths(name)
            except (FiresteelError, OSError):
                return None
        return self._found[name]

    def forget(self) -> None:
        """Forget what was found: a statement may have changed the tables."""
        self._found.clear()

    def _inside(self, path: str, sources: dict[str, Found]) -> Iterator[str]:
        """The attributes behind a path, and the tables whose names begin with it."""
        tables = [name[len(path) :] for name in self._session.tables() if name.startswith(path)]
        yield from map(_named, tables)
        steps = _STEP.findall(path)
        found = Found(attributes=dict(sources))
        for name, index in steps:
            found = found.attributes.get(name.strip('"')) or Found()
            found = found.items or found if index else found
        yield from map(_named, found.attributes)


def _is_inside_string(text: str) -> bool:
    """Is the cursor inside of a string or a comment?"""
    last = next((found for found in _STRINGS.finditer(text) if found.end() == len(text)), None)
    if last is None:
        return False
    start = last[0][:2]
    if start in ("--", "/*"):
        return start == "--" or not last[0].endswith("*/")
    return len(last[0]) < 2 or last[0].count(last[0][0]) % 2 == 1


def _named(name: str) -> str:
    """A name as a query writes it: in quotes, if it is no word, or a word of the language."""
    parts = name.split(".")
    return ".".join(
        part if re.fullmatch(r"[^\W\d][\w$]*", part) and part.upper() not in KEYWORDS else f'"{part}"' for part in parts
    )


def _matching(word: str, names: Iterable[str], *, exact: bool = False) -> list[str]:
    """The names that begin with a word, in any case. Words of the language are written as the person does."""
    lower = word.lower()
    found = [name for name in names if name.lower().lstrip('"').startswith(lower.lstrip('"'))]
    if exact:
        return found
    if not word:
        return []
    return [name.lower() if word.islower() else name.upper() for name in found]


def _complete_command(text: str, tables: Sequence[str]) -> tuple[str, list[str]]:
    """A dot-command, or an argument of one."""
    words = text.split(" ")
    if len(words) == 1:
        return text, [f".{name}" for name in COMMANDS if f".{name}".startswith(text.lower())]
    command = COMMANDS.get(words[0][1:].lower())
    kinds = command.kinds if command is not None else []
    number = min(len(words) - 2, len(kinds) - 1)
    last = words[-1]
    if command is None or number < 0 or (len(words) - 1 > len(kinds) and not command.arguments.endswith("...")):
        return last, []
    offered = _offered(kinds[number], words, last, tables)
    return last, [one for one in offered if one.lower().startswith(last.lower())]


def _offered(kind: str, words: Sequence[str], last: str, tables: Sequence[str]) -> list[str]:
    match kind:
        case "TABLE":
            return list(tables)
        case "FILE":
            return _files(last)
        case "COMMAND":
            return list(COMMANDS)
        case "SETTING":
            return list(SETTINGS)
        case "VALUE" if words[1] in SETTINGS:
            return list(SETTINGS[words[1]].choices)
    return kind.split("|") if "|" in kind else []


def _files(start: str) -> list[str]:
    """The files and folders whose paths begin so."""
    folder, name = os.path.split(start)
    try:
        entries = sorted(os.scandir(os.path.expanduser(folder) or "."), key=lambda entry: entry.name)
    except OSError:
        return []
    return [
        os.path.join(folder, entry.name) + (os.sep if entry.is_dir() else "")
        for entry in entries
        if entry.name.startswith(name) and (name.startswith(".") or not entry.name.startswith("."))
    ]
