"""Comparison keys: columns that Spark can sort, group and join by, equal just where PartiQL's values are."""
