"""The command line.

`entry` runs a command and decides the exit code. `registry` has the table of commands; each command is a module of
`commands/`, imported when it is called. `options` declares the options that commands share, `sessions` opens a
session as they say, `inputs` finds the query and the files among the arguments, `answers` prints answers, `failure`
says what an error was. `shell/` is the interactive shell, `render/` has the formats of answers.
"""

from __future__ import annotations

import gc
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code."""
    # Modules, plans and rows are many objects and little garbage: Python looks for some every 700 objects by default.
    gc.set_threshold(100_000, 20, 20)
    from firesteel.cli.entry import main as run

    run(argv)


__all__ = ["main"]
