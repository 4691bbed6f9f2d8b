"""Relations as frames, expressions as columns: one handler for each class of nodes, and `compile`, which runs them."""
