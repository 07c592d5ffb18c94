#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# growth.sh - what makes memory grow (--memory): each site that touches it, and what is given back, adds up to what the kernel says is
# resident; of a process that is started, of one that runs, and of a child. Exact to the page where all is told, within its error else.
. "${top_srcdir:?is set by make check}/tests/tap.sh"
. "$top_srcdir/tests/live/live.sh"

need_capture
python=$(PATH=/usr/bin:$PATH type -P python3) || skip_all "python3 is not installed"
cd "$SCRATCH" || exit 1

# judge.py SBERF MOST PARTS: sites, and each process from its begin to its end, may be off by MOST of a part, or so many standard errors.
cat >judge.py <<'END'
import json, math, subprocess, sys
most, interval = float(sys.argv[2]), int(sys.argv[3])
def report(*more):
    return json.loads(subprocess.run([sys.argv[1], "report", "-i", "run.data", "--format", "json", *more],
                                     capture_output=True, text=True, check=True).stdout)
def allowed(n):
    return n * most + 256 * 1024 + 4 * math.sqrt(n * interval)
sites = {n["name"]: n.get("grown_bytes", 0) for n in report("--metric", "grown")["functions"]}
sums = {}
# What it had before it executed its program is not there any more.
for t in report("--metric", "grown,returned")["threads"]:
    if t["name"] == "grows":
        sums[str(t["pid"])] = sums.get(str(t["pid"]), 0) + t.get("grown_bytes", 0) - t.get("returned_bytes", 0)
begun, ended, right, all = {}, {}, 0, 0
for line in open("said"):
    word = line.split()
    if word[0] in ("begin", "end"):
        (begun if word[0] == "begin" else ended)[word[1]] = int(word[2])
    elif len(word) == 2:
        all += 1
        off = abs(sites.get(word[0], 0) - int(word[1]))
        right += off <= allowed(int(word[1]))
        print("#", word[0], word[1], sites.get(word[0], 0))
for pid, end in ended.items():
    all += 1
    want = end - begun.get(pid, 0)
    off = abs(sums.get(pid, 0) - want)
    right += off <= allowed(end + 60 * 1024 * 1024 if interval > 1 else end)
    print("# process", pid, want, sums.get(pid, 0))
print(right, "of", all)
END

judge() {
	"$python" judge.py "$SBERF" "$2" "$3" >judged 2>&1
	note "$(grep -v ' of ' judged)"
	equal "$1: sites and processes are as the kernel says" "9 of 9" "$(tail -n 1 judged)"
}

grows() {
	"$SBERF" record --no-off-cpu --ring-size 64M -o run.data "$@" -- "$WORKLOADS/grows" >said 2>err
	equal "$name, status" 0 $?
	equal "$name: nothing was lost" "" "$(grep -o 'lost [1-9].*' err)"
}

name="each page"
grows --memory --sample-bytes 1
judge "$name" 0.01 1
totals=$("$SBERF" report -i run.data --metric mapped,unmapped,returned --format json |
	"$python" -c 'import json, sys
t = json.load(sys.stdin)["tree"][0]
print(*(t.get(k + "_bytes", 0) >> 20 for k in ("mapped", "unmapped", "returned")))')
read -r mapped unmapped returned <<<"$totals"
between "what was mapped, in MB" 154 180 "$mapped"
between "what was unmapped" 40 50 "$unmapped"
between "what was given back" 45 47 "$returned"

matches "sizes of processes were read" "[1-9][0-9]*  sizes of memory" "$("$SBERF" check run.data)"

name="sampled"
grows --memory=growth
judge "$name" 0.01 65536

# One that runs: what it had before does not count.
mkfifo go
"$WORKLOADS/grows" wait <go >said &
target=$!
exec 3>go
wait_until 20 grep -q ^begin said
"$SBERF" record --no-off-cpu --memory --sample-bytes 1 --ring-size 64M -o run.data -p "$target" 2>err &
sberf=$!
# Its thread begins behind what it has attached.
wait_until 20 eval 'grep -qs sberf-engine /proc/$sberf/task/*/comm'
echo >&3
exec 3>&-
wait "$sberf"
equal "a process that runs, status" 0 $?
judge "a process that runs" 0.01 1

# Where the parts of counters cannot be read, stacks stand for 32 pages or more of a CPU.
name="in sums"
SBERF_WITHOUT=rss_parts grows --memory --sample-bytes 1
judge "$name" 0.03 1
finish
