"""The classes of relations: the logical ones (`rel`), joins, windows, EXCLUDE, and the physical ones."""
