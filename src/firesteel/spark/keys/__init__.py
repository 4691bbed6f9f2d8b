"""Comparison keys: columns that Spark can sort, group and join by, equal exactly where PartiQL's values are equal."""
