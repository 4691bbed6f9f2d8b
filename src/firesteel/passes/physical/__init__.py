"""Passes about order and partitions: those that every plan needs (`broadcast_joins`, `ensure_orders`), and those that
leave out work that changes nothing."""
