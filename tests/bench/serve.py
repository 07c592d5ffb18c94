# SPDX-License-Identifier: BSD-2-Clause
"""serve.py SBERF SECONDS ARG... - what a page costs: CPU of `sberf serve ARG...` with nobody looking and with a page open in Chromium, bytes
that the page gets, and what it takes the page to show them; and CPU of `sberf top ARG...` in a terminal that nobody looks at."""
import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "tests", "export"))
from browser import Browser  # pylint: disable=wrong-import-position

TICK = os.sysconf("SC_CLK_TCK")


def cpu(pid):
    """Seconds of CPU that a process has taken."""
    with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as f:
        fields = f.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def share(pid, seconds):
    """Percent of one CPU that it takes for so long."""
    before, at = cpu(pid), time.monotonic()
    time.sleep(seconds)
    return 100 * (cpu(pid) - before) / (time.monotonic() - at)


def top(sberf, seconds, args):
    """That of the view."""
    pid, terminal = pty.fork()
    if not pid:
        os.environ["TERM"] = "xterm-256color"
        os.execv(sberf, [sberf, "top", *args])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    drawn = [0]

    def read():
        try:
            while True:
                drawn[0] += len(os.read(terminal, 65536))
        except OSError:
            pass

    threading.Thread(target=read, daemon=True).start()
    time.sleep(10)
    before = drawn[0]
    took = share(pid, seconds)
    print("top: %.1f %% of one CPU, %.1f KB/s to the terminal" % (took, (drawn[0] - before) / seconds / 1024))
    os.kill(pid, signal.SIGINT)
    os.waitpid(pid, 0)


def renderer(b):
    """Seconds of CPU that the processes have taken that show pages."""
    session, b.session = b.session, None
    processes = b.call("SystemInfo.getProcessInfo")["processInfo"]
    b.session = session
    return sum(p["cpuTime"] for p in processes if p["type"] == "renderer")


def page(b, pid, pane, seconds):
    """That of the server while one pane is shown."""
    b.run("document.querySelector('[data-pane=%s]').click()" % pane)
    time.sleep(3)
    b.run("0")
    b.events = []
    before, works, at = cpu(pid), renderer(b), time.monotonic()
    updates = b.run("updates")
    while time.monotonic() - at < seconds:
        time.sleep(1)
        b.run("0")
    took, worked, length = cpu(pid) - before, renderer(b) - works, time.monotonic() - at
    updates = b.run("updates") - updates
    got = sum(e["params"]["dataLength"] for e in b.events if e.get("method") == "Network.dataReceived")
    print("serve, a page of %s: %.1f %% of one CPU, %.0f KB/s in %.1f updates/s; each takes the browser %.0f ms of CPU" % (
        pane, 100 * took / length, got / length / 1024, updates / length,
        1e3 * worked / max(updates, 1)))
    sys.stdout.flush()


def serve(sberf, seconds, args):
    """That of the server."""
    with subprocess.Popen([sberf, "serve", *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            address = server.stdout.readline().strip()
            time.sleep(10)
            with Browser() as b:
                time.sleep(3)
                print("serve, nobody looks: %.1f %% of one CPU" % share(server.pid, seconds))
                sys.stdout.flush()
                b.call("Network.enable")
                b.visit(address)
                b.wait("Boolean(document.querySelector('.serve-tabs button'))")
                b.run("window.updates = 0, new MutationObserver(() => window.updates++).observe("
                      "document.querySelector('.serve-strip svg g'), { childList: true })")
                for pane in ("tree", "threads", "waits", "functions"):
                    page(b, server.pid, pane, seconds)
                b.run("1")
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()


def main(sberf, seconds, *args):
    """Both, one after the other."""
    with open("/proc/loadavg", encoding="ascii") as f:
        print("%d processes, load %s" % (sum(p.isdigit() for p in os.listdir("/proc")), f.read().split()[0]))
    top(sberf, int(seconds), args)
    serve(sberf, int(seconds), args)


main(*sys.argv[1:])
