"""Types and moments as a query writes them."""
