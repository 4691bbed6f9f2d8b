"""Dialects: what producers mean by their own function names, shapes and omissions, as tables.

Lowering knows the specification, and asks the plan's dialect where producers differ from it. `base.py` says what a
dialect is, each producer has a module, and `choose.py` finds the dialect of a plan. `docs/dialects.md` is made from
these tables.
"""
