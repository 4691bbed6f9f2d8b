"""JSON lines by their shape: learned or claimed (`known_shapes`), or given by the owner (`declared_lines`)."""
