"""Chromium, driven by its DevTools protocol: JSON over a WebSocket, of which this has as much as one client needs."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
)
#: Seconds that Chromium may take to start, or to answer.
PATIENCE = 60


def program() -> str | None:
    """The browser, if there is one."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class WebSocket:
    """A client that sends and receives texts (RFC 6455)."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._socket = socket.create_connection((parts.hostname or "", parts.port or 80), PATIENCE)
        self._buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        head = (f"GET {parts.path} HTTP/1.1", f"Host: {parts.netloc}", "Upgrade: websocket", "Connection: Upgrade")
        more = (f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13")
        self._socket.sendall("\r\n".join((*head, *more, "", "")).encode())
        while b"\r\n\r\n" not in self._buffer:
            self._more()
        answer, self._buffer = self._buffer.split(b"\r\n\r\n", 1)
        assert b" 101 " in answer.splitlines()[0] + b" ", answer

    def _more(self) -> None:
        data = self._socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the browser closed the connection")
        self._buffer += data

    def _take(self, count: int) -> bytes:
        while len(self._buffer) < count:
            self._more()
        data, self._buffer = self._buffer[:count], self._buffer[count:]
        return data

    def send(self, text: str) -> None:
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        length = (
            bytes([0x80 | size])
            if size < 126
            else b"\xfe" + struct.pack(">H", size)
            if size < 1 << 16
            else b"\xff" + struct.pack(">Q", size)
        )
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(data))
        self._socket.sendall(b"\x81" + length + mask + masked)

    def receive(self) -> str:
        """The next text; frames of other kinds (ping, pong) are left out."""
        text = b""
        while True:
            first, second = self._take(2)
            size = second & 0x7F
            if size > 125:
                size = int.from_bytes(self._take(2 if size == 126 else 8), "big")
            data = self._take(size)
            if first & 0x0F == 8:
                raise ConnectionError("the browser ended the session")
            if first & 0x0F in (0, 1):
                text += data
                if first & 0x80:
                    return text.decode()

    def close(self) -> None:
        self._socket.close()


class Browser:
    """A browser with one page."""

    def __init__(self) -> None:
        found = program()
        assert found is not None
        self._folder = tempfile.mkdtemp(prefix="firesteel-browser-")
        self._process = subprocess.Popen(
            [found, *FLAGS, f"--user-data-dir={self._folder}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._number = 0
        #: What the page did: requests, errors and messages of the console.
        self.events: list[dict[str, Any]] = []
        self._socket = WebSocket(self._address())
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session: str | None = None
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    _session: str | None = None

    def _address(self) -> str:
        """Where the browser listens, which it writes to a file."""
        file = Path(self._folder) / "DevToolsActivePort"
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            lines = file.read_text().splitlines() if file.exists() else []
            if len(lines) == 2:
                return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            time.sleep(0.05)
        self._stop()
        raise TimeoutError("Chromium did not start")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a method of the protocol; what happens until then is kept in `events`."""
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            asked["sessionId"] = self._session
        self._socket.send(json.dumps(asked))
        while True:
            answer: dict[str, Any] = json.loads(self._socket.receive())
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return dict(answer["result"])
            self.events.append(answer)

    def open(self, page: Path) -> None:
        """Load a file, and wait until it is there."""
        self.events.clear()
        self.call("Page.navigate", url=page.as_uri())
        end = time.monotonic() + PATIENCE
        while self.evaluate("document.readyState + location.protocol") != "completefile:":
            assert time.monotonic() < end, "the page did not load"
            time.sleep(0.02)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def evaluate_in_frame(self, expression: str) -> Any:
        """The value of an expression of the page's only frame, which has a process of its own."""
        self.call("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
        whole, end = self._session, time.monotonic() + PATIENCE
        while not (known := [one for one in self.events if one["method"] == "Target.attachedToTarget"]):
            assert time.monotonic() < end, "the page has no frame"
            self.evaluate("0")
        self._session = known[0]["params"]["sessionId"]
        try:
            return self.evaluate(expression)
        finally:
            self._session = whole

    def click(self, selector: str) -> None:
        """A click of the mouse in the middle of an element."""
        box = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'center'});"
            " const b = e.getClientRects()[0]; return [b.x + Math.min(b.width / 2, 40), b.y + b.height / 2]; })()"
        )
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def press(self, *keys: str) -> None:
        """Keys, one after the other, as the DOM calls them: `ArrowDown`, `Enter`, `/`."""
        for key in keys:
            text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, key=key, **({"text": text} if kind == "keyDown" else {}))

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def looks(self, *, width: int = 1600, height: int = 900, dark: bool = False) -> None:
        """The size of the window, and the colours that the user prefers."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def screenshot(self) -> bytes:
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def requests(self) -> list[str]:
        """The addresses that the page asked for, but for itself and what is in it."""
        sent = [one["params"]["request"]["url"] for one in self.events if one["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith(("file:", "data:"))]

    def complaints(self) -> list[str]:
        """Errors and messages of the console."""
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(one["params"])[:500] for one in self.events if one["method"] in kinds]

    def _stop(self) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE)
        shutil.rmtree(self._folder, ignore_errors=True)

    def close(self) -> None:
        self._socket.close()
        self._stop()
