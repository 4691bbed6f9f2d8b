"""Tables as frames: Arrow, files that are registered or that a plan names, JSON lines, Ion."""
