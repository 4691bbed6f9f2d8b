"""A query as one SQL text: columns and frames that record what is done with them, and print it."""
