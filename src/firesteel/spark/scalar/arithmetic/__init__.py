"""Operators and functions of numbers."""
