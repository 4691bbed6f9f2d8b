"""What a call chooses of its function: which options we honour, and which functions we do not have."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.errors import UnsupportedError
from firesteel.functions.substrait.declarations import Implementation

#: Functions that no engine of ours computes, and why.
UNSUPPORTED: dict[str, str] = {
    f"geometry:{name}": "there is no type for geometries, and Spark computes with none"
    for name in (
        *("point", "make_line", "x_coordinate", "y_coordinate", "num_points", "is_empty", "is_closed", "is_simple"),
        *("is_ring", "geometry_type", "envelope", "dimension", "is_valid", "collection_extract", "flip_coordinates"),
        *("remove_repeated_points", "buffer", "centroid", "minimum_bounding_circle"),
    )
}

#: Options that the specification's cases use and its declarations do not list; the values that we honour.
UNDECLARED: dict[str, frozenset[str]] = {
    "lookaround": frozenset(["TRUE"]),
    "full_unicode": frozenset(["TRUE"]),
    "spaces_only": frozenset(["FALSE"]),
    "on_domain_error": frozenset(["NONE"]),
    "on_division_by_zero": frozenset(["NAN"]),
    "distribution": frozenset(["SAMPLE", "POPULATION"]),
}

#: Rounding is a choice where it is what a function is for; the arithmetic of floats rounds as IEEE 754 has it.
_ROUNDING = frozenset(["rounding:round", "rounding_decimal:round"])


#: What a call does where it does not say: the first of what is declared, except that an overflow is an error (to be
#: silent would be to give a wrong number), that text with NULL is NULL and halves are rounded up, as in SQL, which is
#: where the calls come from, and that the logarithm of zero is what IEEE 754 has.
_USUAL = {
    "overflow": "ERROR",
    "null_handling": "ACCEPT_NULLS",
    "on_log_zero": "MINUS_INFINITY",
}


def usual(name: str, option: str, values: Sequence[str]) -> str:
    """What a call does that does not choose."""
    if name in _ROUNDING and option == "rounding":
        return "TIE_AWAY_FROM_ZERO"
    return _USUAL.get(option, values[0])


def honoured(name: str, option: str, values: Sequence[str]) -> list[str]:
    """Of what may be chosen, what we do."""
    return [value for value in values if _honoured(name, option, value)]


def choose(name: str, form: Implementation, given: Sequence[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """For every option that a call gives, the first of its preferences that we honour."""
    made: dict[str, str] = {}
    declared = dict(form.options)
    for option, preferences in given:
        option = option.lower()
        wanted = [one.upper() for one in preferences]
        known = {*declared.get(option, ()), *UNDECLARED.get(option, ())}
        found = next((one for one in wanted if one in known and _honoured(name, option, one)), None)
        if found is None:
            values = " or ".join(f"'{one}'" for one in wanted) or "nothing"
            raise UnsupportedError(
                f"'{name}' with the option '{option}' being {values}", help=_help(name, declared, option)
            )
        made[option] = found
    return made


def _honoured(name: str, option: str, value: str) -> bool:
    return option != "rounding" or name in _ROUNDING or value == "TIE_TO_EVEN" or name == "arithmetic:median"


def _help(name: str, declared: dict[str, tuple[str, ...]], option: str) -> str | None:
    possible = [one for one in declared.get(option, ()) if _honoured(name, option, one)]
    if possible:
        return f"it may be {', '.join(possible)}"
    return f"its options are {', '.join(declared)}" if declared else "it has no options"
