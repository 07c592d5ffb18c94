# SPDX-License-Identifier: BSD-2-Clause
"""browser.py - a headless Chromium that opens files and does what a user does, through the DevTools protocol over a pipe.

Only Python's standard library and the browser are needed. Everything that is waited for has one limit, LIMIT, which is there to end a
test that hangs; no answer depends on it.
"""
import base64
import fcntl
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

LIMIT = 300  # seconds

FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-extensions", "--hide-scrollbars",
    "--force-device-scale-factor=1", "--disable-ipc-flooding-protection", "--remote-debugging-pipe",
]


def find():
    """The browser's path, None when there is none."""
    return shutil.which("chromium")


class Browser:
    """One browser with one page. Use it in a `with`."""

    def __init__(self, width=1200, height=800, flags=()):
        self.size = (width, height)
        self.flags = flags
        self.next_id = 0
        self.events = []
        self.data = b""

    def __enter__(self):
        self.home = tempfile.mkdtemp(prefix="sberf-browser-")
        to_read, self.to = os.pipe()
        self.of, of_write = os.pipe()
        # Well above 3 and 4, which these two become in the browser.
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 100) for fd in (to_read, of_write)]

        def become():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        # pylint: disable=subprocess-popen-preexec-fn
        self.process = subprocess.Popen(
            [find(), *FLAGS, *self.flags, "--user-data-dir=" + self.home, "--window-size=%d,%d" % self.size, "about:blank"],
            preexec_fn=become, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True, env={**os.environ, "HOME": self.home})
        for fd in (to_read, of_write, *ends):
            os.close(fd)
        self.session = None
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.resize(*self.size)
        return self

    def __exit__(self, *_):
        os.close(self.to)
        os.close(self.of)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def read(self):
        """The next message."""
        while b"\0" not in self.data:
            more = os.read(self.of, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.data += more
        text, self.data = self.data.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        """Calls METHOD and returns its result; what happens meanwhile goes to self.events."""
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        signal.alarm(LIMIT)
        while True:
            answer = self.read()
            if answer.get("id") == self.next_id:
                break
            self.events.append(answer)
        signal.alarm(0)
        if "error" in answer:
            raise RuntimeError(method + ": " + answer["error"]["message"])
        return answer["result"]

    def wait_event(self, method):
        """Waits for an event that is called METHOD, also one that has happened since the last time."""
        signal.alarm(LIMIT)
        while True:
            for i, event in enumerate(self.events):
                if event.get("method") == method:
                    del self.events[:i + 1]
                    signal.alarm(0)
                    return event["params"]
            self.events.append(self.read())

    def complaints(self):
        """What the console was told since the last call: errors, exceptions, violations of policies."""
        self.run("0")
        told = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                told.append(params["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif event.get("method") == "Log.entryAdded" and params["entry"]["level"] == "error":
                told.append(params["entry"]["text"])
            elif event.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
                told.append(str(params["args"]))
            elif event.get("method") == "Page.javascriptDialogOpening":
                told.append("a dialog: " + params["message"])
        self.events = []
        return told

    def visit(self, url):
        """Opens an address and waits until it is loaded. Seconds that it took."""
        self.call("Page.navigate", url="about:blank")
        self.wait_event("Page.loadEventFired")
        self.events = []
        start = time.monotonic()
        self.call("Page.navigate", url=url)
        self.wait_event("Page.loadEventFired")
        return time.monotonic() - start

    def open(self, path, fragment=""):
        """The same of a file."""
        return self.visit("file://" + os.path.realpath(path) + fragment)

    def run(self, expression):
        """The value of a JavaScript expression; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(expression[:200] + ": " + str(answer["exceptionDetails"].get("exception", answer["exceptionDetails"])))
        return answer["result"].get("value")

    def settle(self):
        """Waits until the page has been drawn."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def wait(self, expression):
        """Waits until EXPRESSION is true; returns it."""
        deadline = time.monotonic() + LIMIT
        while True:
            value = self.run(expression)
            if value:
                return value
            if time.monotonic() > deadline:
                raise RuntimeError("this never came true: " + expression)
            self.settle()

    def key(self, key, shift=False):
        """Presses and releases a key, by the name that scripts see."""
        codes = {"Enter": 13, "Escape": 27, "Backspace": 8, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
        params = {"key": key, "modifiers": 8 if shift else 0}
        if key in codes:
            params["windowsVirtualKeyCode"] = codes[key]
        if len(key) == 1:
            params["text"] = key
        elif key == "Enter":
            params["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **params)
        del params["modifiers"]
        params.pop("text", None)
        self.call("Input.dispatchKeyEvent", type="keyUp", **params)

    def type(self, text):
        """Types TEXT where the focus is."""
        self.call("Input.insertText", text=text)

    def click(self, x, y):
        """Clicks there, in CSS pixels of the page."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left", clickCount=1)

    def move(self, x, y):
        """Moves the pointer there."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def resize(self, width, height):
        """Gives the page another size."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        """Has the page believe that the user likes "light" or "dark"."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def scripts(self, allowed):
        """Lets pages that are opened from now on run scripts, or not."""
        self.call("Emulation.setScriptExecutionDisabled", value=not allowed)

    def screenshot(self, path):
        """Writes a picture of the page."""
        self.settle()
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
