# SPDX-License-Identifier: BSD-2-Clause
"""serve.py ADDRESS SOCKET-ADDRESS - a server of what runs: events come, and one who does not read costs nothing. As tests/cli/serve.py."""
import gzip
import http.client
import json
import re
import socket
import sys
import time


def say(holds, title, *more):
    """A line for the shell."""
    print("%d %s" % (0 if holds else 1, title))
    if not holds:
        print("  " + " ".join(str(m) for m in more)[:1000])
    sys.stdout.flush()


def begin(address, path, buffer=None):
    """Asks for PATH; the response is not read yet."""
    found = re.fullmatch(r"unix:(.*):/([^/]*)/.*|http://(.*):(\d+)/([^/]*)/.*", address)
    s = socket.socket(socket.AF_UNIX if found[1] else socket.AF_INET)
    if buffer:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    s.settimeout(120)
    s.connect(found[1] or (found[3], int(found[4])))
    s.sendall(("GET /%s%s HTTP/1.1\r\nHost: %s\r\n\r\n" % (found[2] or found[5], path, "x" if found[1] else "%s:%s" % (found[3], found[4]))).encode())
    return s


def respond(s):
    """The response."""
    r = http.client.HTTPResponse(s)
    r.begin()
    return r


def event(r):
    """The next event of a stream."""
    data = []
    while True:
        line = r.fp.readline()
        if not line:
            raise EOFError
        if line.startswith(b"data: "):
            data.append(line[6:])
        elif line == b"\n" and data:
            return json.loads(b"".join(data))


class Reader:
    """Numbers in digits of five bits."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def number(self):
        """The next one."""
        value = shift = 0
        while True:
            digit = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".index(self.text[self.at])
            self.at += 1
            value |= (digit & 31) << shift
            shift += 5
            if digit < 32:
                return value


def labels_of(d):
    """Texts with their kinds."""
    found, last = [], ""
    for line in d["labels"].split("\n")[:d["nrLabels"]]:
        r = Reader(line)
        common, kind = r.number(), r.number()
        last = last.encode("utf-16-le")[:2 * common].decode("utf-16-le") + line[r.at:]
        found.append((last, kind))
    return found


class Growth:
    """What a page has of the tree."""

    def __init__(self):
        self.labels, self.nodes, self.state = [], [], None

    def take(self, d):
        """Takes what has changed."""
        if not d["from"]:
            self.labels, self.nodes = [], []
        elif (d["epoch"], d["from"]) != self.state:
            raise ValueError("an event is missing")
        self.state = d["epoch"], d["to"]
        self.labels += labels_of(d)
        r, i = Reader(d["tree"]), 0
        for _ in range(d["nrNodes"]):
            n = len(self.nodes)
            self.nodes.append([n - r.number(), self.labels[r.number()], [0, 0, 0]])
        r = Reader(d["values"])
        for _ in range(d["nrValues"]):
            head = r.number()
            i += head >> 3
            self.nodes[i][2] = [r.number() if head >> k & 1 else 0 for k in range(3)]

    def sums(self):
        """What ends where, by the way from the root."""
        ways, sums = [], {}
        for i, (parent, label, values) in enumerate(self.nodes):
            ways.append((ways[parent] if i else ()) + (label,))
            if any(values):
                sums[ways[i]] = [a + b for a, b in zip(sums.get(ways[i], (0, 0, 0)), values)]
        return sums


def sums_of(d):
    """The same of a graph that was sent as a whole."""
    labels, r, way, sums = labels_of(d), Reader(d["tree"]), [], {}
    columns = len(d["parts"])
    for i in range(d["nrNodes"]):
        head = r.number()
        depth = len(way) - (head >> columns) if i else 0
        way = way[:depth] + [labels[r.number()]]
        values = [0, 0, 0]
        for c, part in enumerate(d["parts"]):
            if head >> c & 1:
                values[part] = r.number()
        if any(values):
            sums[tuple(way)] = [a + b for a, b in zip(sums.get(tuple(way), (0, 0, 0)), values)]
    return sums


def growing(address):
    """The tree of a stream, which has what has changed, is that of a snapshot."""
    stream, growth, compared, sizes = respond(begin(address, "/live?pane=tree")), Growth(), 0, []
    for _ in range(100):
        seen = event(stream)
        growth.take(seen["growth"])
        sizes.append(len(seen["growth"]["values"]) + len(seen["growth"]["tree"]) + len(seen["growth"]["labels"]))
        whole = json.loads(respond(begin(address, "/snapshot?pane=tree")).read())
        if whole["head"]["published"] != seen["head"]["published"]:
            continue
        ours, theirs = growth.sums(), sums_of(whole["flame"])
        if ours != theirs:
            # Names may have come between the two, which are in events to come.
            if [sum(v) for v in zip(*ours.values())] != [sum(v) for v in zip(*theirs.values())]:
                differ = [(k, ours.get(k), theirs.get(k)) for k in {**ours, **theirs} if ours.get(k) != theirs.get(k)]
                say(False, "an event leads to another tree than a snapshot has", len(differ), len(ours), differ[:8])
                return
            continue
        compared += 1
        if compared == 8 and len(growth.sums()) > 10:
            break
    say(compared >= 8 and len(growth.sums()) > 10, "events lead to the trees that snapshots have, frame by frame", compared, len(growth.sums()))
    say(seen["growth"]["from"] > 0 and sorted(sizes)[len(sizes) // 2] < max(sizes), "and have only what has changed", sizes)
    counts = [name for name, _ in seen["head"]["counts"]]
    say(counts[0] == "time" and "grown" in counts and seen["head"]["counted"] == "time", "time and memory can be counted", counts)
    grown = json.loads(respond(begin(address, "/snapshot?pane=tree&count=grown")).read())["flame"]
    say(grown["unit"] == "bytes" and any("by_malloc" in label for label, _ in labels_of(grown)), "memory in the tree", grown["unit"], grown["nrNodes"])
    few = json.loads(respond(begin(address, "/snapshot?pane=functions&rows=3")).read())["list"]
    say(len(few["rows"]) == 3 and few["more"] > 0, "as many rows as are asked for", few)


def main(address, proxied):
    """Events, a reader that has stopped, and pulls through a socket."""
    still = begin(address, "/live?pane=figures", 2048)
    pulls = {kind: begin(proxied, "/debug/pprof/%s?seconds=1" % kind) for kind in ("profile", "offcpu")}
    stream = respond(begin(address, "/live?pane=threads"))
    first = event(stream)
    while not first["list"]["rows"]:
        first = event(stream)
    say({"waits", "tree", "threads"} <= {name for name, _ in first["head"]["panes"]}, "panes of what runs", first["head"]["panes"])
    seen = first
    for _ in range(30):
        last, seen = seen, event(stream)
        if seen["head"]["published"] <= last["head"]["published"] or seen["head"]["duration"] < last["head"]["duration"]:
            break
    else:
        say(True, "each event is newer than the one before")
        last = None
    if last:
        say(False, "each event is newer than the one before", last["head"], seen["head"])
    say(sum(seen["strip"]["running"]) > 0, "the strip has what ran", seen["strip"])
    # However long the one who does not read has been there, an answer comes at once.
    waited = time.monotonic()
    part = json.loads(respond(begin(address, "/snapshot?pane=threads&from=0s&to=1s")).read())
    say(9 * 10 ** 8 <= part["range"][1] - part["range"][0] <= 11 * 10 ** 8, "a range is of slices of 100 ms", part["range"])
    part = json.loads(respond(begin(address, "/snapshot?pane=threads&from=510ms&to=511ms")).read())
    start, end = part["range"]
    say(start <= 511 * 10 ** 6 and end >= 510 * 10 ** 6 and end - start == 10 ** 8 and part["list"]["rows"], "of one at least", part["range"])
    print("a snapshot took %.3f s" % (time.monotonic() - waited))
    locks = json.loads(respond(begin(address, "/snapshot?pane=locks")).read())["list"]
    say(locks["columns"][:2] == ["lock", "total"] and isinstance(locks["notes"], list) and
        all(len(r) == 1 + len(locks["columns"]) for r in locks["rows"]), "locks are a list, deadlocks stand above it", locks)
    memory = respond(begin(address, "/debug/pprof/memory"))
    while memory.status == 404:
        event(stream)
        memory = respond(begin(address, "/debug/pprof/memory"))
    body = gzip.decompress(memory.read())
    say(b"bytes" in body and b"by_malloc" in body, "memory that has grown, by function", body[:300])
    text = json.loads(respond(begin(address, "/snapshot?pane=memory")).read())["text"]
    say(any("resident" in line for line in text), "memory is a pane", text[:5])
    growing(address)
    for kind, pull in pulls.items():
        r = respond(pull)
        body = r.read()
        say(r.status == 200 and b"nanoseconds" in gzip.decompress(body), "an agent answers through a socket: " + kind, r.status, body[:100])
    say(respond(begin(proxied, "/")).status == 404, "it has no page")
    still.close()


main(*sys.argv[1:])
