"""Passes of the phase optimize, one file each: same answer, less work. `joins` is what conditions make of joins."""
