"""The colours of PartiQL, as a lexer of Pygments."""

from __future__ import annotations

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

from firesteel.functions import all_functions
from firesteel.partiql.parse.keywords import KEYWORDS

_SHELL = ("SHOW", "TABLES", "DESCRIBE", "DESC", "SUMMARIZE")
_FUNCTIONS = sorted({name for function in all_functions() for name in function.partiql if name.isidentifier()})


class PartiqlLexer(RegexLexer):  # type: ignore[misc]
    """PartiQL. The words are those of the parser and of the catalogue of functions."""

    name = "PartiQL"
    aliases = ["partiql"]
    filenames = ["*.partiql"]
    flags = 2 | 16  # re.IGNORECASE and re.DOTALL

    tokens = {
        "root": [
            (r"\A\s*\.(?!\d)[^\n]*", Name.Decorator),
            (r"\s+", Text),
            (r"--[^\n]*", Comment.Single),
            (r"/\*.*?(\*/|\Z)", Comment.Multiline),
            (r"'(?:[^']|'')*(?:'|\Z)", String.Single),
            (r'"(?:[^"]|"")*(?:"|\Z)', Name),
            (r"`[^`]*(?:`|\Z)", String.Backtick),
            (r"\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?", Number),
            (words(tuple(sorted({*KEYWORDS, *_SHELL})), prefix=r"(?<![.\w])", suffix=r"\b(?!\s*\()"), Keyword),
            (words(tuple(_FUNCTIONS), prefix=r"(?<![.\w])", suffix=r"\b(?=\s*\()"), Name.Function),
            (words(tuple(sorted(KEYWORDS)), prefix=r"(?<![.\w])", suffix=r"\b"), Keyword),
            (r"[^\W\d][\w$]*|\$[\w$]+", Name),
            (r"<<|>>|[()\[\]{},;]", Punctuation),
            (r".", Operator),
        ]
    }
