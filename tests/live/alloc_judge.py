# SPDX-License-Identifier: BSD-2-Clause
# alloc_judge.py SBERF INTERVAL [both] - holds the sites of run.data against what the program said in ./said, "SITE ALLOCATED IN-USE" in
# bytes, and, where every block is told, also what it said of "PEAK TEMPORARY": a line for each that is off, and at the end how many are right. With an INTERVAL of 1 both sums are exact. Otherwise what
# was allocated may be off by four standard errors, and with "both" what is in use, too: of ten sums one may be off by three of
# them in 40 runs.
# A program whose frees nobody can see says only what it allocated.
import json
import math
import subprocess
import sys

sberf, interval, both = sys.argv[1], int(sys.argv[2]), "both" in sys.argv[3:]


def bytes_of(metric):
    command = [sberf, "report", "-i", "run.data", "--metric", metric, "--format", "json"]
    document = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    value = metric.replace("-", "_") + "_bytes"
    return {f["name"]: f.get(value, 0) for f in document["functions"]}


def fine(got, true):
    return got == true if interval == 1 else abs(got - true) <= 4 * math.sqrt(true * interval)


allocated, in_use = bytes_of("allocated"), bytes_of("in-use")
peak, temporary = bytes_of("peak"), bytes_of("temporary")
right = n = 0
for line in open("said"):
    site, *said = line.split()
    said = [int(s) for s in said]
    got = [sums.get(site, 0) for sums in (allocated, in_use, peak, temporary)][:len(said)]
    ok = fine(got[0], said[0]) and (len(said) < 2 or interval > 1 and not both or fine(got[1], said[1])) and \
        (interval > 1 or got[2:] == said[2:])
    n += 1
    right += ok
    if not ok:
        print(f"# {site}: {got} for {said}")
print(right, "of", n)
