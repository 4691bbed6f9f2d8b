"""Pages of plans, with their texts in every notation."""
