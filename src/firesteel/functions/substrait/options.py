"""Options of calls: which values we honour and which are the defaults; and the functions that we do not have."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.errors import UnsupportedError
from firesteel.functions.substrait.declarations import Implementation

#: Functions that neither engine computes, with the reason.
UNSUPPORTED: dict[str, str] = {
    f"geometry:{name}": "there is no type for geometries, and Spark computes with none"
    for name in (
        *("point", "make_line", "x_coordinate", "y_coordinate", "num_points", "is_empty", "is_closed", "is_simple"),
        *("is_ring", "geometry_type", "envelope", "dimension", "is_valid", "collection_extract", "flip_coordinates"),
        *("remove_repeated_points", "buffer", "centroid", "minimum_bounding_circle"),
    )
}

#: Options that the specification's test cases use but its declarations do not list, with the values that we honour.
UNDECLARED: dict[str, frozenset[str]] = {
    "lookaround": frozenset(["TRUE"]),
    "full_unicode": frozenset(["TRUE"]),
    "spaces_only": frozenset(["FALSE"]),
    "on_domain_error": frozenset(["NONE"]),
    "on_division_by_zero": frozenset(["NAN"]),
    "distribution": frozenset(["SAMPLE", "POPULATION"]),
}

#: Functions whose option `rounding` we honour. Arithmetic of floats always rounds to nearest, as in IEEE 754.
_ROUNDING = frozenset(["rounding:round", "rounding_decimal:round"])


#: Default values where we do not take the first declared one: an overflow is an error (SILENT would give a wrong
#: number), concatenation with NULL is NULL, as in SQL, where most calls come from, and the logarithm of zero is that of
#: IEEE 754. `round` rounds halves away from zero, also as in SQL.
_USUAL = {
    "overflow": "ERROR",
    "null_handling": "ACCEPT_NULLS",
    "on_log_zero": "MINUS_INFINITY",
}


def usual(name: str, option: str, values: Sequence[str]) -> str:
    """The default value of an option."""
    if name in _ROUNDING and option == "rounding":
        return "TIE_AWAY_FROM_ZERO"
    return _USUAL.get(option, values[0])


def honoured(name: str, option: str, values: Sequence[str]) -> list[str]:
    """The values of an option that we honour."""
    return [value for value in values if _honoured(name, option, value)]


def choose(name: str, form: Implementation, given: Sequence[tuple[str, Sequence[str]]]) -> dict[str, str]:
    """For every option that a call sets, the first of its preferred values that we honour."""
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
