"""Text to syntax tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from firesteel.errors import ParseError
from firesteel.partiql.ast import Statement
from firesteel.partiql.parse.cursor import MAX_NESTING, QueryError
from firesteel.partiql.parse.lexer import Tokens, tokenize
from firesteel.partiql.parse.statements import Statements
from firesteel.stack import room

T = TypeVar("T")

#: More frames than one level of nesting ever takes.
_FRAMES = 40
#: What else the parser calls.
_SPARE = 200


def parse(text: str, name: str = "<query>") -> Statement:
    """The one statement of a text; ParseError, with all that was found wrong in its `errors`."""
    return _parsed(text, name, Statements.one)


def parse_script(text: str, name: str = "<query>") -> tuple[Statement, ...]:
    """The statements of a text, between semicolons."""
    return _parsed(text, name, Statements.several)


def _parsed(text: str, name: str, read: Callable[[Statements], T]) -> T:
    try:
        tokens = tokenize(text, name)
        with room(min(len(tokens), MAX_NESTING) * _FRAMES + _SPARE):
            return _attempt(tokens, read)
    except RecursionError:
        problem = QueryError([ParseError("nested too deeply for the stack that is left")])
    except QueryError as error:
        problem = error
    except ParseError as error:
        problem = QueryError([error])
    # Without it the traceback would keep all frames of the parser.
    raise problem.with_traceback(None) from None


def _attempt(tokens: Tokens, read: Callable[[Statements], T]) -> T:
    parser = Statements(tokens)
    try:
        made = read(parser)
    except ParseError as error:
        parser.note(error)
    if parser.errors:
        raise QueryError(parser.errors)
    return made
