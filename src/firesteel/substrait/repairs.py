"""What plans say otherwise than the specification has it, and how it is read: one table of all repairs.

Each sort of repair has its words, the reason why the plan is read so, and what that does to the answer. Whoever makes
one names its sort and fills in the words; `check`, `run` and `r.repairs` tell of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firesteel.source import Place


class Effect(Enum):
    """What a repair does to the answer."""

    #: The plan means this, and nothing else.
    NONE = "harmless"
    #: Something that the plan says is not done: digits, a range, a form.
    LOSS = "loss"
    #: The plan can be read in another way too, and nothing tells which is meant.
    DOUBT = "doubt"


@dataclass(frozen=True)
class Sort:
    """A sort of repair: what is said of it, and why a plan is read so."""

    words: str
    why: str
    effect: Effect = Effect.NONE


REPAIRS: dict[str, Sort] = {
    # Where functions and types come from
    "old_uri": Sort("the old URI '{}' stands for the URN '{}'", "plans named extensions by URI before there were URNs"),
    "unknown_uri": Sort("the URI '{}' names no extension: functions go by their names", "DuckDB writes a folder's"),
    "no_uri": Sort("functions without a URN or a URI go by their names", "DataFusion declares no extension"),
    "alias": Sort("{} is taken for '{}'", "producers have names of their own for standard functions"),
    "variation": Sort("variation {} of the type '{}' is read as the type itself", "it is another form of the values"),
    "unknown_variation": Sort(
        "variation {} of the type '{}', which the plan does not declare, is read as the type itself",
        "it may be another form of the values, or mean other ones",
        Effect.DOUBT,
    ),
    "unsigned": Sort(
        "an unsigned integer of {} bits, as variation 1 of '{}', is read as {}",
        "DataFusion writes unsigned integers so; the wider type holds them all, and does not wrap around",
    ),
    "dictionary": Sort(
        "a dictionary, as variation 1 of 'map', is read as its values, {}", "DataFusion writes dictionaries so"
    ),
    "untyped_null": Sort("a NULL without a type is of any type", "producers leave the type out"),
    # Calls
    "arguments": Sort(
        "arguments of '{}' are cast to the types that it takes: {}", "producers leave casts out that they imply"
    ),
    "arguments_loss": Sort(
        "arguments of '{}' are cast to the types that it takes, and may lose digits: {}",
        "producers leave casts out that they imply",
        Effect.LOSS,
    ),
    "origin": Sort("'extract' counts from one where it is not said", "there was no argument for it once"),
    "overload": Sort(
        "'{}' is declared to give {}, which it does as {}", "the declared type is what the plan means by the call"
    ),
    "digits": Sort(
        "'{}' gives {} and is declared to give {}: it has the declared digits",
        "the declared type is what the plan means by the call",
    ),
    "output": Sort("'{}' gives {}, and not {}", "every declared value is one of the given type too"),
    "output_loss": Sort(
        "'{}' gives {}, and not {}", "no form of the function gives what the plan declares", Effect.LOSS
    ),
    "undeclared_mean": Sort(
        "'{}' of decimals, without a declared type, gives {}: four digits more",
        "DataFusion means that, and says it not",
    ),
    "comma": Sort("'string_agg' without a separator takes a comma", "DuckDB's does"),
    "escape": Sort(
        "'like' takes no third argument: it is taken for the character that escapes", "DataFusion and DuckDB write it"
    ),
    "not_like": Sort("'not_equal' of a text and a pattern is NOT LIKE", "DuckDB writes NOT LIKE so"),
    # Relations
    "replacing": Sort(
        "a project relation without 'common' gives its expressions only", "DuckDB and DataFusion mean that"
    ),
    "every_pair": Sort("a join without an expression joins every pair of rows", "DataFusion writes cross joins so"),
    "no_set_index": Sort(
        "an aggregate of several grouping sets without a column for their index", "what is above counts columns so"
    ),
    "grouping_mask": Sort(
        "an aggregate of several grouping sets gives its distinct keys, a mask of those left out, and its measures",
        "DataFusion repeats the keys for every set, and counts columns so",
    ),
    "grouping_doubt": Sort(
        "an aggregate of several grouping sets lists keys twice: it gives a column for each, as the specification has "
        "it, though the producer may count every key once, and have a mask of keys before the measures",
        "nothing above tells how the producer counts the columns",
        Effect.DOUBT,
    ),
    "table_path": Sort("'{}' is the table '{}'", "a catalog's and a schema's name stand before the table's"),
    "untyped_schema": Sort(
        "a table's schema without types: they are those of the registered table", "DataFusion once wrote only names"
    ),
    "no_schema": Sort(
        "a virtual table without a schema: its first row says what the types are", "DuckDB writes such tables"
    ),
    "text_column": Sort("a column of a text file is text: '{}' is cast to {}", "text files have no other columns"),
    "write_by_place": Sort(
        "a write without its table's schema: columns go by their positions", "the schema is left out"
    ),
}


@dataclass(frozen=True)
class Repair:
    """Something that a plan says wrongly, or not at all, and how it was read."""

    message: str
    where: Place | None = None
    sort: str = ""

    @property
    def why(self) -> str:
        """Why the plan is read so."""
        return REPAIRS[self.sort].why

    @property
    def effect(self) -> Effect:
        """What it does to the answer."""
        return REPAIRS[self.sort].effect


def repair(sort: str, where: Place | None, *parts: object) -> Repair:
    """A repair of that sort, with its words filled in."""
    return Repair(REPAIRS[sort].words.format(*parts), where, sort)
