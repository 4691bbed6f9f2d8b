"""Read the types of function declarations: `decimal<P1,S1>`, `list<any1>`, `func<any1 -> any2>`, and return programs,
which compute integers and end in a type. Case does not matter; a `?` may stand before or after the parameters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from firesteel import types as t

#: The URN of the extension that declares Substrait's unsigned integers.
UNSIGNED = "extension:io.substrait:unsigned_integers"


@dataclass(frozen=True)
class Shape:
    """A type that may contain variables: `any1` stands for a type, `p` in `decimal<p,s>` for a number."""

    name: str
    nullable: bool = False
    parameters: tuple[Shape | int, ...] = ()

    @cached_property
    def variable(self) -> bool:
        """Is it a type variable? `any1` is the same type everywhere in a form, `any` need not be."""
        return re.fullmatch(r"any\d*", self.name) is not None

    def __str__(self) -> str:
        inner = ", ".join(str(one).upper() if self.name in SIZED else str(one) for one in self.parameters)
        if self.name == "func":
            *parameters, returns = self.parameters
            inner = f"{', '.join(map(str, parameters))} -> {returns}"
        return f"{self.name}{'?' if self.nullable else ''}{f'<{inner}>' if inner else ''}"


#: Types without parameters.
SIMPLE: dict[str, t.Type] = {
    "boolean": t.BOOL,
    "i8": t.INT8,
    "i16": t.INT16,
    "i32": t.INT32,
    "i64": t.INT64,
    "fp32": t.FLOAT32,
    "fp64": t.FLOAT64,
    "string": t.STRING,
    "binary": t.BLOB,
    "date": t.DATE,
    "interval_year": t.Interval("year_month"),
    "uuid": t.Uuid(),
    # Types that were removed from the messages; they always have microseconds.
    "timestamp": t.Timestamp(6),
    "timestamp_tz": t.Timestamp(6, zone=True),
    "time": t.Time(6),
}

#: Types with numeric parameters: how to build one, and how to get the numbers of a given type (None for other kinds).
SIZED: dict[str, tuple[Callable[..., t.Type], Callable[[t.Type], tuple[int, ...] | None]]] = {
    "decimal": (t.Decimal, lambda a: _numbers(isinstance(a, t.Decimal), a, "precision", "scale")),
    "varchar": (t.String, lambda a: _numbers(isinstance(a, t.String), a, "extent")),
    "fixedchar": (t.Char, lambda a: _numbers(isinstance(a, t.Char), a, "length")),
    "fixedbinary": (t.Byte, lambda a: _numbers(isinstance(a, t.Byte), a, "length")),
    "precision_time": (t.Time, lambda a: _numbers(isinstance(a, t.Time), a, "precision")),
    "precision_timestamp": (
        t.Timestamp,
        lambda a: _numbers(isinstance(a, t.Timestamp) and not a.zone, a, "precision"),
    ),
    "precision_timestamp_tz": (
        lambda digits: t.Timestamp(digits, zone=True),
        lambda a: _numbers(isinstance(a, t.Timestamp) and a.zone, a, "precision"),
    ),
    "interval_day": (
        lambda digits: t.Interval("day_time", digits),
        lambda a: _numbers(isinstance(a, t.Interval) and a.unit == "day_time", a, "precision"),
    ),
    "interval_compound": (
        lambda digits: t.Interval("compound", digits),
        lambda a: _numbers(isinstance(a, t.Interval) and a.unit == "compound", a, "precision"),
    ),
}


def _numbers(fits: bool, type_: t.Type, *names: str) -> tuple[int, ...] | None:
    if not fits:
        return None
    found = tuple(getattr(type_, name) for name in names)
    return None if None in found else found


def numbers(name: str, type_: t.Type) -> tuple[int, ...] | None:
    """The numeric parameters of the type; None if it is not of the kind `name`."""
    return SIZED[name][1](type_)


# ---------------------------------------------------------------------------------------------------------------------
# Reading

_TOKEN = re.compile(r"\s*(->|[<>=!]=|&&|\|\||u!\w+|\w+|[-+*/<>=?:(),!])")


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = [token.lower() for token in _TOKEN.findall(text)] + [""]
        self.at = 0

    @property
    def token(self) -> str:
        return self.tokens[self.at]

    def accept(self, token: str) -> bool:
        if self.token != token:
            return False
        self.at += 1
        return True

    def take(self, token: str) -> None:
        if not self.accept(token):
            raise ValueError(f"expected {token!r}, not {self.token!r}, in {self.text!r}")

    def word(self) -> str:
        found = self.token
        self.at += 1
        return found

    def shape(self) -> Shape:
        name = self.word()
        nullable = self.accept("?")
        parameters: tuple[Shape | int, ...] = ()
        if self.accept("<"):
            parameters = tuple(self._function() if name == "func" else self._parameters())
            self.take(">")
        return Shape(name, nullable or self.accept("?"), parameters)

    def _parameters(self) -> list[Shape | int]:
        found = [self._parameter()]
        while self.accept(","):
            found.append(self._parameter())
        return found

    def _parameter(self) -> Shape | int:
        return int(self.word()) if self.token.isdigit() else self.shape()

    def _function(self) -> list[Shape | int]:
        """The parameter types of a lambda, and its result type as the last item."""
        found = self._parameters() if not self.accept("(") else []
        if not found:
            found = self._parameters()
            self.take(")")
        self.take("->")
        return [*found, self.shape()]

    # Return programs: integer expressions, computed while they are read.

    def conditional(self, known: Mapping[str, int]) -> int:
        test = self._binary(known, 0)
        if not self.accept("?"):
            return test
        then = self.conditional(known)
        self.take(":")
        other = self.conditional(known)
        return then if test else other

    def _binary(self, known: Mapping[str, int], level: int) -> int:
        if level == len(_OPERATORS):
            return self._operand(known)
        left = self._binary(known, level + 1)
        while self.token in _OPERATORS[level]:
            operator = _OPERATORS[level][self.word()]
            left = operator(left, self._binary(known, level + 1))
        return left

    def _operand(self, known: Mapping[str, int]) -> int:
        word = self.word()
        if word == "(":
            value = self.conditional(known)
            self.take(")")
            return value
        if word == "-":
            return -self._operand(known)
        if word == "!":
            return int(not self._operand(known))
        if word.isdigit():
            return int(word)
        if not self.accept("("):
            return known[word]
        if word == "integer_parameter":  # the value of a literal argument, by its parameter's name
            found = known[_argument(self.word())]
            self.take(")")
            return found
        arguments = [self.conditional(known)]
        while self.accept(","):
            arguments.append(self.conditional(known))
        self.take(")")
        return _CALLS[word](arguments)


_OPERATORS: tuple[dict[str, Callable[[int, int], int]], ...] = (  # lowest precedence first
    {"||": lambda a, b: int(bool(a or b)), "or": lambda a, b: int(bool(a or b))},
    {"&&": lambda a, b: int(bool(a and b)), "and": lambda a, b: int(bool(a and b))},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {
        "<": lambda a, b: int(a < b),
        ">": lambda a, b: int(a > b),
        "<=": lambda a, b: int(a <= b),
        ">=": lambda a, b: int(a >= b),
    },
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": lambda a, b: a // b},
)
_CALLS: dict[str, Callable[[list[int]], int]] = {"min": min, "max": max, "abs": lambda given: abs(given[0])}


def _argument(name: str) -> str:
    """The name under which a program finds the value of an argument."""
    return f"argument {name.lower()}"


@cache
def shape(text: str) -> Shape:
    """A type, as it is written."""
    reader = _Reader(text)
    made = reader.shape()
    reader.take("")
    return made


def derive(program: str, known: Mapping[str, int], constants: Mapping[str, int]) -> tuple[Shape, dict[str, int]]:
    """Run a return program: the result is a type, and the numbers of its variables.

    `known` has the numbers from the argument types, `constants` the values of literal arguments, by parameter name.
    """
    numbers_ = {**known, **{_argument(name): value for name, value in constants.items()}}
    *steps, last = [line for line in program.splitlines() if line.strip()]
    for step in steps:
        name, _, expression = step.partition("=")
        reader = _Reader(expression)
        numbers_[name.strip().lower()] = reader.conditional(numbers_)
        reader.take("")
    return shape(last.strip()), numbers_
