"""Rules about types, literals and calls."""

from __future__ import annotations

from firesteel.rules.base import Rule, Severity

_WARNING, _NOTE = Severity.WARNING, Severity.NOTE


class TypeRule(Rule):
    """Types, and the columns of tables."""

    TYPE_PARAMETER = (
        "FS331",
        "the parameters of a type are in their range",
        "Type classes: length from 1, decimal precision 1 to 38 and scale up to it, digits of a second 0 to 12",
        "give the type parameters in that range",
    )
    NULLABILITY = (
        "FS332",
        "a type says whether it is nullable",
        "Type system: nullability is part of every type",
        "set NULLABILITY_REQUIRED or NULLABILITY_NULLABLE",
        _WARNING,
    )
    SCHEMA_STRUCT = (
        "FS333",
        "the struct of a schema is required: rows are not NULL",
        "Type system: named structs; relations have rows, not nullable structs",
        "set NULLABILITY_REQUIRED in the struct of the schema",
        _WARNING,
    )
    TABLE_TYPE = (
        "FS334",
        "a table has the columns that the plan declares for it",
        "Logical relations: Read, direct schema",
        "register the table that the plan means, or declare the columns that it has",
    )


class LiteralRule(Rule):
    """Values that are written in the plan."""

    INTEGER = "FS361", "an integer literal is in the range of its type", "Type classes: integers", "use a wider type"
    DECIMAL = (
        "FS362",
        "a decimal literal has 16 bytes, and no more digits than its precision",
        "Type classes: decimal; Literal.Decimal",
        "write 16 bytes, little-endian, and a precision that holds the digits",
    )
    TIME = (
        "FS363",
        "a time of day is within a day, and its precision 0 to 12",
        "Type classes: time and timestamp, precision",
        "write the units since midnight of that precision",
    )
    LENGTH = (
        "FS364",
        "a literal fits the length or the digits of its type",
        "Type classes: varchar, fixedchar, fixedbinary, uuid",
        "shorten the value, or declare a longer type",
    )
    NULL = (
        "FS365",
        "NULL is a value of nullable types only",
        "Type system: nullability; typed NULL literals",
        "make the type nullable",
    )
    EMPTY_COLLECTION = (
        "FS366",
        "an empty list or map is written with its type",
        "Literals: empty_list and empty_map",
        "use empty_list or empty_map",
    )
    ELEMENTS = (
        "FS367",
        "the elements of a list or map are of one type",
        "Type classes: list and map",
        "cast the elements to one type",
    )
    CALENDAR = (
        "FS368",
        "dates are of the years 1000 to 9999, intervals of at most 10,000 years or 3,650,000 days",
        "Type classes: ranges of date, timestamp, interval_year and interval_day",
        "other consumers may have no such value; store it in another type",
        _WARNING,
    )


class CallRule(Rule):
    """Calls of functions and of lambdas."""

    OUTPUT_NULLABILITY = (
        "FS340",
        "the output type of a call is nullable exactly if the function may give NULL",
        "Extensions: nullability handling, MIRROR and DECLARED_OUTPUT",
        "declare the nullability that follows from the arguments",
        _NOTE,
    )
    FUNCTION = (
        "FS341",
        "an extension has the functions that a plan calls",
        "Extensions: functions are declared in the extension's file",
        "name a function of the extension",
    )
    FUNCTION_KIND = (
        "FS342",
        "a scalar, aggregate or window function is called as one",
        "Scalar, aggregate and window functions",
        "call it where such a function is expected",
    )
    SIGNATURE = (
        "FS343",
        "a function takes the arguments that it is called with",
        "Extensions: function signatures and arguments",
        "cast the arguments to the types of a signature",
    )
    OUTPUT_TYPE = (
        "FS344",
        "the output type of a call is what the function gives",
        "Scalar functions: the output type is exactly as derived from the declaration",
        "declare the derived type, and cast the result",
    )
    NO_OUTPUT_TYPE = (
        "FS345",
        "a call declares its output type",
        "Scalar functions: properties of a call",
        "set output_type",
        _WARNING,
    )
    LAMBDA = (
        "FS346",
        "a lambda gets its arguments, and stands where a function takes one",
        "Lambda expressions",
        "give the lambda as many arguments, of the types, as it has parameters",
    )
    COMPARATOR = (
        "FS347",
        "a comparison function takes two values of the sort field and gives an integer",
        "Basics: Orderedness, custom function",
        "name a function of two values that gives -1, 0 or 1",
    )
    PARAMETER = (
        "FS348",
        "a parameter is bound to a value of its type",
        "Expressions: dynamic parameters",
        "bind a value of the parameter's type",
    )
    BARE_NAME = (
        "FS349",
        "a function is declared by its compound name",
        "Extensions: a name has the short types of the arguments behind it, as in add:i64_i64",
        "write the compound name",
        _WARNING,
    )
