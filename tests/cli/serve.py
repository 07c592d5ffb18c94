# SPDX-License-Identifier: BSD-2-Clause
"""serve.py URL|unix:PATH:/SECRET/ PID TEST... - asks a server as no browser would. Prints "0 TITLE" for what holds, "1 TITLE" else."""
import http.client
import json
import os
import random
import re
import socket
import sys
import time

PID = int(sys.argv[2])
if sys.argv[1].startswith("unix:"):
    WHERE, PREFIX = re.fullmatch(r"unix:(.*):/([^/]*)/.*", sys.argv[1]).groups()
else:
    HOST, PORT, PREFIX = re.fullmatch(r"http://(.*):(\d+)/([^/]*)/.*", sys.argv[1]).groups()
    WHERE = (HOST, int(PORT))


def say(holds, title, *more):
    """A line for the shell."""
    print("%d %s" % (0 if holds else 1, title))
    if not holds:
        print("  " + " ".join(str(m) for m in more)[:1000])
    sys.stdout.flush()


def connect():
    """A connection."""
    s = socket.socket(socket.AF_UNIX if isinstance(WHERE, str) else socket.AF_INET)
    s.settimeout(60)
    s.connect(WHERE)
    return s


def answer(s):
    """The status, headers and body that come."""
    r = http.client.HTTPResponse(s)
    r.begin()
    return r.status, r.headers, r.read()


def ask(path, method="GET", host=None, headers="", prefix=PREFIX):
    """What is answered."""
    s = connect()
    host = host or ("x" if isinstance(WHERE, str) else "%s:%d" % WHERE)
    s.sendall(("%s /%s%s HTTP/1.1\r\nHost: %s\r\n%s\r\n" % (method, prefix, path, host, headers)).encode())
    r = http.client.HTTPResponse(s, method=method)
    r.begin()
    body = r.read()
    s.close()
    return r.status, r.headers, body


def rules():
    """Who is let in, and what stands in answers."""
    s = connect()
    s.sendall(("GET /%s/export.json HTTP/1.1\r\nHost: %s:%d\r\n\r\n" % ((PREFIX,) + WHERE)).encode())
    s.shutdown(socket.SHUT_WR)
    status, headers, body = answer(s)
    say(status == 200 and len(body) == int(headers["Content-Length"]) > 100000, "who sends nothing more still gets all", status, len(body))
    for title, want, asked in [
            ("the page", 200, {}), ("HEAD", 200, {"method": "HEAD"}), ("localhost", 200, {"host": "localhost:%d" % WHERE[1]}),
            ("POST", 405, {"method": "POST"}), ("another host", 403, {"host": "evil.example:%d" % WHERE[1]}),
            ("another port", 403, {"host": "127.0.0.1:1"}), ("another site", 403, {"headers": "Sec-Fetch-Site: cross-site\r\n"}),
            ("another secret", 403, {"prefix": "0" * len(PREFIX)}), ("no secret", 403, {"prefix": ""}), ("a body", 400, {"headers": "Content-Length: 1\r\n"})]:
        status, headers, body = ask("/", **asked)
        say(status == want, "%s: %d" % (title, want), status, body)
        say(headers["Cache-Control"] == "no-store" and headers["X-Content-Type-Options"] == "nosniff" and
            headers["Cross-Origin-Resource-Policy"] == "same-origin" and "default-src 'none'" in headers["Content-Security-Policy"] and
            not any(h.startswith("Access-Control") for h in headers), title + ": headers", headers)
    say(ask("/", method="HEAD")[2] == b"", "HEAD has no body")
    nonce = re.compile(r"'nonce-([0-9a-f]{32})'")
    first, second = (nonce.findall(ask("/")[1]["Content-Security-Policy"]) for _ in range(2))
    say(len(first) == 2 and first[0] == first[1] and first != second, "each page has a nonce of its own", first, second)
    for path, want in [("/nothing", 404), ("/export.exe", 404), ("/snapshot?from=2s&to=1s", 400), ("/debug/pprof/profile?seconds=61", 400), ("", 404)]:
        say(ask(path)[0] == want, "%s: %d" % (path, want))
    s = connect()
    s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 9000)
    say(answer(s)[0] == 431, "a head of 9 KB: 431")
    s = connect()
    s.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")
    say(answer(s)[0] == 400, "no HTTP: 400")


def bounds():
    """What is too much, too slow, or no request at all."""
    asking = []
    for _ in range(8):
        s = socket.socket(socket.AF_INET)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        s.settimeout(60)
        s.connect(WHERE)
        s.sendall(("GET /%s/export.json HTTP/1.1\r\nHost: %s:%d\r\n\r\n" % ((PREFIX,) + WHERE)).encode())
        asking.append(s)
    status, _, body = ask("/snapshot")
    say(status == 503 and b"ask again" in body, "while eight do not read their answers, a ninth is not made", status, body)
    for s in asking:
        s.close()
    deadline = time.monotonic() + 60
    while ask("/snapshot")[0] != 200 and time.monotonic() < deadline:
        pass
    say(ask("/snapshot")[0] == 200, "then it is")
    silent = [connect() for _ in range(2)]
    silent[1].sendall(b"GET /")
    began = time.monotonic()
    streams = []
    for i in range(5):
        streams.append(connect())
        streams[i].sendall(("GET /%s/live?pane=tree HTTP/1.1\r\nHost: %s:%d\r\n\r\n" % ((PREFIX,) + WHERE)).encode())
        if i < 4:
            r = http.client.HTTPResponse(streams[i])
            r.begin()
            lines = [r.fp.readline() for _ in range(4)]
            say(r.status == 200 and lines[:3] == [b"retry: 1000\n", b"\n", b"id: 1\n"] and lines[3].startswith(b"data: {"), "stream %d" % i, lines)
    status, _, body = answer(streams[4])
    say(status == 429 and b"four pages" in body, "the fifth stream is told", status, body)
    streams.pop(0).close()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        s = connect()
        s.sendall(("GET /%s/live HTTP/1.1\r\nHost: %s:%d\r\n\r\n" % ((PREFIX,) + WHERE)).encode())
        r = http.client.HTTPResponse(s)
        r.begin()
        if r.status == 200:
            break
    say(r.status == 200, "where one has left there is room")
    others = [connect() for _ in range(32)]
    deadline = time.monotonic() + 60
    refused = 0
    for c in others:
        c.settimeout(0.2)
        try:
            refused += c.recv(1) == b""
        except socket.timeout:
            pass
        if refused:
            break
    say(refused, "beyond 32 connections one is closed at once")
    for c in others:
        c.close()
    r = None
    for c in silent:
        c.settimeout(30)
        data = c.recv(100)
        say(data.startswith(b"HTTP/1.1 408 "), "who sends no request is told after five seconds", data, time.monotonic() - began)
    dice = random.Random(7)
    for _ in range(150):
        s = connect()
        text = bytearray(b"GET /%s/snapshot?from=1s&to=2s&pane=tree HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (PREFIX.encode(), WHERE[1]))
        for _ in range(dice.randrange(1, 8)):
            text[dice.randrange(len(text))] = dice.randrange(256)
        try:
            s.sendall(bytes(text))
            s.shutdown(socket.SHUT_WR)
            s.recv(1 << 20)
        except OSError:
            pass
        s.close()
    say(ask("/")[0] == 200, "150 requests of noise: it answers")
    with open("/proc/%d/status" % PID, encoding="ascii") as f:
        rss = int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))
    say(rss < 400000, "its memory is bounded", rss, "KB")
    say(len(os.listdir("/proc/%d/fd" % PID)) < 60, "and so are its descriptors")


def files():
    """Exports, whole and of a range, are those of report, byte by byte: files say what that wrote."""
    for name in sorted(os.listdir(".")):
        found = re.fullmatch(r"want\.(\d+)ms-(\d+)ms\.(.*)|want\.all\.(.*)", name)
        if not found:
            continue
        path = "/export." + (found[4] or "%s?from=%sms&to=%sms" % (found[3], found[1], found[2]))
        status, headers, body = ask(path)
        with open(name, "rb") as f:
            want = f.read()
        say(status == 200 and body == want, path + " is what report writes", status, len(body), len(want))
        say("attachment" in headers["Content-Disposition"], path + " is to be saved")
    whole = json.loads(ask("/snapshot?pane=threads")[2])
    say(whole["list"]["rows"] and "range" not in whole, "a snapshot of all", whole)
    part = json.loads(ask("/snapshot?pane=threads&from=0s&to=100ms")[2])
    say(part["range"][0] >= 0 and part["range"][1] > part["range"][0], "one of a range says of which", part.get("range"))


def proxied():
    """Behind a socket of files the name does not matter, the secret does."""
    say(ask("/", host="any.example")[0] == 200, "any host")
    say(ask("/", prefix="0" * len(PREFIX))[0] == 403, "not without the secret")
    say(ask("/", headers="Sec-Fetch-Site: cross-site\r\n")[0] == 403, "not for other sites")


for test in sys.argv[3:]:
    globals()[test]()
