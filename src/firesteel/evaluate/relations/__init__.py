"""Relations: their rows, from the bottom up; joins, groups and their aggregates, windows."""
