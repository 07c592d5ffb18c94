# SPDX-License-Identifier: BSD-2-Clause
"""diff_page.py DIRECTORY - opens the comparisons that diff_page.sh made, and asks every frame what it says.

Prints a line for each check: 0 (passed) or 1, and its title; and comments behind "#".
"""
import os
import re
import sys

from browser import Browser
from svg_checks import WHO, equal, say
import stacks

WHAT = "document.querySelector('.what').textContent"


def read(path):
    """The nodes of folded stacks with two numbers: own and total have before and after."""
    nodes = [stacks.Node("all", "", None)]
    for line in open(path, encoding="utf-8"):
        stack, before, after = line.rstrip("\n").rsplit(" ", 2)
        node = nodes[0]
        for frame in stack.split(";"):
            mark = re.search(r"(_\[[kij]\])?$", frame).group()
            name = frame[:len(frame) - len(mark)]
            if (name, mark) not in node.below:
                node.below[name, mark] = stacks.Node(name, mark, node)
                nodes.append(node.below[name, mark])
            node = node.below[name, mark]
        for up in node.path():
            up.total = [a + b for a, b in zip(up.total or [0, 0], (int(before), int(after)))]
    return nodes


def asked(b, path, nodes):
    """What the page says of NODES."""
    b.open(path)
    return b.run("""(async () => {
        const got = [];
        for (const link of %r) {
            const there = new Promise(done => addEventListener("popstate", done, { once: true }));
            location.hash = "p=" + link;
            await there;
            got.push([%s, %s]);
        }
        return got;
    })()""" % ([stacks.link(n) for n in nodes], WHO, WHAT))


def shares(text):
    """Shares before and after, and what changed, in points."""
    found = [float(share) for share in re.findall(r"\(<?([\d.]+) %\)", text)]
    change = re.search(r"change ([+−±])([\d.]+) points", text)
    return found + [float(change.group(2)) * (-1 if change.group(1) == "−" else 1)]


def every_frame(b, name):
    """Shares are those of folded stacks, whose numbers are of one whole on both sides."""
    nodes = read(name + ".folded")
    whole = nodes[0].total[1]
    for kind in ("svg", "html"):
        got = asked(b, "%s.%s" % (name, kind), nodes[1:])
        wrong = []
        for node, (who, text) in zip(nodes[1:], got):
            want = [100 * n / whole for n in node.total]
            want.append(want[1] - want[0])
            # Two files have a function of this name, which is one line in folded stacks.
            if node.name != "_start" and (who != node.name or any(abs(a - b) > 0.02 for a, b in zip(want, shares(text)))):
                wrong.append((node.name, want, who, text))
            if not re.search(r"change (±0\.00 points|[+−][\d.]+ points ±[\d.]+)( ·|$)", text):
                wrong.append(("error", node.name, text))
        say(not wrong and len(got) == len(nodes) - 1 > 20, "%s.%s: each of %d frames has its shares" % (name, kind, len(got)), wrong[:3])


def errors(b, name):
    """By how much a change may be off is what the tree says."""
    want = {}
    for line in open(name + ".txt", encoding="utf-8"):
        found = re.search(r"±([\d.]+) .* (burn_\d+)$", line)
        if found:
            want[found.group(2)] = found.group(1)
    nodes = [n for n in read(name + ".folded") if n.name in want]
    got = {who: "%.1f" % float(re.search(r" ±([\d.]+)", text).group(1)) for who, text in asked(b, name + ".svg", nodes)}
    equal("%s: errors are those of the tree" % name, want, got)
    say(len(want) == 3, "%s: and there are three to compare" % name, want)


def kinds(b):
    """Parts are told of all time, and not where there is only one."""
    nodes = [n for n in read("all.folded") if n.name.startswith("burn_")]
    texts = [text for _, text in asked(b, "all.svg", nodes)]
    say(all(re.search(r"running .* → .*runnable .* → ", text) for text in texts), "kinds of time before and after", texts[:2])
    texts = [text for _, text in asked(b, "running.svg", [n for n in read("running.folded") if n.name == "burn_20"])]
    say(all("running" not in text for text in texts), "none when there is one", texts)


def main():
    os.chdir(sys.argv[1])
    with Browser() as b:
        every_frame(b, "running")
        errors(b, "running")
        every_frame(b, "all")
        kinds(b)
        b.open("counts.svg")
        equal("counts are as they were read", True, "before.folded 1,000 (100 %)" in b.run(WHAT).replace("\xa0", " "))
        equal("nobody complains", [], b.complaints())


main()
