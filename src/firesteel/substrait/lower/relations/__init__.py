"""Relations: reads, joins, aggregates, windows, and the others (`logical`)."""
