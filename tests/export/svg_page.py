# SPDX-License-Identifier: BSD-2-Clause
"""svg_page.py DIRECTORY - opens the flame graphs that svg_page.sh made and does with them what people do.

Prints a line for each check: 0 (passed) or 1, and its title; and comments behind "#".
"""
import random
import re
import sys

from browser import Browser
from svg_checks import WHO, equal, say
import stacks

ROW = 18
TOTAL = "Number(/total ([\\d,]+)(?: |·|$)/.exec(document.querySelector('.what').textContent)[1].replaceAll(',', ''))"
FOUND = "document.querySelector('.sberf-found').textContent"
CHART = "document.querySelector('.sberf-chart')"


def every_frame(b, path, nodes):
    """A thousand random frames, each by its address: exact totals, whatever is too narrow to be drawn."""
    picked = [n for n in random.Random(1).sample(nodes[1:], 1100) if unique(n)][:1000]
    b.open(path)
    got = b.run("""(async () => {
        const got = [];
        for (const link of %r) {
            const there = new Promise(done => addEventListener("popstate", done, { once: true }));
            location.hash = "p=" + link;
            await there;
            got.push([%s, %s]);
        }
        return got;
    })()""" % ([stacks.link(n) for n in picked], WHO, TOTAL))
    wrong = [(n.name, n.total, g) for n, g in zip(picked, got) if [n.name, n.total] != g]
    say(not wrong and len(got) == 1000, "1,000 random frames show their exact totals", wrong[:3])


def unique(node):
    """No sibling of this node, or of one above it, has the same name."""
    return all(sum((n.name, mark) in p.below for mark in ("", "_[k]", "_[i]", "_[j]")) == 1 for p, n in zip(node.path(), node.path()[1:]))


def click_to(b, node, least):
    """Clicks from the root down to NODE where it must be by its weights. Boxes of frames narrower than LEAST are clicked open."""
    b.key("Escape")
    width, top = b.run("[%s.clientWidth, %s.getBoundingClientRect().top]" % (CHART, CHART))
    path = node.path()
    row = 0
    for parent, child in zip(path, path[1:]):
        if child.follows():
            continue
        row += 1
        shown, weight = parent.children(), parent.total
        while True:
            boxes = []
            for n in shown:
                w = n.total * width / weight
                if w < least and boxes and boxes[-1][0] < least and boxes[-1][1] < max(60, 4 * least):
                    boxes[-1][1] += w
                    boxes[-1][2].append(n)
                else:
                    boxes.append([w, w, [n]])
            at = next(i for i, box in enumerate(boxes) if child in box[2])
            click(b, sum(box[1] for box in boxes[:at]) + boxes[at][1] / 2, top, row)
            if boxes[at][0] >= least:
                break
            shown = boxes[at][2]
            weight = sum(n.total for n in shown)


def click(b, x, top, row):
    """Clicks on ROW at X, which may have to be scrolled to."""
    high = b.run("%s.clientHeight" % CHART)
    b.run("%s.scrollTop = %d" % (CHART, max(0, row * ROW - high // 2)))
    scrolled = b.run("%s.scrollTop" % CHART)
    b.click(x, top + row * ROW + ROW / 2 - scrolled)


def clicking(b, path, nodes):
    """The pointer finds frames by where they must be, and the way back."""
    b.open(path)
    picked = random.Random(2).sample(nodes[1:], 12)
    wrong = []
    for node in picked:
        click_to(b, node, 40)
        got = b.run("[%s, %s]" % (WHO, TOTAL))
        if got != [node.name, node.total]:
            wrong.append((node.name, node.total, got))
    say(not wrong, "clicking down leads to each frame", wrong)
    first = nodes[0].children()[0]
    second = first.children()[0]
    b.key("Escape")
    click_to(b, second, 40)
    equal("the click before last", second.name, b.run(WHO))
    b.run("history.back()")
    say(b.wait("%s === %r" % (WHO, first.name)), "the browser's back button goes back")
    b.run("history.forward()")
    say(b.wait("%s === %r" % (WHO, second.name)), "and forward again")
    b.key("Backspace")
    equal("Backspace zooms out to the caller", first.name, b.run(WHO))
    b.key("Escape")
    equal("Esc shows everything", ["all", nodes[0].total, True], b.run("[%s, %s, !/p=/.test(location.hash)]" % (WHO, TOTAL)))


def searching(b, path, nodes):
    """Shares are exact, bad expressions get a message, matches are walked."""
    b.open(path)
    for pattern in ("alloc", "^_", "lock|sync", "rustc.*::<.*>", "no such function"):
        b.key("/")
        b.run("document.querySelector('input').select()")
        b.type(pattern)
        share = stacks.matched(nodes, pattern) * 100
        want = "0 %" if not share else "%.2f %%" % share
        equal("search for %s" % pattern, want, b.wait(FOUND).split(" ·")[0])
        b.key("Escape")
        b.key("Escape")
    b.key("/")
    b.type("(")
    say("regular expression" in b.wait(FOUND), "a bad expression gets a message")
    equal("and nothing else happens", [], b.complaints())
    b.run("document.querySelector('input').select()")
    b.type("alloc")
    names = []
    for key, shift in (("Enter", False), ("Enter", False), ("Enter", True)):
        b.key(key, shift)
        names.append(b.run(WHO))
    say(all("alloc" in name for name in names), "Enter goes to matches", names)
    equal("the place of the match is told", True, bool(re.search(r"· 1 of [\d,]+ frames", b.run(FOUND))))
    b.key("Escape")
    equal("Esc in the field clears the search", "", b.run(FOUND))


def keys(b, path, nodes):
    """Walking without a pointer, and what a screen reader is told."""
    b.open(path)
    first = nodes[0].children()[0]
    b.key("ArrowDown")
    equal("Down goes to the heaviest callee", [first.name, first.total], b.run("[%s, %s]" % (WHO, TOTAL)))
    b.key("ArrowRight")
    equal("Right to its neighbour", nodes[0].children()[1].name, b.run(WHO))
    b.key("ArrowLeft")
    b.key("ArrowDown")
    b.key("Enter")
    second = first.children()[0]
    equal("Enter zooms", True, b.run("location.hash.includes('p=%s')" % stacks.link(second)))
    b.key("ArrowUp")
    equal("Up to the caller", first.name, b.run(WHO))
    b.key("Escape")
    label = b.run("document.getElementById(%s.getAttribute('aria-activedescendant')).getAttribute('aria-label')" % CHART)
    say("total %s" % format(nodes[0].total, ",") in label, "the frame under the cursor is described", label)
    equal("roles", ["tree", True, True], b.run("""[%s.getAttribute("role"),
        [...document.querySelectorAll(".sberf-chart text")].every(t => t.getAttribute("role") === "treeitem" && t.getAttribute("aria-label")),
        [...document.querySelectorAll("button, input, select")].every(e => e.getAttribute("aria-label") || e.textContent)]""" % CHART))
    y = "Number(document.getElementById('sberf-chosen').getAttribute('y'))"
    equal("the root is on top", 0, b.run(y))
    b.key("i")
    say(b.run(y) > 0, "i turns it over")
    b.key("ArrowUp")
    equal("and the arrows with it", first.name, b.run(WHO))
    b.key("i")
    page = "getComputedStyle(document.querySelector('.sberf-app')).backgroundColor"
    before = b.run(page)
    b.key("d")
    say(before != b.run(page), "d is dark or light")
    b.key("?")
    say(b.run("!document.querySelector('.sberf-help').hidden"), "? helps")
    b.key("Escape")
    say(b.run("document.querySelector('.sberf-help').hidden"), "Esc closes the help")
    equal("no complaints", [], b.complaints())


def runs(b, path, nodes):
    """A run of frames without names is one box, and each of its frames is there."""
    last = [n for n in nodes if n.follows() and n.below and not any(c.follows() for c in n.below.values())]
    run = [max(last, key=lambda n: n.total)]
    while run[0].parent.follows():
        run.insert(0, run[0].parent)
    name = "[unknown] ×%d" % (len(run) + 1)
    b.open(path, "#p=" + stacks.link(run[0]))
    equal("a frame of a run, by its address", ["[unknown]", run[0].total], b.run("[%s, %s]" % (WHO, TOTAL)))
    shown = b.run("[...document.querySelectorAll('.sberf-chart text')].map(t => t.textContent)")
    equal("the run is one box", 1, shown.count(name))
    say(b.run("document.querySelector('.what').textContent.includes('%d frames,')" % (len(run) + 1)), "its length is told")
    callee = run[-1].children()[0]
    b.key("ArrowDown")
    equal("Down from a run leads out of it", [callee.name, callee.total], b.run("[%s, %s]" % (WHO, TOTAL)))
    b.key("ArrowUp")
    b.key("ArrowUp")
    caller = run[0].parent.parent
    equal("and Up, above it", [caller.name, caller.total], b.run("[%s, %s]" % (WHO, TOTAL)))


def sizes(b, path):
    """The picture is as large as its page."""
    b.open(path)
    for width, height in ((1200, 800), (500, 400), (2000, 1000)):
        b.resize(width, height)
        b.wait("document.querySelector('.sberf-chart svg').clientWidth === %s.clientWidth && innerWidth === %d" % (CHART, width))
        equal("%d x %d: the page is filled, not overfilled" % (width, height), [True, True, 0], b.run(
            "[%s.clientWidth > innerWidth - 30, %s.getBoundingClientRect().bottom > innerHeight - 80,"
            " document.documentElement.scrollWidth > innerWidth ? 1 : 0]" % (CHART, CHART)))
    b.resize(1200, 800)


CONTRAST = """(() => {
    const probe = document.createElementNS("http://www.w3.org/2000/svg", "path"), least = [];
    const canvas = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas").getContext("2d", { willReadFrequently: true });
    const light = color => {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(v => v / 255 <= .04045 ? v / 255 / 12.92 : ((v / 255 + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const text = document.querySelector(".sberf-chart text");
    const classes = ["hit", "n"];
    for (let s = 0; s < 6; s++) {
        for (let k = 0; k < 10; k++)
            classes.push("k" + k + " s" + s);
        for (let n = 0; n < 8; n++)
            classes.push("n" + n + " s" + s);
    }
    for (let c = 0; c < 9; c++)
        classes.push("c" + c);
    classes.push("t0", "t1", "t2");
    document.querySelector(".sberf-chart g").append(probe);
    for (const name of classes) {
        probe.setAttribute("class", "f " + name);
        const a = light(getComputedStyle(probe).fill), b = light(getComputedStyle(text).fill);
        least.push([(Math.max(a, b) + .05) / (Math.min(a, b) + .05), name]);
    }
    probe.remove();
    return least.sort((a, b) => a[0] - b[0])[0];
})()"""


def contrast(b, path):
    """Names can be read on every colour."""
    for scheme in ("light", "dark"):
        b.scheme(scheme)
        b.open(path)
        least = b.run(CONTRAST)
        say(least[0] >= 4.5, "%s: contrast of text is 4.5 and more" % scheme, least)
    b.scheme("light")


def links(b, path, other, nodes):
    """An address means the same frame in another file."""
    node = nodes[0].children()[0].children()[1]
    b.open(path, "#p=" + stacks.link(node))
    equal("an address", node.name, b.run(WHO))
    b.open(other, "#p=%s&s=alloc" % stacks.link(node))
    equal("the same address in a new file", node.name, b.run(WHO))
    for bad in ("#p=zz&r=9.1", "#p=0000000000000000", "#s=%28&c=nonsense&o=", "#s=%e0%a4", "#p=%22onload%3d", "#r=5.2&p"):
        b.open(path, bad)
        equal("a bad address %s" % bad, ["all", []], [b.run(WHO), b.complaints()])


def narrow(b, path, wide):
    """--min-width changes what is drawn and nothing that is told."""
    shown = []
    for name in (path, wide):
        b.open(name, "#s=alloc")
        shown.append(b.run("[%s, document.querySelector('.sberf-chart g').outerHTML.length]" % FOUND))
    equal("--min-width: a search tells the same", shown[0][0], shown[1][0])
    say(shown[1][1] < shown[0][1] / 2, "--min-width: less is drawn", shown)


def without_scripts(b, path):
    """Viewers that run nothing see a picture."""
    b.scripts(False)
    b.open(path)
    say(b.run("document.querySelectorAll('#sberf-still svg').length") > 5, "without scripts: a still picture")
    b.scripts(True)


def states(b, path):
    """Kinds of time can be left out."""
    b.open(path)
    times = "Number(/\\(([\\d,]+) ns\\)/.exec(document.querySelector('.what').textContent)[1].replaceAll(',', ''))"
    both = b.run(times)
    equal("a legend of states", ["running", "runnable", "blocked"],
          b.run("[...document.querySelectorAll('.sberf-legend button')].map(e => e.textContent.split(' ')[0])"))
    b.run("document.querySelectorAll('.sberf-legend button')[2].click()")
    b.run("document.querySelectorAll('.sberf-legend button')[1].click()")
    some = b.run(times)
    say(0 < some < both, "time off the CPU can be left out", (some, both))
    print("# running ns", some)
    b.run("document.querySelectorAll('.sberf-legend button')[0].click()")
    equal("not all of it", some, b.run(times))
    equal("no complaints", [], b.complaints())


def nodes_of(b, path, folded):
    """Colours and legend by NUMA node."""
    weight = {}
    for line in open(folded, encoding="utf-8"):
        weight[line.split(";")[0]] = weight.get(line.split(";")[0], 0) + int(line.split()[-1])
    b.open(path)
    legend = b.run("[...document.querySelectorAll('.sberf-legend span')].map(e => e.textContent).filter(t => /^node/.test(t))")
    equal("a legend of nodes", sorted(weight), [" ".join(text.split()[:2]) for text in legend])
    shares = [float(text.split()[2]) for text in legend]
    say(all(abs(share - 100 * weight[node] / sum(weight.values())) < 0.02 for node, share in zip(sorted(weight), shares)),
        "shares of nodes", legend, weight)
    kinds = b.run("[...new Set([...document.querySelectorAll('.sberf-chart path')].map(p => p.getAttribute('class').split(' ')[1]))]")
    equal("colours of nodes", sorted(["n"] + ["n" + node.split()[1] for node in weight]), sorted(k for k in kinds if k != "many"))
    for _ in range(3):
        b.key("ArrowDown")
    heaviest = max(weight, key=lambda node: weight[node])
    say(b.run("document.querySelector('.what').textContent.endsWith(' · %s')" % heaviest), "the node of a frame is told",
        b.run("document.querySelector('.what').textContent"))
    equal("no complaints", [], b.complaints())


def main():
    """All of it."""
    where, data = sys.argv[1:]
    small, large = stacks.read(data + "/rustc-1k.folded.gz"), stacks.read(data + "/rustc-100k.folded.gz")
    with Browser(1200, 800) as b:
        b.open(where + "/large.svg")
        equal("large: no complaints", [], b.complaints())
        equal("large: every frame is there", True, ("\"nrNodes\":%d," % len(large)) in open(where + "/large.svg", encoding="utf-8").read())
        every_frame(b, where + "/large.svg", large)
        searching(b, where + "/large.svg", large)
        clicking(b, where + "/wide.svg", small)
        keys(b, where + "/small.svg", small)
        runs(b, where + "/small.svg", small)
        sizes(b, where + "/small.svg")
        contrast(b, where + "/small.svg")
        links(b, where + "/small.svg", where + "/other.svg", small)
        narrow(b, where + "/small.svg", where + "/wide.svg")
        without_scripts(b, where + "/small.svg")
        states(b, where + "/states.svg")
        nodes_of(b, where + "/nodes.svg", where + "/nodes.folded")
        equal("no complaints in the end", [], b.complaints())


main()
