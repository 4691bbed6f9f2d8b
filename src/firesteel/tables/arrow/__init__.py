"""Arrow: its types, its tables as rows, values as its arrays and tables."""
