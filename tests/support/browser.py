"""A headless Chromium that tests drive over its debugging pipe; no package is needed for it."""

import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-sync", "--disable-background-networking", "--disable-component-update",
    "--remote-debugging-pipe",
]  # fmt: skip
KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "End": 35, "Home": 36,
        "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}  # fmt: skip


class Browser:
    """One page. Every address that it asks for is kept in `asked`."""

    def __init__(self) -> None:
        self.home = tempfile.mkdtemp()
        (read, theirs), (ours, write) = os.pipe(), os.pipe()

        def wire() -> None:
            """Chromium reads commands from 3 and writes answers to 4."""
            high = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (ours, theirs)]
            for end, number in zip(high, (3, 4), strict=True):
                os.dup2(end, number)

        self.process = subprocess.Popen(
            [str(CHROMIUM), *OPTIONS, f"--user-data-dir={self.home}"],
            preexec_fn=wire,  # noqa: PLW1509 - the tests have no threads
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.home},
        )  # fmt: skip
        os.close(ours), os.close(theirs)
        self.inward, self.outward = os.fdopen(read, "rb"), write
        self.sent, self.rest, self.session = 0, b"", ""
        self.asked: list[str] = []
        self.problems: list[Any] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to a command of the DevTools protocol."""
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": params}
        message |= {"sessionId": self.session} if self.session else {}
        os.write(self.outward, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.sent:
                assert "error" not in answer, answer
                return dict(answer["result"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            data = self.inward.read1(1 << 20)  # type: ignore[attr-defined]
            assert data, "the browser has ended"
            self.rest += data
        line, self.rest = self.rest.split(b"\0", 1)
        event = dict(json.loads(line))
        if event.get("method") == "Network.requestWillBeSent":
            self.asked.append(event["params"]["request"]["url"][:200])
        if event.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded"):
            self.problems.append(event["params"])
        return event

    def open(self, path: Path, width: int = 1200, height: int = 900, dark: bool = False) -> None:
        """Show a file in a window of this size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        wishes = {
            "prefers-color-scheme": "dark" if dark else "light",
            "prefers-reduced-motion": "reduce",
        }
        features = [{"name": name, "value": value} for name, value in wishes.items()]
        self.call("Emulation.setEmulatedMedia", features=features)
        self.visit(path.resolve().as_uri())

    def visit(self, address: str) -> None:
        """Load an address, which is another document than the one that is shown."""
        self.call("Page.navigate", url=address)
        while self._next().get("method") != "Page.loadEventFired":
            pass

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        found = self.call(
            "Runtime.evaluate",
            expression=script,
            returnByValue=True,
            awaitPromise=True,
            userGesture=True,
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def click(self, x: float, y: float) -> None:
        """Press and release the left button at a place of the window."""
        for what in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=what, x=x, y=y, button="left", clickCount=1)

    def press(self, *keys: str) -> None:
        """Press and release keys, one after the other."""
        for key in keys:
            named = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key]}
            text = {"text": "\r"} if key == "Enter" else {}
            self.call("Input.dispatchKeyEvent", type="keyDown", **named, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", **named)

    def close(self) -> None:
        """End the browser and forget its profile."""
        self.process.kill()
        self.process.wait()
        os.close(self.outward)
        self.inward.close()
        socket = Path(self.home, "SingletonSocket").resolve()  # in a folder of its own
        for folder in (socket.parent, self.home):
            shutil.rmtree(folder, ignore_errors=True)
