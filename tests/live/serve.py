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
    for kind, pull in pulls.items():
        r = respond(pull)
        body = r.read()
        say(r.status == 200 and b"nanoseconds" in gzip.decompress(body), "an agent answers through a socket: " + kind, r.status, body[:100])
    say(respond(begin(proxied, "/")).status == 404, "it has no page")
    still.close()


main(*sys.argv[1:])
