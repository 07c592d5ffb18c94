# SPDX-License-Identifier: BSD-2-Clause
# alloc_judge.py SBERF INTERVAL [both] - holds the sites of run.data against what the program said in ./said, "SITE ALLOCATED IN-USE" in
# bytes: a line for each that is off, and at the end how many are right. With an INTERVAL of 1 both sums are exact. Otherwise what
# was allocated may be off by four standard errors, and with "both" what is in use, too: of ten sums one may be off by three of
# them in 40 runs.
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
right = n = 0
for line in open("said"):
    site, total, left = line.split()
    got = allocated.get(site, 0), in_use.get(site, 0)
    ok = fine(got[0], int(total)) and (interval > 1 and not both or fine(got[1], int(left)))
    n += 1
    right += ok
    if not ok:
        print(f"# {site}: {got} for {total} {left}")
print(right, "of", n)
