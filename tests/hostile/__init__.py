"""Inputs that somebody damaged, or made to break things."""
