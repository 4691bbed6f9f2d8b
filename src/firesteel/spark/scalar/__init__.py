"""Functions, operators, casts and paths as column expressions: `functions` has the table of PartiQL's functions,
`substrait` that of Substrait's."""
