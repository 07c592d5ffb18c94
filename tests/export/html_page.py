# SPDX-License-Identifier: BSD-2-Clause
"""html_page.py DIRECTORY - opens the pages and hostile graphs that html_page.sh made. Prints as svg_page.py does."""
import glob
import os
import sys

from browser import Browser
from svg_checks import WHO, equal, say

ROWS = "[...document.querySelectorAll('tbody tr:not([data-node=\"-1\"])')].map(r => r.querySelector('td span:last-child').textContent)"


def hostile(b, where):
    """Names that are scripts, markup or no text at all are names."""
    files = sorted(glob.glob(where + "/hostile-*"))
    say(len(files) >= 20, "there are hostile files", files)
    for path in files:
        b.open(path)
        b.settle()
        told = [b.run("typeof PWN"), b.run(WHO), b.complaints()]
        equal(os.path.basename(path) + ": no script runs, no complaint", ["undefined", "all", []], told)
        b.key("ArrowDown")
        b.key("ArrowDown")
        b.key("Enter")
        equal(os.path.basename(path) + ": nor when it is looked at", ["undefined", []], [b.run("typeof PWN"), b.complaints()])


def policy(b, where):
    """What is not ours may not run, even if it got into the page."""
    b.open(where + "/page.html")
    b.settle()
    equal("the page keeps to its own policy", [], b.complaints())
    b.run("document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.PWN = 1' }))")
    b.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.PWN = 1\"><style>.sberf-app { display: none }</style>')")
    b.settle()
    told = b.complaints()
    equal("a foreign script does not run", "undefined", b.run("typeof PWN"))
    equal("a foreign style has no effect", "flex", b.run("getComputedStyle(document.querySelector('.sberf-app')).display"))
    say(sum("Content Security Policy" in t for t in told) >= 3, "the policy has refused them", told)


def table(b, where):
    """The table beside the graph: opens, sorts, follows and leads."""
    b.open(where + "/page.html")
    names = b.run(ROWS)
    equal("the first row is the root", "all", names[0])
    equal("roles", ["treegrid", "descending"], b.run(
        "[document.querySelector('table').getAttribute('role'), document.querySelectorAll('th')[1].getAttribute('aria-sort')]"))
    b.run("document.querySelectorAll('th button')[0].click()")
    level = "[...document.querySelectorAll('tbody tr[aria-level=\"2\"]:not([data-node=\"-1\"])')].map(r => r.querySelector('td span:last-child').textContent)"
    got = b.run(level)
    equal("sorted by name", sorted(got), got)
    b.run("document.querySelectorAll('th button')[0].click()")
    got = b.run(level)
    equal("and the other way round", sorted(got, reverse=True), got)
    b.run("document.querySelectorAll('th button')[1].click()")
    before = len(b.run(ROWS))
    b.run("document.querySelector('tbody tr .twist').click()")
    equal("closed, the root is alone", 1, len(b.run(ROWS)))
    b.run("document.querySelector('tbody tr .twist').click()")
    equal("opened again, as it was", before, len(b.run(ROWS)))
    b.run("document.querySelectorAll('tbody tr')[1].querySelector('td span:last-child').click()")
    equal("a row selects its frame", b.run(ROWS)[1], b.run(WHO))
    b.run("document.querySelector('.sberf-chart').focus()")
    b.key("ArrowDown")
    b.key("ArrowDown")
    equal("a frame selects its row", b.run(WHO), b.run("document.querySelector('tr[aria-selected=true] td span:last-child').textContent"))
    b.key("Enter")
    b.settle()
    equal("no complaints", [], b.complaints())


def runs(b, where):
    """Frames without names of which each called but the next one are one row."""
    b.open(where + "/runs.html")
    equal("a run is one row", ["all", "a", "[unknown] ×3", "f", "b"], b.run(ROWS))
    b.run("document.querySelectorAll('tbody tr')[2].querySelector('td span:last-child').click()")
    equal("it selects its first frame", "[unknown]", b.run(WHO))
    b.run("document.querySelector('.sberf-chart').focus()")
    b.key("ArrowDown")
    equal("what it called comes next", ["f", "f"], [b.run(WHO), b.run(
        "document.querySelector('tr[aria-selected=true] td span:last-child').textContent")])
    b.run("document.querySelectorAll('tbody tr')[2].querySelector('.twist').click()")
    equal("closed, it hides that", ["all", "a", "[unknown] ×3", "b"], b.run(ROWS))
    equal("no complaints", [], b.complaints())


def main():
    """All of it."""
    where = sys.argv[1]
    with Browser(1300, 800) as b:
        table(b, where)
        runs(b, where)
        policy(b, where)
        hostile(b, where)


main()
