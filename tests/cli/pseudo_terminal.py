"""A terminal for tests: a program runs on a pseudo-terminal, and a small VT100 keeps its screen."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import unicodedata
from pathlib import Path

_SEQUENCE = re.compile(r"\x1b(?:\[([?>]?)([\d;]*)([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>78cDEHM])")


class Screen:
    """What a terminal shows. It knows what prompt_toolkit and plain text use of a VT100."""

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.cells = [[" "] * columns for _ in range(lines)]
        self.row = self.column = 0
        self._rest = ""
        self.answer = ""

    def feed(self, text: str) -> None:
        text, self._rest = self._rest + text, ""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self._put(text[at])
                at += 1
                continue
            found = _SEQUENCE.match(text, at)
            if found is None:
                self._rest = text[at:]
                return
            if found[3] and not found[1]:
                self._control(found[3], [int(part or 0) for part in found[2].split(";")])
            at = found.end()

    def _put(self, char: str) -> None:
        if char == "\r":
            self.column = 0
        elif char == "\n":
            self._down()
        elif char == "\b":
            self.column = max(0, self.column - 1)
        elif char >= " ":
            wide = 2 if unicodedata.east_asian_width(char) in "WF" else 1
            if self.column + wide > self.columns:
                self.column = 0
                self._down()
            self.cells[self.row][self.column] = char
            if wide == 2:
                self.cells[self.row][self.column + 1] = ""
            self.column += wide

    def _down(self) -> None:
        if self.row == self.lines - 1:
            self.cells = [*self.cells[1:], [" "] * self.columns]
        else:
            self.row += 1

    def _control(self, kind: str, numbers: list[int]) -> None:
        count = numbers[0] or 1
        match kind:
            case "A":
                self.row = max(0, self.row - count)
            case "B":
                self.row = min(self.lines - 1, self.row + count)
            case "C":
                self.column = min(self.columns - 1, self.column + count)
            case "D":
                self.column = max(0, self.column - count)
            case "H":
                self.row, self.column = count - 1, (numbers[1] if len(numbers) > 1 else 1) - 1
            case "J":
                if numbers[0] == 2:
                    self.cells = [[" "] * self.columns for _ in range(self.lines)]
                else:
                    self._erase_line()
                    for row in range(self.row + 1, self.lines):
                        self.cells[row] = [" "] * self.columns
            case "K":
                self._erase_line()
            case "n":
                self.answer += f"\x1b[{self.row + 1};{self.column + 1}R"

    def _erase_line(self) -> None:
        self.cells[self.row][self.column :] = [" "] * (self.columns - self.column)

    @property
    def text(self) -> str:
        lines = ["".join(row).rstrip() for row in self.cells]
        return "\n".join(lines).rstrip() + "\n"

    @property
    def line(self) -> str:
        """The line of the cursor."""
        return "".join(self.cells[self.row]).rstrip()


class Terminal:
    """A program on a pseudo-terminal, driven by what a person would type."""

    def __init__(self, argv: list[str], *, cwd: Path, env: dict[str, str], columns: int = 100, lines: int = 40) -> None:
        self.screen = Screen(columns, lines)
        self._fresh = False
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

        def lead() -> None:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)

        settings = {**os.environ, "TERM": "xterm", **env}
        self.process = subprocess.Popen(
            argv, stdin=slave, stdout=slave, stderr=slave, cwd=cwd, env=settings, preexec_fn=lead, close_fds=True
        )
        os.close(slave)

    def type(self, text: str) -> None:
        """Type something. What is on the screen now is not taken for what comes of it."""
        self._fresh = False
        os.write(self._master, text.encode())

    def wait(self, wanted: str, *, where: str = "line", seconds: float = 120) -> str:
        """Wait until the line of the cursor is the wanted one (or, with `where="screen"`, the screen has it)."""
        if not self.seen(wanted, where=where, seconds=seconds):
            raise AssertionError(f"no {wanted!r} on the screen:\n{self.screen.text}")
        return self.screen.text

    def seen(self, wanted: str, *, where: str = "line", seconds: float = 120) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            shown = wanted in self.screen.text if where == "screen" else wanted == self.screen.line
            if shown and self._fresh:
                self._receive(0.1)
                return True
            if not self._receive(0.5) and self.process.poll() is not None:
                return False
        return False

    def _receive(self, seconds: float) -> bool:
        """Take what the program writes, until it writes nothing for so long; two seconds if it goes on writing."""
        came = False
        end = time.monotonic() + 2
        while time.monotonic() < end and select.select([self._master], [], [], seconds)[0]:
            try:
                data = os.read(self._master, 65_536)
            except OSError:
                return came
            if not data:
                return came
            came = self._fresh = True
            self.screen.feed(data.decode("utf-8", "replace"))
            if self.screen.answer:
                os.write(self._master, self.screen.answer.encode())
                self.screen.answer = ""
        return came

    def close(self) -> int:
        """Wait until the program has ended; its exit code."""
        while self._receive(0.2) or self.process.poll() is None:
            if self.process.poll() is not None:
                break
        os.close(self._master)
        return self.process.wait(60)
