"""Text to syntax tree."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from firesteel.errors import ParseError
from firesteel.partiql.ast import Statement
from firesteel.partiql.cursor import MAX_NESTING, QueryError
from firesteel.partiql.lexer import Tokens, tokenize
from firesteel.partiql.statements import Statements

T = TypeVar("T")

#: More frames than one level of nesting ever takes.
_FRAMES = 40


def parse(text: str, name: str = "<query>") -> Statement:
    """The one statement of a text; ParseError, with all that was found wrong in its `errors`."""
    return _parsed(text, name, Statements.one)


def parse_script(text: str, name: str = "<query>") -> tuple[Statement, ...]:
    """The statements of a text, between semicolons."""
    return _parsed(text, name, Statements.several)


def _parsed(text: str, name: str, read: Callable[[Statements], T]) -> T:
    try:
        tokens = tokenize(text, name)
        try:
            return _attempt(tokens, read)
        except RecursionError:
            # Deep, or called from deep inside: once more, with as many frames as the bound on nesting can need.
            with _deep_stack():
                return _attempt(tokens, read)
    except RecursionError:
        problem = QueryError([ParseError("nested too deeply for the stack that is left")])
    except QueryError as error:
        problem = error
    except ParseError as error:
        problem = QueryError([error])
    # The traceback would hold, and show, all the frames of the parser.
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


_lock = threading.Lock()
_deep = 0
_limit = 0


@contextmanager
def _deep_stack() -> Iterator[None]:
    """A higher recursion limit. It is one for all threads, so the last one that needs it takes it back."""
    global _deep, _limit
    with _lock:
        if _deep == 0:
            _limit = sys.getrecursionlimit()
            sys.setrecursionlimit(_limit + MAX_NESTING * _FRAMES)
        _deep += 1
    try:
        yield
    finally:
        with _lock:
            _deep -= 1
            if _deep == 0:
                sys.setrecursionlimit(_limit)
