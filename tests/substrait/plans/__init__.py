"""Substrait plans written by hand, each with the rows that it gives.

`kinds.py` writes types and literals, `build.py` expressions, `relations.py` relations and whole plans; `cases.py` says
what a case is, and has the tables that plans read. The rows were thought out from the specification, one plan at a
time: what an engine gives is compared with them, and never the other way round.
"""
