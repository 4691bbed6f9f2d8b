"""The prompt at a terminal: history, several lines, colours, completion. Only this module imports prompt_toolkit."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer
from prompt_toolkit.completion import Completion as Candidate
from prompt_toolkit.document import Document
from prompt_toolkit.filters import completion_is_selected
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.styles import Style

import firesteel as fs
from firesteel.cli.failure import colours
from firesteel.cli.shell.completion import Completion
from firesteel.cli.shell.highlight import PartiqlLexer
from firesteel.cli.shell.shell import Shell

PROMPT, MORE = "firesteel> ", "       ..> "
#: Names a file for the history; empty: there is none.
HISTORY = "FIRESTEEL_HISTORY"

_STYLE = Style.from_dict(
    {
        "pygments.keyword": "ansiblue bold",
        "pygments.name.function": "ansicyan",
        "pygments.name.decorator": "ansimagenta",
        "pygments.literal.string": "ansigreen",
        "pygments.literal.number": "ansiyellow",
        "pygments.comment": "ansibrightblack",
    }
)


def converse(shell: Shell, **given: Any) -> None:
    """Ask for statements and run them until the person leaves. Ctrl-C drops what is typed, Ctrl-D leaves."""
    completion = Completion(shell.session)
    prompt: PromptSession[str] = PromptSession(
        PROMPT,
        multiline=True,
        prompt_continuation=lambda width, number, wrapped: "" if wrapped else MORE,
        key_bindings=_keys(shell),
        completer=_Completer(completion),
        complete_while_typing=False,
        lexer=PygmentsLexer(PartiqlLexer) if _coloured() else None,
        style=_STYLE if _coloured() else None,
        history=_history(),
        enable_open_in_editor=True,
        **given,
    )
    if not shell.quiet:
        shell.say(f"firesteel {fs.__version__}; .help lists the commands, Ctrl-D leaves")
    started = False
    while not shell.done:
        try:
            text = prompt.prompt()
            shell.feed(text)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        completion.forget()
        if not started:
            shell.session.start_spark()
        started = True


def _coloured() -> bool:
    import sys

    return colours(sys.stdout)


def _keys(shell: Shell) -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter", filter=~completion_is_selected)
    def _(event: KeyPressEvent) -> None:
        """Run what is whole; else begin another line."""
        buffer = event.current_buffer
        if shell.is_whole(buffer.text) and not buffer.document.text_after_cursor.strip():
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    @keys.add("enter", filter=completion_is_selected)
    def _(event: KeyPressEvent) -> None:
        """Take the completion that is selected."""
        event.current_buffer.complete_state = None

    return keys


def _history() -> History:
    """What was typed before, in a file that only its owner can read; in memory if there can be none."""
    default = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "firesteel" / "history"
    path = Path(os.environ.get(HISTORY, default))
    if os.environ.get(HISTORY) == "":
        return InMemoryHistory()
    with suppress(OSError, RuntimeError):
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600))
        return FileHistory(path)
    return InMemoryHistory()


class _Completer(Completer):
    """Our completion for prompt_toolkit."""

    def __init__(self, completion: Completion) -> None:
        self._completion = completion

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Candidate]:
        word, found = self._completion.complete(document.text_before_cursor, document.text_after_cursor)
        return [Candidate(text, -len(word)) for text in found]
