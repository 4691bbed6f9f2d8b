"""How a value sits in a column, and how it gets in and out: column types, VARIANT, Arrow, paths, errors.

Nothing here knows of plans: `column_types` says which column a static type has, `variants` what can be asked of a
VARIANT column, `failures` how an error of ours travels through Spark.
"""
