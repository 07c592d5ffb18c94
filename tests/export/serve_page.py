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
    equal("everything: the total of report", int(os.environ["TOTAL_NS"]), everything)
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
    """Each pane shows something, and no name is more than text. Those that there are."""
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
    return shown


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


def rows(b, address):
    """A row that is chosen is told in full, by mouse and by arrow keys, and stays chosen while the list is filled anew."""
    b.visit(address)
    b.wait(READY)
    b.run("document.querySelector('[data-pane=waits]').click()")
    b.wait("document.querySelectorAll('.serve-list tbody tr').length > 4")
    chosen, who = "document.querySelector('.serve-list tr[aria-selected=true]')", "document.querySelector('.serve-list + .sberf-details .who').textContent"
    say(b.run("document.querySelector('.serve-list + .sberf-details').hidden"), "at first no row is")
    b.run("document.querySelectorAll('.serve-list tbody tr')[3].cells[0].lastChild.click()")
    keys = b.run("[...document.querySelectorAll('.serve-list tbody tr')].map(t => t.dataset.key)")
    equal("the row that was clicked is told", [keys[3], keys[3].split("\n")[-1]], [b.run(chosen + ".dataset.key"), b.run(who)])
    b.key("ArrowUp")
    equal("the row above it", [keys[2], keys[2].split("\n")[-1]], [b.run(chosen + ".dataset.key"), b.run(who)])
    b.key("ArrowLeft")
    now = b.run("[...document.querySelectorAll('.serve-list tbody tr')].map(t => t.dataset.key)")
    say(len(now) < len(keys) and now[2] == keys[2] and not now[3].startswith(keys[2]), "it is folded by keyboard", now[2:4])
    b.key("ArrowRight")
    equal("and opened", keys, b.run("[...document.querySelectorAll('.serve-list tbody tr')].map(t => t.dataset.key)"))
    equal("rows: no complaints", [], b.complaints())


def counting(b, address, faults):
    """What is counted can be chosen, where there is more than time."""
    b.visit(address)
    b.wait(READY)
    chooser = "document.querySelector('[aria-label=\"what is counted\"]')"
    choices = b.run("[...%s.options].map(o => o.value)" % chooser)
    say(b.run(chooser + ".value") == "time" and {"time", "far", "faults"} <= set(choices), "time first, and what else was captured", choices)
    b.run("(s => { s.value = 'faults'; s.dispatchEvent(new Event('change')) })(%s)" % chooser)
    b.wait("Boolean([...document.querySelectorAll('.serve-titled h1')].find(h => h.textContent.includes('page faults')))")
    b.run("document.querySelectorAll('.sberf-pane tbody tr td span:last-child')[0].click()")
    said = b.run(TOTAL)
    equal("faults: the total of report --metric faults", faults, re.search(r"total ([\d,]+)", said)[1].replace(",", ""))
    b.run("(s => { s.value = 'time'; s.dispatchEvent(new Event('change')) })(%s)" % chooser)
    b.wait("!document.querySelector('.serve-titled')")
    say(b.run("[...document.querySelectorAll('.sberf-legend button')].some(b => b.textContent.startsWith('blocked'))"), "and back")
    equal("counting: no complaints", [], b.complaints())


def pointing(b, address):
    """What is under the pointer in the strip is told, and ticks say when it was."""
    b.visit(address)
    b.wait(READY)
    left, top, width = b.run("(r => [r.left, r.top, r.width])(document.querySelector('.serve-strip').getBoundingClientRect())")
    said = "document.querySelector('.serve-said').textContent"
    say("at most" in b.run(said), "how much at most", b.run(said))
    b.move(left + width / 2, top + 20)
    b.wait("/^[\\d.]+ s[\\d.]+ running[\\d.]+ runnable[\\d.]+ blocked$/.test(%s)" % said)
    b.move(left + width / 2, top + 300)
    b.wait("%s.includes('at most')" % said)
    ticks = [float(t.split()[0]) for t in b.run("[...document.querySelectorAll('.serve-times span')].map(s => s.textContent)")]
    say(len(ticks) > 2 and ticks == sorted(ticks) and ticks[0] == 0, "ticks", ticks)


def many(b, address):
    """Of a long list some rows are made, and more when they are asked for."""
    b.visit(address)
    b.wait(READY)
    b.run("document.querySelector('[data-pane=functions]').click()")
    rows, more = "document.querySelectorAll('.serve-list tbody tr').length", "document.querySelector('.serve-list > button')"
    b.wait(rows + " > 1")
    say(b.run(rows) == 200 and "more" in b.run(more + ".textContent"), "a long list begins with 200 rows", b.run(rows))
    b.run(more + ".click()")
    b.wait(rows + " > 450")
    say(b.run(more + ".hidden"), "and has all of them when they are asked for", b.run(rows))
    for pane in ("waits", "functions"):
        b.run("document.querySelector('[data-pane=%s]')?.click()" % pane)
    b.wait(rows + " === 200")
    b.run("document.querySelector('.serve-list th').click()")
    b.wait("document.querySelectorAll('.serve-list tbody tr')[1].dataset.key < '\\udbff' && %s === 200" % rows)
    names = b.run("[...document.querySelectorAll('.serve-list tbody tr')].slice(1).map(t => t.dataset.key)")
    equal("sorted by another column it is all of them that are sorted", sorted(names), names)
    b.wait("document.querySelectorAll('.serve-list tbody tr')[199].dataset.key.startsWith('all\\nmany_2')")


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


def main(where, address, hostile, other, faults):
    """All of it."""
    with Browser(flags=("--host-resolver-rules=MAP evil.example 127.0.0.1",)) as b:
        ranges(b, where, address)
        panes(b, address, "")
        panes(b, hostile, "hostile: ")
        say("numa" in panes(b, other, "nodes: "), "nodes: there is a pane of them")
        sorting(b, address)
        rows(b, address)
        counting(b, other, faults)
        pointing(b, address)
        many(b, hostile)
        policy(b, address)
        tabs(b, address)
        again(b, where, address)


main(*sys.argv[1:])
