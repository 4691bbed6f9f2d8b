"""Joins, by what there is to join.

frames          two frames: Spark's own joins
strategies      which of Spark's joins a plan asks for, as hints
python_pairs    two frames, by a condition that runs in Python over pairs of rows
lateral         a frame, and a right side that is computed from each of its rows
items           two collections of one row
sides           what they share: places of conditions, the order of joined rows, messages
"""
