# SPDX-License-Identifier: BSD-2-Clause
# locks_judge.py TRUTH MARKERS [overlapping]: of the waits for a mutex of 1 ms and more in MARKERS (report --format firefox) that began in it, how
# many there are, of how many percent a right holder is named, of how many percent of their time, how many name a thread that did not hold
# the lock at any time of the wait, for longer than clocks differ, and how many name nobody, by what the program TRUTH (tests/workloads/locked.c, truth) says. A holder
# is right for as long as it held the lock meanwhile. Where turns are "overlapping" (tests/workloads/gilturns.py), as nobody knows to the
# moment when one ends, that is of the time since the waiting thread last ran, and waits that began when TRUTH is "unsure" do not count.
import bisect
import collections
import json
import re
import sys

SLACK = 200_000  # ns, between taking a lock and reading the clock
READERS = 0      # instead of a thread: those who read, whom nobody names

overlapping = sys.argv[3:] == ["overlapping"]
turns, reads, unsure, ahead = [], [], [], None
for line in open(sys.argv[1]):
    word, *numbers = line.split()
    if word == "ahead":
        ahead = int(numbers[0])
    elif word == "held":
        tid, start, end = (int(n) for n in numbers)
        turns.append((start, end, tid))
    elif word == "reads":
        reads.append([int(n) for n in numbers[1:]])
    elif word == "unsure":
        unsure.append([int(n) for n in numbers])
reads.sort()
read = []  # without what overlaps
for begun, ended in reads:
    if read and begun <= read[-1][1]:
        read[-1][1] = max(read[-1][1], ended)
    else:
        read.append([begun, ended])
turns += [(begun, ended, READERS) for begun, ended in read]
turns.sort()
starts = [t[0] for t in turns]


def holders(text, length):
    """Of "turns 12 (60.0 %), turns 13 (40.0 %)": ns by thread."""
    found = {}
    for tid, percent in re.findall(r" (\d+)(?: \((\d+\.\d) %\))?(?:, |$)", text):
        found[int(tid)] = length * float(percent or 100) / 100
    return found


profile = json.load(open(sys.argv[2]))
waits = []
# Those who waited before the recording are seen from its beginning on.
began = min(t for thread in profile["threads"] for t in thread["markers"]["startTime"]) * 1e6 + 5e6
for thread in profile["threads"]:
    m = thread["markers"]
    ran = began
    for start, end, data in sorted(zip(m["startTime"], m["endTime"], m["data"]), key=lambda marker: marker[:2]):
        start, end = start * 1e6, end * 1e6
        if data and data.get("lock") and end - start >= 1e6 and start > began:
            # The begin of a wait may have been told by itself, without its stack and lock.
            waits.append((start, end, holders(data.get("holder", ""), end - start),
                          max(ran, start - 5e6) if overlapping else start))
        ran = max(ran, end)
offset = profile["meta"]["startTime"] * 1e6 - ahead
waits = [(start + offset, end + offset, named, ran + offset) for start, end, named, ran in waits]
waits = [w for w in waits if not any(a - SLACK <= w[0] <= b + SLACK for a, b in unsure)]
right = never = unknown = 0
time = right_time = 0
for start, end, named, ran in waits:
    first = bisect.bisect_right(starts, ran - SLACK) - (8 if overlapping else 2)
    since = [t for t in turns[max(first, 0):bisect.bisect_right(starts, end + SLACK)] if t[1] >= ran - SLACK]
    if not since:  # between two turns the mutex is still the one's, or the next one's already
        next_one = bisect.bisect_right(starts, start)
        since = turns[max(next_one - 1, 0):next_one + 1]
    held = collections.Counter()
    # Between two turns the mutex is handed over: it is still the one's or already the other's.
    for i, (begun, ended, tid) in enumerate(since):
        if not overlapping:
            begun = min(begun, since[i - 1][1]) if i else start
            ended = max(ended, since[i + 1][0]) if i + 1 < len(since) else end
        held[tid] += max(0, min(ended, end) - max(begun, start)) + SLACK
    by_readers = held[READERS]
    unknown += not named
    right += any(tid in held for tid in named) or (not named and by_readers > 0)
    never += sum(tid not in held for tid in named if named[tid] > SLACK)
    if named:
        time += sum(named.values())
        right_time += sum(min(ns, held[tid]) for tid, ns in named.items())
    unnamed = max(0, end - start - sum(named.values()))
    time += unnamed
    right_time += min(unnamed, by_readers)
print(len(waits), 100 * right // max(len(waits), 1), int(100 * right_time // max(time, 1)), never, unknown)
