"""Text as tables: delimited text, the types of its cells, and plain lines."""
