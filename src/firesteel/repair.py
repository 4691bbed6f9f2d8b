"""Repairs: what a plan says differently from the specification, and how it was read instead.

Each kind of repair has a code, a text with named fields, the reason, and its effect on the answer. `check`, `run` and
`r.repairs` report them. `docs/repairs.md` lists them all; `make docs` writes that page from `RepairKind`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firesteel.source import Place


class Effect(Enum):
    """What a repair does to the answer."""

    #: The plan can only mean this.
    NONE = "harmless"
    #: Something that the plan says is not done: digits, a range, a form.
    LOSS = "loss"
    #: The plan can be read in another way too, and nothing in it says which one is meant.
    DOUBT = "doubt"


class RepairKind(Enum):
    """The kinds of repairs: code, text, reason, effect. Codes are stable: they are never given to another kind."""

    # Where functions and types come from
    OLD_URI = (
        "FS801",
        "the old URI '{uri}' stands for the URN '{urn}'",
        "plans named extensions by URI before there were URNs",
    )
    UNKNOWN_URI = (
        "FS802",
        "the URI '{uri}' names no extension: functions go by their names",
        "DuckDB writes a folder's",
    )
    NO_URI = ("FS803", "functions without a URN or a URI go by their names", "DataFusion declares no extension")
    ALIAS = ("FS804", "{name} is taken for '{function}'", "producers have names of their own for standard functions")
    VARIATION = (
        "FS805",
        "variation {variation} of the type '{type}' is read as the type itself",
        "it is another form of the values",
    )
    UNKNOWN_VARIATION = (
        "FS806",
        "variation {variation} of the type '{type}', which the plan does not declare, is read as the type itself",
        "it may be another form of the values, or mean other ones",
        Effect.DOUBT,
    )
    UNSIGNED = (
        "FS807",
        "an unsigned integer of {bits} bits, as variation 1 of '{type}', is read as {read_as}",
        "DataFusion writes unsigned integers so; the wider type holds them all, and does not wrap around",
    )
    DICTIONARY = (
        "FS808",
        "a dictionary, as variation 1 of 'map', is read as its values, {type}",
        "DataFusion writes dictionaries so",
    )
    UNTYPED_NULL = ("FS809", "a NULL without a type is of any type", "producers leave the type out")
    TYPE_NAME = (
        "FS810",
        "the type '{name}', of no extension, is read as {type}",
        "DataFusion names types so that Substrait does not have",
    )
    # Calls
    ARGUMENTS = (
        "FS821",
        "arguments of '{function}' are cast to the types that it takes: {form}",
        "producers leave casts out that they imply",
    )
    ARGUMENTS_LOSS = (
        "FS822",
        "arguments of '{function}' are cast to the types that it takes, and may lose digits: {form}",
        "producers leave casts out that they imply",
        Effect.LOSS,
    )
    ORIGIN = ("FS823", "'extract' counts from one where it is not said", "there was no argument for it once")
    OVERLOAD = (
        "FS824",
        "'{function}' is declared to give {declared}, which it does as {form}",
        "the declared type is what the plan means by the call",
    )
    DIGITS = (
        "FS825",
        "'{function}' gives {given} and is declared to give {declared}: it has the declared digits",
        "the declared type is what the plan means by the call",
    )
    OUTPUT = (
        "FS826",
        "'{function}' gives {given}, and not {declared}",
        "every declared value is one of the given type too",
    )
    OUTPUT_LOSS = (
        "FS827",
        "'{function}' gives {given}, and not {declared}",
        "no form of the function gives what the plan declares",
        Effect.LOSS,
    )
    UNDECLARED_MEAN = (
        "FS828",
        "'{function}' of decimals, without a declared type, gives {given}: four digits more",
        "DataFusion means that, and says it not",
    )
    COMMA = ("FS829", "'string_agg' without a separator takes a comma", "DuckDB's does")
    ESCAPE = (
        "FS830",
        "'like' takes no third argument: it is taken for the character that escapes",
        "DataFusion and DuckDB write it",
    )
    NOT_LIKE = ("FS831", "'not_equal' of a text and a pattern is NOT LIKE", "DuckDB writes NOT LIKE so")
    OWN_FUNCTION = (
        "FS832",
        "'{name}' is {dialect}'s own function",
        "the producer has functions that the standard does not have, or that mean something else there",
    )
    REWRITTEN = (
        "FS833",
        "'{name}' is read as another expression: {why}",
        "the producer writes it as a function",
    )
    CASE_BASE = (
        "FS834",
        "the first clause of an 'if_then', which has no result, is what the others are compared with",
        "DataFusion writes CASE with a base expression so",
    )
    # Relations
    REPLACING = (
        "FS841",
        "a project relation without 'common' gives its expressions only",
        "DuckDB and DataFusion mean that",
    )
    EVERY_PAIR = ("FS842", "a join without an expression joins every pair of rows", "DataFusion writes cross joins so")
    NO_SET_INDEX = (
        "FS843",
        "an aggregate of several grouping sets without a column for their index",
        "what is above counts columns so",
    )
    GROUPING_MASK = (
        "FS844",
        "an aggregate of several grouping sets gives its distinct keys, a mask of those left out, and its measures",
        "DataFusion repeats the keys for every set, and counts columns so",
    )
    GROUPING_DOUBT = (
        "FS845",
        "an aggregate of several grouping sets lists keys twice: it gives a column for each, as the specification has "
        "it, though the producer may count every key once, and have a mask of keys before the measures",
        "nothing above tells how the producer counts the columns",
        Effect.DOUBT,
    )
    TABLE_PATH = (
        "FS846",
        "'{path}' is the table '{table}'",
        "a catalog's and a schema's name stand before the table's",
    )
    UNTYPED_SCHEMA = (
        "FS847",
        "a table's schema without types: they are those of the registered table",
        "DataFusion once wrote only names",
    )
    NO_SCHEMA = (
        "FS848",
        "a virtual table without a schema: its first row says what the types are",
        "DuckDB writes such tables",
    )
    TEXT_COLUMN = (
        "FS849",
        "a column of a text file is text: '{column}' is cast to {declared}",
        "text files have no other columns",
    )
    WRITE_BY_PLACE = (
        "FS850",
        "a write without its table's schema: columns go by their positions",
        "the schema is left out",
    )

    EQUAL_KEYS = (
        "FS851",
        "an aggregate lists a key twice, and has one column for it",
        "what is above counts columns so",
    )

    def __init__(self, code: str, text: str, why: str, effect: Effect = Effect.NONE) -> None:
        self.code = code
        self.text = text
        self.why = why
        self.effect = effect


@dataclass(frozen=True)
class Repair:
    """One repair of a plan: its kind, where in the plan, and the fields of its text, each by its name."""

    kind: RepairKind
    where: Place | None = None
    fields: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, kind: RepairKind, where: Place | None = None, **fields: object) -> Repair:
        """A repair with these fields: `Repair.of(RepairKind.OLD_URI, where, uri=uri, urn=urn)`."""
        return cls(kind, where, tuple((name, str(value)) for name, value in fields.items()))

    @property
    def code(self) -> str:
        """The code of its kind, such as `FS801`."""
        return self.kind.code

    @property
    def name(self) -> str:
        """The name of its kind, such as `old_uri`."""
        return self.kind.name.lower()

    @property
    def message(self) -> str:
        """What was wrong and how it was read, for people."""
        return self.kind.text.format(**dict(self.fields))

    @property
    def why(self) -> str:
        """Why the plan is read like this."""
        return self.kind.why

    @property
    def effect(self) -> Effect:
        """What it does to the answer."""
        return self.kind.effect
