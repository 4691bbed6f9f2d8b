"""`firesteel completion`: the script that makes a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash: echo 'eval "$(firesteel completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(firesteel completion zsh)"' >> ~/.zshrc
    fish: firesteel completion fish > ~/.config/fish/completions/firesteel.fish
    """
    from firesteel.cli.registry import commands

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(commands, {}, "firesteel", "_FIRESTEEL_COMPLETE").source())
