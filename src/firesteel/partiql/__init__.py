"""PartiQL: text to tokens to a syntax tree.

    lexer.py        tokens; `keywords.py` says which words there are
    ast/            the syntax tree
    cursor.py ...   the parser in layers: types, literals, forms, expressions, graphs, sources, queries, statements
    parser.py       `parse`, and how it copes with deep nesting

`lower/` makes plans of it.
"""

from firesteel.partiql import ast
from firesteel.partiql.ast import Explain, Statement
from firesteel.partiql.cursor import MAX_NESTING, QueryError
from firesteel.partiql.lexer import Token, Tokens, tokenize
from firesteel.partiql.lower import Catalog, ensure_static, lower
from firesteel.partiql.parser import parse, parse_script

__all__ = [
    "Explain",
    "Statement",
    "Catalog",
    "ensure_static",
    "lower",
    "parse",
    "parse_script",
    "tokenize",
    "ast",
    "Token",
    "Tokens",
    "QueryError",
    "MAX_NESTING",
]
