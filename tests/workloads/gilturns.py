# SPDX-License-Identifier: BSD-2-Clause
"""gilturns.py - a program whose threads take turns at the interpreter, and which says who had it when.

usage: gilturns.py SECONDS THREADS

Prints "ready" when it begins, and in the end, after SECONDS or when it gets SIGTERM, as tests/workloads/locked.c does with "truth": "held TID FROM TO" for
each turn, in ns of CLOCK_MONOTONIC, and "ahead NS", how far the clock of the day is ahead of that. Threads say
again and again that they run: between the last word of one and the first one of the next either of them may have
it. A thread that was stopped and then had to give it up says nothing, so there is "unsure FROM TO" where nobody has
said anything for 0.2 ms.
"""
import os
import signal
import sys
import threading
import time


over = []


def runs(stamps):
    tid = threading.get_native_id()
    now = time.monotonic_ns()
    end = now + int(float(sys.argv[1]) * 1e9)
    while now < end and not over:
        x = 0
        for i in range(200):
            x += i
        now = time.monotonic_ns()
        stamps.append((now, tid))


signal.signal(signal.SIGTERM, lambda *_: over.append(True))
print("ready", flush=True)
own = []
all_stamps = [own] + [[] for _ in range(int(sys.argv[2]))]
threads = [threading.Thread(target=runs, args=(stamps,)) for stamps in all_stamps[1:]]
for t in threads:
    t.start()
    own.append((time.monotonic_ns(), os.getpid()))
for t in threads:
    t.join()
    own.append((time.monotonic_ns(), os.getpid()))
readings = [(time.monotonic_ns(), time.time_ns(), time.monotonic_ns()) for _ in range(20)]
before, day, after = min(readings, key=lambda r: r[2] - r[0])
print("ahead", day - (before + after) // 2)
turns = []
stamps = sorted(stamp for stamps in all_stamps for stamp in stamps)
for (before, _), (now, _) in zip(stamps, stamps[1:]):
    if now - before > 200000:
        print("unsure", before, now)
for now, tid in stamps:
    if not turns or turns[-1][0] != tid:
        turns.append([tid, now, now])
    turns[-1][2] = now
for i, (tid, begun, ended) in enumerate(turns):
    print("held", tid, turns[i - 1][2] if i else begun, turns[i + 1][1] if i + 1 < len(turns) else ended)
