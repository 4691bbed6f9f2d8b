"""PartiQL: text to tokens, to a syntax tree, to a plan.

ast/      the syntax tree
parse/    the lexer and the parser: text to a syntax tree
lower/    names are resolved, and the syntax tree becomes a plan
write/    the way back: a plan becomes a syntax tree, and that a text
"""

from firesteel.partiql import ast
from firesteel.partiql.ast import Explain, Statement
from firesteel.partiql.lower import ensure_static, lower
from firesteel.partiql.parse.cursor import MAX_NESTING, QueryError
from firesteel.partiql.parse.lexer import Token, Tokens, tokenize
from firesteel.partiql.parse.parser import parse, parse_script
from firesteel.partiql.write import print_syntax, write

__all__ = [
    "Explain",
    "Statement",
    "ensure_static",
    "lower",
    "parse",
    "parse_script",
    "print_syntax",
    "write",
    "tokenize",
    "ast",
    "Token",
    "Tokens",
    "QueryError",
    "MAX_NESTING",
]
