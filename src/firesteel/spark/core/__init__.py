"""What compiling an expression needs: typed columns (`expr`), the row in scope, handlers, and the Python fallback."""
