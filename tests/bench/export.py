# SPDX-License-Identifier: BSD-2-Clause
"""export.py - what reports cost, of folded stacks of real programs: time, memory and size of each format; flame graphs also
opened, zoomed and searched in a browser, beside those of flamegraph.pl where it is installed. Times are the best of TIMES."""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.environ["top_srcdir"] + "/tests/export")
sys.dont_write_bytecode = True
# pylint: disable=wrong-import-position
import browser  # noqa: E402

DATA = os.environ["top_srcdir"] + "/tests/data/folded/"
SBERF = os.environ["SBERF"]
TIMES = 3
REPORTS = [
    ("folded", []), ("folded --focus alloc", ["--focus", "alloc"]), ("tree", []), ("tree --inverted", ["--inverted"]),
    ("flat", []), ("json", []), ("pprof", []), ("speedscope", []), ("svg", []), ("html", []),
]


def run(command, path):
    """Seconds, seconds of CPU and MB of a command that writes PATH."""
    best = None
    for _ in range(TIMES):
        with open(path, "wb") as out:
            start = time.monotonic()
            child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            seconds = time.monotonic() - start
        if status:
            raise SystemExit("failed: " + " ".join(command))
        best = min(best or (seconds + 1,), (seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
    return best


def action(b, script):
    """Seconds from SCRIPT until the page is drawn."""
    return b.run("""(async () => {
        const start = performance.now();
        %s;
        await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
        return performance.now() - start;
    })()""" % script) / 1000


def key(name):
    """A script that presses a key."""
    return ("document.querySelector('.sberf-chart').dispatchEvent(new KeyboardEvent('keydown',"
            " { key: '%s', bubbles: true, cancelable: true }))" % name)


def opened(path):
    """Seconds until PATH is loaded, and until it is drawn: medians, as there is no best of what others do at the same time."""
    times = []
    with browser.Browser() as b:
        for _ in range(2 * TIMES):
            start = time.monotonic()
            loaded = b.open(path)
            b.settle()
            times.append((loaded, time.monotonic() - start))
    # The first one is for the browser itself.
    return [sorted(column)[TIMES - 1] for column in zip(*times[1:])]


def used(path):
    """Seconds for a zoom and for a search, in our pages."""
    with browser.Browser() as b:
        b.open(path)
        b.run(key("ArrowDown"))
        b.run(key("ArrowDown"))
        zoomed = action(b, key("Enter"))
        b.run(key("Escape"))
        field = "document.querySelector('input')"
        return zoomed, action(b, "%s.value = 'alloc'; %s.dispatchEvent(new Event('input'))" % (field, field))


def line(title, costs, path, in_browser):
    """One line of the table."""
    text = "  %-22s %8.2f %8.2f %6.0f %12s" % (title, *costs, format(os.path.getsize(path), ","))
    print(text + "".join(" %8.2f" % seconds for seconds in in_browser), flush=True)


def table(name, where, has_browser):
    """All reports of one file."""
    folded = where + "/in.folded"
    with gzip.open(DATA + name + ".folded.gz") as packed, open(folded, "wb") as out:
        shutil.copyfileobj(packed, out)
    with open(folded, "rb") as lines:
        stacks = sum(1 for _ in lines)
    print("%s: %s stacks, %s bytes" % (name, format(stacks, ","), format(os.path.getsize(folded), ",")))
    print("  %-22s %8s %8s %6s %12s %8s %8s %8s %8s" % (
        "report", "seconds", "CPU", "MB", "bytes", "load", "draw", "zoom", "search"))
    for title, options in REPORTS:
        kind = title.split()[0]
        path = "%s/out.%s" % (where, kind)
        costs = run([SBERF, "report", "--import", "folded", folded, "--format", kind, *options], path)
        graph = kind in ("svg", "html") and has_browser
        line(title, costs, path, [*opened(path), *used(path)] if graph else [])
    if shutil.which("flamegraph.pl"):
        path = where + "/other.svg"
        costs = run(["flamegraph.pl", folded], path)
        line("flamegraph.pl", costs, path, opened(path) if has_browser else [])


def main():
    """A table for each file."""
    has_browser = browser.find()
    with tempfile.TemporaryDirectory() as where:
        for name in ("rustc-1k", "python-dwarf", "rustc-100k"):
            table(name, where, has_browser)
    if not has_browser:
        print("(chromium is not installed: nothing was opened)")
    if not shutil.which("flamegraph.pl"):
        print("(flamegraph.pl is not installed: nothing to compare with)")


main()
