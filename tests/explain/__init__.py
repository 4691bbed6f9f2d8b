"""What one sees of a plan."""
