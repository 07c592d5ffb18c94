# SPDX-License-Identifier: BSD-2-Clause
"""serve_page.py DIRECTORY ADDRESS HOSTILE-ADDRESS - the page of `sberf serve` in a browser. Prints as svg_page.py does.

The directory has totals.txt, with lines "FROM_MS TO_MS NS" of what `sberf report --time` says. To have the server started anew it writes
a line to the file "again", and waits until "there" is there.
"""
import os
import re
import sys
import time

from browser import Browser
from svg_checks import equal, say

STATE = "document.querySelector('.serve-state').textContent"
TOTAL = "document.querySelector('.sberf-details .what').textContent"
READY = "Boolean(document.querySelector('.sberf-chart') && document.querySelector('.serve-tabs button'))"


def total(b):
    """What the root weighs, to the nanosecond."""
    b.run("document.querySelectorAll('.sberf-pane tbody tr td span:last-child')[0].click()")
    found = re.search(r"total [^(·]*(?:\(([\d,]+) ns\))?", b.run(TOTAL))
    return int(found[1].replace(",", "")) if found and found[1] else b.run(TOTAL)


def drag(b, x, to, y):
    """Drags along the strip."""
    for kind, at in (("mousePressed", x), ("mouseMoved", (x + to) / 2), ("mouseMoved", to), ("mouseReleased", to)):
        b.call("Input.dispatchMouseEvent", type=kind, x=at, y=y, button="left", buttons=1, clickCount=1)


def ranges(b, where, address):
    """A range has the totals of report --time, whatever pane is shown; a click goes back."""
    b.visit(address)
    b.wait(READY)
    idle = "[...document.querySelectorAll('.sberf-legend button[aria-pressed=false]')].filter(b => b.textContent.startsWith('idle'))"
    say(b.run(idle + ".length") == 1, "idle waits are left out at first")
    b.run(idle + "[0].click()")
    everything = total(b)
    left, top, width = b.run("(r => [r.left, r.top, r.width])(document.querySelector('.serve-strip').getBoundingClientRect())")
    duration = float(os.environ["DURATION_MS"])
    with open(where + "/totals.txt", encoding="ascii") as f:
        for line in f:
            start, end, want = (int(v) for v in line.split())
            drag(b, left + width * start / duration, left + min(width, width * end / duration), top + 20)
            b.wait("%s.startsWith('frozen')" % STATE)
            b.wait("Boolean(document.querySelector('.sberf-chart'))")
            shown = []
            b.wait("new Promise(done => setTimeout(() => done(true), 50))")
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                shown = total(b)
                if shown == want:
                    break
            equal("from %d to %d ms: the total of report --time" % (start, end), want, shown)
            b.click(left + width / 2, top + 20)
            b.wait("%s.startsWith('ended')" % STATE)
            b.wait("(%s).includes('')" % TOTAL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and total(b) != everything:
        pass
    equal("a click goes back to everything", everything, total(b))
    equal("no complaints", [], b.complaints())


def panes(b, address, names):
    """Each pane shows something, and no name is more than text."""
    b.visit(address)
    b.wait(READY)
    shown = b.run("[...document.querySelectorAll('[data-pane]')].map(t => t.dataset.pane)")
    say({"tree", "functions", "threads", "modules", "figures"} <= set(shown), "panes", shown)
    for pane in shown:
        b.run("document.querySelector('[data-pane=%s]').click()" % pane)
        kind = {"tree": ".sberf-chart", "functions": ".serve-list", "threads": ".serve-list", "waits": ".serve-list", "modules": ".serve-list",
                "locks": ".serve-list"}
        b.wait("Boolean(document.querySelector('.serve-pane %s')) && document.querySelector('[data-pane=%s]').getAttribute('aria-selected') === 'true'" %
               (kind.get(pane, ".serve-text"), pane))
        say(len(b.run("document.querySelector('.serve-main').textContent")) > 20, names + pane + " shows something")
    equal(names + "nothing runs but the page", ["undefined", []], [b.run("typeof PWN"), b.complaints()])


def figure(text):
    """What a cell is worth, in seconds, bytes or pieces."""
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "KB": 1024, "MB": 1 << 20, "k": 1e3, "M": 1e6}
    long = re.fullmatch(r"~?(\d+)([hm])(\d+)", text)
    short = re.match(r"[~<]?([\d.,]+) ?(\S*)", text)
    if long:
        return (60 * int(long[1]) + int(long[3])) * (60 if long[2] == "h" else 1)
    return float(short[1].replace(",", "")) * units.get(short[2], 1) if short else -1


def sorting(b, address):
    """A list sorts by what figures mean, by mouse and by keyboard, and goes back to how it came."""
    b.visit(address)
    b.wait(READY)
    b.run("document.querySelector('[data-pane=threads]').click()")
    b.wait("document.querySelectorAll('.serve-list tbody tr').length > 1")
    names = "[...document.querySelectorAll('.serve-list tbody tr')].map(t => t.dataset.key)"
    heads = "[...document.querySelectorAll('.serve-list th')].map(t => t.getAttribute('aria-sort'))"
    came = b.run(names)
    b.run("document.querySelector('.serve-list th').focus()")
    for _ in range(2):
        for kind in ("keyDown", "keyUp"):
            b.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13)
    equal("by name, by keyboard, backwards", ["descending", sorted(came, reverse=True)], [b.run(heads)[0], b.run(names)])
    b.run("[...document.querySelectorAll('.serve-list th')].at(-1).click()")
    cells = b.run("[...document.querySelectorAll('.serve-list tbody tr')].map(t => t.cells[t.cells.length - 1].textContent)")
    values = [figure(c) for c in cells]
    say(len(values) > 1 and values == sorted(values, reverse=True), "by a figure, by mouse, the largest first", cells)
    b.run("[...document.querySelectorAll('.serve-list th')].at(-1).click()")
    b.run("[...document.querySelectorAll('.serve-list th')].at(-1).click()")
    equal("the third click goes back", came, b.run(names))
    equal("sorting: no complaints", [], b.complaints())


def policy(b, address):
    """What got into the page does not run; other names and other sites get nothing."""
    b.run("document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.PWN = 1' }))")
    b.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.PWN = 1\">')")
    b.settle()
    told = b.complaints()
    equal("a foreign script does not run", "undefined", b.run("typeof PWN"))
    say(sum("Content Security Policy" in t for t in told) >= 2, "the policy has refused it", told)
    rebound = address.replace("127.0.0.1", "evil.example")
    b.visit(rebound)
    say("not the address of sberf" in b.run("document.body.textContent"), "a name that was rebound gets nothing", b.run("document.body.textContent"))
    b.call("Page.navigate", url="about:blank")
    b.wait("location.href === 'about:blank'")
    say(b.run("fetch('%ssnapshot').then(() => 'read', () => 'refused')" % address) == "refused", "another site reads nothing")
    equal("nor does it load anything as a script", "error", b.run(
        "new Promise(done => { const s = document.createElement('script'); s.src = '%ssnapshot'; s.onload = s.onerror = e => done(e.type); "
        "document.body.append(s) })" % address))


def poll(b, expression):
    """As wait(), in a page that may be hidden, so that nothing is drawn in it."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        value = b.run(expression)
        if value:
            return value
        time.sleep(0.02)
    raise RuntimeError("this never came true: " + expression)


def pages_of(b, address, many, windows):
    """Opens so many pages; their sessions and targets."""
    pages = []
    for _ in range(many):
        b.session = None
        target = b.call("Target.createTarget", url=address, newWindow=windows)["targetId"]
        pages.append((b.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"], target))
    return pages


def close(b, pages):
    """Closes them."""
    b.session = None
    for _, target in pages:
        b.call("Target.closeTarget", targetId=target)


def tabs(b, address):
    """Eight pages: none hangs. Those that are hidden have no stream; of six that are seen, two are told why."""
    first = b.session
    pages, states = pages_of(b, address, 8, False), []
    for session, target in pages:
        b.session = None
        b.call("Target.activateTarget", targetId=target)
        b.session = session
        states.append(poll(b, "document.querySelector('.serve-state') && (%s.startsWith('ended') || %s.includes('tries')) && %s" % (STATE, STATE, STATE)))
    say(all(s.startswith("ended") for s in states), "eight tabs: each shows something when it is looked at", states)
    b.session = pages[0][0]
    equal("the others are hidden", "hidden", b.run("document.visibilityState"))
    close(b, pages)
    pages, states = pages_of(b, address, 6, True), []
    for session, _ in pages:
        b.session = session
        states.append(poll(b, "document.querySelector('.serve-state') && !%s.startsWith('connecting') && %s" % (STATE, STATE)))
    told = sum("four pages follow this already" in s for s in states)
    say(told == 2 and sum(s.startswith("ended") for s in states) == 4, "six windows: four show something, two say why they do not", states)
    close(b, pages)
    b.session = first


def again(b, where, address):
    """The server ends and comes again: the page follows it."""
    b.visit(address)
    b.wait(READY)
    open(where + "/again", "w", encoding="ascii").close()
    b.wait("%s.includes('tries again')" % STATE)
    while not os.path.exists(where + "/there"):
        time.sleep(0.05)
    b.wait("%s.startsWith('ended')" % STATE)
    say(True, "a page finds a server that was started again")


def main(where, address, hostile):
    """All of it."""
    with Browser(flags=("--host-resolver-rules=MAP evil.example 127.0.0.1",)) as b:
        ranges(b, where, address)
        panes(b, address, "")
        panes(b, hostile, "hostile: ")
        sorting(b, address)
        policy(b, address)
        tabs(b, address)
        again(b, where, address)


main(*sys.argv[1:])
