"""The settings of the command line that come from the environment."""

from __future__ import annotations

import os

import click

from firesteel.tables.sizes import SMALL_INPUT

BOUND = "FIRESTEEL_SMALL_INPUT"


def small_input() -> int:
    """The bound of `--engine auto`, in bytes."""
    given = os.environ.get(BOUND)
    if given is None:
        return SMALL_INPUT
    if not given.isdecimal():
        raise click.UsageError(f"{BOUND} is a number of bytes, not {given!r}")
    return int(given)


__all__ = ["BOUND", "small_input"]
