# SPDX-License-Identifier: BSD-2-Clause
# locks_judge.py TRUTH MARKERS [overlapping]: of the waits for a mutex of 1 ms and more in MARKERS (report --format firefox) that began in it, how many there
# are, of how many percent the holder is right by what the program TRUTH (tests/workloads/locked.c, truth) says, and how many name a thread
# that did not hold it at any time of the wait. Where turns are "overlapping" (tests/workloads/gilturns.py), as nobody knows to the moment
# when one ends, that is of the time since the waiting thread last ran, and waits that began when TRUTH is "unsure" do not count.
import bisect
import json
import sys

SLACK = 200_000  # ns, between taking a lock and reading the clock

overlapping = sys.argv[3:] == ["overlapping"]
turns, unsure, ahead = [], [], None
for line in open(sys.argv[1]):
    word, *numbers = line.split()
    if word == "ahead":
        ahead = int(numbers[0])
    elif word == "held":
        tid, start, end = (int(n) for n in numbers)
        turns.append((start, end, tid))
    elif word == "unsure":
        unsure.append([int(n) for n in numbers])
turns.sort()
starts = [t[0] for t in turns]

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
            waits.append((start, end, int(data["holder"].split()[-1]) if "holder" in data else None,
                          max(ran, start - 5e6) if overlapping else start))
        ran = max(ran, end)
offset = profile["meta"]["startTime"] * 1e6 - ahead
waits = [(start + offset, end + offset, holder, ran + offset) for start, end, holder, ran in waits]
waits = [w for w in waits if not any(a - SLACK <= w[0] <= b + SLACK for a, b in unsure)]
right = never = unknown = 0
for start, end, holder, ran in waits:
    first = bisect.bisect_right(starts, start + SLACK) - (8 if overlapping else 2)
    since = [t for t in turns[max(first, 0):bisect.bisect_right(starts, end + SLACK)] if t[1] >= ran - SLACK]
    during = [t for t in since if t[1] >= start - SLACK]
    begin = [t[2] for t in during if t[0] - SLACK <= start]
    if not begin:  # between two turns the mutex is still the one's, or the next one's already
        next_one = bisect.bisect_right(starts, start)
        begin = [t[2] for t in turns[max(next_one - 1, 0):next_one + 1]]
        if holder is None:  # nobody held it, by either
            begin = [None]
    unknown += holder is None
    right += holder in begin
    never += holder is not None and holder not in [t[2] for t in since]
print(len(waits), 100 * right // max(len(waits), 1), never, unknown)
