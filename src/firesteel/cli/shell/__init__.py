"""The shell: statements and dot-commands, typed at a terminal or fed by a pipe.

settings.py      what `.set` changes: the format, the width, the timer
dot_commands.py  `.tables`, `.load` and the others, in one table
statements.py    DESCRIBE, SHOW TABLES and SUMMARIZE, and all of PartiQL
shell.py         what is shared: the session, where answers go, what has failed
completion.py    what may stand at the cursor
highlight.py     the colours of PartiQL
terminal.py      the prompt; the only module that imports prompt_toolkit
"""

from __future__ import annotations

import sys

import firesteel as fs
from firesteel.cli.render.progress import ProgressLine


def run(
    session: fs.Session,
    *,
    format: str | None = None,
    max_rows: int = 100,
    mode: str = "permissive",
    pipeline: str = "quiet",
    quiet: bool = False,
    line: ProgressLine | None = None,
) -> int:
    """Open the shell on standard input until it ends; the exit code. Fed by a pipe, it is 1 if a statement failed."""
    from firesteel.cli.shell.settings import Settings
    from firesteel.cli.shell.shell import Shell

    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    settings = Settings(
        format=format or ("box" if interactive else "table"),
        max_rows=max_rows,
        strict=mode == "strict",
        pipeline=pipeline,
    )
    shell = Shell(session, settings, interactive=interactive, quiet=quiet, line=line)
    with shell:
        if not interactive:
            shell.read(sys.stdin)
            return 1 if shell.failures else 0
        from firesteel.cli.shell.terminal import converse

        converse(shell)
        return 0


__all__ = ["run"]
