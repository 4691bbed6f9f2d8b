"""Plans written as Substrait."""
