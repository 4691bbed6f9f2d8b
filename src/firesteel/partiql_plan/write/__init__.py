"""From nodes to elements: documents and headers, types, and the nodes by their forms."""
