"""Answers by a schema: how a schema is written (`ddl`), values made to fit it (`fit`), and one found for values
(`infer`)."""
