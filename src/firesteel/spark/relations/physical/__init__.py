"""Physical relations.

exchanges       rows sent to other partitions, and captured
top_n           top-N: a sort and a fetch in one
expand          duplicates of rows
promises        what is promised of a table, and how it is verified
restoring       what is derived of a plan's partitions, made true for who takes a DataFrame or files
fields          columns for the fields that properties are about

Physical joins are in `relations/joins`, physical aggregates and windows in `relations/groups` and `relations/windows`.
"""
