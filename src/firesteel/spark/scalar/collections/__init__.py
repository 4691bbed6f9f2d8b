"""Functions over a row's own collections, and aggregate functions."""
