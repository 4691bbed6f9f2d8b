"""Passes of the phase optimize, one file each: same answer, less work. `joins` is the part of `push_filters` that
handles joins."""
