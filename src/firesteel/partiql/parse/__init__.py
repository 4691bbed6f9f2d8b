"""From text to the syntax tree.

lexer         tokens; `keywords` says which words there are
cursor ...    the parser in layers: types, literals, forms, expressions, graphs, sources, queries, statements
parser        `parse`, and how it copes with deep nesting
"""
