# SPDX-License-Identifier: BSD-2-Clause
# locks_judge.py TRUTH MARKERS: of the waits for a mutex of 1 ms and more in MARKERS (report --format firefox) that began in it, how many there
# are, of how many percent the holder is right by what the program TRUTH (tests/workloads/locked.c, truth) says, and how many name a thread
# that did not hold it at any time of the wait.
import bisect
import json
import sys

SLACK = 200_000  # ns, between taking a lock and reading the clock

turns, nap = [], None
for line in open(sys.argv[1]):
    word, *numbers = line.split()
    if word == "nap":
        nap = [int(n) for n in numbers]
    elif word == "held":
        tid, start, end = (int(n) for n in numbers)
        turns.append((start, end, tid))
turns.sort()
starts = [t[0] for t in turns]

profile = json.load(open(sys.argv[2]))
text = profile.get("shared", {}).get("stringArray")
offset, waits = None, []
# Those who waited before the recording are seen from its beginning on.
began = min(t for thread in profile["threads"] for t in thread["markers"]["startTime"]) * 1e6 + 5e6
for thread in profile["threads"]:
    strings = text or thread["stringArray"]
    m = thread["markers"]
    for i, data in enumerate(m["data"]):
        start, end = m["startTime"][i] * 1e6, m["endTime"][i] * 1e6
        name = strings[m["name"][i]]
        if name.startswith("clock_nanosleep") and str(thread["tid"]) == str(thread["pid"]):
            offset = nap[0] - start
        if data and data.get("lock") and end - start >= 1e6 and start > began:
            waits.append((start, end, int(data["holder"].split()[-1]) if "holder" in data else None))
right = never = unknown = 0
for start, end, holder in waits:
    start, end = start + offset, end + offset
    first = bisect.bisect_right(starts, start + SLACK) - 2
    during = [t for t in turns[max(first, 0):bisect.bisect_right(starts, end + SLACK)] if t[1] >= start - SLACK]
    begin = [t[2] for t in during if t[0] - SLACK <= start]
    if not begin:  # between two turns the mutex is still the one's, or the next one's already
        next_one = bisect.bisect_right(starts, start)
        begin = [t[2] for t in turns[max(next_one - 1, 0):next_one + 1]]
        if holder is None:  # nobody held it, by either
            begin = [None]
    unknown += holder is None
    right += holder in begin
    never += holder is not None and holder not in [t[2] for t in during]
print(len(waits), 100 * right // max(len(waits), 1), never, unknown)
