"""Substrait's functions: rows of the catalogue that are made from the standard's own extension files.

`declarations.py` reads the files, `shapes.py` their types and return programs. `matching.py` and `coercion.py` decide
whether arguments fit, `resolve.py` which function a call means. `options.py` lists the options that we honour and the
functions that we do not have. `rows.py` makes the rows, and `registry.py` takes functions that users register.
"""

from firesteel.functions.changes import changed, state
from firesteel.functions.substrait import by_name
from firesteel.functions.substrait.coercion import bare, loses
from firesteel.functions.substrait.declarations import (
    STANDARD,
    Declaration,
    Implementation,
    Parameter,
    all_declarations,
    stem,
)
from firesteel.functions.substrait.matching import Argument, Constant, EnumValue
from firesteel.functions.substrait.options import UNSUPPORTED, honoured, usual
from firesteel.functions.substrait.registry import (
    Registered,
    add,
    register,
    registered,
    unregister,
    written,
)
from firesteel.functions.substrait.resolve import Resolved, giving, resolve
from firesteel.functions.substrait.rows import EXPRESSIONS, NULLING, OWN, find

__all__ = [
    "changed",
    "state",
    "Argument",
    "Constant",
    "Declaration",
    "EXPRESSIONS",
    "EnumValue",
    "Implementation",
    "NULLING",
    "OWN",
    "Parameter",
    "Registered",
    "Resolved",
    "STANDARD",
    "UNSUPPORTED",
    "add",
    "by_name",
    "all_declarations",
    "bare",
    "find",
    "giving",
    "honoured",
    "loses",
    "register",
    "registered",
    "resolve",
    "stem",
    "unregister",
    "usual",
    "written",
]
