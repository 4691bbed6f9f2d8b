"""Expressions: `calls` has functions, casts and constructors; arguments, references and subqueries are beside it."""
