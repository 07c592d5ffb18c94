#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""totals.py FOLDED FORMAT FILE [PROFILE] - do two exports say the same?

Compares self and total of every function in folded stacks (microseconds) with those in FILE, an export in FORMAT: json, or
speedscope, of which PROFILE ("on-CPU", "blocked", "runnable", or what an import counts) is looked at. Functions are told apart by name; in
total each counts once in a stack. What is no time is written as a number of it on both sides. Each line of folded stacks is rounded, so lines may differ by 1 us each. Prints what differs; exit status 1 when anything does,
or when there is nothing to compare.
"""
import collections
import json
import re
import sys


def plain(name):
    """A name as folded stacks have it, without what they put behind."""
    return re.sub(r"_\[[kij]\]$", "", name.replace(";", ":"))


def folded(path, _):
    for line in open(path, encoding="utf-8"):
        stack, weight = line.rstrip("\n").rsplit(" ", 1)
        yield [plain(name) for name in stack.split(";")], int(weight) * 1000


def of_json(path, _):
    data = json.load(open(path, encoding="utf-8"))
    key, unit = ("self_ns", 1) if data["unit"] == "ns" else ("self", 1000)
    paths = []
    for node in data["tree"]:
        name = data["functions"][node["function"]]["name"] if "function" in node else node["name"]
        # The root says nothing above groups.
        paths.append([] if node["parent"] is None else paths[node["parent"]] + [plain(name)])
        if node[key]:
            yield paths[-1], node[key] * unit


def of_speedscope(path, wanted):
    data = json.load(open(path, encoding="utf-8"))
    frames = [plain(frame["name"]) for frame in data["shared"]["frames"]]
    for profile in data["profiles"]:
        if profile["name"] == wanted:
            for stack, weight in zip(profile["samples"], profile["weights"]):
                yield [frames[i] for i in stack], weight * (1000 if profile["unit"] == "none" else 1)


def sums(stacks):
    own, total, lines = collections.Counter(), collections.Counter(), collections.Counter()
    for stack, weight in stacks:
        own[stack[-1]] += weight
        for name in set(stack):
            total[name] += weight
            lines[name] += 1
    return own, total, lines


def main():
    readers = {"json": of_json, "speedscope": of_speedscope}
    own, total, lines = sums(folded(sys.argv[1], None))
    other_own, other_total, _ = sums(readers[sys.argv[2]](sys.argv[3], (sys.argv[4:] or [None])[0]))
    bad = 0
    for what, want, got in (("self", own, other_own), ("total", total, other_total)):
        for name in sorted(set(want) | set(got)):
            if abs(want[name] - got[name]) > 1000 * (lines[name] + 1):
                print(f"{what} of {name!r}: {want[name] / 1000} us in folded stacks, {got[name] / 1000} us here")
                bad += 1
    if not total:
        print("there are no stacks to compare")
    sys.exit(1 if bad or not total else 0)


main()
