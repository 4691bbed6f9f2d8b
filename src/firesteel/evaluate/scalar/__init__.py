"""What functions, operators and casts compute from values."""
