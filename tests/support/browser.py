"""A real browser for tests: Chromium without a window, told what to do over a pair of pipes (its
DevTools protocol).

    with Browser() as browser:
        page = browser.open("file:///...")
        page.run("document.title")

Nothing has to be installed for Python. Chromium comes from the system (`make browser`), or from
where CHROMIUM points.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from select import select
from time import monotonic
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE_S = 60.0
OPTIONS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
MISSING = "no Chromium: `make browser` installs it, or CHROMIUM names it"


def chromium() -> str | None:
    """Where Chromium is; None: there is none."""
    return os.environ.get("CHROMIUM") or next(
        (found for name in NAMES if (found := shutil.which(name))), None
    )


class Browser:
    """One Chromium; use as a context manager."""

    def __init__(self) -> None:
        self._number = 0
        self._rest = b""
        self._listeners: dict[str, Callable[[str, dict[str, Any]], None]] = {}

    def __enter__(self) -> Browser:
        program = chromium()
        assert program is not None, MISSING
        self._folder = tempfile.TemporaryDirectory(
            prefix="obligato-browser-", ignore_cleanup_errors=True
        )
        (theirs_in, self._out), (self._in, theirs_out) = _pipe(), _pipe()
        command = [program, *OPTIONS, f"--user-data-dir={self._folder.name}", "about:blank"]
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "browser", *command],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._folder.name},
        )
        os.close(theirs_in)
        os.close(theirs_out)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError, TimeoutError, RuntimeError):
            self.send("Browser.close", {})
        os.close(self._out)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        self._folder.cleanup()

    def open(
        self,
        url: str,
        width: int = 1400,
        height: int = 900,
        theme: str = "light",
        reduced: bool = False,
    ) -> Page:
        """A page that has loaded `url`."""
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})[
            "sessionId"
        ]
        page = Page(self, session)
        self._listeners[session] = page.heard
        page.prepare(width, height, theme, reduced)
        page.load(url)
        return page

    def send(self, method: str, parameters: dict[str, Any], session: str = "") -> dict[str, Any]:
        """The result of a command."""
        self._number += 1
        message = {
            "id": self._number,
            "method": method,
            "params": parameters,
            **({"sessionId": session} if session else {}),
        }
        os.write(self._out, json.dumps(message).encode() + b"\0")
        number = self._number
        answer = self.listen(lambda m: m.get("id") == number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        result: dict[str, Any] = answer["result"]
        return result

    def listen(self, enough: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Take messages until one is enough, which is returned; events go to their pages."""
        until = monotonic() + PATIENCE_S
        while True:
            while b"\0" in self._rest:
                text, _, self._rest = self._rest.partition(b"\0")
                message: dict[str, Any] = json.loads(text)
                if "method" in message and message.get("sessionId") in self._listeners:
                    self._listeners[message["sessionId"]](message["method"], message["params"])
                if enough(message):
                    return message
            if not select([self._in], [], [], max(0.0, until - monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            read = os.read(self._in, 1 << 20)
            if not read:
                raise RuntimeError("the browser has ended")
            self._rest += read


class Page:
    """A loaded page; `problems` are console errors, exceptions, violations of its policy and
    requests to elsewhere.
    """

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session
        self.problems: list[str] = []

    def prepare(self, width: int, height: int, theme: str, reduced: bool) -> None:
        """Size, colour scheme, and what is listened to."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        motion = [{"name": "prefers-reduced-motion", "value": "reduce"}] if reduced else []
        self.send(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": theme}, *motion],
        )

    def load(self, url: str) -> None:
        """Load `url` and wait until its scripts have run."""
        self.url = url
        self.send("Page.navigate", url=url)
        self.browser.listen(
            lambda m: (
                m.get("method") == "Page.loadEventFired" and m.get("sessionId") == self.session
            )
        )

    def heard(self, method: str, parameters: dict[str, Any]) -> None:
        """An event of the page."""
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(
                str(details.get("exception", {}).get("description") or details["text"])
            )
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in (
            "error",
            "warning",
            "assert",
        ):
            self.problems.append(f"console: {parameters['args']}")
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.problems.append(f"log: {parameters['entry']['text']}")
        elif method == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith(
            ("file:", "data:")
        ):
            self.problems.append(f"request: {parameters['request']['url']}")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a command to this page."""
        return self.browser.send(method, parameters, self.session)

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        """The text of the first element that a selector finds; of none it is empty."""
        return str(self.run(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''"))

    def count(self, selector: str) -> int:
        """How many elements a selector finds."""
        return int(self.run(f"document.querySelectorAll({json.dumps(selector)}).length"))

    def click(self, selector: str) -> None:
        """Click with the mouse in the middle of the first element that a selector finds; it is
        brought into view.
        """
        self.run(
            f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'center',"
            " inline: 'center'})"
        )
        box = self.run(
            "(() => { const b ="
            f" document.querySelector({json.dumps(selector)}).getBoundingClientRect(); return [b.x"
            " + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send(
                "Input.dispatchMouseEvent",
                type=kind,
                x=box[0],
                y=box[1],
                button="left",
                clickCount=1,
            )

    def press(self, key: str) -> None:
        """Press a key: a character, or a name such as ArrowRight."""
        text = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def type(self, selector: str, text: str) -> None:
        """Type a text into a field."""
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        self.send("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        """Write what is seen as PNG."""
        path.write_bytes(
            base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])
        )


def _pipe() -> tuple[int, int]:
    """A pipe whose ends have large numbers, so that they are in nobody's way in the child."""
    ends = os.pipe()
    moved = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 40) for end in ends)
    for end in ends:
        os.close(end)
    return moved[0], moved[1]
