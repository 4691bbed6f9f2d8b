"""Exact numbers: decimals of any scale, floats beside decimals, sums and quotients without a static type."""
