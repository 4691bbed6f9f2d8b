"""Dates, times and intervals: as numbers, their parts, their texts, and what is computed with them."""
