"""A small driver of headless chromium over its debugging pipe: no network, no package but the standard library."""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]

NAMED = {
    "Enter": 13,
    "Escape": 27,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
}


class Tab:
    """One page: what was asked of the network, what the console said, and its document."""

    def __init__(self, written: int, read: int) -> None:
        self._out, self._in = written, read
        self._buffer = b""
        self._count = 0
        self.session: str | None = None
        self.requests: list[str] = []
        self.console: list[str] = []

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Ask and wait for the answer; note events on the way."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self.session is not None:
            message["sessionId"] = self.session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._count:
                assert "error" not in found, found
                result: dict[str, Any] = found["result"]
                return result
            self._note(found)

    def run(self, script: str) -> Any:
        """The value of an expression in the page, promises awaited."""
        found = self.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def open(self, path: Path) -> None:
        """Load a file and wait until it stands."""
        self.visit(path.as_uri())

    def visit(self, address: str) -> None:
        """Load an address and wait until it stands."""
        self.send("Page.navigate", url=address)
        waited = "new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', done))"
        self.run(waited)

    def press(self, key: str) -> None:
        """One key of the keyboard, down and up: a character, or a name such as ``ArrowLeft``."""
        code = NAMED.get(key, ord(key[0].upper()))
        text = "\r" if key == "Enter" else key if len(key) == 1 else ""
        event = {"key": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **event)
        self.send("Input.dispatchKeyEvent", type="keyUp", **event)

    def resize(self, width: int, height: int, *, dark: bool = False) -> None:
        """The size of the window, and whether the machine asks for dark pages."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path: Path) -> None:
        """The window as PNG."""
        found = self.send("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(found["data"]))

    def _note(self, event: dict[str, Any]) -> None:
        params = event.get("params", {})
        if event.get("method") == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.console.append(f"{params['type']}: {[item.get('value') for item in params['args']]}")
        elif event.get("method") == "Runtime.exceptionThrown":
            self.console.append(str(params["exceptionDetails"]))
        elif event.get("method") == "Log.entryAdded":
            self.console.append(str(params["entry"]))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            read = os.read(self._in, 1 << 20)
            assert read, "the browser ended"
            self._buffer += read
        line, self._buffer = self._buffer.split(b"\0", 1)
        found: dict[str, Any] = json.loads(line)
        return found


@contextmanager
def tab(profile: Path) -> Iterator[Tab]:
    """A page of a fresh browser; skips where there is no chromium."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium: the page is not opened in a browser")
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    shell = 'exec "$@" 3<&"$IN" 4>&"$OUT"'
    command = ["bash", "-c", shell, "chromium", chromium, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
    environment = os.environ | {"IN": str(theirs_in), "OUT": str(theirs_out)}
    browser = subprocess.Popen(
        command, pass_fds=(theirs_in, theirs_out), env=environment, stderr=subprocess.DEVNULL
    )
    os.close(theirs_in)
    os.close(theirs_out)
    page = Tab(ours_out, ours_in)
    try:
        found = page.send("Target.getTargets")["targetInfos"]
        target = next(item["targetId"] for item in found if item["type"] == "page")
        page.session = page.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.send(f"{domain}.enable")
        yield page
    finally:
        page.session = None
        os.write(ours_out, b'{"id":999999,"method":"Browser.close"}\0')
        browser.wait(timeout=30)
        os.close(ours_out)
        os.close(ours_in)
