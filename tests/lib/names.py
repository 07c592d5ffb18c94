# SPDX-License-Identifier: BSD-2-Clause
"""names.py SBERF FILE COUNT - places of FILE, named by sberf and by addr2line.

Fails when of those that sberf names with a file and a line less than 99.95 percent have the same chain of inlined calls, files and lines.
The two differ by design in what a function is called that the compiler has split or cloned ("f.part.0" is f to addr2line), and in the
bytes between functions, which belong to none.
"""
import random
import re
import subprocess
import sys

CLONE = re.compile(r"(?:\.(?:constprop|part|isra|cold|localalias|lto_priv|clone)(?:\.\d+)?)+| \[clone [^\]]*\]|( \(discriminator \d+\))")


def text_section(path):
    out = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    found = re.search(r" \.text\s+PROGBITS\s+(\w+)\s+\w+\s+(\w+)", out)
    return int(found[1], 16), int(found[2], 16)


def answers(command, addresses):
    out = subprocess.run(command, input="\n".join(addresses) + "\n", capture_output=True, text=True, check=True).stdout
    chains = []
    for line in out.splitlines():
        if line.startswith("0x"):
            chains.append([])
        chains[-1].append(CLONE.sub("", line))
    return chains


def main():
    sberf, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    random.seed(7)
    start, size = text_section(path)
    addresses = [hex(random.randrange(start, start + size)) for _ in range(count)]
    ours = answers([sberf, "symbolize", "-e", path], addresses)
    theirs = answers(["addr2line", "-afipC", "-e", path], addresses)
    named = [(a, b) for a, b in zip(ours, theirs) if " at " in a[0]]
    wrong = [(a, b) for a, b in named if a != b]
    print(f"{len(ours)} answers, {len(named)} with a line, {len(wrong)} differ")
    for a, b in wrong[:5]:
        print("\n".join(["sberf:"] + a + ["addr2line:"] + b))
    sys.exit(not (len(ours) == len(theirs) == count and len(named) > count / 2 and len(wrong) <= 0.0005 * len(named)))


main()
