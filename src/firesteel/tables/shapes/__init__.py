"""Files without a schema: what is at each path, learned from all lines, or claimed from a sample and proven."""
