"""`firesteel doctor`: say whether this machine has what Firesteel needs."""

from __future__ import annotations

import click

from firesteel import doctor


@click.command("doctor")
def command() -> int:
    """Say whether this machine has what Firesteel needs."""
    return doctor.main([])
