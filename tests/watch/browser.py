"""A headless Chromium, told what to do through a pair of pipes in the DevTools protocol."""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser():
    """The path of a Chromium on this machine; None if there is none."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


def _pipe():
    """(where it is read, where it is written), with numbers that are in nobody's way."""
    ends = os.pipe()
    made = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return made


class Browser:
    """One page in a window of its own, closed with the `with` statement."""

    def __init__(self, width=1400, height=1000):
        self._profile = tempfile.mkdtemp(prefix="watch-browser-")
        self._process = self._start(f"--window-size={width},{height}")
        self._number, self._pending, self._session = 0, b"", None
        self.errors = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Page.enable")
        self.send("Runtime.enable")
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def _start(self, *options):
        options = ("--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", *options)
        options += ("--no-first-run", "--disable-extensions", "--disable-dev-shm-usage", "--hide-scrollbars")
        theirs, self._to = _pipe()
        self._from, to_us = _pipe()
        # The browser reads from descriptor 3 and writes to 4.
        actions = [(os.POSIX_SPAWN_DUP2, theirs, 3), (os.POSIX_SPAWN_DUP2, to_us, 4)]
        actions += [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
        path = find_browser()
        arguments = [path, *options, f"--user-data-dir={self._profile}", "about:blank"]
        process = os.posix_spawn(path, arguments, os.environ, file_actions=actions, setpgroup=0)
        os.close(theirs)
        os.close(to_us)
        return process

    def __enter__(self):
        return self

    def __exit__(self, *error):
        os.killpg(self._process, signal.SIGKILL)  # with the processes that it has started
        os.waitpid(self._process, 0)
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self._profile, ignore_errors=True)

    def send(self, method, **parameters):
        """The result of a command."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(answer["params"]["exceptionDetails"])

    def _receive(self, seconds=60):
        while b"\0" not in self._pending:
            ready, _, _ = select.select([self._from], [], [], seconds)
            assert ready, "the browser does not answer"
            piece = os.read(self._from, 1 << 20)
            assert piece, "the browser has ended"
            self._pending += piece
        message, _, self._pending = self._pending.partition(b"\0")
        return json.loads(message)

    def open(self, url):
        """Goes to an address; returns when the page there has begun."""
        self.send("Page.navigate", url=url)
        self.wait_for(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def evaluate(self, expression):
        """Value of a JavaScript expression."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, expression, seconds=60):
        """Returns when the expression is true of the page."""
        end = time.monotonic() + seconds
        while not (found := self.evaluate(expression)):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.05)
        return found

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def screenshot(self, path, full=False):
        data = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=full)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
