# SPDX-License-Identifier: BSD-2-Clause
"""serve.py ADDRESS FILE [NAME] - draws docs/screens/serve.png: the page of `sberf serve` in Chromium, with a range chosen in the strip, and
zoomed into the row that begins with NAME.
serve.py ADDRESS FILE --pane PANE ROW - draws docs/screens/serve-PANE.png: a list, by its column of waiters, with its ROWth row chosen."""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "export"))
from browser import Browser  # pylint: disable=wrong-import-position


def ranged(b, path, name):
    """Chooses the middle of the strip, and draws."""
    left, top, width = b.run("(r => [r.left, r.top, r.width])(document.querySelector('.serve-strip').getBoundingClientRect())")
    for kind, at in (("mousePressed", 0.35), ("mouseMoved", 0.5), ("mouseReleased", 0.7)):
        b.call("Input.dispatchMouseEvent", type=kind, x=left + width * at, y=top + 20, button="left", buttons=1, clickCount=1)
    b.wait("document.querySelector('.serve-state').textContent.startsWith('frozen')")
    b.settle()
    time.sleep(1)
    b.run("[...document.querySelectorAll('tbody tr')].find(r => r.textContent.slice(1).startsWith('%s'))"
          ".dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))" % name)
    for key in ("ArrowDown",) * 5:
        b.key(key)
    b.screenshot(path)


def listed(b, path, pane, row):
    """Shows a list, sorts it, chooses a row, and draws."""
    b.run("document.querySelector('[data-pane=%s]').click()" % pane)
    b.wait("document.querySelectorAll('.serve-list tbody tr').length > %d" % row)
    b.run("[...document.querySelectorAll('.serve-list th')].find(t => t.textContent === 'waiters').click()")
    b.run("document.querySelectorAll('.serve-list tbody tr')[%d].click()" % row)
    time.sleep(1)
    b.screenshot(path)


def main(address, path, name="all", pane="", row=1):
    """Waits for a strip of some seconds."""
    with Browser(width=1100, height=640) as b:
        b.visit(address)
        b.wait("Boolean(document.querySelector('.sberf-chart'))")
        time.sleep(12)
        if name == "--pane":
            listed(b, path, pane, int(row))
        else:
            ranged(b, path, name)


main(*sys.argv[1:])
