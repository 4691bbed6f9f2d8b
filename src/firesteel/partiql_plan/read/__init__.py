"""From elements to nodes: documents and headers, their sections, types and labels, and the forms that are accepted."""
